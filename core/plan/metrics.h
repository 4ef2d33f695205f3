#pragma once

#include <vector>

#include "core/plan/plan.h"

namespace hw {

/// A quantity that changes at some steps and holds in between: never drawn as a slope.
struct StepFunction {
  struct Piece {
    Step from{};
    Bytes value{};
    friend bool operator==(const Piece&, const Piece&) = default;
  };
  std::vector<Piece> pieces{};  ///< Ascending; the value is 0 before the first.

  Bytes at(Step step) const;
  /// The greatest value; 0 when there are no pieces.
  Bytes max() const;
  /// The first step at which `max` is reached.
  Step argMax() const;
};

/// Bytes live at each step, over the stays of one pool (a stay without a pool counts for pool 0).
StepFunction liveBytes(const Problem& problem, PoolId pool);

/// The same over all stays, whatever their pool.
StepFunction liveBytes(const Problem& problem);

/// Of that, what is live at `step`, without the rest. O(stays).
Bytes liveBytesAt(const Problem& problem, Step step);

/// The largest sum of live sizes over all steps: no plan of these stays can be smaller. Without
/// aliasing this is the lower bound of docs/methods.md. What may be written over an input takes no
/// bytes in that step; what may overlap one, the fewest that it can add to it. O(n log n).
Bytes lowerBound(const Problem& problem, PoolId pool);
Bytes lowerBound(const Problem& problem);
/// The same with the first step at which that many bytes are live.
StepFunction::Piece mostLive(const Problem& problem);

/// Free bytes below the highest byte taken that a step leaves unused: live + kept + holes = top.
struct Fragmentation {
  Step step{};
  Bytes live{};
  Bytes kept{};         ///< Of no live stay, but in a block that is taken as a whole.
  Bytes top{};          ///< One past the highest byte that is live or kept.
  Bytes holes{};        ///< Free: anybody could have them.
  Bytes largestHole{};  ///< Of the holes below `top`.

  /// 1 - largest hole / all holes; 0 without holes.
  double ratio() const;
};

/// The figures of a plan in one pool.
struct PoolMetrics {
  PoolId pool{};
  Bytes peak{};        ///< The footprint, one past the highest address: what must be reserved.
  Bytes lowerBound{};  ///< Of the stays the plan put there.
  Bytes sum{};         ///< Of all sizes there: the footprint without reuse.
  Bytes peakLive{};    ///< Most bytes live at one step.
  Step peakStep{};     ///< The first step at which that is so.
  Fragmentation atPeak{};
  /// The step that makes the pool as large as it is: where live bytes reach highest, of equals the
  /// one with most bytes live, then the first.
  Fragmentation atTop{};
  double averageFragmentation = 0;  ///< Of `ratio`, over the steps with something live.
  Bytes largestHole{};              ///< At any step.
  std::size_t stays = 0;

  /// peak / peakLive - 1: how much less could do for what is there; 0 when nothing is.
  double gap() const;
};

struct PlanMetrics {
  IdMap<PoolId, PoolMetrics> pools{};
  Bytes lowerBound{};  ///< Over all pools together: the most bytes live at one step.
  Step lowerBoundStep{};
  double reuse = 0;    ///< Share of the bytes placed on addresses that had another tenant before.
  double gap() const;  ///< Sum of peaks / lower bound - 1.
  /// All pools as if they were one: what adds up, and the most bytes live in all together. Of no
  /// pool, and without what only one memory has: holes.
  PoolMetrics total() const;
};

PlanMetrics measure(const Problem& problem, const Plan& plan);

}  // namespace hw
