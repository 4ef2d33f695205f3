#pragma once

#include <string>

#include "core/base/json.h"
#include "core/insight/explain.h"
#include "core/insight/moment.h"
#include "core/report/text/text_table.h"

namespace hw {

/// The tensor called `name`, which is planned; otherwise an error that says what it is instead, or
/// which names come close.
Result<TensorId> plannedTensor(const Run& run, std::string_view name);

/// The keys that every explanation begins with.
Json explanationHead(const Run& run);

/// Explanation why a tensor lies where it lies: candidates, verdicts, what decided, whom it shares
/// with.
std::string explainTensorText(const Run& run, TensorId tensor, const TextOptions& options);
Json explainTensorJson(const Run& run, TensorId tensor);

/// Contents of every pool at `step`, largest first, and its holes with their walls. Nothing: at
/// the peak of each pool, which is the step that makes it as large as it is.
std::string explainMomentText(const Run& run, std::optional<Step> step, const TextOptions& options);
Json explainMomentJson(const Run& run, std::optional<Step> step);

/// Autopsy of a plan that does not fit, with its sentence as `message`.
Json autopsyJson(const Run& run, const Autopsy& found);

}  // namespace hw
