#include "core/machine/cost/cost_models.h"

// Kernels of PULP-NN (Garofalo et al. 2020) on the eight cores of a cluster. Convolutions: their
// instructions for two rows by eight columns of an output at a time. Depthwise layers and matrix
// products: the laws of MATCH's cost model of such a cluster (Hamdi et al. 2024).

namespace hw {
namespace {

/// A core makes two places of an output at a time, all their channels in fours.
constexpr std::int64_t kCores = 8;
constexpr std::int64_t kPlaces = 2;
constexpr std::int64_t kChannels = 4;
/// Instructions for 4 bytes of both places times all those channels: 6 loads, 8 sums of 4 products.
constexpr std::int64_t kStep = 14;
constexpr std::int64_t kBytes = 4;

std::int64_t productOf(std::initializer_list<std::int64_t> factors) {
  std::int64_t product = 1;
  for (const std::int64_t factor : factors) product = cyclesTimes(product, factor);
  return product;
}

/// Convolutions do most: matrix products come to 8, depthwise layers to 1.9.
double pulpMost(const CostSpec& /*cost*/) {
  return static_cast<double>(kCores * kPlaces * kChannels * kBytes) / static_cast<double>(kStep);
}

/// Of an image and a group. The inputs of two places are copied into one line, and then multiplied
/// step by step.
std::int64_t convolved(const Loops& loops) {
  const std::int64_t turns =
      cyclesTimes(tilesOf(loops[Loop::row], kPlaces), tilesOf(loops[Loop::column], kCores));
  const std::int64_t inputs =
      productOf({loops[Loop::kernelRow], loops[Loop::kernelColumn], loops[Loop::input]});
  const std::int64_t line = cyclesPlus(15, cyclesTimes(kStep, tilesOf(inputs, kBytes)));
  const std::int64_t lines = cyclesTimes(tilesOf(loops[Loop::output], kChannels), line);
  return cyclesTimes(turns, cyclesPlus(cyclesTimes(kPlaces, inputs), lines));
}

/// A fit to what was measured of such layers.
std::int64_t depthwise(const Work& work, const CostedOp& op) {
  const auto bytes = static_cast<double>(op.inputs.count()) +
                     static_cast<double>(op.weights.count()) +
                     static_cast<double>(op.outputs.count());
  return cyclesAt(1.05 * (static_cast<double>(work.macs) / 2 + 2.3 * bytes + 400), 1);
}

std::optional<std::int64_t> pulpCycles(const UnitSpec& /*unit*/, const Work& work,
                                       const CostedOp& op) {
  if (work.macs == 0 || !work.loops) return std::nullopt;
  const Loops& loops = *work.loops;
  const bool convolves = op.kind == OpClass::convolution;
  if (convolves && loops[Loop::input] == 1 && loops[Loop::group] > 1) return depthwise(work, op);
  const std::int64_t times = cyclesTimes(loops[Loop::batch], loops[Loop::group]);
  const bool matrix = productOf({loops[Loop::row], loops[Loop::column], loops[Loop::kernelRow],
                                 loops[Loop::kernelColumn]}) == 1;
  if (!matrix) return cyclesTimes(times, convolved(loops));
  return productOf(
      {times, tilesOf(loops[Loop::input], 2), tilesOf(loops[Loop::output], kChannels)});
}

}  // namespace

constinit const CostModel kPulpCost{
    .name = "pulp-nn", .array = false, .most = pulpMost, .cycles = pulpCycles};

}  // namespace hw
