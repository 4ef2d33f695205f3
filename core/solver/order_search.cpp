#include "core/solver/order_search.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "core/plan/metrics.h"

namespace hw {
namespace {

/// The first random number below `n`; the standard distributions differ between libraries.
std::size_t below(std::mt19937_64& random, std::size_t n) {
  return static_cast<std::size_t>(random() % n);
}

class OrderSearch {
 public:
  OrderSearch(const Problem& problem, PoolId pool, std::vector<StayId> order,
              const OrderSearchOptions& options)
      : problem_(problem),
        options_(options),
        placer_(problem, pool, options.rule),
        order_(std::move(order)),
        position_(problem.stays.size()),
        restsOn_(problem.stays.size()),
        random_(options.seed),
        bound_(lowerBound(problem, pool)) {
    std::erase_if(order_, [&](StayId id) { return problem.stays[id].pinned.has_value(); });
  }

  OrderSearchResult run() {
    const std::optional<Bytes> start = placeAll();
    if (!start) return std::move(result_);
    result_.start = *start;
    accept();
    keep();
    std::int64_t lastGain = 0;
    while (order_.size() > 1 && result_.peak > bound_ && result_.tries < options_.tries &&
           result_.tries - lastGain < options_.stuck && !outOfTime()) {
      ++result_.tries;
      const auto [a, b] = pickSwap();
      std::swap(order_[a], order_[b]);
      const std::optional<Bytes> peak = placeAll();
      if (!peak) {
        std::swap(order_[a], order_[b]);
        continue;
      }
      accept();
      if (*peak < result_.peak) {
        keep();
        lastGain = result_.tries;
      }
    }
    return std::move(result_);
  }

 private:
  /// A placement in full, to choose the next swap from.
  struct Layout {
    IdMap<StayId, Bytes> offsets{};
    IdMap<StayId, std::size_t> position{};  ///< In the order.
    IdMap<StayId, StayId> restsOn{};        ///< Who ends where the stay begins.
    Bytes peak{};
  };

  /// The peak of the order; nothing, and early, when it is worse than what would be accepted, or
  /// when the time is up. The first order is placed all the same, unless somebody wants a stop.
  std::optional<Bytes> placeAll() {
    placer_.clear();
    draw_.reset();
    for (const StayId id : placer_.stays()) {
      if (problem_.stays[id].pinned) placer_.fix(id, *problem_.stays[id].pinned);
    }
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const StayId id = order_[i];
      position_[id] = i;
      placer_.place(id, options_.rule);
      restsOn_[id] = placer_.restsOn();
      if (started_ && !accepts(placer_.peak())) return std::nullopt;
      if (i % kPlacementsBetweenLooks != kPlacementsBetweenLooks - 1) continue;
      if (started_ ? outOfTime() : stopped()) return std::nullopt;
    }
    return placer_.peak();
  }

  void accept() {
    started_ = true;
    accepted_.offsets.resize(problem_.stays.size());
    for (const StayId id : placer_.stays()) accepted_.offsets[id] = placer_.offsetOf(id);
    accepted_.position = position_;
    accepted_.restsOn = restsOn_;
    accepted_.peak = placer_.peak();
  }

  void keep() {
    result_.peak = accepted_.peak;
    result_.offsets = accepted_.offsets;
    result_.order = order_;
  }

  /// Two positions worth swapping: in what carries the top of memory.
  std::pair<std::size_t, std::size_t> pickSwap() {
    StayId top;
    for (const StayId id : order_) {
      if (accepted_.offsets[id] + problem_.stays[id].size == accepted_.peak) top = id;
    }
    std::vector<std::size_t> positions;
    if (top) {
      std::vector<bool> seen(order_.size(), false);
      addCarriers(top, seen, positions);
      const Interval<Step> steps = problem_.stays[top].steps;
      for (const StayId id : order_) {
        if (problem_.stays[id].steps.overlaps(steps)) addCarriers(id, seen, positions);
      }
    }
    // All by itself at the top: any swap is as good as another.
    if (positions.size() < 2) return {below(random_, order_.size()), below(random_, order_.size())};
    std::ranges::sort(positions);
    const std::size_t first = below(random_, positions.size());
    std::size_t second = below(random_, positions.size() - 1);
    if (second == first) second = positions.size() - 1;
    return {positions[first], positions[second]};
  }

  /// `id` and whoever it rests on, down to the ground or to what is listed already.
  void addCarriers(StayId id, std::vector<bool>& seen, std::vector<std::size_t>& positions) const {
    for (; id && !problem_.stays[id].pinned; id = accepted_.restsOn[id]) {
      const std::size_t position = accepted_.position[id];
      if (seen[position]) return;
      seen[position] = true;
      positions.push_back(position);
    }
  }

  /// The higher the peak, the less likely. One number is drawn for an order, so that a peak is not
  /// accepted where a lower one was not.
  bool accepts(Bytes peak) {
    if (peak <= accepted_.peak) return true;
    if (!options_.anneal) return false;
    if (!draw_) draw_ = static_cast<double>(below(random_, 1'000'000));
    const double heat =
        1.0 - static_cast<double>(result_.tries) / static_cast<double>(options_.tries);
    const double loss = static_cast<double>((peak - accepted_.peak).count()) /
                        static_cast<double>(std::max<std::int64_t>(1, accepted_.peak.count()));
    // A loss of 5 % is taken once in three times at first (1/e), and never in the end.
    const double chance = std::exp(-loss / (0.05 * heat + 1e-9));
    return *draw_ < chance * 1e6;
  }

  bool stopped() {
    result_.stopped = options_.stopped && options_.stopped();
    return result_.stopped;
  }

  bool outOfTime() {
    if (stopped()) return true;
    return options_.deadline && secondsNow(options_.clock) >= *options_.deadline;
  }

  const Problem& problem_;
  const OrderSearchOptions& options_;
  Placer placer_;
  std::vector<StayId> order_;
  IdMap<StayId, std::size_t> position_;
  IdMap<StayId, StayId> restsOn_;
  std::mt19937_64 random_;
  std::optional<double> draw_;  ///< For the order that is being placed; drawn when it matters.
  Bytes bound_;
  Layout accepted_;
  bool started_ = false;
  OrderSearchResult result_;
};

}  // namespace

OrderSearchResult searchOrders(const Problem& problem, PoolId pool, std::vector<StayId> order,
                               const OrderSearchOptions& options) {
  return OrderSearch(problem, pool, std::move(order), options).run();
}

}  // namespace hw
