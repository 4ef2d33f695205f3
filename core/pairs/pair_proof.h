#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/pairs/pair_bound.h"
#include "core/pairs/pair_model.h"

namespace hw {

/// The end of a proof over pairs.
enum class PairStatus {
  optimal,     ///< The offsets are proved best.
  infeasible,  ///< No plan keeps the hard pairs apart within the capacity: proved.
  stopped,     ///< The limits were reached: the bound holds, and the offsets, if any, are a plan.
};

/// Findings about the least peak.
struct PeakProof {
  PairStatus status = PairStatus::stopped;
  std::vector<Bytes> offsets{};  ///< By block; empty if there is no plan, or none was found.
  Bytes peak{};                  ///< Of these offsets.
  Bytes bound{};                 ///< No plan has a lower peak.
  PairShortage shortage{};       ///< Where infeasible; no members: by trying all that matter.
  std::int64_t nodes = 0;
};

/// Findings about the least sum of penalties within the capacity.
struct PenaltyProof {
  PairStatus status = PairStatus::stopped;
  std::vector<Bytes> offsets{};  ///< By block; empty if there is no plan, or none was found.
  std::int64_t cost = 0;         ///< Of these offsets.
  std::int64_t bound = 0;        ///< No plan costs less.
  PairShortage shortage{};       ///< Where infeasible; no members: by trying all that matter.
  std::int64_t nodes = 0;
};

/// The least peak of plans that keep all conflicting pairs apart, whatever penalties they pay:
/// from the heaviest clique upwards, where packPairs decides whether a height suffices, and with
/// what budget is left from the best plan downwards. Blocks that no pair links are looked at on
/// their own. `start`, where not empty, is a plan to be better than: an invalid one is not used.
/// Without a capacity plans end at or below kMaxBytes. Fixed offsets are multiples of the alignment
/// of their block, or there is no plan. Time grows exponentially with the blocks at worst.
PeakProof provePeak(const PairModel& model, const std::vector<Bytes>& start,
                    const PairLimits& limits, const std::function<bool()>& stopped = {});

/// The least sum of penalties of plans within the capacity that keep all conflicting pairs apart.
/// The same holds for `start`, blocks that no pair links and fixed offsets. For each set of linked
/// blocks: quick plans; whether nothing need be paid; whether there is a plan at all; then
/// leastCostByDolls, or leastCostByPayments where blocks have very many places. Costs are positive;
/// if their sum leaves 62 bits, nothing is proved.
PenaltyProof proveLeastPenalty(const PairModel& model, const std::vector<Bytes>& start,
                               const PairLimits& limits, const std::function<bool()>& stopped = {});

}  // namespace hw
