#include "core/machine/cost/cost_models.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/check.h"

namespace hw {
namespace {

std::optional<std::int64_t> byRate(const UnitSpec& unit, const Work& work, const CostedOp& /*op*/) {
  return std::max(
      cyclesAt(static_cast<double>(work.macs), unit.macsPerCycle),
      cyclesAt(static_cast<double>(countedElements(unit, work)), unit.elementsPerCycle));
}

}  // namespace

std::span<const CostModel> costModels() {
  static const std::array models = {CostModel{.name = "rate", .array = false, .cycles = byRate},
                                    kSystolicCost,
                                    kSpatialCost,
                                    kEthosCost,
                                    kEthosU85Cost,
                                    kPulpCost,
                                    kTableCost};
  return models;
}

std::size_t costModelNamed(std::string_view name) {
  const auto found = std::ranges::find(costModels(), name, &CostModel::name);
  check(found != costModels().end(), "a cost model of the catalogue");
  return static_cast<std::size_t>(found - costModels().begin());
}

UnitCycles unitCycles(const UnitSpec& unit, const Work& work, const CostedOp& op) {
  const auto cycles = costModel(unit).cycles(unit, work, op);
  return {cycles ? *cycles : *byRate(unit, work, op), cycles.has_value()};
}

double peakMacs(const UnitSpec& unit) {
  const CostModel& model = costModel(unit);
  // Operators that the model does not know go by the unit's rate.
  return model.most == nullptr ? unit.macsPerCycle
                               : std::max(model.most(unit.cost), unit.macsPerCycle);
}

std::string macsProblem(const UnitSpec& unit) {
  const CostModel& model = costModel(unit);
  const auto is = [&](std::int64_t macs) { return static_cast<double>(macs) == unit.macsPerCycle; };
  if (model.macs.empty() || std::ranges::any_of(model.macs, is)) return {};
  return fmt::format("expected one of {} with cycles = \"{}\"", fmt::join(model.macs, ", "),
                     model.name);
}

std::optional<double> arrayShare(const UnitSpec& unit, std::int64_t macs, double cycles) {
  if (!costModel(unit).array || macs == 0 || cycles <= 0) return std::nullopt;
  return std::min(static_cast<double>(macs) / (cycles * unit.macsPerCycle), 1.0);
}

std::string arrayWords(const UnitSpec& unit, const Work& work, const CostedOp& op) {
  const CostModel& model = costModel(unit);
  const auto cycles = model.cycles(unit, work, op);
  const auto used =
      cycles ? arrayShare(unit, work.macs, static_cast<double>(*cycles)) : std::nullopt;
  if (!used) return {};
  const double share = 100 * *used;
  const std::string idle = model.idle == nullptr ? "" : model.idle(unit, work, op);
  return fmt::format("{} % of the array{}{}",
                     share < 10 ? fmt::format("{:.2g}", share) : fmt::format("{:.0f}", share),
                     idle.empty() ? "" : ": ", idle);
}

Bytes storedBytes(const UnitSpec& unit, const Tensor& constant, Bytes bytes) {
  const std::int64_t bias = costModel(unit).biasBytes;
  if (bias > 0 && constant.dtype == Dtype::int32 && constant.shape && constant.shape->size() == 1) {
    return std::min(Bytes(cyclesTimes(bytes.count() / 4, bias)), kMaxBytes);
  }
  if (constant.weightRatio == 0 && unit.cost.weightRatio == 1) return bytes;
  const double stored = constant.weightRatio > 0
                            ? std::max(1.0, std::round(bytes.real() * constant.weightRatio))
                            : std::ceil(bytes.real() * unit.cost.weightRatio);
  return stored < kMaxBytes.real() ? Bytes(std::llround(stored)) : kMaxBytes;
}

ArrayFill fillOf(std::int64_t size, std::int64_t places, std::string_view what,
                 std::string_view where) {
  const std::int64_t tiles = tilesOf(size, places);
  const double all = static_cast<double>(tiles) * static_cast<double>(places);
  const std::string times = tiles > 1 ? fmt::format("{} x ", tiles) : "";
  return {static_cast<double>(size) / all,
          fmt::format("{} {} on {}{}{}", size, what, times, places, where)};
}

std::string leastFilled(std::span<const ArrayFill> fills) {
  const auto least = std::ranges::min_element(fills, {}, &ArrayFill::part);
  return least == fills.end() || least->part >= 1 ? std::string() : least->words;
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
