#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "widgets/map/map_colors.h"

namespace hw {

/// Turns the occupancy of a pixel into a colour: the mean of the classes in it, the more opaque the
/// more of the pixel is taken. In integers, since there are millions of pixels.
class CoverBlend {
 public:
  explicit CoverBlend(const MapColors::Shades& shades) {
    for (unsigned lane = 0; lane < kLanes; ++lane) colors_[lane] = shades[lane].thin;
    for (unsigned sum = 1; sum < kSums; ++sum) {
      inverse_[sum] = (1U << 16) / sum;
      const double taken = std::min(1.0, sum / 255.0);
      alpha_[sum] = static_cast<unsigned>(256 * (kLeastCover + (1 - kLeastCover) * taken));
    }
  }

  /// `word` holds a part of 255 for each of four classes, not all 0.
  QRgb over(QRgb under, std::uint32_t word) const {
    unsigned red = 0;
    unsigned green = 0;
    unsigned blue = 0;
    unsigned sum = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const unsigned part = (word >> (lane * 8)) & 255U;
      red += part * static_cast<unsigned>(qRed(colors_[lane]));
      green += part * static_cast<unsigned>(qGreen(colors_[lane]));
      blue += part * static_cast<unsigned>(qBlue(colors_[lane]));
      sum += part;
    }
    const unsigned alpha = alpha_[sum];
    const auto mix = [&](unsigned total, int below) {
      const unsigned mean = static_cast<unsigned>((std::uint64_t{total} * inverse_[sum]) >> 16);
      return static_cast<int>((mean * alpha + static_cast<unsigned>(below) * (256 - alpha)) >> 8);
    };
    return qRgb(mix(red, qRed(under)), mix(green, qGreen(under)), mix(blue, qBlue(under)));
  }

  static constexpr unsigned kLanes = 4;

 private:
  /// What a pixel with the least bit of occupancy shows, so that lone thin blocks stay visible.
  static constexpr double kLeastCover = 0.35;
  static constexpr unsigned kSums = kLanes * 255 + 1;
  std::array<QRgb, kLanes> colors_{};
  std::array<unsigned, kSums> inverse_{};
  std::array<unsigned, kSums> alpha_{};
};

}  // namespace hw
