#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/plan_file/plan_document.h"

namespace hw {

/// Reads a plan in MiniMalloc's CSV form: columns `id` (or `tensor`, `name`) and `offset`, and if
/// present `lower`, `upper` (half-open), `size`, `alignment`, `gaps` and `pool`, in any order. When
/// every `id` reads "t12" they are tensor ids, which is how we write them; otherwise names.
Result<PlanDocument> readPlanCsv(std::string_view bytes);

}  // namespace hw
