#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>
#include <utility>

#include "core/machine/cost/cost_models.h"

// Operators as Vela, Arm's compiler for Ethos-U, hands them to the array, and what both of its
// estimates (ethos_u.cpp, ethos_u85.cpp) do alike: for operands of a byte.

namespace hw::ethos {

/// The keys of a unit that both estimates read.
inline constexpr std::array kParams = {CostParam{"weight_ratio", &CostSpec::weightRatio},
                                       CostParam{"port_bytes_per_cycle", &CostSpec::portBytes},
                                       CostParam{"far_latency", &CostSpec::farLatency}};

/// The multipliers of the sizes of an accelerator, ascending.
template <typename Arrays>
constexpr auto macsOf(const Arrays& arrays) {
  std::array<std::int64_t, std::tuple_size_v<Arrays>> macs{};
  for (std::size_t i = 0; i < macs.size(); ++i) macs[i] = arrays[i].macs;
  return macs;
}

/// The size that the unit has: its `macs_per_cycle` is that of one of them.
template <typename Arrays>
const auto& sizeOf(const Arrays& arrays, const UnitSpec& unit) {
  const auto macs = static_cast<std::int64_t>(unit.macsPerCycle);
  const auto found = std::ranges::lower_bound(arrays, macs, {}, &Arrays::value_type::macs);
  return found == arrays.end() ? arrays.back() : *found;
}

/// The longest side of a kernel that is made in one go.
inline constexpr std::int64_t kMostKernel = 8;
/// Channels that lie together inside a network; blocks that leave some for others have whole ones.
inline constexpr std::int64_t kBrick = 16;
/// Cycles until the near memory answers.
inline constexpr double kNearLatency = 32;

/// An input, an output, or a block of one.
struct Volume {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  std::int64_t depth = 1;

  double places() const { return static_cast<double>(rows) * static_cast<double>(columns); }
  double elements() const { return places() * static_cast<double>(depth); }
};

constexpr Volume smaller(const Volume& a, const Volume& b) {
  return {std::min(a.rows, b.rows), std::min(a.columns, b.columns), std::min(a.depth, b.depth)};
}
constexpr Volume tiles(const Volume& all, const Volume& block) {
  return {tilesOf(all.rows, block.rows), tilesOf(all.columns, block.columns),
          tilesOf(all.depth, block.depth)};
}
inline std::int64_t padded(std::int64_t size, std::int64_t granule) {
  return cyclesTimes(tilesOf(size, granule), granule);
}
inline Volume padded(const Volume& size, const Volume& granule) {
  return {padded(size.rows, granule.rows), padded(size.columns, granule.columns),
          padded(size.depth, granule.depth)};
}

enum class Kind : std::uint8_t { convolution, depthwise, pooling, product };

/// An operator of one image and one group.
struct Layer {
  Kind kind = Kind::convolution;
  Volume in{};
  Volume out{};
  Slide down{};
  Slide across{};
  std::int64_t kernelRows = 1;
  std::int64_t kernelColumns = 1;
  bool byKernel = false;  ///< Four elements of the kernel at a time, not all channels.
  double times = 1;       ///< Images and groups.

  /// Each channel of the output is made of one of the input.
  bool keepsDepth() const { return kind == Kind::depthwise || kind == Kind::pooling; }
  bool convolves() const { return kind == Kind::convolution || kind == Kind::depthwise; }
  /// Parts of the kernel, one after the other.
  double kernels() const {
    return static_cast<double>(tilesOf(kernelRows, kMostKernel)) *
           static_cast<double>(tilesOf(kernelColumns, kMostKernel));
  }
};

/// An operator whose loops are known. A matrix is an image of one row, whose columns are the rows
/// of the matrix.
Layer layerOf(const Work& work, const CostedOp& costed);

/// A block of an output, and what is read for it.
struct Blocks {
  Volume in{};
  Volume out{};
};

/// Sum of `cycles(elements)` over the parts of the kernel, of at most 8 x 8 elements each.
template <typename Cycles>
double overKernel(const Layer& op, const Cycles& cycles) {
  const auto sides = [](std::int64_t kernel) {
    return std::array{std::pair(kMostKernel, kernel / kMostKernel),
                      std::pair(kernel % kMostKernel, std::int64_t{1})};
  };
  double sum = 0;
  for (const auto& [rows, high] : sides(op.kernelRows)) {
    for (const auto& [columns, wide] : sides(op.kernelColumns)) {
      if (rows == 0 || columns == 0) continue;
      sum += cycles(rows * columns) * static_cast<double>(high) * static_cast<double>(wide);
    }
  }
  return sum;
}

/// Cycles in which a place alone waits for its sums, `each` at each step.
inline double delay(const Volume& micros, std::int64_t steps, double each) {
  if (micros.rows > 1 || micros.columns > 1) return 0;
  if (micros.depth == 1) return each * static_cast<double>(steps);
  return each * static_cast<double>(steps - 1) * static_cast<double>(micros.depth);
}

/// Elements that go in and out: an input once for each block that it takes part in; inputs and
/// outputs that are not the network's in whole bricks.
struct Moved {
  double read = 0;
  double written = 0;
};
Moved moved(const Layer& op, const CostedOp& costed, const Blocks& blocks);

/// Bytes of a block that follow upon each other in a tensor of bricks, as all are but inputs and
/// outputs of the network, which lie pixel by pixel.
inline std::int64_t togetherInBricks(const Volume& all, const Volume& block, std::int64_t cores) {
  const bool deep = cyclesTimes(kBrick, all.columns) == block.depth;
  return deep ? block.depth * block.columns : kBrick * block.columns * cores;
}

/// Bytes that a memory moves, a burst at a time, for so many of which `together` follow upon each
/// other.
inline double inBursts(double bytes, std::int64_t together, double burst) {
  return bytes * burst / std::min(burst, static_cast<double>(together));
}

}  // namespace hw::ethos
