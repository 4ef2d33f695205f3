#pragma once

#include <string>

#include "core/base/json.h"
#include "core/report/text_table.h"
#include "core/run/compare.h"

namespace hw {

/// One line an allocator; the best ones are marked.
std::string comparisonText(const Comparison& comparison, const Paint& paint);

/// The object of docs/formats: model, lower bound, one row an allocator.
Json comparisonJson(const Comparison& comparison);

/// The rows of `comparisonJson` as CSV.
std::string comparisonCsv(const Comparison& comparison);

}  // namespace hw
