#include "core/latency/timed_work.h"

#include <algorithm>
#include <numeric>

namespace hw {
namespace {

std::uint32_t numberOf(ActivityId id) {
  return id ? static_cast<std::uint32_t>(id.index()) : kNoActivity;
}

/// Of activities in one lane only the first, or only the last, has to be named.
class OncePerLane {
 public:
  explicit OncePerLane(const TimedWork& work) : work_(work), seen_(work.lanes.size()) {}

  template <class Visit>
  void forEach(std::span<const std::uint32_t> activities, const Visit& visit) {
    std::ranges::fill(seen_, false);
    for (const std::uint32_t activity : activities) {
      const std::uint32_t lane = work_.activities[activity].lane;
      if (lane != kNoActivity && seen_[lane]) continue;
      if (lane != kNoActivity) seen_[lane] = true;
      visit(activity);
    }
  }

 private:
  const TimedWork& work_;
  std::vector<char> seen_;
};

/// For each number below `size`, the lists of `lists` that hold it.
NumberLists inverted(const NumberLists& lists, std::size_t size) {
  std::vector<std::vector<std::uint32_t>> holders(size);
  for (std::uint32_t list = 0; list < lists.size(); ++list) {
    for (const std::uint32_t number : lists.of(list)) holders[number].push_back(list);
  }
  NumberLists result;
  for (const auto& each : holders) {
    for (const std::uint32_t list : each) result.add(list);
    result.endList();
  }
  return result;
}

}  // namespace

TimedWork::TimedWork(const ActivityList& given, const Problem& problem)
    : list(given), pools(problem.pools.size()) {
  const Waits hazards = hazardsOf(list).without(WaitRule::reuse);
  addActivities();
  addStays(problem);
  addWaits(hazards);
  addTouches(hazards);
  enters = inverted(entries, activities.size());
  leaves = inverted(exits, activities.size());
}

void TimedWork::addActivities() {
  std::vector<std::uint32_t> laneOf(list.engines.size(), kNoActivity);
  for (std::size_t i = 0; i < list.engines.size(); ++i) {
    if (list.engines[i].channels != 1) continue;
    laneOf[i] = static_cast<std::uint32_t>(lanes.size());
    lanes.emplace_back();
  }
  std::vector<std::uint32_t> onEngine(list.engines.size(), kNoActivity);
  std::vector<std::uint32_t> issued(list.devices.size(), kNoActivity);
  portTotals.resize(list.ports.size() + list.engines.size());
  for (const ActivityId id : list.activities.keys()) {
    const Activity& activity = list.activities[id];
    const FlowNeed need = flowNeed(list, activity);
    for (const auto& [port, time] : need.ports) {
      portTotals[port] = addTime(SimTime(portTotals[port]), time).count();
    }
    TimedActivity timed{.engine = activity.engine,
                        .lane = kNoActivity,
                        .engineBefore = kNoActivity,
                        .issuedBefore = kNoActivity,
                        .fixed = activity.fixed,
                        .flow = flowShape(need, list.contention)};
    if (activity.engine != Activity::kNoEngine) {
      timed.lane = laneOf[activity.engine];
      if (timed.lane != kNoActivity) {
        timed.inLane = static_cast<std::uint32_t>(lanes[timed.lane].size());
        lanes[timed.lane].push_back(numberOf(id));
      } else {
        timed.engineBefore = onEngine[activity.engine];
        onEngine[activity.engine] = numberOf(id);
      }
    }
    if (list.devices[activity.device].issue == Issue::inOrder) {
      timed.issuedBefore = issued[activity.device];
    }
    issued[activity.device] = numberOf(id);
    activities.push_back(std::move(timed));
  }
}

void TimedWork::addStays(const Problem& problem) {
  for (const StayId id : problem.stays.keys()) {
    const Stay& stay = problem.stays[id];
    stays.push_back({.pool = problem.poolOf(id),
                     .size = stay.size,
                     .alignment = stay.alignment,
                     .steps = stay.steps,
                     .opener = kNoActivity,
                     .pinned = stay.pinned.has_value()});
  }
}

void TimedWork::addWaits(const Waits& hazards) {
  ActivityId chained;  // All sequential devices share one chain.
  for (const ActivityId id : list.activities.keys()) {
    for (const Wait& wait : hazards.of(id)) waits.add(numberOf(wait.on));
    if (list.devices[list.activities[id].device].issue == Issue::sequential) {
      if (chained) waits.add(numberOf(chained));
      chained = id;
    }
    waits.endList();
  }
}

void TimedWork::addTouches(const Waits& hazards) {
  std::vector<std::vector<std::uint32_t>> touched(stays.size());
  for (const ActivityId id : list.activities.keys()) {
    for (const Access& access : list.activities[id].accesses) {
      auto& own = touched[access.stay.index()];
      if (own.empty() || own.back() != numberOf(id)) own.push_back(numberOf(id));
    }
  }
  OncePerLane once(*this);
  std::vector<std::uint32_t> touches(activities.size(), kNoActivity);
  std::vector<std::uint32_t> isLeft(activities.size(), kNoActivity);
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> last;
  for (std::uint32_t stay = 0; stay < stays.size(); ++stay) {
    first.clear();
    last.clear();
    if (!touched[stay].empty()) stays[stay].opener = touched[stay].front();
    for (const std::uint32_t activity : touched[stay]) {
      bool waiting = false;
      for (const Wait& wait : hazards.of(ActivityId(activity))) {
        if (touches[wait.on.index()] != stay) continue;
        waiting = true;
        isLeft[wait.on.index()] = stay;
      }
      touches[activity] = stay;
      if (!waiting) first.push_back(activity);
    }
    for (auto at = touched[stay].rbegin(); at != touched[stay].rend(); ++at) {
      if (isLeft[*at] != stay) last.push_back(*at);
    }
    once.forEach(first, [&](std::uint32_t activity) { entries.add(activity); });
    once.forEach(last, [&](std::uint32_t activity) { exits.add(activity); });
    entries.endList();
    exits.endList();
    if (stays[stay].opener != kNoActivity) byOpening.push_back(stay);
  }
  std::ranges::stable_sort(byOpening, {}, [&](std::uint32_t stay) { return stays[stay].opener; });
}

}  // namespace hw
