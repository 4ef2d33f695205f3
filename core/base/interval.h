#pragma once

#include <compare>

namespace hw {

/// The half-open range [begin, end). Every range inside this project is half-open.
template <class T>
struct Interval {
  T begin{};
  T end{};

  constexpr auto length() const { return end - begin; }
  constexpr bool empty() const { return !(begin < end); }
  constexpr bool contains(T point) const { return begin <= point && point < end; }
  constexpr bool overlaps(const Interval& other) const {
    return begin < other.end && other.begin < end;
  }

  friend constexpr auto operator<=>(const Interval&, const Interval&) = default;
};

}  // namespace hw
