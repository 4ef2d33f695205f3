#include "widgets/graph/model_graph.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/graph/counterparts.h"
#include "core/graph/tiling.h"
#include "widgets/text/run_text.h"
#include "widgets/text/text.h"

namespace hw {

OpGroups::OpGroups(const Graph* graph, bool grouped)
    : graph_(graph), whole_(!grouped && graph->ops.size() <= kMostNodes) {
  // Groups of ops that could all be drawn are an overview: no more than fit a screen.
  if (grouped && graph->ops.size() <= kMostNodes) {
    most_ = std::clamp<std::size_t>(graph->ops.size() / 4, 2, 60);
  }
}

const std::vector<OpRange>& OpGroups::pieces(OpRange range) const {
  const auto [at, isNew] = pieces_.try_emplace(range);
  if (isNew) at->second = divideOps(*graph_, range, most_);
  return at->second;
}

void OpGroups::add(OpRange range, std::vector<OpRange>& ranges) const {
  if (!open_.contains(range)) {
    ranges.push_back(range);
    return;
  }
  for (const OpRange& piece : pieces(range)) add(piece, ranges);
}

std::vector<OpRange> OpGroups::ranges() const {
  std::vector<OpRange> ranges;
  if (!graph_ || graph_->ops.empty()) return ranges;
  const OpRange all{0, graph_->ops.size()};
  if (whole_) return divideOps(*graph_, all, all.size());
  for (const OpRange& piece : pieces(all)) add(piece, ranges);
  return ranges;
}

bool OpGroups::expand(OpRange range) {
  const auto before = ranges();
  if (range.size() < 2 || std::ranges::find(before, range) == before.end()) return false;
  if (before.size() + pieces(range).size() - 1 > kMostNodes) return false;
  open_.insert(range);
  return true;
}

bool OpGroups::collapse(OpRange range) {
  OpRange innermost;
  for (const OpRange& open : open_) {
    const bool around = open.contains(range) && open != range;
    if (around && (innermost.size() == 0 || open.size() < innermost.size())) innermost = open;
  }
  if (innermost.size() == 0) return false;
  std::erase_if(open_, [&](const OpRange& open) { return innermost.contains(open); });
  return true;
}

void OpGroups::reveal(OpId op) {
  const OpRange wanted{op.index(), op.index() + 1};
  while (true) {
    const auto now = ranges();
    const auto around = std::ranges::find_if(
        now, [&](const OpRange& range) { return range.contains(wanted) && range.size() > 1; });
    if (around == now.end() || !expand(*around)) return;
  }
}

namespace {

/// With more inputs, or outputs, than this, all of them are drawn as one box.
constexpr std::size_t kMostTerminals = 24;

QString drawnName(const Graph& graph, OpId op) {
  return QString::fromStdString(printable(displayName(graph, op)));
}

/// The scope that all ops of a range have in common; else its first op and its last.
QString groupName(const Graph& graph, const OpRange& range) {
  const std::string& first = graph.ops[OpId(range.first)].name;
  std::size_t common = first.size();
  for (std::size_t op = range.first + 1; op < range.last && common > 0; ++op) {
    const std::string& name = graph.ops[OpId(op)].name;
    const auto [a, b] = std::mismatch(first.begin(), first.end(), name.begin(), name.end());
    common = std::min(common, static_cast<std::size_t>(a - first.begin()));
  }
  const auto scope = first.find_last_of("/.", common == 0 ? 0 : common - 1);
  if (common > 1 && scope != std::string::npos && scope > 0) {
    return QString::fromStdString(printable(first.substr(0, scope)));
  }
  return tr("%1 \u2026 %2")
      .arg(drawnName(graph, OpId(range.first)), drawnName(graph, OpId(range.last - 1)));
}

class Builder {
 public:
  Builder(const Run& run, const std::set<OpId>& unfolded)
      : graph_(run.graph()),
        drawn_(wholeGraph(graph_)),
        up_(graph_, drawn_),
        down_(drawn_, graph_),
        readInParts_(wasReadInParts(graph_)),
        unfolded_(unfolded) {
    model_.places.resize(graph_.ops.size());
  }

  ModelGraph build(const std::vector<OpRange>& ranges) {
    addTerminals(GraphNode::Kind::input, drawn_.inputs);
    for (const OpRange& range : ranges) addOps(range);
    addTerminals(GraphNode::Kind::output, drawn_.outputs);
    addEdges();
    return std::move(model_);
  }

 private:
  /// `tensors` are of the drawn graph.
  void addTerminals(GraphNode::Kind kind, std::vector<TensorId> tensors) {
    std::ranges::sort(tensors);
    tensors.erase(std::unique(tensors.begin(), tensors.end()), tensors.end());
    std::erase_if(tensors, [&](TensorId id) { return drawn_.tensors[id].constant; });
    const bool input = kind == GraphNode::Kind::input;
    if (tensors.size() > kMostTerminals) {
      const QString many = input ? tr("%1 inputs") : tr("%1 outputs");
      return addTerminal(kind, tensors, many.arg(grouped(tensors.size())), {});
    }
    for (const TensorId tensor : tensors) {
      addTerminal(kind, {tensor}, input ? tr("input") : tr("output"),
                  QString::fromStdString(printable(displayName(drawn_, tensor))));
    }
  }

  void addTerminal(GraphNode::Kind kind, const std::vector<TensorId>& tensors, const QString& title,
                   const QString& detail) {
    GraphNode node{.kind = kind, .title = title, .detail = detail};
    auto& places = kind == GraphNode::Kind::input ? inputs_ : outputs_;
    for (const TensorId tensor : tensors) {
      places[tensor] = next();
      if (const TensorId own = down_.tensor(tensor)) node.tensors.push_back(own);
    }
    model_.nodes.push_back(std::move(node));
  }

  void addOps(const OpRange& range) {
    GraphNode node{.ops = range};
    for (std::size_t op = range.first; op < range.last; ++op) {
      for (const OpId own : down_.ops(OpId(op))) node.runs.push_back(own);
    }
    const OpId only(range.first);
    if (range.size() > 1) {
      node.inside = range.size();
      node.kind = GraphNode::Kind::group;
      node.title = tr("%1 ops").arg(grouped(range.size()));
      node.detail = groupName(drawn_, range);
    } else {
      node.title = QString::fromStdString(printable(drawn_.ops[only].type));
      node.detail = drawnName(drawn_, only);
      node.inside = static_cast<std::size_t>(
          std::ranges::count_if(node.runs, [&](OpId run) { return ends(run); }));
      if (unfolded_.contains(only) && opens(node)) return addParts(node);
      if (opens(node)) {
        node.title = tr("%1 in %2 parts").arg(node.title, grouped(node.inside));
      }
    }
    addNode(std::move(node));
  }

  /// True unless it only reads: a part that writes over what it reads takes a second step for that.
  bool ends(OpId part) const { return !graph_.ops[part].outputs.empty(); }

  void addParts(const GraphNode& whole) {
    GraphNode node{.kind = GraphNode::Kind::part, .ops = whole.ops, .title = whole.title};
    for (const OpId part : whole.runs) {
      node.runs.push_back(part);
      if (!ends(part)) continue;
      node.detail = drawnPart(part);
      addNode(node);
      node.runs.clear();
    }
  }

  /// Parts that were read all have the name of their operator, so they are named by their rows.
  QString drawnPart(OpId part) const {
    if (!readInParts_) return drawnName(graph_, part);
    const TensorId made = graph_.ops[part].outputs.front();
    return QString::fromStdString(printable(displayName(graph_, made)));
  }

  void addNode(GraphNode node) {
    for (const OpId op : node.runs) model_.places[op.index()] = next();
    model_.nodes.push_back(std::move(node));
  }

  void addEdges() {
    for (const OpId op : graph_.ops.keys()) {
      const auto to = model_.places[op.index()];
      if (!to) continue;
      for (const TensorId tensor : graph_.reads(op)) {
        if (isInput(tensor, op)) connect(tensor, *to);
      }
    }
    if (readInParts_) connectWholes();
    for (const auto& [tensor, node] : outputs_) {
      if (const TensorId own = down_.tensor(tensor)) connect(own, node);
    }
    for (auto& [ends, tensors] : flows_) {
      std::ranges::sort(tensors);
      tensors.erase(std::unique(tensors.begin(), tensors.end()), tensors.end());
      model_.edges.push_back({ends.first, ends.second, std::move(tensors)});
    }
  }

  /// False for rows that lie in a view of a part without being its input: other operators left them
  /// there, and their values do not matter.
  bool isInput(TensorId tensor, OpId op) const {
    if (!readInParts_) return true;
    const auto& inputs = drawn_.ops[wholeOp(graph_, op)].inputs;
    return std::ranges::find(inputs, wholeTensor(graph_, tensor)) != inputs.end();
  }

  /// Of a plan that was read a buffer has its last reader only; the whole operators have all.
  void connectWholes() {
    for (const OpId op : drawn_.ops.keys()) {
      const auto to = boxOf(op);
      if (!to) continue;
      for (const TensorId input : drawn_.ops[op].inputs) {
        const TensorId piece = down_.tensor(input);
        const OpId producer = drawn_.tensors[input].producer;
        const auto from = producer ? boxOf(producer) : terminalOf(input);
        if (piece && from && *from < *to) flows_[{*from, *to}].push_back(piece);
      }
    }
  }

  /// The box of an op of the drawn graph; nothing where each of its parts has one.
  std::optional<std::uint32_t> boxOf(OpId op) const {
    const auto runs = down_.ops(op);
    const auto box = runs.empty() ? std::nullopt : model_.places[runs.front().index()];
    const bool isPart = box && model_.nodes[*box].kind == GraphNode::Kind::part;
    return isPart ? std::nullopt : box;
  }

  std::optional<std::uint32_t> terminalOf(TensorId input) const {
    const auto found = inputs_.find(input);
    return found == inputs_.end() ? std::nullopt : std::optional(found->second);
  }

  void connect(TensorId tensor, std::uint32_t to) {
    if (graph_.tensors[tensor].constant) return;
    for (const std::uint32_t from : sourcesOf(tensor)) {
      if (from < to) flows_[{from, to}].push_back(tensor);
    }
  }

  /// The nodes that a tensor comes from: of pieces seen as a whole, or a whole seen as pieces,
  /// those that made them.
  const std::vector<std::uint32_t>& sourcesOf(TensorId tensor) {
    const OpId producer = graph_.tensors[tensor].producer;
    if (!producer) return arrivalOf(tensor);
    const auto [at, isNew] = sources_.try_emplace(producer);
    if (!isNew) return at->second;
    std::vector<std::uint32_t> found;
    if (const auto place = model_.places[producer.index()]) {
      found.push_back(*place);
    } else if (!graph_.ops[producer].inputs.empty()) {  // One that was added hands it on.
      for (const TensorId input : graph_.ops[producer].inputs) {
        const auto& from = sourcesOf(input);
        found.insert(found.end(), from.begin(), from.end());
      }
      std::ranges::sort(found);
      found.erase(std::unique(found.begin(), found.end()), found.end());
    } else {
      found = arrivalOf(tensor);
    }
    return sources_[producer] = std::move(found);
  }

  const std::vector<std::uint32_t>& arrivalOf(TensorId tensor) {
    const TensorId whole = up_.tensor(tensor);
    const auto [at, isNew] = arrivals_.try_emplace(whole);
    if (const auto input = inputs_.find(whole); isNew && input != inputs_.end()) {
      at->second = {input->second};
    }
    return at->second;
  }

  std::uint32_t next() const { return static_cast<std::uint32_t>(model_.nodes.size()); }

  const Graph& graph_;
  const Graph& drawn_;
  Counterparts up_;    ///< From the run's graph to the drawn one.
  Counterparts down_;  ///< Back.
  bool readInParts_;
  const std::set<OpId>& unfolded_;
  ModelGraph model_;
  std::map<TensorId, std::uint32_t> inputs_, outputs_;  ///< By tensor of the drawn graph.
  std::map<OpId, std::vector<std::uint32_t>> sources_;
  std::map<TensorId, std::vector<std::uint32_t>> arrivals_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<TensorId>> flows_;
};

}  // namespace

std::optional<std::uint32_t> ModelGraph::nodeOf(OpId op) const {
  return op && op.index() < places.size() ? places[op.index()] : std::nullopt;
}

ModelGraph modelGraph(const Run& run, const std::vector<OpRange>& ranges,
                      const std::set<OpId>& unfolded) {
  return Builder(run, unfolded).build(ranges);
}

}  // namespace hw
