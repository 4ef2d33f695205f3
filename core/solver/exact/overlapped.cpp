#include "core/solver/exact/overlapped.h"

#include <algorithm>
#include <limits>

#include "core/plan/metrics.h"
#include "core/solver/exact/overlap_tree.h"
#include "core/solver/order_search.h"
#include "core/solver/orders.h"

namespace hw {
namespace {

using exact::OverlapTree;

/// More stays than these are not looked at pair by pair.
constexpr std::size_t kMostInPairs = 4'000;
/// Nodes of the first question, and of the next ones so many times as many.
constexpr std::int64_t kFirstQuestion = 2'000;
constexpr std::int64_t kGrowth = 4;
constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max() / 8;

std::vector<StayId> backwards(const Problem& problem, PoolId pool) {
  std::vector<StayId> order = productionOrder(problem, pool);
  std::ranges::reverse(order);
  return order;
}

struct StartOrder {
  std::vector<StayId> (*make)(const Problem&, PoolId);
  std::string_view name;
};
constexpr StartOrder kStarts[] = {{productionOrder, "production"}, {backwards, "backwards"},
                                  {urgencyOrder, "urgency"},       {sizeOrder, "size"},
                                  {breadthOrder, "breadth"},       {areaOrder, "area"}};

class OverlappedSolver {
 public:
  OverlappedSolver(const Problem& problem, PoolId pool, const ExactOptions& options)
      : problem_(problem), pool_(pool), options_(options), begun_(secondsNow({})) {
    for (const StayId id : problem.stays.keys()) {
      if (problem.poolOf(id) != pool) continue;
      ++count_;
      pinned_ |= problem.stays[id].pinned.has_value();
    }
    result_.winner = "start";
    result_.bound = lowerBound(problem, pool);
    result_.offsets = IdMap<StayId, Bytes>(problem.stays.size());
  }

  ExactResult run() {
    begin();
    if (!planned_) {
      result_.offsets = {};
      return std::move(result_);
    }
    std::unique_ptr<OverlapTree> tree;
    if (!decided() && !pinned_ && count_ <= kMostInPairs) {
      tree = std::make_unique<OverlapTree>(problem_, pool_);
    }
    std::int64_t effort = kFirstQuestion;
    for (std::size_t round = 0; !decided() && !over(); ++round) {
      climb(kStarts[round % std::size(kStarts)], round, effort);
      if (!decided() && !over() && tree) prove(*tree, effort);
      // Each order once before any is searched for longer.
      if (round % std::size(kStarts) + 1 == std::size(kStarts)) effort *= kGrowth;
      if (effort > kUnlimited / kGrowth) break;
    }
    result_.status = status();
    report(true);
    return std::move(result_);
  }

 private:
  void begin() {
    if (options_.start) {
      take(*options_.start, "start");
    } else {
      Placer placer(problem_, pool_);
      for (const StartOrder& start : kStarts) {
        placer.clear();
        if (!placeInOrder(placer, problem_, start.make(problem_, pool_), FitRule::first,
                          [this] { return options_.stop.stop_requested(); })) {
          break;
        }
        IdMap<StayId, Bytes> offsets(problem_.stays.size());
        for (const StayId id : placer.stays()) offsets[id] = placer.offsetOf(id);
        take(offsets, "start");
      }
    }
    report();
  }

  void take(const IdMap<StayId, Bytes>& offsets, std::string_view winner) {
    Bytes peak;
    for (const StayId id : problem_.stays.keys()) {
      if (problem_.poolOf(id) != pool_) continue;
      peak = std::max(peak, offsets[id] + problem_.stays[id].size);
    }
    if (planned_ && peak >= result_.incumbent) return;
    planned_ = true;
    result_.incumbent = peak;
    result_.winner = winner;
    for (const StayId id : problem_.stays.keys()) {
      if (problem_.poolOf(id) == pool_) result_.offsets[id] = offsets[id];
    }
    report();
  }

  void climb(const StartOrder& start, std::size_t round, std::int64_t effort) {
    const auto count = static_cast<std::int64_t>(std::max<std::size_t>(count_, 1));
    const std::int64_t tries = std::max<std::int64_t>(1, std::min(effort, left()) / count);
    const OrderSearchOptions options{.tries = tries,
                                     .stuck = tries,
                                     .deadline = deadline(),
                                     .seed = round + 1,
                                     .stopped = [this] { return options_.stop.stop_requested(); }};
    const OrderSearchResult found =
        searchOrders(problem_, pool_, start.make(problem_, pool_), options);
    if (found.offsets.empty()) return;  // It was told to stop.
    result_.nodes += (found.tries + 1) * count;
    take(found.offsets, start.name);
  }

  /// Whether the bound, or the capacity asked for, suffices; where it does not, whether less than
  /// the best plan does.
  void prove(OverlapTree& tree, std::int64_t effort) {
    const Bytes lowest = options_.capacity.value_or(result_.bound);
    if (lowest >= result_.bound && !failed_) askFor(tree, lowest, effort);
    if (!decided() && !over() && !options_.capacity) {
      askFor(tree, result_.incumbent - Bytes(1), effort);
    }
  }

  void askFor(OverlapTree& tree, Bytes capacity, std::int64_t effort) {
    const std::int64_t before = tree.nodes();
    const auto answer = tree.ask(capacity, std::min(effort, left()), [this] { return over(); });
    result_.nodes += tree.nodes() - before;
    if (answer == OverlapTree::Answer::fits) take(tree.offsets(), "overlaps");
    if (answer != OverlapTree::Answer::cannot) return;
    result_.bound = std::max(result_.bound, capacity + Bytes(1));
    failed_ = failed_ || !options_.capacity;
    report();
  }

  std::int64_t left() const {
    return options_.nodes > 0 ? std::max<std::int64_t>(1, options_.nodes - result_.nodes)
                              : kUnlimited;
  }
  std::optional<double> deadline() const {
    return options_.seconds > 0 ? std::optional(begun_ + options_.seconds) : std::nullopt;
  }
  bool over() const {
    if (options_.stop.stop_requested()) return true;
    if (options_.nodes > 0 && result_.nodes >= options_.nodes) return true;
    return options_.seconds > 0 && secondsNow({}) >= *deadline();
  }
  bool decided() const {
    const auto& asked = options_.capacity;
    if (asked && (result_.incumbent <= *asked || result_.bound > *asked)) return true;
    return result_.incumbent <= result_.bound;
  }

  ExactStatus status() const {
    const bool optimal = result_.incumbent <= result_.bound;
    const auto& asked = options_.capacity;
    if (asked && result_.bound > *asked) return ExactStatus::infeasible;
    if (optimal) return ExactStatus::optimal;
    return asked && result_.incumbent <= *asked ? ExactStatus::fits : ExactStatus::stopped;
  }

  void report(bool last = false) {
    const ExactProgress now{.seconds = secondsNow({}) - begun_,
                            .incumbent = result_.incumbent,
                            .bound = std::min(result_.bound, result_.incumbent),
                            .nodes = result_.nodes,
                            .winner = result_.winner};
    const auto& history = result_.history;
    const bool news = history.empty() || history.back().incumbent != now.incumbent ||
                      history.back().bound != now.bound;
    if (!planned_ || (!news && !last)) return;
    result_.history.push_back(now);
    if (options_.progress) options_.progress(now);
  }

  const Problem& problem_;
  PoolId pool_;
  const ExactOptions& options_;
  double begun_;
  std::size_t count_ = 0;
  bool pinned_ = false;
  bool planned_ = false;
  bool failed_ = false;  ///< The first bound is too low.
  ExactResult result_;
};

}  // namespace

ExactResult solveOverlapped(const Problem& problem, PoolId pool, const ExactOptions& options) {
  return OverlappedSolver(problem, pool, options).run();
}

}  // namespace hw
