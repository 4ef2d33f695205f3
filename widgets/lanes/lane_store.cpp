#include "widgets/lanes/lane_store.h"

#include <algorithm>
#include <span>

#include "core/base/text.h"
#include "core/insight/latency_words.h"
#include "core/sim/cost_model.h"
#include "widgets/text/run_text.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

double ratio(SimTime part, SimTime whole) {
  if (whole == SimTime()) return 0;
  return static_cast<double>(part.count()) / static_cast<double>(whole.count());
}

SimTime of(const std::vector<SimTime>& sums, Step step) {
  const auto index = static_cast<std::size_t>(step.count());
  return sums[index + 1] - sums[index];
}

}  // namespace

/// Makes a lane for everything that could work, and leaves out at the end what never did.
class LaneStore::Builder {
 public:
  explicit Builder(const Run& run) : run_(run) {
    const bool several = !run.partition.deviceOf.empty();
    const auto devices = std::span(run.request.platform.devices)
                             .first(several ? run.request.platform.devices.size() : 1);
    const auto addLane = [&](Lane::Kind kind, const DeviceSpec& device, const std::string& name) {
      store_.lanes_.push_back({kind, printable(several ? device.name + "/" + name : name)});
    };
    for (const DeviceSpec& device : devices) {
      firstUnit_.push_back(store_.lanes_.size());
      for (const UnitSpec& unit : device.units) addLane(Lane::Kind::unit, device, unit.name);
    }
    firstPool_ = store_.lanes_.size();
    for (const auto& [spec, device] : machinePools(run.request.platform, devices.size()).pools) {
      const bool own = several && !spec->shared;
      store_.lanes_.push_back(
          {Lane::Kind::memory,
           printable(own ? devices[device].name + "/" + spec->name : spec->name)});
    }
    copies_ = store_.lanes_.size();
    store_.lanes_.push_back({Lane::Kind::copies, "copies"});
    store_.work_.assign(store_.lanes_.size(), {{SimTime()}, {SimTime()}});
  }

  LaneStore build() {
    auto copy = run_.timing.transfers.begin();
    for (std::size_t step = 0; step < run_.timing.ops.size(); ++step) {
      SimTime copied;
      for (; copy != run_.timing.transfers.end() &&
             copy->step <= Step(static_cast<std::int64_t>(step));
           ++copy) {
        copied = addTime(copied, copy->time.length());
      }
      add(step, run_.timing.ops[step], copied);
    }
    dropIdle();
    return std::move(store_);
  }

 private:
  static void append(Sums& sums, SimTime time) { sums.push_back(addTime(sums.back(), time)); }

  void add(std::size_t step, const OpTiming& op, SimTime copied) {
    std::vector<SimTime> busy(store_.lanes_.size());
    const std::size_t unit = firstUnit_[deviceOf(step)] + op.unit;
    busy[unit] = op.compute;
    std::size_t slowest = unit;
    for (const PoolId pool : op.memory.keys()) {
      const std::size_t lane = firstPool_ + pool.index();
      busy[lane] = op.memory[pool];
      if (busy[lane] > busy[slowest]) slowest = lane;
    }
    busy[copies_] = copied;
    for (std::size_t lane = 0; lane < busy.size(); ++lane) {
      Work& work = store_.work_[lane];
      const bool decides = lane == slowest || lane == copies_;
      append(work.busy, busy[lane]);
      append(work.deciding, decides ? busy[lane] : SimTime());
    }
    append(store_.copies_, copied);
    append(store_.ends_, addTime(copied, op.time.length()));
  }

  std::size_t deviceOf(std::size_t step) const {
    if (run_.partition.deviceOf.empty()) return 0;
    return run_.partition.deviceOf[run_.schedule.opAt(Step(static_cast<std::int64_t>(step)))];
  }

  void dropIdle() {
    for (std::size_t lane = store_.lanes_.size(); lane-- > 0;) {
      if (store_.work_[lane].busy.back() > SimTime()) continue;
      store_.lanes_.erase(store_.lanes_.begin() + static_cast<std::ptrdiff_t>(lane));
      store_.work_.erase(store_.work_.begin() + static_cast<std::ptrdiff_t>(lane));
    }
  }

  const Run& run_;
  LaneStore store_;
  std::vector<std::size_t> firstUnit_;  ///< By device.
  std::size_t firstPool_ = 0;
  std::size_t copies_ = 0;
};

LaneStore LaneStore::of(const Run& run) { return Builder(run).build(); }

SimTime LaneStore::timeOf(Step step) const { return hw::of(ends_, step); }

SimTime LaneStore::busyTime(std::size_t lane, Step step) const {
  return hw::of(work_[lane].busy, step);
}

LaneStore::Part LaneStore::part(std::size_t lane, Step step) const {
  const SimTime whole = timeOf(step);
  const SimTime busy = busyTime(lane, step);
  const bool copies = lanes_[lane].kind == Lane::Kind::copies;
  const double begin = copies ? 0 : ratio(hw::of(copies_, step), whole);
  return {begin, begin + ratio(busy, whole),
          busy > SimTime() && hw::of(work_[lane].deciding, step) == busy};
}

LaneStore::Share LaneStore::share(std::size_t lane, Step from, Step to) const {
  const auto sum = [&](const Sums& sums) {
    return sums[static_cast<std::size_t>(to.count())] -
           sums[static_cast<std::size_t>(from.count())];
  };
  const SimTime whole = sum(ends_);
  return {ratio(sum(work_[lane].busy), whole), ratio(sum(work_[lane].deciding), whole)};
}

QStringList activityLines(const Run& run, ActivityId activity) {
  const ActivityTime& time = run.timing.times[activity];
  const Activity& what = run.timing.activities.activities[activity];
  QStringList lines{viewText(activityWords(run, activity))};
  lines.append(tr("%1 to %2 (%3)")
                   .arg(timeText(time.start), timeText(time.end), timeText(time.end - time.start)));
  if (what.engine != Activity::kNoEngine) {
    lines.append(tr("on %1").arg(viewText(run.timing.activities.engines[what.engine].name)));
  }
  const QString cause = viewText(causeWords(run, activity));
  if (!cause.isEmpty()) lines.append(cause);
  return lines;
}

QStringList portLines(const Run& run, const PortLane& lane, SimTime time) {
  constexpr std::size_t kMost = 4;
  const auto steps = lane.between(onAxis(time), onAxis(time) + 1);
  const double rate = steps.empty() ? 0 : steps.front().bytesPerSecond();
  QStringList lines{
      tr("%1 at %2: %3")
          .arg(viewText(lane.name()), timeText(time), viewText(lane.rateWords(rate)))};
  const ActivityList& list = run.timing.activities;
  const auto flows = flowsAt(list, run.timing.times, lane.curve().port, time);
  for (const ActivityId id : std::span(flows).first(std::min(kMost, flows.size()))) {
    lines.append(viewText(activityWords(run, id)));
  }
  if (flows.size() > kMost) lines.append(tr("and %1 more").arg(flows.size() - kMost));
  return lines;
}

ActivityId nextOnPath(const Run& run, ActivityId from) {
  const auto& path = run.timing.account.criticalPath;
  if (path.empty()) return {};
  if (!from) return path.front();
  const auto own = std::ranges::find(path, from);
  if (own != path.end()) return std::next(own) == path.end() ? ActivityId() : *std::next(own);
  const auto& times = run.timing.times;
  const auto later =
      std::ranges::find_if(path, [&](ActivityId id) { return times[id].start >= times[from].end; });
  return later == path.end() ? path.back() : *later;
}

}  // namespace hw
