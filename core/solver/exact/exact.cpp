#include "core/solver/exact/exact.h"

#include <algorithm>
#include <map>
#include <thread>

#include "core/solver/exact/portfolio.h"
#include "core/solver/orders.h"
#include "core/solver/placer.h"

namespace hw {
namespace {

using exact::Boxes;
using exact::Limits;
using exact::Portfolio;
using exact::SearchOutcome;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t kFirstAttempt = 20'000;

/// A part of the pool and what is known of its lowest peak.
struct Part {
  Boxes boxes{};
  Bytes peak{};                           ///< Of the best offsets so far.
  Bytes bound{};                          ///< Proved: not lower.
  std::map<Bytes, Portfolio> attempts{};  ///< By capacity; paused.
  /// How far down from the peak the next attempt goes, of the way to the bound.
  double reach = 1;
  std::int64_t effort = kFirstAttempt;
};

/// The least value above `bound` that some plan's peak can have.
Bytes attainable(const Boxes& boxes, Bytes bound) {
  Bytes least = kMaxBytes;
  for (const exact::Box& box : boxes.boxes) {
    const Bytes above = std::max(Bytes(), bound - box.size);
    least = std::min(least, alignUp(above, boxes.unit) + box.size);
  }
  return least;
}

class Solver {
 public:
  Solver(const Problem& problem, PoolId pool, const ExactOptions& options)
      : problem_(problem), pool_(pool), options_(options), start_(Clock::now()) {
    limits_.stop = options.stop;
    if (options.seconds > 0) {
      limits_.deadline = start_ + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(options.seconds));
    }
    const int all = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    limits_.threads = options.threads > 0 ? options.threads : all;
  }

  ExactResult run() {
    begin();
    while (!decided()) {
      if (limits_.over() || (options_.nodes > 0 && result_.nodes >= options_.nodes)) break;
      if (!improve(*worst())) break;
      report();
    }
    result_.status = status();
    report();
    return std::move(result_);
  }

 private:
  void begin() {
    std::vector<StayId> stays;
    for (const StayId id : problem_.stays.keys()) {
      if (problem_.poolOf(id) == pool_) stays.push_back(id);
    }
    for (Boxes& boxes : exact::independentParts(problem_, stays)) {
      Part part;
      part.boxes = std::move(boxes);
      part.bound = attainable(part.boxes, part.boxes.load());
      parts_.push_back(std::move(part));
    }
    result_.winner = "start";
    useStart();
    update();
    report();
  }

  /// The offsets to begin with: those given, else the best of some greedy ones, part by part.
  void useStart() {
    result_.offsets = IdMap<StayId, Bytes>(problem_.stays.size());
    if (options_.start) return adopt(*options_.start, true);
    using Order = std::vector<StayId> (*)(const Problem&, PoolId);
    constexpr Order kOrders[] = {sizeOrder, areaOrder, urgencyOrder};
    bool first = true;
    for (const Order order : kOrders) {
      Placer placer(problem_, pool_);
      placeInOrder(placer, problem_, order(problem_, pool_), FitRule::best, [] { return false; });
      IdMap<StayId, Bytes> offsets(problem_.stays.size());
      for (const StayId id : placer.stays()) offsets[id] = placer.offsetOf(id);
      adopt(offsets, first);
      first = false;
      if (decidedBy(worstPeak()) || limits_.over()) return;
    }
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
    result_.incumbent = worstPeak();
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

  Part* worst() {
    return &*std::ranges::max_element(parts_, {}, [](const Part& part) { return part.peak; });
  }

  /// What to try next for `part`: the capacity asked for, or something between the overall bound
  /// and its peak.
  Bytes target(const Part& part) const {
    if (options_.capacity) return *options_.capacity;
    const auto gap = static_cast<double>((part.peak - result_.bound).count());
    const Bytes down(static_cast<std::int64_t>(gap * part.reach));
    const Bytes wanted = std::max(result_.bound, part.peak - down);
    return std::max(result_.bound, std::min(wanted, part.peak - Bytes(1)));
  }

  bool improve(Part& part) {
    const Bytes capacity = target(part);
    auto [at, isNew] = part.attempts.try_emplace(capacity, part.boxes, capacity);
    Portfolio& portfolio = at->second;
    std::int64_t effort = part.effort;
    if (options_.nodes > 0) effort = std::min(effort, options_.nodes - result_.nodes);
    const std::int64_t before = portfolio.nodes();
    const SearchOutcome outcome = portfolio.run(effort, limits_);
    result_.nodes += portfolio.nodes() - before;
    if (outcome == SearchOutcome::found) {
      take(part, portfolio);
    } else if (outcome == SearchOutcome::exhausted) {
      part.bound = attainable(part.boxes, capacity + Bytes(1));
      result_.winner = result_.winner;
      part.attempts.erase(part.attempts.begin(), part.attempts.upper_bound(capacity));
    } else if (outcome == SearchOutcome::abandoned) {
      return false;
    } else if (part.reach <= 1.0 / 32 || part.peak - capacity <= part.boxes.unit) {
      part.reach = 1;
      part.effort *= 2;
    } else {
      part.reach /= 2;
    }
    update();
    return true;
  }

  void take(Part& part, const Portfolio& portfolio) {
    const auto& offsets = portfolio.offsets();
    Bytes peak;
    for (std::size_t i = 0; i < part.boxes.boxes.size(); ++i) {
      const exact::Box& box = part.boxes.boxes[i];
      result_.offsets[box.stay] = part.boxes.unit * offsets[i];
      peak = std::max(peak, result_.offsets[box.stay] + box.size);
    }
    part.peak = peak;
    part.reach = std::min(1.0, part.reach * 2);
    result_.winner = portfolio.winner();
    part.attempts.erase(part.attempts.lower_bound(peak), part.attempts.end());
  }

  void report() {
    ExactProgress now{.seconds = std::chrono::duration<double>(Clock::now() - start_).count(),
                      .incumbent = result_.incumbent,
                      .bound = std::min(result_.bound, result_.incumbent),
                      .nodes = result_.nodes,
                      .winner = result_.winner};
    result_.history.push_back(now);
    if (options_.progress) options_.progress(now);
  }

  const Problem& problem_;
  PoolId pool_;
  const ExactOptions& options_;
  Limits limits_;
  Clock::time_point start_;
  std::vector<Part> parts_;
  ExactResult result_;
};

}  // namespace

double ExactProgress::gap() const {
  if (bound <= Bytes()) return 0;
  return static_cast<double>(incumbent.count()) / static_cast<double>(bound.count()) - 1;
}

ExactResult solveExact(const Problem& problem, PoolId pool, const ExactOptions& options) {
  return Solver(problem, pool, options).run();
}

}  // namespace hw
