#include "core/solver/exact/first_plans.h"

#include <algorithm>
#include <span>

#include "core/solver/core_first.h"
#include "core/solver/orders.h"
#include "core/solver/placer.h"

namespace hw::exact {
namespace {

/// Placements of the skyline, which finds better plans to begin with than greedy orders do.
constexpr std::int64_t kSkylineMoves = 150'000;
/// Stays from which on all quick ways are tried.
constexpr std::size_t kMany = 1'000;

}  // namespace

void visitQuickPlans(const Problem& problem, PoolId pool, Bytes bound, const std::stop_token& stop,
                     const std::function<bool()>& stopped,
                     const std::function<bool(const QuickPlan&)>& visit) {
  using Order = std::vector<StayId> (*)(const Problem&, PoolId);
  // The last is online best fit.
  constexpr Order kOrders[] = {sizeOrder, areaOrder, urgencyOrder, productionOrder};
  const Rectangles rectangles = rectanglesOf(problem, pool);
  const bool many = rectangles.count() >= kMany;
  Bytes peak = kMaxBytes;
  for (const Order order : std::span(kOrders).first(many ? 4 : 3)) {
    Placer placer(problem, pool);
    const auto halted = [&] { return stop.stop_requested(); };
    if (!placeInOrder(placer, problem, order(problem, pool), FitRule::best, halted)) return;
    QuickPlan plan{IdMap<StayId, Bytes>(problem.stays.size())};
    for (const StayId id : placer.stays()) plan.offsets[id] = placer.offsetOf(id);
    peak = std::min(peak, placer.peak());
    if (!visit(plan) || stopped()) return;
  }
  if (!many) return;
  const auto skyline = skylinePlan(problem, pool, {.moves = 0, .bound = bound, .stopped = stopped});
  if (skyline && !visit(*skyline)) return;
  const CoreFirst core =
      packCoreFirst(problem, pool, rectangles,
                    {.below = peak, .bound = bound, .moves = kSkylineMoves, .stopped = stopped});
  if (core.peak < peak) visit({core.offsets, "core first"});
}

std::optional<QuickPlan> skylinePlan(const Problem& problem, PoolId pool, FastOptions options) {
  const Rectangles rectangles = rectanglesOf(problem, pool);
  const auto count = static_cast<std::int64_t>(rectangles.count());
  if (options.moves == 0) options.moves = std::max(kSkylineMoves, 8 * count);
  const FastResult found = searchFast(rectangles, options);
  if (found.offsets.empty()) return std::nullopt;
  QuickPlan plan{IdMap<StayId, Bytes>(problem.stays.size()), found.winner};
  for (const StayId id : problem.stays.keys()) {
    plan.offsets[id] = problem.stays[id].pinned.value_or(Bytes());
  }
  for (std::size_t i = 0; i < rectangles.count(); ++i) {
    plan.offsets[rectangles.stays[i]] = found.offsets[i];
  }
  return plan;
}

}  // namespace hw::exact
