#include "core/sim/execute.h"

#include <catch2/catch.hpp>
#include <random>

#include "tests/support/machine_judge.h"
#include "tests/support/nanoseconds.h"
#include "tests/support/rounds.h"

using namespace hw;
using hw::test::ns;

namespace {

/// Ops a, b, c in a row on 40 elements: x -> a -> t -> b -> u -> c -> y, a byte an element. The
/// unit takes 1 ns an element, L2 moves 1 byte a nanosecond each way, L3 half of it; one DMA engine
/// with one channel for both directions.
struct Example {
  enum Port : std::uint32_t { l2Read, l2Write, l3Read, l3Write };
  enum Engine : std::uint32_t { mac, dma };

  ActivityList list;

  Example() {
    list.ports = {{"L2 read", 1'000'000'000, 0},
                  {"L2 write", 0, 1'000'000'000},
                  {"L3 read", 500'000'000, 0},
                  {"L3 write", 0, 500'000'000}};
    list.engines = {{"mac", false}, {"dma", true}};
    list.devices = {{"npu", Issue::parallel}};
  }

  StayId stay(std::int64_t at) {
    return list.stays.add({.pool = PoolId(0), .bytes = {Bytes(at), Bytes(at + 40)}});
  }

  void touch(Activity& activity, StayId stay, bool write) {
    activity.accesses.push_back({stay, {Bytes(), Bytes(40)}, write});
  }

  ActivityId load(StayId to) {
    Activity activity{.kind = ActivityKind::load, .engine = dma, .to = to, .bytes = Bytes(40)};
    activity.ports = {{l3Read, Bytes(40), Bytes()}, {l2Write, Bytes(), Bytes(40)}};
    touch(activity, to, true);
    return list.activities.add(activity);
  }

  ActivityId store(StayId from) {
    Activity activity{.kind = ActivityKind::store, .engine = dma, .from = from, .bytes = Bytes(40)};
    activity.ports = {{l2Read, Bytes(40), Bytes()}, {l3Write, Bytes(), Bytes(40)}};
    touch(activity, from, false);
    return list.activities.add(activity);
  }

  ActivityId compute(const std::vector<StayId>& reads, StayId write, SimTime time = ns(40)) {
    Activity activity{.engine = mac, .compute = time};
    const Bytes read(40 * static_cast<std::int64_t>(reads.size()));
    activity.ports = {{l2Read, read, Bytes()}, {l2Write, Bytes(), Bytes(40)}};
    for (const StayId stay : reads) touch(activity, stay, false);
    touch(activity, write, true);
    return list.activities.add(activity);
  }

  std::string times() const {
    const Execution run = execute(list, hazardsOf(list), list.contention);
    std::string text;
    for (const ActivityTime& time : run.times) {
      text += "[" + std::to_string(time.start.count() / 1'000) + ", " +
              std::to_string(time.end.count() / 1'000) + ") ";
    }
    return text + std::to_string(run.makespan.count() / 1'000);
  }

  Cause causeOf(ActivityId id) const {
    return execute(list, hazardsOf(list), list.contention).times[id].cause.value();
  }
};

/// The example with a second input z of c, at byte `at`: x, a, z, b, c, y in program order.
struct SecondInput : Example {
  ActivityId a, z, b;
  explicit SecondInput(std::int64_t at, bool stored = true, SimTime slow = ns(40)) {
    const StayId x = stay(0);
    const StayId t = stay(40);
    const StayId u = stay(at == 0 ? 80 : 0);
    const StayId second = stay(at);
    const StayId y = stay(40);
    load(x);
    a = compute({x}, t);
    z = load(second);
    b = compute({t}, u, slow);
    compute({u, second}, y, ns(40));
    if (stored) store(y);
  }
};

}  // namespace

TEST_CASE("an activity starts when what it reads is there", "[sim][machine]") {
  Example example;
  const StayId x = example.stay(0);
  const StayId t = example.stay(40);
  const StayId u = example.stay(0);
  const StayId y = example.stay(40);
  example.load(x);
  example.compute({x}, t);
  const ActivityId b = example.compute({t}, u);
  example.compute({u}, y);
  example.store(y);
  CHECK(example.times() == "[0, 80) [80, 120) [120, 160) [160, 200) [200, 280) 280");
  // u takes the bytes of x, but t is ready no sooner: reuse is hidden behind data.
  CHECK(example.causeOf(b).rule == WaitRule::data);
}

TEST_CASE("flows that share a port slow down alike", "[sim][machine]") {
  CHECK(SecondInput(80).times() ==
        "[0, 80) [80, 140) [80, 200) [140, 200) [200, 280) [280, 360) 360");
}

TEST_CASE("a port shared fairly gives all the same bytes a second", "[sim][machine]") {
  SecondInput example(80);
  example.list.contention = Contention::fair;
  CHECK(example.times() == "[0, 80) [80, 160) [80, 160) [160, 200) [200, 280) [280, 360) 360");
  SecondInput reused(0);
  reused.list.contention = Contention::fair;
  CHECK(reused.times().ends_with(" 360"));
}

// a has L2 to itself until 120, then z, which is earlier in the program than b.
TEST_CASE("a port served in order is of the earlier one first", "[sim][machine]") {
  SecondInput example(80);
  example.list.contention = Contention::inOrder;
  CHECK(example.times() == "[0, 80) [80, 120) [80, 200) [120, 200) [200, 280) [280, 360) 360");
}

TEST_CASE("without contention nobody slows down", "[sim][machine]") {
  SecondInput example(80);
  example.list.contention = Contention::none;
  CHECK(example.times() == "[0, 80) [80, 120) [80, 160) [120, 160) [160, 240) [240, 320) 320");
}

TEST_CASE("a reused byte is an order", "[sim][machine]") {
  const SecondInput example(0);
  CHECK(example.times() == "[0, 80) [80, 120) [120, 220) [120, 180) [220, 300) [300, 380) 380");
  CHECK(example.causeOf(example.z) == Cause{WaitRule::reuse, example.a});
}

TEST_CASE("an order may help: it holds a move back until the port is idle", "[sim][machine]") {
  CHECK(SecondInput(0, false, ns(200)).times() ==
        "[0, 80) [80, 120) [120, 200) [120, 320) [320, 400) 400");
  CHECK(SecondInput(120, false, ns(200)).times() ==
        "[0, 80) [80, 140) [80, 180) [140, 340) [340, 420) 420");
}

TEST_CASE("an in-order device starts nothing before what precedes it", "[sim][machine]") {
  Example example;
  example.list.devices[0].issue = GENERATE(Issue::parallel, Issue::inOrder, Issue::sequential);
  const StayId x = example.stay(0);
  const StayId y = example.stay(40);
  example.load(x);
  example.compute({x}, y);
  const ActivityId late = example.load(example.stay(80));  // Nothing holds it but the issue.
  const Cause cause = example.causeOf(late);
  switch (example.list.devices[0].issue) {
    case Issue::parallel:
      CHECK(cause == Cause{WaitRule::channel, ActivityId(0)});
      break;
    case Issue::inOrder:
      CHECK(example.times() == "[0, 80) [80, 140) [80, 180) 180");
      CHECK(cause == Cause{WaitRule::channel, ActivityId(0)});
      break;
    case Issue::sequential:
      CHECK(example.times() == "[0, 80) [80, 120) [120, 200) 200");
      CHECK(cause == Cause{WaitRule::sequence, ActivityId(1)});
      break;
  }
}

TEST_CASE("an engine runs as many activities as it has channels", "[sim][machine]") {
  Example example;
  example.list.contention = Contention::none;
  example.list.engines[Example::dma].channels = 2;
  for (int i = 0; i < 5; ++i) example.load(example.stay(40 * i));
  CHECK(example.times() == "[0, 80) [0, 80) [80, 160) [80, 160) [160, 240) 240");
  CHECK(example.causeOf(ActivityId(4)) == Cause{WaitRule::channel, ActivityId(2)});
}

TEST_CASE("what has no length ends as it starts", "[sim][machine]") {
  Example example;
  const StayId x = example.stay(0);
  Activity nothing{.engine = Example::mac};
  nothing.accesses = {{x, {Bytes(), Bytes(40)}, true}};
  example.list.activities.add(nothing);
  const ActivityId then = example.compute({x}, example.stay(40));
  CHECK(example.times() == "[0, 0) [0, 40) 40");
  CHECK(example.causeOf(then) == Cause{WaitRule::data, ActivityId(0)});
}

namespace {

/// Any machine, and any activities on it: fast and slow ports, stays that meet in all ways, with
/// each kind of issue and contention.
ActivityList randomList(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t most) { return static_cast<std::int64_t>(random() % most); };
  const auto index = [&](std::size_t size) { return static_cast<std::size_t>(random() % size); };
  ActivityList list;
  list.contention = static_cast<Contention>(below(3));
  for (std::size_t i = 0; i < 2 + index(4); ++i) {
    const bool half = below(2) == 0;
    list.ports.push_back(
        {"p", below(8) == 0 ? 0 : 1 + below(4'000'000'000), half ? 1 + below(4'000'000'000) : 0});
  }
  for (std::size_t i = 0; i < 1 + index(3); ++i) {
    list.devices.push_back({"d", static_cast<Issue>(below(3))});
    list.engines.push_back(
        {"u", false, 1 + static_cast<std::uint32_t>(below(2)), 0, static_cast<std::uint32_t>(i)});
    list.engines.push_back({"m", true, 1 + static_cast<std::uint32_t>(below(3)),
                            below(2) == 0 ? 0 : 1 + below(2'000'000'000),
                            static_cast<std::uint32_t>(i)});
  }
  for (std::size_t i = 0; i < 3 + index(12); ++i) {
    const std::int64_t at = below(100);
    PlacedStay stay{.pool = PoolId(index(2)), .bytes = {Bytes(at), Bytes(at + 1 + below(60))}};
    if (i > 0 && below(6) == 0) stay.over = StayId(index(i));
    list.stays.add(stay);
  }
  const std::int64_t unit = below(2) == 0 ? 1 : 1'000;
  for (std::size_t i = 0; i < 1 + index(40); ++i) {
    Activity activity{.kind = static_cast<ActivityKind>(below(4))};
    activity.device = static_cast<std::uint32_t>(index(list.devices.size()));
    const bool compute = activity.kind == ActivityKind::compute;
    if (compute || below(4) > 0) activity.engine = 2 * activity.device + (compute ? 0 : 1);
    if (below(3) == 0) activity.fixed = SimTime(below(50) * unit);
    if (compute && below(4) > 0) activity.compute = SimTime(below(100) * unit);
    activity.bytes = Bytes(below(100));
    for (std::uint32_t port = 0; port < list.ports.size(); ++port) {
      if (below(2) == 0) activity.ports.push_back({port, Bytes(below(100)), Bytes(below(100))});
    }
    for (std::int64_t j = below(4); j > 0; --j) {
      const StayId stay(index(list.stays.size()));
      const std::int64_t size = list.stays[stay].bytes.length().count();
      const std::int64_t begin = below(static_cast<std::uint64_t>(size));
      activity.accesses.push_back(
          {stay,
           {Bytes(begin), Bytes(begin + 1 + below(static_cast<std::uint64_t>(size - begin)))},
           below(2) == 0});
    }
    if (i > 0 && below(5) == 0) activity.after.emplace_back(index(i));
    list.activities.add(activity);
  }
  return list;
}

}  // namespace

TEST_CASE("times and causes are what the rules say, on any machine", "[sim][machine][property]") {
  for (const std::uint64_t seed : test::Seeds(1'000)) {
    const ActivityList list = randomList(seed);
    const Execution run = execute(list, hazardsOf(list), list.contention);
    const std::vector<test::Verdict> verdicts = test::judgeTimes(list);
    for (const ActivityId id : list.activities.keys()) {
      CAPTURE(id.index());
      const auto& [start, end, cause] = verdicts[id.index()];
      REQUIRE(run.times[id].start == start);
      REQUIRE(run.times[id].end == end);
      REQUIRE(run.times[id].cause.has_value() == cause.has_value());
      if (cause) {
        REQUIRE(kWaitRuleNames[static_cast<std::size_t>(run.times[id].cause->rule)] ==
                kWaitRuleNames[static_cast<std::size_t>(cause->rule)]);
        REQUIRE(run.times[id].cause->activity.index() == cause->activity.index());
      }
    }
  }
}
