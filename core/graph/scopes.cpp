#include "core/graph/scopes.h"

#include <algorithm>

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

std::vector<NamedScope> scopesOf(const std::vector<std::string_view>& names) {
  const OpRange all{0, names.size()};
  for (int depth = 1; depth <= kDeepest && names.size() > 3; ++depth) {
    const auto pieces = cutWhere(all, names.size() / 2, [&](std::size_t op) {
      return scopeOf(names[op], depth) == scopeOf(names[op - 1], depth);
    });
    if (pieces.empty()) return {};
    if (std::ranges::max(pieces, {}, &OpRange::size).size() * 2 > names.size()) continue;
    std::vector<NamedScope> scopes;
    for (const OpRange& piece : pieces) {
      scopes.push_back({piece, std::string(scopeOf(names[piece.first], depth))});
    }
    return scopes;
  }
  return {};
}

}  // namespace hw
