#include "core/allocators/best.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/allocators/allocators.h"
#include "core/allocators/constrained.h"
#include "core/allocators/search_report.h"
#include "core/base/text.h"
#include "core/plan/metrics.h"
#include "core/solver/core_first.h"
#include "core/solver/fast/fast_search.h"
#include "core/solver/fast/peak_repair.h"
#include "core/solver/order_search.h"
#include "core/solver/placer.h"
#include "core/solver/sweep/beam.h"

namespace hw {
namespace {

/// Above these sizes the greedy family and the exact search take too long to be worth it.
constexpr std::size_t kGreedyStays = 4'000;
constexpr std::size_t kGreedyStaysWithGaps = 20'000;
/// Fewer are soon searched as a whole; around more, placing takes too long.
constexpr std::size_t kFewestAroundCore = 1'000;
constexpr std::size_t kMostAroundCore = 40'000;
constexpr std::size_t kClimbStays = 2'000;
constexpr std::size_t kExactStays = 5'000;
constexpr std::size_t kExactStaysWithTime = 50'000;
/// Buffers up to which the exact search has its budget of nodes. For more buffers the budget grows
/// in proportion; in one of many plannings it shrinks, since each node takes longer.
constexpr std::int64_t kStaysOfNodes = 500;
/// Placements of the beam search for each node of the exact one; more where sizes are coarse.
constexpr std::int64_t kBeamMoves = 40;
constexpr std::int64_t kCoarseBeamMoves = 60;
/// Where sizes are coarse and the plan is above the bound by more than 1 / kFar of it, the skyline
/// runs from up to kFarSkylines other seeds, beams have kFarBeam times as many placements, and
/// windows are packed anew with kFarMoves times the placements of the skyline; then beams and
/// windows come once more, the beams with kFarGrowth times as many.
constexpr std::int64_t kFar = 20;
constexpr std::uint64_t kFarSkylines = 8;
constexpr std::int64_t kFarBeam = 8;
constexpr std::int64_t kFarMoves = 20;
constexpr std::int64_t kFarGrowth = 4;
/// With a time limit, searches have so many times the budget from round to round. The exact search
/// does better on few stays, so its share grows.
constexpr std::int64_t kNodesGrowth = 4;
constexpr std::int64_t kMovesGrowth = 2;
/// So that budgets stay countable.
constexpr std::uint64_t kMostRounds = 12;
constexpr std::int64_t kUnlimited = std::int64_t{1} << 50;

constexpr ParamSpec kMoves{.name = "moves",
                           .type = ParamType::integer,
                           .summary = "skyline placements at most after the first packing",
                           .fallback = "1000000",
                           .label = "quick search",
                           .unit = "placements"};
constexpr ParamSpec kNodes{.name = "nodes",
                           .type = ParamType::integer,
                           .summary =
                               "placements the exact search looks at for each 500 buffers, "
                               "and more while plans get lower; 0: none",
                           .fallback = "100000",
                           .label = "exact search",
                           .unit = "placements"};
constexpr ParamSpec kSeconds{.name = "seconds",
                             .type = ParamType::number,
                             .summary =
                                 "go on for this long; 0: by moves and nodes alone, so that "
                                 "runs repeat",
                             .fallback = "0",
                             .label = "time for searching",
                             .unit = "s"};
constexpr std::string_view kAims[] = {"peak", "latency", "penalty"};
constexpr ParamSpec kFor{.name = "for",
                         .type = ParamType::choice,
                         .summary =
                             "the lowest plan; the one with the least simulated latency within the "
                             "capacity; or the one that pays the least reuse penalties within it",
                         .fallback = "peak",
                         .choices = kAims};
constexpr ParamSpec kParams[] = {kMoves, kNodes, kSeconds, kFor};

/// Nodes of the exact search for each of a proof with constraints, which takes longer.
constexpr std::int64_t kNodesOfPairs = 2;
/// Share of the seconds for finding the lowest plan, where the search for the fastest starts.
constexpr double kLowestShare = 0.2;
/// Nodes beyond which their looks would not be counted any more.
constexpr std::int64_t kMostNodes = std::numeric_limits<std::int64_t>::max() / kLooksOfANode;

class Best final : public Allocator {
 public:
  Best(const SearchBudget& budget, std::string_view aim) : budget_(budget), aim_(aim) {}

 private:
  Result<Plan> solve(const Problem& problem, const PlanContext& context) const override {
    if (aim_ != "latency") {
      HW_TRY(plan, lowest(problem, context, 1));
      if (aim_ == "penalty") {
        plan.penaltyBound = 0;
        plan.notes.emplace_back("the problem has no reuse penalties: this is the lowest plan");
      }
      return std::move(plan);
    }
    // This search runs once, on a plan that fits: its budget is not shared with other plannings.
    const HasteLimits limits{
        .looks = std::min(allowedBy(context).nodes, kMostNodes) * kLooksOfANode,
        .seconds =
            (1 - kLowestShare) * (context.timeLimit > 0 ? context.timeLimit : budget_.seconds)};
    HW_TRY(plan, lowest(problem, context, kLowestShare));
    if (context.hasten) {
      context.hasten(problem, context, limits, plan);
    } else {
      plan.notes.emplace_back(
          "how long a plan takes is known for the operators of a graph on one device only: this "
          "is the lowest plan");
    }
    return std::move(plan);
  }

  Result<Plan> solveConstrained(const Problem& problem, const PlanContext& context) const override {
    const auto aim = aim_ == "penalty" ? ConstrainedAim::penalty : ConstrainedAim::peak;
    SearchBudget budget = allowedBy(context);
    budget.nodes /= kNodesOfPairs;
    HW_TRY(plan, searchConstrained(problem, context,
                                   {.aim = aim, .budget = budget, .proves = budget.nodes > 0}));
    if (aim_ == "latency") {
      plan.notes.emplace_back(
          "stays with constraints are not moved for the latency's sake: this is the lowest plan");
    }
    return std::move(plan);
  }

  /// Takes `share` of the seconds.
  Result<Plan> lowest(const Problem& problem, const PlanContext& context, double share) const {
    Plan plan;
    HW_DO(placePins(problem, plan));
    plan.status = PlanStatus::optimal;
    for (const PoolId pool : problem.pools.keys()) {
      SearchBudget budget = allowedBy(context).leftIn(context);
      budget.seconds *= share;
      PoolSearch search(problem, pool, context, budget);
      if (search.empty()) continue;
      if (!search.run()) return fail(ErrorCode::stopped, "planning was stopped");
      if (context.use) search.addUse(*context.use);
      search.write(plan);
      const PlanStatus status = search.status();
      if (status == PlanStatus::infeasible) plan.status = status;
      if (status == PlanStatus::complete && plan.status == PlanStatus::optimal) {
        plan.status = status;
      }
    }
    return plan;
  }

  /// Greedy placement is followed again if it won; other searches tell of the whole packing.
  std::optional<Decision> recount(const Problem& problem, const Plan& plan,
                                  StayId stay) const override {
    if (auto fast = hasteDecision(problem, plan, stay)) return fast;
    auto decision = searchDecision(problem, plan, stay);
    if (!decision) return decision;
    const PoolId pool = problem.poolOf(stay);
    for (const NamedOrder& each : kOrders) {
      const std::string winner = fmt::format("'greedy, {}'", each.name);
      if (decision->when.find(winner) == std::string::npos) continue;
      for (const FitRule rule : {FitRule::best, FitRule::first}) {
        Placer placer(problem, pool);
        auto greedy =
            decideInOrder(placer, problem, each.order(problem, pool), {rule, each.name}, stay);
        const Candidate* chosen = greedy ? greedy->chosen() : nullptr;
        if (!chosen || chosen->address != plan.addresses[stay]) continue;
        greedy->when += "; " + decision->when;
        return greedy;
      }
    }
    return decision;
  }

  /// A context may allow less than usual; more than usual is for the options to say.
  SearchBudget allowedBy(const PlanContext& context) const {
    SearchBudget budget = budget_;
    if (context.nodeBudget < PlanContext().nodeBudget) {
      budget.moves = std::min(budget.moves, context.nodeBudget);
      budget.nodes = std::min(budget.nodes, context.nodeBudget);
    }
    return budget;
  }

  SearchBudget budget_;
  std::string_view aim_;  ///< Of kAims.
};

}  // namespace

PoolSearch::PoolSearch(const Problem& problem, PoolId pool, const PlanContext& context,
                       const SearchBudget& budget)
    : problem_(problem),
      pool_(pool),
      context_(context),
      budget_(budget),
      rectangles_(rectanglesOf(problem, pool)),
      start_(std::chrono::steady_clock::now()) {
  const bool plain = problem.gaps.empty() && problem.overlaps.empty();
  bound_ = plain ? loadBound(rectangles_) : lowerBound(problem, pool);
  const auto count = static_cast<std::int64_t>(rectangles_.count());
  budget_.nodes = std::min(budget_.nodes, kUnlimited);
  if (mayGrow()) {
    const std::int64_t times = std::max<std::int64_t>(1, count / kStaysOfNodes);
    budget_.nodes = std::min(budget_.nodes, kUnlimited / times) * times;
  } else if (context.oneOfMany && count > kStaysOfNodes) {
    budget_.nodes = budget_.nodes * kStaysOfNodes / count;
  }
}

bool PoolSearch::run() {
  if (!runOnce()) return false;
  if (budget_.seconds > 0 && problem_.overlaps.empty()) runOn();
  note();
  return true;
}

bool PoolSearch::runOnce() {
  const std::int64_t first = std::min(budget_.moves, firstMoves(rectangles_.count()));
  runSkyline(first, context_.seed);
  if (!planned_) return false;
  if (!done()) runCoreFirst();
  if (!done()) runGreedy();
  // The skyline does not use overlaps, so the exact search gets the rest of the budget.
  if (!problem_.overlaps.empty()) {
    if (!done())
      runExact(budget_.seconds > 0 ? kUnlimited : budget_.nodes + budget_.moves, kExactStays);
    return true;
  }
  // The skyline does not use gaps and loses bytes to alignment; improving an order may do better.
  const bool awkward = !problem_.gaps.empty() || !rectangles_.alignment.empty();
  if (!done() && awkward) runClimb();
  // A short look: where it proves the bound, the long searches below are spared.
  if (!done()) runExact(budget_.nodes / 8, kExactStays);
  // With this, the plan is never higher than that of `fast`.
  if (!done() && first < budget_.moves && moves_ < budget_.moves) {
    runSkyline(budget_.moves, context_.seed);
  }
  if (!done()) runExact(budget_.nodes, kExactStays);
  if (!done() && mayGrow()) runBeam();
  return true;
}

/// Ever longer searches until the time is over, the same whatever the time is: so more time never
/// leads to a higher plan, or to the same one later.
void PoolSearch::runOn() {
  std::int64_t moves = std::max<std::int64_t>(budget_.moves, 1);
  std::int64_t nodes = std::max<std::int64_t>(budget_.nodes, 1);
  for (std::uint64_t round = 1; !done() && round < kMostRounds; ++round) {
    nodes *= kNodesGrowth;
    moves *= kMovesGrowth;
    runExact(nodes, kExactStaysWithTime);
    if (!done()) runSkyline(moves, context_.seed + round);
    if (fits()) return;
  }
}

void PoolSearch::addUse(SearchUse& use) const {
  use.tries += moves_;
  use.nodes += nodes_;
}

void PoolSearch::write(Plan& plan) const {
  for (const StayId id : rectangles_.stays) {
    plan.addresses[id] = Address{pool_, RegionId(0), offsets_[id]};
  }
  const std::string& name = problem_.pools[pool_].name;
  plan.tables.push_back(progressTable(history_, name));
  plan.notes.push_back(fmt::format(
      "{}: {} bytes by {}; {}", name, groupDigits(peak_.count()), winner_,
      peak_ <= bound_
          ? "proved optimal"
          : fmt::format("no plan is below {}, {:.2f} % less", groupDigits(bound_.count()),
                        100 * history_.back().gap() / (1 + history_.back().gap()))));
}

PlanStatus PoolSearch::status() const {
  const auto& capacity = problem_.pools[pool_].capacity;
  // With several pools, another choice of who lives where might fit.
  const bool only = problem_.pools.size() == 1;
  if (only && capacity && bound_ > *capacity) return PlanStatus::infeasible;
  return peak_ <= bound_ ? PlanStatus::optimal : PlanStatus::complete;
}

double PoolSearch::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

bool PoolSearch::late() const { return budget_.seconds > 0 && seconds() >= budget_.seconds; }

bool PoolSearch::fits() const {
  const auto& capacity = problem_.pools[pool_].capacity;
  return capacity && peak_ <= *capacity;
}

bool PoolSearch::mayGrow() const {
  const bool alone = context_.use == nullptr || context_.use->share >= 1;
  return alone && !context_.oneOfMany && context_.nodeBudget >= PlanContext().nodeBudget;
}

void PoolSearch::note() {
  history_.push_back({.seconds = seconds(),
                      .incumbent = peak_,
                      .bound = bound_,
                      .nodes = nodes_ + moves_,
                      .winner = winner_});
  tellProgress(context_, poolName(), history_.back());
}

void PoolSearch::improve(Bytes peak, std::string_view winner) {
  planned_ = true;
  peak_ = peak;
  winner_ = winner;
  note();
}

double PoolSearch::secondsLeft() const {
  return budget_.seconds > 0 ? std::max(0.001, budget_.seconds - seconds()) : 0;
}

void PoolSearch::runSkyline(std::int64_t moves, std::uint64_t seed) {
  if (!skyline_ || skylineSeed_ != seed) {
    skylineSeed_ = seed;
    FastOptions options{.seed = seed, .bound = bound_, .stopped = [this] { return stopped(); }};
    options.improved = [this](const FastSample& sample) {
      moves_ = beforeSkyline_ + sample.moves;
      if (!planned_ || sample.peak < peak_) improve(sample.peak, "skyline");
    };
    skyline_.emplace(rectangles_, options);
  }
  beforeSkyline_ = moves_ - skyline_->movesKept();
  const bool had = planned_;
  const Bytes peak = peak_;
  const FastResult& found = skyline_->runTo(moves, secondsLeft(), bound_);
  moves_ = beforeSkyline_ + found.moves;
  if (found.offsets.empty() || (had && found.peak >= peak)) return;
  winner_ = fmt::format("skyline, {}", found.winner);
  take(found.offsets);
}

void PoolSearch::take(const std::vector<Bytes>& offsets) {
  offsets_.resize(problem_.stays.size());
  for (std::size_t i = 0; i < rectangles_.count(); ++i) offsets_[rectangles_.stays[i]] = offsets[i];
}

void PoolSearch::runCoreFirst() {
  const std::size_t count = rectangles_.count();
  if (count < kFewestAroundCore || count > kMostAroundCore) return;
  CoreFirst found = packCoreFirst(problem_, pool_, rectangles_,
                                  {.below = peak_,
                                   .bound = bound_,
                                   .moves = budget_.moves,
                                   .seed = context_.seed,
                                   .stopped = [this] { return stopped() || late(); }});
  moves_ += found.moves;
  if (found.peak >= peak_) return;
  offsets_ = std::move(found.offsets);
  improve(found.peak, "core first");
}

void PoolSearch::runBeam() {
  if (rectangles_.count() > kExactStays || fits()) return;
  const bool coarse = isCoarse(rectangles_, bound_);
  const Bytes near = coarse ? bound_ + Bytes(bound_.count() / kFar) : kMaxBytes;
  for (std::uint64_t i = 0; peak_ > near && !done() && i < kFarSkylines; ++i) {
    runSkyline(budget_.moves, context_.seed + kMostRounds + i);
  }
  const std::int64_t moves = (coarse ? kCoarseBeamMoves : kBeamMoves) * budget_.nodes;
  std::uint64_t seed = context_.seed;
  for (const std::int64_t times : {std::int64_t{1}, kFarGrowth}) {
    if (done()) return;
    const BeamResult found =
        searchBeam(rectangles_, {.below = peak_,
                                 .bound = bound_,
                                 .moves = moves,
                                 .far = near,
                                 .farMoves = times * kFarBeam * moves,
                                 .stopped = [this] { return stopped() || late(); },
                                 .improved = [this](Bytes peak) { improve(peak, "beam"); }});
    moves_ += found.moves;
    if (!found.offsets.empty()) take(found.offsets);
    if (peak_ <= near || done()) return;
    repackWindows(near, seed++);
    if (peak_ <= near) return;
  }
}

void PoolSearch::repackWindows(Bytes near, std::uint64_t seed) {
  std::vector<Bytes> offsets;
  for (const StayId id : rectangles_.stays) offsets.push_back(offsets_[id]);
  const RepairResult found = lowerPeaks(rectangles_,
                                        {.bound = near,
                                         .moves = kFarMoves * budget_.moves,
                                         .seed = seed,
                                         .stopped = [this] { return stopped() || late(); }},
                                        offsets);
  moves_ += found.moves;
  if (found.peak >= peak_) return;
  take(offsets);
  improve(found.peak, "windows packed anew");
}

void PoolSearch::runGreedy() {
  const std::size_t most = problem_.gaps.empty() ? kGreedyStays : kGreedyStaysWithGaps;
  if (rectangles_.count() > most) return;
  Placer placer(problem_, pool_);
  for (const NamedOrder& each : kOrders) {
    const std::vector<StayId> order = each.order(problem_, pool_);
    for (const FitRule rule : {FitRule::best, FitRule::first}) {
      if (done()) return;
      placer.clear();
      const bool whole =
          placeInOrder(placer, problem_, order, rule, [this] { return stopped() || late(); });
      if (!whole) return;
      if (placer.peak() >= peak_) continue;
      for (const StayId id : rectangles_.stays) offsets_[id] = placer.offsetOf(id);
      improve(placer.peak(), fmt::format("greedy, {}", each.name));
    }
  }
}

void PoolSearch::runClimb() {
  if (rectangles_.count() > kClimbStays) return;
  const auto count = static_cast<std::int64_t>(rectangles_.count());
  OrderSearchOptions options{.rule = FitRule::first,
                             .tries = std::max<std::int64_t>(1, budget_.moves / 8 / count),
                             .deadline = std::nullopt,
                             .seed = context_.seed,
                             .stopped = [this] { return stopped(); }};
  if (budget_.seconds > 0) options.deadline = secondsNow({}) + secondsLeft();
  auto found = searchOrders(problem_, pool_, urgencyOrder(problem_, pool_), options);
  if (found.stopped || found.peak >= peak_) return;
  offsets_ = std::move(found.offsets);
  improve(found.peak, "hill climb");
}

void PoolSearch::runExact(std::int64_t nodes, std::size_t mostStays) {
  if (rectangles_.count() > mostStays || fits() || nodes == 0) return;
  const std::int64_t before = nodes_;
  const Bytes peak = peak_;
  const ExactOptions options{.capacity = problem_.pools[pool_].capacity,
                             .nodes = nodes,
                             .grows = mayGrow(),
                             .seconds = secondsLeft(),
                             .threads = context_.threads,
                             .stop = context_.stop,
                             .start = offsets(),
                             .skyline = budget_.moves < firstMoves(rectangles_.count()) ||
                                        context_.seed != FastOptions().seed,
                             .progress = [&](const ExactProgress& now) { follow(now, before); }};
  const ExactResult found = solveExact(problem_, pool_, options);
  nodes_ = before + found.nodes;
  bound_ = std::max(bound_, found.bound);
  if (found.incumbent >= peak) return;
  for (const StayId id : rectangles_.stays) offsets_[id] = found.offsets[id];
  improve(found.incumbent, fmt::format("exact, {}", found.winner));
}

IdMap<StayId, Bytes> PoolSearch::offsets() const {
  IdMap<StayId, Bytes> plan = offsets_;
  for (const StayId id : problem_.stays.keys()) {
    if (problem_.poolOf(id) == pool_ && problem_.stays[id].pinned) {
      plan[id] = *problem_.stays[id].pinned;
    }
  }
  return plan;
}

void PoolSearch::follow(const ExactProgress& now, std::int64_t before) {
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

std::span<const ParamSpec> bestParams() { return kParams; }

SearchBudget bestBudget(const Params& params) {
  return {.moves = params.integer(kMoves),
          .nodes = params.integer(kNodes),
          .seconds = params.number(kSeconds)};
}

std::unique_ptr<Allocator> makeBest(const Params& params) {
  return std::make_unique<Best>(bestBudget(params), *std::ranges::find(kAims, params.text(kFor)));
}

}  // namespace hw
