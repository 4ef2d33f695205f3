#include "core/latency/latency_search.h"

#include "core/latency/capacity_bound.h"
#include "core/latency/reuse_timer.h"
#include "core/plan/metrics.h"
#include "tests/support/every_plan.h"
#include "tests/support/must.h"
#include "tests/support/rounds.h"
#include "tests/support/timed_program.h"

using namespace hw;

namespace {

bool isValid(const Problem& problem, const std::vector<Bytes>& offsets, Bytes capacity) {
  for (const StayId a : problem.stays.keys()) {
    const Stay& one = problem.stays[a];
    const Interval<Bytes> bytes{offsets[a.index()], offsets[a.index()] + one.size};
    if (bytes.begin < Bytes() || bytes.end > capacity) return false;
    if (!isAligned(bytes.begin, one.alignment)) return false;
    for (const StayId b : problem.stays.keys()) {
      const Stay& other = problem.stays[b];
      const Bytes begin = offsets[b.index()];
      if (b < a && one.steps.overlaps(other.steps) && bytes.overlaps({begin, begin + other.size})) {
        return false;
      }
    }
  }
  return true;
}

Bytes topOf(const Problem& problem, const std::vector<Bytes>& offsets) {
  Bytes top;
  for (const StayId id : problem.stays.keys()) {
    top = std::max(top, offsets[id.index()] + problem.stays[id].size);
  }
  return top;
}

LatencySearchOptions within(Bytes capacity, std::int64_t looks = 2'000'000) {
  LatencySearchOptions options;
  options.capacities = {capacity};
  options.looks = looks;
  return options;
}

}  // namespace

TEST_CASE("of tiny programs the search finds the fastest plan there is", "[latency][property]") {
  int found = 0;
  int proved = 0;
  constexpr int kSeeds = test::rounds(60);
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    CAPTURE(seed);
    const auto program = test::randomTimedProgram(seed, {.stays = 6, .steps = 8, .maxSize = 4});
    const auto start = test::offsetsBy("best", program.problem);
    const Bytes capacity = topOf(program.problem, start) + Bytes(static_cast<int>(seed % 3));
    const ActivityList list = program.at(start);
    const TimedWork work(list, program.problem);
    const auto least = test::must(test::EveryPlan(program.problem, work, capacity).least());
    const auto result =
        searchLatency(work, {{.offsets = start, .winner = "best"}}, within(capacity));
    CHECK(isValid(program.problem, result.best.offsets, capacity));
    CHECK(result.bound.time <= least);
    CHECK(result.best.latency >= least);
    found += result.best.latency == least;
    proved += result.proved();
  }
  INFO("found " << found << ", proved " << proved);
  CHECK(found >= kSeeds * 9 / 10);
  CHECK(proved >= kSeeds * 9 / 10);
}

TEST_CASE("a search keeps what it is given, repeats, and stays above its bound",
          "[latency][property]") {
  for (const std::uint64_t seed : test::Seeds(40)) {
    const auto program = test::randomTimedProgram(seed, {.stays = 40, .steps = 30});
    const auto start = test::offsetsBy("greedy-by-size", program.problem);
    const Bytes capacity = topOf(program.problem, start);
    const ActivityList list = program.at(start);
    const TimedWork work(list, program.problem);
    std::vector<LatencySample> told;
    auto options = within(capacity);
    options.improved = [&](const LatencySample& sample) { told.push_back(sample); };
    const auto result = searchLatency(work, {{.offsets = start}}, options);
    ReuseTimer timer(work);
    timer.place(start);
    CHECK(result.best.latency <= timer.contended());
    timer.place(result.best.offsets);
    CHECK(result.best.latency == timer.contended());
    CHECK(isValid(program.problem, result.best.offsets, capacity));
    CHECK(result.bound.time <= result.best.latency);
    REQUIRE(told.size() >= 2);
    CHECK(told.back().latency == result.best.latency);
    for (std::size_t i = 1; i < told.size(); ++i) CHECK(told[i].latency <= told[i - 1].latency);
    const auto again = searchLatency(work, {{.offsets = start}}, within(capacity));
    CHECK(again.best.offsets == result.best.offsets);
    CHECK(again.looks == result.looks);
  }
}

TEST_CASE("pinned stays are not moved for the latency's sake", "[latency]") {
  for (const std::uint64_t seed : test::Seeds(20)) {
    auto program = test::randomTimedProgram(seed, {.stays = 30, .steps = 20});
    const auto start = test::offsetsBy("greedy-by-size", program.problem);
    for (std::size_t i = 0; i < start.size(); i += 3) {
      program.problem.stays[StayId(i)].pinned = start[i];
    }
    const ActivityList list = program.at(start);
    const TimedWork work(list, program.problem);
    const auto result =
        searchLatency(work, {{.offsets = start}}, within(topOf(program.problem, start)));
    for (std::size_t i = 0; i < start.size(); i += 3) CHECK(result.best.offsets[i] == start[i]);
  }
}

TEST_CASE("where no stay can move, the plan is its own bound and nothing is searched",
          "[latency]") {
  for (const std::size_t stays : {std::size_t{0}, std::size_t{1}, std::size_t{30}}) {
    CAPTURE(stays);
    auto program = test::randomTimedProgram(5, {.stays = stays, .steps = 20});
    const auto start = test::offsetsBy("greedy-by-size", program.problem);
    for (std::size_t i = 0; i < start.size(); ++i) {
      program.problem.stays[StayId(i)].pinned = start[i];
    }
    const ActivityList list = program.at(start);
    const TimedWork work(list, program.problem);
    const auto result =
        searchLatency(work, {{.offsets = start}}, within(topOf(program.problem, start)));
    CHECK(result.best.offsets == start);
    CHECK(result.bound.time == result.best.latency);
    CHECK(result.tries == 0);
    CHECK(result.proved());
  }
}

TEST_CASE("a stopped search gives its start", "[latency]") {
  const auto program = test::randomTimedProgram(3, {.stays = 40, .steps = 30});
  const auto start = test::offsetsBy("greedy-by-size", program.problem);
  const ActivityList list = program.at(start);
  const TimedWork work(list, program.problem);
  std::stop_source source;
  source.request_stop();
  auto options = within(topOf(program.problem, start));
  options.stop = source.get_token();
  const auto result = searchLatency(work, {{.offsets = start, .winner = "start"}}, options);
  CHECK(result.best.offsets == start);
  CHECK(result.best.winner == "start");
}

TEST_CASE("the bound falls as the capacity grows", "[latency][property]") {
  for (const std::uint64_t seed : test::Seeds(40)) {
    const auto program = test::randomTimedProgram(seed, {.stays = 40, .steps = 30});
    const ActivityList list = program.at(test::offsetsBy("none", program.problem));
    const TimedWork work(list, program.problem);
    const Bytes live = lowerBound(program.problem);
    std::optional<Bytes> capacity;
    SimTime last = capacityBound(work, std::vector{capacity}).time;
    for (const int percent : {200, 150, 125, 110, 100}) {
      capacity = Bytes(live.count() * percent / 100);
      const SimTime bound = capacityBound(work, std::vector{capacity}).time;
      CHECK(bound >= last);
      last = bound;
    }
  }
}
