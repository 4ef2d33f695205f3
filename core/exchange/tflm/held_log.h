#pragma once

#include <string>
#include <string_view>

#include "core/import/importer.h"
#include "core/plan_file/plan_document.h"

namespace hw {

/// The plan that tflite-micro's log tells of, with the names of the model that it was printed for:
/// the log has none, but lists the tensors in the order of the file, scratch behind them. `file`
/// is the model's, a TFLite file, opened with `options`. Fails where numbers or sizes of buffers
/// are not those of the model.
Result<PlanDocument> tflmLogPlan(std::string_view log, std::string_view file,
                                 const ImportOptions& options);

/// The plan in `bytes`, of `file`, for `model`, which was opened with `options`: what our own
/// files, problems with offsets and plans of other tools hold, and a log as above where the model
/// is one that tflite-micro runs.
Result<PlanDocument> heldPlanFor(const Model& model, const ImportOptions& options,
                                 std::string_view bytes, const std::string& file);

}  // namespace hw
