#include "core/latency/room_gate.h"

#include <algorithm>

namespace hw {
namespace {

std::size_t stepIndex(Step step) { return static_cast<std::size_t>(step.count()); }

}  // namespace

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
