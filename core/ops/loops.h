#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hw {

/// The loops of a convolution, a pooling or a matrix product around one multiply-accumulate, by the
/// names that descriptions of accelerators give them (Parashar et al. 2019, Mei et al. 2021).
///
///     convolution     groups G, of which each has K output and C input channels
///     depthwise       G channels, K a channel, C = 1
///     pooling         G channels, K = C = 1
///     matrix product  B rows, K columns, C the inner dimension; G independent products
enum class Loop : std::uint8_t {
  batch,         ///< B: images, or rows of a matrix that meet the same weights.
  group,         ///< G
  output,        ///< K: output channels of a group.
  input,         ///< C: input channels of a group.
  row,           ///< Y: rows of the output; in three dimensions of space the first two.
  column,        ///< X: columns of the output.
  kernelRow,     ///< FY: rows of the kernel.
  kernelColumn,  ///< FX: columns of the kernel.
};
inline constexpr std::array<std::string_view, 8> kLoopNames = {"B", "G", "K",  "C",
                                                               "Y", "X", "FY", "FX"};

/// A number for each loop, 1 where it is not there.
struct Loops {
  std::array<std::int64_t, kLoopNames.size()> sizes{1, 1, 1, 1, 1, 1, 1, 1};

  constexpr std::int64_t operator[](Loop loop) const {
    return sizes[static_cast<std::size_t>(loop)];
  }
  constexpr std::int64_t& operator[](Loop loop) { return sizes[static_cast<std::size_t>(loop)]; }
  friend bool operator==(const Loops&, const Loops&) = default;
};

/// The elements that a window reads along an axis of an image: `reach` of them for an output,
/// `step` further on for the next.
struct Slide {
  std::int64_t image = 1;  ///< All there are, without padding.
  std::int64_t reach = 1;
  std::int64_t step = 1;
  friend bool operator==(const Slide&, const Slide&) = default;
};

}  // namespace hw
