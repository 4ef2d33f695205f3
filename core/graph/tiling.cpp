#include "core/graph/tiling.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace hw {

bool isSeam(const Op& op) {
  return op.domain == kTileDomain && (op.type == kPartsType || op.type == kWholeType);
}

const Tiling::Piece* pieceOf(const Graph& graph, TensorId tensor) {
  if (!graph.tiling || !tensor) return nullptr;
  const auto& piece = graph.tiling->pieces[tensor];
  return piece ? &*piece : nullptr;
}

const Tiling::Part* partOf(const Graph& graph, OpId op) {
  if (!graph.tiling) return nullptr;
  const auto& part = graph.tiling->parts[op];
  return part ? &*part : nullptr;
}

bool isRelaid(const Graph& graph) {
  return graph.tiling && graph.tiling->kind == Tiling::Kind::layout;
}

bool isHeldOtherwise(const Graph& graph, TensorId tensor) {
  for (const Graph* at = &graph; tensor && at->tiling; at = at->tiling->original.get()) {
    if (isRelaid(*at) && !std::ranges::is_sorted(at->tiling->orders[tensor])) return true;
    const auto& piece = at->tiling->pieces[tensor];
    tensor = piece ? piece->of : at->tiling->wholeOf[tensor];
  }
  return false;
}

bool runsInParts(const Graph& graph) {
  return graph.tiling && graph.tiling->kind == Tiling::Kind::parts;
}

void Tiling::setBatches(const Graph& graph, IdMap<OpId, std::uint32_t> ofOps) {
  if (ofOps.empty() || *std::prev(ofOps.end()) == 0) return;
  batches = *std::prev(ofOps.end()) + std::size_t{1};
  batchOf = std::move(ofOps);
  batchOfTensor.resize(graph.tensors.size());
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    batchOfTensor[graph.inputs[i]] = static_cast<std::uint32_t>(i * batches / graph.inputs.size());
  }
  for (const TensorId id : graph.tensors.keys()) {
    if (const OpId producer = graph.tensors[id].producer) batchOfTensor[id] = batchOf[producer];
  }
}

std::size_t batchesOf(const Graph& graph) { return graph.tiling ? graph.tiling->batches : 1; }

std::size_t batchOf(const Graph& graph, OpId op) {
  return batchesOf(graph) > 1 ? graph.tiling->batchOf[op] : 0;
}

std::size_t batchOf(const Graph& graph, TensorId tensor) {
  return batchesOf(graph) > 1 ? graph.tiling->batchOfTensor[tensor] : 0;
}

IdMap<OpId, OpId> repeatedOps(const Graph& graph) {
  IdMap<OpId, OpId> repeated(graph.ops.size());
  if (!graph.tiling) return repeated;
  IdMap<OpId, OpId> first(graph.tiling->original->ops.size());
  for (const OpId op : graph.ops.keys()) {
    const OpId of = graph.tiling->opOf[op];
    if (!of || graph.tiling->parts[op]) continue;
    if (first[of] && batchOf(graph, first[of]) == batchOf(graph, op)) {
      repeated[op] = first[of];
    } else {
      first[of] = op;
    }
  }
  return repeated;
}

bool isRing(const Graph& graph, TensorId tensor) {
  return graph.tiling && !graph.tiling->pieces[tensor] && !graph.tiling->wholeOf[tensor] &&
         !graph.tensors[tensor].producer;  // Scratch is made by the op that needs it.
}

bool isGiven(const Graph& graph, TensorId tensor) {
  return !graph.tensors[tensor].producer && !isRing(graph, tensor);
}

void forEachStretch(const Shape& host, const Shape& at, const Shape& shape, Bytes element,
                    const std::function<void(Bytes, Bytes)>& visit) {
  forEachStretchIn(host, at, shape, element, {Bytes(), kMaxBytes}, visit);
}

namespace {

/// The axes of a piece up to those that it has all of, and the bytes of an element of the last of
/// them.
struct PartAxes {
  std::size_t count = 0;
  std::int64_t pitch = 1;
};

PartAxes partAxes(const Shape& host, const Shape& shape, Bytes element) {
  PartAxes axes{shape.size(), element.count()};
  while (axes.count > 0 && shape[axes.count - 1] == host[axes.count - 1]) {
    axes.pitch *= shape[--axes.count];
  }
  return axes;
}

}  // namespace

Bytes stretchLength(const Graph& graph, TensorId tensor) {
  const Tensor& own = graph.tensors[tensor];
  const auto [count, pitch] = partAxes(*graph.tensors[pieceOf(graph, tensor)->host].shape,
                                       *own.shape, elementSize(own).value_or(Bytes(1)));
  return Bytes(count > 0 ? pitch * (*own.shape)[count - 1] : pitch);
}

void forEachStretchIn(const Shape& host, const Shape& at, const Shape& shape, Bytes element,
                      Interval<Bytes> of, const std::function<void(Bytes, Bytes)>& visit) {
  if (std::ranges::any_of(shape, [](std::int64_t size) { return size < 1; })) return;
  // Axes from the last one on that the piece has all of are one stretch with the one before.
  auto [inner, pitch] = partAxes(host, shape, element);
  const std::int64_t length = inner > 0 ? pitch * shape[inner - 1] : pitch;
  if (inner > 0) --inner;
  std::vector<std::int64_t> pitches(inner + 1, pitch);
  for (std::size_t axis = inner; axis > 0; --axis) pitches[axis - 1] = pitches[axis] * host[axis];
  Shape index(inner);
  std::int64_t number = of.begin.count() / length;
  std::int64_t done = number * length;  // Bytes of the piece.
  for (std::size_t axis = inner; axis-- > 0; number /= shape[axis]) {
    index[axis] = number % shape[axis];
  }
  for (; done < of.end.count(); done += length) {
    std::int64_t offset = inner < shape.size() ? at[inner] * pitches[inner] : 0;
    for (std::size_t axis = 0; axis < inner; ++axis) {
      offset += (at[axis] + index[axis]) * pitches[axis];
    }
    visit(Bytes(offset), Bytes(length));
    std::size_t axis = inner;
    while (axis > 0 && ++index[axis - 1] == shape[axis - 1]) index[--axis] = 0;
    if (axis == 0) return;
  }
}

Interval<Bytes> extentOf(const Graph& graph, TensorId tensor) {
  const Tiling::Piece& piece = *pieceOf(graph, tensor);
  const Tensor& own = graph.tensors[tensor];
  const Shape& host = *graph.tensors[piece.host].shape;
  std::int64_t pitch = elementSize(own).value_or(Bytes(1)).count();
  Interval<Bytes> extent{Bytes(), Bytes(pitch)};
  for (std::size_t axis = host.size(); axis-- > 0; pitch *= host[axis]) {
    const std::int64_t last = piece.at[axis] + (*own.shape)[axis] - 1;
    extent.begin += Bytes(piece.at[axis] * pitch);
    extent.end += Bytes(last * pitch);
  }
  return extent;
}

std::vector<Interval<Bytes>> stretchesOf(const Graph& graph, TensorId tensor) {
  const Tiling::Piece& piece = *pieceOf(graph, tensor);
  const Tensor& own = graph.tensors[tensor];
  std::vector<Interval<Bytes>> stretches;
  forEachStretch(*graph.tensors[piece.host].shape, piece.at, *own.shape,
                 elementSize(own).value_or(Bytes(1)), [&](Bytes offset, Bytes length) {
                   if (!stretches.empty() && stretches.back().end == offset) {
                     stretches.back().end += length;
                   } else {
                     stretches.push_back({offset, offset + length});
                   }
                 });
  return stretches;
}

std::optional<Bytes> elementSize(const Tensor& tensor) {
  if (!tensor.shape || !tensor.bytes || *tensor.bytes == Bytes()) return std::nullopt;
  const auto count = elementCount(*tensor.shape);
  if (!count || *count == 0 || tensor.bytes->count() % *count != 0) return std::nullopt;
  return Bytes(tensor.bytes->count() / *count);
}

bool isScratch(const Graph& graph, TensorId tensor) {
  // A graph with repeats or parts may have been made of one with scratch.
  const Graph* at = &graph;
  for (; tensor && at->tiling && !at->tiling->pieces[tensor]; at = at->tiling->original.get()) {
    const TensorId of = at->tiling->wholeOf[tensor];
    if (!of) return at->tensors[tensor].producer && at->tiling->opOf[at->tensors[tensor].producer];
    tensor = of;
  }
  return false;
}

TensorId scratchOf(const Graph& graph, const Op& op) {
  if (op.outputs.size() < 2 || !isScratch(graph, op.outputs.back())) return {};
  return op.outputs.back();
}

const Graph* withoutScratch(const Graph& graph) {
  const bool added = graph.tiling && graph.tiling->kind == Tiling::Kind::scratch;
  return added ? graph.tiling->original.get() : nullptr;
}

}  // namespace hw
