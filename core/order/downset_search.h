#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/order/downset_walk.h"

namespace hw {

/// The effort that a search may spend.
struct OrderEffort {
  std::int64_t visits = 0;  ///< Ops looked at, run or taken back; counts down.
  std::int64_t states = 0;  ///< Downsets that were looked behind; counts up.
};

/// An order and its peak in a problem.
struct JudgedOrder {
  std::vector<OpId> order{};
  Bytes peak{};   ///< Most bytes live at one step.
  Bytes bound{};  ///< No order has fewer: `peak`, where the search came to its end.
};

/// The order of least peak, or the best that was found with that effort; `given` where none is
/// better than that, and as much of it as is no worse.
///
/// Best first over downsets, the sets of ops that may have run, by the least peak on the way there:
/// the first complete one is the best. Ops comparable with all others cut the problem into parts
/// that do not touch each other; each part has a bound from what must be live during each of its
/// ops whatever the order; what can only help runs at once (`DownsetWalk::settle`); and beams say
/// beforehand what there is to beat. Where effort ends, the least of what is left is the bound.
JudgedOrder searchOrder(const OrderProblem& problem, const Precedence& precedence,
                        const std::vector<OpId>& given, OrderEffort& effort,
                        const std::stop_token& stop);

/// Most bytes that `problem` has live at one step of `order`.
Bytes peakOf(const OrderProblem& problem, const std::vector<OpId>& order);

/// `order` cut behind every op that is comparable with all others: what is in one part has to run
/// before all that is in the next, in any order. O(n + m).
std::vector<std::vector<OpId>> independentParts(const Precedence& precedence,
                                                const std::vector<OpId>& order);

/// Most bytes that must be live during one of `ops`, whatever their order: what ops before have
/// made, or it itself, and it or ops behind still need. `start` is where the part begins.
Bytes unavoidable(const OrderProblem& problem, const Precedence& precedence,
                  const std::vector<OpId>& ops, const LiveWalk& start);

}  // namespace hw
