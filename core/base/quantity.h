#pragma once

#include <compare>
#include <cstdint>
#include <optional>

namespace hw {

/// A signed 64-bit count of one unit. Bytes and Steps do not mix; that is the whole point.
template <class Unit>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(std::int64_t count) : count_(count) {}

  constexpr std::int64_t count() const { return count_; }
  /// The same for shares, rates and pictures.
  constexpr double real() const { return static_cast<double>(count_); }

  friend constexpr auto operator<=>(Quantity, Quantity) = default;

  constexpr Quantity& operator+=(Quantity other) {
    count_ += other.count_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    count_ -= other.count_;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return a += b; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return a -= b; }
  friend constexpr Quantity operator*(Quantity a, std::int64_t n) { return Quantity(a.count_ * n); }

 private:
  std::int64_t count_ = 0;
};

/// A size, or a distance from the start of a region: an offset is just the bytes below you.
using Bytes = Quantity<struct BytesUnit>;

/// A position in the schedule: the n-th operator to execute. Not wall-clock time.
using Step = Quantity<struct StepUnit>;

/// Simulated time in integer picoseconds, so that nothing drifts. 64 bits last 106 days.
using SimTime = Quantity<struct PicosecondUnit>;

/// The largest size any tensor, sum or offset may have. Importers refuse more; everything behind
/// them may add two sizes, or round one up, without overflow.
inline constexpr Bytes kMaxBytes{std::int64_t{1} << 60};

/// True if addresses may be multiples of `bytes`: a power of two up to 1 GiB.
constexpr bool isAlignment(Bytes bytes) {
  const std::int64_t count = bytes.count();
  return count >= 1 && count <= (std::int64_t{1} << 30) && (count & (count - 1)) == 0;
}

/// The last step a schedule may have; trace events store steps in 32 bits.
inline constexpr Step kMaxStep{(std::int64_t{1} << 31) - 2};

namespace literals {
constexpr Bytes operator""_B(unsigned long long n) { return Bytes(static_cast<std::int64_t>(n)); }
constexpr Bytes operator""_KiB(unsigned long long n) {
  return Bytes(static_cast<std::int64_t>(n) * 1024);
}
constexpr Bytes operator""_MiB(unsigned long long n) {
  return Bytes(static_cast<std::int64_t>(n) * 1024 * 1024);
}
constexpr Step operator""_st(unsigned long long n) { return Step(static_cast<std::int64_t>(n)); }
}  // namespace literals

/// The least multiple of `alignment` (positive) that is not below `value` (not negative).
constexpr Bytes alignUp(Bytes value, Bytes alignment) {
  const auto rest = value.count() % alignment.count();
  return rest == 0 ? value : value + alignment - Bytes(rest);
}

/// The greatest multiple of `alignment` (positive) that is not above `value` (not negative).
constexpr Bytes alignDown(Bytes value, Bytes alignment) {
  return value - Bytes(value.count() % alignment.count());
}

constexpr bool isAligned(Bytes value, Bytes alignment) {
  return value.count() % alignment.count() == 0;
}

/// a * b, or nothing when that would leave 64 bits. For numbers that come from files.
constexpr std::optional<std::int64_t> checkedMul(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

/// a + b, or nothing when that would leave 64 bits.
constexpr std::optional<std::int64_t> checkedAdd(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

}  // namespace hw
