#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/plan/plan.h"
#include "core/solver/placer.h"
#include "core/solver/search_use.h"

namespace hw {

struct OrderSearchOptions {
  FitRule rule = FitRule::first;
  std::int64_t tries = 99'999;       ///< Orders tried at most.
  std::int64_t stuck = 500;          ///< Tries since the last gain at most.
  std::optional<double> deadline{};  ///< By `clock`; nothing: no limit.
  Clock clock{};
  bool anneal = false;  ///< Sometimes accepts a worse order, ever less often.
  std::uint64_t seed = 1;
  std::function<bool()> stopped{};
};

struct OrderSearchResult {
  /// By stay; those of other pools are 0. Empty: it was stopped before any order was placed.
  IdMap<StayId, Bytes> offsets{};
  std::vector<StayId> order{};  ///< The best order: `placeInOrder` gives `offsets` again.
  Bytes start{};                ///< Peak of the first order.
  Bytes peak{};
  std::int64_t tries = 0;
  bool stopped = false;
};

/// Improves an order of the stays of one pool by swaps: a stay at the top of memory, its neighbours
/// in time and whoever they rest on are the candidates, for no other swap can lower the peak. Stops
/// at `lowerBound`. Pins are placed first. The way of Vela's hill climb and TVM's annealing.
OrderSearchResult searchOrders(const Problem& problem, PoolId pool, std::vector<StayId> order,
                               const OrderSearchOptions& options);

}  // namespace hw
