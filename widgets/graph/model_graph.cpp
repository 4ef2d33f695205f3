#include "widgets/graph/model_graph.h"

#include <algorithm>
#include <map>

#include "core/base/text.h"
#include "widgets/text/run_text.h"
#include "widgets/text/text.h"

namespace hw {
namespace {

/// With more inputs, or outputs, than this, all of them are drawn as one box.
constexpr std::size_t kMostTerminals = 24;

/// The scope that all ops of a range have in common; else its first op and its last.
QString groupName(const Run& run, const OpRange& range) {
  const std::string& first = run.graph().ops[OpId(range.first)].name;
  std::size_t common = first.size();
  for (std::size_t op = range.first + 1; op < range.last && common > 0; ++op) {
    const std::string& name = run.graph().ops[OpId(op)].name;
    const auto [a, b] = std::mismatch(first.begin(), first.end(), name.begin(), name.end());
    common = std::min(common, static_cast<std::size_t>(a - first.begin()));
  }
  const auto scope = first.find_last_of("/.", common == 0 ? 0 : common - 1);
  if (common > 1 && scope != std::string::npos && scope > 0) {
    return QString::fromStdString(printable(first.substr(0, scope)));
  }
  return tr("%1 \u2026 %2")
      .arg(opNameText(run, OpId(range.first)), opNameText(run, OpId(range.last - 1)));
}

class Builder {
 public:
  explicit Builder(const Run& run) : run_(run), nodeOf_(run.graph().ops.size()) {}

  ModelGraph build(const std::vector<OpRange>& ranges) {
    addTerminals(GraphNode::Kind::input, run_.graph().inputs);
    for (const OpRange& range : ranges) addOps(range);
    addTerminals(GraphNode::Kind::output, run_.graph().outputs);
    addEdges();
    return std::move(graph_);
  }

 private:
  void addTerminals(GraphNode::Kind kind, std::vector<TensorId> tensors) {
    std::ranges::sort(tensors);
    const auto [first, last] = std::ranges::unique(tensors);
    tensors.erase(first, last);
    std::erase_if(tensors, [&](TensorId id) { return run_.graph().tensors[id].constant; });
    const bool input = kind == GraphNode::Kind::input;
    const QString title = input ? tr("input") : tr("output");
    if (tensors.size() > kMostTerminals) {
      const QString many = input ? tr("%1 inputs") : tr("%1 outputs");
      addTerminal({kind, {}, tensors, many.arg(grouped(tensors.size())), {}});
      return;
    }
    for (const TensorId tensor : tensors) {
      addTerminal({kind, {}, {tensor}, title, tensorText(run_, tensor)});
    }
  }

  void addTerminal(GraphNode node) {
    auto& places = node.kind == GraphNode::Kind::input ? inputs_ : outputs_;
    for (const TensorId tensor : node.tensors) places[tensor] = next();
    graph_.nodes.push_back(std::move(node));
  }

  void addOps(const OpRange& range) {
    for (std::size_t op = range.first; op < range.last; ++op) nodeOf_[OpId(op)] = next();
    GraphNode node{.ops = range};
    if (range.size() == 1) {
      const OpId op(range.first);
      node.title = QString::fromStdString(printable(run_.graph().ops[op].type));
      node.detail = opNameText(run_, op);
    } else {
      node.kind = GraphNode::Kind::group;
      node.title = tr("%1 ops").arg(grouped(range.size()));
      node.detail = groupName(run_, range);
    }
    graph_.nodes.push_back(std::move(node));
  }

  void addEdges() {
    const Graph& graph = run_.graph();
    for (const OpId op : graph.ops.keys()) {
      for (const TensorId tensor : graph.reads(op)) connect(tensor, nodeOf_[op]);
    }
    for (const auto& [tensor, node] : outputs_) connect(tensor, node);
    for (auto& [ends, tensors] : flows_) {
      std::ranges::sort(tensors);
      const auto [first, last] = std::ranges::unique(tensors);
      tensors.erase(first, last);
      graph_.edges.push_back({ends.first, ends.second, std::move(tensors)});
    }
  }

  void connect(TensorId tensor, std::uint32_t to) {
    const Tensor& value = run_.graph().tensors[tensor];
    if (value.constant) return;
    std::uint32_t from = 0;
    if (value.producer) {
      from = nodeOf_[value.producer];
    } else if (const auto input = inputs_.find(tensor); input != inputs_.end()) {
      from = input->second;
    } else {
      return;
    }
    if (from < to) flows_[{from, to}].push_back(tensor);
  }

  std::uint32_t next() const { return static_cast<std::uint32_t>(graph_.nodes.size()); }

  const Run& run_;
  ModelGraph graph_;
  IdMap<OpId, std::uint32_t> nodeOf_;
  std::map<TensorId, std::uint32_t> inputs_, outputs_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<TensorId>> flows_;
};

}  // namespace

std::optional<std::uint32_t> ModelGraph::nodeOf(OpId op) const {
  // Nodes are sorted by op, but for those of inputs before them and of outputs after them.
  const auto isOp = [](const GraphNode& node) { return node.ops.size() > 0; };
  const auto first = std::ranges::find_if(nodes, isOp);
  const auto last = std::find_if_not(first, nodes.end(), isOp);
  const auto after = std::upper_bound(
      first, last, op.index(),
      [](std::size_t wanted, const GraphNode& node) { return wanted < node.ops.last; });
  if (after == last || op.index() < after->ops.first) return {};
  return static_cast<std::uint32_t>(after - nodes.begin());
}

ModelGraph modelGraph(const Run& run, const std::vector<OpRange>& ranges) {
  return Builder(run).build(ranges);
}

}  // namespace hw
