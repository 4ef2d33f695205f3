#include "core/picture/palette.h"

#include <cmath>

namespace hw {

namespace {

/// The tensor classes keep the Okabe-Ito hues in both palettes.
constexpr Rgb kClasses[] = {0xe69f00, 0x009e73, 0x56b4e9, 0xcc79a7, 0xd55e00};

/// Of operators in parts: neighbours differ in hue and in lightness, for all eyes (after Tol,
/// 2021).
constexpr Rgb kParts[kPartHues] = {0x4477aa, 0xccaa44, 0xaa4477, 0x44aa99, 0x9988dd, 0xbb7755};

/// From `Ink::window` to `Ink::hatch`.
constexpr Rgb kLight[] = {0xf2f3f5, 0xffffff, 0xe1e4e8, 0x6a737d, 0x1b1f24, 0x5f6873,
                          0x2277b8, 0x9cc4e4, 0xba4600, 0xa6cfe8, 0x0072b2, 0xd55e00,
                          0x00815d, 0x1b1f24, 0x7a4bb5, 0xeceef1, 0xb4bbc4};
constexpr Rgb kDark[] = {0x25282d, 0x1a1c20, 0x32363d, 0x8b949e, 0xe4e7eb, 0x9da5af,
                         0x3b8fd0, 0x39607f, 0xff8f4a, 0x1d4a68, 0x6cbcf0, 0xf0813a,
                         0x2fc79a, 0xf4f6f8, 0xb892f0, 0x2a2d33, 0x565d67};
/// None is the colour of a line that means something else, but for the first, which is A's.
constexpr Rgb kLightSeries[] = {0x0072b2, 0xb5558b, 0xa87400, 0x6b4226,
                                0x5a3ea8, 0x3a8ec0, 0x7d8590, 0x394049};
constexpr Rgb kDarkSeries[] = {0x6cbcf0, 0xcc79a7, 0xe69f00, 0xc9a27e,
                               0x9a86f5, 0x56b4e9, 0x7f8893, 0xc3c9d0};

/// Compute, load, store, copy.
constexpr Rgb kLightActivities[] = {0x0072b2, 0xe69f00, 0x009e73, 0xb5558b};
constexpr Rgb kDarkActivities[] = {0x56b4e9, 0xe69f00, 0x2fc79a, 0xcc79a7};
/// In the order of the rules: data, unit, channel, sequence, order, in place, reuse. What the data
/// asks for is grey; reused bytes are the accent.
constexpr Rgb kLightStalls[] = {0xb9c0c8, 0x9cc4e4, 0x9cc4e4, 0x7d8590,
                                0x7d8590, 0x7a4bb5, 0xd55e00};
constexpr Rgb kDarkStalls[] = {0x565d67, 0x39607f, 0x39607f, 0x8b949e,
                               0x8b949e, 0xb892f0, 0xff8f4a};
/// Part of its colour that an activity beside the critical path keeps.
constexpr double kBeside = 0.42;

/// Shares of the class colour over the plot, and of the text colour over the class for edges.
struct Strength {
  double fill;
  double edge;
  double thin;
};
/// Past, future, live, pale.
constexpr Strength kLightTimes[] = {
    {0.42, 0.75, 0.85}, {0.25, 0.62, 0.56}, {1, 1, 1}, {0.15, 0.32, 0.24}};
constexpr Strength kDarkTimes[] = {
    {0.46, 0.60, 0.78}, {0.28, 0.50, 0.52}, {1, 1, 1}, {0.17, 0.30, 0.24}};

}  // namespace

std::string_view className(TensorClass kind) {
  static constexpr std::string_view kNames[] = {"input", "output", "intermediate", "shared",
                                                "intermediate"};
  return kNames[static_cast<std::size_t>(kind)];
}

Ink blockInk(TensorClass kind, BlockTime time, BlockPart part) {
  const auto index = (static_cast<unsigned>(kind) * 4 + static_cast<unsigned>(time)) * 4 +
                     static_cast<unsigned>(part);
  return static_cast<Ink>(static_cast<unsigned>(Ink::block) + index);
}

Ink partInk(std::size_t op, BlockTime time, BlockPart part) {
  const std::size_t index =
      (op % kPartHues * 4 + static_cast<std::size_t>(time)) * 4 + static_cast<std::size_t>(part);
  return static_cast<Ink>(static_cast<std::size_t>(Ink::part) + index);
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

Rgb readableOn(Rgb fill) {
  // Luma of ITU-R BT.601; the threshold leaves at least 4.5:1 on the class colours.
  const Rgb luma = (299 * (fill >> 16) + 587 * ((fill >> 8) & 255U) + 114 * (fill & 255U)) / 1000;
  return luma > 120 ? 0x101010 : 0xfafafa;
}

Palette::Palette(bool dark) {
  std::size_t next = 0;
  for (const Rgb color : dark ? kDark : kLight) colors_[next++] = color;
  const Rgb plot = (*this)[Ink::plot];
  const Rgb text = (*this)[Ink::text];
  colors_[next++] = mixed((*this)[Ink::lowerBound], plot, 0.12);
  for (const Rgb color : dark ? kDarkSeries : kLightSeries) colors_[next++] = color;
  const auto addTimes = [&](Rgb color) {
    const Rgb edge = mixed(color, text, 0.55);
    const Rgb words[] = {text, (*this)[Ink::muted], readableOn(color), (*this)[Ink::muted]};
    for (std::size_t time = 0; time < 4; ++time) {
      const Strength& strength = (dark ? kDarkTimes : kLightTimes)[time];
      colors_[next++] = mixed(color, plot, strength.fill);
      colors_[next++] = mixed(edge, plot, strength.edge);
      colors_[next++] = mixed(color, plot, strength.thin);
      colors_[next++] = words[time];
    }
  };
  for (const Rgb color : kClasses) addTimes(color);
  for (const Rgb color : dark ? kDarkActivities : kLightActivities) {
    for (const Rgb fill : {color, mixed(color, plot, kBeside)}) {
      colors_[next++] = fill;
      colors_[next++] = readableOn(fill);
    }
  }
  for (const Rgb color : dark ? kDarkStalls : kLightStalls) colors_[next++] = color;
  for (const Rgb color : kParts) addTimes(color);
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
