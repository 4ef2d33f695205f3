#include <sstream>

#include "core/base/text.h"
#include "core/import/samples.h"
#include "core/insight/latency_words.h"
#include "core/machine/platforms.h"
#include "core/plan_file/activities_writer.h"
#include "core/run/run.h"
#include "tests/support/graphs.h"
#include "tests/support/machine_judge.h"
#include "tests/support/methods.h"
#include "tests/support/must.h"
#include "tests/support/rounds.h"

using namespace hw;

namespace {

/// A device that does many things at once: two units, a DMA engine, ports that both ways share.
Platform busyBoard() {
  return parsePlatform(R"(name = "busy"
[[device]]
name = "npu"
ops = ["*"]
pool = [{name = "L2", bandwidth = "2GB/s", latency = "5ns"},
        {name = "L3", bandwidth = "1GB/s", latency = "20ns", burst = 64, duplex = "full"}]
dma = [{name = "dma", moves = ["L3>L2", "L2>L3"], channels = 2, setup = "10ns"}]
unit = [{name = "mac", ops = ["Conv", "Gemm", "MatMul"], clock = "1GHz", macs_per_cycle = 64},
        {name = "vector", ops = ["*"], clock = "1GHz", elements_per_cycle = 4, count = 2}]
)")
      .value();
}

std::shared_ptr<const Run> runOf(const std::shared_ptr<const Model>& model,
                                 const Platform& platform, const std::string& allocator) {
  return test::mustRun(model, test::requestOn(platform, allocator));
}

}  // namespace

TEST_CASE("samples run as the rules say on every platform", "[sim][machine][samples]") {
  std::vector<Platform> platforms = platformCatalog();
  for (const Contention contention :
       {Contention::proportional, Contention::fair, Contention::none, Contention::inOrder}) {
    platforms.push_back(busyBoard());
    platforms.back().contention = contention;
  }
  for (const SampleInfo& info : sampleCatalog()) {
    const auto model = test::sample(info.name);
    if (model->graph->ops.size() > 120) continue;
    for (const Platform& platform : platforms) {
      for (const std::string allocator : {"free-list", "greedy-by-size"}) {
        CAPTURE(info.name, platform.name, allocator);
        CHECK(test::judgeFault(runOf(model, platform, allocator)->timing) == "");
      }
    }
  }
}

TEST_CASE("random graphs run as the rules say on every platform", "[sim][machine]") {
  std::vector<Platform> platforms = platformCatalog();
  platforms.push_back(busyBoard());
  platforms.push_back(busyBoard());
  platforms.back().contention = Contention::inOrder;
  const std::vector<std::string> allocators = {"free-list", "greedy-by-size", "block-id", "best",
                                               "partition:allocator=greedy-by-size"};
  for (std::uint32_t seed = 1; seed <= test::rounds(1000); ++seed) {
    const auto model = test::modelOf(test::randomGraph(seed, 25));
    RunRequest request{.platform = platforms[seed % platforms.size()]};
    const std::string& allocator = allocators[seed / platforms.size() % allocators.size()];
    request.allocator = AllocatorChoice::parse(allocator).value();
    // Little room, so that some of it is far; with and without views, which make ops idle.
    request.l2 = {.kind = PoolSize::Kind::bytes, .bytes = Bytes(160)};
    request.alignment = Bytes(16);
    if (seed % 2 == 0) request.alias = AliasRules::none();
    request.residency = residencyCatalog()[seed % residencyCatalog().size()].rule;
    request.weights = {.rule = static_cast<WeightRule>(seed / 3 % 4),
                       .ahead = static_cast<std::int64_t>(seed % 5)};
    if (seed % 2 == 1) request.inputs = InputPlace::loaded;
    if (seed % 6 == 0) request.inputs = InputPlace::near;
    if (seed % 4 == 0) request.outputs = OutputPlace::near;
    CAPTURE(seed, request.platform.name, allocator, static_cast<int>(request.residency),
            static_cast<int>(request.weights.rule));
    CHECK(test::judgeFault(test::mustRun(model, request)->timing) == "");
  }
}

// Two loads at half speed end later than the first of them alone would.
TEST_CASE("more channels are rarely slower where flows are served in order", "[sim][machine]") {
  const auto slower = [](Contention contention) {
    int count = 0;
    for (std::uint32_t seed = 1; seed <= test::rounds(120); ++seed) {
      const auto model = test::modelOf(test::randomGraph(seed, 25));
      RunRequest request{.platform = busyBoard()};
      request.platform.contention = contention;
      request.allocator = AllocatorChoice::parse("greedy-by-size").value();
      request.l2 = {.kind = PoolSize::Kind::bytes, .bytes = Bytes(160)};
      request.alignment = Bytes(16);
      request.residency = ResidencyRule::lru;
      request.weights = {.rule = WeightRule::prefetch, .ahead = 2};
      const SimTime two = test::mustRun(model, request)->timing.makespan;
      request.platform.devices.front().dma.front().channels = 1;
      if (two > test::mustRun(model, request)->timing.makespan) ++count;
    }
    return count;
  };
  const int alike = slower(Contention::proportional);
  const int inOrder = slower(Contention::inOrder);
  CAPTURE(alike, inOrder);
  CHECK(alike >= test::atLeast(12));
  CHECK(4 * inOrder <= alike);
}

TEST_CASE("one thing after the other takes the sum of all, on every platform",
          "[sim][machine][samples]") {
  std::uint64_t pairs = 0;
  for (Platform platform : platformCatalog()) {
    platform.contention = Contention::proportional;
    for (DeviceSpec& device : platform.devices) {
      device.issue = Issue::sequential;
      for (PoolSpec& pool : device.pools) pool.fullDuplex = false;
    }
    for (const SampleInfo& info : sampleCatalog()) {
      if (!test::isTried(pairs++)) continue;
      CAPTURE(info.name, platform.name);
      const auto run = runOf(test::sample(info.name), platform, "greedy-by-size");
      const Timing& timing = run->timing;
      SimTime now;
      for (const ActivityId id : timing.activities.activities.keys()) {
        const ActivityTime& time = timing.times[id];
        REQUIRE(time.start == now);
        REQUIRE(time.end == now + timing.activities.activities[id].fixed + time.flow);
        now = time.end;
      }
      CHECK(timing.makespan == now);
      for (const OpTiming& op : timing.ops) {
        SimTime longest = op.compute;
        for (const SimTime memory : op.memory) longest = std::max(longest, memory);
        REQUIRE(op.time.length() == longest + op.latency);
      }
      CHECK(run->trace.events() == run->plan.story);
    }
  }
}

TEST_CASE("a run that does many things at once tells its own story", "[sim][machine][samples]") {
  for (const SampleInfo& info : sampleCatalog()) {
    const auto model = test::sample(info.name);
    if (model->graph->ops.empty()) continue;
    CAPTURE(info.name);
    const auto run = runOf(model, busyBoard(), "greedy-by-size");
    CHECK_FALSE(run->timing.activities.sequential());
    CHECK(run->timing.digest == runOf(model, busyBoard(), "greedy-by-size")->timing.digest);
    // Bytes are in use while something touches them: never more than the plan reserves.
    for (const PoolId pool : run->problem.pools.keys()) {
      CHECK(run->trace.usage(pool, 0, run->trace.size()).high <= run->plan.footprint(pool));
    }
    for (std::size_t i = 1; i < run->trace.size(); ++i) {
      REQUIRE(run->trace.timeOf(i - 1) <= run->trace.timeOf(i));
    }
    // Memory as an op finds it: what it reads is there, and what it makes is not yet.
    for (Step step; step < run->schedule.steps(); step += Step(1)) {
      REQUIRE(run->trace.indexOfStep(step) <= run->trace.size());
    }
    REQUIRE(run->trace.indexOfStep(run->schedule.steps()) == run->trace.size());
  }
}

TEST_CASE("what takes longer because of reuse is said in words", "[sim][machine]") {
  bool waits = false;
  for (const SampleInfo& info : sampleCatalog()) {
    const auto run = runOf(test::sample(info.name), busyBoard(), "greedy-by-size");
    const auto& times = run->timing.times;
    for (const ActivityId id : times.keys()) {
      const auto& cause = times[id].cause;
      if (!cause || cause->rule != WaitRule::reuse) continue;
      CAPTURE(info.name, id.index());
      waits = true;
      const std::string words = causeWords(*run, id);
      REQUIRE(words.starts_with("waits " + formatTime(times[id].start - times[id].ready)));
      // The tensor that it names knows of it, too.
      bool told = false;
      for (const Access& access : run->timing.activities.activities[cause->activity].accesses) {
        const std::string bytes = " for bytes of " + run->stayName(access.stay);
        told |= words.ends_with(bytes) &&
                reuseWordsOf(*run, access.stay).find("for its bytes") != std::string::npos;
      }
      REQUIRE(told);
    }
    if (!times.empty()) CHECK(run->timing.account.criticalPath.size() <= times.size());
  }
  CHECK(waits);
}

TEST_CASE("activities are written with all that their times follow from", "[sim][machine]") {
  const auto model = std::make_shared<const Model>(openModel("samples:chain", {}).value());
  const auto run = runOf(model, busyBoard(), "greedy-by-size");
  std::ostringstream json;
  writeActivities(*run, ActivitiesFormat::json, json);
  const auto read = test::must(parseJson(json.str()));
  CHECK(read["contention"] == "proportional");
  CHECK(read["ports"].size() == 3);  // L3 is one each way.
  CHECK(read["engines"].size() == 3);
  CHECK(read["engines"][1]["channels"] == 2);
  CHECK(read["makespan_ps"] == run->timing.makespan.count());
  REQUIRE(read["activities"].size() == run->timing.times.size());
  CHECK(read["activities"][1]["cause"] == ParsedJson{{"rule", "data"}, {"activity", 0}});
  std::ostringstream csv;
  writeActivities(*run, ActivitiesFormat::csv, csv);
  CHECK(
      csv.str().starts_with("id,kind,name,step,device,engine,start_ps,end_ps,fixed_ps,flow_ps,"
                            "slowed_ps,bytes,rule,cause,cause_id\n0,compute,"));
  std::ostringstream lines;
  writeActivities(*run, ActivitiesFormat::jsonLines, lines);
  CHECK(parseJson(lines.str().substr(0, lines.str().find('\n'))).has_value());
}
