#include "core/study/front.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "core/allocators/best.h"
#include "core/base/check.h"
#include "core/base/task_queue.h"
#include "core/base/text.h"
#include "core/latency/capacity_bound.h"
#include "core/latency/hasten_plan.h"
#include "core/plan/metrics.h"
#include "core/study/compare.h"

namespace hw {
namespace {

/// Capacities, in hundredths of what the lowest plan needs: closest where most is to be gained.
/// Behind the last each is half as much again, within reason.
constexpr std::int64_t kHundredths[] = {100, 105, 110, 116, 122, 134, 148, 177, 213, 283, 425, 637};
constexpr std::int64_t kMostHundredths = std::int64_t{1} << 40;
/// Larger capacities are not asked for once latency is so small a part above the wall.
constexpr std::int64_t kEnoughAbove = 2'000;
/// The first look at a capacity has so small a part of its budget, the second the others.
constexpr std::int64_t kRungParts = 16;
/// Progress so far when the first looks are over, and when the allocators are.
constexpr double kLooksDone = 0.1;
constexpr double kRowsDone = 0.3;

/// True if the bounds of `lowest` hold for `run`: it has the same stays, and as many activities.
bool hasStaysOf(const Run& run, const Run& lowest) {
  return hasSameStays(run.problem, lowest.problem) &&
         run.timing.activities.activities.size() == lowest.timing.activities.activities.size();
}

/// One capacity, and the fastest plan within it that was found.
struct Rung {
  Bytes capacity{};
  LatencySearchResult result{};

  TimedPlan& best() { return result.best; }
  SimTime latency() const { return result.best.latency; }
};

class FrontMaker {
 public:
  FrontMaker(const FrontOptions& options, const RunContext& context)
      : options_(options), context_(context) {}

  Result<Front> run(const std::shared_ptr<const Model>& model, const RunRequest& request) {
    front_.request = request;
    front_.request.l2 = {.kind = PoolSize::Kind::unbounded};
    HW_TRY(best, AllocatorChoice::parse(kDefaultAllocator));
    HW_TRY(fastest, AllocatorChoice::parse("best:for=latency"));
    fastest_ = fastest;
    front_.request.allocator = best;
    HW_TRY(lowest, execute(model, front_.request, {.stop = context_.stop}));
    front_.lowest = lowest;
    const ActivityList& list = lowest->timing.activities;
    if (list.activities.empty() || list.sequential()) {
      return fail(ErrorCode::unsupported,
                  list.activities.empty()
                      ? "nothing in it takes time: a front is about the operators of a graph"
                      : fmt::format("on platform '{}' one thing follows the other: capacity buys "
                                    "no time there",
                                    request.platform.name));
    }
    if (const auto why = cannotHasten(lowest->problem, list); !why.empty()) {
      return fail(ErrorCode::unsupported, std::string(why));
    }
    const TimedWork work(list, lowest->problem);
    front_.leastPeak = lowerBound(lowest->problem, PoolId(0));
    front_.leastLatency = capacityBound(work, capacitiesOf(lowest->problem)).time;
    lookFirst(work);
    addAllocators(model);
    report();
    search(work);
    carry();
    show();
    front_.stopped = context_.stop.stop_requested();
    return std::move(front_);
  }

 private:
  void tell(double done, const std::string& what) const {
    if (context_.progress) context_.progress(done, what);
  }

  void report() {
    if (!options_.report) return;
    show();
    options_.report(front_);
  }

  void addAllocators(const std::shared_ptr<const Model>& model) {
    RunContext context{.stop = context_.stop};
    context.progress = [&](double done, const std::string& what) {
      tell(kLooksDone + (kRowsDone - kLooksDone) * done, what);
    };
    const Comparison compared = compareAllocators(model, front_.request, options_.choices, context);
    for (const ComparisonRow& row : compared.rows) {
      if (!row.fits() || !row.figures.latency) continue;
      front_.allocators.push_back({.choice = row.allocator,
                                   .made = row.allocator.text(),
                                   .peak = row.figures.peakL2,
                                   .latency = *row.figures.latency,
                                   .run = row.run,
                                   .ownStays = !hasStaysOf(*row.run, *front_.lowest)});
    }
    std::ranges::stable_sort(front_.allocators, {}, &FrontPoint::peak);
  }

  /// The next larger one; nothing: that were all.
  std::optional<Bytes> nextCapacity() {
    const Bytes peak = front_.lowest->plan.footprint(PoolId(0));
    for (; asked_ < std::max<std::size_t>(options_.points, 1); ++asked_) {
      hundredths_ = asked_ < std::size(kHundredths)
                        ? kHundredths[asked_]
                        : std::min(hundredths_ * 3 / 2, kMostHundredths);
      const Wide bytes = (Wide{peak.count()} * hundredths_ + 99) / 100;
      const Bytes capacity(static_cast<std::int64_t>(std::min(bytes, Wide{kMaxBytes.count()})));
      if (rungs_.empty() || capacity > rungs_.back().capacity) return capacity;
    }
    return std::nullopt;
  }

  /// More memory makes nothing faster by more than a trace: reuse costs nothing, or the wall is
  /// met.
  bool isLast(const Rung& rung) const {
    const std::int64_t least = front_.leastLatency.count();
    return rung.latency() <= rung.result.apart ||
           rung.latency().count() - least <= least / kEnoughAbove;
  }

  /// Goes from capacity to capacity, each time from the plan before, until nothing more is gained.
  void lookFirst(const TimedWork& work) {
    while (const auto capacity = nextCapacity()) {
      if (!rungs_.empty() && context_.stop.stop_requested()) return;
      tell(kLooksDone * static_cast<double>(rungs_.size()) / static_cast<double>(options_.points),
           fmt::format("the fastest plan within {}", formatBytes(*capacity)));
      rungs_.push_back({.capacity = *capacity});
      rungs_.back().result = searchAt(work, rungs_.size() - 1, 1);
      report();
      if (isLast(rungs_.back())) return;
    }
  }

  /// Spends the budgets that are left. Each search sets out from what was found first at its own
  /// capacity and the one before, so that it makes no difference how many there are at a time.
  void search(const TimedWork& work) {
    raiseBounds();
    std::vector<std::optional<LatencySearchResult>> found(rungs_.size());
    std::mutex mutex;
    std::size_t done = 0;
    runTasks(rungs_.size(), front_.request.threads, [&](std::size_t i) {
      if (context_.stop.stop_requested()) return;
      if (!rungs_[i].result.proved() && !isLast(rungs_[i])) {
        found[i] = searchAt(work, i, kRungParts - 1);
      }
      const std::lock_guard lock(mutex);
      ++done;
      tell(kRowsDone +
               (1 - kRowsDone) * static_cast<double>(done) / static_cast<double>(rungs_.size()),
           fmt::format("{} of {} capacities done", done, rungs_.size()));
    });
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i]) rungs_[i].result = *std::move(found[i]);
    }
  }

  LatencySearchResult searchAt(const TimedWork& work, std::size_t rung, std::int64_t parts) const {
    const Problem problem = within(rungs_[rung].capacity);
    const PlanContext context{.stop = context_.stop, .seed = front_.request.seed};
    std::vector<TimedPlan> starts = latencyStarts(problem, front_.lowest->plan, context);
    for (const std::size_t i : {rung - 1, rung}) {
      if (i < rungs_.size() && !rungs_[i].result.best.offsets.empty()) {
        starts.push_back(rungs_[i].result.best);
      }
    }
    for (const FrontPoint& point : front_.allocators) {
      if (point.ownStays || point.peak > rungs_[rung].capacity) continue;
      starts.push_back({.offsets = offsetsOf(point.run->plan), .winner = point.made});
    }
    const LatencySearchResult& before = rungs_[rung].result;
    const std::int64_t looks = options_.nodes * kLooksOfANode;
    return searchLatency(
        work, std::move(starts),
        {.capacities = capacitiesOf(problem),
         .bound = before.best.offsets.empty() ? std::nullopt : std::optional(before.bound),
         .looks = looks / kRungParts * parts,
         .seconds = options_.seconds * static_cast<double>(parts) / kRungParts,
         .apartIsEnough = true,
         .seed = front_.request.seed,
         .stop = context_.stop});
  }

  Problem within(Bytes capacity) const {
    Problem problem = front_.lowest->problem;
    problem.pools[PoolId(0)].capacity = capacity;
    return problem;
  }

  /// A plan counts wherever it fits.
  void carry() {
    for (std::size_t i = rungs_.size(); i-- > 1;) {
      const bool fits = planOf(rungs_[i])->footprint(PoolId(0)) <= rungs_[i - 1].capacity;
      if (fits && rungs_[i].latency() < rungs_[i - 1].latency()) {
        rungs_[i - 1].best() = rungs_[i].best();
      }
    }
    for (std::size_t i = 1; i < rungs_.size(); ++i) {
      if (rungs_[i - 1].latency() < rungs_[i].latency()) rungs_[i].best() = rungs_[i - 1].best();
    }
  }

  std::shared_ptr<const Plan> planOf(const Rung& rung) const {
    const Problem problem = within(rung.capacity);
    Plan plan = front_.lowest->plan;
    setOffsets(rung.result.best.offsets, plan);
    plan.regions = {};
    plan.story.clear();
    plan.status = PlanStatus::complete;
    plan.notes = {proofText(problem, rung.result)};
    plan.tables.clear();
    return std::make_shared<const Plan>(finishPlan(problem, std::move(plan), false));
  }

  /// A bound of a capacity holds for every smaller one.
  void raiseBounds() {
    for (std::size_t i = rungs_.size(); i-- > 1;) {
      const LatencyBound& more = rungs_[i].result.bound;
      LatencyBound& bound = rungs_[i - 1].result.bound;
      if (more.time > bound.time) bound = more;
    }
  }

  /// Those that are faster than what takes less.
  void show() {
    raiseBounds();
    front_.found.clear();
    for (const Rung& rung : rungs_) {
      const SimTime bound = rung.result.bound.time;
      check(bound <= rung.latency(), "a latency that is not below its bound");
      if (!front_.found.empty() && rung.latency() >= front_.found.back().latency) continue;
      const auto plan = planOf(rung);
      front_.found.push_back({.choice = fastest_,
                              .made = rung.result.best.winner,
                              .peak = plan->footprint(PoolId(0)),
                              .latency = rung.latency(),
                              .capacity = rung.capacity,
                              .bound = bound,
                              .plan = plan});
    }
  }

  const FrontOptions& options_;
  const RunContext& context_;
  AllocatorChoice fastest_;
  Front front_;
  std::vector<Rung> rungs_;  ///< By capacity.
  std::size_t asked_ = 0;    ///< Capacities, equal ones among them.
  std::int64_t hundredths_ = 0;
};

}  // namespace

RunRequest Front::requestOf(const FrontPoint& point) const {
  RunRequest opened = request;
  opened.allocator = point.choice;
  if (point.capacity) opened.l2 = {.kind = PoolSize::Kind::bytes, .bytes = *point.capacity};
  return opened;
}

std::shared_ptr<const Run> Front::runOf(const FrontPoint& point) const {
  return point.run ? point.run : replanned(*lowest, *point.plan, requestOf(point));
}

Result<Front> makeFront(const std::shared_ptr<const Model>& model, const RunRequest& request,
                        const FrontOptions& options, const RunContext& context) {
  return FrontMaker(options, context).run(model, request);
}

}  // namespace hw
