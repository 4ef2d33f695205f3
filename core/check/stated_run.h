#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/plan_file/plan_document.h"
#include "core/run/run.h"

namespace hw {

// A plan that came out of a file, on the model that it is of: shown, played and measured as it is.

/// True where `bytes` are a plan that can be held against a model: ours, JSON or CSV, or one that
/// another tool wrote down. Looks at the content; reads little of it.
bool holdsPlan(std::string_view bytes);

/// That plan on paper. Of other tools' the places alone count: when a tensor lives says the model.
Result<PlanDocument> readHeldPlan(std::string_view bytes, const std::string& path);

/// The places that a plan which came with `model` gives, and nothing else that it says.
Result<PlanDocument> placesOf(const Model& model);

/// The plan of `document`, which stands in `file`, as a run of `model`: held against the model as
/// `highwater check` does, then measured, told and played like any other. It was not planned:
/// `Run::request` says `embedded`. The machine is that of the plan's own settings where it is a
/// preset, else that of `asked`. Opens nothing. Fails, with the first thing wrong, on plans that
/// are not of this model, are not valid, or go over several devices.
Result<std::shared_ptr<const Run>> statedRun(const std::shared_ptr<const Model>& model,
                                             const PlanDocument& document, const std::string& file,
                                             const RunRequest& asked);

/// The file that the plan of a run came out of; nothing: it was planned.
std::optional<std::string> planFileOf(const Run& run);

/// The request that plans the model anew as whoever made the plan of `run` did; of a run that was
/// planned, what it was asked.
RunRequest requestBehind(const Run& run);

}  // namespace hw
