#pragma once

#include <array>
#include <chrono>

#include "core/allocators/offline.h"
#include "core/solver/exact/exact.h"
#include "core/solver/fast/fast_search.h"
#include "core/solver/orders.h"

namespace hw {

/// A search for the least latency looks at so many stays where the exact one makes a placement.
inline constexpr std::int64_t kLooksOfANode = 3'000;

using Order = std::vector<StayId> (*)(const Problem&, PoolId);
struct NamedOrder {
  std::string_view name;
  Order order;
};
inline constexpr std::array<NamedOrder, 8> kOrders{{{"size", sizeOrder},
                                                    {"size, length", sizeLengthOrder},
                                                    {"length, size", lengthSizeOrder},
                                                    {"area", areaOrder},
                                                    {"breadth", breadthOrder},
                                                    {"urgency", urgencyOrder},
                                                    {"conflicts", conflictOrder},
                                                    {"production", productionOrder}}};

/// The budget that parameters of `best` set; without any, the default.
SearchBudget bestBudget(const Params& params);

/// The search for one pool: every way there is, the quick ones first, each starting from the best
/// plan so far, until one meets the bound or the budget is spent.
class PoolSearch {
 public:
  PoolSearch(const Problem& problem, PoolId pool, const PlanContext& context,
             const SearchBudget& budget);
  PoolSearch(const PoolSearch&) = delete;  // Its searches refer to it.
  PoolSearch& operator=(const PoolSearch&) = delete;

  /// False when stopped before there was any plan.
  bool run();
  /// The same by moves and nodes alone: what time is left after them is not used.
  bool runOnce();
  /// True if nothing is to be placed there.
  bool empty() const { return rectangles_.count() == 0; }
  void addUse(SearchUse& use) const;
  /// Adds the addresses, and how they were found.
  void write(Plan& plan) const;
  /// An offset for every stay of the pool, by stay.
  IdMap<StayId, Bytes> offsets() const;
  PlanStatus status() const;

 private:
  double seconds() const;
  bool late() const;
  bool stopped() const { return context_.stop.stop_requested(); }
  /// True if nothing better is possible, or allowed.
  bool done() const { return (planned_ && peak_ <= bound_) || stopped() || late(); }
  bool fits() const;
  /// False where less than usual is allowed, or a planning that runs more than once shares its
  /// budget out: that is kept as it is.
  bool mayGrow() const;
  void note();
  const std::string& poolName() const { return problem_.pools[pool_].name; }
  void improve(Bytes peak, std::string_view winner);
  /// 0: no limit.
  double secondsLeft() const;
  void runSkyline(std::int64_t moves, std::uint64_t seed);
  void runCoreFirst();
  /// `offsets` are by position in the rectangles.
  void take(const std::vector<Bytes>& offsets);
  void runBeam();
  void repackWindows(Bytes near, std::uint64_t seed);
  /// Greedy placement knows gaps, which the skyline does not use.
  void runGreedy();
  void runClimb();
  /// Starts from the plan there is. With a capacity, it is enough to fit.
  void runExact(std::int64_t nodes, std::size_t mostStays);
  void runOn();
  /// Tells of the exact search while it runs.
  void follow(const ExactProgress& now, std::int64_t before);

  const Problem& problem_;
  PoolId pool_;
  const PlanContext& context_;
  SearchBudget budget_;
  Rectangles rectangles_;
  std::chrono::steady_clock::time_point start_;
  bool planned_ = false;
  IdMap<StayId, Bytes> offsets_;
  Bytes peak_;
  Bytes bound_;
  std::string winner_;
  std::int64_t moves_ = 0;
  std::int64_t nodes_ = 0;
  std::vector<ExactProgress> history_;
  std::optional<FastSearch> skyline_;  ///< The last one, which may go on,
  std::uint64_t skylineSeed_ = 0;      ///< with its seed.
  std::int64_t beforeSkyline_ = 0;     ///< `moves_` without its own.
};

}  // namespace hw
