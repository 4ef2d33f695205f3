#include "core/check/replay_contents.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "core/graph/tiling.h"
#include "core/ops/op_table.h"

namespace hw {
namespace {

class ContentsMaker {
 public:
  ContentsMaker(const Graph& graph, const Storage& storage)
      : graph_(graph), storage_(storage), contents_(graph.tensors.size()) {
    for (const CopyNote& copy : storage.copies) copied_.emplace(copy.op, copy.tensor);
    for (const TensorId id : graph.tensors.keys()) own(id, Bytes(), sizeOf(id));
  }

  void visit(OpId id) {
    const Op& op = graph_.ops[id];
    if (op.folded) return;
    if (isSeam(op)) return op.type == kPartsType ? cutIntoPieces(op) : joinPieces(op);
    const bool part = partOf(graph_, id) != nullptr;
    const ViewFamily family = part ? ViewFamily::none : viewFamilyOf(op);
    if (part && storage_.free[id]) return handOn(op);
    if (family == ViewFamily::concat) {
      join(id, op);
    } else if (family == ViewFamily::split) {
      cut(id, op);
    } else if (storage_.free[id] && dataInput(op) && !op.outputs.empty() && op.outputs[0]) {
      contents_[op.outputs[0]].clear();
      inherit(op.outputs[0], Bytes(), dataInput(op), {Bytes(), sizeOf(op.outputs[0])});
    }
  }

  IdMap<TensorId, std::vector<ContentPart>> take() && { return std::move(contents_); }

 private:
  Bytes sizeOf(TensorId id) const {
    return id ? graph_.tensors[id].bytes.value_or(Bytes()) : Bytes();
  }

  void own(TensorId id, Bytes begin, Bytes length) {
    if (length > Bytes()) contents_[id].push_back({begin, length, id, begin});
  }

  /// What `from` holds in `range`.
  std::vector<ContentPart> partsIn(TensorId from, Interval<Bytes> range) const {
    const auto endOf = [](const ContentPart& part) { return part.begin + part.length; };
    std::vector<ContentPart> parts;
    const auto& all = contents_[from];
    auto part = std::ranges::upper_bound(all, range.begin, {}, endOf);
    for (; part != all.end() && part->begin < range.end; ++part) {
      const Bytes low = std::max(part->begin, range.begin);
      const Bytes high = std::min(endOf(*part), range.end);
      parts.push_back({low, high - low, part->writer, part->offset + low - part->begin});
    }
    return parts;
  }

  /// Appends `range` of what `from` holds to `to`, at `begin`.
  void inherit(TensorId to, Bytes begin, TensorId from, Interval<Bytes> range) {
    if (!from) return own(to, begin, range.length());
    for (ContentPart part : partsIn(from, range)) {
      part.begin += begin - range.begin;
      contents_[to].push_back(part);
    }
  }

  /// Where the bytes of a piece lie in the tensor that it is a box of, stretch by stretch.
  void forEachStretchOf(TensorId id, const std::function<void(Bytes, Bytes)>& visit) const {
    const Tiling::Piece& piece = *pieceOf(graph_, id);
    const Tensor& own = graph_.tensors[id];
    forEachStretch(*graph_.tiling->original->tensors[piece.of].shape, piece.begin, *own.shape,
                   elementSize(own).value_or(Bytes(1)), visit);
  }

  void cutIntoPieces(const Op& op) {
    for (const TensorId out : op.outputs) {
      contents_[out].clear();
      Bytes begin;
      forEachStretchOf(out, [&](Bytes offset, Bytes length) {
        inherit(out, begin, op.inputs[0], {offset, offset + length});
        begin += length;
      });
    }
  }

  /// Bytes that no piece brings count as written by the join itself, which writes nothing: reading
  /// them is a finding.
  void joinPieces(const Op& op) {
    std::vector<ContentPart> all;
    for (const TensorId in : op.inputs) {
      if (!in) continue;
      Bytes begin;
      forEachStretchOf(in, [&](Bytes offset, Bytes length) {
        for (ContentPart part : partsIn(in, {begin, begin + length})) {
          part.begin += offset - begin;
          all.push_back(part);
        }
        begin += length;
      });
    }
    std::ranges::sort(all, {}, &ContentPart::begin);
    const TensorId out = op.outputs[0];
    contents_[out].clear();
    Bytes end;
    for (const ContentPart& part : all) {
      own(out, end, part.begin - end);
      contents_[out].push_back(part);
      end = part.begin + part.length;
    }
    own(out, end, sizeOf(out) - end);
  }

  /// A view that runs in parts: its rows are those of its input.
  void handOn(const Op& op) {
    for (std::size_t i = 0; i < op.outputs.size() && i < op.inputs.size(); ++i) {
      const std::vector<ContentPart> parts = contents_[op.inputs[i]];
      contents_[op.outputs[i]] = parts;
    }
  }

  void join(OpId id, const Op& op) {
    if (op.outputs.empty() || !op.outputs[0]) return;
    const TensorId out = op.outputs[0];
    contents_[out].clear();
    Bytes begin;
    for (const TensorId in : op.inputs) {
      const Bytes length = std::min(sizeOf(in), sizeOf(out) - begin);
      if (copied_.contains({id, in}) && !liesAt(in, out, begin)) {
        own(out, begin, length);
      } else if (in) {
        inherit(out, begin, in, {Bytes(), length});
      }
      begin += length;
    }
    own(out, begin, sizeOf(out) - begin);
  }

  void cut(OpId id, const Op& op) {
    const TensorId whole = dataInput(op);
    if (!whole) return;
    Bytes begin;
    for (const TensorId out : op.outputs) {
      if (!out) continue;
      const Bytes length = sizeOf(out);
      if (!copied_.contains({id, out})) {
        contents_[out].clear();
        inherit(out, Bytes(), whole, {begin, begin + length});
      }
      begin += length;
    }
  }

  /// A tensor that is in a concat twice is noted as copied, though one of the two is a slice.
  bool liesAt(TensorId part, TensorId whole, Bytes offset) const {
    const auto& inner = storage_.slots[part];
    const auto& outer = storage_.slots[whole];
    return inner && outer && inner->buffer == outer->buffer &&
           inner->offset == outer->offset + offset;
  }

  const Graph& graph_;
  const Storage& storage_;
  std::set<std::pair<OpId, TensorId>> copied_;
  IdMap<TensorId, std::vector<ContentPart>> contents_;
};

}  // namespace

IdMap<TensorId, std::vector<ContentPart>> tensorContents(const Graph& graph,
                                                         const Schedule& schedule,
                                                         const Storage& storage) {
  ContentsMaker maker(graph, storage);
  for (const OpId id : schedule.order) maker.visit(id);
  return std::move(maker).take();
}

}  // namespace hw
