#include "core/residency/moving_problem.h"

#include <algorithm>
#include <array>

#include "core/base/check.h"
#include "core/residency/cost_residency.h"
#include "core/residency/exact_residency.h"
#include "core/residency/level_program.h"
#include "core/residency/walk.h"

namespace hw {
namespace {

template <LeavingRule rule>
NearStays walk(const LevelProgram& program, Bytes budget, const std::stop_token&) {
  return walkResidency(program, budget, rule);
}

NearStays cost(const LevelProgram& program, Bytes budget, const std::stop_token&) {
  return costResidency(program, budget);
}

NearStays exact(const LevelProgram& program, Bytes budget, const std::stop_token& stop) {
  return exactResidency(program, budget, kResidencyNodes, stop);
}

NearStays leastTraffic(const LevelProgram& program, Bytes budget, const std::stop_token& stop) {
  NearStays best = exact(program, budget, stop);
  NearStays other = cost(program, budget, stop);
  if (best.farTraffic <= other.farTraffic) return best;
  other.atLeast = best.atLeast;
  return other;
}

constexpr std::array kCatalog = {
    ResidencyInfo{ResidencyRule::wholeLife, "whole-life",
                  "every buffer stays in one pool: those that save most traffic near"},
    ResidencyInfo{ResidencyRule::layer, "layer",
                  "operands come near; all else leaves where they need its room",
                  walk<LeavingRule::all>},
    ResidencyInfo{ResidencyRule::lru, "lru", "what was touched longest ago leaves first",
                  walk<LeavingRule::oldest>},
    ResidencyInfo{ResidencyRule::belady, "belady", "what is read again furthest away leaves first",
                  walk<LeavingRule::furthest>},
    ResidencyInfo{ResidencyRule::cost, "cost",
                  "near is what saves most traffic for each byte and step", cost},
    ResidencyInfo{ResidencyRule::exact, "exact",
                  "the least traffic between two pools, proved where it can be", exact},
    ResidencyInfo{ResidencyRule::leastTraffic, "best:for=traffic",
                  "of cost and exact the one that moves less", leastTraffic},
    ResidencyInfo{ResidencyRule::best, "best", "of all these the one that is simulated fastest"}};

}  // namespace

std::span<const ResidencyInfo> residencyCatalog() { return kCatalog; }

const ResidencyInfo& infoOf(ResidencyRule rule) {
  return *std::ranges::find(kCatalog, rule, &ResidencyInfo::rule);
}

std::vector<NearStays> chooseResidency(const LevelProgram& program,
                                       std::span<const std::optional<Bytes>> budgets,
                                       ResidencyRule rule, const std::stop_token& stop) {
  const auto choose = infoOf(rule).choose;
  check(choose != nullptr, "a rule that moves buffers by itself");
  std::vector<NearStays> levels;
  LevelProgram behind = program;
  for (const std::optional<Bytes>& budget : budgets) {
    levels.push_back(choose(behind, budget.value_or(kMaxBytes), stop));
    behind = levelBehind(behind, levels.back().stays);
  }
  return levels;
}

}  // namespace hw
