#include "core/latency/capacity_bound.h"

#include <algorithm>

#include "core/latency/reuse_timer.h"

namespace hw {
namespace {

/// The number of activities that are looked at for what their ports must move before another
/// starts. Rounding may let each of them end 1/1024 of a picosecond early; for so few that adds up
/// to less than one picosecond.
constexpr int kPortLooks = 200;

/// The number of stays that are looked at for what capacities force: some tenths of a second.
constexpr std::int64_t kForceLooks = 10'000'000;

/// The time of the port for this flow alone, worked out from its share; never too long.
SimTime portTime(SimTime length, std::int64_t share) {
  constexpr int kShareBits = 40;  // Of full speed, see core/sim/contention.h.
  const bool exact = length.count() < std::int64_t{1} << kShareBits;
  const Wide time = Wide{length.count()} * (exact ? share : share - 1) >> kShareBits;
  return SimTime(static_cast<std::int64_t>(time));
}

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
        lastIn_(work.stays.size() * lanes_, -1),
        lastExit_(work.stays.size()),
        paths_(work.lanes),
        ended_(lanes_),
        moved_(work.portTotals.size()) {
    for (std::uint32_t stay = 0; stay < work.stays.size(); ++stay) {
      for (const std::uint32_t exit : work.exits.of(stay)) {
        lastExit_[stay] = std::max(lastExit_[stay], exit);
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
    paths_.push_back(longestChain());
    const bool bounded = std::ranges::any_of(capacities_, [](auto& each) { return !!each; });
    for (int round = 0; bounded && round < kBoundRounds; ++round) {
      relate();
      sumOpenAt();
      if (!forceAll()) break;
    }
    const SimTime path = timer_.alone();
    if (work_.list.contention == Contention::none) return path;
    relate();
    return std::max(path, pathWithPorts());
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

  /// Lets every activity wait for what the capacities want ended before it opens stays.
  bool forceAll() {
    const auto count = static_cast<std::uint32_t>(work_.activities.size());
    // Whoever may still run beside an activity or what comes behind it.
    std::vector<std::uint32_t> beside(firstLoose_);
    for (std::uint32_t i = count; i-- > 1;) beside[i - 1] = std::min(beside[i - 1], beside[i]);
    bool added = false;
    nearby_.clear();
    auto next = work_.byOpening.begin();
    for (std::uint32_t i = 0; i < count; ++i) {
      std::erase_if(nearby_, [&](std::uint32_t stay) { return lastExit_[stay] < beside[i]; });
      for (; next != work_.byOpening.end() && work_.stays[*next].opener <= i; ++next) {
        nearby_.push_back(*next);
      }
      added |= force(i);
    }
    return added;
  }

  bool force(std::uint32_t activity) {
    timer_.forEachWait(activity, [&](std::uint32_t other) { goesBefore(other, activity); });
    if (work_.enters.of(activity).empty()) return false;
    bool added = false;
    for (const auto& path : paths_) {
      if (looks_ > kForceLooks) break;
      const std::uint32_t last = lastForced(activity, path);
      if (last == kNoActivity) continue;
      timer_.order(last, activity);
      goesBefore(last, activity);
      added = true;
    }
    return added;
  }

  /// The last activity of `path`, whose activities end one after the other, that has to end before
  /// `activity` starts because memory would not hold both, although nothing asks for it so far;
  /// kNoActivity when there is none.
  std::uint32_t lastForced(std::uint32_t activity, const std::vector<std::uint32_t>& path) {
    const auto ended = [&](std::uint32_t other) { return isBefore(other, activity); };
    const auto first = std::partition_point(path.begin(), path.end(), ended);
    const auto end = std::lower_bound(first, path.end(), activity);
    const auto previous = [&](auto at) { return at == path.begin() ? kNoActivity : *(at - 1); };
    auto at = end;
    // Back over those that may run beside it; before the one that may not it cannot start. Nor can
    // it in a gap behind that one in which what is open would be too much.
    while (at != first && !tooMuchWith(activity, *(at - 1))) --at;
    while (at != end && tooMuch(activity, previous(at), *at)) ++at;
    return at == first ? kNoActivity : *(at - 1);
  }

  /// The same where nothing starts before its ports have done what they must: of all that ends
  /// before it and cannot start before some moment, each port has to move all bytes since then.
  SimTime pathWithPorts() {
    std::vector<SimTime> starts(work_.activities.size());
    std::vector<SimTime> ends(starts.size());
    SimTime last;
    for (std::uint32_t i = 0; i < starts.size(); ++i) {
      const TimedActivity& own = work_.activities[i];
      SimTime& start = starts[i];
      timer_.forEachWait(i, [&](std::uint32_t other) { start = std::max(start, ends[other]); });
      for (const std::uint32_t other : {own.engineBefore, own.issuedBefore}) {
        if (other != kNoActivity) start = std::max(start, starts[other]);
      }
      for (std::size_t lane = 0; lane < lanes_; ++lane) ended_[lane] = before(i, lane);
      start = std::max(start, portsDone(starts));
      ends[i] = addTime(start, own.alone());
      last = std::max(last, ends[i]);
    }
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      ended_[lane] = static_cast<std::uint32_t>(work_.lanes[lane].size());
    }
    return std::max(last, portsDone(starts));
  }

  /// When all ports can have done what the first `ended_` of each lane need, as far as they start
  /// late.
  SimTime portsDone(const std::vector<SimTime>& starts) {
    std::ranges::fill(moved_, SimTime());
    SimTime done;
    for (int i = 0; i < kPortLooks; ++i) {
      std::size_t latest = lanes_;
      for (std::size_t lane = 0; lane < lanes_; ++lane) {
        if (ended_[lane] == 0) continue;
        const auto startIn = [&](std::size_t each) {
          return starts[work_.lanes[each][ended_[each] - 1]];
        };
        if (latest == lanes_ || startIn(lane) > startIn(latest)) latest = lane;
      }
      if (latest == lanes_) break;
      const std::uint32_t other = work_.lanes[latest][--ended_[latest]];
      const FlowShape& flow = work_.activities[other].flow;
      for (const auto& [port, share] : flow.shares) {
        moved_[port] = addTime(moved_[port], portTime(flow.length, share));
        done = std::max(done, addTime(starts[other], moved_[port]));
      }
    }
    return done;
  }

  bool isBefore(std::uint32_t other, std::uint32_t activity) {
    const TimedActivity& own = work_.activities[other];
    return own.lane != kNoActivity && own.inLane < before(activity, own.lane);
  }

  /// True if the stay has been opened when the activity starts.
  bool isOpen(std::uint32_t stay, std::uint32_t activity) {
    const std::uint32_t opener = work_.stays[stay].opener;
    return opener == activity || isBefore(opener, activity);
  }

  /// Sums the stays that are certainly open while each activity runs: opened by it or what it
  /// needs, and needed by it or what comes after it.
  void sumOpenAt() {
    const std::size_t pools = capacities_.size();
    openAt_.assign(work_.activities.size() * pools, Bytes());
    firstLoose_.assign(work_.activities.size(), kNoActivity);
    nearby_.clear();
    auto next = work_.byOpening.begin();
    for (std::uint32_t i = 0; i < work_.activities.size(); ++i) {
      for (std::size_t lane = 0; lane < lanes_; ++lane) {
        const auto& all = work_.lanes[lane];
        if (before(i, lane) < all.size()) {
          firstLoose_[i] = std::min(firstLoose_[i], all[before(i, lane)]);
        }
      }
      std::erase_if(nearby_, [&](std::uint32_t stay) { return lastExit_[stay] < i; });
      for (; next != work_.byOpening.end() && work_.stays[*next].opener <= i; ++next) {
        nearby_.push_back(*next);
      }
      for (const std::uint32_t stay : nearby_) {
        if (!isOpen(stay, i) || !isNeeded(stay, i)) continue;
        openAt_[i * pools + work_.stays[stay].pool.index()] += work_.stays[stay].size;
      }
    }
  }

  /// True if there is no moment at which `activity` has started and `other` runs: what is open then
  /// exceeds a capacity. So the one has to wait for the other, however much earlier it could start.
  bool tooMuchWith(std::uint32_t activity, std::uint32_t other) {
    const std::size_t pools = capacities_.size();
    used_.assign(&openAt_[other * pools], &openAt_[other * pools] + pools);
    for (auto at = nearby_.rbegin(); at != nearby_.rend(); ++at) {
      ++looks_;
      const TimedStay& own = work_.stays[*at];
      if (own.opener < firstLoose_[other]) break;
      const std::size_t pool = own.pool.index();
      if (!capacities_[pool] || !isOpen(*at, activity)) continue;
      if (isOpen(*at, other) || !isNeeded(*at, other)) continue;
      used_[pool] += own.size;
      if (used_[pool] > *capacities_[pool]) return true;
    }
    return false;
  }

  /// True if the activity does not start while `last` of a path has ended and `next`, right behind
  /// it, has not: what is certainly open then exceeds a capacity.
  bool tooMuch(std::uint32_t activity, std::uint32_t last, std::uint32_t next) {
    used_.assign(capacities_.size(), Bytes());
    for (const std::uint32_t stay : nearby_) {
      ++looks_;
      const std::size_t pool = work_.stays[stay].pool.index();
      const bool open = isOpen(stay, activity) || (last != kNoActivity && isOpen(stay, last));
      if (!capacities_[pool] || !open) continue;
      if (!isNeeded(stay, next) && !isNeeded(stay, activity)) continue;
      used_[pool] += work_.stays[stay].size;
      if (used_[pool] > *capacities_[pool]) return true;
    }
    return false;
  }

  /// True when the activity, or one that waits for it, needs the stay.
  bool isNeeded(std::uint32_t stay, std::uint32_t activity) {
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      const std::int64_t last = lastIn_[stay * lanes_ + lane];
      if (last >= std::int64_t{behind(activity, lane)}) return true;
    }
    return std::ranges::any_of(work_.exits.of(stay),
                               [&](std::uint32_t exit) { return exit == activity; });
  }

  /// The longest, in activities, of those that units do one after the other in lanes.
  std::vector<std::uint32_t> longestChain() const {
    const auto count = static_cast<std::uint32_t>(work_.activities.size());
    std::vector<std::uint32_t> length(count);
    std::vector<std::uint32_t> previous(count, kNoActivity);
    const auto counts = [&](std::uint32_t i) {
      return work_.activities[i].lane != kNoActivity &&
             work_.list.activities[ActivityId(i)].kind == ActivityKind::compute;
    };
    std::uint32_t last = kNoActivity;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (!counts(i)) continue;
      timer_.forEachWait(i, [&](std::uint32_t other) {
        if (!counts(other) || length[other] < length[i]) return;
        length[i] = length[other] + 1;
        previous[i] = other;
      });
      if (last == kNoActivity || length[i] > length[last]) last = i;
    }
    std::vector<std::uint32_t> chain;
    for (; last != kNoActivity; last = previous[last]) chain.push_back(last);
    std::ranges::reverse(chain);
    return chain;
  }

  const TimedWork& work_;
  std::span<const std::optional<Bytes>> capacities_;
  std::size_t lanes_;
  ReuseTimer timer_;
  std::vector<std::uint32_t> before_;
  std::vector<std::uint32_t> behind_;
  std::vector<std::int64_t> lastIn_;     ///< By stay and lane: its last exit there; -1: none.
  std::vector<std::uint32_t> lastExit_;  ///< By stay.
  /// Lists of activities that end one after the other: every lane, and the longest chain of waits
  /// that leads through several lanes.
  std::vector<std::vector<std::uint32_t>> paths_;
  std::vector<std::uint32_t> nearby_;  ///< Stays that may be open just then, as they are opened.
  std::vector<Bytes> openAt_;          ///< By activity and pool: certainly, while it runs.
  std::vector<std::uint32_t> firstLoose_;  ///< By activity: all before that one end before it.
  std::vector<Bytes> used_;
  std::vector<std::uint32_t> ended_;
  std::vector<SimTime> moved_;  ///< By port.
  std::int64_t looks_ = 0;
};

}  // namespace

LatencyBound capacityBound(const TimedWork& work,
                           std::span<const std::optional<Bytes>> capacities) {
  const auto& list = work.list;
  LatencyBound bound{ForcedOrders(work, capacities).longestPath(),
                     "what waits for what within the capacity"};
  if (list.contention == Contention::none) return bound;
  for (std::size_t i = 0; i < work.portTotals.size(); ++i) {
    const SimTime total = SimTime(work.portTotals[i]) - earlyBy(work.activities.size());
    if (total <= bound.time) continue;
    bound = {total, i < list.ports.size() ? "port " + list.ports[i].name
                                          : "engine " + list.engines[i - list.ports.size()].name};
  }
  return bound;
}

}  // namespace hw
