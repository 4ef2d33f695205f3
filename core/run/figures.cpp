#include "core/run/figures.h"

#include <algorithm>
#include <map>

#include "core/graph/tiling.h"
#include "core/run/embedded.h"
#include "core/run/planner.h"
#include "core/sim/op_timing.h"

namespace hw {
namespace {

bool isWhole(const Plan& plan) {
  return !plan.outOfMemory &&
         std::ranges::all_of(plan.addresses, [](const auto& at) { return at.has_value(); });
}

Bytes inputsOutside(const Run& run) {
  Bytes bytes;
  if (!run.request.plansInputs() || run.sharing.planInputs) return bytes;
  for (const TensorId id : run.graph().inputs) {
    const Tensor& tensor = run.graph().tensors[id];
    if (tensor.bytes && !tensor.constant) bytes += alignUp(*tensor.bytes, run.sharing.alignment);
  }
  return bytes;
}

void addFragmentation(const PlanMetrics& metrics, RunFigures& figures) {
  const auto used =
      std::ranges::find_if(metrics.pools, [](const PoolMetrics& pool) { return pool.stays > 0; });
  const bool empty = used == metrics.pools.end();
  figures.fragmentationAtPeak = empty ? 0 : used->atPeak.ratio();
  figures.fragmentation = empty ? 0 : used->averageFragmentation;
}

void addTimes(const Run& run, RunFigures& figures) {
  if (run.timing.ops.empty()) return;
  figures.latency = run.timing.makespan;
  figures.latencyBound = run.timing.account.ofOrder.time;
  figures.reuseWaits = run.timing.account.reuse.waits;
  figures.energy = run.timing.energyPicojoules;
  Bytes moved;
  for (const Traffic& traffic : run.timing.traffic) moved = addMoved(moved, traffic.total());
  figures.moved = moved;
}

/// True for inputs and outputs of runs whose buffers move: they begin and end far away, not
/// spilled.
bool belongsFar(const Run& run, StayId id) {
  if (run.problem.moves.empty()) return false;
  const Buffer& buffer = run.storage.buffers[run.problem.stays[id].buffer];
  const auto given = [&](TensorId tensor) { return isGiven(run.graph(), tensor); };
  return buffer.graphOutput || std::ranges::any_of(buffer.tensors, given);
}

Bytes spilledBytes(const Run& run) {
  Bytes spilled;
  for (const StayId id : run.problem.stays.keys()) {
    const PoolId pool = run.plan.addresses[id]->pool;
    if (run.problem.pools[pool].level > 0 && !belongsFar(run, id)) {
      spilled += run.problem.stays[id].size;
    }
  }
  return spilled;
}

/// The bytes of a buffer in which tensors overlap, as rectangles that do not: bytes in which some
/// tensor is live, for as long as one is.
class LiveStrips {
 public:
  struct Strip {
    Interval<Bytes> bytes{};
    Interval<Step> steps{};
  };

  /// In the order of first steps.
  void add(const Interval<Bytes>& bytes, const Interval<Step>& steps) {
    splitAt(bytes.begin);
    splitAt(bytes.end);
    Bytes covered = bytes.begin;
    auto at = open_.lower_bound(bytes.begin);
    for (; at != open_.end() && at->first < bytes.end; ++at) {
      if (covered < at->first) open_.emplace(covered, Open{at->first, steps});
      covered = at->second.end;
      Interval<Step>& life = at->second.steps;
      if (life.end < steps.begin) {
        closed_.push_back({{at->first, at->second.end}, life});
        life = steps;
      }
      life.end = std::max(life.end, steps.end);
    }
    if (covered < bytes.end) open_.emplace(covered, Open{bytes.end, steps});
  }

  std::vector<Strip> strips() && {
    for (const auto& [begin, strip] : open_) closed_.push_back({{begin, strip.end}, strip.steps});
    return std::move(closed_);
  }

 private:
  struct Open {
    Bytes end{};
    Interval<Step> steps{};
  };

  void splitAt(Bytes place) {
    auto above = open_.upper_bound(place);
    if (above == open_.begin()) return;
    auto& [begin, strip] = *std::prev(above);
    if (begin == place || strip.end <= place) return;
    open_.emplace_hint(above, place, strip);
    strip.end = place;
  }

  std::map<Bytes, Open> open_;  ///< By first byte; disjoint.
  std::vector<Strip> closed_;
};

std::vector<LiveStrips::Strip> stripsOf(const Graph& graph, const Storage& storage,
                                        const Buffer& buffer, const Stay& stay) {
  std::vector<TensorId> tensors = buffer.tensors;
  std::ranges::stable_sort(tensors, {}, [&](TensorId id) { return storage.lifetimes[id].begin; });
  LiveStrips strips;
  for (const TensorId id : tensors) {
    const Bytes begin = storage.slots[id]->offset;
    const Bytes end = alignUp(begin + *graph.tensors[id].bytes, stay.alignment);
    strips.add({begin, std::min(end, stay.size)}, storage.lifetimes[id]);
  }
  return std::move(strips).strips();
}

}  // namespace

PlanMetrics measureOwnPlan(const Graph& graph, const Storage& storage, const Problem& problem,
                           const Plan& plan) {
  Problem strips{.pools = problem.pools, .steps = problem.steps};
  Plan there{.status = plan.status, .regions = plan.regions};
  for (const StayId id : problem.stays.keys()) {
    const Stay& stay = problem.stays[id];
    const Buffer& buffer = storage.buffers[stay.buffer];
    const auto& address = plan.addresses[id];
    if (buffer.tensors.size() < 2 || !address) {
      strips.stays.add(stay);
      there.addresses.add(address);
      continue;
    }
    for (const auto& strip : stripsOf(graph, storage, buffer, stay)) {
      strips.stays.add({.steps = strip.steps, .size = strip.bytes.length(), .pool = stay.pool});
      there.addresses.add(
          Address{address->pool, address->region, address->offset + strip.bytes.begin});
    }
  }
  if (strips.stays.size() == problem.stays.size()) return measure(problem, plan);
  PlanMetrics metrics = measure(strips, there);
  for (PoolMetrics& pool : metrics.pools) {
    pool.stays =
        static_cast<std::size_t>(std::ranges::count_if(plan.addresses, [&](const auto& address) {
          return address && address->pool == pool.pool;
        }));
  }
  return metrics;
}

RunFigures figuresOf(const Run& run) {
  RunFigures figures{.whole = isWhole(run.plan),
                     .fits = fits(run),
                     .lowerBound = run.metrics.lowerBound,
                     .inputsOutside = inputsOutside(run),
                     .planSeconds = run.planSeconds};
  for (const PoolId pool : run.problem.pools.keys()) {
    if (run.problem.pools[pool].level == 0) figures.peakL2 += run.plan.footprint(pool);
  }
  figures.peakL3 = run.plan.footprint() - figures.peakL2;
  if (!figures.whole) return figures;
  figures.gap = run.metrics.gap();
  figures.reuse = run.metrics.reuse;
  addFragmentation(run.metrics, figures);
  figures.spilled = spilledBytes(run);
  addTimes(run, figures);
  return figures;
}

double BatchFigures::perSecond() const {
  constexpr double kPicoseconds = 1e12;
  if (interval == SimTime()) return 0;
  return kPicoseconds / interval.real();
}

std::optional<BatchFigures> batchFiguresOf(const Run& run) {
  const std::size_t count = batchesOf(run.graph());
  if (count == 1 || run.timing.ops.empty()) return std::nullopt;
  BatchFigures figures{.ends = std::vector<SimTime>(count)};
  const ActivityList& list = run.timing.activities;
  for (const ActivityId id : list.activities.keys()) {
    const Activity& activity = list.activities[id];
    // Loads may be for an inference behind it.
    if (activity.kind == ActivityKind::load || activity.step >= run.schedule.steps()) continue;
    SimTime& end = figures.ends[batchOf(run.graph(), run.schedule.opAt(activity.step))];
    end = std::max(end, run.timing.times[id].end);
  }
  const std::size_t first = (count - 1) / 2;
  const SimTime later = figures.ends.back() - figures.ends[first];
  figures.interval = SimTime(std::max<std::int64_t>(later.count(), 0) /
                             static_cast<std::int64_t>(count - 1 - first));
  return figures;
}

Bytes reservedBytes(const Run& run, PoolId pool) {
  const Platform& platform = run.request.platform;
  const bool spread = !run.partition.deviceOf.empty();
  const MachinePools machine = machinePools(platform, spread ? platform.devices.size() : 1);
  if (!machine.pools.contains(pool) || !run.problem.pools.contains(pool)) return {};
  const PoolSpec& spec = *machine.pools[pool].spec;
  const auto& capacity = run.problem.pools[pool].capacity;
  return capacity && capacity == spec.target() ? spec.reserved : Bytes();
}

}  // namespace hw
