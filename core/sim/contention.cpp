#include "core/sim/contention.h"

#include <algorithm>

namespace hw {
namespace {

/// A flow may end this part of a picosecond early: what rounding took from it.
constexpr Wide kForgiven = 1024;

constexpr Wide ceilDivide(Wide a, Wide b) { return (a + b - 1) / b; }

}  // namespace

FlowNeed flowNeed(const ActivityList& list, const Activity& activity) {
  FlowNeed need{.length = activity.compute};
  const auto add = [&](std::size_t port, SimTime time) {
    if (time == SimTime()) return;
    need.ports.push_back({static_cast<std::uint32_t>(port), time});
    need.length = std::max(need.length, time);
  };
  for (const PortUse& use : activity.ports) {
    const Port& port = list.ports[use.port];
    need.most = std::max(need.most, use.read + use.written);
    add(use.port,
        addTime(transferTime(use.read, port.read), transferTime(use.written, port.write)));
  }
  if (activity.engine == Activity::kNoEngine || activity.kind == ActivityKind::compute) return need;
  add(list.ports.size() + activity.engine,
      transferTime(activity.bytes, list.engines[activity.engine].bandwidth));
  return need;
}

FlowShape flowShape(const FlowNeed& need, Contention contention) {
  const Wide length = std::max<std::int64_t>(1, need.length.count());
  FlowShape shape{.length = need.length, .pace = kFullSpeed};
  if (contention == Contention::fair) {
    shape.pace = ceilDivide(Wide{need.most.count()} * kFullSpeed, length);
  }
  for (const auto& [port, time] : need.ports) {
    const Wide share = ceilDivide(Wide{time.count()} * kFullSpeed, length);
    shape.shares.push_back({port, static_cast<std::int64_t>(share)});
  }
  return shape;
}

Flows::Flows(const ActivityList& list, Contention contention)
    : contention_(contention), ports_(list.ports.size() + list.engines.size()) {}

void Flows::begin(ActivityId id, const FlowShape& shape, SimTime now) {
  if (running_ == flows_.size()) flows_.emplace_back();
  Flow& flow = flows_[running_++];
  flow.id = id;
  flow.rest = Wide{shape.length.count()} * kFullSpeed;
  flow.speed = 0;
  flow.pace = shape.pace;
  flow.since = now;
  flow.end = kMaxTime;  // Until it has a speed.
  flow.shares = shape.shares;
  changed_ = true;
}

SimTime Flows::nextEnd(SimTime now) {
  if (changed_) workOut(now);
  SimTime first = kMaxTime;
  for (const Flow& flow : flows()) first = std::min(first, flow.end);
  return first;
}

void Flows::takeEnded(SimTime now, std::vector<ActivityId>& ended) {
  for (std::size_t i = 0; i < running_;) {
    if (flows_[i].end > now) {
      ++i;
      continue;
    }
    ended.push_back(flows_[i].id);
    std::swap(flows_[i], flows_[--running_]);
    changed_ = true;
  }
}

void Flows::workOut(SimTime now) {
  changed_ = false;
  for (Flow& flow : flows()) flow.wanted = 0;
  if (contention_ == Contention::none || allAtFullSpeed()) {
    for (Flow& flow : flows()) flow.wanted = kFullSpeed;
  } else if (contention_ == Contention::inOrder) {
    fillInOrder();
  } else {
    fill();
  }
  for (Flow& flow : flows()) {
    if (flow.wanted == flow.speed) continue;  // Then its end is the same, too.
    flow.rest -= Wide{(now - flow.since).count()} * flow.speed;
    flow.speed = flow.wanted;
    flow.since = now;
    const Wide left = flow.rest * kForgiven - flow.speed;
    const Wide most = (kMaxTime - now).count();
    Wide length = 1;
    if (flow.speed == 0)
      length = most;
    else if (left > 0 &&
             flow.speed == kFullSpeed)  // Most are; a shift is much faster than a division.
      length = (left + kFullSpeed * kForgiven - 1) / (kFullSpeed * kForgiven);
    else if (left > 0)
      length = ceilDivide(left, flow.speed * kForgiven);
    flow.end = now + SimTime(static_cast<std::int64_t>(std::min(length, most)));
  }
}

/// Handles the common case: no port is asked for more than it has. Not where paces differ.
bool Flows::allAtFullSpeed() {
  if (contention_ == Contention::fair) return false;
  std::ranges::fill(ports_, Filling());
  for (const Flow& flow : flows()) {
    for (const auto& [port, share] : flow.shares) ports_[port].taken += share;
  }
  return std::ranges::all_of(ports_, [](const Filling& port) { return port.taken <= kFullSpeed; });
}

/// Activities are numbered in program order. The first has full speed, so that one ends.
void Flows::fillInOrder() {
  std::ranges::fill(ports_, Filling());
  order_.clear();
  for (Flow& flow : flows()) order_.push_back(&flow);
  std::ranges::sort(order_, {}, &Flow::id);
  for (Flow* flow : order_) {
    Wide speed = kFullSpeed;
    for (const auto& [port, share] : flow->shares) {
      speed = std::min(speed, (kFullSpeed * kFullSpeed - ports_[port].taken) / share);
    }
    flow->wanted = speed;
    for (const auto& [port, share] : flow->shares) ports_[port].taken += speed * share;
  }
}

void Flows::fill() {
  while (std::ranges::any_of(flows(), [](const Flow& flow) { return flow.wanted == 0; })) {
    stop(leastLevel());
  }
}

/// The level at which the next flows stop; leaves every port's own in `ports_`, -1 for one that
/// nobody rises at.
Wide Flows::leastLevel() {
  std::ranges::fill(ports_, Filling());
  Wide least = -1;
  const auto consider = [&](Wide level) { least = least < 0 ? level : std::min(least, level); };
  for (const Flow& flow : flows()) {
    if (flow.wanted == 0) consider(flow.pace);
    for (const auto& [port, share] : flow.shares) {
      if (flow.wanted > 0)
        ports_[port].taken += flow.wanted * share;
      else
        ports_[port].rising +=
            flow.pace == kFullSpeed ? share : ceilDivide(Wide{share} * kFullSpeed, flow.pace);
    }
  }
  for (Filling& port : ports_) {
    port.level = -1;
    if (port.rising == 0) continue;
    port.level = (kFullSpeed * kFullSpeed - port.taken) / port.rising;
    consider(port.level);
  }
  return least;
}

void Flows::stop(Wide least) {
  for (Flow& flow : flows()) {
    if (flow.wanted > 0) continue;
    const bool stops =
        flow.pace == least || std::ranges::any_of(flow.shares, [&](const PortShare& share) {
          return ports_[share.port].level == least;
        });
    if (!stops) continue;
    // Not slowed by this port. Also keeps the product below within 128 bits.
    if (flow.pace <= least)
      flow.wanted = kFullSpeed;
    else if (flow.pace == kFullSpeed)
      flow.wanted = least;
    else
      flow.wanted = least * kFullSpeed / flow.pace;
    flow.wanted = std::max(flow.wanted, Wide{1});
  }
}

}  // namespace hw
