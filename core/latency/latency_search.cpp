#include "core/latency/latency_search.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <random>
#include <utility>

#include "core/base/check.h"
#include "core/latency/branch_bound.h"
#include "core/latency/capacity_bound.h"
#include "core/latency/path_placer.h"
#include "core/latency/timed_packing.h"

namespace hw {
namespace {

/// The number of fastest plans that are kept, for later turns to begin with.
constexpr std::size_t kKept = 6;
/// Parts of the budget: for the first improvement of each plan, and for each turn after that.
constexpr double kFirstTurn = 0.03;
constexpr double kTurn = 0.15;
/// A slower plan is accepted within about this part of the latency as a turn begins; eight times
/// it halves.
constexpr std::int64_t kTolerance = 150;
constexpr int kHalvings = 8;
/// Of the capacities, in percent: what a packing by time starts from.
constexpr int kRooms[] = {100, 98, 96, 94, 92, 90, 85, 80};
/// Thresholds that greedy packings try for the length of a path, in percent of the bound.
constexpr std::int64_t kThresholds[] = {100, 80, 50};

/// The search ends with a plan that is as fast as without reuse and exceeds the bound by no more
/// than this part of it (one in a thousand).
constexpr std::int64_t kNear = 1'000;

/// Nodes that are bounded at most before the search, and after it if that was not enough; each time
/// for such a part of its looks.
constexpr std::int64_t kFirstNodes = 16;
constexpr std::int64_t kFirstPart = 50;
constexpr std::int64_t kLastNodes = 100;
constexpr std::int64_t kLastPart = 5;
/// Looks for each stay and activity that bounding a node is worth.
constexpr std::int64_t kBoundLooks = 30;

class LatencySearch {
 public:
  LatencySearch(const TimedWork& work, const LatencySearchOptions& options)
      : work_(work),
        options_(options),
        begun_(now()),
        random_(options.seed),
        anyMoves_(anyMoves(work)),
        capacities_(capacitiesOf(work, options)),
        timer_(work),
        placer_(work, capacities_, random_),
        removal_(work, random_) {
    const auto size = static_cast<std::int64_t>(work.stays.size() + work.activities.size());
    options_.looks = std::min(options_.looks, kLooksOfEach * size);
    result_.bound = options.bound ? *options.bound : capacityBound(work, options.capacities);
    timer_.placeApart();
    result_.apart = timer_.contended();
    apart_ = stayTimes(work, timer_);
  }

  LatencySearchResult run(std::vector<TimedPlan> starts) {
    lowest_ = starts.front().offsets;
    for (TimedPlan& start : starts) {
      start.latency = latencyOf(start.offsets);
      keep(std::move(start));
    }
    if (!anyMoves_) result_.bound = {result_.best.latency, "no stay that could move"};
    note();
    packTimed();
    note();
    if (!done()) packGreedily();
    if (!done()) branch(kFirstNodes, kFirstPart);
    // The list is emptied first: each plan comes back improved. Otherwise the improved versions of
    // one plan would fill the list and drive out the others.
    for (const TimedPlan& plan : std::exchange(kept_, {})) {
      if (done()) break;
      improve(plan, kFirstTurn, 0);
    }
    for (int turn = 0; !done(); ++turn) {
      // Every other turn belongs to the best, the others to those behind it.
      const bool best = turn % 2 == 0 || kept_.size() == 1;
      const TimedPlan plan = kept_[best ? 0 : 1 + random_() % (kept_.size() - 1)];
      improve(plan, kTurn, kTolerance);
    }
    branch(kLastNodes, kLastPart);
    result_.near = isNear();
    if (!options_.stop.stop_requested()) settle();
    note();
    check(result_.bound.time <= result_.best.latency, "a latency that is not below its bound");
    return std::move(result_);
  }

 private:
  struct Current {
    TimedPlan plan{};
    StayTimes times{};
    std::vector<ReusePair> critical{};
  };

  /// No pool needs more than all its stays side by side.
  static std::vector<Bytes> capacitiesOf(const TimedWork& work,
                                         const LatencySearchOptions& options) {
    std::vector<Bytes> rooms(options.capacities.size());
    for (const TimedStay& stay : work.stays) {
      Bytes& room = rooms[stay.pool.index()];
      room = alignUp(room, stay.alignment) + stay.size;
    }
    for (std::size_t i = 0; i < rooms.size(); ++i) {
      const auto& capacity = options.capacities[i];
      const bool pinned = isPinned(work, PoolId(i));
      if (capacity && (pinned || *capacity < rooms[i])) rooms[i] = *capacity;
    }
    return rooms;
  }

  /// True if a stay of the pool has to lie where it lies.
  static bool isPinned(const TimedWork& work, PoolId pool) {
    return std::ranges::any_of(
        work.stays, [&](const TimedStay& stay) { return stay.pinned && stay.pool == pool; });
  }

  /// True if other addresses can make a difference: a stay that is touched can go elsewhere, and
  /// its pool has another one.
  static bool anyMoves(const TimedWork& work) {
    std::vector<std::uint32_t> touched(work.pools);
    std::vector<char> free(work.pools);
    for (const std::uint32_t stay : work.byOpening) {
      const std::size_t pool = work.stays[stay].pool.index();
      ++touched[pool];
      free[pool] |= static_cast<char>(!work.stays[stay].pinned);
    }
    for (std::size_t i = 0; i < touched.size(); ++i) {
      if (free[i] != 0 && touched[i] > 1) return true;
    }
    return false;
  }

  double now() const {
    if (options_.clock) return options_.clock();
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
  double seconds() const { return now() - begun_; }
  /// The part of the budget that is used up, from 0 to 1.
  double used() const {
    if (options_.seconds > 0) return seconds() / options_.seconds;
    return static_cast<double>(result_.looks) / static_cast<double>(options_.looks);
  }
  bool done() const {
    const bool enough = options_.apartIsEnough && result_.best.latency <= result_.apart;
    return !anyMoves_ || result_.proved() || enough || isNear() || used() >= 1 ||
           options_.stop.stop_requested();
  }
  /// Nothing is left of what reuse costs, and little else.
  bool isNear() const {
    const SimTime most = addTime(result_.bound.time, partOf(result_.bound.time, 1, kNear));
    return result_.best.latency <= std::min(result_.apart, most);
  }

  /// The looks that bounding a node is worth.
  std::int64_t nodeLooks() const {
    return kBoundLooks * static_cast<std::int64_t>(work_.stays.size() + work_.activities.size());
  }

  /// Raises the bound by what is proved when plans are split up by who shares bytes with whom.
  void branch(std::int64_t nodes, std::int64_t part) {
    if (!anyMoves_ || result_.proved() || options_.stop.stop_requested()) return;
    if (options_.seconds <= 0) nodes = std::min(nodes, options_.looks / part / nodeLooks());
    if (nodes == 0) return;
    const BranchedBound found = branchedBound(work_, {.capacities = options_.capacities,
                                                      .bound = result_.bound.time,
                                                      .latency = result_.best.latency,
                                                      .nodes = static_cast<int>(nodes),
                                                      .stop = options_.stop});
    result_.looks += found.nodes * nodeLooks();
    if (found.time <= result_.bound.time) return;
    result_.bound = {found.time, "what waits for what, whoever shares bytes with whom"};
  }

  void note() const {
    if (!options_.improved) return;
    options_.improved({.seconds = seconds(),
                       .looks = result_.looks,
                       .latency = result_.best.latency,
                       .bound = result_.bound.time,
                       .winner = result_.best.winner});
  }

  SimTime latencyOf(const std::vector<Bytes>& offsets) {
    timer_.place(offsets);
    result_.looks += 4 * static_cast<std::int64_t>(work_.activities.size());
    ++result_.evaluations;
    return timer_.contended();
  }

  /// Adds `plan` to those that the search goes on from, unless enough are faster or one is exactly
  /// as fast.
  void keep(TimedPlan plan) {
    if (result_.best.offsets.empty() || plan.latency < result_.best.latency) result_.best = plan;
    const auto at = std::ranges::lower_bound(kept_, plan.latency, {}, &TimedPlan::latency);
    if (at != kept_.end() && at->latency == plan.latency) return;
    kept_.insert(at, std::move(plan));
    if (kept_.size() > kKept) kept_.pop_back();
  }

  /// Packings of runs in which stays need room but no addresses: less and less room, until there
  /// are addresses for two of them.
  void packTimed() {
    if (std::ranges::any_of(work_.stays, &TimedStay::pinned)) return;
    int packed = 0;
    for (const int percent : kRooms) {
      if (packed == 2 || done()) return;
      TimedPacking found = packByTime(work_, timer_, capacities_, percent);
      result_.looks += found.looks + 4 * static_cast<std::int64_t>(work_.activities.size());
      if (found.offsets.empty()) continue;
      ++packed;
      const SimTime latency = latencyOf(found.offsets);
      keep({std::move(found.offsets), latency, "packing by time"});
    }
  }

  /// Packings in three orders by what paths cost in a run without reuse.
  void packGreedily() {
    std::vector<std::uint32_t> program;
    for (std::uint32_t i = 0; i < work_.stays.size(); ++i) program.push_back(i);
    auto bySize = program;
    auto critical = program;
    std::ranges::stable_sort(program, {}, [&](auto i) { return work_.stays[i].steps.begin; });
    std::ranges::stable_sort(bySize, std::greater<>(), [&](auto i) { return work_.stays[i].size; });
    std::ranges::stable_sort(critical, std::greater<>(),
                             [&](auto i) { return apart_.ends[i] + apart_.tails[i]; });
    for (const std::int64_t percent : kThresholds) {
      pack(program, percent, "greedy by path, in program order");
      pack(bySize, percent, "greedy by path, largest first");
      pack(critical, percent, "greedy by path, most critical first");
    }
  }

  void pack(const std::vector<std::uint32_t>& order, std::int64_t percent, const char* name) {
    if (used() >= 1) return;
    const SimTime threshold = partOf(result_.bound.time, percent, 100);
    std::vector<Bytes> offsets(work_.stays.size(), ReuseTimer::kNowhere);
    for (std::uint32_t i = 0; i < offsets.size(); ++i) {
      if (work_.stays[i].pinned) offsets[i] = result_.best.offsets[i];
    }
    placer_.adopt(offsets);
    for (const std::uint32_t stay : order) {
      if (!work_.stays[stay].pinned && !put(stay, apart_, {threshold})) return;
    }
    keep({placer_.offsets(), latencyOf(placer_.offsets()), name});
  }

  /// Takes the best plan down, pool by pool, as far as that takes no time: to where the first start
  /// has the stays, or to a packing of what is open together as it runs.
  void settle() {
    for (std::size_t i = 0; i < work_.pools; ++i) {
      const PoolId pool(i);
      auto down = result_.best.offsets;
      for (std::uint32_t stay = 0; stay < down.size(); ++stay) {
        if (work_.stays[stay].pool == pool) down[stay] = lowest_[stay];
      }
      tryLower(pool, std::move(down));
      if (isPinned(work_, pool)) continue;
      down = result_.best.offsets;
      latencyOf(down);
      result_.looks += packLow(work_, timer_, pool, down);
      tryLower(pool, std::move(down));
    }
  }

  void tryLower(PoolId pool, std::vector<Bytes> offsets) {
    if (topOf(pool, offsets) >= topOf(pool, result_.best.offsets)) return;
    const SimTime latency = latencyOf(offsets);
    if (latency > result_.best.latency) return;
    result_.best.offsets = std::move(offsets);
    result_.best.latency = latency;
  }

  Bytes topOf(PoolId pool, const std::vector<Bytes>& offsets) const {
    Bytes top;
    for (std::uint32_t stay = 0; stay < offsets.size(); ++stay) {
      const TimedStay& own = work_.stays[stay];
      if (own.pool == pool) top = std::max(top, offsets[stay] + own.size);
    }
    return top;
  }

  bool put(std::uint32_t stay, const StayTimes& times, const PathRule& rule) {
    result_.looks += static_cast<std::int64_t>(work_.stays.size());
    return placer_.put(stay, times, rule);
  }

  /// Improves a plan for `share` of the budget. `tolerance` in parts of 10^5.
  void improve(const TimedPlan& plan, double share, std::int64_t tolerance) {
    enter(plan);
    TimedPlan best = current_.plan;
    const double begun = used();
    while (!done()) {
      const double turn = (used() - begun) / share;
      if (turn >= 1) break;
      if (!attempt(tolerance >> static_cast<int>(kHalvings * turn))) continue;
      if (current_.plan.latency >= best.latency) continue;
      best = current_.plan;
      if (best.latency >= result_.best.latency) continue;
      result_.best = best;
      note();
    }
    keep(std::move(best));
  }

  void enter(const TimedPlan& plan) {
    current_.plan = plan;
    if (!plan.winner.starts_with("search from ")) {
      current_.plan.winner = "search from " + plan.winner;
    }
    latencyOf(plan.offsets);
    placer_.adopt(plan.offsets);
    look();
  }

  /// Looks at the times around the stays of the current plan, which the timer has just run.
  void look() {
    current_.times = stayTimes(work_, timer_);
    current_.critical = criticalReuse(work_, timer_, current_.plan.offsets);
    result_.looks += 2 * static_cast<std::int64_t>(work_.activities.size());
  }

  /// Takes some stays out and puts them back elsewhere. False when that came to nothing.
  bool attempt(std::int64_t tolerance) {
    ++result_.tries;
    const SimTime latency = current_.plan.latency;
    const auto& taken = removal_.choose(current_.plan.offsets, current_.critical);
    result_.looks += static_cast<std::int64_t>(work_.stays.size());
    placer_.takeOut(taken);
    const PathRule rule = someRule();
    for (const std::uint32_t stay : taken) {
      if (!put(stay, current_.times, rule)) return false;
    }
    const std::vector<Bytes>& trial = placer_.offsets();
    if (trial == current_.plan.offsets) return false;
    const std::int64_t parts = tolerance * std::countl_zero(random_() | 1);
    const SimTime most = addTime(latency, partOf(latency, parts, 100'000));
    timer_.place(trial);
    ++result_.evaluations;
    result_.looks += 2 * static_cast<std::int64_t>(work_.activities.size());
    if (timer_.alone() > most) return false;
    result_.looks += 2 * static_cast<std::int64_t>(work_.activities.size());
    const SimTime found = timer_.contended();
    if (found > most) return false;
    current_.plan.latency = found;
    current_.plan.offsets = trial;
    placer_.accept();
    look();
    return true;
  }

  /// A threshold between the bound and what there is, a little below it now and then.
  PathRule someRule() {
    const SimTime gap = current_.plan.latency - result_.bound.time;
    const auto part = static_cast<std::int64_t>(random_() % 1200) - 200;
    const SimTime threshold = result_.bound.time + partOf(gap, part, 1000);
    return {.threshold = std::max(threshold, SimTime(1)),
            .noisy = random_() % 2 == 0,
            .ties = static_cast<TieRule>(random_() % 3)};
  }

  const TimedWork& work_;
  LatencySearchOptions options_;
  double begun_;
  std::mt19937_64 random_;
  bool anyMoves_;
  std::vector<Bytes> lowest_;      ///< Offsets of the first start.
  std::vector<Bytes> capacities_;  ///< Of these no more is used: never above those of the options.
  ReuseTimer timer_;
  PathPlacer placer_;
  Removal removal_;
  StayTimes apart_;
  std::vector<TimedPlan> kept_;  ///< By latency.
  Current current_;
  LatencySearchResult result_;
};

}  // namespace

LatencySearchResult searchLatency(const TimedWork& work, std::vector<TimedPlan> starts,
                                  const LatencySearchOptions& options) {
  check(!starts.empty(), "a search for the least latency starts from a plan");
  return LatencySearch(work, options).run(std::move(starts));
}

}  // namespace hw
