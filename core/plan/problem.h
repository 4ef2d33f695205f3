#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/id.h"
#include "core/base/interval.h"
#include "core/base/quantity.h"
#include "core/plan/constraints.h"

namespace hw {

/// One buffer's wish to live in one pool for a while: a rectangle, `size` high and `steps` wide,
/// whose bottom edge is not yet known. An ordinary buffer has one stay; a spilled or cross-device
/// one has several.
struct Stay {
  BufferId buffer{};
  Interval<Step> steps{};         ///< Half-open: live at steps.begin, gone at steps.end. Not empty.
  Bytes size{};                   ///< Positive; already rounded up where the pool asks for it.
  Bytes alignment{1};             ///< Of the offset; positive.
  std::optional<Bytes> pinned{};  ///< The offset, if something outside the planner fixed it.
  /// The pool that residency chose. None: an online allocator may pick one, in pool order; an
  /// offline one takes the first.
  PoolId pool{};
  /// Orders releases that fall on the same step; equal ranks go by id. Changes the story only.
  std::uint32_t releaseRank = 0;
  /// Holds a graph output, or a weight for the whole run: no release at its end is told.
  bool outlives = false;
  /// Holds an output of an inference: its bytes are there until it ends.
  bool handedOut = false;
  /// Is there from its first step on though nobody writes or loads it: the input of an inference
  /// behind another.
  bool given = false;
};

/// Steps inside a stay in which its bytes are not needed: others may use them meanwhile, and it
/// comes back to the same address.
struct Gap {
  StayId stay{};
  Interval<Step> steps{};
};

/// The op at the first step of `stay` may write it over `over`, an input that dies in that op. The
/// two may share that one step, if they begin at the same address and `stay` is not the larger.
struct Overlay {
  StayId over{};
  StayId stay{};
  friend constexpr auto operator<=>(const Overlay&, const Overlay&) = default;
};

/// Two stays that may share bytes while both are there, if they begin far enough apart. At another
/// address, what is not read yet would be written over. docs/less.md, "overlap".
///
///     forwards     under      |...read.....still needed......|
///                  over    |....written....|                      begins `up` or more below
///
/// The op at the last step of `under`, which is the first of `over`, writes `over` while it reads
/// `under` row by row: they share that one step. Or both are there in parts, whose lives are known,
/// as those of operators that run in parts: they share several steps.
struct Overlap {
  StayId under{};  ///< Is there first, and ends first or with the other.
  StayId over{};
  /// The least distance below `under` at which it begins, for a kernel that runs from the first row
  /// to the last, or for parts. Not negative; nothing: there is no such kernel.
  std::optional<Bytes> up{};
  /// The same above, for a kernel that runs from the last row to the first, or for parts.
  std::optional<Bytes> down{};
  bool parts = false;  ///< Whatever the kernels do: no byte is needed of both at once.
  friend constexpr auto operator<=>(const Overlap&, const Overlap&) = default;
};

/// The least distance between two stays that are live together: one begins at least `below` bytes
/// below the other, or at least `above` bytes above it.
struct Apart {
  Bytes below{};
  Bytes above{};
};

/// A whole buffer goes from one of its stays to another, as a step of the program: residency
/// decides it before anything has an address. Where it opens a stay, that stay begins at its step;
/// where not, the stay is written again.
///
/// A move to a pool that is nearer (a load) or of another device (a copy) comes before the op of
/// its step; one to a pool further away (a store) after it. `from` none: from the far pool, where
/// it lies without an address (a weight, an external input). `to` none: to the far pool, without
/// one (an external output). One of the two is a stay. Moves of weights have a buffer of their own,
/// whose root is the constant.
struct Move {
  BufferId buffer{};
  StayId from{};
  StayId to{};
  Step step{};
  friend constexpr auto operator<=>(const Move&, const Move&) = default;
};

/// Which stays the op of one step touches: for methods that follow the data flow.
struct StepUses {
  Step step{};
  std::vector<StayId> reads{};  ///< Distinct, in operand order.
  std::vector<StayId>
      writes{};  ///< Distinct, in output order; a stay may be written by several ops.
};

/// A pool as planners see it.
struct ProblemPool {
  std::string name{};
  std::optional<Bytes> capacity{};  ///< What may be planned; nothing: unbounded.
  std::size_t level = 0;            ///< How many pools of its device are nearer to the units.
  /// Bytes that no stay may touch. Ascending and disjoint.
  std::vector<Interval<Bytes>> reserved{};
};

/// The task of an allocator: give every stay an address.
///
/// Views and concat/split have already been folded into buffers (core/storage) and placement on
/// memories into stays (core/residency). An allocator never hears about tensors or operators.
struct Problem {
  IdMap<StayId, Stay> stays{};
  IdMap<PoolId, ProblemPool> pools{};  ///< At least one, in order of preference; at most 255.
  std::vector<Gap> gaps{};             ///< Ascending by stay, then step; disjoint, inside the stay.
  /// Ascending by step; empty when the ops are not known (a problem from a file): see `usesOf`.
  std::vector<StepUses> uses{};
  /// Permissions to work in place, not orders. Ascending by stay; `over` has the lower
  /// id.
  std::vector<Overlay> overlays{};
  /// Permissions to share bytes while both are there. Ascending by `over`; a stay is in one of them
  /// as `over`, and in one as `under`, at most; where the two begin with one step, `under` has the
  /// lower id. Those that share several steps have no gaps.
  std::vector<Overlap> overlaps{};
  /// Ascending by step; none where every buffer stays where it is.
  std::vector<Move> moves{};
  /// Rules about who else may share bytes, who may not, and the price of it.
  Constraints constraints{};
  /// True if the pools are those of a file, whatever the machine.
  bool ownPools = false;
  Step steps{};  ///< Length of the schedule: every stay ends at or before it.

  /// The pool an allocator that does not choose pools uses for `stay`.
  PoolId poolOf(StayId stay) const { return stays[stay].pool ? stays[stay].pool : PoolId(0); }

  /// The stays that `stay` may be written over. O(log overlays).
  std::span<const Overlay> overlaysOf(StayId stay) const;

  /// The overlap of `over`, which says with what it may share bytes while it is written; null:
  /// none. O(log overlaps).
  const Overlap* overlapOf(StayId over) const;

  /// The steps in which both of an overlap are there.
  Interval<Step> shared(const Overlap& overlap) const {
    return {stays[overlap.over].steps.begin, stays[overlap.under].steps.end};
  }

  /// The least distance from the `under` of an overlap to its `over`: at most what separate bytes
  /// would need, and less where the permission says so.
  Apart apart(const Overlap& overlap) const;

  /// The gaps of one stay. O(log gaps).
  std::vector<Interval<Step>> gapsOf(StayId stay) const;

  /// The steps of `stay` without its gaps, in order; at least one interval.
  std::vector<Interval<Step>> liveSteps(StayId stay) const;
};

/// The least common multiple of all alignments: what a base address must be a multiple of so that
/// every aligned offset from it stays aligned. Nothing above 1 TiB; 1 for no stays.
std::optional<Bytes> commonAlignment(const Problem& problem);

/// The stays that each step touches: `problem.uses`, and where there are moves, those that they
/// touch and those that end. When nothing is known, the least that the lifetimes tell: a stay is
/// written where it begins and read at its last step.
std::vector<StepUses> usesOf(const Problem& problem);

/// True if a move goes to a pool further away, and so comes after the op of its step.
bool isStore(const Problem& problem, const Move& move);

}  // namespace hw
