#include <algorithm>
#include <array>

#include "core/machine/cost/cost_models.h"

// Vela's estimate of Arm's Ethos-U (its npu_performance.py and architecture_features.py), with the
// whole output as one block: nothing hides the output stage, nothing waits for a block's input.

namespace hw {
namespace {

constexpr std::array kEthosParams = {CostParam{"weight_ratio", &CostSpec::weightRatio}};
constexpr std::array<std::int64_t, 5> kEthosMacs = {32, 64, 128, 256, 512};

/// The outputs that one core makes at a time.
struct MicroBlock {
  std::int64_t width = 2;
  std::int64_t height = 2;
  std::int64_t depth = 8;
  std::int64_t cores = 1;
};

MicroBlock microBlock(std::int64_t macs) {
  if (macs <= 64) return {.width = 1, .height = 1, .depth = macs / 8};
  if (macs == 128) return {.height = 1};
  return {.cores = macs / 256};
}

/// Cycles of the output stage for an element, by standard type.
struct OutputRate {
  std::string_view type;
  double cycles = 0.25;  ///< On 256 multipliers; half as many take twice as long.
  double table = 0;      ///< Of a core that looks it up, at least.
};
constexpr OutputRate kUsualOutput{""};
constexpr std::array kOutputRates = {OutputRate{"Add", 0.75},
                                     OutputRate{"Sub", 0.75},
                                     OutputRate{"Mul", 0.375},
                                     OutputRate{"MaxPool", 0.125},
                                     OutputRate{"Max"},
                                     OutputRate{"Min"},
                                     OutputRate{"LeakyRelu"},
                                     OutputRate{"Abs"},
                                     OutputRate{"Relu"},
                                     OutputRate{"Relu6"},
                                     OutputRate{"Sigmoid", 0.25, 1},
                                     OutputRate{"Tanh", 0.25, 1},
                                     OutputRate{"HardSwish", 0.25, 1},
                                     OutputRate{"QuantizeLinear"}};

const OutputRate* outputRate(std::string_view type) {
  const auto found = std::ranges::find(kOutputRates, type, &OutputRate::type);
  return found == kOutputRates.end() ? nullptr : &*found;
}

std::int64_t outputCycles(std::int64_t elements, const OutputRate& rate, const UnitSpec& unit) {
  const auto cores = microBlock(static_cast<std::int64_t>(unit.macsPerCycle)).cores;
  const double each =
      std::max(rate.cycles * 256 / unit.macsPerCycle, rate.table / static_cast<double>(cores));
  return cyclesAt(static_cast<double>(elements) * each, 1);
}

/// Cycles of the multipliers of all cores together.
std::int64_t dotCycles(const Loops& loops, bool pools, const MicroBlock& block) {
  const std::int64_t kernel = cyclesTimes(loops[Loop::kernelRow], loops[Loop::kernelColumn]);
  // Rows of a matrix lie along an image's width.
  const bool matrix = loops[Loop::row] == 1 && loops[Loop::column] == 1;
  const std::int64_t width = matrix ? loops[Loop::batch] : loops[Loop::column];
  const std::int64_t blocks =
      cyclesTimes(cyclesTimes(tilesOf(width, block.width), tilesOf(loops[Loop::row], block.height)),
                  matrix ? 1 : loops[Loop::batch]);
  const std::int64_t channels = cyclesTimes(loops[Loop::group], loops[Loop::output]);
  if (pools) {
    const std::int64_t steps = cyclesTimes(std::max<std::int64_t>(4, kernel), blocks);
    return cyclesTimes(steps, tilesOf(channels, block.depth));
  }
  // Decoding the weights of a step takes at least as long as 32 outputs.
  const std::int64_t places = std::max(4 * block.depth, cyclesTimes(4, blocks));
  if (loops[Loop::input] == 1) {
    const std::int64_t steps = cyclesTimes(places, tilesOf(kernel, 4));
    return cyclesTimes(steps, tilesOf(channels, block.depth));
  }
  // Depth first or four elements of the kernel at a time, whatever is faster.
  const std::int64_t inputs = loops[Loop::input];
  const std::int64_t steps = std::min(cyclesTimes(kernel, tilesOf(inputs, 32)),
                                      cyclesTimes(tilesOf(kernel, 4), tilesOf(inputs, 8)));
  return cyclesTimes(cyclesTimes(places, steps),
                     cyclesTimes(tilesOf(loops[Loop::output], block.depth), loops[Loop::group]));
}

std::optional<std::int64_t> ethosCycles(const UnitSpec& unit, const Work& work,
                                        const CostedOp& op) {
  const OutputRate* rate = outputRate(op.type);
  if (!work.loops) {
    if (work.macs > 0 || rate == nullptr) return std::nullopt;
    return outputCycles(work.written, *rate, unit);
  }
  const MicroBlock block = microBlock(static_cast<std::int64_t>(unit.macsPerCycle));
  std::int64_t outputs = 1;
  for (const Loop loop : {Loop::batch, Loop::group, Loop::output, Loop::row, Loop::column}) {
    outputs = cyclesTimes(outputs, (*work.loops)[loop]);
  }
  return cyclesPlus(tilesOf(dotCycles(*work.loops, work.macs == 0, block), block.cores),
                    outputCycles(outputs, rate == nullptr ? kUsualOutput : *rate, unit));
}

}  // namespace

constinit const CostModel kEthosCost{.name = "ethos-u",
                                     .params = kEthosParams,
                                     .macs = kEthosMacs,
                                     .biasBytes = 10,
                                     .cycles = ethosCycles};

}  // namespace hw
