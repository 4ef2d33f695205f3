#include "core/latency/reuse_timer.h"

#include <algorithm>

namespace hw {

ReuseTimer::ReuseTimer(const TimedWork& work)
    : work_(work),
      own_(work.activities.size() * work.lanes.size()),
      extraOf_(work.activities.size(), kNone),
      starts_(work.activities.size()),
      ends_(work.activities.size()),
      queues_(work.list.engines.size()),
      latest_(work.list.engines.size()),
      flows_(work.list, work.list.contention) {
  std::size_t pools = 1;
  for (const TimedStay& stay : work.stays) pools = std::max(pools, stay.pool.index() + 1);
  pieces_.resize(pools);
  slots_ = own_;
  for (std::uint32_t i = 0; i < work.activities.size(); ++i) {
    const TimedActivity& activity = work.activities[i];
    if (activity.engine != Activity::kNoEngine) queues_[activity.engine].push_back(i);
    for (const std::uint32_t on : work.waits.of(i)) {
      if (work.activities[on].lane == kNone)
        loose_.add(on);
      else
        order(on, i);
    }
    loose_.endList();
    if (activity.lane != kNone && activity.inLane > 0) {
      order(work.lanes[activity.lane][activity.inLane - 1], i);
    }
  }
  own_ = slots_;
}

void ReuseTimer::order(std::uint32_t other, std::uint32_t activity) {
  const std::uint32_t lane = work_.activities[other].lane;
  if (lane != kNone) {
    std::uint32_t& slot = slots_[activity * work_.lanes.size() + lane];
    slot = std::max(slot, other + 1);
  } else {
    extra_.push_back({other, extraOf_[activity]});
    extraOf_[activity] = static_cast<std::uint32_t>(extra_.size() - 1);
  }
}

void ReuseTimer::placeApart() {
  std::ranges::copy(own_, slots_.begin());
  if (!extra_.empty()) std::ranges::fill(extraOf_, kNone);
  extra_.clear();
}

void ReuseTimer::place(std::span<const Bytes> offsets) {
  placeApart();
  for (auto& pieces : pieces_) pieces.assign(1, {Bytes(), kNone});
  for (const std::uint32_t stay : work_.byOpening) {
    if (offsets[stay] >= Bytes()) moveIn(stay, offsets[stay]);
  }
}

/// `stay` takes its bytes from the stays that had them last; these waited for all that had them
/// before.
void ReuseTimer::moveIn(std::uint32_t stay, Bytes offset) {
  auto& pieces = pieces_[work_.stays[stay].pool.index()];
  const Bytes end = offset + work_.stays[stay].size;
  const auto above = std::ranges::upper_bound(pieces, offset, {}, &Piece::begin);
  const auto first = std::prev(above);
  auto last = first;
  std::uint32_t previous = kNone;
  for (; last != pieces.end() && last->begin < end; ++last) {
    if (last->tenant != kNone && last->tenant != previous) follow(stay, last->tenant);
    previous = last->tenant;
  }
  Piece now[3];
  std::size_t count = 0;
  if (first->begin < offset) now[count++] = *first;
  now[count++] = {offset, stay};
  if (last == pieces.end() || end < last->begin) now[count++] = {end, previous};
  const auto old = static_cast<std::size_t>(last - first);
  const auto at = first - pieces.begin();
  if (count > old)
    pieces.insert(last, count - old, {});
  else
    pieces.erase(first + static_cast<std::ptrdiff_t>(count), last);
  std::copy_n(now, count, pieces.begin() + at);
}

void ReuseTimer::follow(std::uint32_t stay, std::uint32_t tenant) {
  for (const std::uint32_t activity : work_.entries.of(stay)) {
    for (const std::uint32_t other : work_.exits.of(tenant)) order(other, activity);
  }
}

/// When an engine of several channels has a free one for its next activity; not before `start`.
SimTime ReuseTimer::roomOn(std::uint32_t engine, SimTime start) {
  const auto& ends = latest_[engine];
  return ends.size() < work_.list.engines[engine].channels ? start : std::max(start, ends.front());
}

SimTime ReuseTimer::alone() {
  for (auto& ends : latest_) ends.clear();
  SimTime makespan;
  for (std::uint32_t i = 0; i < work_.activities.size(); ++i) {
    const TimedActivity& activity = work_.activities[i];
    SimTime start;
    forEachWait(i, [&](std::uint32_t other) { start = std::max(start, ends_[other]); });
    if (activity.issuedBefore != kNone) start = std::max(start, starts_[activity.issuedBefore]);
    const bool several = activity.lane == kNone && activity.engine != Activity::kNoEngine;
    if (several) {
      if (activity.engineBefore != kNone) start = std::max(start, starts_[activity.engineBefore]);
      start = roomOn(activity.engine, start);
    }
    starts_[i] = start;
    ends_[i] = addTime(start, activity.alone());
    if (several) {
      auto& ends = latest_[activity.engine];
      ends.insert(std::ranges::upper_bound(ends, ends_[i]), ends_[i]);
      if (ends.size() > work_.list.engines[activity.engine].channels) ends.erase(ends.begin());
    }
    makespan = std::max(makespan, ends_[i]);
  }
  return makespan;
}

}  // namespace hw
