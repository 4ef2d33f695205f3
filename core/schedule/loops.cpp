#include "core/schedule/loops.h"

#include <string>

namespace hw {

std::vector<LoopTurns> loopTurns(const Graph& graph, const Schedule& schedule) {
  static const std::string turnsKey(kTurns);
  static const std::string operatorsKey(kOperatorsOfTurns);
  std::vector<LoopTurns> loops;
  const auto count = std::ssize(graph.ops);
  for (const OpId id : graph.ops.keys()) {
    if (graph.ops[id].attributes.empty()) continue;
    const std::int64_t turns = graph.ops[id].intAttribute(turnsKey, 0);
    const std::int64_t operators = graph.ops[id].intAttribute(operatorsKey, 0);
    const auto at = static_cast<std::int64_t>(id.index());
    if (turns < 2 || operators < turns || operators % turns != 0 || operators >= count - at) {
      continue;
    }
    const OpId last(id.index() + static_cast<std::size_t>(operators));
    if (!schedule.stepOf.contains(id) || !schedule.stepOf.contains(last)) continue;
    const Step begin = schedule.stepOf[id] + Step(1);
    const Step end = begin + Step(operators);
    if (schedule.stepOf[last] + Step(1) == end) loops.push_back({{begin, end}, turns});
  }
  return loops;
}

}  // namespace hw
