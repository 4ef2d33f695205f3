#pragma once

#include <vector>

#include "core/plan/validate.h"

namespace hw {

/// Faults in the moves of a problem, at most `limit` of them: moves of stays that are not
/// there, of other buffers, or not live at their step; stays that nothing opens; moves and ops that
/// read what is not the newest of its buffer; graph outputs whose newest bytes are not where they
/// have to end. Follows versions in program order, and shares no code with residency.
/// O(n log n).
std::vector<Violation> auditMoves(const Problem& problem, std::size_t limit);

/// Faults in the permissions of a problem to share bytes while an op runs, overlays and
/// overlaps: stays that are not there, that do not follow upon each other, out of order, or in more
/// permissions than one where one is the most. At most one finding of each kind: they make the
/// problem meaningless.
std::vector<Violation> auditPermissions(const Problem& problem);

}  // namespace hw
