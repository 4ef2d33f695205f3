#include "core/trace/moment_delta.h"

#include <algorithm>

namespace hw {

Bytes liveAt(const Trace& trace, std::size_t moment) {
  Bytes live;
  for (const PoolId pool : IdRange<PoolId>(trace.poolCount())) {
    live += trace.usage(pool, moment, moment).low;
  }
  return live;
}

MomentDelta momentDelta(const Trace& trace, std::size_t first, std::size_t second) {
  MomentDelta delta{.live = liveAt(trace, second) - liveAt(trace, first)};
  for (std::size_t i = std::min(first, second); i < std::max(first, second); ++i) {
    const MemoryEvent& event = trace.event(i);
    if (event.kind == EventKind::alloc) delta.allocated += event.size;
    if (event.kind == EventKind::free) delta.released += event.size;
  }
  return delta;
}

}  // namespace hw
