#include "core/report/study/baseline.h"

#include <fmt/format.h>

#include "tests/support/must.h"
#include "tests/support/problems.h"

using namespace hw;

TEST_CASE("a figure grew when it is more than was and than is allowed", "[study]") {
  test::Dice dice(1);
  for (int i = 0; i < 2'000; ++i) {
    const std::int64_t before = dice.roll(0, 1'000);
    const std::int64_t now = dice.roll(0, 1'000);
    const std::int64_t more = dice.roll(0, 100);
    const bool percent = dice.chance(50);
    const std::string text = fmt::format("+{}{}", more, percent ? "%" : "");
    CAPTURE(before, now, text);
    const auto allowances = test::must(parseAllowances("latency=" + text));
    const auto held =
        holdAgainst({{"latency_ps", before}}, {{"latency_ps", now}, {"peak", 5}}, allowances);
    REQUIRE(held.size() == 1);
    // In whole numbers: 100 * now > (100 + more) * before.
    const bool grew = percent ? 100 * now > (100 + more) * before : now > before + more;
    CHECK(held.front().grew == grew);
    const std::string sentence = held.front().sentence();
    CHECK((sentence.find("grew") != std::string::npos) == (now > before));
    CHECK((sentence.find("fell") != std::string::npos) == (now < before));
  }
}

TEST_CASE("a baseline is read as it was written", "[study]") {
  const Baseline baseline = {{"a \"b\"\n", {{"peak", 1}, {"latency_ps", 1LL << 60}}}, {"c", {}}};
  CHECK(parseBaseline(baselineText(baseline)).value() == baseline);
  CHECK(parseBaseline(baselineText({})).value().empty());
  for (const char* text : {"", "{", "[]", "{}", R"({"format": "highwater-baseline"})",
                           R"({"format": 5, "version": 1, "runs": {}})",
                           R"({"format": "highwater-baseline", "version": 1, "runs": []})",
                           R"({"format": "highwater-baseline", "version": 1, "runs": {"a": 1}})"}) {
    CAPTURE(text);
    CHECK(!parseBaseline(text).has_value());
  }
}

TEST_CASE("a figure that is known on one side only is told", "[study]") {
  const auto allowances = parseAllowances("peak=+0,latency=+0,energy=+0").value();
  const auto held = holdAgainst({{"peak", 1}}, {{"latency_ps", 2}}, allowances);
  REQUIRE(held.size() == 2);
  CHECK(held[0].sentence() == "peak was 1 B and is not known any more");
  CHECK(held[1].sentence() == "latency is not in the baseline; --update adds it");
  CHECK((held[0].grew && held[1].grew));
}
