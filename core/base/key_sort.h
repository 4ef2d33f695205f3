#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hw {

/// Sorts by `key(item)`, an unsigned number of 32 bits, stably. O(n): a radix sort from the lowest
/// digit on that skips digits all items share; few items are compared instead. Needs as much memory
/// again while it runs. Items are plain data.
template <class Item, class Key>
void sortByKey(std::vector<Item>& items, const Key& key) {
  constexpr std::size_t kFew = 512;
  constexpr unsigned kDigitBits = 11;
  constexpr std::uint32_t kDigit = (1U << kDigitBits) - 1;
  if (items.size() < kFew) {
    std::ranges::stable_sort(items, {}, key);
    return;
  }
  std::uint32_t differing = 0;
  for (const Item& item : items) differing |= key(item) ^ key(items.front());
  std::vector<Item> sorted;
  for (unsigned shift = 0; shift < 32 && differing >> shift != 0; shift += kDigitBits) {
    if (((differing >> shift) & kDigit) == 0) continue;
    std::array<std::size_t, kDigit + 2> places{};
    for (const Item& item : items) ++places[((key(item) >> shift) & kDigit) + 1];
    for (std::size_t digit = 1; digit < places.size(); ++digit) places[digit] += places[digit - 1];
    sorted.resize(items.size());
    for (const Item& item : items) sorted[places[(key(item) >> shift) & kDigit]++] = item;
    items.swap(sorted);
  }
}

}  // namespace hw
