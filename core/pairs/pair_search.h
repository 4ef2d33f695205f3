#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/pairs/pair_model.h"

namespace hw {

/// A better plan was found.
struct PairSample {
  double seconds = 0;      ///< Since the start.
  std::int64_t nodes = 0;  ///< Until then.
  Bytes peak{};
  std::int64_t cost = 0;  ///< As that of a `PairPlan`.
  bool fits = false;
};

/// Settings of a search over a `PairModel`. It ends at the bound, when a limit is reached, or
/// when it is stopped; without limits only for the other two reasons. A first plan is always
/// finished.
struct PairOptions {
  PairLimits limits{};
  Bytes peakBound{};           ///< No plan has a lower peak: where `searchLowestPeak` ends.
  std::int64_t costBound = 0;  ///< No plan that fits costs less: where `searchLeastPenalty` ends.
  std::function<bool()> stopped{};  ///< Asked now and then.
  std::function<void(const PairSample&)>
      improved{};  ///< Called with each better plan than the start.
};

/// The best plan that a search found.
struct PairPlan {
  /// By block. Empty when there is none: fixed blocks are in the way of each other or reserved, or
  /// no plan was found that ends below `kMaxBytes`.
  std::vector<Bytes> offsets{};
  Bytes peak{};            ///< The highest end of a block.
  std::int64_t cost = 0;   ///< Sum of the penalties that are paid, at most 2^63 - 1.
  bool fits = false;       ///< Within the capacity.
  bool stopped = false;    ///< Asked to.
  std::int64_t nodes = 0;  ///< Placements looked at.
};

/// The sum of the penalties that a plan pays, at most 2^63 - 1.
std::int64_t pairCost(const PairModel& model, const std::vector<Bytes>& offsets);

/// The highest end of a block.
Bytes pairPeak(const PairModel& model, const std::vector<Bytes>& offsets);

/// A plan of low peak, whatever its penalties and whether it fits. Blocks are placed in several
/// orders by several rules; each plan settles: all of it moves up below its peak, then down again,
/// block by block in the order of their places, which never makes it higher (iterated greedy of
/// Culberson 1992, for colours with sizes). Then lower peaks are tried: what ends above is taken
/// out and put back in where least is in the way, which is taken out in turn. Blocks that were in
/// the way often become dear (ejection chains with counters, as Nagata and Bräysy 2009 for routes).
/// Where pairs are apart exactly where they share no bytes, all others slide apart for a block as
/// far as the peak allows (`PairSlider`); else they stay where they are.
/// The same for the same seed and nodes, unless seconds are limited.
PairPlan searchLowestPeak(const PairModel& model, const PairOptions& options);

/// A plan within the capacity that pays few penalties, from `start` on if that fits, or else from
/// one that `searchLowestPeak` finds. Where that finds none that fits, its plan. A large
/// neighbourhood search (Shaw 1998) under simulated annealing: a few blocks that have to do with
/// each other are taken out and put back in, each at the cheapest place. A short
/// anneal comes before the long one, so that there is a good plan early; without limits each is
/// twice as long as the one before.
/// The same for the same seed and nodes, unless seconds are limited.
PairPlan searchLeastPenalty(const PairModel& model, const std::vector<Bytes>& start,
                            const PairOptions& options);

}  // namespace hw
