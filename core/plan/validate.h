#pragma once

#include <string>
#include <vector>

#include "core/plan/plan.h"

namespace hw {

/// One thing wrong with a plan.
struct Violation {
  std::string message{};
  StayId a{};
  StayId b{};  ///< None unless it takes two.
};

/// Everything wrong with `plan`, at most `limit` findings: missing addresses (unless the plan says
/// it is partial), misaligned, negative or moved-pin offsets, offsets outside their region, a pool
/// other than the stay asked for, pairs that share memory and time, and a status that claims to
/// fit when it does not, and moves that bring nobody what it reads (`auditMoves`). Empty means
/// valid. Shares no code with any planner. O(n log n): a sweep over steps with an ordered set of
/// live address ranges. A schedule of more than kMaxStep + 1 steps is a finding by itself.
std::vector<Violation> validate(const Problem& problem, const Plan& plan, std::size_t limit = 100);

}  // namespace hw
