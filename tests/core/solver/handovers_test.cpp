#include "core/solver/exact/handovers.h"

#include <fmt/format.h>

#include <set>

#include "core/families/family.h"
#include "core/plan/validate.h"
#include "core/solver/exact/exact.h"
#include "core/solver/exact/jigsaw.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

using namespace hw;
using exact::Boxes;
using exact::Jigsaw;
using exact::Joined;
using exact::Seams;

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
  for (const std::uint64_t seed : test::Seeds(200)) {
    // Few sizes, so that many boxes fit together by chance; some have gaps, alignments or pins.
    const Problem problem = test::randomProblem(seed, {.stays = 25,
                                                       .steps = 12,
                                                       .maxSize = 5,
                                                       .maxLength = 4,
                                                       .gapPercent = seed % 2 == 0 ? 20 : 0});
    const std::vector<Boxes> parts = partsOf(problem);
    checkPlan(problem, parts, Bytes(60), seed);
    for (const Boxes& part : parts) {
      joined += part.boxes.size() - exact::joinHandovers(part, Bytes(60), seed).boxes.boxes.size();
    }
  }
  CHECK(joined > test::atLeast(500));
}

TEST_CASE("a pool that was cut is put together again", "[exact][handovers]") {
  for (const char* family : {"guillotine", "spirals"}) {
    for (int seed = 1; seed <= 10; ++seed) {
      const std::string text = fmt::format("{}:buffers=150,seed={}", family, seed);
      CAPTURE(text);
      const GeneratedProblem cut = generateProblem(text);
      const std::vector<Boxes> parts = partsOf(cut.problem);
      for (const std::uint64_t joining : {1U, 2U})
        checkPlan(cut.problem, parts, *cut.fits, joining);
      std::size_t left = 0;
      for (const Boxes& part : parts) {
        left += exact::joinHandovers(part, *cut.fits, 1).boxes.boxes.size();
      }
      CHECK(left <= 100);
    }
  }
}

TEST_CASE("what is joined cannot be joined once more", "[exact][handovers]") {
  // Kinds by sections and without holes, which read nothing but what a joined box still has.
  for (const std::uint64_t kind : {2U, 8U}) {
    for (const std::uint64_t seed : test::Seeds(20)) {
      CAPTURE(kind);
      const GeneratedProblem cut = generateProblem(fmt::format(
          "spirals:buffers=120,height=200,cuts=anywhere,out={},seed={}", seed % 3 * 5, seed));
      for (const Boxes& part : partsOf(cut.problem)) {
        const Joined once = exact::joinHandovers(part, *cut.fits, kind);
        const Joined twice = exact::joinHandovers(once.boxes, *cut.fits, seed * 12 + kind);
        CHECK(twice.boxes.boxes.size() == once.boxes.boxes.size());
      }
    }
  }
}

TEST_CASE("what fits in one way only is joined first", "[exact][handovers]") {
  //     |  8  |  5  |  5  |  9  |      At step 4 two of 5 end and two begin, which fit together in
  //     |     |  3  |  4  |     |      two ways; but 5 and 3 are as high as what is before them, 5
  //     |  5        |  5        |      and 4 as what is behind them, and then one way is left.
  //     |  1        |
  //     |  1                    |
  const Problem problem = test::problemOf({{8, 0, 2},
                                           {5, 2, 4},
                                           {3, 2, 4},
                                           {5, 0, 4},
                                           {1, 0, 4},
                                           {5, 4, 6},
                                           {4, 4, 6},
                                           {9, 6, 8},
                                           {5, 4, 8},
                                           {1, 0, 8}});
  const std::vector<Boxes> parts = partsOf(problem);
  REQUIRE(parts.size() == 1);
  for (const std::uint64_t kind : {0U, 1U, 10U, 11U}) {
    for (std::uint64_t turn = 0; turn < 20; ++turn) {
      CAPTURE(kind, turn);
      CHECK(exact::joinHandovers(parts[0], Bytes(15), turn * 12 + kind).boxes.boxes.size() == 1);
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
  for (const std::uint64_t seed : {1U, 2U}) checkPlan(problem, partsOf(problem), Bytes(12), seed);
}

TEST_CASE("holes fill what is free, and no more", "[exact][handovers]") {
  int full = 0;
  for (const std::uint64_t seed : test::Seeds(20)) {
    const GeneratedProblem cut =
        generateProblem(fmt::format("spirals:buffers=100,out=8,seed={}", seed));
    bool all = true;
    for (const Boxes& part : partsOf(cut.problem)) {
      Dice dice(seed);
      Jigsaw jigsaw(part, true, 0, dice);
      exact::addHoles(jigsaw, *cut.fits, dice);
      for (const std::int64_t free : jigsaw.room(*cut.fits)) {
        CHECK(free >= 0);
        all &= free == 0;
      }
    }
    full += all ? 1 : 0;
  }
  CHECK(full >= test::atLeast(15));
}

TEST_CASE("of two holes that meet, both ends are found", "[exact][handovers]") {
  // Of ten bytes 4 are free at [1,3) and 7 at [3,5).
  const Problem problem = test::problemOf({{1, 0, 6}, {9, 0, 1}, {5, 1, 3}, {2, 3, 5}, {9, 5, 6}});
  Dice dice(1);
  std::size_t holes = 0;
  for (const Boxes& part : partsOf(problem)) {
    Jigsaw jigsaw(part, true, 0, dice);
    const std::size_t before = jigsaw.count();
    exact::addHoles(jigsaw, Bytes(10), dice);
    holes += jigsaw.count() - before;
    CHECK(std::ranges::count(jigsaw.room(Bytes(10)), 0) == jigsaw.moments());
  }
  CHECK(holes == 2);
}

TEST_CASE("least sums are those that hold no other", "[exact][handovers]") {
  using Sets = std::vector<std::uint32_t>;
  CHECK(exact::leastSums({}).empty());
  CHECK(exact::leastSums({3, 4, 5}).empty());
  CHECK(exact::leastSums({3, -3, 5, -5, 2}) == Sets{0b00011, 0b01100, 0b11001});
  CHECK(exact::leastSums({7, -4, -3, 9, -5}) == Sets{0b00111, 0b11010});
}

TEST_CASE("seams say who lies against whom", "[exact][handovers]") {
  using Relation = Seams::Relation;
  // At step 2, 30 ends where 10 and 20 begin, and 7 where 3 and 4 do.
  const Problem problem = test::problemOf(
      {{30, 0, 2}, {7, 0, 2}, {10, 2, 5}, {20, 2, 6}, {3, 2, 7}, {4, 2, 8}, {1, 0, 8}});
  const std::vector<Boxes> parts = partsOf(problem);
  REQUIRE(parts.size() == 1);
  Dice dice(1);
  const Jigsaw jigsaw(parts[0], true, 0, dice);
  Seams seams(jigsaw);
  const auto item = [&](std::int64_t height) {
    const auto same = [&](const exact::Box& box) { return box.height == height; };
    const auto& boxes = parts[0].boxes;
    return static_cast<Jigsaw::Item>(std::ranges::find_if(boxes, same) - boxes.begin());
  };
  CHECK(seams.relation(1, item(10), item(20)) == Relation::together);
  CHECK(seams.relation(1, item(3), item(4)) == Relation::together);
  CHECK(seams.relation(1, item(10), item(3)) == Relation::apart);
  // At the end of 20 nothing begins: what is missing there takes part.
  CHECK(seams.relation(3, item(20), item(20)) == Relation::loosely);
}

TEST_CASE("every kind of joining has its share of the work, those that were any good more",
          "[exact][handovers]") {
  exact::JoiningTurns turns;
  turns.expectFull();
  turns.reward(5);
  std::set<std::uint64_t> seeds;
  std::vector<std::int64_t> had(exact::kJoiningKinds);
  // Those of odd numbers take ten times as long.
  for (int i = 0; i < 6'000; ++i) {
    const std::uint64_t seed = turns.next();
    CHECK(seeds.insert(seed).second);
    const std::int64_t nodes = seed % 2 == 1 ? 10 : 1;
    turns.pay(seed, nodes);
    had[seed % exact::kJoiningKinds] += nodes;
  }
  const std::int64_t share = had[0];
  for (std::uint64_t kind = 0; kind < exact::kJoiningKinds; ++kind) {
    CAPTURE(kind, share);
    const bool good = kind == 1 || kind == 5 || kind == 11;
    CHECK(std::abs(had[kind] - (good ? 3 : 1) * share) <= 30);
  }
}

TEST_CASE("hundreds of buffers cut from a pool fit into it again", "[exact][handovers]") {
  for (const char* text :
       {"guillotine:buffers=300,out=5,seed=4", "spirals:buffers=200,seed=2",
        "guillotine:buffers=450,out=5,seed=6", "spirals:buffers=300,out=8,seed=4",
        "spirals:buffers=300,out=8,seed=20"}) {
    CAPTURE(text);
    const GeneratedProblem cut = generateProblem(text);
    const ExactResult found =
        solveExact(cut.problem, PoolId(0), {.capacity = *cut.fits, .nodes = 400'000, .threads = 1});
    CHECK(found.incumbent <= *cut.fits);
  }
}
