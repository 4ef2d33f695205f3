#include "core/latency/forced_orders.h"

#include <algorithm>

#include "core/latency/capacity_bound.h"

namespace hw {
namespace {

/// The number of activities that are looked at for what their ports must move before another
/// starts. Rounding may let each of them end 1/1024 of a picosecond early; for so few that adds up
/// to less than one picosecond.
constexpr int kPortLooks = 200;
/// The same for each, where more are looked at, and for all.
constexpr int kFarLooks = 3000;
constexpr int kAllFarLooks = 4'000'000;

/// The number of stays that are looked at for what capacities force: some tenths of a second.
constexpr std::int64_t kForceLooks = 10'000'000;

/// The time of the port for this flow alone, worked out from its share; never too long.
SimTime portTime(SimTime length, std::int64_t share) {
  const bool exact = length.count() < kFullSpeed;
  const Wide time = Wide{length.count()} * (exact ? share : share - 1) / kFullSpeed;
  return SimTime(static_cast<std::int64_t>(time));
}

}  // namespace

ForcedOrders::ForcedOrders(const TimedWork& work, std::span<const std::optional<Bytes>> capacities)
    : work_(work),
      capacities_(capacities),
      lanes_(work.lanes.size()),
      timer_(work),
      related_(work),
      mixes_(work),
      lastIn_(work.stays.size() * lanes_, -1),
      lastExit_(work.stays.size()),
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

SimTime ForcedOrders::bound(std::span<const ActivityOrder> given) {
  timer_.placeApart();
  orders_.clear();
  looks_ = 0;
  paths_ = work_.lanes;
  paths_.push_back(longestChain());
  for (const auto& [before, after] : given) order(before, after);
  const bool bounded = std::ranges::any_of(capacities_, [](auto& each) { return !!each; });
  for (int round = 0; bounded && round < kBoundRounds; ++round) {
    related_.relate(timer_);
    sumOpenAt();
    if (!forceAll()) break;
  }
  const SimTime path = timer_.alone();
  related_.relate(timer_);
  if (work_.list.contention == Contention::none) return path;
  mixes_.weigh(related_, longestChain());
  return std::max(path, pathWithPorts(SimTime()));
}

SimTime ForcedOrders::boundAfter(SimTime moment) {
  return work_.list.contention == Contention::none ? timer_.alone() : pathWithPorts(moment);
}

void ForcedOrders::order(std::uint32_t other, std::uint32_t activity) {
  timer_.order(other, activity);
  orders_.push_back({other, activity});
}

/// Lets every activity wait for what the capacities want ended before it opens stays.
bool ForcedOrders::forceAll() {
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

bool ForcedOrders::force(std::uint32_t activity) {
  timer_.forEachWait(activity, [&](std::uint32_t other) { related_.addWait(other, activity); });
  if (work_.enters.of(activity).empty()) return false;
  bool added = false;
  for (const auto& path : paths_) {
    if (looks_ > kForceLooks) break;
    const std::uint32_t last = lastForced(activity, path);
    if (last == kNoActivity) continue;
    order(last, activity);
    related_.addWait(last, activity);
    added = true;
  }
  return added;
}

/// The last activity of `path`, whose activities end one after the other, that has to end before
/// `activity` starts because memory would not hold both, although nothing asks for it so far;
/// kNoActivity when there is none.
std::uint32_t ForcedOrders::lastForced(std::uint32_t activity,
                                       const std::vector<std::uint32_t>& path) {
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
/// before it and cannot start before some moment, each port has to move all bytes since then. What
/// happens before `moment` happens as the timer had it.
SimTime ForcedOrders::pathWithPorts(SimTime moment) {
  std::vector<SimTime> starts(work_.activities.size());
  std::vector<SimTime> ends(starts.size());
  SimTime last;
  for (std::uint32_t i = 0; i < starts.size(); ++i) {
    const TimedActivity& own = work_.activities[i];
    SimTime& start = starts[i];
    start = std::min(timer_.startOf(i), moment);
    timer_.forEachWait(i, [&](std::uint32_t other) { start = std::max(start, ends[other]); });
    for (const std::uint32_t other : {own.engineBefore, own.issuedBefore}) {
      if (other != kNoActivity) start = std::max(start, starts[other]);
    }
    for (std::size_t lane = 0; lane < lanes_; ++lane) ended_[lane] = related_.before(i, lane);
    start = std::max(start, portsDone(starts));
    ends[i] = std::max(addTime(start, own.alone()), std::min(timer_.endOf(i), moment));
    last = std::max(last, ends[i]);
  }
  for (std::size_t lane = 0; lane < lanes_; ++lane) {
    ended_[lane] = static_cast<std::uint32_t>(work_.lanes[lane].size());
  }
  return std::max(last, portsDone(starts));
}

/// When all ports, and the mixes, can have done what the first `ended_` of each lane need, as far
/// as they start late.
SimTime ForcedOrders::portsDone(const std::vector<SimTime>& starts) {
  std::ranges::fill(moved_, SimTime());
  mixed_ = {};
  SimTime done;
  const int most = kAllFarLooks / static_cast<int>(std::max<std::size_t>(1, starts.size()));
  const int looks = std::clamp(most, kPortLooks, kFarLooks);
  for (int i = 0; i < looks; ++i) {
    const std::size_t latest = latestLane(starts);
    if (latest == lanes_) break;
    const std::uint32_t other = work_.lanes[latest][--ended_[latest]];
    const SimTime early(i < kPortLooks ? 0 : 1 + i / 1024);
    done = std::max(done, addTime(starts[other], move(other)) - early);
  }
  return done;
}

/// Of those that are not taken yet, the lane whose last one starts last; as many as there are
/// lanes: none are left.
std::size_t ForcedOrders::latestLane(const std::vector<SimTime>& starts) const {
  const auto startIn = [&](std::size_t each) {
    return starts[work_.lanes[each][ended_[each] - 1]];
  };
  std::size_t latest = lanes_;
  for (std::size_t lane = 0; lane < lanes_; ++lane) {
    if (ended_[lane] == 0) continue;
    if (latest == lanes_ || startIn(lane) > startIn(latest)) latest = lane;
  }
  return latest;
}

/// Adds what the activity needs; the most that one of its ports, or a mix, has to do so far.
SimTime ForcedOrders::move(std::uint32_t activity) {
  SimTime most;
  const FlowShape& flow = work_.activities[activity].flow;
  for (const auto& [port, share] : flow.shares) {
    moved_[port] = addTime(moved_[port], portTime(flow.length, share));
    most = std::max(most, moved_[port]);
  }
  const LaneMixes::Weights& weights = mixes_.of(activity);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    mixed_[i] = addTime(mixed_[i], weights[i]);
    if (weights[i] > SimTime()) most = std::max(most, mixed_[i]);
  }
  return most;
}

/// True if the stay has been opened when the activity starts.
bool ForcedOrders::isOpen(std::uint32_t stay, std::uint32_t activity) const {
  const std::uint32_t opener = work_.stays[stay].opener;
  return opener == activity || isBefore(opener, activity);
}

/// Sums the stays that are certainly open while each activity runs: opened by it or what it
/// needs, and needed by it or what comes after it.
void ForcedOrders::sumOpenAt() {
  const std::size_t pools = capacities_.size();
  openAt_.assign(work_.activities.size() * pools, Bytes());
  firstLoose_.assign(work_.activities.size(), kNoActivity);
  nearby_.clear();
  auto next = work_.byOpening.begin();
  for (std::uint32_t i = 0; i < work_.activities.size(); ++i) {
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      const auto& all = work_.lanes[lane];
      if (related_.before(i, lane) < all.size()) {
        firstLoose_[i] = std::min(firstLoose_[i], all[related_.before(i, lane)]);
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
bool ForcedOrders::tooMuchWith(std::uint32_t activity, std::uint32_t other) {
  const std::size_t pools = capacities_.size();
  used_.assign(&openAt_[other * pools], &openAt_[other * pools] + pools);
  for (std::size_t i = nearby_.size(); i-- > 0;) {
    ++looks_;
    const std::uint32_t at = nearby_[i];
    const TimedStay& own = work_.stays[at];
    if (own.opener < firstLoose_[other]) break;
    const std::size_t pool = own.pool.index();
    if (!capacities_[pool] || !isOpen(at, activity)) continue;
    if (isOpen(at, other) || !isNeeded(at, other)) continue;
    used_[pool] += own.size;
    if (used_[pool] > *capacities_[pool]) return true;
  }
  return false;
}

/// True if the activity does not start while `last` of a path has ended and `next`, right behind
/// it, has not: what is certainly open then exceeds a capacity.
bool ForcedOrders::tooMuch(std::uint32_t activity, std::uint32_t last, std::uint32_t next) {
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
bool ForcedOrders::isNeeded(std::uint32_t stay, std::uint32_t activity) const {
  for (std::size_t lane = 0; lane < lanes_; ++lane) {
    const std::int64_t last = lastIn_[stay * lanes_ + lane];
    if (last >= std::int64_t{related_.behind(activity, lane)}) return true;
  }
  return std::ranges::any_of(work_.exits.of(stay),
                             [&](std::uint32_t exit) { return exit == activity; });
}

/// The longest, in activities, of those that units do one after the other in lanes.
std::vector<std::uint32_t> ForcedOrders::longestChain() const {
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

}  // namespace hw
