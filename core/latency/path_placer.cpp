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
    : work_(work), capacities_(capacities), random_(random) {}

std::int64_t PathPlacer::costOf(SimTime path, const PathRule& rule) {
  const std::int64_t excess = (path - rule.threshold).count() >> shift_;
  std::int64_t cost = std::min(excess, std::int64_t{1} << kCostBits);
  cost *= cost;
  if (rule.noisy) cost = (cost >> 10) * static_cast<std::int64_t>(717 + random_() % 615);
  return cost + 1;  // Whatever is above the threshold costs something.
}

/// Offsets from `offset` - size + 1 to the end of `other` meet it.
void PathPlacer::meet(const TimedStay& own, const TimedStay& other, Bytes offset, std::int64_t cost,
                      bool taken) {
  changes_.push_back({offset - own.size + Bytes(1), cost, taken ? 1 : 0});
  changes_.push_back({offset + other.size, -cost, taken ? -1 : 0});
  candidates_.push_back(alignUp(offset + other.size, own.alignment));
  if (offset >= own.size) candidates_.push_back(alignDown(offset - own.size, own.alignment));
}

std::optional<Bytes> PathPlacer::place(std::uint32_t stay, std::span<const Bytes> offsets,
                                       const StayTimes& times, const PathRule& rule) {
  const TimedStay& own = work_.stays[stay];
  const Bytes capacity = capacities_[own.pool.index()];
  if (own.size > capacity) return std::nullopt;
  const auto bits = std::bit_width(static_cast<std::uint64_t>(rule.threshold.count()));
  shift_ = std::max(0, static_cast<int>(bits) - kCostBits);
  changes_.clear();
  candidates_ = {Bytes(), alignDown(capacity - own.size, own.alignment)};
  for (std::uint32_t i = 0; i < work_.stays.size(); ++i) {
    const Bytes offset = offsets[i];
    const TimedStay& other = work_.stays[i];
    if (offset < Bytes() || i == stay || other.pool != own.pool) continue;
    if (own.steps.overlaps(other.steps)) {
      meet(own, other, offset, 0, true);
      continue;
    }
    const bool earlier = other.steps.begin < own.steps.begin;
    const SimTime path =
        earlier ? times.ends[i] + times.tails[stay] : times.ends[stay] + times.tails[i];
    if (path > rule.threshold) meet(own, other, offset, costOf(path, rule), false);
  }
  std::ranges::sort(changes_, {}, &Change::at);
  std::ranges::sort(candidates_);
  std::optional<Bytes> best;
  std::int64_t least = 0;
  std::int64_t cost = 0;
  int taken = 0;
  std::uint64_t equal = 0;
  auto next = changes_.begin();
  Bytes last(-1);
  for (const Bytes at : candidates_) {
    if (at == last || at < Bytes() || at + own.size > capacity) continue;
    last = at;
    for (; next != changes_.end() && next->at <= at; ++next) {
      cost += next->cost;
      taken += next->taken;
    }
    if (taken > 0) continue;
    if (!best || cost < least) {
      best = at;
      least = cost;
      equal = 1;
    } else if (cost == least && rule.ties != TieRule::lowest) {
      ++equal;
      if (rule.ties == TieRule::highest || random_() % equal == 0) best = at;
    }
  }
  return best;
}

}  // namespace hw
