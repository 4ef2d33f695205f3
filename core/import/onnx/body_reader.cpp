#include <fmt/format.h>

#include <algorithm>

#include "core/import/onnx/graph_reader.h"
#include "core/import/onnx/scopes.h"
#include "core/import/onnx/values.h"

// How OnnxGraphReader opens control flow.

namespace hw {
namespace {

bool isWeight(const onnx::GraphProto& body, const std::string& name) {
  const auto isNamed = [&](const onnx::TensorProto& tensor) { return tensor.name() == name; };
  return std::ranges::any_of(body.initializer(), isNamed) ||
         std::ranges::any_of(body.sparse_initializer(),
                             [&](const auto& tensor) { return isNamed(tensor.values()); });
}

std::vector<std::string> outputNames(const onnx::GraphProto& body) {
  std::vector<std::string> names;
  for (const auto& output : body.output()) names.push_back(output.name());
  return names;
}

std::vector<std::string> namesFrom(const onnx::NodeProto& node, std::size_t first,
                                   std::size_t end) {
  std::vector<std::string> names;
  for (std::size_t i = first; i < end && i < static_cast<std::size_t>(node.output_size()); ++i) {
    names.push_back(node.output(static_cast<int>(i)));
  }
  return names;
}

/// How many outputs of a Loop or Scan are carried values; the others are stacked rows.
std::size_t carriedCount(const onnx::NodeProto& node) {
  const int inputs = node.input_size();
  if (specialOf(node) == Special::turns) return static_cast<std::size_t>(std::max(inputs - 2, 0));
  const std::int64_t scanned = importOp(node).intAttribute("num_scan_inputs", 0);
  return static_cast<std::size_t>(std::max<std::int64_t>(inputs - scanned, 0));
}

}  // namespace

bool OnnxGraphReader::opens(const onnx::NodeProto& node, const BodyRun* run) const {
  if (closed_ || run == nullptr || run->body == nullptr || !run->scope || run->turns < 1) {
    return false;
  }
  // A body that hands out less than the node promises makes no sense: the node stays closed.
  const bool isIf = specialOf(node) == Special::branch;
  const int more = specialOf(node) == Special::turns ? 1 : 0;
  const bool fits = run->body->output_size() == node.output_size() + more;
  return fits &&
         (isIf ? run->body->input_size() == 0 : run->body->input_size() == node.input_size());
}

std::string OnnxGraphReader::uniquePrefix(const Level& level, const onnx::NodeProto& node) {
  const std::string base = level.prefix + (node.name().empty() ? node.op_type() : node.name());
  std::string prefix = base + "/";
  for (int number = 2; !prefixes_.insert(prefix).second; ++number) {
    prefix = fmt::format("{}_{}/", base, number);
  }
  return prefix;
}

OnnxGraphReader::Level OnnxGraphReader::innerLevel(const Level& level, const onnx::NodeProto& node,
                                                   const BodyRun& run, const std::string& where) {
  noteGuess(node, run);
  return {.graph = *run.body,
          .scope = run.scope,
          .outer = &level,
          .prefix = uniquePrefix(level, node),
          .where = where + ".body",
          .turns = checkedMul(level.turns, run.turns).value_or(level.turns)};
}

void OnnxGraphReader::noteGuess(const onnx::NodeProto& node, const BodyRun& run) {
  if (run.isCertain) return;
  const bool isIf = specialOf(node) == Special::branch;
  std::string note =
      isIf ? fmt::format(
                 "the condition of {} '{}' is not known ahead of time: its larger branch "
                 "is shown",
                 node.op_type(), shownName(node))
           : fmt::format("how often {} '{}' runs is not known ahead of time: one turn is counted",
                         node.op_type(), shownName(node));
  guesses_.push_back(std::move(note));
}

Result<void> OnnxGraphReader::openBranch(Level& level, const onnx::NodeProto& node,
                                         const BodyRun& run, const std::string& where) {
  Level inner = innerLevel(level, node, run, where);
  // What the branch makes is what the If hands out; what it only passes on takes a copy.
  std::unordered_set<std::string> made;
  for (const auto& step : run.body->node()) made.insert(step.output().begin(), step.output().end());
  std::vector<int> copied;
  for (int i = 0; i < node.output_size(); ++i) {
    if (node.output(i).empty()) continue;
    const std::string& name = run.body->output(i).name();
    const bool isOwn = made.contains(name) && !isWeight(*run.body, name);
    const Handle outside = find(level, node.output(i));
    if (!isOwn || !inner.handles.emplace(name, outside).second) copied.push_back(i);
  }
  HW_DO(declare(inner));
  HW_DO(addNodes(inner));
  for (const int i : copied) {
    GraphBuilder::OpParts parts{.op = {.name = node.name(), .type = "Identity"}, .where = where};
    HW_TRY(result, handlesOf(inner, {run.body->output(i).name()}, node, where));
    parts.inputs = std::move(result);
    parts.outputs = {find(level, node.output(i))};
    HW_DO(addOp(level, std::move(parts)));
  }
  return {};
}

Result<void> OnnxGraphReader::openLoop(Level& level, const onnx::NodeProto& node,
                                       const BodyRun& run, const std::string& where) {
  const std::size_t carried = carriedCount(node);
  const auto outputs = static_cast<std::size_t>(node.output_size());
  Level inner = innerLevel(level, node, run, where);
  HW_DO(declare(inner));

  GraphBuilder::OpParts begin{.op = importOp(node), .where = where};
  HW_TRY(starts, handlesOf(level, {node.input().begin(), node.input().end()}, node, where));
  HW_TRY(captures, handlesOf(level, capturedNames(node), node, where));
  begin.inputs = std::move(starts);
  for (const auto& input : run.body->input()) begin.outputs.push_back(find(inner, input.name()));
  HW_TRY(rows, handlesOf(level, namesFrom(node, carried, outputs), node, where));
  begin.outputs.insert(begin.outputs.end(), rows.begin(), rows.end());
  begin.op.attributes["turns"] = inner.turns;
  HW_DO(addOp(level, std::move(begin)));
  HW_DO(addNodes(inner));

  GraphBuilder::OpParts end{.op = {.name = node.name(), .type = node.op_type() + "End"},
                            .where = where};
  HW_TRY(results, handlesOf(inner, outputNames(*run.body), node, where));
  HW_TRY(finals, handlesOf(level, namesFrom(node, 0, carried), node, where));
  end.inputs = std::move(results);
  end.outputs = std::move(finals);
  end.captures = std::move(captures);  // Read again in every turn.
  return addOp(level, std::move(end));
}

}  // namespace hw
