#include "widgets/graph/op_groups.h"

#include <algorithm>
#include <string_view>

namespace hw {
namespace {

constexpr int kDeepest = 16;

/// The first `depth` scopes of a name, its last part apart: "a/b" of "a/b/conv" at depth 2 or more.
std::string_view scopeOf(std::string_view name, int depth) {
  const auto leaf = name.find_last_of("/.");
  if (leaf == std::string_view::npos) return {};
  std::size_t end = 0;
  for (int i = 0; i < depth && end < leaf; ++i) {
    end = std::min(name.find_first_of("/.", end == 0 ? 1 : end + 1), leaf);
  }
  return name.substr(0, end);
}

template <class Together>
std::vector<OpRange> cutWhere(OpRange range, std::size_t most, const Together& together) {
  std::vector<OpRange> pieces{{range.first, range.first + 1}};
  for (std::size_t op = range.first + 1; op < range.last; ++op) {
    if (together(op)) {
      pieces.back().last = op + 1;
    } else {
      if (pieces.size() == most) return {};
      pieces.push_back({op, op + 1});
    }
  }
  return pieces;
}

/// Empty when no depth gives between two and `most` pieces.
std::vector<OpRange> cutByScope(const Graph& graph, OpRange range, std::size_t most) {
  std::vector<OpRange> best;
  for (int depth = 1; depth <= kDeepest; ++depth) {
    const auto pieces = cutWhere(range, most, [&](std::size_t op) {
      return scopeOf(graph.ops[OpId(op)].name, depth) ==
             scopeOf(graph.ops[OpId(op - 1)].name, depth);
    });
    if (pieces.empty()) break;
    if (pieces.size() > std::max<std::size_t>(1, best.size())) best = pieces;
  }
  return best;
}

/// True when all that `op` computes goes to the op after it, which reads nothing else of others.
bool feedsNextAlone(const Graph& graph, OpId op) {
  const OpId next(op.index() + 1);
  for (const TensorId output : graph.ops[op].outputs) {
    if (!output) continue;
    const Tensor& tensor = graph.tensors[output];
    if (tensor.graphOutput || tensor.consumers != std::vector{next}) return false;
  }
  return std::ranges::all_of(graph.reads(next), [&](TensorId read) {
    return graph.tensors[read].constant || graph.tensors[read].producer == op;
  });
}

std::vector<OpRange> cutEvenly(OpRange range, std::size_t most) {
  std::vector<OpRange> pieces;
  const std::size_t length = (range.size() + most - 1) / most;
  for (std::size_t first = range.first; first < range.last; first += length) {
    pieces.push_back({first, std::min(first + length, range.last)});
  }
  return pieces;
}

}  // namespace

std::vector<OpRange> divideOps(const Graph& graph, OpRange range, std::size_t most) {
  if (range.size() <= most) return cutEvenly(range, std::max<std::size_t>(1, range.size()));
  auto pieces = cutByScope(graph, range, most);
  if (pieces.size() > 1) return pieces;
  pieces =
      cutWhere(range, most, [&](std::size_t op) { return feedsNextAlone(graph, OpId(op - 1)); });
  return pieces.size() > 1 ? pieces : cutEvenly(range, most);
}

OpGroups::OpGroups(const Graph* graph, bool grouped)
    : graph_(graph), whole_(!grouped && graph->ops.size() <= kMostNodes) {
  // Who asks for groups though all ops could be drawn wants an overview: no more than fit a screen.
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
  if (whole_) return cutEvenly(all, all.size());
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

}  // namespace hw
