#include "core/solver/exact/seams.h"

#include <algorithm>
#include <bit>

namespace hw::exact {
namespace {

/// At one moment: of more, too many add up by chance.
constexpr std::size_t kMostAtSeam = 12;

}  // namespace

std::vector<std::uint32_t> leastSums(const std::vector<std::int64_t>& numbers) {
  const std::uint32_t sets = std::uint32_t{1} << numbers.size();
  std::vector<std::int64_t> sum(sets, 0);
  std::vector<std::uint32_t> sums;
  for (std::uint32_t set = 1; set < sets; ++set) {
    sum[set] = sum[set & (set - 1)] + numbers[static_cast<std::size_t>(std::countr_zero(set))];
    if (sum[set] == 0) sums.push_back(set);
  }
  std::ranges::stable_sort(sums, {}, [](std::uint32_t set) { return std::popcount(set); });
  std::vector<std::uint32_t> least;
  for (const std::uint32_t set : sums) {
    const auto within = [&](std::uint32_t other) { return (set & other) == other; };
    if (std::ranges::none_of(least, within)) least.push_back(set);
  }
  return least;
}

const Seams::Known& Seams::look(std::uint32_t moment) {
  Known& known = known_[moment];
  if (known.change == jigsaw_.changedAt(moment)) return known;
  known = {.change = jigsaw_.changedAt(moment)};
  const auto begins = jigsaw_.begins(moment);
  const auto ends = jigsaw_.ends(moment);
  if (begins.size() + ends.size() > kMostAtSeam) return known;
  std::vector<std::int64_t> heights;
  std::int64_t left = 0;
  const auto add = [&](Item item, std::int64_t height) {
    known.items.push_back(item);
    heights.push_back(height);
    left += height;
  };
  for (const Item item : begins) add(item, jigsaw_.height(item));
  for (const Item item : ends) add(item, -jigsaw_.height(item));
  known.open = left != 0;
  if (known.open) add(static_cast<Item>(jigsaw_.count()), -left);
  jigsaw_.addLooks(std::int64_t{1} << heights.size());
  known.sums = leastSums(heights);
  return known;
}

std::size_t Seams::count(std::uint32_t moment, Item item) {
  const Known& known = look(moment);
  const auto found = std::ranges::find(known.items, item);
  if (found == known.items.end()) return 0;
  const auto bit = std::uint32_t{1} << (found - known.items.begin());
  return static_cast<std::size_t>(
      std::ranges::count_if(known.sums, [&](std::uint32_t set) { return (set & bit) != 0; }));
}

Seams::Relation Seams::relation(std::uint32_t moment, Item a, Item b) {
  const Known& known = look(moment);
  const auto bitOf = [&](Item item) {
    const auto found = std::ranges::find(known.items, item);
    if (found == known.items.end()) return std::uint32_t{0};
    return std::uint32_t{1} << (found - known.items.begin());
  };
  const std::uint32_t bitA = bitOf(a);
  const std::uint32_t bitB = bitOf(b);
  const std::uint32_t missing = known.open ? std::uint32_t{1} << (known.items.size() - 1) : 0;
  bool onlyA = false;
  bool onlyB = false;
  bool loosely = false;
  for (const std::uint32_t set : known.sums) {
    const bool hasA = (set & bitA) != 0;
    const bool hasB = (set & bitB) != 0;
    if (hasA && hasB && (set & missing) == 0) return Relation::together;
    loosely |= hasA && hasB;
    onlyA |= hasA && !hasB;
    onlyB |= hasB && !hasA;
  }
  if (loosely) return Relation::loosely;
  return onlyA && onlyB ? Relation::apart : Relation::unknown;
}

}  // namespace hw::exact
