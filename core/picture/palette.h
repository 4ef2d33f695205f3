#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace hw {

/// Class of a tensor, for its colour (Okabe-Ito).
enum class TensorClass { input, output, intermediate, view, problem };
inline constexpr std::size_t kTensorClasses = 5;

/// "input", "shared", …: for legends, tables and tooltips.
std::string_view className(TensorClass kind);

/// Meaning of a colour. Pictures name inks, palettes say what they look like.
enum class Ink : std::uint8_t {
  window,
  plot,
  grid,
  axis,
  text,
  muted,
  selection,
  hover,
  accent,
  live,
  highWater,
  capacity,
  lowerBound,
  playhead,
  mark,
  hole,
  hatch,
  best,
  series,                        ///< The first of `kSeriesInks`, for compared runs.
  block = series + 8,            ///< The first of the inks that `blockInk` gives.
  activity = block + 5 * 4 * 4,  ///< The first of those that `activityInk` gives.
  stall = activity + 4 * 2 * 2,  ///< The first of those that `stallInk` gives.
  part = stall + 7,              ///< The first of those that `partInk` gives.
  end = part + 6 * 4 * 4
};
/// Operators that run in parts have colours of their own; more of them repeat.
inline constexpr std::size_t kPartHues = 6;
inline constexpr std::size_t kSeriesInks = 8;
inline constexpr std::size_t kInks = static_cast<std::size_t>(Ink::end);

/// When a block is, seen from the playhead; `pale`: not what a filter picked out, at any time.
enum class BlockTime { past, future, live, pale };
/// `thin`: instead of fill and edge when a block is too thin for an edge, so it must stand out
/// alone. `word`: what is written on it.
enum class BlockPart { fill, edge, thin, word };
Ink blockInk(TensorClass kind, BlockTime time, BlockPart part);
/// Of what parts of one operator made, by its number.
Ink partInk(std::size_t op, BlockTime time, BlockPart part);

/// Of an activity by its kind, compute, load, store and copy being 0 to 3: in full colour on the
/// critical path, else pale; and of a `word` on it.
Ink activityInk(std::size_t kind, bool critical, bool word = false);
/// Of a stall, by the number of the rule that caused it.
Ink stallInk(std::size_t rule);

/// 0xRRGGBB.
using Rgb = std::uint32_t;

/// `share` of `a` over `1 - share` of `b`, per channel.
Rgb mixed(Rgb a, Rgb b, double share);

/// Black or white, whichever reads better on `fill`.
Rgb readableOn(Rgb fill);

/// All colours of the program in one value; two of them exist.
class Palette {
 public:
  static const Palette& light();
  static const Palette& dark();

  Rgb operator[](Ink ink) const { return colors_[static_cast<std::size_t>(ink)]; }

 private:
  explicit Palette(bool dark);
  std::array<Rgb, kInks> colors_{};
};

}  // namespace hw
