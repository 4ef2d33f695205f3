#include "core/graph/counterparts.h"

#include <algorithm>

#include "core/graph/tiling.h"

namespace hw {
namespace {

bool sameParts(const Graph& a, const Graph& b) {
  const auto samePart = [&](OpId op) {
    const Tiling::Part* one = partOf(a, op);
    const Tiling::Part* other = partOf(b, op);
    if (one == nullptr || other == nullptr) return one == other;
    return one->rows == other->rows && one->columns == other->columns && one->cell == other->cell;
  };
  const auto samePiece = [&](TensorId tensor) {
    const Tiling::Piece* one = pieceOf(a, tensor);
    const Tiling::Piece* other = pieceOf(b, tensor);
    if (one == nullptr || other == nullptr) return one == other;
    return one->of == other->of && one->begin == other->begin && one->host == other->host;
  };
  const auto sameOp = [&](OpId op) {
    return a.tiling->opOf[op] == b.tiling->opOf[op] && samePart(op) &&
           a.ops[op].inputs == b.ops[op].inputs && a.ops[op].outputs == b.ops[op].outputs;
  };
  const auto sameTensor = [&](TensorId tensor) {
    return a.tiling->wholeOf[tensor] == b.tiling->wholeOf[tensor] && samePiece(tensor);
  };
  return std::ranges::all_of(a.ops.keys(), sameOp) &&
         std::ranges::all_of(a.tensors.keys(), sameTensor);
}

bool sameProgram(const Graph& a, const Graph& b) {
  if (&a == &b) return true;
  return a.tiling && b.tiling && a.ops.size() == b.ops.size() &&
         a.tensors.size() == b.tensors.size() &&
         sameProgram(*a.tiling->original, *b.tiling->original) && sameParts(a, b);
}

/// The graph that `graph` was rewritten from, or that it was read as the parts of; null for others.
/// Each rewrite adds a step.
const Graph* originalOf(const Graph& graph) {
  if (graph.tiling) return graph.tiling->original.get();
  return graph.wholes ? &graph.wholes->graph : nullptr;
}

/// The last graph that both were made from, or are; null where there is none.
const Graph* commonOf(const Graph& a, const Graph& b) {
  for (const Graph* one = &a; one != nullptr; one = originalOf(*one)) {
    for (const Graph* other = &b; other != nullptr; other = originalOf(*other)) {
      if (one == other) return one;
    }
  }
  return nullptr;
}

/// The op of `ancestor` that one of `graph` is, or is a part of; none for those that were added.
OpId opIn(const Graph& ancestor, const Graph& graph, OpId op) {
  for (const Graph* at = &graph; op && at != &ancestor; at = originalOf(*at)) {
    op = (at->tiling ? at->tiling->opOf : at->wholes->opOf)[op];
  }
  return op;
}

/// The tensor of `ancestor` that one of `graph` is; none for pieces and rings.
TensorId tensorIn(const Graph& ancestor, const Graph& graph, TensorId tensor) {
  for (const Graph* at = &graph; tensor && at != &ancestor; at = originalOf(*at)) {
    tensor = (at->tiling ? at->tiling->wholeOf : at->wholes->tensorOf)[tensor];
  }
  return tensor;
}

/// The tensor of `ancestor` that a piece is a part of; pieces are never cut again.
TensorId pieceIn(const Graph& ancestor, const Graph& graph, const Tiling::Piece& piece) {
  return tensorIn(ancestor, *originalOf(graph), piece.of);
}

}  // namespace

const Graph& wholeGraph(const Graph& graph) {
  const Graph* whole = &graph;
  while (const Graph* before = originalOf(*whole)) whole = before;
  return *whole;
}

bool wasReadInParts(const Graph& graph) {
  const Graph* read = &graph;
  while (read->tiling) read = read->tiling->original.get();
  return read->wholes != nullptr;
}

OpId wholeOp(const Graph& graph, OpId op) { return opIn(wholeGraph(graph), graph, op); }

TensorId wholeTensor(const Graph& graph, TensorId tensor) {
  const Graph& whole = wholeGraph(graph);
  const Tiling::Piece* piece = pieceOf(graph, tensor);
  return piece != nullptr ? pieceIn(whole, graph, *piece) : tensorIn(whole, graph, tensor);
}

Counterparts::Counterparts(const Graph& from, const Graph& to) : from_(from), to_(to) {
  common_ = commonOf(from, to);
  same_ = related() && sameProgram(from, to);
  if (!related() || same_) return;
  indexFrom();
  indexTo();
}

void Counterparts::indexFrom() {
  if (&from_ == common_) return;
  ringOf_.resize(from_.tensors.size());
  for (const TensorId tensor : from_.tensors.keys()) {
    const Tiling::Piece* piece = pieceOf(from_, tensor);
    if (piece != nullptr && !ringOf_[piece->host]) {
      ringOf_[piece->host] = pieceIn(*common_, from_, *piece);
    }
  }
}

void Counterparts::indexTo() {
  if (&to_ == common_) return;
  partsIn_.resize(common_->ops.size());
  tensorIn_.resize(common_->tensors.size());
  for (const OpId op : to_.ops.keys()) {
    if (const OpId of = opIn(*common_, to_, op)) partsIn_[of].push_back(op);
  }
  for (const TensorId tensor : to_.tensors.keys()) {
    const TensorId of = tensorIn(*common_, to_, tensor);
    if (of && !tensorIn_[of]) tensorIn_[of] = tensor;
  }
  for (const TensorId tensor : to_.tensors.keys()) {
    const Tiling::Piece* piece = pieceOf(to_, tensor);
    const TensorId of = piece != nullptr ? pieceIn(*common_, to_, *piece) : TensorId();
    if (of && !tensorIn_[of]) tensorIn_[of] = tensor;
  }
}

OpId Counterparts::wholeOp(OpId op) const { return opIn(*common_, from_, op); }

TensorId Counterparts::wholeTensor(TensorId tensor) const {
  if (const TensorId of = tensorIn(*common_, from_, tensor)) return of;
  if (&from_ == common_) return {};
  if (const Tiling::Piece* piece = pieceOf(from_, tensor)) return pieceIn(*common_, from_, *piece);
  return ringOf_.contains(tensor) ? ringOf_[tensor] : TensorId();
}

std::vector<OpId> Counterparts::ops(OpId op) const {
  if (!related() || !op || !from_.ops.contains(op)) return {};
  if (same_) return {op};
  const OpId whole = wholeOp(op);
  if (!whole) return {};
  return partsIn_.empty() ? std::vector{whole} : partsIn_[whole];
}

OpId Counterparts::op(OpId op) const {
  const auto all = ops(op);
  if (all.empty()) return {};
  const Tiling::Part* part = partOf(from_, op);
  if (part == nullptr || same_) return all.front();
  const auto match = std::ranges::find_if(all, [&](OpId each) {
    const Tiling::Part* other = partOf(to_, each);
    return other != nullptr && other->rows.contains(part->rows.begin);
  });
  return match == all.end() ? all.front() : *match;
}

TensorId Counterparts::tensor(TensorId tensor) const {
  if (!related() || !tensor || !from_.tensors.contains(tensor)) return {};
  if (same_) return tensor;
  const TensorId whole = wholeTensor(tensor);
  if (!whole) return {};
  return partsIn_.empty() ? whole : tensorIn_[whole];
}

}  // namespace hw
