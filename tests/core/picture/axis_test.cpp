#include "core/picture/axis.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace hw;

namespace {

/// "KiB" of "40 KiB".
std::string unitOf(const std::string& label) { return label.substr(label.find(' ') + 1); }

}  // namespace

TEST_CASE("zooming keeps the step under the pointer", "[axis]") {
  const double x = GENERATE(70.0, 70.5, 333.0, 1069.0);
  const double factor = GENERATE(0.5, 1.2, 7.0);
  const RunAxis axis{12.5, 90.25, 70, 1000};
  const RunAxis zoomed = axis.zoomed(factor, x);
  CHECK(zoomed.toPlace(x) == Approx(axis.toPlace(x)));
  CHECK((zoomed.end - zoomed.begin) * factor == Approx(axis.end - axis.begin));
}

TEST_CASE("panning moves every step by the same pixels", "[axis]") {
  const RunAxis axis{10, 30, 70, 400};
  CHECK(axis.panned(25).toX(17) == Approx(axis.toX(17) + 25));
}

TEST_CASE("steps and pixels are each other's inverse", "[axis]") {
  const RunAxis axis{3, 11, 70, 777};
  for (double x = 70; x < 847; x += 13.7) CHECK(axis.toX(axis.toPlace(x)) == Approx(x));
}

TEST_CASE("step marks are whole, round and far enough apart", "[axis]") {
  const double end = GENERATE(0.25, 3.0, 67.0, 5'000.0, 2e9);
  const RunAxis axis{0, end, 70, 1000};
  const auto ticks = axis.ticks(60);
  REQUIRE_FALSE(ticks.empty());
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    CHECK(ticks[i].value == std::floor(ticks[i].value));
    if (i > 0) CHECK(axis.toX(ticks[i].value) - axis.toX(ticks[i - 1].value) >= 59.999);
  }
  CHECK(ticks.front().label == "0");
}

TEST_CASE("addresses grow upwards when the length is negative", "[axis]") {
  const ByteAxis axis{0, 1024, 500, -400};
  CHECK(axis.toPixel(0) == Approx(500));
  CHECK(axis.toPixel(1024) == Approx(100));
  CHECK(axis.toBytes(300) == Approx(512));
  CHECK(axis.zoomed(3, 222).toBytes(222) == Approx(axis.toBytes(222)));
}

TEST_CASE("byte marks name one binary unit and stay apart at any zoom", "[axis]") {
  const double high = GENERATE(16.0, 900.0, 170.0 * 1024, 3.3 * 1024 * 1024, 1.1e15, 1.1e18);
  const ByteAxis axis{0, high, 500, -400};
  const auto ticks = axis.ticks(30);
  REQUIRE(ticks.size() >= 2);
  CHECK(ticks[0].label == "0");
  const std::string unit = unitOf(ticks[1].label);
  for (std::size_t i = 1; i < ticks.size(); ++i) {
    CHECK(unitOf(ticks[i].label) == unit);
    CHECK(axis.toPixel(ticks[i - 1].value) - axis.toPixel(ticks[i].value) >= 29.999);
  }
}

TEST_CASE("a deep zoom at the far end of the address space still ends", "[axis]") {
  const double far = 1e18;
  const ByteAxis axis{far, far + 16, 500, -400};
  CHECK(axis.ticks(30).size() <= 1000);
}

TEST_CASE("byte marks say what they are", "[axis]") {
  const ByteAxis axis{0, 170.0 * 1024, 400, -400};
  const auto ticks = axis.ticks(90);
  REQUIRE(ticks.size() == 4);
  CHECK(ticks[1].label == "50 KiB");
  CHECK(ticks[1].value == 50.0 * 1024);
}

TEST_CASE("an axis that reaches a mebibyte is marked in parts of one", "[axis]") {
  const ByteAxis axis{0, 1.9 * 1024 * 1024, 400, -400};
  const auto ticks = axis.ticks(90);
  REQUIRE(ticks.size() == 4);
  CHECK(ticks[1].label == "0.5 MiB");
  CHECK(ticks[2].label == "1 MiB");
  CHECK(ticks[3].label == "1.5 MiB");
  CHECK(ticks[3].value == 1.5 * 1024 * 1024);
  CHECK(axis.ticks(40)[3].label == "0.75 MiB");
}

TEST_CASE("in hexadecimal, addresses are marked at powers of two", "[axis]") {
  for (const double high : {16.0, 1'000.0, 65'536.0, 3e6, 5e9}) {
    const ByteAxis axis{.low = 0, .high = high, .start = 0, .length = 400, .hex = true};
    const auto ticks = axis.ticks(40);
    REQUIRE(ticks.size() >= 2);
    CHECK(ticks.front().label == "0");
    const double distance = ticks[1].value;
    CHECK(std::exp2(std::round(std::log2(distance))) == distance);
    for (std::size_t i = 1; i < ticks.size(); ++i) {
      CHECK(ticks[i].label.starts_with("0x"));
      CHECK(static_cast<double>(std::stoull(ticks[i].label, nullptr, 16)) == ticks[i].value);
      CHECK(axis.toPixel(ticks[i].value) - axis.toPixel(ticks[i - 1].value) >= 40);
    }
  }
}
