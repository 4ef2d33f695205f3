#pragma once

#include <functional>
#include <vector>

#include "core/plan/plan.h"
#include "core/solver/neighbours.h"

namespace hw {

/// Which place an offline planner takes among the gaps that its neighbours in time leave.
enum class FitRule : std::uint8_t {
  first,    ///< The lowest gap that is large enough.
  best,     ///< The tightest gap, the lowest of equals.
  stacked,  ///< Above the highest neighbour: gaps are not used.
};

/// Puts stays of one pool somewhere one after the other, each against those placed before. What all
/// offline planners share; they differ in the order and the rule.
class Placer {
 public:
  Placer(const Problem& problem, PoolId pool);

  /// Counts a stay as placed at `offset`, as pins are.
  void fix(StayId stay, Bytes offset);

  /// Places `stay` and returns its offset. O((k + 1) log n) for k neighbours already placed.
  Bytes place(StayId stay, FitRule rule);

  /// The neighbours `place` looked at last, in address order, and which of them ended where the
  /// stay now begins.
  struct Other {
    Interval<Bytes> bytes{};
    StayId stay{};
    friend auto operator<=>(const Other&, const Other&) = default;
  };
  const std::vector<Other>& others() const { return others_; }

  /// The stays of the pool, by begin.
  const std::vector<StayId>& stays() const { return neighbours_.stays(); }
  Bytes offsetOf(StayId stay) const { return offsets_[stay.index()]; }
  Bytes peak() const { return peak_; }

  /// Forgets every placement.
  void clear();

 private:
  const Problem& problem_;
  Neighbours neighbours_;
  std::vector<Bytes> offsets_;  ///< By stay.
  std::vector<StayId> together_;
  std::vector<Other> others_;
  Bytes peak_;
};

/// Places every unpinned stay of `pool` in `order` after the pinned ones; stays whose pool is
/// another are not in the order. Returns false when `stopped` says so (asked now and then).
bool placeInOrder(Placer& placer, const Problem& problem, const std::vector<StayId>& order,
                  FitRule rule, const std::function<bool()>& stopped);

}  // namespace hw
