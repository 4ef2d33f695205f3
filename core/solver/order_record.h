#pragma once

#include <functional>

#include "core/plan/method_record.h"
#include "core/plan/plan.h"
#include "core/solver/placer.h"

namespace hw {

/// Of lists of what is still to come; the others are named when it is their turn.
inline constexpr std::size_t kMostQueued = 20'000;

/// The place of a stay when it was its turn, and the reason.
struct DecidedPlace {
  Bytes offset{};
  Decision decision{};
};

/// The record of a method that places stays one after the other: the stays still to be placed, the
/// places that each chose from, the stays placed, and the peak so far. `place` is asked for
/// every stay of `order` in turn but those that are pinned; they lie where they are told to from
/// the start. `orderName` says what order it is. Stays beyond what a record holds are left out.
MethodRecord placingRecord(const std::string& method, const Problem& problem, PoolId pool,
                           const std::vector<StayId>& order, std::string_view orderName,
                           const std::function<DecidedPlace(StayId)>& place);

/// The same of `placeInOrder`, which is followed once more on a fresh placer.
MethodRecord orderRecord(const std::string& method, const Problem& problem, PoolId pool,
                         const std::vector<StayId>& order, const OrderRule& rule);

/// Adds one to `plan` for each pool that something lies in, in the order that `orderOf(pool)` is.
template <class OrderOf>
void recordOrders(const std::string& method, const Problem& problem, Plan& plan,
                  const OrderOf& orderOf, const OrderRule& rule) {
  for (const PoolId pool : problem.pools.keys()) {
    const std::vector<StayId> order = orderOf(pool);
    if (order.empty()) continue;
    plan.records.push_back(orderRecord(method, problem, pool, order, rule));
  }
}

}  // namespace hw
