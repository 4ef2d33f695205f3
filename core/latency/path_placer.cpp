#include "core/latency/path_placer.h"

#include <algorithm>
#include <bit>

#include "core/latency/reuse_timer.h"

namespace hw {
namespace {

constexpr int kCostBits = 20;

Bytes alignDown(Bytes value, Bytes alignment) {
  return value - Bytes(value.count() % alignment.count());
}

}  // namespace

PathPlacer::PathPlacer(const TimedWork& work, std::span<const Bytes> capacities,
                       std::mt19937_64& random)
    : work_(work), capacities_(capacities), random_(random), prices_(work.stays.size()) {}

void PathPlacer::adopt(const std::vector<Bytes>& offsets) {
  offsets_ = offsets;
  order_ = {};
  for (std::uint32_t i = 0; i < offsets.size(); ++i) {
    if (offsets[i] >= Bytes()) order_.begins.push_back(i);
  }
  order_.ends = order_.begins;
  std::ranges::sort(order_.begins, {}, [&](auto i) { return std::pair(offsets_[i], i); });
  std::ranges::sort(order_.ends, {}, [&](auto i) { return std::pair(endOf(i), i); });
  adopted_ = offsets_;
  adoptedOrder_ = order_;
}

void PathPlacer::accept() {
  adopted_ = offsets_;
  adoptedOrder_ = order_;
}

void PathPlacer::takeOut(const std::vector<std::uint32_t>& stays) {
  offsets_ = adopted_;
  for (const std::uint32_t stay : stays) offsets_[stay] = ReuseTimer::kNowhere;
  const auto keepPlaced = [&](const auto& from, auto& to) {
    to.clear();
    for (const std::uint32_t stay : from) {
      if (offsets_[stay] >= Bytes()) to.push_back(stay);
    }
  };
  keepPlaced(adoptedOrder_.begins, order_.begins);
  keepPlaced(adoptedOrder_.ends, order_.ends);
}

bool PathPlacer::put(std::uint32_t stay, const StayTimes& times, const PathRule& rule) {
  const TimedStay& own = work_.stays[stay];
  const Bytes capacity = capacities_[own.pool.index()];
  if (own.size > capacity) return false;
  price(stay, times, rule);
  listChanges(own);
  listCandidates(own, capacity);
  const auto offset = cheapest(own, capacity, rule.ties);
  if (!offset) return false;
  offsets_[stay] = *offset;
  insert(stay);
  return true;
}

void PathPlacer::insert(std::uint32_t stay) {
  const auto into = [&](std::vector<std::uint32_t>& order, const auto& key) {
    order.insert(std::ranges::upper_bound(order, key(stay), {}, key), stay);
  };
  into(order_.begins, [&](auto i) { return std::pair(offsets_[i], i); });
  into(order_.ends, [&](auto i) { return std::pair(endOf(i), i); });
}

/// What it costs `stay` to meet each of the others.
void PathPlacer::price(std::uint32_t stay, const StayTimes& times, const PathRule& rule) {
  const TimedStay& own = work_.stays[stay];
  const SimTime ownEnd = times.ends[stay];
  const SimTime ownTail = times.tails[stay];
  for (const std::uint32_t i : order_.begins) {
    const TimedStay& other = work_.stays[i];
    Price& price = prices_[i];
    price = {};
    if (other.pool != own.pool) continue;
    if (own.steps.overlaps(other.steps)) {
      price.taken = true;
      continue;
    }
    const bool earlier = other.steps.begin < own.steps.begin;
    const SimTime path = earlier ? times.ends[i] + ownTail : ownEnd + times.tails[i];
    if (path > rule.threshold) price.cost = costOf(path, rule);
  }
}

std::int64_t PathPlacer::costOf(SimTime path, const PathRule& rule) {
  const auto bits = std::bit_width(static_cast<std::uint64_t>(rule.threshold.count()));
  const int shift = std::max(0, static_cast<int>(bits) - kCostBits);
  const std::int64_t excess =
      std::min((path - rule.threshold).count() >> shift, std::int64_t{1} << kCostBits);
  std::int64_t cost = excess * excess;
  if (rule.noisy) cost = (cost * static_cast<std::int64_t>(717 + random_() % 615)) >> 10;
  return cost + 1;  // Whatever is above the threshold costs something.
}

/// Lists the offsets at which `own` begins or ceases to overlap another stay: it overlaps one at
/// [begin, end) when its own offset is from begin - own size + 1 to end - 1.
void PathPlacer::listChanges(const TimedStay& own) {
  starting_.clear();
  ending_.clear();
  for (const std::uint32_t i : order_.begins) {
    const auto& [cost, taken] = prices_[i];
    if (!prices_[i].isFree()) {
      starting_.push_back({offsets_[i] - own.size + Bytes(1), cost, taken ? 1 : 0});
    }
  }
  for (const std::uint32_t i : order_.ends) {
    const auto& [cost, taken] = prices_[i];
    if (!prices_[i].isFree()) ending_.push_back({endOf(i), -cost, taken ? -1 : 0});
  }
}

/// On top of each that costs something and right below it, and at both ends of the pool.
void PathPlacer::listCandidates(const TimedStay& own, Bytes capacity) {
  const Bytes top = alignDown(capacity - own.size, own.alignment);
  above_ = {Bytes()};
  for (const Change& change : ending_) {
    const Bytes at = alignUp(change.at, own.alignment);
    if (at < top) above_.push_back(at);
  }
  above_.push_back(top);
  below_.clear();
  for (const Change& change : starting_) {
    const Bytes at = change.at - Bytes(1);
    if (at >= Bytes()) below_.push_back(alignDown(at, own.alignment));
  }
  candidates_.resize(above_.size() + below_.size());
  std::merge(above_.begin(), above_.end(), below_.begin(), below_.end(), candidates_.begin());
}

std::optional<Bytes> PathPlacer::cheapest(const TimedStay& own, Bytes capacity, TieRule ties) {
  std::optional<Bytes> best;
  std::int64_t least = 0;
  std::int64_t cost = 0;
  int taken = 0;
  std::uint64_t equal = 0;
  auto starts = starting_.begin();
  auto ends = ending_.begin();
  Bytes last(-1);
  for (const Bytes at : candidates_) {
    if (at + own.size > capacity) break;
    if (at == last) continue;
    last = at;
    for (; starts != starting_.end() && starts->at <= at; ++starts) {
      cost += starts->cost;
      taken += starts->taken;
    }
    for (; ends != ending_.end() && ends->at <= at; ++ends) {
      cost += ends->cost;
      taken += ends->taken;
    }
    if (taken > 0) continue;
    if (!best || cost < least) {
      best = at;
      least = cost;
      equal = 1;
    } else if (cost == least && ties != TieRule::lowest) {
      ++equal;
      if (ties == TieRule::highest || random_() % equal == 0) best = at;
    }
  }
  return best;
}

}  // namespace hw
