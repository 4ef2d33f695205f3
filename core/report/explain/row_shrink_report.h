#pragma once

#include <string>

#include "core/report/text/text_table.h"
#include "core/shrink/tflm/row_shrink.h"

// Ways to run a model on tflite-micro or as C, as text, CSV with a line a way, and JSON
// ("highwater-tflm-shrink" and "highwater-c-shrink", docs/formats/shrink.md). `file` is how the
// user named the model.

namespace hw {

/// Ways of `shrink`, which must outlive the columns.
Columns<RowWay> rowWayColumns(const RowShrink& shrink);
/// "57,000 B of arena, 57 % of what tflite-micro takes by itself (100,700 B)", or that nothing is
/// within the budget.
std::string rowShrinkSummary(const RowShrink& shrink);
std::string rowShrinkText(const RowShrink& shrink, const std::string& file, const Paint& paint);
std::string rowShrinkCsv(const RowShrink& shrink, const std::string& file);
Json rowShrinkJson(const RowShrink& shrink, const std::string& file);

}  // namespace hw
