#pragma once

#include <vector>

#include "core/plan/validate.h"

namespace hw {

/// What is wrong with the permissions of a problem to share bytes while an op runs, overlays and
/// overlaps: stays that are not there, that do not follow upon each other, out of order, or in more
/// permissions than one where one is the most. At most one finding of each kind: they make the
/// problem meaningless.
std::vector<Violation> auditPermissions(const Problem& problem);

}  // namespace hw
