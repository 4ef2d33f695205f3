#include "core/base/key_sort.h"

#include <catch2/catch.hpp>

#include "tests/support/problems.h"

namespace hw {
namespace {

struct Item {
  std::uint32_t key = 0;
  std::size_t position = 0;
  friend bool operator==(const Item&, const Item&) = default;
};

}  // namespace

TEST_CASE("sorting by a key is stable and like the library's", "[base][sort]") {
  const std::size_t count = GENERATE(0, 1, 2, 511, 512, 513, 5'000);
  // No bits, few bits, a digit in the middle alone, all bits.
  const std::uint32_t mask = GENERATE(0U, 0x7U, 0x3FF800U, 0xFFFFFFFFU);
  const std::uint64_t seed = GENERATE(1U, 2U);
  CAPTURE(count, mask, seed);
  test::Dice dice(seed);
  std::vector<Item> items;
  for (std::size_t i = 0; i < count; ++i) {
    items.push_back({static_cast<std::uint32_t>(dice.roll(0, 0xFFFFFFFF)) & mask, i});
  }
  std::vector<Item> expected = items;
  std::ranges::stable_sort(expected, {}, &Item::key);
  sortByKey(items, [](const Item& item) { return item.key; });
  CHECK(items == expected);
}

}  // namespace hw
