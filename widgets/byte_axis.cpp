#include "widgets/byte_axis.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/base/text.h"

namespace hw {

namespace {

struct TickDistance {
  double bytes = 1;
  double unit = 1;
  const char* name = "B";
};

/// The least distance that is a round number of some unit and not below `wanted` bytes. Where the
/// axis reaches the next unit, hundreds become quarters and halves of that.
TickDistance roundDistance(double wanted, double high) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double unit = 1;
  for (std::size_t i = 0; i + 1 < std::size(kUnits); ++i) {
    for (const double factor : {1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0}) {
      if (factor * unit >= wanted) return {factor * unit, unit, kUnits[i]};
    }
    const double next = unit * 1024;
    for (const double factor : {200.0, 500.0}) {
      const double part = factor == 200.0 ? next / 4 : next / 2;
      if (high >= next && part >= wanted) return {part, next, kUnits[i + 1]};
      if (high < next && factor * unit >= wanted) return {factor * unit, unit, kUnits[i]};
    }
    unit = next;
  }
  return {unit, unit, "EiB"};
}

/// "1,200", "0.25", "1.5".
QString tickNumber(double value) {
  const double whole = std::floor(value + 1e-9);
  QString text = QString::fromStdString(groupDigits(static_cast<std::int64_t>(whole)));
  const int hundredths = static_cast<int>((value - whole) * 100 + 0.5);
  if (hundredths > 0) {
    text += QLatin1Char('.') + QString::number(hundredths).rightJustified(2, QLatin1Char('0'));
    if (hundredths % 10 == 0) text.chop(1);
  }
  return text;
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
  const double wantedBytes = spacing * (high - low) / std::abs(length);
  const TickDistance distance =
      hex ? TickDistance{std::exp2(std::ceil(std::log2(std::max(1.0, wantedBytes))))}
          : roundDistance(wantedBytes, high);
  std::vector<AxisTick> marks;
  const double first = std::max(0.0, std::ceil(low / distance.bytes) * distance.bytes);
  const int wanted = static_cast<int>(std::clamp((high - first) / distance.bytes + 1, 0.0, 1000.0));
  for (int i = 0; i < wanted; ++i) {
    const double bytes = first + i * distance.bytes;
    const QString number =
        hex ? QStringLiteral("0x") + QString::number(static_cast<qulonglong>(bytes), 16)
            : tickNumber(bytes / distance.unit) + QLatin1Char(' ') + QLatin1String(distance.name);
    marks.push_back({bytes, bytes == 0 ? QStringLiteral("0") : number});
  }
  return marks;
}

}  // namespace hw
