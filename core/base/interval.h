#pragma once

#include <algorithm>
#include <compare>
#include <vector>

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

/// The union of `ranges`, ascending and disjoint: those that touch become one, empty ones none.
template <class T>
std::vector<Interval<T>> mergedRanges(std::vector<Interval<T>> ranges) {
  std::ranges::sort(ranges);
  std::vector<Interval<T>> merged;
  for (const Interval<T>& range : ranges) {
    if (range.empty()) continue;
    if (!merged.empty() && range.begin <= merged.back().end) {
      merged.back().end = std::max(merged.back().end, range.end);
    } else {
      merged.push_back(range);
    }
  }
  return merged;
}

}  // namespace hw
