#pragma once

#include <span>
#include <stop_token>
#include <string_view>

#include "core/plan/problem.h"
#include "core/residency/near_stays.h"

namespace hw {

/// How it is decided who lives where.
enum class ResidencyRule : std::uint8_t {
  wholeLife,
  layer,
  lru,
  belady,
  cost,
  exact,
  leastTraffic,  ///< Of cost and exact what moves less.
  best,          ///< Of all these what is simulated to be fastest.
};

/// A rule as users see it.
struct ResidencyInfo {
  ResidencyRule rule{};
  std::string_view name{};
  std::string_view summary{};
  /// Who is near between two pools, the nearer of which may hold the bytes. Null: nothing moves,
  /// or the rule is chosen by simulating the others.
  NearStays (*choose)(const LevelProgram&, Bytes, const std::stop_token&) = nullptr;
};
std::span<const ResidencyInfo> residencyCatalog();
const ResidencyInfo& infoOf(ResidencyRule rule);

/// Who is near when, between each two neighbouring pools, the nearest first: one answer for every
/// pool but the last. What a pool leaves to the next is what the next has to serve. A budget of
/// nothing is unbounded. Not for whole lives, nor for `best`, which takes a simulation.
std::vector<NearStays> chooseResidency(const LevelProgram& program,
                                       std::span<const std::optional<Bytes>> budgets,
                                       ResidencyRule rule, const std::stop_token& stop = {});

}  // namespace hw
