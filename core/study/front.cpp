#include "core/study/front.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/allocators/best_search.h"
#include "core/base/text.h"
#include "core/latency/capacity_bound.h"
#include "core/latency/hasten_plan.h"
#include "core/plan/metrics.h"
#include "core/run/replay.h"
#include "core/study/compare.h"

namespace hw {
namespace {

/// By how many percent each capacity exceeds the one before: least where most is to be gained.
constexpr int kSteps[] = {5, 5, 5, 5, 10, 10, 20, 20, 33, 50};
/// Larger capacities are not asked for once latency is so small a part above the wall.
constexpr std::int64_t kEnough = 2'000;
/// Share of the progress for planning by the allocators.
constexpr double kShareOfAllocators = 0.2;

/// Whether the bounds of `lowest` hold for `run`: it has the same stays, and as many activities.
bool hasStaysOf(const Run& run, const Run& lowest) {
  const auto equal = [](const Stay& a, const Stay& b) {
    return a.size == b.size && a.steps == b.steps && a.buffer == b.buffer;
  };
  return std::ranges::equal(run.problem.stays, lowest.problem.stays, equal) &&
         run.timing.activities.activities.size() == lowest.timing.activities.activities.size();
}

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
    const TimedWork work(list, lowest->problem);
    front_.leastPeak = lowerBound(lowest->problem, PoolId(0));
    front_.leastLatency = capacityBound(work, capacitiesOf(lowest->problem)).time;
    addAllocators(model);
    report();
    search(work);
    front_.stopped = context_.stop.stop_requested();
    return std::move(front_);
  }

 private:
  void tell(double done, const std::string& what) const {
    if (context_.progress) context_.progress(done, what);
  }

  void report() const {
    if (options_.report) options_.report(front_);
  }

  void addAllocators(const std::shared_ptr<const Model>& model) {
    RunContext context{.stop = context_.stop};
    context.progress = [&](double done, const std::string& what) {
      tell(kShareOfAllocators * done, what);
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

  void search(const TimedWork& work) {
    Problem problem = front_.lowest->problem;
    Bytes capacity = front_.lowest->plan.footprint(PoolId(0));
    for (std::size_t i = 0; i < std::max<std::size_t>(options_.points, 1); ++i) {
      if (context_.stop.stop_requested()) return;
      problem.pools[PoolId(0)].capacity = capacity;
      tell(kShareOfAllocators + (1 - kShareOfAllocators) * static_cast<double>(i) /
                                    static_cast<double>(options_.points),
           fmt::format("the fastest plan within {}", formatBytes(capacity)));
      const LatencySearchResult result = searchAt(work, problem);
      add(problem, result);
      const std::int64_t least = front_.leastLatency.count();
      if (result.best.latency.count() - least <= least / kEnough) return;
      const int more = kSteps[std::min(i, std::size(kSteps) - 1)];
      capacity = alignUp(Bytes(capacity.count() / 100 * (100 + more)), Bytes(64));
      report();
    }
  }

  LatencySearchResult searchAt(const TimedWork& work, const Problem& problem) const {
    const PlanContext context{.stop = context_.stop, .seed = front_.request.seed};
    auto starts = latencyStarts(problem, front_.lowest->plan, context);
    if (!front_.found.empty()) {
      const FrontPoint& before = front_.found.back();
      starts.push_back({.offsets = offsetsOf(*before.plan), .winner = before.made});
    }
    return searchLatency(work, std::move(starts),
                         {.capacities = capacitiesOf(problem),
                          .looks = options_.nodes * kLooksOfANode,
                          .seconds = options_.seconds,
                          .seed = front_.request.seed,
                          .stop = context_.stop});
  }

  void add(const Problem& problem, const LatencySearchResult& result) {
    Plan plan = front_.lowest->plan;
    setOffsets(result.best.offsets, plan);
    plan.regions = {};
    plan.story.clear();
    plan.status = PlanStatus::complete;
    plan.notes = {proofText(problem, result)};
    plan.tables.clear();
    auto finished = std::make_shared<const Plan>(finishPlan(problem, std::move(plan), false));
    front_.found.push_back({.choice = fastest_,
                            .made = result.best.winner,
                            .peak = finished->footprint(PoolId(0)),
                            .latency = result.best.latency,
                            .capacity = problem.pools[PoolId(0)].capacity,
                            .bound = result.bound.time,
                            .plan = finished});
  }

  const FrontOptions& options_;
  const RunContext& context_;
  AllocatorChoice fastest_;
  Front front_;
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

Result<Front> makeFront(std::shared_ptr<const Model> model, const RunRequest& request,
                        const FrontOptions& options, const RunContext& context) {
  return FrontMaker(options, context).run(model, request);
}

}  // namespace hw
