#include "core/solver/neighbours.h"

#include <algorithm>

namespace hw {
namespace {

constexpr Step kNever{-1};

}  // namespace

Neighbours::Neighbours(const Problem& problem, PoolId pool)
    : problem_(problem), rank_(problem.stays.size()) {
  for (const StayId id : problem.stays.keys()) {
    if (problem.poolOf(id) == pool) order_.push_back(id);
  }
  std::ranges::stable_sort(order_, {}, [&](StayId id) { return problem.stays[id].steps.begin; });
  for (std::size_t i = 0; i < order_.size(); ++i) {
    rank_[order_[i].index()] = static_cast<std::uint32_t>(i);
  }
  while (leaves_ < order_.size()) leaves_ *= 2;
  latestEnd_.assign(2 * leaves_, kNever);
}

void Neighbours::insert(StayId stay) {
  const Step end = problem_.stays[stay].steps.end;
  for (std::size_t node = leaves_ + rank_[stay.index()]; node > 0; node /= 2) {
    latestEnd_[node] = std::max(latestEnd_[node], end);
  }
}

void Neighbours::clear() { std::ranges::fill(latestEnd_, kNever); }

void Neighbours::query(StayId stay, std::vector<StayId>& found) const {
  found.clear();
  const Interval<Step> steps = problem_.stays[stay].steps;
  const auto limit = std::ranges::lower_bound(
      order_, steps.end, {}, [&](StayId id) { return problem_.stays[id].steps.begin; });
  collect({1, 0, leaves_}, static_cast<std::size_t>(limit - order_.begin()), steps.begin, found);
  if (problem_.gaps.empty()) return;
  std::erase_if(found, [&](StayId other) { return !liveTogether(stay, other); });
}

/// Stays that begin before `limit` are the first of the order; of these, subtrees in which all have
/// ended by `begin` are passed over whole.
void Neighbours::collect(Node node, std::size_t limit, Step begin,
                         std::vector<StayId>& found) const {
  if (node.first >= limit || latestEnd_[node.index] <= begin) return;
  if (node.last - node.first == 1) {
    found.push_back(order_[node.first]);
    return;
  }
  const std::size_t middle = (node.first + node.last) / 2;
  collect({2 * node.index, node.first, middle}, limit, begin, found);
  collect({2 * node.index + 1, middle, node.last}, limit, begin, found);
}

bool Neighbours::liveTogether(StayId a, StayId b) const {
  const auto left = problem_.liveSteps(a);
  const auto right = problem_.liveSteps(b);
  return std::ranges::any_of(left, [&](const Interval<Step>& x) {
    return std::ranges::any_of(right, [&](const Interval<Step>& y) { return x.overlaps(y); });
  });
}

}  // namespace hw
