#include "core/machine/cost/cost_models.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace hw {
namespace {

std::optional<std::int64_t> byRate(const UnitSpec& unit, const Work& work,
                                   const OpBytes& /*bytes*/) {
  return std::max(
      cyclesAt(static_cast<double>(work.macs), unit.macsPerCycle),
      cyclesAt(static_cast<double>(countedElements(unit, work)), unit.elementsPerCycle));
}

}  // namespace

std::span<const CostModel> costModels() {
  static const std::array models = {CostModel{.name = "rate", .cycles = byRate}, kSystolicCost,
                                    kSpatialCost};
  return models;
}

std::int64_t computeCycles(const UnitSpec& unit, const Work& work, const OpBytes& bytes) {
  const auto cycles = costModel(unit).cycles(unit, work, bytes);
  return cycles ? *cycles : *byRate(unit, work, bytes);
}

std::int64_t cyclesTimes(std::int64_t a, std::int64_t b) {
  return std::min(checkedMul(a, b).value_or(kMostCycles), kMostCycles);
}

std::int64_t cyclesPlus(std::int64_t a, std::int64_t b) {
  return std::min(checkedAdd(a, b).value_or(kMostCycles), kMostCycles);
}

std::int64_t cyclesAt(double count, double perCycle) {
  const double cycles = std::ceil(count / perCycle);
  return cycles < static_cast<double>(kMostCycles) ? static_cast<std::int64_t>(cycles)
                                                   : kMostCycles;
}

}  // namespace hw
