#include "core/solver/exact/exact.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>
#include <thread>
#include <utility>

#include "core/plan/problem.h"
#include "core/solver/core_first.h"
#include "core/solver/exact/bounds.h"
#include "core/solver/exact/handovers.h"
#include "core/solver/exact/overlapped.h"
#include "core/solver/exact/portfolio.h"
#include "core/solver/exact/swept.h"
#include "core/solver/fast/fast_search.h"
#include "core/solver/luby.h"
#include "core/solver/orders.h"
#include "core/solver/placer.h"

namespace hw {
namespace {

/// Hands greedy plans to `visit` until it returns false. Where there are many stays, which the
/// search may be too large for, plans of the skyline and core first as well; these end at `bound`.
/// None is handed over that `stop` left unfinished; `stopped` ends it once there is one.
void visitQuickPlans(const Problem& problem, PoolId pool, Bytes bound, const std::stop_token& stop,
                     const std::function<bool()>& stopped,
                     const std::function<bool(const QuickPlan&)>& visit);

/// The plan of the skyline; nothing when stopped before there is any. `moves` of 0: as many as a
/// first look takes.
std::optional<QuickPlan> skylinePlan(const Problem& problem, PoolId pool, FastOptions options);
/// `offsets` are by position.
QuickPlan planAt(const Problem& problem, const Rectangles& rectangles,
                 const std::vector<Bytes>& offsets, std::string winner);

/// Placements of the skyline, which finds better plans to begin with than greedy orders do.
constexpr std::int64_t kSkylineMoves = firstMoves(0);
/// Stays from which on all quick ways are tried.
constexpr std::size_t kMany = 1'000;

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
  if (options.moves == 0) options.moves = firstMoves(rectangles.count());
  const FastResult found = searchFast(rectangles, options);
  if (found.offsets.empty()) return std::nullopt;
  return planAt(problem, rectangles, found.offsets, std::string(found.winner));
}

QuickPlan planAt(const Problem& problem, const Rectangles& rectangles,
                 const std::vector<Bytes>& offsets, std::string winner) {
  QuickPlan plan{IdMap<StayId, Bytes>(problem.stays.size()), std::move(winner)};
  for (const StayId id : problem.stays.keys()) {
    plan.offsets[id] = problem.stays[id].pinned.value_or(Bytes());
  }
  for (std::size_t i = 0; i < rectangles.count(); ++i) {
    plan.offsets[rectangles.stays[i]] = offsets[i];
  }
  return plan;
}

using exact::Boxes;
using exact::Joined;
using exact::Limits;
using exact::Portfolio;
using exact::SearchOutcome;
using SteadyClock = std::chrono::steady_clock;

/// A peak and a capacity that was missed have met when they are closer than this part of the gap.
constexpr std::int64_t kFineness = 16;
/// Seconds between two reports when nothing has changed.
constexpr double kPulse = 0.1;
/// Nodes of the first attempts at a capacity.
constexpr std::int64_t kFirstEffort = 20'000;
/// Nodes that go into the capacity asked for alone. What is settled at all mostly is within them;
/// later, a part is spent on plans that are lower than the best so far, though they do not fit.
constexpr std::int64_t kPatience = 400'000;
/// Of the nodes for a capacity that was asked for, what one in between gets.
constexpr std::int64_t kPartInBetween = 12;
/// The most times that the placements of the skyline double, from one try to the next.
constexpr int kMostDoublings = 20;
/// Nodes before the skyline is tried, if only the capacity asked for was looked at so far.
constexpr std::int64_t kBeforeSkyline = 50'000;

/// The most moves of the skyline where nothing else is left and only time is limited, which ends
/// it.
constexpr std::int64_t kMostMoves = std::int64_t{1} << 40;

/// Nodes of a joining, times the numbers of Luby, Sinclair and Zuckerman: one that is any good
/// finds a plan soon, or a little later.
constexpr std::int64_t kJoinedEffort = 2'500;
/// From so many boxes on one joining is searched before the boxes as they are.
constexpr std::size_t kJoinedFirst = 250;
/// Of the nodes for a capacity, how many times as many joinings get: as many at the bound, where
/// proofs come from the boxes as they are; more while only the capacity asked for is looked at,
/// since what fits is found by them; above it, nearly all that is found is found by them.
constexpr double kJoinedAtBound = 1;
constexpr double kJoinedAtFirst = 3;
constexpr double kJoinedAbove = 8;

/// Nodes before the first beam search: joinings find easy plans sooner.
constexpr std::int64_t kBeforeBeam = 100'000;
/// The share of all nodes that beam searches have; the second where the capacity has at most
/// `kCoarseUnits`.
constexpr double kBeams = 0.25;
constexpr double kCoarseBeams = 0.75;
constexpr std::int64_t kCoarseUnits = 128;

/// A budget that grows does so up to this many times while plans get lower.
constexpr std::int64_t kMostGrowth = 16;

/// A part of the pool and what is known of its lowest peak.
struct Part {
  explicit Part(Boxes of) : boxes(std::move(of)), orders(boxes) {}
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  const Boxes boxes;
  exact::OrderMaker orders;
  Bytes peak{};    ///< Of the best offsets so far.
  Bytes bound{};   ///< Proved: not lower.
  Bytes missed{};  ///< The highest capacity that `effort` nodes did not settle.
  std::int64_t effort = kFirstEffort;
  Bytes lowest{};                        ///< The capacity that `atBound` asks for.
  std::unique_ptr<Portfolio> atBound{};  ///< Kept: it may end in a proof.
  std::uint64_t joinings = 0;
  std::uint64_t sweeps = 0;
  std::uint64_t beams = 0;
  std::int64_t beamWork = 0;
  bool joinsEnough = false;  ///< The last joining left few enough boxes to be searched.
  exact::JoiningTurns joiningTurns{};
};

class Solver {
 public:
  Solver(const Problem& problem, PoolId pool, const ExactOptions& options)
      : problem_(problem), pool_(pool), options_(options), start_(SteadyClock::now()) {
    limits_.stop = options.stop;
    if (options.seconds > 0) {
      limits_.deadline = start_ + std::chrono::duration_cast<SteadyClock::duration>(
                                      std::chrono::duration<double>(options.seconds));
    }
    const int all = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    limits_.threads = options.threads > 0 ? options.threads : all;
  }

  ExactResult run() {
    begin();
    if (result_.offsets.empty() && !problem_.stays.empty()) return std::move(result_);
    while (!decided() && !spent() && improve(*worst())) report();
    // The skyline may still pack lower where a problem is too large for the search.
    if (!decided() && !spent()) trySkyline(true);
    update();
    result_.status = status();
    report(true);
    return std::move(result_);
  }

 private:
  void begin() {
    std::vector<StayId> stays;
    for (const StayId id : problem_.stays.keys()) {
      if (problem_.poolOf(id) == pool_) stays.push_back(id);
    }
    for (Boxes& boxes : exact::independentParts(problem_, stays)) {
      Part& part = parts_.emplace_back(std::move(boxes));
      part.bound = exact::provenBound(part.boxes);
      part.missed = Bytes(-1);
      if (options_.capacity) part.joiningTurns.expectFull();
    }
    result_.winner = "start";
    useStart();
    update();
    report();
  }

  /// The offsets to begin with: those given, else the best of some quick ones, part by part.
  void useStart() {
    result_.offsets = IdMap<StayId, Bytes>(problem_.stays.size());
    if (options_.start) return adopt(*options_.start, true);
    Bytes bound;
    for (const Part& part : parts_) bound = std::max(bound, part.bound);
    bool first = true;
    visitQuickPlans(problem_, pool_, options_.capacity.value_or(bound), options_.stop, stopped_,
                    [&](const QuickPlan& plan) {
                      adopt(plan.offsets, std::exchange(first, false));
                      return !decidedBy(worstPeak());
                    });
    if (first) result_.offsets = {};
  }

  /// Packs the skyline, with a budget of its own that doubles from try to try, or with all that is
  /// left.
  void trySkyline(bool allLeft) {
    FastOptions options{
        .moves = 0, .bound = options_.capacity.value_or(result_.bound), .stopped = stopped_};
    if (!allLeft && skylines_ > 0) {
      options.moves = kSkylineMoves << std::min(skylines_, kMostDoublings);
      options.seed += static_cast<std::uint64_t>(skylines_);
    }
    ++skylines_;
    const bool timed = limits_.deadline != SteadyClock::time_point::max();
    if (allLeft && options_.nodes > 0) options.moves = mostNodes() - result_.nodes;
    if (allLeft && options_.nodes == 0 && timed) options.moves = kMostMoves;
    const auto plan = skylinePlan(problem_, pool_, options);
    if (plan) takeOver(*plan, fmt::format("skyline, {}", plan->winner));
  }

  /// Takes over what another search finds in the time that is left.
  void tryOtherwise() {
    const bool timed = limits_.deadline != SteadyClock::time_point::max();
    const std::chrono::duration<double> left = limits_.deadline - SteadyClock::now();
    const auto plan = options_.otherwise(problem_, pool_, timed ? std::max(1e-3, left.count()) : 0);
    if (plan) takeOver(*plan, plan->winner);
  }

  void takeOver(const QuickPlan& plan, const std::string& winner) {
    const Bytes before = result_.incumbent;
    adopt(plan.offsets, false);
    update();
    if (result_.incumbent < before) result_.winner = winner;
  }

  void adopt(const IdMap<StayId, Bytes>& offsets, bool first) {
    for (Part& part : parts_) {
      Bytes peak;
      for (const exact::Box& box : part.boxes.boxes) {
        peak = std::max(peak, offsets[box.stay] + box.size);
      }
      if (!first && peak >= part.peak) continue;
      part.peak = peak;
      for (const exact::Box& box : part.boxes.boxes) result_.offsets[box.stay] = offsets[box.stay];
    }
  }

  Bytes worstPeak() const {
    Bytes peak;
    for (const Part& part : parts_) peak = std::max(peak, part.peak);
    return peak;
  }

  void update() {
    const Bytes peak = worstPeak();
    if (peak < result_.incumbent) gainedAt_ = result_.nodes;
    result_.incumbent = peak;
    for (const Part& part : parts_) result_.bound = std::max(result_.bound, part.bound);
  }

  bool decidedBy(Bytes peak) const {
    if (options_.capacity && peak <= *options_.capacity) return true;
    Bytes bound;
    for (const Part& part : parts_) bound = std::max(bound, part.bound);
    return peak <= bound || (options_.capacity && bound > *options_.capacity);
  }
  bool decided() const { return decidedBy(result_.incumbent); }

  ExactStatus status() const {
    if (options_.capacity && result_.incumbent <= *options_.capacity) {
      return result_.incumbent <= result_.bound ? ExactStatus::optimal : ExactStatus::fits;
    }
    if (options_.capacity && result_.bound > *options_.capacity) return ExactStatus::infeasible;
    return result_.incumbent <= result_.bound ? ExactStatus::optimal : ExactStatus::stopped;
  }

  bool spent() const {
    return limits_.over() || (options_.nodes > 0 && result_.nodes >= mostNodes());
  }

  /// The budget is larger while plans still get lower: twice what the last gain took.
  std::int64_t mostNodes() const {
    if (!options_.grows) return options_.nodes;
    return std::clamp(2 * gainedAt_, options_.nodes, kMostGrowth * options_.nodes);
  }

  Part* worst() {
    return &*std::ranges::max_element(parts_, {}, [](const Part& part) { return part.peak; });
  }

  /// Searches of another kind, when it is their turn; false: it is not.
  bool triedOthers(bool atBound) {
    if ((!atBound || result_.nodes >= kBeforeSkyline) && skylines_ == 0) {
      // The lowest plan of one part may be part of a plan that is higher.
      if (options_.skyline || parts_.size() > 1) {
        trySkyline(false);
      } else {
        ++skylines_;
      }
      if (options_.otherwise && !decided() && !spent()) tryOtherwise();
      return true;
    }
    return false;
  }

  /// Asks once more whether some capacity suffices for `part`: the one in question, or the bound,
  /// and then what lies half way between what was missed and the peak. When these meet, the first
  /// is next, with four times the effort. False when nothing more can be done.
  bool improve(Part& part) {
    const Bytes bound = options_.capacity.value_or(result_.bound);
    const Bytes half((part.missed.count() + part.peak.count()) / 2);
    const bool low = part.missed < bound;
    if (triedOthers(low)) return true;
    // They have met: the gap cannot be closed at this effort, so it grows and the bound is asked.
    if (!low && part.peak - half <
                    std::max(part.boxes.unit, Bytes((part.peak - bound).count() / kFineness))) {
      part.missed = Bytes(-1);
      part.effort *= 4;
      if (options_.nodes == 0) trySkyline(false);
      return true;
    }
    const Bytes capacity = low ? bound : half;
    std::unique_ptr<Portfolio> passing;
    std::unique_ptr<Portfolio>& portfolio = low ? part.atBound : passing;
    if (!portfolio || (low && part.lowest != capacity)) {
      // A proof is of use at the bound only; elsewhere provers would cost time for nothing.
      portfolio =
          std::make_unique<Portfolio>(part.boxes, capacity, part.orders,
                                      low ? Portfolio::Aim::planOrProof : Portfolio::Aim::plan);
      if (low) part.lowest = capacity;
    }
    const bool aside = options_.capacity && !low;
    const std::int64_t effort = aside ? part.effort / kPartInBetween : part.effort;
    const double share = !low ? kJoinedAbove : isPatient() ? kJoinedAtFirst : kJoinedAtBound;
    if (part.joinings == 0) {
      const bool first = part.boxes.boxes.size() >= kJoinedFirst;
      if (first && askJoined(part, capacity, kJoinedEffort)) return true;
      // Easy plans of few boxes are found sooner than anything is joined.
      const SearchOutcome outcome = ask(*portfolio, portfolio->roundNodes());
      if (outcome == SearchOutcome::found || outcome == SearchOutcome::exhausted) {
        return settle(part, capacity, outcome, *portfolio);
      }
    }
    if (askJoined(part, capacity, static_cast<double>(effort) * share)) return true;
    return settle(part, capacity, ask(*portfolio, effort), *portfolio);
  }

  /// The same question to as few boxes as can be made of the part, in some ways; true when that
  /// found a plan.
  bool askJoined(Part& part, Bytes capacity, double nodes) {
    // A part that fills the bound is worth asking for whatever else is asked.
    const Bytes bound = options_.capacity.value_or(result_.bound);
    const bool full = part.peak > bound && exact::isNearlyFull(part.boxes, bound);
    while (nodes > 0 && !spent()) {
      if (full && (askSwept(part, bound) || askBeam(part, capacity))) return true;
      if (spent()) return false;
      const std::uint64_t number = ++part.joinings;
      const std::uint64_t seed = part.joiningTurns.next();
      const Joined joined = exact::joinHandovers(part.boxes, capacity, seed, nodes);
      const std::int64_t before = std::exchange(result_.nodes, result_.nodes + joined.work);
      part.joinsEnough =
          joined.boxes.boxes.size() < part.boxes.boxes.size() && !exact::isTooLarge(joined.boxes);
      if (!part.joinsEnough) return false;
      exact::OrderMaker orders(joined.boxes);
      Portfolio portfolio(joined.boxes, capacity, orders, Portfolio::Aim::plan);
      const auto effort = kJoinedEffort * static_cast<std::int64_t>(lubyLength(number));
      nodes -= static_cast<double>(effort + joined.work);
      const SearchOutcome outcome = ask(portfolio, effort);
      part.joiningTurns.pay(seed, result_.nodes - before);
      if (outcome != SearchOutcome::found) continue;
      part.joiningTurns.reward(seed);
      take(part, joined.offsetsOf(portfolio.offsets()));
      result_.winner = fmt::format("{}, joined", portfolio.winner());
      update();
      return true;
    }
    return false;
  }

  /// Packs what fills the bound, once more in another way.
  bool askSwept(Part& part, Bytes bound) {
    const exact::Swept swept = exact::packFull(part.boxes, bound, ++part.sweeps, stopped_);
    return takeSwept(part, swept, "sweep");
  }

  /// Packs what nearly fills the capacity by beam search, once more in another way, where that has
  /// not had its share of the work: the coarser sizes are, the more it finds.
  bool askBeam(Part& part, Bytes capacity) {
    const bool coarse = capacity.count() <= kCoarseUnits * part.boxes.unit.count();
    const double most = static_cast<double>(result_.nodes) * (coarse ? kCoarseBeams : kBeams);
    if (options_.nodes > 0 || result_.nodes < kBeforeBeam) return false;
    if (static_cast<double>(part.beamWork) > most) return false;
    const exact::Swept swept = exact::packNearlyFull(part.boxes, capacity, ++part.beams, stopped_);
    part.beamWork += swept.work;
    return takeSwept(part, swept, "beam");
  }

  bool takeSwept(Part& part, const exact::Swept& swept, std::string_view winner) {
    result_.nodes += swept.work;
    if (!swept.offsets) return false;
    take(part, *swept.offsets);
    result_.winner = winner;
    update();
    return true;
  }

  SearchOutcome ask(Portfolio& portfolio, std::int64_t effort) {
    if (options_.nodes > 0) effort = std::min(effort, mostNodes() - result_.nodes);
    const std::int64_t before = portfolio.nodes();
    const std::int64_t sum = result_.nodes;
    limits_.pulse = [&] {
      result_.nodes = sum + portfolio.nodes() - before;
      const ExactProgress now = progress();
      if (!options_.progress || now.seconds - told_ < kPulse) return;
      told_ = now.seconds;
      options_.progress(now);
    };
    const SearchOutcome outcome = portfolio.run(effort, limits_);
    result_.nodes = sum + portfolio.nodes() - before;
    return outcome;
  }

  /// Nothing but the capacity asked for is looked at yet.
  bool isPatient() const { return options_.capacity && result_.nodes < kPatience; }

  bool settle(Part& part, Bytes capacity, SearchOutcome outcome, const Portfolio& portfolio) {
    if (outcome == SearchOutcome::found) {
      take(part, portfolio.offsets());
      result_.winner = portfolio.winner();
    } else if (outcome == SearchOutcome::exhausted) {
      part.bound = std::max(part.bound, exact::attainable(part.boxes, capacity + Bytes(1)));
    }
    if (outcome != SearchOutcome::found && !isPatient()) part.missed = capacity;
    update();
    return outcome != SearchOutcome::abandoned || part.joinsEnough;
  }

  void take(Part& part, const std::vector<std::int64_t>& offsets) {
    Bytes peak;
    for (std::size_t i = 0; i < part.boxes.boxes.size(); ++i) {
      const exact::Box& box = part.boxes.boxes[i];
      result_.offsets[box.stay] = part.boxes.unit * offsets[i];
      peak = std::max(peak, result_.offsets[box.stay] + box.size);
    }
    part.peak = peak;
  }

  ExactProgress progress() const {
    return {.seconds = std::chrono::duration<double>(SteadyClock::now() - start_).count(),
            .incumbent = result_.incumbent,
            .bound = std::min(result_.bound, result_.incumbent),
            .nodes = result_.nodes,
            .winner = result_.winner};
  }

  /// Writes down where the search stands, when that has changed or it is over.
  void report(bool last = false) {
    const ExactProgress now = progress();
    const auto& history = result_.history;
    const bool news = history.empty() || history.back().incumbent != now.incumbent ||
                      history.back().bound != now.bound;
    if (!news && !last) return;
    result_.history.push_back(now);
    told_ = now.seconds;
    if (options_.progress) options_.progress(now);
  }

  const Problem& problem_;
  PoolId pool_;
  const ExactOptions& options_;
  Limits limits_;
  const std::function<bool()> stopped_ = [this] { return limits_.over(); };
  SteadyClock::time_point start_;
  double told_ = 0;            ///< Seconds at the last report.
  int skylines_ = 0;           ///< Times the skyline was tried.
  std::int64_t gainedAt_ = 0;  ///< Nodes when the incumbent got lower last.
  std::deque<Part> parts_;
  ExactResult result_;
};

}  // namespace

double ExactProgress::gap() const {
  if (bound <= Bytes()) return 0;
  return static_cast<double>(incumbent.count()) / static_cast<double>(bound.count()) - 1;
}

ExactResult solveExact(const Problem& problem, PoolId pool, const ExactOptions& options) {
  if (!problem.overlaps.empty()) return solveOverlapped(problem, pool, options);
  return Solver(problem, pool, options).run();
}

}  // namespace hw
