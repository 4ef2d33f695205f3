#pragma once

#include <string>
#include <vector>

#include "core/report/text/text_table.h"
#include "core/shrink/runtime_shrink.h"

// Ways to run a model on tflite-micro, as C or on ONNX Runtime, as text, CSV with a line a way, and
// JSON ("highwater-tflm-shrink" and so on, docs/formats/shrink.md). `file` is how the user named
// the model.

namespace hw {

/// Ways of `shrink`, which must outlive the columns.
Columns<RuntimeWay> runtimeWayColumns(const RuntimeShrink& shrink);
/// "57,000 B of arena, 57 % of what tflite-micro takes by itself (100,700 B)", or that nothing is
/// within the budget.
std::string runtimeShrinkSummary(const RuntimeShrink& shrink);
/// Sentences on what the file needs of a firmware, why operators stay whole, and what would save
/// more; maybe none.
std::vector<std::string> runtimeShrinkRemarks(const RuntimeShrink& shrink);
std::string runtimeShrinkText(const RuntimeShrink& shrink, const std::string& file,
                              const Paint& paint);
std::string runtimeShrinkCsv(const RuntimeShrink& shrink, const std::string& file);
Json runtimeShrinkJson(const RuntimeShrink& shrink, const std::string& file);

}  // namespace hw
