#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <string>

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/schedule/schedule.h"
#include "core/storage/aliasing.h"

namespace hw {

/// The graph that runs `ops` of `graph`, which respect its data: every op at least once, some
/// again. A reader reads what was made last before it. What runs again, and what it makes, is
/// called as the first is, and "again", "again 2", …; the `tiling` says which is which. Those that
/// run again have to be repeatable (`isRepeatable`).
Result<Graph> repeatedGraph(std::shared_ptr<const Graph> graph, std::span<const OpId> ops);

/// The bytes saved and the work added by rematerialization.
struct RecomputeAccount {
  Bytes whole{};            ///< Most bytes live at once, each op running once.
  Bytes peak{};             ///< The same with repeats.
  std::size_t ops = 0;      ///< That run again.
  std::size_t repeats = 0;  ///< Repeats of all ops together.
  /// Of all ops, each running once: multiplications, and of ops without any the elements that they
  /// touch.
  std::int64_t work = 0;
  std::int64_t extra = 0;  ///< The work that repeats add.
  /// The reason why nothing runs again, in a sentence; empty where something does.
  std::string whyNot{};
};

struct RecomputedProgram {
  std::shared_ptr<const Graph> graph{};
  Schedule schedule{};
  RecomputeAccount account{};
};

/// The program in which tensors that wait over the step with the most bytes live are dropped, and
/// made again before they are read next, where that leaves fewer bytes live; the one that came,
/// where nothing does. An op is repeated with those before it as far as what it reads is gone by
/// then. All repeats together do at most `extraWork` times the work of the program more.
///
/// Its ops are in the order of `schedule`, each repeat directly before the op that reads what it
/// makes first. The `tiling` of the graph says which op of `graph` each one is. Found by descent:
/// of all single repeats the best is taken, again and again, then those that did not matter are
/// dropped. Deterministic. `stop`: what is found by then.
Result<RecomputedProgram> recomputed(std::shared_ptr<const Graph> graph, Schedule schedule,
                                     const StorageOptions& options, double extraWork,
                                     const std::stop_token& stop = {});

/// "3 operators run again, 4 times in all: at most 1,024 bytes are live at once, not 2,048; 0.8 %
/// more work is done".
std::string recomputeText(const RecomputeAccount& account);

/// "made 2 times: by 'up' at step 0, by 'up again' at step 4", of a tensor that is made more than
/// once; empty for all others.
std::string repeatText(const Graph& graph, TensorId tensor);

/// The same op with the same inputs makes the same outputs, always: nothing is drawn at random, no
/// variable is touched, and no body runs.
bool isRepeatable(const Graph& graph, OpId op);

}  // namespace hw
