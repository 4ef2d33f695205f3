#include "core/latency/reuse_timer.h"

#include <algorithm>

#include "core/base/check.h"

// The event kernel of a ReuseTimer: what `execute` does, without accounts of who waited for what.

namespace hw {
namespace {

std::size_t stepIndex(Step step) { return static_cast<std::size_t>(step.count()); }

}  // namespace

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

SimTime ReuseTimer::contended() {
  if (work_.list.contention == Contention::none) return alone();
  return runAll();
}

SimTime ReuseTimer::gated(RoomGate& gate) {
  gate.reset();
  gate_ = &gate;
  const SimTime latency = runAll();
  gate_ = nullptr;
  return latency;
}

SimTime ReuseTimer::runAll() {
  prepare();
  SimTime now;
  for (std::uint32_t i = 0; i < work_.activities.size(); ++i) {
    if (work_.activities[i].engine == Activity::kNoEngine) examine(i);
  }
  for (std::uint32_t engine = 0; engine < engines_.size(); ++engine) examineNext(engine);
  startAll(now);
  while (!flows_.empty() || !fixed_.empty()) {
    now = flows_.empty() ? fixed_.top().time() : flows_.nextEnd(now);
    if (!fixed_.empty()) now = std::min(now, fixed_.top().time());
    endAll(now);
    startAll(now);
  }
  return now;
}

void ReuseTimer::prepare() {
  std::ranges::fill(starts_, kNotYet);
  std::ranges::fill(ends_, kNotYet);
  engines_.assign(work_.list.engines.size(), {});
  awaitsEnd_.assign(work_.activities.size(), kNone);
  awaitsStart_.assign(work_.activities.size(), kNone);
  next_.resize(work_.activities.size());
}

/// Has `activity` start if all it waits for has happened, or watch the first thing that has not.
/// To be called when it is the next one of its engine and the engine has a free channel.
void ReuseTimer::examine(std::uint32_t activity) {
  bool waiting = false;
  forEachWait(activity, [&](std::uint32_t other) {
    if (!waiting) waiting = watches(activity, other);
  });
  if (waiting) return;
  const std::uint32_t before = work_.activities[activity].issuedBefore;
  if (before != kNone && starts_[before] == kNotYet) {
    next_[activity] = awaitsStart_[before];
    awaitsStart_[before] = activity;
  } else if (gate_ != nullptr && !gate_->take(activity)) {
    roomless_.push_back(activity);
  } else {
    able_.push_back(activity);
  }
}

bool ReuseTimer::watches(std::uint32_t activity, std::uint32_t other) {
  if (ends_[other] != kNotYet) return false;
  next_[activity] = awaitsEnd_[other];
  awaitsEnd_[other] = activity;
  return true;
}

void ReuseTimer::examineNext(std::uint32_t engine) {
  const auto& [next, running] = engines_[engine];
  if (next < queues_[engine].size() && running < work_.list.engines[engine].channels) {
    examine(queues_[engine][next]);
  }
}

/// Examines again who watched something that has happened now.
void ReuseTimer::wake(std::uint32_t& first) {
  while (first != kNone) {
    const std::uint32_t activity = first;
    first = next_[activity];
    examine(activity);
  }
}

void ReuseTimer::startAll(SimTime now) {
  while (!able_.empty()) {
    const std::uint32_t activity = able_.back();
    able_.pop_back();
    start(activity, now);
  }
}

void ReuseTimer::start(std::uint32_t activity, SimTime now) {
  const TimedActivity& own = work_.activities[activity];
  starts_[activity] = now;
  if (own.engine != Activity::kNoEngine) {
    ++engines_[own.engine].next;
    ++engines_[own.engine].running;
    examineNext(own.engine);
  }
  if (own.fixed > SimTime()) {
    fixed_.push(SimEvent(addTime(now, own.fixed), Phase::computeStart, 0, activity));
  } else if (own.flow.length > SimTime()) {
    flows_.begin(ActivityId(activity), own.flow, now);
  } else {
    end(activity, now);
  }
  wake(awaitsStart_[activity]);
}

void ReuseTimer::endAll(SimTime now) {
  ended_.clear();
  if (!flows_.empty()) flows_.takeEnded(now, ended_);
  while (!fixed_.empty() && fixed_.top().time() == now) {
    const ActivityId id(fixed_.pop().entity());
    const FlowShape& flow = work_.activities[id.index()].flow;
    if (flow.length > SimTime()) {
      flows_.begin(id, flow, now);
    } else {
      ended_.push_back(id);
    }
  }
  for (const ActivityId id : ended_) end(static_cast<std::uint32_t>(id.index()), now);
}

void ReuseTimer::end(std::uint32_t activity, SimTime now) {
  ends_[activity] = now;
  const std::uint32_t engine = work_.activities[activity].engine;
  if (engine != Activity::kNoEngine) {
    // Its next one was examined already if there was room for it.
    const bool full = engines_[engine].running-- == work_.list.engines[engine].channels;
    if (full) examineNext(engine);
  }
  wake(awaitsEnd_[activity]);
  if (gate_ != nullptr && gate_->leave(activity)) askForRoom();
}

/// Asks again, in program order, for everybody who found no room before.
void ReuseTimer::askForRoom() {
  std::ranges::sort(roomless_);
  std::vector<std::uint32_t> asking;
  asking.swap(roomless_);
  for (const std::uint32_t activity : asking) examine(activity);
}

RoomGate::RoomGate(const TimedWork& work, std::span<const Bytes> capacities)
    : work_(work), capacities_(capacities) {
  Step steps;
  for (const TimedStay& stay : work.stays) steps = std::max(steps, stay.steps.end);
  for (const Activity& activity : work.list.activities) {
    steps = std::max(steps, activity.step + Step(1));
  }
  inStep_.resize(stepIndex(steps));
  for (const Activity& activity : work.list.activities) ++inStep_[stepIndex(activity.step)];
  live_.assign(capacities.size(), Profile(stepIndex(steps)));
  for (const std::uint32_t stay : work.byOpening) {
    const TimedStay& own = work.stays[stay];
    for (Step step = own.steps.begin; step < own.steps.end; step += Step(1)) {
      live_[own.pool.index()][stepIndex(step)] += own.size;
    }
  }
}

void RoomGate::reset() {
  profile_ = live_;
  unended_ = inStep_;
  open_.assign(work_.stays.size(), false);
  now_ = {};
}

bool RoomGate::hasRoom(std::uint32_t stay) const {
  const TimedStay& own = work_.stays[stay];
  const Profile& profile = profile_[own.pool.index()];
  for (Step step = now_; step < own.steps.begin; step += Step(1)) {
    if (profile[stepIndex(step)] + own.size > capacities_[own.pool.index()]) return false;
  }
  return true;
}

void RoomGate::add(std::uint32_t stay, Step begin, Step end, bool leaving) {
  const TimedStay& own = work_.stays[stay];
  Profile& profile = profile_[own.pool.index()];
  for (Step step = std::max(begin, now_); step < end; step += Step(1)) {
    if (leaving)
      profile[stepIndex(step)] -= own.size;
    else
      profile[stepIndex(step)] += own.size;
  }
}

bool RoomGate::take(std::uint32_t activity) {
  const auto stays = work_.enters.of(activity);
  std::size_t taken = 0;
  for (; taken < stays.size(); ++taken) {
    const std::uint32_t stay = stays[taken];
    if (open_[stay]) continue;
    if (!hasRoom(stay)) break;
    add(stay, now_, work_.stays[stay].steps.begin, false);
  }
  const bool all = taken == stays.size();
  for (const std::uint32_t stay : stays.first(taken)) {
    if (open_[stay]) continue;
    if (all)
      open_[stay] = true;
    else
      add(stay, now_, work_.stays[stay].steps.begin, true);
  }
  return all;
}

bool RoomGate::leave(std::uint32_t activity) {
  --unended_[stepIndex(work_.list.activities[ActivityId(activity)].step)];
  const Step before = now_;
  while (stepIndex(now_) < unended_.size() && unended_[stepIndex(now_)] == 0) now_ += Step(1);
  return now_ > before;
}

}  // namespace hw
