#include <algorithm>
#include <array>

#include "core/machine/cost/cost_models.h"

namespace hw {
namespace {

constexpr std::array kSpatialParams = {CostParam{"unroll", &CostSpec::unroll, true},
                                       CostParam{"weight_bytes_per_cycle", &CostSpec::weightPort},
                                       CostParam{"output_bytes_per_cycle", &CostSpec::outputPort}};

double spatialPeak(const CostSpec& cost) {
  double product = 1;
  for (const std::int64_t size : cost.unroll.sizes) product *= static_cast<double>(size);
  return product;
}

/// A step for each tile of the loops, as ZigZag maps them (Mei et al. 2021): places of the array
/// that a loop does not fill idle. Weights and outputs go through their ports meanwhile.
std::optional<std::int64_t> spatialCycles(const UnitSpec& unit, const Work& work,
                                          const OpBytes& bytes) {
  if (work.macs == 0 || !work.loops) return std::nullopt;
  const CostSpec& cost = unit.cost;
  std::int64_t steps = 1;
  for (std::size_t i = 0; i < kLoopNames.size(); ++i) {
    steps = cyclesTimes(steps, tilesOf(work.loops->sizes[i], cost.unroll.sizes[i]));
  }
  const auto through = [](Bytes moved, double port) {
    return port > 0 ? cyclesAt(static_cast<double>(moved.count()), port) : 0;
  };
  return std::max(
      {steps, through(bytes.weights, cost.weightPort), through(bytes.outputs, cost.outputPort)});
}

}  // namespace

constinit const CostModel kSpatialCost{
    .name = "spatial", .params = kSpatialParams, .peak = spatialPeak, .cycles = spatialCycles};

}  // namespace hw
