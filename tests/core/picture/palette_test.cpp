#include "core/picture/palette.h"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

using namespace hw;

namespace {

using Triple = std::array<double, 3>;
using Matrix = std::array<Triple, 3>;

Triple times(const Matrix& matrix, const Triple& of) {
  Triple result{};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t i = 0; i < 3; ++i) result[row] += matrix[row][i] * of[i];
  }
  return result;
}

/// Linear light of a colour of sRGB, 0 to 1 a channel.
Triple linear(Rgb color) {
  Triple result{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double value = static_cast<double>((color >> (16 - 8 * i)) & 255U) / 255;
    result[i] = value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  }
  return result;
}

/// WCAG 2.1.
double contrastOf(Rgb a, Rgb b) {
  const auto luminance = [](Rgb color) {
    const Triple light = linear(color);
    return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2];
  };
  const double one = luminance(a);
  const double other = luminance(b);
  return (std::max(one, other) + 0.05) / (std::min(one, other) + 0.05);
}

/// CIE L*a*b* under D65.
Triple lab(const Triple& light) {
  const Triple xyz = times({{{0.4124564, 0.3575761, 0.1804375},
                             {0.2126729, 0.7151522, 0.0721750},
                             {0.0193339, 0.1191920, 0.9503041}}},
                           light);
  const Triple white{0.95047, 1, 1.08883};
  Triple f{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double share = std::max(0.0, xyz[i]) / white[i];
    f[i] = share > 216.0 / 24389 ? std::cbrt(share) : (24389.0 / 27 * share + 16) / 116;
  }
  return {116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])};
}

double degrees(double radians) { return radians * 180 / std::numbers::pi; }
double radians(double degrees) { return degrees * std::numbers::pi / 180; }

/// Colour difference CIEDE2000 (Sharma, Wu, Dalal 2005).
double colorDifference(const Triple& one, const Triple& other) {
  const double meanC = (std::hypot(one[1], one[2]) + std::hypot(other[1], other[2])) / 2;
  const double c7 = std::pow(meanC, 7);
  const double g = 0.5 * (1 - std::sqrt(c7 / (c7 + std::pow(25.0, 7))));
  const auto polar = [&](const Triple& of) {
    const double a = (1 + g) * of[1];
    double hue = a == 0 && of[2] == 0 ? 0 : degrees(std::atan2(of[2], a));
    if (hue < 0) hue += 360;
    return std::pair(std::hypot(a, of[2]), hue);
  };
  const auto [c1, h1] = polar(one);
  const auto [c2, h2] = polar(other);
  double turn = c1 * c2 == 0 ? 0 : h2 - h1;
  if (turn > 180) turn -= 360;
  if (turn < -180) turn += 360;
  const double dL = other[0] - one[0];
  const double dC = c2 - c1;
  const double dH = 2 * std::sqrt(c1 * c2) * std::sin(radians(turn / 2));
  const double meanL = (one[0] + other[0]) / 2;
  const double mean = (c1 + c2) / 2;
  double hue = h1 + h2;
  if (c1 * c2 != 0) {
    hue = std::abs(h1 - h2) <= 180 ? hue / 2 : (hue < 360 ? (hue + 360) / 2 : (hue - 360) / 2);
  }
  const double t = 1 - 0.17 * std::cos(radians(hue - 30)) + 0.24 * std::cos(radians(2 * hue)) +
                   0.32 * std::cos(radians(3 * hue + 6)) - 0.20 * std::cos(radians(4 * hue - 63));
  const double fromMiddle = (meanL - 50) * (meanL - 50);
  const double sL = 1 + 0.015 * fromMiddle / std::sqrt(20 + fromMiddle);
  const double sC = 1 + 0.045 * mean;
  const double sH = 1 + 0.015 * mean * t;
  const double m7 = std::pow(mean, 7);
  const double rotation = -2 * std::sqrt(m7 / (m7 + std::pow(25.0, 7))) *
                          std::sin(radians(60 * std::exp(-std::pow((hue - 275) / 25, 2))));
  const double l = dL / sL;
  const double c = dC / sC;
  const double h = dH / sH;
  return std::sqrt(l * l + c * c + h * h + rotation * c * h);
}

struct Eyes {
  const char* name;
  Matrix seen;  ///< Of linear light.
};
/// Machado, Oliveira, Fernandes 2009, at full strength.
constexpr std::array<Eyes, 4> kEyes = {{{"all cones", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
                                        {"no red cones",
                                         {{{0.152286, 1.052583, -0.204868},
                                           {0.114503, 0.786281, 0.099216},
                                           {-0.003882, -0.048116, 1.051998}}}},
                                        {"no green cones",
                                         {{{0.367322, 0.860646, -0.227968},
                                           {0.280085, 0.672501, 0.047413},
                                           {-0.011820, 0.042940, 0.968881}}}},
                                        {"no blue cones",
                                         {{{1.255528, -0.076749, -0.178779},
                                           {-0.078411, 0.930809, 0.147602},
                                           {0.004733, 0.691367, 0.303900}}}}}};

Triple asSeen(Rgb color, const Eyes& eyes) {
  Triple light = times(eyes.seen, linear(color));
  for (double& channel : light) channel = std::clamp(channel, 0.0, 1.0);
  return lab(light);
}

const Palette& paletteOf(bool dark) { return dark ? Palette::dark() : Palette::light(); }

constexpr std::array kTimes = {BlockTime::past, BlockTime::future, BlockTime::live,
                               BlockTime::pale};

}  // namespace

TEST_CASE("the colour difference is the published one", "[picture][palette]") {
  // The first and some of the harder pairs of the paper's table.
  CHECK(colorDifference({50, 2.6772, -79.7751}, {50, 0, -82.7485}) == Approx(2.0425).margin(1e-4));
  CHECK(colorDifference({50, 2.5, 0}, {73, 25, -18}) == Approx(27.1492).margin(1e-4));
  CHECK(colorDifference({50, 2.5, 0}, {50, 0, -2.5}) == Approx(4.3065).margin(1e-4));
  CHECK(colorDifference({2.0776, 0.0795, -1.135}, {0.9033, -0.0636, -0.5514}) ==
        Approx(0.9082).margin(1e-4));
}

TEST_CASE("words can be read on whatever they stand on", "[picture][palette]") {
  const bool dark = GENERATE(false, true);
  const Palette& inks = paletteOf(dark);
  CAPTURE(dark);
  for (const Ink ground : {Ink::window, Ink::plot, Ink::raised, Ink::hover}) {
    for (const Ink word : {Ink::text, Ink::muted, Ink::axis}) {
      CAPTURE(static_cast<int>(ground), static_cast<int>(word));
      CHECK(contrastOf(inks[ground], inks[word]) >= 4.5);
    }
  }
  for (const Ink word : {Ink::selection, Ink::accent, Ink::capacity, Ink::lowerBound}) {
    CAPTURE(static_cast<int>(word));
    CHECK(contrastOf(inks[Ink::plot], inks[word]) >= 4.5);
  }
  CHECK(contrastOf(inks[Ink::selection], inks[Ink::onSelection]) >= 4.5);
  CHECK(contrastOf(inks[Ink::warmTint], inks[Ink::accent]) >= 4.5);
  CHECK(contrastOf(inks[Ink::warmTint], inks[Ink::text]) >= 4.5);
  for (std::size_t kind = 0; kind < kAllClasses; ++kind) {
    for (const BlockTime time : kTimes) {
      CAPTURE(kind, static_cast<int>(time));
      const auto ink = [&](BlockPart part) {
        return inks[blockInk(static_cast<BlockClass>(kind), time, part)];
      };
      CHECK(contrastOf(ink(BlockPart::fill), ink(BlockPart::word)) >= 4.5);
    }
  }
}

TEST_CASE("classes of blocks can be told apart by all eyes", "[picture][palette]") {
  const bool dark = GENERATE(false, true);
  const Palette& inks = paletteOf(dark);
  constexpr std::size_t kTold = kBlockClasses - 1;  // A problem's buffers are alone.
  for (const Eyes& eyes : kEyes) {
    for (std::size_t a = 0; a < kTold; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const auto seen = [&](std::size_t kind) {
          return asSeen(
              inks[blockInk(static_cast<BlockClass>(kind), BlockTime::live, BlockPart::fill)],
              eyes);
        };
        CAPTURE(dark, eyes.name, className(static_cast<BlockClass>(a)),
                className(static_cast<BlockClass>(b)));
        CHECK(colorDifference(seen(a), seen(b)) >= 12);
      }
    }
  }
}
