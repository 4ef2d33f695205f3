#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"

namespace hw {

// Facts that a plan of some tool lacks. They stand in the graph that was made of it,
// so that whatever shows the plan can say so, in the same words everywhere.

/// The note for it: "not said in the file: names, operators".
std::string unknownNote(const std::vector<std::string>& parts);
/// That note among those of `graph`; empty where there is none: it is of no such plan, or one that
/// says everything.
std::string_view unknownNote(const Graph& graph);

/// True if it is known what the operators of `graph` are. Steps of a plan whose file names none
/// are no operators: nobody knows how long they take.
bool namesOperators(const Graph& graph);

/// Notes that nobody knows when the output of `maker` at `place` is needed: its steps are a guess.
/// Places ascend.
void markUnknownLife(Op& maker, std::size_t place);
/// True if that was noted of `tensor`. O(log outputs of its maker).
bool isLifeUnknown(const Graph& graph, TensorId tensor);

}  // namespace hw
