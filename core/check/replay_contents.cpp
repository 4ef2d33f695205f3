#include "core/check/replay_contents.h"

#include <algorithm>
#include <set>
#include <utility>

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
    const ViewFamily family = viewFamilyOf(op);
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

  /// Appends `range` of what `from` holds to `to`, at `begin`.
  void inherit(TensorId to, Bytes begin, TensorId from, Interval<Bytes> range) {
    if (!from) return own(to, begin, range.length());
    // A copy: `from` and `to` may be one tensor in a hostile graph.
    const std::vector<ContentPart> parts = contents_[from];
    for (const ContentPart& part : parts) {
      const Bytes low = std::max(part.begin, range.begin);
      const Bytes high = std::min(part.begin + part.length, range.end);
      if (low >= high) continue;
      contents_[to].push_back(
          {begin + low - range.begin, high - low, part.writer, part.offset + low - part.begin});
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
