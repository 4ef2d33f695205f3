#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/base/text.h"
#include "core/import/tflite/reader.h"

// How TfliteReader opens the subgraphs that operators call.

namespace hw {
namespace {

/// All bytes that a subgraph's tensors would take, none shared: what branches are compared by.
double volume(const TfliteShapes& shapes) {
  double bytes = 0;
  for (const TfliteKnown& known : shapes.tensors) {
    const auto count = known.shape ? elementCount(*known.shape) : std::nullopt;
    if (count) bytes += static_cast<double>(*count) * tfliteBits(known.type);
  }
  return bytes;
}

std::vector<bool> madeIn(const TfliteSubgraph& graph) {
  std::vector<bool> made(graph.tensors.size());
  for (const TfliteOp& op : graph.ops) {
    for (const std::int32_t output : op.outputs) {
      if (output >= 0 && static_cast<std::size_t>(output) < made.size()) {
        made[static_cast<std::size_t>(output)] = true;
      }
    }
  }
  return made;
}

bool allExist(const std::vector<std::int32_t>& list, const TfliteSubgraph& graph) {
  return std::ranges::all_of(list, [&](std::int32_t tensor) {
    return tensor >= 0 && static_cast<std::size_t>(tensor) < graph.tensors.size();
  });
}

}  // namespace

/// A callee that takes or gives other than the operator does makes no sense: it stays closed, and
/// so does one whose shapes were not worked out, since it lies too deep or calls itself.
bool TfliteReader::opens(const Level& level, std::size_t index) const {
  const auto shapes = level.shapes->calls.find(index);
  if (closed_ || shapes == level.shapes->calls.end()) return false;
  const TfliteOp& op = level.graph.ops[index];
  const auto calls = tfliteCalls(op, file_);
  const bool branches = op.is(TfliteOpCode::branch);
  const bool loops = !branches && calls.size() == 2;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const TfliteSubgraph& callee = file_.subgraph(calls[i]);
    const std::size_t outputs = loops && i == 0 ? 1 : op.outputs.size();
    if (callee.inputs.size() + (branches ? 1 : 0) != op.inputs.size()) return false;
    if (callee.outputs.size() != outputs) return false;
    if (!allExist(callee.inputs, callee) || !allExist(callee.outputs, callee)) return false;
  }
  return !loops || op.inputs.size() == op.outputs.size();
}

TfliteReader::Level TfliteReader::innerLevel(const Level& level, std::size_t index,
                                             std::size_t call) {
  const TfliteOp& op = level.graph.ops[index];
  const std::size_t subgraph = tfliteCalls(op, file_)[call];
  Level inner = enter(subgraph, level.shapes->calls.at(index)[call]);
  const std::string& name = inner.graph.name;
  const std::string base =
      level.prefix + (name.empty() ? fmt::format("subgraph_{}", subgraph) : name);
  inner.prefix = base + "/";
  for (int number = 2; !prefixes_.insert(inner.prefix).second; ++number) {
    inner.prefix = fmt::format("{}_{}/", base, number);
  }
  inner.where = fmt::format("{}.operator[{}] > {}", level.where, index, inner.where);
  inner.depth = level.depth + 1;
  return inner;
}

Result<void> TfliteReader::openCall(Level& level, std::size_t index, GraphBuilder::OpParts parts) {
  const TfliteOp& op = level.graph.ops[index];
  std::size_t call = 0;
  if (op.is(TfliteOpCode::branch)) {
    const auto& branches = level.shapes->calls.at(index);
    call = volume(*branches[1]) > volume(*branches[0]) ? 1 : 0;
    guesses_.push_back(fmt::format(
        "the condition of {} is not known ahead of time: its larger branch is shown", parts.where));
    // The decision itself stays a step, so that the condition is kept until then.
    GraphBuilder::OpParts decision{.op = opOf(level, op), .where = parts.where};
    decision.op.attributes["turns"] = std::int64_t{1};  // What it runs stands beside it.
    decision.inputs = {parts.inputs[0]};
    builder_.addOp(std::move(decision));
    parts.inputs.erase(parts.inputs.begin());
  }
  Level inner = innerLevel(level, index, call);
  for (std::size_t i = 0; i < inner.graph.inputs.size(); ++i) {
    inner.handles[static_cast<std::size_t>(inner.graph.inputs[i])] = parts.inputs[i];
  }
  // What the callee makes is what the call hands out; what it only passes on takes a copy.
  const std::vector<bool> made = madeIn(inner.graph);
  std::vector<std::size_t> copied;
  for (std::size_t i = 0; i < inner.graph.outputs.size(); ++i) {
    const auto output = static_cast<std::size_t>(inner.graph.outputs[i]);
    if (parts.outputs[i] == GraphBuilder::kAbsent) continue;
    if (made[output] && inner.handles[output] == GraphBuilder::kAbsent) {
      inner.handles[output] = parts.outputs[i];
    } else {
      copied.push_back(i);
    }
  }
  HW_DO(addTensors(inner));
  HW_DO(addOps(inner));
  for (const std::size_t i : copied) {
    GraphBuilder::OpParts copy{.op = {.type = "Identity"}, .where = parts.where};
    copy.inputs = {inner.handles[static_cast<std::size_t>(inner.graph.outputs[i])]};
    copy.outputs = {parts.outputs[i]};
    builder_.addOp(std::move(copy));
  }
  return {};
}

Result<void> TfliteReader::openLoop(Level& level, std::size_t index, GraphBuilder::OpParts parts) {
  const TfliteOp& op = level.graph.ops[index];
  guesses_.push_back(fmt::format(
      "how often {} runs is not known ahead of time: one turn is counted", parts.where));
  Level condition = innerLevel(level, index, 0);
  Level body = innerLevel(level, index, 1);

  GraphBuilder::OpParts begin{.op = opOf(level, op), .where = parts.where};
  begin.op.attributes["turns"] = std::int64_t{1};
  begin.inputs = parts.inputs;
  for (std::size_t i = 0; i < body.graph.inputs.size(); ++i) {
    const auto input = static_cast<std::size_t>(body.graph.inputs[i]);
    if (body.handles[input] != GraphBuilder::kAbsent) continue;  // It is an input twice.
    body.made[input] = true;
    body.handles[input] = addTensor(body, input, false);
    begin.outputs.push_back(body.handles[input]);
  }
  for (std::size_t i = 0; i < condition.graph.inputs.size(); ++i) {
    condition.handles[static_cast<std::size_t>(condition.graph.inputs[i])] =
        body.handles[static_cast<std::size_t>(body.graph.inputs[i])];
  }
  builder_.addOp(std::move(begin));
  for (Level* part : {&condition, &body}) {
    HW_DO(addTensors(*part));
    HW_DO(addOps(*part));
  }
  GraphBuilder::OpParts end{.op = {.type = op.type() + "_END", .domain = "tflite"},
                            .where = parts.where};
  end.inputs = {condition.handles[static_cast<std::size_t>(condition.graph.outputs[0])]};
  for (const std::int32_t output : body.graph.outputs) {
    end.inputs.push_back(body.handles[static_cast<std::size_t>(output)]);
  }
  end.outputs = std::move(parts.outputs);
  builder_.addOp(std::move(end));
  return {};
}

}  // namespace hw
