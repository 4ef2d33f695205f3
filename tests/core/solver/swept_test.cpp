#include "core/solver/exact/swept.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "core/families/family.h"
#include "core/solver/exact/exact.h"
#include "tests/support/printers.h"

using namespace hw;
using exact::Boxes;

namespace {

/// Pairs that are live together and share bytes, or end above the capacity.
int clashes(const Boxes& boxes, const std::vector<std::int64_t>& offsets, Bytes capacity) {
  int count = 0;
  for (std::size_t i = 0; i < boxes.boxes.size(); ++i) {
    const exact::Box& a = boxes.boxes[i];
    count += boxes.unit * offsets[i] + a.size > capacity || offsets[i] < 0 ? 1 : 0;
    for (std::size_t k = 0; k < i; ++k) {
      const exact::Box& b = boxes.boxes[k];
      const bool live = a.life.begin < b.life.end && b.life.begin < a.life.end;
      const bool apart = offsets[i] + a.height <= offsets[k] || offsets[k] + b.height <= offsets[i];
      count += live && !apart ? 1 : 0;
    }
  }
  return count;
}

}  // namespace

TEST_CASE("what nearly fills a pool in coarse sizes is packed", "[solver][sweep][beam]") {
  const auto [pack, family] = GENERATE(
      table<decltype(&exact::packFull), const char*>({{&exact::packFull, "guillotine"},
                                                      {&exact::packFull, "spirals"},
                                                      {&exact::packNearlyFull, "guillotine"},
                                                      {&exact::packNearlyFull, "spirals"}}));
  int found = 0;
  int tried = 0;
  for (const int out : {0, 5}) {
    for (int seed = 2; seed <= 8; seed += 2) {
      const auto text = fmt::format(
          "{}:buffers=90,out={},steps=60,heights=256,height=64KiB,seed={}", family, out, seed);
      CAPTURE(text);
      const GeneratedProblem made = generateProblem(text);
      for (const Boxes& boxes :
           exact::independentParts(made.problem, made.problem.stays.keys().toVector())) {
        if (!exact::isNearlyFull(boxes, *made.fits)) continue;
        ++tried;
        bool solved = false;
        for (std::uint64_t draw = 1; draw <= 40 && !solved; ++draw) {
          const exact::Swept swept = pack(boxes, *made.fits, draw, [] { return false; });
          REQUIRE(swept.work > 0);
          if (!swept.offsets) continue;
          solved = true;
          REQUIRE(clashes(boxes, *swept.offsets, *made.fits) == 0);
        }
        found += solved ? 1 : 0;
      }
    }
  }
  REQUIRE(tried >= 4);
  CHECK(found >= tried * 3 / 4);
}

TEST_CASE("what is not nearly full, or of too many units, is not swept", "[solver][sweep]") {
  const auto partOf = [](const char* text, Bytes& fits) {
    const GeneratedProblem made = generateProblem(text);
    fits = *made.fits;
    return exact::independentParts(made.problem, made.problem.stays.keys().toVector()).front();
  };
  Bytes fits;
  const Boxes full = partOf("guillotine:buffers=60,heights=64", fits);
  CHECK(exact::isNearlyFull(full, fits));
  CHECK_FALSE(exact::isNearlyFull(full, fits * 2));
  const Boxes fine = partOf("guillotine:buffers=60", fits);
  CHECK_FALSE(exact::isNearlyFull(fine, fits));
}
