#include <algorithm>
#include <array>
#include <vector>

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

/// Cycles of the array, and of its ports meanwhile.
struct SpatialCycles {
  std::int64_t steps = 1;
  std::int64_t weights = 0;
  std::int64_t outputs = 0;
};

/// A step for each tile of the loops, as ZigZag maps them (Mei et al. 2021): places of the array
/// that a loop does not fill idle.
SpatialCycles spatialParts(const CostSpec& cost, const Loops& loops, const CostedOp& op) {
  const auto through = [](Bytes moved, double port) {
    return port > 0 ? cyclesAt(moved.real(), port) : 0;
  };
  SpatialCycles cycles{.weights = through(op.weights, cost.weightPort),
                       .outputs = through(op.outputs, cost.outputPort)};
  for (std::size_t i = 0; i < kLoopNames.size(); ++i) {
    cycles.steps = cyclesTimes(cycles.steps, tilesOf(loops.sizes[i], cost.unroll.sizes[i]));
  }
  return cycles;
}

std::optional<std::int64_t> spatialCycles(const UnitSpec& unit, const Work& work,
                                          const CostedOp& op) {
  if (work.macs == 0 || !work.loops) return std::nullopt;
  const SpatialCycles cycles = spatialParts(unit.cost, *work.loops, op);
  return std::max({cycles.steps, cycles.weights, cycles.outputs});
}

constexpr std::array<std::string_view, kLoopNames.size()> kLoopWords = {
    "images or rows", "groups",  "output channels", "input channels",
    "rows",           "columns", "kernel rows",     "kernel columns"};

std::string spatialIdle(const UnitSpec& unit, const Work& work, const CostedOp& op) {
  const SpatialCycles cycles = spatialParts(unit.cost, *work.loops, op);
  if (std::max(cycles.weights, cycles.outputs) > cycles.steps) {
    return cycles.weights < cycles.outputs ? "it waits for its port of outputs"
                                           : "it waits for its port of weights";
  }
  std::vector<ArrayFill> fills;
  for (std::size_t i = 0; i < kLoopNames.size(); ++i) {
    fills.push_back(fillOf(work.loops->sizes[i], unit.cost.unroll.sizes[i], kLoopWords[i]));
  }
  return leastFilled(fills);
}

}  // namespace

constinit const CostModel kSpatialCost{.name = "spatial",
                                       .params = kSpatialParams,
                                       .peak = spatialPeak,
                                       .cycles = spatialCycles,
                                       .idle = spatialIdle};

}  // namespace hw
