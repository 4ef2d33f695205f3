#include "core/insight/moment.h"

#include "tests/support/graphs.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

namespace hw::test {

TEST_CASE("the peak of inception under free-list: 128 live, 64 in two holes", "[explain]") {
  const auto run = runGraph(inceptionGraph(), {.allocator = "free-list"});
  const Step step = run->metrics.pools[PoolId(0)].atTop.step;
  REQUIRE(step == Step(6));
  const Moment moment = momentAt(run->problem, run->plan, PoolId(0), step);
  CHECK(moment.live == Bytes(128));
  CHECK(moment.holeBytes == Bytes(64));
  CHECK(moment.above == Bytes(0));
  CHECK(moment.footprint == Bytes(192));
  REQUIRE(moment.holes.size() == 2);
  const auto name = [&](StayId stay) { return run->stayName(stay); };
  CHECK(moment.holes[0].bytes == Interval<Bytes>{Bytes(16), Bytes(24)});
  CHECK(name(moment.holes[0].below) == "p");
  CHECK(name(moment.holes[0].above) == "v");
  CHECK(moment.holes[1].bytes == Interval<Bytes>{Bytes(40), Bytes(96)});
  CHECK(name(moment.holes[1].below) == "v");
  CHECK(name(moment.holes[1].above) == "r");
  CHECK(moment.largestHole() == &moment.holes[1]);
  CHECK(moment.holes[1].until == Step(7));
  REQUIRE(moment.tenants.size() == 4);
  CHECK(moment.tenants.back().share == Approx(0.5));  // w, 64 of 128.
}

TEST_CASE("a stay is no tenant inside its gaps", "[explain]") {
  Problem problem = problemOf({{10, 0, 6}, {4, 0, 6}});
  problem.gaps = {{StayId(0), {Step(2), Step(4)}}};
  const Plan plan = planAt(problem, {0, 10});
  CHECK(momentAt(problem, plan, PoolId(0), Step(1)).tenants[0].steps ==
        Interval<Step>{Step(0), Step(2)});
  const Moment inside = momentAt(problem, plan, PoolId(0), Step(3));
  REQUIRE(inside.tenants.size() == 1);
  REQUIRE(inside.holes.size() == 1);
  CHECK_FALSE(inside.holes[0].below);
  CHECK(inside.holes[0].bytes.length() == Bytes(10));
}

TEST_CASE("an autopsy tells fragmentation from exhaustion from the impossible", "[explain]") {
  // 10 and 10 have left; 5 stands between the holes they left.
  const Problem problem = problemOf({{10, 0, 1}, {5, 0, 2}, {10, 0, 1}, {15, 1, 2}});
  const auto tight = [&](std::int64_t capacity, const char* allocator) {
    Problem bounded = problem;
    bounded.pools[PoolId(0)].capacity = Bytes(capacity);
    return autopsy(bounded, *AllocatorChoice::parse(allocator)->make()->plan(bounded, {}));
  };
  CHECK_FALSE(tight(30, "free-list"));

  const auto fragmented = test::must(tight(25, "free-list"));
  CHECK(fragmented.cause == Autopsy::Cause::fragmentation);
  CHECK(fragmented.stay == StayId(3));
  CHECK(fragmented.wanted == Bytes(15));
  CHECK(fragmented.lowerBound == Bytes(25));
  REQUIRE(fragmented.pools.size() == 1);
  CHECK(fragmented.pools[0].freeBytes == Bytes(20));
  CHECK(fragmented.pools[0].largestFree == Bytes(10));
  CHECK(fragmented.pools[0].sufficient == Bytes(30));
  CHECK(fragmented.pools[0].moment.holes.size() == 1);

  const auto impossible = test::must(tight(22, "free-list"));
  CHECK(impossible.cause == Autopsy::Cause::impossible);

  const auto overflow = test::must(tight(25, "none"));
  CHECK(overflow.cause == Autopsy::Cause::fragmentation);
  CHECK(overflow.pools[0].sufficient == Bytes(40));
}

TEST_CASE("with two pools memory is exhausted when neither has the bytes", "[explain]") {
  Problem problem = problemOf({{10, 0, 2}, {10, 0, 2}, {6, 1, 2}});
  problem.pools[PoolId(0)].capacity = Bytes(14);
  problem.pools.add({"L3", Bytes(14)});
  const Plan plan = *AllocatorChoice::parse("free-list")->make()->plan(problem, {});
  const auto found = test::must(autopsy(problem, plan));
  CHECK(found.cause == Autopsy::Cause::exhaustion);
  REQUIRE(found.pools.size() == 2);
  CHECK(found.pools[1].freeBytes == Bytes(4));
  CHECK(found.pools[1].sufficient == Bytes(16));
}

TEST_CASE("the step of the highest address is the first of the fullest that reach it",
          "[explain][property]") {
  const auto greedy = AllocatorChoice::parse("greedy-by-size");
  for (const std::uint64_t seed : test::Seeds(200)) {
    INFO("seed " << seed);
    const Problem problem =
        randomProblem(seed, {.maxSize = 12, .gapPercent = seed % 2 == 0 ? 40 : 0});
    const auto plan = test::must(greedy->make()->plan(problem, {}));
    std::optional<std::pair<Bytes, Bytes>> most;  // Top, live.
    Step expected;
    for (Step step; step < problem.steps; step += Step(1)) {
      const Moment moment = momentAt(problem, plan, PoolId(0), step);
      const std::pair now(moment.top, moment.live);
      if (moment.tenants.empty() || (most && now <= *most)) continue;
      most = now;
      expected = step;
    }
    CHECK(measure(problem, plan).pools[PoolId(0)].atTop.step == expected);
  }
}

}  // namespace hw::test

using namespace hw;
using namespace hw::literals;

TEST_CASE("an output is held after its last use, a tensor in between is not", "[late_free]") {
  // out is read at step 1 too, and held to the end because it is an output.
  const auto run =
      test::runGraph(test::drawnGraph({.tensors = {{"x", 8}, {"out", 8}, {"a", 8}, {"y", 8}},
                                       .inputs = {"x"},
                                       .ops = {"Conv x -> out", "Conv out -> a", "Conv a -> y"},
                                       .outputs = {"out", "y"}}));
  const auto last = lastUses(run->problem);
  const auto of = [&](const char* name) {
    return StayId(run->storage.slots[test::tensorOf(run->graph(), name)]->buffer.index());
  };
  CHECK(last[of("x")] == 0_st);
  CHECK(last[of("out")] == 1_st);
  CHECK(run->problem.stays[of("out")].steps.end == 3_st);
  CHECK(last[of("a")] == 2_st);
  CHECK(run->problem.stays[of("a")].steps.end == 3_st);
}

TEST_CASE("nobody is late in a problem without operators", "[late_free]") {
  Problem problem;
  problem.steps = 5_st;
  problem.stays.add({.buffer = BufferId(0), .steps = {1_st, 4_st}, .size = 8_B});
  CHECK(lastUses(problem)[StayId(0)] == 3_st);
}

TEST_CASE("local peaks are the plateaus that both neighbours look up to", "[peaks]") {
  for (const std::uint64_t seed : test::Seeds(200)) {
    test::Dice dice(seed);
    const std::int64_t length = dice.roll(1, 40);
    std::vector<std::int64_t> heights;
    StepFunction curve;
    for (std::int64_t step = 0; step < length; ++step) {
      heights.push_back(dice.chance(40) && step > 0 ? heights.back() : dice.roll(0, 5));
      curve.pieces.push_back({Step(step), Bytes(heights.back())});
    }
    std::vector<LocalPeak> expected;
    for (std::int64_t begin = 0; begin < length; ++begin) {
      for (std::int64_t end = begin + 1; end <= length; ++end) {
        const auto at = [&](std::int64_t i) {
          return i < 0 || i >= length ? 0 : heights[static_cast<std::size_t>(i)];
        };
        bool flat = at(begin - 1) < at(begin) && at(end) < at(begin);
        for (std::int64_t i = begin; i < end; ++i) flat = flat && at(i) == at(begin);
        if (flat) expected.push_back({{Step(begin), Step(end)}, Bytes(at(begin))});
      }
    }
    std::ranges::stable_sort(expected, std::greater{}, &LocalPeak::bytes);
    CHECK(localPeaks(curve, Step(length)) == expected);
  }
  CHECK(localPeaks({}, Step(4)).empty());
}
