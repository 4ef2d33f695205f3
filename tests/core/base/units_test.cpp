#include "core/base/units.h"

#include <catch2/catch.hpp>

using namespace hw;

TEST_CASE("figures have the digits that were asked for", "[text]") {
  const auto three = [](std::int64_t count) { return formatBytes(Bytes(count)); };
  CHECK(three(1000) == "1000 B");
  CHECK(three(1023) == "1023 B");
  CHECK(three(1536) == "1.50 KiB");
  CHECK(three(10'235) == "10.0 KiB");  // 9.9951.
  CHECK(three(102'350) == "100 KiB");  // 99.951.
  CHECK(three(1'048'063) == "1023 KiB");
  CHECK(three(1'048'064) == "1.00 MiB");  // 1023.5 KiB.
  CHECK(three(std::int64_t{5000} << 40) == "5000 TiB");
  CHECK(formatTime(SimTime(999'499)) == "999 ns");
  CHECK(formatTime(SimTime(999'500)) == "1.00 \u00b5s");

  constexpr UnitDigits kDown{.count = 4, .down = true};
  CHECK(formatTime(SimTime(999), kDown) == "999 ps");
  CHECK(formatTime(SimTime(1'999), kDown) == "1.999 ns");
  CHECK(formatTime(SimTime(9'999'900), kDown) == "9.999 \u00b5s");
  CHECK(formatTime(SimTime(99'999'000), kDown) == "99.99 \u00b5s");
  CHECK(formatTime(SimTime(999'999'000), kDown) == "999.9 \u00b5s");
  CHECK(formatBytes(Bytes(1'048'575), kDown) == "1023 KiB");
}

// What is rounded down never says more than there is, and less by one of the last digit at most.
TEST_CASE("four digits rounded down are no more than the figure", "[text][property]") {
  for (std::int64_t count = 1; count < 4'000'000'000'000; count += 1 + count / 97) {
    const std::string text = formatTime(SimTime(count), {.count = 4, .down = true});
    const auto said = parseNumber(text.substr(0, text.find(' ')));
    REQUIRE(said);
    double unit = 1;
    for (const char* name : {" ps", " ns", " \u00b5s", " ms", " s"}) {
      if (text.ends_with(name)) break;
      unit *= 1000;
    }
    const auto exact = static_cast<double>(count);
    CAPTURE(count, text);
    CHECK(*said * unit <= exact * (1 + 1e-12));
    CHECK(*said * unit > exact * (1 - 1.001e-3));
  }
}
