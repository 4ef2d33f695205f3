#include "core/solver/exact/handovers.h"

#include <set>

#include "core/families/family.h"
#include "core/plan/validate.h"
#include "core/solver/exact/exact.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"

using namespace hw;
using exact::Boxes;
using exact::Joined;

namespace {

std::vector<Boxes> partsOf(const Problem& problem) {
  return exact::independentParts(problem, problem.stays.keys().toVector());
}

/// One on top of the other, whatever their lives: a plan of the joined boxes.
std::vector<std::int64_t> stackOf(const Boxes& boxes) {
  std::vector<std::int64_t> offsets;
  std::int64_t top = 0;
  for (const exact::Box& box : boxes.boxes) {
    offsets.push_back(top);
    top += box.height;
  }
  return offsets;
}

/// Each as low as those before it in the list leave it: neighbours in time touch.
std::vector<std::int64_t> packed(const Boxes& boxes) {
  std::vector<std::int64_t> level(boxes.sections);
  std::vector<std::int64_t> offsets;
  for (const exact::Box& box : boxes.boxes) {
    std::int64_t at = 0;
    for (const exact::Piece& piece : boxes.piecesOf(box)) {
      for (auto s = piece.first; s < piece.last; ++s) at = std::max(at, level[s]);
    }
    for (const exact::Piece& piece : boxes.piecesOf(box)) {
      for (auto s = piece.first; s < piece.last; ++s) level[s] = at + box.height;
    }
    offsets.push_back(at);
  }
  return offsets;
}

void checkPlan(const Problem& problem, const std::vector<Boxes>& parts, Bytes capacity,
               std::uint64_t seed) {
  Plan plan;
  plan.addresses.resize(problem.stays.size());
  Bytes top;
  for (const Boxes& part : parts) {
    const Joined joined = exact::joinHandovers(part, capacity, seed);
    REQUIRE(joined.places.size() == part.boxes.size());
    const auto offsets =
        joined.offsetsOf(seed % 3 == 0 ? stackOf(joined.boxes) : packed(joined.boxes));
    for (std::size_t i = 0; i < part.boxes.size(); ++i) {
      const Bytes offset = part.unit * offsets[i];
      plan.addresses[part.boxes[i].stay] = Address{PoolId(0), RegionId(0), offset};
      top = std::max(top, offset + problem.stays[part.boxes[i].stay].size);
    }
  }
  plan.regions.add({top});
  const auto found = validate(problem, plan, 1);
  if (!found.empty()) FAIL(found.front().message);
}

}  // namespace

TEST_CASE("what holds for joined boxes holds for those they are made of", "[exact][handovers]") {
  std::size_t joined = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    // Few sizes, so that many boxes fit together by chance; some have gaps, alignments or pins.
    const Problem problem = test::randomProblem(seed, {.stays = 25,
                                                       .steps = 12,
                                                       .maxSize = 5,
                                                       .maxLength = 4,
                                                       .gapPercent = seed % 2 == 0 ? 20 : 0});
    CAPTURE(seed);
    const std::vector<Boxes> parts = partsOf(problem);
    checkPlan(problem, parts, Bytes(60), seed);
    for (const Boxes& part : parts) {
      joined += part.boxes.size() - exact::joinHandovers(part, Bytes(60), seed).boxes.boxes.size();
    }
  }
  CHECK(joined > 500);
}

TEST_CASE("a pool that was cut is put together again", "[exact][handovers]") {
  for (const char* family : {"guillotine", "spirals"}) {
    for (int seed = 1; seed <= 10; ++seed) {
      const std::string text = fmt::format("{}:buffers=150,seed={}", family, seed);
      CAPTURE(text);
      const GeneratedProblem cut = generateProblem(text);
      const std::vector<Boxes> parts = partsOf(cut.problem);
      for (const std::uint64_t joining : {1, 2}) checkPlan(cut.problem, parts, *cut.fits, joining);
      std::size_t left = 0;
      for (const Boxes& part : parts) {
        left += exact::joinHandovers(part, *cut.fits, 1).boxes.boxes.size();
      }
      CHECK(left <= 100);
    }
  }
}

TEST_CASE("five around a middle are one", "[exact][handovers]") {
  // left, bottom, middle, top, right, and one that is as high as all at once on either side.
  const Problem problem =
      test::problemOf({{7, 0, 2}, {3, 0, 5}, {4, 2, 5}, {3, 2, 8}, {7, 5, 8}, {10, 8, 9}});
  const std::vector<Boxes> parts = partsOf(problem);
  checkPlan(problem, parts, Bytes(10), 2);
  std::size_t left = 0;
  for (const Boxes& part : parts) {
    left += exact::joinHandovers(part, Bytes(10), 2).boxes.boxes.size();
  }
  // Time may have been cut into parts at step 8.
  CHECK(left <= 2);
}

TEST_CASE("a hole stands for what was taken out", "[exact][handovers]") {
  // a, then b and c beside a hole of 4 bytes; then d, as high as all.
  const Problem problem = test::problemOf(
      {{9, 0, 2}, {3, 1, 9}, {5, 2, 4}, {4, 2, 3}, {4, 4, 7}, {1, 4, 5}, {9, 7, 9}});
  for (const Boxes& part : partsOf(problem)) {
    const std::size_t plain = exact::joinHandovers(part, Bytes(12), 2).boxes.boxes.size();
    const std::size_t holes = exact::joinHandovers(part, Bytes(12), 1).boxes.boxes.size();
    CHECK(holes <= plain);
  }
  for (const std::uint64_t seed : {1, 2}) checkPlan(problem, partsOf(problem), Bytes(12), seed);
}

TEST_CASE("hundreds of buffers cut from a pool fit into it again", "[exact][handovers]") {
  for (const char* text : {"guillotine:buffers=300,out=5,seed=4", "spirals:buffers=200,seed=2",
                           "guillotine:buffers=450,out=5,seed=6"}) {
    CAPTURE(text);
    const GeneratedProblem cut = generateProblem(text);
    const ExactResult found =
        solveExact(cut.problem, PoolId(0), {.capacity = *cut.fits, .nodes = 400'000, .threads = 1});
    CHECK(found.incumbent <= *cut.fits);
  }
}
