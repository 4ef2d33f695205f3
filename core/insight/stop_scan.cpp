#include "core/insight/stop_scan.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace hw {
namespace {

auto place(const StopPoint& point) { return std::tuple(point.step, point.moment); }

bool isLevel(StopKind kind) {
  return kind == StopKind::occupancyAbove || kind == StopKind::holeBelow;
}

/// Steps at which the run could not do what it should, ascending.
std::vector<StopPoint> failures(const Run& run) {
  std::vector<StopPoint> points;
  for (const StayId stay : run.plan.addresses.keys()) {
    // An online allocator ends at its first failure: what it never came to has not failed.
    const bool came = !run.plan.outOfMemory || run.plan.outOfMemory->stay == stay;
    if (run.plan.addresses[stay] || !came) continue;
    points.push_back(pointOfStep(run, run.problem.stays[stay].steps.begin));
  }
  for (const TimelineEntry& entry : run.timeline) {
    const auto& capacity = run.problem.pools[entry.pool].capacity;
    const bool takes = entry.happening != Happening::release && entry.happening != Happening::merge;
    if (!takes || !capacity) continue;
    const Bytes end = run.plan.regionStart(entry.pool, entry.region) + entry.offset + entry.size;
    if (end > *capacity) points.push_back({entry.lastEvent, entry.step});
  }
  std::ranges::sort(points, {}, place);
  return points;
}

}  // namespace

StopPoint pointOfStep(const Run& run, Step step) {
  const std::size_t first = run.trace.indexOfStep(step);
  std::size_t moment = run.trace.indexOfStep(step + Step(1));
  // Beside others, or without work of its own, the next step may have begun no later: then the
  // allocations of this step alone have come.
  if (moment <= first) {
    const auto takes = [&](const MemoryEvent& event) {
      return event.step == step.count() && event.kind != EventKind::free;
    };
    for (moment = first; moment < run.trace.size() && takes(run.trace.event(moment));) ++moment;
  }
  // Events behind the step's last allocation belong to its end, which has not come yet.
  while (moment > first && run.trace.event(moment - 1).kind != EventKind::alloc) --moment;
  return {moment, step};
}

/// The state of one pool, moved event by event in either direction, and whether a condition on it
/// holds.
class StopScan::Level {
 public:
  Level(const Run& run, const StopCondition& condition, std::size_t moment)
      : condition_(condition) {
    const MemoryState state = run.trace.stateAfter(moment);
    if (!state.contains(condition.pool)) return;
    map_ = state[condition.pool];
    if (condition.kind != StopKind::holeBelow) return;
    for (const RegionId region : IdRange<RegionId>(map_.regionCount())) {
      for (const Chunk& chunk : map_.chunks(region)) {
        if (chunk.isFree()) ++holes_[chunk.size];
      }
    }
  }

  bool holds() const {
    if (condition_.kind == StopKind::occupancyAbove) return map_.inUse() > condition_.bytes;
    const Bytes largest = holes_.empty() ? Bytes() : holes_.rbegin()->first;
    return largest < condition_.bytes;
  }

  void play(const MemoryEvent& event, bool forwards) {
    if (event.poolId() != condition_.pool) return;
    if (condition_.kind == StopKind::holeBelow) {
      countHoles(event, forwards ? event.kind : inverse(event.kind));
    }
    forwards ? map_.apply(event) : map_.revert(event);
  }

 private:
  Bytes chunkSize(RegionId region, Bytes offset) const {
    const auto chunk = map_.chunkAt(region, offset);
    return chunk ? chunk->size : Bytes();
  }

  /// Change that `kind` makes to the free chunks; the map is still as before it.
  void countHoles(const MemoryEvent& event, EventKind kind) {
    switch (kind) {
      case EventKind::extend:
      case EventKind::free:
        return add(event.size);
      case EventKind::shrink:
      case EventKind::alloc:
        return remove(event.size);
      case EventKind::split: {
        const Bytes whole = chunkSize(event.region, event.offset);
        remove(whole);
        add(event.size);
        return add(whole - event.size);
      }
      case EventKind::merge: {
        const Bytes above = chunkSize(event.region, event.offset);
        const Bytes below = chunkSize(event.region, event.offset - Bytes(1));
        remove(above);
        remove(below);
        return add(above + below);
      }
    }
  }

  void add(Bytes size) { ++holes_[size]; }
  void remove(Bytes size) {
    const auto found = holes_.find(size);
    if (found != holes_.end() && --found->second == 0) holes_.erase(found);
  }

  StopCondition condition_;
  ChunkMap map_;
  std::map<Bytes, std::size_t> holes_;  ///< Free chunks by size; kept for holeBelow only.
};

StopScan::~StopScan() = default;
StopScan::StopScan(StopScan&&) noexcept = default;
StopScan& StopScan::operator=(StopScan&&) noexcept = default;

StopScan::StopScan(const Run& run, const StopCondition& condition, StopPoint from, bool forwards)
    : run_(&run), condition_(condition), from_(from), forwards_(forwards), at_(from) {
  if (condition.kind == StopKind::step) {
    findPoint({pointOfStep(run, condition.step)});
  } else if (condition.kind == StopKind::allocationFails) {
    findPoint(failures(run));
  } else {
    startEvents(forwards);
  }
}

void StopScan::findPoint(const std::vector<StopPoint>& points) {
  state_ = State::notMet;
  for (const StopPoint& point : points) {
    const bool ahead = forwards_ ? place(point) > place(from_) : place(point) < place(from_);
    if (!ahead) continue;
    at_ = point;
    state_ = State::met;
    if (forwards_) return;
  }
}

void StopScan::startEvents(bool forwards) {
  const auto next =
      std::ranges::upper_bound(run_->timeline, from_.moment, {}, &TimelineEntry::lastEvent);
  entry_ = static_cast<std::size_t>(next - run_->timeline.begin());
  if (!isLevel(condition_.kind)) {
    // Backwards, the entry that ends at `from_` is passed over: the search is for an earlier one.
    const bool here = entry_ > 0 && run_->timeline[entry_ - 1].lastEvent == from_.moment;
    if (!forwards && here) --entry_;
    return;
  }
  level_ = std::make_unique<Level>(*run_, condition_, pointAfter(entry_).moment);
}

StopPoint StopScan::pointAfter(std::size_t entries) const {
  if (entries == 0) return {};
  const TimelineEntry& entry = run_->timeline[entries - 1];
  return {entry.lastEvent, entry.step};
}

bool StopScan::matches(const TimelineEntry& entry) const {
  if (entry.happening == Happening::merge) return false;
  const bool released = entry.happening == Happening::release;
  if (released != (condition_.kind == StopKind::freed)) return false;
  if (!condition_.stay || entry.stay == condition_.stay) return true;
  const BufferId buffer = run_->problem.stays[condition_.stay].buffer;
  return buffer && run_->problem.stays[entry.stay].buffer == buffer;
}

/// Moves the level over one entry, and says whether it comes to hold there in the order of time.
bool StopScan::crosses() {
  const bool before = level_->holds();
  // The events between the ends of two entries, those of no entry included.
  const std::size_t low = forwards_ ? pointAfter(entry_).moment : pointAfter(entry_ - 1).moment;
  const std::size_t high = forwards_ ? pointAfter(entry_ + 1).moment : pointAfter(entry_).moment;
  for (std::size_t i = 0; i < high - low; ++i) {
    level_->play(run_->trace.event(forwards_ ? low + i : high - 1 - i), forwards_);
  }
  const bool after = level_->holds();
  return forwards_ ? !before && after : before && !after;
}

/// Looks at one entry; true when the condition is met at its end.
bool StopScan::stepsOnce() {
  const std::size_t looked = forwards_ ? entry_ : entry_ - 1;
  const bool hit = level_ ? crosses() : matches(run_->timeline[looked]);
  entry_ = forwards_ ? entry_ + 1 : entry_ - 1;
  const StopPoint end = pointAfter(looked + 1);
  if (!hit || end.moment == from_.moment) {
    at_ = pointAfter(entry_);
    return false;
  }
  at_ = end;
  return true;
}

StopScan::State StopScan::advance(std::size_t entries) {
  for (std::size_t i = 0; i < entries && state_ == State::searching; ++i) {
    if (entry_ == (forwards_ ? run_->timeline.size() : 0)) {
      state_ = State::notMet;
    } else if (stepsOnce()) {
      state_ = State::met;
    }
  }
  return state_;
}

std::optional<StopPoint> findStop(const Run& run, const StopCondition& condition, StopPoint from,
                                  bool forwards) {
  StopScan scan(run, condition, from, forwards);
  if (scan.advance(std::numeric_limits<std::size_t>::max()) == StopScan::State::met) {
    return scan.at();
  }
  return std::nullopt;
}

}  // namespace hw
