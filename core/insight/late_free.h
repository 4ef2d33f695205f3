#pragma once

#include <optional>

#include "core/plan/problem.h"

namespace hw {

/// When each stay is last read or written, within its own steps; nothing when no step touches it.
/// One that ends later than the step after that is freed late: a graph output, or a buffer that an
/// alias keeps. Of a problem whose ops are not known nobody is late. O(stays + uses).
IdMap<StayId, std::optional<Step>> lastUses(const Problem& problem);

}  // namespace hw
