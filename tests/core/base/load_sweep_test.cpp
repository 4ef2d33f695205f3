#include "core/base/load_sweep.h"

#include <catch2/catch.hpp>

#include "tests/support/problems.h"

using namespace hw;

TEST_CASE("a sweep tells what is there at every place", "[base][property]") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    test::Dice dice(seed);
    const auto places = static_cast<std::size_t>(dice.roll(1, 12));
    LoadSweep sweep(places);
    std::vector<Bytes> there(places);
    for (std::int64_t i = dice.roll(0, 20); i > 0; --i) {
      const auto begin = static_cast<std::size_t>(dice.roll(0, std::int64_t(places)));
      const auto end =
          static_cast<std::size_t>(dice.roll(std::int64_t(begin), std::int64_t(places)));
      const Bytes bytes(dice.roll(0, 9));
      sweep.add(begin, end, bytes);
      for (std::size_t place = begin; place < end; ++place) there[place] += bytes;
    }
    std::size_t next = 0;
    sweep.eachPlace([&](std::size_t place, Bytes bytes) {
      CHECK(place == next++);
      CHECK(bytes == there[place]);
    });
    CHECK(next == places);
    const auto most = std::ranges::max_element(there);
    CHECK(sweep.most().bytes == *most);
    const auto first = static_cast<std::size_t>(most - there.begin());
    CHECK(sweep.most().place == (*most == Bytes() ? 0 : first));
  }
}
