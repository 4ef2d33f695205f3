#include "core/picture/gantt_store.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace hw {

namespace {

/// Adds what of a bar and of its stall lies before `to`.
void addPart(GanttStore::Sums& sums, const GanttBar& bar, double to) {
  const auto add = [&](std::size_t look, SimTime begin, SimTime end) {
    const double part = std::min(to, onAxis(end)) - onAxis(begin);
    if (part > 0) sums[look] += static_cast<std::int64_t>(part);
  };
  add(GanttLook::of(bar.kind, bar.critical), bar.begin, bar.end);
  if (bar.idle < bar.begin) add(GanttLook::of(bar.rule), bar.idle, bar.begin);
}

void addWhole(GanttStore::Sums& sums, const GanttBar& bar) {
  sums[GanttLook::of(bar.kind, bar.critical)] += (bar.end - bar.begin).count();
  if (bar.idle < bar.begin) sums[GanttLook::of(bar.rule)] += (bar.begin - bar.idle).count();
}

/// Puts the activities of one engine on its channels, and those without an engine on as many as
/// they need.
class EngineRows {
 public:
  explicit EngineRows(const Run& run) : run_(run) {
    const auto& path = run.timing.account.criticalPath;
    critical_.assign(run.timing.times.size(), false);
    for (const ActivityId id : path) critical_[id.index()] = true;
  }

  GanttStore store() {
    const ActivityList& list = run_.timing.activities;
    std::vector<std::vector<ActivityId>> byEngine(list.engines.size() + 1);
    for (const ActivityId id : list.activities.keys()) {
      byEngine[std::min<std::size_t>(list.activities[id].engine, list.engines.size())].push_back(
          id);
    }
    for (std::size_t engine = 0; engine < byEngine.size(); ++engine) {
      addEngine(engine, std::move(byEngine[engine]));
    }
    return {std::move(rows_), std::move(bars_)};
  }

 private:
  void addEngine(std::size_t engine, std::vector<ActivityId> activities) {
    const auto start = [&](ActivityId id) { return run_.timing.times[id].start; };
    std::ranges::stable_sort(activities, {}, start);
    const std::size_t first = bars_.size();
    for (const ActivityId id : activities) {
      std::size_t row = first;
      while (row < bars_.size() && bars_[row].back().end > start(id)) ++row;
      if (row == bars_.size()) bars_.emplace_back();
      bars_[row].push_back(barOf(id, bars_[row]));
    }
    for (std::size_t row = first; row < bars_.size(); ++row) {
      rows_.push_back(rowOf(engine, row - first, bars_.size() - first));
    }
  }

  GanttBar barOf(ActivityId id, const std::vector<GanttBar>& before) const {
    const ActivityTime& time = run_.timing.times[id];
    const SimTime free = before.empty() ? SimTime() : before.back().end;
    const Activity& what = run_.timing.activities.activities[id];
    // Without an engine there is nothing that could stand still.
    const bool stalls = time.cause.has_value() && what.engine != Activity::kNoEngine;
    return {.activity = id,
            .idle = stalls ? std::min(std::max(time.idle, free), time.start) : time.start,
            .begin = time.start,
            .end = time.end,
            .kind = what.kind,
            .rule = stalls ? time.cause->rule : WaitRule::data,
            .critical = critical_[id.index()]};
  }

  GanttRow rowOf(std::size_t engine, std::size_t channel, std::size_t channels) const {
    const ActivityList& list = run_.timing.activities;
    std::string name = "no engine";
    bool dma = true;
    if (engine < list.engines.size()) {
      const Engine& own = list.engines[engine];
      const bool several = list.devices.size() > 1;
      name = printable(several ? list.devices[own.device].name + "/" + own.name : own.name, 40);
      dma = own.dma;
    }
    if (channels > 1) name += fmt::format(" {}", channel + 1);
    return {std::move(name), dma};
  }

  const Run& run_;
  std::vector<bool> critical_;
  std::vector<GanttRow> rows_;
  std::vector<std::vector<GanttBar>> bars_;
};

}  // namespace

GanttStore::GanttStore(std::vector<GanttRow> rows, std::vector<std::vector<GanttBar>> bars)
    : rows_(std::move(rows)), bars_(std::move(bars)), zones_(bars_.size()) {
  for (std::size_t row = 0; row < bars_.size(); ++row) {
    Sums sums{};
    zones_[row].reserve(bars_[row].size() / kZone + 1);
    for (std::size_t i = 0; i < bars_[row].size(); ++i) {
      const GanttBar& bar = bars_[row][i];
      if (i % kZone == 0) zones_[row].push_back({bar.idle, sums});
      addWhole(sums, bar);
    }
    for (std::size_t look = 0; look < sums.size(); ++look) total_[look] += sums[look];
  }
}

GanttStore GanttStore::of(const Run& run) {
  return run.timing.times.empty() ? GanttStore() : EngineRows(run).store();
}

std::span<const GanttBar> GanttStore::between(std::size_t row, double from, double to) const {
  const std::vector<GanttBar>& bars = bars_[row];
  const auto first =
      std::ranges::upper_bound(bars, from, {}, [](const GanttBar& bar) { return onAxis(bar.end); });
  const auto last =
      std::ranges::lower_bound(bars, to, {}, [](const GanttBar& bar) { return onAxis(bar.idle); });
  return first < last ? std::span(first, last) : std::span<const GanttBar>();
}

GanttStore::Sums GanttStore::until(std::size_t row, double to) const {
  const std::vector<Zone>& zones = zones_[row];
  const auto after =
      std::ranges::lower_bound(zones, to, {}, [](const Zone& zone) { return onAxis(zone.begin); });
  if (after == zones.begin()) return {};
  Sums sums = std::prev(after)->before;
  const auto first = static_cast<std::size_t>(after - zones.begin() - 1) * kZone;
  const std::size_t end = std::min(first + kZone, bars_[row].size());
  for (std::size_t i = first; i < end && onAxis(bars_[row][i].idle) < to; ++i) {
    addPart(sums, bars_[row][i], to);
  }
  return sums;
}

GanttStore::Sums GanttStore::sums(std::size_t row, double from, double to) const {
  Sums sums = until(row, to);
  const Sums before = until(row, from);
  for (std::size_t look = 0; look < sums.size(); ++look) sums[look] -= before[look];
  return sums;
}

std::optional<GanttStore::Place> GanttStore::find(ActivityId activity, SimTime begin) const {
  for (std::size_t row = 0; row < bars_.size(); ++row) {
    const std::vector<GanttBar>& bars = bars_[row];
    auto bar = std::ranges::lower_bound(bars, begin, {}, &GanttBar::begin);
    for (; bar != bars.end() && bar->begin == begin; ++bar) {
      if (bar->activity == activity)
        return Place{row, static_cast<std::size_t>(bar - bars.begin())};
    }
  }
  return {};
}

}  // namespace hw
