#pragma once

#include <optional>
#include <random>
#include <vector>

#include "core/memory/chunk_map.h"

namespace hw::test {

/// What a chunk map should hold, kept in the most obvious way there is.
struct MemoryModel {
  std::vector<std::vector<Chunk>> regions;

  Bytes size(std::size_t region) const {
    return regions[region].empty() ? Bytes() : regions[region].back().end();
  }
};

/// Draws random events that are legal in its model, and carries them out there.
class MemoryScript {
 public:
  MemoryScript(std::uint64_t seed, std::size_t regions) : random_(seed) {
    model.regions.resize(regions);
  }

  MemoryEvent next() {
    for (;;) {
      const std::size_t region = below(model.regions.size());
      std::vector<Chunk>& chunks = model.regions[region];
      MemoryEvent event{.stay = StayId(below(1'000)), .region = RegionId(region)};
      if (chunks.empty()) return extend(event, chunks);
      const std::size_t at = below(chunks.size());
      Chunk& chunk = chunks[at];
      switch (below(8)) {
        case 0:
          return extend(event, chunks);
        case 1:
          if (auto shrunk = shrink(event, chunks)) return *shrunk;
          break;
        case 2:
        case 3:
          if (chunk.isFree() && chunk.size > Bytes(1)) return split(event, chunks, at);
          break;
        case 4:
          if (at > 0 && chunk.isFree() && chunks[at - 1].isFree()) return merge(event, chunks, at);
          break;
        default:
          return setOwner(event, chunk);
      }
    }
  }

  MemoryModel model;

 private:
  std::size_t below(std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_);
  }

  MemoryEvent extend(MemoryEvent event, std::vector<Chunk>& chunks) {
    event.kind = EventKind::extend;
    event.offset = chunks.empty() ? Bytes() : chunks.back().end();
    event.size = Bytes(static_cast<std::int64_t>(1 + below(100)));
    chunks.push_back({event.offset, event.size, StayId()});
    return event;
  }

  std::optional<MemoryEvent> shrink(MemoryEvent event, std::vector<Chunk>& chunks) {
    if (!chunks.back().isFree()) return std::nullopt;
    event.kind = EventKind::shrink;
    event.offset = chunks.back().offset;
    event.size = chunks.back().size;
    chunks.pop_back();
    return event;
  }

  MemoryEvent split(MemoryEvent event, std::vector<Chunk>& chunks, std::size_t at) {
    const Chunk whole = chunks[at];
    const Bytes low(
        static_cast<std::int64_t>(1 + below(static_cast<std::size_t>(whole.size.count() - 1))));
    event.kind = EventKind::split;
    event.offset = whole.offset + low;
    event.size = whole.size - low;
    chunks[at].size = low;
    chunks.insert(chunks.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                  {event.offset, event.size, StayId()});
    return event;
  }

  MemoryEvent merge(MemoryEvent event, std::vector<Chunk>& chunks, std::size_t at) {
    event.kind = EventKind::merge;
    event.offset = chunks[at].offset;
    event.size = chunks[at].size;
    chunks[at - 1].size += event.size;
    chunks.erase(chunks.begin() + static_cast<std::ptrdiff_t>(at));
    return event;
  }

  MemoryEvent setOwner(MemoryEvent event, Chunk& chunk) {
    event.offset = chunk.offset;
    event.size = chunk.size;
    event.kind = chunk.isFree() ? EventKind::alloc : EventKind::free;
    if (chunk.isFree()) {
      chunk.owner = event.stay;
    } else {
      event.stay = chunk.owner;
      chunk.owner = StayId();
    }
    return event;
  }

  std::mt19937_64 random_;
};

}  // namespace hw::test
