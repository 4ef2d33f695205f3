#pragma once

#include <string>

#include "core/report/text/text_table.h"
#include "core/shrink/tflm/row_file.h"

// Ways to run a model on tflite-micro, as text, CSV with a line a way, and JSON
// ("highwater-tflm-shrink", docs/formats/shrink.md). `file` is how the user named the model.

namespace hw {

/// Ways of `shrink`, which must outlive the columns.
Columns<TflmWay> tflmWayColumns(const TflmShrink& shrink);
/// "57,000 B of arena, 57 % of what tflite-micro takes by itself (100,700 B)", or that nothing is
/// within the budget.
std::string tflmShrinkSummary(const TflmShrink& shrink);
std::string tflmShrinkText(const TflmShrink& shrink, const std::string& file, const Paint& paint);
std::string tflmShrinkCsv(const TflmShrink& shrink, const std::string& file);
Json tflmShrinkJson(const TflmShrink& shrink, const std::string& file);

}  // namespace hw
