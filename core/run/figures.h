#pragma once

#include <optional>
#include <vector>

#include "core/run/run.h"

namespace hw {

/// The figures of a run by which planners are compared. Every table, file and view
/// that compares runs shows these, and each is defined here and nowhere else.
struct RunFigures {
  /// Everything that was to be planned has a place. The optional figures below need that: a part of
  /// a plan is smaller than the whole, which says nothing for it.
  bool whole = false;
  bool fits = false;  ///< That, and within the capacities.

  Bytes peakL2{};  ///< Sum of the footprints of the first pool of every device: bytes to reserve.
  Bytes peakL3{};  ///< The same of all other pools.
  Bytes lowerBound{};  ///< Most bytes of what this run plans that are live at one step, all pools.

  /// Bytes of graph inputs that were asked for but that the method leaves to the caller. A peak
  /// without them cannot be held against one with them.
  Bytes inputsOutside{};

  /// peak / lower bound - 1, at least 0; 0 is the best there can be.
  std::optional<double> gap{};

  /// 1 - largest hole / all holes, in [0, 1], of the step at which most bytes are live (the first
  /// of several). Holes are free bytes below the highest live byte; 0 without holes. Of the first
  /// pool that holds anything: L2, or L3 when nothing lives in L2.
  std::optional<double> fragmentationAtPeak{};

  /// The same ratio, its mean over the steps at which something is live in that pool.
  std::optional<double> fragmentation{};

  /// Bytes placed on addresses that had a tenant before / all bytes placed, in [0, 1): 0 when
  /// nothing is reused.
  std::optional<double> reuse{};

  /// Sum of the sizes of what lives outside the first pool of its device, bytes.
  std::optional<Bytes> spilled{};

  /// From the start of the first activity to the end of the last one on the platform. Nothing where
  /// no operators are known: of a planning problem, and of a plan whose file does not name them.
  std::optional<SimTime> latency{};

  /// The lower bound for all plans of the same order of operators. Nothing where there is no
  /// latency, like the next three.
  std::optional<SimTime> latencyBound{};

  /// The time that reused bytes make the critical path wait beyond all else.
  std::optional<SimTime> reuseWaits{};

  /// Picojoules of all that memories move.
  std::optional<double> energy{};

  /// Bytes read and written by all pools of the platform while the model runs once, weights and
  /// what bursts add included.
  std::optional<Bytes> moved{};

  /// Wall time of the planner alone, residency included; seconds.
  double planSeconds = 0;

  /// Bytes to reserve in all pools together.
  Bytes peak() const { return peakL2 + peakL3; }
};

RunFigures figuresOf(const Run& run);

/// The pace of inferences that run one behind the other (`RunRequest::batches`).
struct BatchFigures {
  std::vector<SimTime> ends{};  ///< Of each, of all that its operators compute, store and copy.
  /// From one end to the next, once they follow each other evenly: the mean over the later half.
  SimTime interval{};

  /// Inferences a second at that pace; 0 where they take no time.
  double perSecond() const;
};
/// Nothing for a run of one inference, or one that was not simulated.
std::optional<BatchFigures> batchFiguresOf(const Run& run);

/// The bytes that the platform keeps of a pool, above those that may be planned; 0 where the
/// request gave the pool another size.
Bytes reservedBytes(const Run& run, PoolId pool);

}  // namespace hw
