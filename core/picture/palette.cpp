#include "core/picture/palette.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace hw {

namespace {

/// In the order of `BlockClass`. The closest two of the first seven are 12 apart (CIEDE2000) in
/// each palette for all eyes, deuteranopes, protanopes and tritanopes among them; a test computes
/// it. A problem's buffers are alone in their picture.
constexpr Rgb kLightClasses[kBlockClasses] = {0x2e95da, 0xbcdaf4, 0x12594f, 0x57cfaa,
                                              0xe8ae3a, 0xb0679a, 0x867f74, 0x2e95da};
constexpr Rgb kDarkClasses[kBlockClasses] = {0x3d9bdf, 0x1b557c, 0x2a8c63, 0xb2dab3,
                                             0xdfb046, 0xb9749f, 0x61666a, 0x3d9bdf};

/// Shades, from small to large: grey, so that none is taken for a type.
constexpr Rgb kLightShades[kShadeClasses] = {0xf0f3f5, 0xd6dee4, 0xb3c0ca,
                                             0x8799a7, 0x5a6f80, 0x2f4353};
constexpr Rgb kDarkShades[kShadeClasses] = {0x23292f, 0x33404a, 0x4b5f6d,
                                            0x6d8797, 0x9ab2c0, 0xcfe0ea};

/// From `Ink::window` to `Ink::warmTint`.
constexpr Rgb kLight[] = {0xf5f6f8, 0xffffff, 0xeef0f3, 0x626c76, 0x1a1f26, 0x59636e, 0x3f51d8,
                          0xeceefd, 0xc2410c, 0xcde4f7, 0x1f6fb5, 0xc2410c, 0x0e7a55, 0x1a1f26,
                          0x7a4bb5, 0xf0f2f5, 0xb9c1ca, 0xfbfbfc, 0xe2e5ea, 0xffffff, 0xfdf0e9};
constexpr Rgb kDark[] = {0x121417, 0x1a1d22, 0x23282f, 0x8b95a1, 0xe8eaed, 0xa0a9b4, 0xb6b2ff,
                         0x2a2a4a, 0xee6c42, 0x1f4663, 0x6cbcf0, 0xee6c42, 0x4cc79a, 0xffffff,
                         0xb892f0, 0x20242a, 0x48515c, 0x20242a, 0x2c3139, 0x10131f, 0x33221c};
/// None is the colour of a line that means something else, but for the first, which is A's.
constexpr Rgb kLightSeries[] = {0x1f6fb5, 0xb0679a, 0xa87400, 0x6b4226,
                                0x5a3ea8, 0x3a8ec0, 0x7d8590, 0x394049};
constexpr Rgb kDarkSeries[] = {0x6cbcf0, 0xcc79a7, 0xe69f00, 0xc9a27e,
                               0x9a86f5, 0x56b4e9, 0x7f8893, 0xc3c9d0};

/// Compute, load, store, copy.
constexpr Rgb kLightActivities[] = {0x2e95da, 0x867f74, 0x12594f, 0xb0679a};
constexpr Rgb kDarkActivities[] = {0x3d9bdf, 0x8d93a0, 0x2a8c63, 0xb9749f};
/// In the order of the rules: data, unit, channel, sequence, order, in place, reuse. What the data
/// asks for is grey; reused bytes are the accent.
constexpr Rgb kLightStalls[] = {0xb9c0c8, 0x9cc4e4, 0x9cc4e4, 0x7d8590,
                                0x7d8590, 0x7a4bb5, 0xc2410c};
constexpr Rgb kDarkStalls[] = {0x565d67, 0x39607f, 0x39607f, 0x8b949e,
                               0x8b949e, 0xb892f0, 0xee6c42};
/// Part of its colour that an activity beside the critical path keeps.
constexpr double kBeside = 0.42;

/// Shares of the class colour over the plot.
struct Strength {
  double fill;
  double thin;
};
/// Past, future, live, pale.
constexpr Strength kTimes[] = {{0.92, 0.96}, {0.50, 0.60}, {1, 1}, {0.32, 0.38}};
/// The same of shades, which would be taken for lighter ones if they faded as much.
constexpr Strength kShadeTimes[] = {{0.96, 0.98}, {0.80, 0.84}, {1, 1}, {0.32, 0.38}};
/// Part of its fill that an edge keeps: it is darker in the light palette, lighter in the dark.
constexpr double kEdge = 0.72;

}  // namespace

std::string_view className(BlockClass kind) {
  static constexpr std::string_view kNames[] = {"convolution",   "activation",   "matrix product",
                                                "element-wise",  "pool, resize", "concat, reshape",
                                                "input, output", "buffer"};
  return kNames[static_cast<std::size_t>(kind)];
}

Ink blockInk(BlockClass kind, BlockTime time, BlockPart part) {
  const auto index = (static_cast<unsigned>(kind) * 4 + static_cast<unsigned>(time)) * 4 +
                     static_cast<unsigned>(part);
  return static_cast<Ink>(static_cast<unsigned>(Ink::block) + index);
}

Ink activityInk(std::size_t kind, bool critical, bool word) {
  const std::size_t index = (kind * 2 + (critical ? 0 : 1)) * 2 + (word ? 1 : 0);
  return static_cast<Ink>(static_cast<std::size_t>(Ink::activity) + index);
}

Ink stallInk(std::size_t rule) {
  return static_cast<Ink>(static_cast<std::size_t>(Ink::stall) + rule);
}

Rgb mixed(Rgb a, Rgb b, double share) {
  const auto channel = [&](int shift) {
    const double from = (a >> shift) & 255U;
    const double to = (b >> shift) & 255U;
    return static_cast<Rgb>(std::lround(from * share + to * (1 - share))) << shift;
  };
  return channel(16) | channel(8) | channel(0);
}

namespace {

/// Relative luminance of a colour of sRGB, 0 to 1.
double luminance(Rgb color) {
  const auto linear = [&](int shift) {
    const double value = static_cast<double>((color >> shift) & 255U) / 255;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(16) + 0.7152 * linear(8) + 0.0722 * linear(0);
}

}  // namespace

double contrast(Rgb a, Rgb b) {
  const auto [low, high] = std::minmax({luminance(a), luminance(b)});
  return (high + 0.05) / (low + 0.05);
}

Rgb readableOn(Rgb fill) {
  constexpr Rgb kDarkInk = 0x0b1116;
  constexpr Rgb kLightInk = 0xffffff;
  return contrast(kDarkInk, fill) >= contrast(kLightInk, fill) ? kDarkInk : kLightInk;
}

Palette::Palette(bool dark) {
  std::size_t next = 0;
  for (const Rgb color : dark ? kDark : kLight) colors_[next++] = color;
  const Rgb plot = (*this)[Ink::plot];
  const Rgb text = (*this)[Ink::text];
  colors_[next++] = mixed((*this)[Ink::lowerBound], plot, 0.12);
  for (const Rgb color : dark ? kDarkSeries : kLightSeries) colors_[next++] = color;
  const auto addBlock = [&](Rgb color, std::span<const Strength> times) {
    for (const Strength& strength : times) {
      const Rgb fill = mixed(color, plot, strength.fill);
      colors_[next++] = fill;
      colors_[next++] = mixed(fill, text, kEdge);
      colors_[next++] = mixed(color, plot, strength.thin);
      colors_[next++] = readableOn(fill);
    }
  };
  for (const Rgb color : dark ? kDarkClasses : kLightClasses) addBlock(color, kTimes);
  for (const Rgb color : dark ? kDarkShades : kLightShades) addBlock(color, kShadeTimes);
  for (const Rgb color : dark ? kDarkActivities : kLightActivities) {
    for (const Rgb fill : {color, mixed(color, plot, kBeside)}) {
      colors_[next++] = fill;
      colors_[next++] = readableOn(fill);
    }
  }
  for (const Rgb color : dark ? kDarkStalls : kLightStalls) colors_[next++] = color;
}

const Palette& Palette::light() {
  static const Palette palette(false);
  return palette;
}

const Palette& Palette::dark() {
  static const Palette palette(true);
  return palette;
}

}  // namespace hw
