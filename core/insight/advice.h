#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/run/figures.h"
#include "core/run/run.h"

namespace hw {

/// One change of a run's configuration that makes its memory smaller, proved by carrying it out.
struct Advice {
  enum class Kind : std::uint8_t {
    order,       ///< Operators run in another order.
    alias,       ///< Other tensors share storage.
    allocator,   ///< Another method plans.
    alignment,   ///< Addresses are less aligned.
    outside,     ///< Graph inputs or outputs live outside of the arena.
    constraint,  ///< A planning problem has one constraint less: what that one costs.
  };
  Kind kind{};
  RunRequest request{};              ///< The base's own, changed.
  std::shared_ptr<const Run> run{};  ///< What `request` leads to: planned, checked and simulated.
  /// Footprints of all pools together, the base's less this run's. Negative where the base is no
  /// whole plan, and this one is.
  Bytes saved{};
  std::string without{};  ///< The constraint that is left out, in words.
  Bytes outside{};        ///< Of `saved`: what the caller has to provide room for instead.
  bool makesFit = false;  ///< The base does not fit, this does.

  Bytes net() const { return saved - outside; }
};

/// "order", "alias", "allocator", "alignment", "outside", "constraint".
std::string_view adviceKindName(Advice::Kind kind);

struct AdviceReport {
  std::shared_ptr<const Run> base{};
  std::vector<Advice> found{};  ///< What makes it fit first, then by net saving, largest first.
  std::size_t tried = 0;        ///< Changes that were planned and simulated.
  std::size_t candidates = 0;   ///< Changes that looked worth it.
  bool stopped = false;         ///< Someone wanted to stop: `found` is what was proved by then.
};

struct AdviceOptions {
  /// Seconds that a method that searches may take where the run itself sets no limit.
  double searchSeconds = 1;
  /// Also other orders and sharing, which shrink() tries too.
  bool programs = true;
};

/// Changes that would make the memory of `base` smaller: the order of least peak, other sharing
/// rules, methods, alignments. Every candidate is planned and simulated with the base's own
/// configuration but for the one change, of a planning problem also without one constraint or
/// another, its plan is checked, and only what helps is told; of the
/// methods the best that plans at once, and the best that searches where that is better still.
/// Deterministic unless a time limit cuts a search short. Costs about `tried` runs; stops between
/// and inside them.
AdviceReport advise(const std::shared_ptr<const Run>& base, const AdviceOptions& options,
                    const RunContext& context);

/// Sum of the footprints of all pools.
Bytes footprintOf(const Run& run);

}  // namespace hw
