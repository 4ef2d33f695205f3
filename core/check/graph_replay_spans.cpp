#include <algorithm>

#include "core/check/graph_replay.h"
#include "core/graph/tiling.h"

// Where the bytes of tensors lie in memory, pieces of tiled graphs stretch by stretch.

namespace hw {

std::optional<ByteSpan> GraphReplay::spanOf(TensorId id, const Presence& presence) const {
  const auto& whole = stage_.span(presence.stay);
  const auto& slot = run_.storage.slots[id];
  if (!whole || !slot || slot->offset < Bytes()) return std::nullopt;
  const ByteSpan span = whole->part(slot->offset, *run_.graph().tensors[id].bytes);
  if (span.bytes.end > whole->bytes.end) return std::nullopt;
  return span;
}

void GraphReplay::forEachSpan(TensorId id, const Presence& presence, const ContentPart& part,
                              const std::function<void(const ByteSpan&, Bytes)>& visit) const {
  const auto span = spanOf(id, presence);
  if (!span) return;
  const Tiling::Piece* piece = pieceOf(run_.graph(), id);
  if (piece == nullptr) return visit(span->part(part.begin, part.length), Bytes());
  const ByteSpan host = *spanOf(piece->host, presence);
  const Tensor& own = run_.graph().tensors[id];
  std::optional<Bytes> begin;  // Of a stretch, in the bytes of the piece.
  const Interval<Bytes> range{part.begin, part.begin + part.length};
  forEachStretchIn(*run_.graph().tensors[piece->host].shape, piece->at, *own.shape,
                   elementSize(own).value_or(Bytes(1)), range, [&](Bytes offset, Bytes length) {
                     if (!begin) {
                       begin = Bytes(range.begin.count() / length.count() * length.count());
                     }
                     const Bytes low = std::max(*begin, range.begin);
                     const Bytes high = std::min(*begin + length, range.end);
                     visit(host.part(offset + low - *begin, high - low), low - range.begin);
                     *begin += length;
                   });
}

std::vector<ByteSpan> GraphReplay::edges() const {
  std::vector<ByteSpan> edges;
  for (const TensorId id : run_.storage.slots.keys()) {
    if (!run_.storage.slots[id] || !presencesOf_.contains(run_.storage.slots[id]->buffer)) continue;
    for (const std::size_t i : presencesOf_[run_.storage.slots[id]->buffer]) {
      for (const ContentPart& part : contents_[id]) {
        forEachSpan(id, presences_[i], part,
                    [&](const ByteSpan& span, Bytes) { edges.push_back(span); });
      }
    }
  }
  addRowEdges(edges);
  return edges;
}

}  // namespace hw
