#include <array>

#include "core/machine/cost/cost_models.h"

namespace hw {
namespace {

constexpr std::array kSystolicParams = {CostParam{"rows", &CostSpec::rows, true},
                                        CostParam{"columns", &CostSpec::columns, true},
                                        CostParam{"dataflow", &CostSpec::dataflow}};

double systolicPeak(const CostSpec& cost) {
  return static_cast<double>(cost.rows) * static_cast<double>(cost.columns);
}

/// A side of a product of matrices, and words for it.
struct SystolicSide {
  std::int64_t size = 1;
  std::string_view what;
};

/// An operator on the array: two of its three sides lie on it, the third flows past.
struct SystolicMapping {
  SystolicSide down{};
  SystolicSide across{};
  SystolicSide flow{};
  std::int64_t fill = 0;  ///< Cycles of a fold besides those of the flow.
};

SystolicMapping mappingOf(const CostSpec& cost, const Loops& loops) {
  const SystolicSide places{
      cyclesTimes(cyclesTimes(loops[Loop::batch], loops[Loop::row]), loops[Loop::column]),
      "places"};
  const SystolicSide products{cyclesTimes(cyclesTimes(loops[Loop::input], loops[Loop::kernelRow]),
                                          loops[Loop::kernelColumn]),
                              "products"};
  const SystolicSide channels{loops[Loop::output], "output channels"};
  // Stationary weights and inputs are filled in row by row first; outputs fill as they flow.
  const std::int64_t once = cost.rows + cost.columns - 2;
  if (cost.dataflow == Dataflow::output) return {places, channels, products, once};
  if (cost.dataflow == Dataflow::input) return {products, places, channels, once + cost.rows};
  return {products, channels, places, once + cost.rows};
}

/// The cycles of SCALE-Sim (Samajdar et al. 2020): an operator is a matrix of T output places by D
/// products times one of D by N output channels. Two of the three lie on the array, in as many
/// folds as it takes, and the third flows past; each fold fills the array, lets it flow and drains
/// it. Groups are further folds. The last cycle of all is not counted there.
std::optional<std::int64_t> systolicCycles(const UnitSpec& unit, const Work& work,
                                           const CostedOp& /*op*/) {
  if (work.macs == 0 || !work.loops) return std::nullopt;
  const SystolicMapping map = mappingOf(unit.cost, *work.loops);
  const std::int64_t folds = cyclesTimes(tilesOf(map.down.size, unit.cost.rows),
                                         tilesOf(map.across.size, unit.cost.columns));
  const std::int64_t each = cyclesPlus(map.fill, map.flow.size);
  return cyclesTimes(cyclesTimes((*work.loops)[Loop::group], folds), each) - 1;
}

std::string systolicIdle(const UnitSpec& unit, const Work& work, const CostedOp& /*op*/) {
  const SystolicMapping map = mappingOf(unit.cost, *work.loops);
  const std::int64_t each = cyclesPlus(map.fill, map.flow.size);
  const std::array fills = {
      fillOf(map.down.size, unit.cost.rows, map.down.what, " rows"),
      fillOf(map.across.size, unit.cost.columns, map.across.what, " columns"),
      fillOf(map.flow.size, each, map.flow.what, " cycles that fill and drain it")};
  return leastFilled(fills);
}

}  // namespace

constinit const CostModel kSystolicCost{.name = "systolic",
                                        .params = kSystolicParams,
                                        .peak = systolicPeak,
                                        .cycles = systolicCycles,
                                        .idle = systolicIdle};

}  // namespace hw
