#include "core/solver/fast/joining.h"

#include <fmt/format.h>

#include <array>
#include <initializer_list>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/families/family.h"
#include "core/solver/fast/fast_search.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

using namespace hw;

namespace {

Rectangles drawn(std::initializer_list<test::DrawnStay> stays) {
  return rectanglesOf(test::problemOf(stays), PoolId(0));
}

template <class T>
const T& anyOf(test::Dice& dice, const std::vector<T>& things) {
  return things[static_cast<std::size_t>(dice.roll(0, std::ssize(things) - 1))];
}

Rectangles cut(const std::string& spec) {
  return rectanglesOf(generateProblem(spec).problem, PoolId(0));
}

/// Any two that are live together lie apart, by looking at all pairs.
bool liesApart(const Rectangles& rectangles, const std::vector<Bytes>& offsets) {
  for (std::size_t i = 0; i < rectangles.count(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool together =
          rectangles.begin[i] < rectangles.end[j] && rectangles.begin[j] < rectangles.end[i];
      const bool apart = offsets[i] + rectangles.size[i] <= offsets[j] ||
                         offsets[j] + rectangles.size[j] <= offsets[i];
      if (together && !apart) return false;
    }
  }
  return true;
}

/// What the lists of boxes say, in words that can be compared.
std::multiset<std::array<std::uint32_t, 4>> stateOf(const JoinBoxes& boxes) {
  std::multiset<std::array<std::uint32_t, 4>> state;
  for (const std::uint32_t id : boxes.aliveBoxes()) {
    state.insert({id, boxes[id].begin, boxes[id].end, boxes[id].size});
  }
  return state;
}

/// Lists, counts and who is alive agree.
void requireSound(const JoinBoxes& boxes) {
  std::uint32_t begun = 0;
  std::uint32_t ended = 0;
  for (std::uint32_t rank = 0; rank < boxes.ranks(); ++rank) {
    std::uint32_t count = 0;
    for (auto i = boxes.begins(rank).head; i != JoinBoxes::kNobody; i = boxes[i].nextBegun) {
      REQUIRE((boxes[i].begin == rank && boxes.isAlive(i)));
      ++count;
    }
    REQUIRE(count == boxes.begins(rank).count);
    begun += count;
    count = 0;
    for (auto i = boxes.ends(rank).head; i != JoinBoxes::kNobody; i = boxes[i].nextEnded) {
      REQUIRE((boxes[i].end == rank && boxes.isAlive(i)));
      ++count;
    }
    REQUIRE(count == boxes.ends(rank).count);
    ended += count;
  }
  REQUIRE((begun == boxes.alive() && ended == boxes.alive()));
}

/// All pairs that may be joined.
std::vector<std::pair<std::uint32_t, std::uint32_t>> pairsOf(const JoinBoxes& boxes) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  const auto alive = boxes.aliveBoxes();
  for (const std::uint32_t a : alive) {
    for (const std::uint32_t b : alive) {
      const bool pile = a != b && boxes[a].begin == boxes[b].begin && boxes[a].end == boxes[b].end;
      const bool row = boxes[a].end == boxes[b].begin && boxes[a].size == boxes[b].size;
      if (pile || row) pairs.emplace_back(a, b);
    }
  }
  return pairs;
}

bool isWheel(const JoinBoxes& boxes, const JoinBoxes::Wheel& wheel) {
  const auto& [left, top, middle, bottom, right] =
      std::tie(boxes[wheel.left], boxes[wheel.top], boxes[wheel.middle], boxes[wheel.bottom],
               boxes[wheel.right]);
  return left.end == middle.begin && top.begin == middle.begin && top.end == right.end &&
         right.begin == middle.end && bottom.end == middle.end && bottom.begin == left.begin &&
         left.size == middle.size + top.size && right.size == middle.size + bottom.size;
}

/// All wheels that may be joined.
std::vector<JoinBoxes::Wheel> wheelsOf(const JoinBoxes& boxes) {
  std::vector<JoinBoxes::Wheel> wheels;
  const auto alive = boxes.aliveBoxes();
  for (const std::uint32_t middle : alive) {
    for (const std::uint32_t left : alive) {
      if (boxes[left].end != boxes[middle].begin) continue;
      for (const std::uint32_t right : alive) {
        if (boxes[right].begin != boxes[middle].end) continue;
        for (const std::uint32_t top : alive) {
          if (boxes[top].end != boxes[right].end) continue;
          for (const std::uint32_t bottom : alive) {
            const JoinBoxes::Wheel wheel{left, top, middle, bottom, right};
            if (isWheel(boxes, wheel)) wheels.push_back(wheel);
          }
        }
      }
    }
  }
  return wheels;
}

/// Joins and splits, as often as `dice` says.
void joinSome(JoinBoxes& boxes, test::Dice& dice) {
  for (auto turns = dice.roll(0, 30); turns > 0; --turns) {
    const auto pairs = pairsOf(boxes);
    const auto wheels = wheelsOf(boxes);
    if (!wheels.empty() && dice.roll(0, 1) == 0) {
      boxes.joinWheel(anyOf(dice, wheels));
    } else if (!pairs.empty() && dice.roll(0, 3) > 0) {
      const auto [first, second] = anyOf(dice, pairs);
      boxes.join(first, second);
    } else {
      const std::uint32_t id = anyOf(dice, boxes.aliveBoxes());
      if (boxes[id].joined != JoinBoxes::kNobody) boxes.split(id);
    }
    requireSound(boxes);
  }
}

/// Bytes times steps.
std::int64_t roomOf(const Rectangles& rectangles) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < rectangles.count(); ++i) {
    sum += rectangles.size[i].count() * rectangles.length(i).count();
  }
  return sum;
}

}  // namespace

TEST_CASE("a pile and what goes on in a row become one", "[fast][joining]") {
  // |  a  |  b  |
  // |-----------|
  // |     c     |
  // |  d     |e |
  const Rectangles five = drawn({{8, 0, 3}, {8, 3, 5}, {2, 0, 5}, {5, 0, 4}, {5, 4, 5}});
  const auto joined = test::must(joinRectangles(five, {.moves = 100}));
  REQUIRE(joined.rectangles.count() == 1);
  CHECK(joined.rectangles.size.front() == Bytes(15));
  const std::vector<Bytes> offsets = joined.spread({Bytes(100)});
  REQUIRE(liesApart(five, offsets));
  for (const Bytes offset : offsets) CHECK((offset >= Bytes(100) && offset <= Bytes(113)));
}

TEST_CASE("four around a middle become one", "[fast][joining]") {
  // | left |   top        |
  // |      |--------------|
  // |      |middle|       |
  // |-------------| right |
  // |   bottom    |       |
  const Rectangles five = drawn({{701, 0, 2}, {400, 2, 7}, {301, 2, 5}, {600, 0, 5}, {901, 5, 7}});
  const auto joined = test::must(joinRectangles(five, {.moves = 100}));
  REQUIRE(joined.rectangles.count() == 1);
  CHECK(joined.rectangles.size.front() == Bytes(1'301));
  const std::vector<Bytes> offsets = joined.spread({Bytes(100)});
  REQUIRE(liesApart(five, offsets));
  for (const Bytes offset : offsets) CHECK((offset >= Bytes(100) && offset <= Bytes(1'001)));
}

TEST_CASE("joins that are taken back leave all as it was", "[fast][joining]") {
  for (const std::uint64_t seed : test::Seeds(60)) {
    test::Dice dice(seed);
    JoinBoxes boxes;
    const auto family =
        fmt::format("{}:buffers={},height=256,seed={}", seed % 2 == 0 ? "guillotine" : "spirals",
                    dice.roll(2, 40), seed);
    REQUIRE(boxes.fill(cut(family)));
    joinSome(boxes, dice);
    boxes.remember();
    const auto before = stateOf(boxes);
    joinSome(boxes, dice);
    boxes.takeBackChanges();
    REQUIRE(stateOf(boxes) == before);
    requireSound(boxes);
    // And all the way back to what was given.
    for (bool any = true; any;) {
      any = false;
      for (const std::uint32_t id : boxes.aliveBoxes()) {
        if (boxes[id].joined == JoinBoxes::kNobody) continue;
        boxes.split(id);
        any = true;
      }
    }
    CHECK(boxes.alive() == boxes.count());
  }
}

TEST_CASE("what is joined lies apart wherever it is put", "[fast][joining]") {
  for (const std::uint64_t seed : test::Seeds(40)) {
    const char* const kinds[] = {"guillotine:buffers={},seed={}",
                                 "guillotine:buffers={},sizes=powers,seed={}",
                                 "guillotine:buffers={},out=10,seed={}",
                                 "spirals:buffers={},seed={}", "mixed:buffers={},seed={}"};
    const std::string spec =
        fmt::format(fmt::runtime(kinds[seed % std::size(kinds)]), 50 + seed * 7, seed);
    CAPTURE(spec);
    const Rectangles given = cut(spec);
    const auto joined = joinRectangles(given, {.moves = 2'000, .seed = seed});
    if (!joined) continue;
    const Rectangles& left = joined->rectangles;
    REQUIRE(left.count() <= given.count() / 4);
    // One above the other: whatever they are made of has to lie within.
    std::vector<Bytes> offsets;
    Bytes top;
    for (const Bytes size : left.size) {
      offsets.push_back(top);
      top += size;
    }
    const std::vector<Bytes> all = joined->spread(offsets);
    REQUIRE(liesApart(given, all));
    for (std::size_t i = 0; i < given.count(); ++i) {
      const std::uint32_t in = joined->in[i];
      REQUIRE(all[i] >= offsets[in]);
      REQUIRE(all[i] + given.size[i] <= offsets[in] + left.size[in]);
      REQUIRE(given.steps[given.begin[i]] >= left.steps[left.begin[in]]);
      REQUIRE(given.steps[given.end[i]] <= left.steps[left.end[in]]);
    }
    // Nothing was lost and nothing added.
    REQUIRE(roomOf(left) == roomOf(given));
    REQUIRE(loadBound(left) == loadBound(given));
  }
}

TEST_CASE("what was cut from a full pool fits into it again", "[fast][joining]") {
  struct Cut {
    std::string_view family;
    int count;
  };
  std::uint64_t number = 0;
  for (const auto& [family, count] : {Cut{"guillotine", 300},
                                      {"guillotine", 2'000},
                                      {"guillotine", 12'000},
                                      {"spirals", 300},
                                      {"spirals", 2'000},
                                      {"spirals", 5'000}}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      if (!test::isTried(number++)) continue;
      const Rectangles given = cut(
          fmt::format("{}:buffers={},height=64MiB,sizes=multiples,seed={}", family, count, seed));
      CAPTURE(family, count, seed);
      const FastResult found = searchFast(given, {.seed = seed, .bound = loadBound(given)});
      CHECK(found.peak == Bytes(std::int64_t{64} << 20));
      CHECK(found.winner == "joined");
    }
  }
}

TEST_CASE("nothing is joined where pins, alignments or chance are in the way", "[fast][joining]") {
  Problem problem = generateProblem("guillotine:buffers=200,seed=3").problem;
  const Problem plain = problem;
  problem.stays[StayId(0)].pinned = Bytes(64);
  CHECK_FALSE(joinRectangles(rectanglesOf(problem, PoolId(0)), {.moves = 100}));
  problem = plain;
  problem.stays[StayId(1)].alignment = Bytes(48);
  CHECK_FALSE(joinRectangles(rectanglesOf(problem, PoolId(0)), {.moves = 100}));
  CHECK_FALSE(joinRectangles(cut("scattered:buffers=3000,seed=5"), {.moves = 100}));
  CHECK_FALSE(joinRectangles(drawn({{8, 0, 3}}), {.moves = 100}));
  const auto stopped = joinRectangles(cut("guillotine:buffers=5000,seed=3"),
                                      {.moves = 100, .stopped = [] { return true; }});
  CHECK_FALSE(stopped);
}
