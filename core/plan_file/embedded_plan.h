#pragma once

#include <optional>

#include "core/plan_file/plan_document.h"

namespace hw {

/// The plan that came with a model, on paper; nothing when it brought none. Those that the
/// plan leaves to the runtime are not in it.
std::optional<PlanDocument> embeddedPlan(const Model& model);

}  // namespace hw
