// The event kernel of a ReuseTimer: what `execute` does, without accounts of who waited for what.
#include <algorithm>

#include "core/base/check.h"
#include "core/latency/reuse_timer.h"

namespace hw {

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

}  // namespace hw
