#pragma once

#include <vector>

#include "core/base/interval.h"
#include "core/graph/graph.h"

namespace hw {

/// In which order the ops run: step i runs `order[i]`. A permutation of the graph's ops that
/// respects every data dependence.
struct Schedule {
  std::vector<OpId> order{};
  IdMap<OpId, Step> stepOf{};

  Step steps() const { return Step(static_cast<std::int64_t>(order.size())); }
  OpId opAt(Step step) const { return order[static_cast<std::size_t>(step.count())]; }
};

/// The order the graph comes in.
Schedule givenOrder(const Graph& graph);

/// The steps of each inference of a graph (`batchesOf`), from that of its first op to that of its
/// last: all steps where there is one. A graph without ops counts as one step.
std::vector<Interval<Step>> batchSteps(const Graph& graph, const Schedule& schedule);

/// When a tensor is needed, half-open: [producing step, last reading step + 1). Graph inputs start
/// and graph outputs end with the steps of their inference, an unread tensor lives for its
/// producer's step. Indexed by tensor; constants, and the rings that pieces lie in, get an empty
/// interval.
IdMap<TensorId, Interval<Step>> lifetimes(const Graph& graph, const Schedule& schedule);

/// Which ops have to run before which: those that make what an op reads, captures included, and of
/// the ops that touch a persistent tensor (a variable, the state of a resource) those that came
/// first in the graph's own order.
struct Precedence {
  IdMap<OpId, std::vector<OpId>> before{};  ///< Directly before each op; ascending, each once.
  IdMap<OpId, std::vector<OpId>> after{};   ///< The same pairs from the other end.
};

/// O(n + m log m) for m operands.
Precedence precedenceOf(const Graph& graph);

/// True when `order` has every op once, and none before one that it has to come after.
bool respects(const std::vector<OpId>& order, const Precedence& precedence);

}  // namespace hw
