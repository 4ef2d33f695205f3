#include "core/pairs/pair_greedy.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace hw {

namespace {

class CheapPlacer {
 public:
  CheapPlacer(const PairField& field, PairBudget& budget)
      : field_(field),
        budget_(budget),
        at_(field.count(), PairField::kNowhere),
        placed_(field.count(), 0) {}

  /// Places all in the order of `rank`, fixed ones before; raises the rank of those that made
  /// trouble. The cost, or nothing if not all found a place.
  std::optional<std::int64_t> place(std::vector<double>& rank) {
    std::fill(placed_.begin(), placed_.end(), 0);
    std::vector<std::uint32_t> order(field_.count());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      if (field_.fixed[a].has_value() != field_.fixed[b].has_value()) {
        return field_.fixed[a].has_value();
      }
      return rank[a] > rank[b];
    });
    std::optional<std::int64_t> total = 0;
    for (const std::uint32_t block : order) {
      if (budget_.spend()) return std::nullopt;
      const auto cost = put(block);
      if (!cost) total.reset();
      if (total) *total += *cost;
      if (!cost) rank[block] += 0.5;
      if (cost && *cost > 0) rank[block] += 0.15;
    }
    return total;
  }

  const std::vector<std::int64_t>& offsets() const { return at_; }

 private:
  std::optional<std::int64_t> costAt(std::uint32_t block, std::int64_t offset) const {
    std::int64_t cost = 0;
    for (const PairField::Edge& edge : field_.edges[block]) {
      if (!placed_[edge.other] || PairField::isApart(edge, offset, at_[edge.other])) continue;
      if (edge.hard) return std::nullopt;
      cost += edge.cost;
    }
    return cost;
  }

  std::optional<std::int64_t> put(std::uint32_t block) {
    std::vector<std::int64_t> places{field_.lowest(block, 0)};
    for (const PairField::Edge& edge : field_.edges[block]) {
      if (!placed_[edge.other]) continue;
      places.push_back(field_.lowest(block, at_[edge.other] + edge.above));
    }
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    std::optional<std::int64_t> least;
    for (const std::int64_t place : places) {
      if (place == PairField::kNowhere) continue;
      const auto cost = costAt(block, place);
      if (!cost || (least && *cost >= *least)) continue;
      least = cost;
      at_[block] = place;
      if (*least == 0) break;
    }
    placed_[block] = least ? 1 : 0;
    return least;
  }

  const PairField& field_;
  PairBudget& budget_;
  std::vector<std::int64_t> at_;
  std::vector<char> placed_;
};

}  // namespace

std::vector<std::int64_t> cheapPlan(const PairField& field, int rounds, PairBudget& budget) {
  std::vector<double> rank;
  double largest = 1;
  for (const std::int64_t size : field.size) largest = std::max(largest, static_cast<double>(size));
  for (const std::int64_t size : field.size) rank.push_back(static_cast<double>(size) / largest);
  CheapPlacer placer(field, budget);
  std::vector<std::int64_t> best;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (int round = 0; round <= rounds && least > 0 && !budget.isSpent(); ++round) {
    const auto cost = placer.place(rank);
    if (!cost || *cost >= least) continue;
    least = *cost;
    best = placer.offsets();
  }
  return best;
}

}  // namespace hw
