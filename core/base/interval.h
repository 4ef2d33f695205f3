#pragma once

#include <algorithm>
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

  /// Becomes the smallest range that holds both; an empty one adds nothing.
  constexpr void cover(const Interval& other) {
    if (other.empty()) return;
    *this = empty() ? other : Interval{std::min(begin, other.begin), std::max(end, other.end)};
  }

  friend constexpr auto operator<=>(const Interval&, const Interval&) = default;
};

}  // namespace hw
