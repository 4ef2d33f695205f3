#include "core/latency/lane_mixes.h"

#include <algorithm>

namespace hw {
namespace {

constexpr auto kFull = static_cast<std::int64_t>(kFullSpeed);

/// The number of pairs that may run at the same time and are looked at: some tenths of a second.
constexpr std::size_t kPairLooks = 4'000'000;

/// The part of the length that is the weight of a move, by mix.
constexpr std::int64_t moveShare(std::size_t mix) { return kFull / 8 * LaneMixes::kEighths[mix]; }

bool isMove(const TimedWork& work, std::uint32_t activity) {
  return work.list.activities[ActivityId(activity)].kind != ActivityKind::compute;
}

/// The weight, as a part of the length, of a compute that takes `s` of a port at full speed beside
/// a move of weight `v` that takes `t`, together more than there is, however they share it.
std::int64_t besideHowever(std::int64_t s, std::int64_t t, std::int64_t v) {
  const auto first = static_cast<std::int64_t>((Wide{v} * (kFull - s) + t - 1) / t);
  if (t == kFull) return kFull - first;
  const auto second = static_cast<std::int64_t>(Wide{kFull - v} * s / (kFull - t));
  return std::min(kFull - first, second);
}

}  // namespace

LaneMixes::LaneMixes(const TimedWork& work)
    : work_(work),
      moves_(work.lanes.size()),
      setups_(work.activities.size()),
      weights_(work.activities.size()) {
  looseFlow_ = std::ranges::any_of(work.activities, [](const TimedActivity& each) {
    return each.lane == kNoActivity && !each.flow.shares.empty();
  });
  findMoves();
}

void LaneMixes::findMoves() {
  Wide most = 0;
  for (std::size_t lane = 0; lane < work_.lanes.size(); ++lane) {
    Wide length = 0;
    for (const std::uint32_t activity : work_.lanes[lane]) {
      if (!isMove(work_, activity)) length = Wide{kMaxTime.count()} * -kFull;
      length += work_.activities[activity].alone().count();
    }
    if (length <= most) continue;
    most = length;
    moves_ = lane;
  }
}

void LaneMixes::weigh(const LaneOrders& orders, std::span<const std::uint32_t> chain) {
  std::ranges::fill(weights_, Weights());
  if (moves_ == work_.lanes.size()) return;
  std::size_t pairs = 0;
  for (const std::uint32_t activity : chain) pairs += orders.beside(activity, moves_).size();
  if (pairs > kPairLooks) return;
  for (const std::uint32_t move : work_.lanes[moves_]) {
    for (std::size_t i = 0; i < kMixes; ++i) setups_[move][i] = moveShare(i);
  }
  for (const std::uint32_t activity : chain) weighCompute(orders, activity);
  for (const std::uint32_t move : work_.lanes[moves_]) {
    const TimedActivity& own = work_.activities[move];
    for (std::size_t i = 0; i < kMixes; ++i) {
      weights_[move][i] =
          partOf(own.flow.length, moveShare(i), kFull) + partOf(own.fixed, setups_[move][i], kFull);
    }
  }
}

void LaneMixes::weighCompute(const LaneOrders& orders, std::uint32_t activity) {
  const TimedActivity& own = work_.activities[activity];
  const bool alone = isAlone(orders, activity);
  const auto moves = orders.beside(activity, moves_);
  Parts parts;
  parts.fill(kFull);
  for (const std::uint32_t move : moves) {
    const Parts least = beside(own.flow, work_.activities[move].flow, alone);
    for (std::size_t i = 0; i < kMixes; ++i) parts[i] = std::min(parts[i], least[i]);
  }
  for (std::size_t i = 0; i < kMixes; ++i) {
    weights_[activity][i] =
        partOf(own.flow.length, parts[i], kFull) + partOf(own.fixed, kFull - moveShare(i), kFull);
    for (const std::uint32_t move : moves) {
      setups_[move][i] = std::min(setups_[move][i], kFull - parts[i]);
    }
  }
}

/// True if nothing but moves of the lane can flow while `activity` runs.
bool LaneMixes::isAlone(const LaneOrders& orders, std::uint32_t activity) const {
  if (looseFlow_ || work_.list.contention != Contention::proportional) return false;
  for (std::size_t lane = 0; lane < orders.lanes(); ++lane) {
    if (lane == moves_) continue;
    const auto flows = [&](std::uint32_t other) {
      return !work_.activities[other].flow.shares.empty();
    };
    if (std::ranges::any_of(orders.beside(activity, lane), flows)) return false;
  }
  return true;
}

/// By mix, the part of its length that is the weight of a compute beside the move: what the mix
/// leaves, and more where a port slows them.
LaneMixes::Parts LaneMixes::beside(const FlowShape& compute, const FlowShape& move,
                                   bool alone) const {
  Parts parts;
  for (std::size_t i = 0; i < kMixes; ++i) parts[i] = kFull - moveShare(i);
  for (const auto& [port, s] : compute.shares) {
    for (const auto& [other, t] : move.shares) {
      if (port != other || s + t <= kFull) continue;
      for (std::size_t i = 0; i < kMixes; ++i) {
        const std::int64_t v = moveShare(i);
        const std::int64_t part = alone ? std::min(kFull, s + t - v) : besideHowever(s, t, v);
        parts[i] = std::max(parts[i], part);
      }
    }
  }
  return parts;
}

}  // namespace hw
