#include "core/trace/trace.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "core/allocators/catalog.h"
#include "tests/support/memory_script.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

using namespace hw;

using hw::test::MemoryScript;

namespace {

struct Sample {
  std::vector<MemoryEvent> events;
  std::vector<SimTime> times;
  Trace trace;
};

/// Random events in random pools; now and then time and step go on.
Sample randomTrace(std::uint64_t seed, std::size_t pools, std::size_t count) {
  std::mt19937_64 random(seed);
  std::vector<MemoryScript> scripts;
  for (std::size_t i = 0; i < pools; ++i) scripts.emplace_back(seed * 31 + i, 1 + seed % 4);
  Sample sample;
  Trace::Builder builder(pools);
  std::int32_t step = 0;
  std::int64_t time = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t pool = random() % pools;
    MemoryEvent event = scripts[pool].next();
    if (random() % 4 == 0) time += static_cast<std::int64_t>(random() % 50);
    if (random() % 8 == 0) step += static_cast<std::int32_t>(random() % 3);
    event.pool = static_cast<std::uint8_t>(pool);
    event.step = step;
    builder.add(SimTime(time), event);
    sample.events.push_back(event);
    sample.times.push_back(SimTime(time));
  }
  sample.trace = std::move(builder).finish();
  return sample;
}

}  // namespace

TEST_CASE("a seek shows what a replay from the start shows", "[trace][property]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{9}));
  const std::size_t pools = 1 + seed % 3;
  const Sample sample = randomTrace(seed, pools, 3'000);
  CAPTURE(seed, pools);
  REQUIRE(sample.trace.size() == sample.events.size());
  MemoryState replayed(pools);
  for (std::size_t i = 0; i <= sample.events.size(); ++i) {
    if (i % 7 == 0 || i == sample.events.size()) REQUIRE(sample.trace.stateAfter(i) == replayed);
    if (i < sample.events.size()) replayed[sample.events[i].poolId()].apply(sample.events[i]);
  }
}

TEST_CASE("keyframes never cost more than the events", "[trace][property]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{5}));
  CAPTURE(seed);
  const Sample sample = randomTrace(seed, 2, 2'000);
  // Every keyframe but the first is paid for by as many events as it has chunks.
  CHECK(sample.trace.keyframeCount() > 1);
  CHECK(sample.trace.keyframeCount() <= 1 + sample.events.size() / 3);
}

TEST_CASE("usage over any range is what counting gives", "[trace][property]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{9}));
  const std::size_t count = seed == 1 ? 1 : 40 * seed * seed;
  const Sample sample = randomTrace(seed, 2, count);
  const PoolId pool(seed % 2);
  std::vector<Bytes> after{Bytes()};
  for (const MemoryEvent& event : sample.events) {
    Bytes now = after.back();
    if (event.poolId() == pool && event.kind == EventKind::alloc) now += event.size;
    if (event.poolId() == pool && event.kind == EventKind::free) now -= event.size;
    after.push_back(now);
  }
  std::mt19937_64 random(seed);
  for (int i = 0; i < 500; ++i) {
    const std::size_t first = random() % (count + 1);
    const std::size_t last = first + random() % (count + 1 - first);
    CAPTURE(seed, count, first, last);
    const auto [low, high] = sample.trace.usage(pool, first, last);
    if (first == last) {
      REQUIRE(low == after[first]);
      REQUIRE(high == after[first]);
      continue;
    }
    const auto at = [&](std::size_t n) { return after.begin() + static_cast<std::ptrdiff_t>(n); };
    REQUIRE(low == *std::min_element(at(first + 1), at(last + 1)));
    REQUIRE(high == *std::max_element(at(first + 1), at(last + 1)));
  }
}

TEST_CASE("time and step lead to the events around them", "[trace][property]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{4}));
  const Sample sample = randomTrace(seed, 1, 500);
  for (std::int64_t time = -1; time <= sample.times.back().count() + 1; time += 13) {
    const auto expected =
        std::ranges::count_if(sample.times, [&](SimTime t) { return t.count() <= time; });
    CAPTURE(seed, time);
    REQUIRE(sample.trace.indexAt(SimTime(time)) == static_cast<std::size_t>(expected));
  }
  for (std::int64_t step = 0; step <= sample.events.back().step + 1; ++step) {
    const auto expected =
        std::ranges::count_if(sample.events, [&](const MemoryEvent& e) { return e.step < step; });
    CAPTURE(seed, step);
    REQUIRE(sample.trace.indexOfStep(Step(step)) == static_cast<std::size_t>(expected));
  }
}

TEST_CASE("a trace without events is empty memory", "[trace]") {
  const Trace trace = Trace::Builder(2).finish();
  CHECK(trace.size() == 0);
  CHECK(trace.stateAfter(0) == MemoryState(2));
  CHECK(trace.usage(PoolId(1), 0, 0) == UsageEnvelope());
  CHECK(trace.indexAt(SimTime(5)) == 0);
  CHECK(trace.indexOfStep(Step(5)) == 0);
  CHECK(Trace().stateAfter(0) == MemoryState(0));
}

TEST_CASE("what lies between two moments is what the stays in between make up", "[moment_delta]") {
  for (const std::uint64_t seed : test::Seeds(40)) {
    test::Dice dice(seed);
    const Problem problem = test::randomProblem(
        seed, {.stays = 40, .steps = 30, .pools = 1 + seed % 3, .assignedPercent = 50});
    const Plan plan = AllocatorChoice::parse("greedy-by-size")->make()->plan(problem, {}).value();
    Trace::Builder builder(problem.pools.size());
    for (const MemoryEvent& event : plan.story) builder.add(SimTime(event.step), event);
    const Trace trace = std::move(builder).finish();
    for (int i = 0; i < 10; ++i) {
      // Ends of steps: there it is known from the problem alone what lives.
      const Step a(dice.roll(0, 30));
      const Step b(dice.roll(0, 30));
      MomentDelta expected;
      for (const Stay& stay : problem.stays) {
        const bool inA = stay.steps.begin < a && a < stay.steps.end;
        const bool inB = stay.steps.begin < b && b < stay.steps.end;
        expected.live += stay.size * (inB - inA);
        const auto between = [&](Step step) {
          return std::min(a, b) <= step && step < std::max(a, b);
        };
        if (between(stay.steps.begin)) expected.allocated += stay.size;
        if (between(stay.steps.end - Step(1)) && !stay.outlives) expected.released += stay.size;
      }
      CHECK(momentDelta(trace, trace.indexOfStep(a), trace.indexOfStep(b)) == expected);
    }
    CHECK(liveAt(trace, 0) == Bytes());
  }
}
