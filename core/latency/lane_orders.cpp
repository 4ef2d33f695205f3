#include "core/latency/lane_orders.h"

#include <algorithm>

namespace hw {

LaneOrders::LaneOrders(const TimedWork& work)
    : work_(work),
      lanes_(work.lanes.size()),
      before_(work.activities.size() * lanes_),
      behind_(before_.size()) {}

void LaneOrders::relate(const ReuseTimer& timer) {
  std::ranges::fill(before_, 0);
  std::ranges::fill(behind_, kNoActivity);
  const auto count = static_cast<std::uint32_t>(work_.activities.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    timer.forEachWait(i, [&](std::uint32_t other) { addWait(other, i); });
  }
  for (std::uint32_t i = count; i-- > 0;) {
    const TimedActivity& own = work_.activities[i];
    std::uint32_t* const behind = behind_.data() + i * lanes_;
    if (own.lane != kNoActivity) behind[own.lane] = std::min(behind[own.lane], own.inLane);
    timer.forEachWait(i, [&](std::uint32_t other) {
      std::uint32_t* const theirs = behind_.data() + other * lanes_;
      for (std::size_t lane = 0; lane < lanes_; ++lane) {
        theirs[lane] = std::min(theirs[lane], behind[lane]);
      }
    });
  }
}

void LaneOrders::addWait(std::uint32_t other, std::uint32_t activity) {
  std::uint32_t* const ended = before_.data() + activity * lanes_;
  for (std::size_t lane = 0; lane < lanes_; ++lane) {
    ended[lane] = std::max(ended[lane], before(other, lane));
  }
  const TimedActivity& own = work_.activities[other];
  if (own.lane != kNoActivity) ended[own.lane] = std::max(ended[own.lane], own.inLane + 1);
}

std::span<const std::uint32_t> LaneOrders::beside(std::uint32_t activity, std::size_t lane) const {
  const std::span<const std::uint32_t> all = work_.lanes[lane];
  const std::size_t first = before(activity, lane);
  const std::size_t end = std::min<std::size_t>(behind(activity, lane), all.size());
  return first < end ? all.subspan(first, end - first) : std::span<const std::uint32_t>();
}

}  // namespace hw
