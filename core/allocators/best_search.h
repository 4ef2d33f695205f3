#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>

#include "core/allocators/allocator.h"
#include "core/allocators/search_report.h"
#include "core/plan/metrics.h"
#include "core/solver/exact/exact.h"
#include "core/solver/fast/fast_search.h"
#include "core/solver/order_search.h"
#include "core/solver/orders.h"
#include "core/solver/placer.h"

namespace hw {

/// Above these sizes the greedy family and the exact search take too long to be worth it.
inline constexpr std::size_t kGreedyStays = 4'000;
inline constexpr std::size_t kGreedyStaysWithGaps = 20'000;
inline constexpr std::size_t kClimbStays = 2'000;
inline constexpr std::size_t kExactStays = 5'000;
inline constexpr std::size_t kExactStaysWithTime = 50'000;
/// Placements before anything else is tried: most problems need no more.
inline constexpr std::int64_t kFirstMoves = 150'000;
/// Of the seconds, for the skyline; the rest is for the exact search, which does better on few
/// stays.
inline constexpr double kSkylineShare = 0.3;
inline constexpr double kSkylineShareOfFew = 0.1;
inline constexpr std::size_t kFewStays = 2'000;
inline constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

/// A search for the least latency looks at so many stays where the exact one makes a placement.
inline constexpr std::int64_t kLooksOfANode = 3'000;

struct BestBudget {
  std::int64_t moves = 0;
  std::int64_t nodes = 0;
  double seconds = 0;
};

using Order = std::vector<StayId> (*)(const Problem&, PoolId);
struct NamedOrder {
  std::string_view name;
  Order order;
};
inline constexpr std::array<NamedOrder, 8> kOrders{{{"size", sizeOrder},
                                                    {"size, length", sizeLengthOrder},
                                                    {"length, size", lengthSizeOrder},
                                                    {"area", areaOrder},
                                                    {"breadth", breadthOrder},
                                                    {"urgency", urgencyOrder},
                                                    {"conflicts", conflictOrder},
                                                    {"production", productionOrder}}};

/// The search for one pool: every way there is, the quick ones first, each starting from the best
/// plan so far, until one meets the bound or the budget is spent.
class PoolSearch {
 public:
  PoolSearch(const Problem& problem, PoolId pool, const PlanContext& context,
             const BestBudget& budget)
      : problem_(problem),
        pool_(pool),
        context_(context),
        budget_(budget),
        rectangles_(rectanglesOf(problem, pool)),
        start_(std::chrono::steady_clock::now()) {
    bound_ = problem.gaps.empty() ? loadBound(rectangles_) : lowerBound(problem, pool);
  }

  /// False when stopped before there was any plan.
  bool run() {
    const auto count = static_cast<std::int64_t>(rectangles_.count());
    const double share = rectangles_.count() <= kFewStays ? kSkylineShareOfFew : kSkylineShare;
    runSkyline(std::min(budget_.moves, std::max(8 * count, kFirstMoves)), share);
    if (!planned_) return false;
    if (!done()) runGreedy();
    // The skyline does not use gaps, and alignment costs it what lies between.
    const bool awkward = !problem_.gaps.empty() || !rectangles_.alignment.empty();
    if (!done() && awkward) runClimb();
    // A short look: where it proves the bound, the long searches below are spared.
    if (!done()) runExact(budget_.nodes / 8, 0.05);
    // From the start again: then the result is never worse than that of `fast`.
    if (!done() && moves_ < budget_.moves) runSkyline(budget_.moves, share);
    if (!done()) runExact(budget_.nodes, 1);
    note();
    return true;
  }

  bool empty() const { return rectangles_.count() == 0; }

  void addUse(SearchUse& use) const {
    use.tries += moves_;
    use.nodes += nodes_;
  }

  void write(Plan& plan) const {
    for (const StayId id : rectangles_.stays) {
      plan.addresses[id] = Address{pool_, RegionId(0), offsets_[id]};
    }
    const std::string& name = problem_.pools[pool_].name;
    plan.tables.push_back(progressTable(history_, name));
    plan.notes.push_back(fmt::format(
        "{}: {} bytes by {}; {}", name, peak_.count(), winner_,
        peak_ <= bound_ ? "proved optimal"
                        : fmt::format("no plan is below {}, {:.2f} % less", bound_.count(),
                                      100 * history_.back().gap() / (1 + history_.back().gap()))));
  }

  PlanStatus status() const {
    const auto& capacity = problem_.pools[pool_].capacity;
    // With several pools, another choice of who lives where might fit.
    const bool only = problem_.pools.size() == 1;
    if (only && capacity && bound_ > *capacity) return PlanStatus::infeasible;
    return peak_ <= bound_ ? PlanStatus::optimal : PlanStatus::complete;
  }

 private:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  bool late(double share) const {
    return budget_.seconds > 0 && seconds() >= share * budget_.seconds;
  }
  bool stopped() const { return context_.stop.stop_requested(); }
  /// Whether nothing better is possible, or allowed.
  bool done() const { return (planned_ && peak_ <= bound_) || stopped() || late(1); }
  bool fits() const {
    const auto& capacity = problem_.pools[pool_].capacity;
    return capacity && peak_ <= *capacity;
  }

  void note() {
    history_.push_back({.seconds = seconds(),
                        .incumbent = peak_,
                        .bound = bound_,
                        .nodes = nodes_ + moves_,
                        .winner = winner_});
    tellProgress(context_, poolName(), history_.back());
  }
  const std::string& poolName() const { return problem_.pools[pool_].name; }

  void improve(Bytes peak, std::string_view winner) {
    planned_ = true;
    peak_ = peak;
    winner_ = winner;
    note();
  }

  void runSkyline(std::int64_t moves, double share) {
    const std::int64_t before = moves_;
    FastOptions options{
        .moves = budget_.seconds > 0 && planned_ ? kUnlimited : moves,
        .seconds = budget_.seconds > 0 ? std::max(0.001, share * budget_.seconds - seconds()) : 0,
        .seed = context_.seed,
        .bound = bound_,
        .stopped = [this] { return stopped(); }};
    options.improved = [&](const FastSample& sample) {
      moves_ = before + sample.moves;
      if (!planned_ || sample.peak < peak_) improve(sample.peak, "skyline");
    };
    const bool had = planned_;
    const Bytes peak = peak_;
    const FastResult found = searchFast(rectangles_, options);
    moves_ = before + found.moves;
    if (found.offsets.empty() || (had && found.peak >= peak)) return;
    winner_ = fmt::format("skyline, {}", found.winner);
    offsets_.resize(problem_.stays.size());
    for (std::size_t i = 0; i < rectangles_.count(); ++i) {
      offsets_[rectangles_.stays[i]] = found.offsets[i];
    }
  }

  /// Greedy placement knows gaps, which the skyline does not use.
  void runGreedy() {
    const std::size_t most = problem_.gaps.empty() ? kGreedyStays : kGreedyStaysWithGaps;
    if (rectangles_.count() > most) return;
    Placer placer(problem_, pool_);
    for (const NamedOrder& each : kOrders) {
      const std::vector<StayId> order = each.order(problem_, pool_);
      for (const FitRule rule : {FitRule::best, FitRule::first}) {
        if (done()) return;
        placer.clear();
        const bool whole =
            placeInOrder(placer, problem_, order, rule, [this] { return stopped() || late(1); });
        if (!whole) return;
        if (placer.peak() >= peak_) continue;
        for (const StayId id : rectangles_.stays) offsets_[id] = placer.offsetOf(id);
        improve(placer.peak(), fmt::format("greedy, {}", each.name));
      }
    }
  }

  std::optional<double> climbDeadline() const {
    if (budget_.seconds <= 0) return std::nullopt;
    return secondsNow({}) + 0.2 * budget_.seconds;
  }

  void runClimb() {
    if (rectangles_.count() > kClimbStays) return;
    const auto count = static_cast<std::int64_t>(rectangles_.count());
    OrderSearchOptions options{.rule = FitRule::first,
                               .tries = std::max<std::int64_t>(1, budget_.moves / 8 / count),
                               .deadline = climbDeadline(),
                               .seed = context_.seed,
                               .stopped = [this] { return stopped(); }};
    if (budget_.seconds > 0) options.tries = kUnlimited;
    auto found = searchOrders(problem_, pool_, urgencyOrder(problem_, pool_), options);
    if (found.stopped || found.peak >= peak_) return;
    offsets_ = std::move(found.offsets);
    improve(found.peak, "hill climb");
  }

  /// Starts from the plan there is. With a capacity, it is enough to fit.
  void runExact(std::int64_t nodes, double share) {
    const bool timed = budget_.seconds > 0;
    if (rectangles_.count() > (timed ? kExactStaysWithTime : kExactStays) || fits()) return;
    if (!timed && nodes == 0) return;
    const double begun = seconds();
    const std::int64_t before = nodes_;
    const Bytes peak = peak_;
    const ExactOptions options{
        .capacity = problem_.pools[pool_].capacity,
        .nodes = timed ? 0 : nodes,
        .seconds = timed ? std::max(0.001, share * (budget_.seconds - begun)) : 0,
        .threads = context_.threads,
        .stop = context_.stop,
        .start = startPlan(),
        .progress = [&](const ExactProgress& now) { follow(now, before); }};
    const ExactResult found = solveExact(problem_, pool_, options);
    nodes_ = before + found.nodes;
    bound_ = std::max(bound_, found.bound);
    if (found.incumbent >= peak) return;
    for (const StayId id : rectangles_.stays) offsets_[id] = found.offsets[id];
    improve(found.incumbent, fmt::format("exact, {}", found.winner));
  }

  IdMap<StayId, Bytes> startPlan() const {
    IdMap<StayId, Bytes> plan = offsets_;
    for (const StayId id : problem_.stays.keys()) {
      if (problem_.poolOf(id) == pool_ && problem_.stays[id].pinned) {
        plan[id] = *problem_.stays[id].pinned;
      }
    }
    return plan;
  }

  /// Tells of the exact search while it runs.
  void follow(const ExactProgress& now, std::int64_t before) {
    nodes_ = before + now.nodes;
    if (now.incumbent < peak_ || now.bound > bound_) {
      bound_ = std::max(bound_, now.bound);
      if (now.incumbent < peak_) winner_ = fmt::format("exact, {}", now.winner);
      peak_ = std::min(peak_, now.incumbent);
      note();
    } else {
      tellProgress(context_, poolName(),
                   {.seconds = seconds(),
                    .incumbent = peak_,
                    .bound = bound_,
                    .nodes = nodes_ + moves_,
                    .winner = winner_});
    }
  }

  const Problem& problem_;
  PoolId pool_;
  const PlanContext& context_;
  BestBudget budget_;
  Rectangles rectangles_;
  std::chrono::steady_clock::time_point start_;
  bool planned_ = false;
  IdMap<StayId, Bytes> offsets_;
  Bytes peak_;
  Bytes bound_;
  std::string winner_;
  std::int64_t moves_ = 0;
  std::int64_t nodes_ = 0;
  std::vector<ExactProgress> history_;
};

}  // namespace hw
