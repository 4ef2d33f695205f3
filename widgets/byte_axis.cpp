#include "widgets/byte_axis.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"

namespace hw {

namespace {

struct TickDistance {
  double bytes = 1;
  double unit = 1;
  const char* name = "B";
};

/// The least distance that is a round number of some unit and not below `wanted` bytes.
TickDistance roundDistance(double wanted) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double unit = 1;
  for (const char* name : kUnits) {
    for (const double factor : {1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0}) {
      if (factor * unit >= wanted) return {factor * unit, unit, name};
    }
    unit *= 1024;
  }
  return {unit, unit / 1024, "EiB"};
}

}  // namespace

ByteAxis ByteAxis::zoomed(double factor, double pixel) const {
  const double fixed = toBytes(pixel);
  ByteAxis axis = *this;
  axis.low = fixed - (fixed - low) / factor;
  axis.high = fixed + (high - fixed) / factor;
  return axis;
}

ByteAxis ByteAxis::panned(double pixels) const {
  const double bytes = pixels * (high - low) / length;
  ByteAxis axis = *this;
  axis.low -= bytes;
  axis.high -= bytes;
  return axis;
}

std::vector<AxisTick> ByteAxis::ticks(double spacing) const {
  const TickDistance distance = roundDistance(spacing * (high - low) / std::abs(length));
  std::vector<AxisTick> marks;
  const double first = std::max(0.0, std::ceil(low / distance.bytes) * distance.bytes);
  const int wanted = static_cast<int>(std::clamp((high - first) / distance.bytes + 1, 0.0, 1000.0));
  for (int i = 0; i < wanted; ++i) {
    const double bytes = first + i * distance.bytes;
    const auto count = static_cast<std::int64_t>(bytes / distance.unit + 0.5);
    const QString label = count == 0 ? QStringLiteral("0")
                                     : QString::fromStdString(groupDigits(count)) +
                                           QLatin1Char(' ') + QLatin1String(distance.name);
    marks.push_back({bytes, label});
  }
  return marks;
}

}  // namespace hw
