#pragma once

#include <cstdint>
#include <vector>

#include "core/pairs/pair_field.h"

namespace hw {

/// The least cost that a search over offsets found and proved.
struct PairDolls {
  bool complete = false;                ///< The search came to its end: `cost` is the least.
  bool feasible = false;                ///< There is a plan; `offsets` and `cost` are of it.
  std::vector<std::int64_t> offsets{};  ///< By block.
  std::int64_t cost = 0;
  std::int64_t bound = 0;  ///< No plan costs less, complete or not.
};

/// The blocks that are placed last, and so solved first.
enum class DollOrder {
  entangled,   ///< Those with the most edges among them.
  largeFirst,  ///< The same among blocks of alike sizes, but small ones behind large ones.
};

struct DollOptions {
  DollOrder order = DollOrder::entangled;
  std::int64_t bound = 0;  ///< No plan costs less: known beforehand.
  bool priced = false;     ///< Each small problem is bounded by leastCostByCuts before its search.
};

/// The least sum of costs within the capacity, each block at one of its `places` (ascending; all of
/// a field that matter come from touchingOffsets). Russian doll search: the problem of the last
/// block is solved, then that of the last two, and so on; what each of them costs bounds the part
/// of the next that is not placed yet (Verfaillie, Lemaitre and Schiex 1996), beside what each open
/// block has to pay to those placed. `start` may be empty, or a plan to be better than. The sum of
/// costs, times one more than there are blocks, is less than 2^62.
PairDolls leastCostByDolls(const PairField& field,
                           const std::vector<std::vector<std::int64_t>>& places,
                           const std::vector<std::int64_t>& start, const DollOptions& options,
                           PairBudget& budget);

}  // namespace hw
