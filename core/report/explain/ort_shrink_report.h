#pragma once

#include <string>

#include "core/base/columns.h"
#include "core/base/json.h"
#include "core/report/text/text_table.h"
#include "core/shrink/ort/ort_shrink.h"

namespace hw {

/// Columns of the ways to run a model on ONNX Runtime. `shrink` has to outlive them.
Columns<OrtWay> ortWayColumns(const OrtShrink& shrink);

/// Answer in a sentence: what the smallest way takes, or that nothing is within the budget.
std::string ortShrinkSummary(const OrtShrink& shrink);

/// The same as text, CSV and JSON (docs/formats/shrink.md); `file` is the model's name.
std::string ortShrinkText(const OrtShrink& shrink, const std::string& file, const Paint& paint);
std::string ortShrinkCsv(const OrtShrink& shrink, const std::string& file);
Json ortShrinkJson(const OrtShrink& shrink, const std::string& file);

}  // namespace hw
