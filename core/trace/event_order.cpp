#include "core/trace/event_order.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace hw {

EventOrder::EventOrder(const std::vector<TimelineEntry>& timeline, bool bySteps)
    : timeline_(&timeline), bySteps_(bySteps) {
  if (!bySteps || std::ranges::is_sorted(timeline, {}, &TimelineEntry::step)) return;
  indices_.resize(timeline.size());
  std::iota(indices_.begin(), indices_.end(), std::uint32_t{0});
  std::ranges::stable_sort(indices_, {}, [&](std::uint32_t index) { return timeline[index].step; });
}

std::size_t EventOrder::happened(std::size_t moment, Step step) const {
  const auto comes = [&](const TimelineEntry& entry) {
    return isByStep() ? std::tuple(entry.step, entry.lastEvent) <= std::tuple(step, moment)
                      : entry.lastEvent <= moment;
  };
  std::size_t first = 0;
  std::size_t last = size();
  while (first < last) {
    const std::size_t middle = first + (last - first) / 2;
    if (comes(entry(middle))) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return first;
}

}  // namespace hw
