#include "core/latency/capacity_bound.h"

#include <algorithm>

#include "core/latency/reuse_timer.h"

namespace hw {
namespace {

/// Which activities have to end before which start, whatever the addresses; and which of them the
/// capacities add to that.
class ForcedOrders {
 public:
  ForcedOrders(const TimedWork& work, std::span<const std::optional<Bytes>> capacities)
      : work_(work),
        capacities_(capacities),
        lanes_(work.lanes.size()),
        timer_(work),
        before_(work.activities.size() * lanes_),
        behind_(before_.size()),
        lastIn_(work.stays.size() * lanes_, -1) {
    for (std::uint32_t stay = 0; stay < work.stays.size(); ++stay) {
      for (const std::uint32_t exit : work.exits.of(stay)) {
        const TimedActivity& activity = work.activities[exit];
        if (activity.lane == kNoActivity) continue;
        auto& last = lastIn_[stay * lanes_ + activity.lane];
        last = std::max<std::int64_t>(last, activity.inLane);
      }
    }
  }

  /// The longest path once everything that follows from the capacities is ordered.
  SimTime longestPath() {
    timer_.placeApart();
    const bool bounded = std::ranges::any_of(capacities_, [](auto& each) { return !!each; });
    for (int round = 0; bounded && round < kBoundRounds; ++round) {
      relate();
      bool added = false;
      for (std::uint32_t i = 0; i < work_.activities.size(); ++i) added |= force(i);
      if (!added) break;
    }
    return timer_.alone();
  }

 private:
  /// By activity and lane: how many of the lane end before it starts; and the first of the lane
  /// that is the activity or waits for its end.
  std::uint32_t& before(std::uint32_t activity, std::size_t lane) {
    return before_[activity * lanes_ + lane];
  }
  std::uint32_t& behind(std::uint32_t activity, std::size_t lane) {
    return behind_[activity * lanes_ + lane];
  }

  void relate() {
    std::ranges::fill(before_, 0);
    std::ranges::fill(behind_, kNoActivity);
    const auto count = static_cast<std::uint32_t>(work_.activities.size());
    for (std::uint32_t i = 0; i < count; ++i) {
      timer_.forEachWait(i, [&](std::uint32_t other) { goesBefore(other, i); });
    }
    for (std::uint32_t i = count; i-- > 0;) {
      const TimedActivity& own = work_.activities[i];
      if (own.lane != kNoActivity) behind(i, own.lane) = std::min(behind(i, own.lane), own.inLane);
      timer_.forEachWait(i, [&](std::uint32_t other) {
        for (std::size_t lane = 0; lane < lanes_; ++lane) {
          behind(other, lane) = std::min(behind(other, lane), behind(i, lane));
        }
      });
    }
  }

  void goesBefore(std::uint32_t other, std::uint32_t activity) {
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      before(activity, lane) = std::max(before(activity, lane), before(other, lane));
    }
    const TimedActivity& own = work_.activities[other];
    if (own.lane == kNoActivity) return;
    before(activity, own.lane) = std::max(before(activity, own.lane), own.inLane + 1);
  }

  /// Lets the activity wait for what the capacities want ended before it opens stays.
  bool force(std::uint32_t activity) {
    if (work_.enters.of(activity).empty()) return false;
    bool added = false;
    open_.clear();
    for (const std::uint32_t stay : work_.byOpening) {
      if (work_.stays[stay].opener > activity) break;
      if (isOpen(stay, activity)) open_.push_back(stay);
    }
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      std::uint32_t last = kNoActivity;
      for (std::size_t at = before(activity, lane); at < work_.lanes[lane].size(); ++at) {
        const std::uint32_t other = work_.lanes[lane][at];
        // Who is further down the lane leaves less open: the first that may stay is the last asked.
        if (other >= activity || !tooMuch(activity, other)) break;
        last = other;
      }
      if (last == kNoActivity) continue;
      timer_.order(last, activity);
      goesBefore(last, activity);
      added = true;
    }
    return added;
  }

  bool isOpen(std::uint32_t stay, std::uint32_t activity) {
    const std::uint32_t opener = work_.stays[stay].opener;
    if (opener == activity) return true;
    const TimedActivity& own = work_.activities[opener];
    return own.lane != kNoActivity && own.inLane < before(activity, own.lane);
  }

  bool tooMuch(std::uint32_t activity, std::uint32_t other) {
    used_.assign(capacities_.size(), Bytes());
    for (const std::uint32_t stay : open_) {
      const std::size_t pool = work_.stays[stay].pool.index();
      if (!capacities_[pool] || !isNeeded(stay, activity, other)) continue;
      used_[pool] += work_.stays[stay].size;
      if (used_[pool] > *capacities_[pool]) return true;
    }
    return false;
  }

  bool isNeeded(std::uint32_t stay, std::uint32_t activity, std::uint32_t other) {
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      const std::int64_t last = lastIn_[stay * lanes_ + lane];
      if (last >= std::min(behind(activity, lane), behind(other, lane))) return true;
    }
    return std::ranges::any_of(work_.exits.of(stay), [&](std::uint32_t exit) {
      return exit == activity || exit == other;
    });
  }

  const TimedWork& work_;
  std::span<const std::optional<Bytes>> capacities_;
  std::size_t lanes_;
  ReuseTimer timer_;
  std::vector<std::uint32_t> before_;
  std::vector<std::uint32_t> behind_;
  std::vector<std::int64_t> lastIn_;  ///< By stay and lane: its last exit there; -1: none.
  std::vector<std::uint32_t> open_;
  std::vector<Bytes> used_;
};

}  // namespace

LatencyBound capacityBound(const TimedWork& work,
                           std::span<const std::optional<Bytes>> capacities) {
  const auto& list = work.list;
  LatencyBound bound{ForcedOrders(work, capacities).longestPath(),
                     "what waits for what within the capacity"};
  if (list.contention == Contention::none) return bound;
  for (std::size_t i = 0; i < work.portTotals.size(); ++i) {
    const SimTime total(work.portTotals[i]);
    if (total <= bound.time) continue;
    bound = {total, i < list.ports.size() ? "port " + list.ports[i].name
                                          : "engine " + list.engines[i - list.ports.size()].name};
  }
  return bound;
}

}  // namespace hw
