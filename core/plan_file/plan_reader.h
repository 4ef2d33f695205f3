#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/plan_file/plan_document.h"

namespace hw {

/// Reads a plan, JSON or CSV, told apart by its content. Strict about what is there, lenient about
/// what is not: a plan of another tool needs only tensors and offsets. Everything said must have
/// the right type and range; keys and columns that are not ours are passed over.
Result<PlanDocument> readPlan(std::string_view bytes);

}  // namespace hw
