#pragma once

#include "core/latency/reuse_timer.h"

namespace hw {

/// Orders between activities of lanes, through any number of waits: who ends before who starts.
class LaneOrders {
 public:
  /// Keeps a reference.
  explicit LaneOrders(const TimedWork& work);

  /// Works everything out from the waits that `timer` has.
  void relate(const ReuseTimer& timer);
  /// `activity` waits for `other`, too, and for all that one waits for.
  void addWait(std::uint32_t other, std::uint32_t activity);

  std::size_t lanes() const { return lanes_; }
  /// The number of those of the lane that end before `activity` starts.
  std::uint32_t before(std::uint32_t activity, std::size_t lane) const {
    return before_[activity * lanes_ + lane];
  }
  /// The number in the lane of its first that is `activity` or waits for its end; kNoActivity:
  /// none.
  std::uint32_t behind(std::uint32_t activity, std::size_t lane) const {
    return behind_[activity * lanes_ + lane];
  }
  /// Those of the lane that may run at the same time as `activity`; none of its own lane.
  std::span<const std::uint32_t> beside(std::uint32_t activity, std::size_t lane) const;
  /// True if `other` ends before `activity` starts; false, too, where it is in no lane.
  bool isBefore(std::uint32_t other, std::uint32_t activity) const {
    const TimedActivity& own = work_.activities[other];
    return own.lane != kNoActivity && own.inLane < before(activity, own.lane);
  }

 private:
  const TimedWork& work_;
  std::size_t lanes_;
  std::vector<std::uint32_t> before_;
  std::vector<std::uint32_t> behind_;
};

}  // namespace hw
