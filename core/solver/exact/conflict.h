#pragma once

#include <vector>

#include "core/solver/exact/exact.h"

namespace hw {

/// Stays that cannot all be kept within a capacity.
struct Conflict {
  std::vector<StayId> stays{};  ///< Ascending; empty when no proof was found that there are any.
  /// Proved: without any one of them the rest fits. False when a limit was reached before.
  bool minimal = false;
  std::int64_t nodes = 0;
};

/// Names stays of `pool` that do not fit into `options.capacity`, which has to be there, as few as
/// can be had by leaving out: what is not needed for the proof goes, larger groups first (the
/// deletion filter of Chinneck and Dravnieks 1991). The limits of `options` hold for all of it; a
/// tenth of its nodes is the most that is spent on one question.
Conflict findConflict(const Problem& problem, PoolId pool, const ExactOptions& options);

}  // namespace hw
