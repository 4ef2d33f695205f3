#include <algorithm>
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

/// The cycles of SCALE-Sim (Samajdar et al. 2020): an operator is a matrix of T output places by D
/// products times one of D by N output channels. Two of the three lie on the array, in as many
/// folds as it takes, and the third flows past; each fold fills the array, lets it flow and drains
/// it. Groups are further folds. The last cycle of all is not counted there.
std::optional<std::int64_t> systolicCycles(const UnitSpec& unit, const Work& work,
                                           const OpBytes& /*bytes*/) {
  if (work.macs == 0 || !work.loops) return std::nullopt;
  const CostSpec& cost = unit.cost;
  const Loops& loops = *work.loops;
  const std::int64_t places =
      cyclesTimes(cyclesTimes(loops[Loop::batch], loops[Loop::row]), loops[Loop::column]);
  const std::int64_t products = cyclesTimes(cyclesTimes(loops[Loop::input], loops[Loop::kernelRow]),
                                            loops[Loop::kernelColumn]);
  const std::int64_t channels = loops[Loop::output];
  std::int64_t down = products;
  std::int64_t across = channels;
  std::int64_t flow = places;
  if (cost.dataflow == Dataflow::output) {
    down = places;
    flow = products;
  } else if (cost.dataflow == Dataflow::input) {
    across = places;
    flow = channels;
  }
  // What is stationary is filled in row by row first; outputs fill as they flow.
  const std::int64_t rows = cost.rows * (cost.dataflow == Dataflow::output ? 1 : 2);
  const std::int64_t fold = cyclesPlus(rows + cost.columns - 2, flow);
  const std::int64_t folds = cyclesTimes(tilesOf(down, cost.rows), tilesOf(across, cost.columns));
  return std::max<std::int64_t>(cyclesTimes(cyclesTimes(loops[Loop::group], folds), fold) - 1, 0);
}

}  // namespace

constinit const CostModel kSystolicCost{
    .name = "systolic", .params = kSystolicParams, .peak = systolicPeak, .cycles = systolicCycles};

}  // namespace hw
