#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace hw {

/// Class of a block, for its colour: the type of the operator that writes it. After these come
/// `kShadeClasses` shades, from small to large.
enum class BlockClass : std::uint8_t {
  convolution,
  activation,
  product,
  elements,
  pooling,
  movement,
  boundary,  ///< Graph inputs and outputs, weights and other states.
  buffer,    ///< Of a planning problem, which has no operators.
};
inline constexpr std::size_t kBlockClasses = 8;
inline constexpr std::size_t kShadeClasses = 6;
inline constexpr std::size_t kAllClasses = kBlockClasses + kShadeClasses;

/// "convolution", "concat, reshape", …: for legends, tables and tooltips; not of a shade.
std::string_view className(BlockClass kind);

/// Meaning of a colour. Pictures name inks, palettes say what they look like.
enum class Ink : std::uint16_t {
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
  raised,       ///< A chosen segment, the heads of tables.
  line,         ///< Border of cards and controls.
  onSelection,  ///< Words on `selection`.
  warmTint,     ///< Behind a text in `accent`.
  best,
  series,                                  ///< The first of `kSeriesInks`, for compared runs.
  block = series + 8,                      ///< The first of the inks that `blockInk` gives.
  activity = block + kAllClasses * 4 * 4,  ///< The first of those that `activityInk` gives.
  stall = activity + 4 * 2 * 2,            ///< The first of those that `stallInk` gives.
  end = stall + 7
};
inline constexpr std::size_t kSeriesInks = 8;
inline constexpr std::size_t kInks = static_cast<std::size_t>(Ink::end);

/// When a block is, seen from the playhead; `pale`: not what a filter picked out, at any time.
enum class BlockTime { past, future, live, pale };
/// `thin`: instead of fill and edge when a block is too thin for an edge, so it must stand out
/// alone. `word`: what is written on it.
enum class BlockPart { fill, edge, thin, word };
Ink blockInk(BlockClass kind, BlockTime time, BlockPart part);

/// Of an activity by its kind, compute, load, store and copy being 0 to 3: in full colour on the
/// critical path, else pale; and of a `word` on it.
Ink activityInk(std::size_t kind, bool critical, bool word = false);
/// Of a stall, by the number of the rule that caused it.
Ink stallInk(std::size_t rule);

/// 0xRRGGBB.
using Rgb = std::uint32_t;

/// `share` of `a` over `1 - share` of `b`, per channel.
Rgb mixed(Rgb a, Rgb b, double share);

/// Contrast of two colours, 1 to 21, as WCAG 2.1 defines it.
double contrast(Rgb a, Rgb b);

/// Near black or white, whichever has more contrast on `fill`: 4.5 at least.
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
