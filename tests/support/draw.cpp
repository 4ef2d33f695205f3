#include "tests/support/draw.h"

#include <fmt/format.h>

#include "core/trace/timeline.h"

namespace hw::test {
namespace {

std::string letter(StayId id) {
  return id.index() < 26 ? std::string(1, static_cast<char>('a' + id.index()))
                         : fmt::format("s{}", id.index());
}

}  // namespace

std::string draw(const ChunkMap& chunks) {
  std::string text;
  for (std::size_t region = 0; region < chunks.regionCount(); ++region) {
    if (region > 0) text += " / ";
    std::string separator;
    for (const Chunk& chunk : chunks.chunks(RegionId(region))) {
      text += separator;
      text += chunk.isFree() ? fmt::format("|{}", chunk.size.count())
                             : fmt::format("{}:{}", letter(chunk.owner), chunk.size.count());
      separator = " ";
    }
  }
  return text;
}

std::string memoryAt(const Plan& plan, std::int64_t step, PoolId pool) {
  ChunkMap chunks;
  for (const MemoryEvent& event : plan.story) {
    if (event.step > step || (event.step == step && event.kind == EventKind::free)) break;
    if (event.poolId() == pool) chunks.apply(event);
  }
  return draw(chunks);
}

std::string storyOf(const Plan& plan) {
  std::string text;
  std::int64_t line = -1;
  for (const TimelineEntry& entry : describe(plan.story, plan.regions.size())) {
    if (entry.step.count() != line) {
      line = entry.step.count();
      text += fmt::format("{}{}:", text.empty() ? "" : "\n", line);
    }
    text += fmt::format(" {} {} [{}, {})", happeningName(entry.happening), letter(entry.stay),
                        entry.offset.count(), (entry.offset + entry.size).count());
  }
  return text;
}

}  // namespace hw::test
