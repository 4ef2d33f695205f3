#pragma once

#include <optional>
#include <vector>

#include "core/base/id.h"
#include "core/base/interval.h"
#include "core/base/quantity.h"
#include "core/plan/problem.h"
#include "core/storage/aliasing.h"

namespace hw {

/// An operand of an op as residency sees it: a planned buffer that the op touches.
struct OperandUse {
  BufferId buffer{};
  Bytes read{};         ///< Moved by the op if the buffer lies in the far pool.
  Bytes written{};      ///< The same.
  bool needs = false;   ///< What the buffer held has to be there: it is read, or added to.
  bool writes = false;  ///< It holds something new after the op.
};

struct UseStep {
  Step step{};
  std::vector<OperandUse> operands{};  ///< Reads in operand order, each once, then mere writes.
};

/// A buffer between two neighbouring pools, a near one and a far one.
struct LevelBuffer {
  Bytes size{};               ///< Of its place in the near pool; positive.
  Bytes moved{};              ///< By a load or a store, which carry all of it.
  bool startsFar = false;     ///< Lies in the far pool before the first step.
  bool endsFar = false;       ///< Has to lie there after the last one.
  bool mayStartNear = false;  ///< What starts far may lie in the near pool instead,
  bool mayEndNear = false;    ///< and what ends far may, if there is room: see `keepEndsNear`.
  Step begin{};               ///< From then on it is there, if it starts far.
  std::optional<Step> end{};  ///< Until then, if it ends far; none: to the end of the run.
};

/// The buffers that each step touches, in order: all that choosing between two pools takes. A
/// buffer is first touched by a write, unless it starts far.
struct LevelProgram {
  IdMap<BufferId, LevelBuffer> buffers{};
  std::vector<UseStep> steps{};  ///< Ascending.
  Step length{};                 ///< All steps of the run, those that touch nothing included.
};

/// A buffer in the near pool for a while. It comes there by a load at its first step, is written
/// there by the op of that step, or is there as the run begins.
struct NearStay {
  BufferId buffer{};
  Interval<Step> steps{};
  bool loaded = false;
  std::optional<Step> stored{};  ///< The step after whose op it is stored; none: never.
  bool given = false;            ///< It is there as the run, or its inference, begins,
  bool outlives = false;         ///< and there as that ends, instead of in the far pool.
  friend auto operator<=>(const NearStay&, const NearStay&) = default;
};

/// The stays in the near pool. An operand that is not there is used in place in the far pool.
struct NearStays {
  std::vector<NearStay> stays{};  ///< By buffer, then step.
  Bytes farTraffic{};             ///< What loads, stores and uses in place move at the far pool.
  Bytes atLeast{};  ///< No choice of stays under the same budget moves less; 0: not known.
};

/// The future of an operand, each moment named by its position in the program.
struct UseAhead {
  static constexpr std::size_t kNever = static_cast<std::size_t>(-1);
  std::size_t next = kNever;  ///< The step that touches the buffer next.
  std::size_t need = kNever;  ///< The same, if what it holds after this step is needed there.
  bool kept = false;  ///< Somebody needs what it holds after this step, or the far pool does.
};

/// Of every operand of every step, in their order. O(operands).
std::vector<std::vector<UseAhead>> usesAhead(const LevelProgram& program);

/// The bytes that `stays` and the uses outside of them move at the far pool. O(n log n).
Bytes farTraffic(const LevelProgram& program, const std::vector<NearStay>& stays);

/// The choices for an operand.
enum class UseChoice : std::uint8_t {
  place,  ///< Used in place in the far pool.
  near,   ///< Near for this op, and not after it.
  hold,   ///< Near from this op to the next that touches it, that one included.
};

/// The stays that such choices come to: one choice for each operand of each step.
NearStays staysOf(const LevelProgram& program, const std::vector<std::vector<UseChoice>>& choices);

/// The demands of a graph on its pools: a step for every op that moves bytes. Graph inputs start
/// far, graph outputs end far. `problem` has the planned sizes, a stay for each buffer, of the same
/// number.
LevelProgram levelProgram(const Graph& graph, const Schedule& schedule, const Storage& storage,
                          const Problem& problem);

/// The same between the far pool and the one behind it, once `stays` are near: loads read, stores
/// write, and what is used in place is used there. O(n log n).
LevelProgram levelBehind(const LevelProgram& program, const std::vector<NearStay>& stays);

/// Says so of all that starts far (`inputs`) and all that ends far (`outputs`).
void allowNearEnds(LevelProgram& program, bool inputs, bool outputs);

/// Lets buffers that may be near as the run begins, or ends, be so where `budget` leaves room: the
/// first stay of one that begins with a load begins with the run instead, and is stored where it is
/// needed again behind; the last one lasts to the end instead of being stored. Not for what ops
/// write into an input. `near` is an answer for `program` within that budget, and stays one; what
/// it knows of others is dropped when it moves less than they may. O(n log n).
void keepEndsNear(const LevelProgram& program, Bytes budget, NearStays& near);

}  // namespace hw
