#include "core/trace/genealogy.h"

namespace hw {
namespace {

/// True if `event` can change the chunk around `byte`: all else leaves it as it is.
bool mayTouch(const MemoryEvent& event, const ByteAddress& byte,
              const std::optional<Chunk>& chunk) {
  if (event.poolId() != byte.pool || event.region != byte.region) return false;
  if (!chunk) return true;
  return event.offset >= chunk->offset && event.offset <= chunk->end();
}

}  // namespace

std::vector<ByteEra> genealogy(const Trace& trace, const std::vector<TimelineEntry>& timeline,
                               const ByteAddress& byte) {
  std::vector<ByteEra> eras;
  ChunkMap map;
  std::optional<Chunk> chunk;
  std::size_t next = 0;
  for (std::size_t i = 0; i < timeline.size(); ++i) {
    const TimelineEntry& entry = timeline[i];
    bool touched = false;
    for (; next < entry.lastEvent; ++next) {
      const MemoryEvent& event = trace.event(next);
      if (event.poolId() != byte.pool) continue;
      map.apply(event);
      touched |= mayTouch(event, byte, chunk);
      if (touched) chunk = map.chunkAt(byte.region, byte.offset);
    }
    if (!touched) continue;
    // An event at the chunk's edge that left it as it was begins no new era.
    const bool same = !eras.empty() && eras.back().endMoment == 0 && chunk == eras.back().chunk;
    if (same) continue;
    if (!eras.empty() && eras.back().endMoment == 0) {
      eras.back().endMoment = entry.lastEvent;
      eras.back().lastStep = entry.step;
    }
    if (!chunk) continue;
    eras.push_back({.entry = i,
                    .happening = entry.happening,
                    .cause = entry.stay,
                    .chunk = *chunk,
                    .firstMoment = entry.lastEvent,
                    .firstStep = entry.step});
  }
  if (!eras.empty() && eras.back().endMoment == 0) {
    eras.back().endMoment = trace.size() + 1;
    eras.back().lastStep = timeline.back().step;
  }
  return eras;
}

}  // namespace hw
