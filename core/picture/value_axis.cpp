#include "core/picture/value_axis.h"

#include <fmt/format.h>

#include <cmath>

#include "core/base/text.h"

namespace hw {
namespace {

constexpr double kAround = 0.06;  ///< What is shown beyond all values, as a part of them.
constexpr double kManyTimes = 3;

bool isInBytes(ColumnKind kind) {
  return kind == ColumnKind::bytes || kind == ColumnKind::amount || kind == ColumnKind::address;
}

}  // namespace

std::string valueText(double value, ColumnKind kind) {
  if (isInBytes(kind)) return formatBytes(Bytes(std::llround(value)));
  if (kind == ColumnKind::time) return formatTime(SimTime(std::llround(value)));
  if (kind == ColumnKind::seconds) return formatTime(SimTime(std::llround(value * 1e12)));
  if (kind == ColumnKind::ratio) return fmt::format("{:.1f} %", value * 100);
  if (kind == ColumnKind::excess) return formatPercent(value);
  constexpr std::pair<double, const char*> kUnits[] = {{1e12, " T"}, {1e9, " G"}, {1e6, " M"}};
  for (const auto& [unit, name] : kUnits) {
    if (value >= unit) return fmt::format("{:.3g}{}", value / unit, name);
  }
  return fmt::format("{:.4g}", value);
}

ValueUnit ValueUnit::of(double most, ColumnKind kind) {
  std::vector<ValueUnit> units = {{1, ""}, {1e3, "k"}, {1e6, "M"}, {1e9, "G"}, {1e12, "T"}};
  if (isInBytes(kind)) {
    units = {{1, "B"}, {1024, "KiB"}, {1024.0 * 1024, "MiB"}, {1024.0 * 1024 * 1024, "GiB"}};
  } else if (kind == ColumnKind::time) {
    units = {{1, "ps"}, {1e3, "ns"}, {1e6, "\u00b5s"}, {1e9, "ms"}, {1e12, "s"}};
  } else if (kind == ColumnKind::seconds) {
    units = {{1e-6, "\u00b5s"}, {1e-3, "ms"}, {1, "s"}};
  } else if (kind == ColumnKind::ratio || kind == ColumnKind::excess) {
    units = {{0.01, "%"}};
  }
  ValueUnit chosen = units.front();
  for (const ValueUnit& each : units) {
    if (most >= each.one) chosen = each;
  }
  return chosen;
}

std::string ValueUnit::text(double value) const {
  const double shown = value / one;
  const int digits = shown >= 99.95 ? 0 : shown >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f}", shown, digits);
}

ValueAxis::ValueAxis(ColumnKind kind, double low, double high, bool doubles, double start,
                     double length)
    : kind_(kind), low_(low), high_(high), doubles_(doubles), start_(start), length_(length) {}

ValueAxis ValueAxis::around(ColumnKind kind, const ValueSpan& span, bool doubles, double start,
                            double length) {
  const double least = kind == ColumnKind::seconds ? 1e-9 : 1;
  const bool many = span.low >= least && span.high > kManyTimes * span.low;
  if (doubles || (many && kind != ColumnKind::ratio && kind != ColumnKind::excess)) {
    const double low = std::max(least, span.low);
    const double high = std::max(low, span.high);
    const double air = 1 + kAround * std::log2(2 * high / low);
    return {kind, low / air, high * air, true, start, length};
  }
  const bool fraction = kind == ColumnKind::ratio || kind == ColumnKind::excess;
  // Of one value alone a part of it, so that marks have few digits.
  const double air = std::max({fraction || least < 1 ? 1e-3 : 1.0, kAround * (span.high - span.low),
                               span.high > span.low ? 0 : kAround * std::abs(span.high)});
  return {kind, std::max(0.0, span.low - air), span.high + air, false, start, length};
}

double ValueAxis::toPixel(double value) const {
  const double part = doubles_ ? std::log2(std::max(low_, value) / low_) / std::log2(high_ / low_)
                               : (value - low_) / (high_ - low_);
  return start_ + part * length_;
}

std::vector<AxisTick> ValueAxis::ticks(double apart) const {
  if (!doubles_) return even(apart);
  return isInBytes(kind_) ? powers() : digits(apart);
}

std::vector<AxisTick> ValueAxis::powers() const {
  const std::int64_t parts = high_ / low_ > 8 ? 1 : 4;
  std::vector<AxisTick> ticks;
  for (std::int64_t power = 4; power < kMaxBytes.count(); power *= 2) {
    for (std::int64_t i = 0; i < parts; ++i) {
      const std::int64_t step = power / parts;
      const auto at = static_cast<double>(power + step * i);
      if (at >= low_ && at <= high_) ticks.push_back({at, valueText(at, kind_)});
    }
  }
  return ticks;
}

std::vector<AxisTick> ValueAxis::digits(double apart) const {
  std::vector<AxisTick> ticks;
  const int last = static_cast<int>(std::ceil(std::log10(high_)));
  for (int exponent = static_cast<int>(std::floor(std::log10(low_))); exponent <= last;
       ++exponent) {
    const double power = std::pow(10, exponent);
    for (const double digit : {1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0}) {
      const double value = digit * power;
      if (value < low_ || value > high_) continue;
      const bool near =
          !ticks.empty() && std::abs(toPixel(ticks.back().value) - toPixel(value)) < apart;
      if (!near) ticks.push_back({value, valueText(value, kind_)});
    }
  }
  return ticks;
}

std::vector<AxisTick> ValueAxis::even(double apart) const {
  const double room = std::abs(length_);
  if (isInBytes(kind_)) return ByteAxis{low_, high_, 0, room}.ticks(apart);
  if (kind_ == ColumnKind::time) return RunAxis{low_, high_, 0, room, AxisUnit::time}.ticks(apart);
  const double wanted = apart * (high_ - low_) / room;
  const double power = std::pow(10, std::floor(std::log10(wanted)));
  double distance = power;
  for (const double digit : {2.0, 5.0, 10.0}) {
    if (distance < wanted) distance = digit * power;
  }
  std::vector<AxisTick> ticks;
  // Counted: of numbers beyond 2^53 the next one may be the same.
  constexpr int kMost = 1'000;
  const double first = std::ceil(low_ / distance);
  for (int i = 0; i < kMost && (first + i) * distance <= high_; ++i) {
    ticks.push_back({(first + i) * distance, valueText((first + i) * distance, kind_)});
  }
  return ticks;
}

}  // namespace hw
