#include "core/run/planner.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/residency/residency.h"

namespace hw {
namespace {

/// Rounds of "spill what overshot, plan again" before the budget is halved instead.
constexpr int kGentleRounds = 16;

/// What each search of those rounds may take of the budget that is left.
constexpr double kShareOfARound = 0.125;

Result<Plan> planWithin(Problem& problem, const PlanOrder& order, const Allocator& allocator,
                        Bytes capacity) {
  const IdMap<StayId, Bytes> traffic = order.traffic();
  Bytes budget = capacity;
  SearchUse use{.share = kShareOfARound};
  PlanContext settings = order.settings;
  if (settings.use == nullptr) settings.use = &use;
  for (int round = 1;; ++round) {
    const auto pools = singleLevel(problem, traffic, budget);
    for (const StayId id : problem.stays.keys()) problem.stays[id].pool = pools[id];
    auto plan = allocator.plan(problem, settings);
    if (!plan) return plan;
    const Bytes overshoot = plan->footprint(PoolId(0)) - capacity;
    if (overshoot <= Bytes() || budget <= Bytes()) {
      if (budget < capacity) {
        plan->notes.push_back(fmt::format(
            "fragmentation overshot {}, so buffers were spilled to a budget of {} out of {} bytes",
            problem.pools[PoolId(0)].name, groupDigits(budget.count()),
            groupDigits(capacity.count())));
      }
      return plan;
    }
    // Smaller by the overshoot; by half where that would leave nothing, or takes too long.
    const Bytes smaller = budget - overshoot;
    const bool gentle = smaller > Bytes() && round < kGentleRounds;
    budget = gentle ? smaller : Bytes(budget.count() / 2);
  }
}

/// The pools cannot hold what is live at one step, whatever lives where.
bool impossible(const Problem& problem) {
  Bytes room;
  for (const ProblemPool& pool : problem.pools) {
    if (!pool.capacity) return false;
    room += *pool.capacity;
  }
  return lowerBound(problem) > room;
}

/// An allocator proves things about the stays it is given, each with its pool. Once something was
/// spilled that says nothing about other choices of what to spill.
void limitProof(const Problem& problem, Plan& plan) {
  const bool spilled = std::ranges::any_of(
      problem.stays, [](const Stay& stay) { return stay.pool && stay.pool != PoolId(0); });
  if (!spilled) return;
  Bytes footprint;
  for (const PoolId pool : problem.pools.keys()) footprint += plan.footprint(pool);
  if (plan.status == PlanStatus::optimal && footprint > lowerBound(problem)) {
    plan.status = PlanStatus::complete;
    plan.notes.emplace_back(
        "no pool can be smaller with these buffers in it; another choice of what to spill is not "
        "ruled out");
  } else if (plan.status == PlanStatus::infeasible && !impossible(problem)) {
    plan.status = PlanStatus::overBudget;
    plan.notes.emplace_back(
        "no plan fits with these buffers spilled; another choice is not ruled out");
  }
}

}  // namespace

PlanContext planSettings(const RunConfig& config, const RunContext& context) {
  return {.stop = context.stop,
          .seed = config.seed,
          .threads = config.threads,
          .timeLimit = config.timeLimit,
          .story = context.simulate,
          .progress = context.progress};
}

Result<Plan> planProblem(Problem& problem, const PlanOrder& order) {
  const auto allocator = order.allocator.make();
  const auto capacity = problem.pools[PoolId(0)].capacity;
  const bool decided = order.allocator.info->choosesPools || problem.pools.size() < 2;
  if (decided || !capacity) return allocator->plan(problem, order.settings);
  auto plan = planWithin(problem, order, *allocator, *capacity);
  if (plan) limitProof(problem, *plan);
  return plan;
}

std::optional<Bytes> capacityOf(const RunConfig& config, const DeviceSpec& device,
                                std::size_t pool) {
  const PoolSize& size = pool == 0 ? config.l2 : config.l3;
  switch (size.kind) {
    case PoolSize::Kind::platform:
      return device.pools[pool].target();
    case PoolSize::Kind::bytes:
      return size.bytes;
    case PoolSize::Kind::unbounded:
      break;
  }
  return std::nullopt;
}

Result<void> checkTotal(const Problem& problem) {
  Bytes total;
  for (const Stay& stay : problem.stays) {
    total += stay.size + stay.alignment;
    if (total > kMaxBytes) {
      return fail(ErrorCode::unsupported,
                  "the tensors add up to more than 2^60 bytes, more than can be planned");
    }
  }
  return {};
}

}  // namespace hw
