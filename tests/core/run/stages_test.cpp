// What holds of a run as a whole: its stages, its request, and who has which memory.
#include "core/run/stages.h"

#include "core/machine/platforms.h"
#include "core/plan/validate.h"
#include "core/run/figures.h"
#include "core/run/run.h"
#include "tests/support/graphs.h"
#include "tests/support/large_models.h"
#include "tests/support/methods.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

namespace hw {
using namespace hw::test;

namespace {

using namespace hw::literals;

/// One device with memories of `capacities` bytes, the nearest first.
Platform machineOf(const std::vector<std::int64_t>& capacities) {
  Platform platform = platformCatalog().front();
  platform.devices.resize(1);
  PoolSpec pool = platform.devices[0].pools[0];
  pool.reserved = Bytes();
  pool.alignment = Bytes(1);
  platform.devices[0].pools.clear();
  for (const std::int64_t capacity : capacities) {
    pool.name = "M" + std::to_string(platform.devices[0].pools.size());
    pool.capacity = Bytes(capacity);
    platform.devices[0].pools.push_back(pool);
  }
  return platform;
}

RunRequest boundedBy(std::int64_t l2, std::int64_t l3) {
  RunRequest request = workedRequest("exact");
  request.l2 = {PoolSize::Kind::bytes, Bytes(l2)};
  request.l3 = {PoolSize::Kind::bytes, Bytes(l3)};
  return request;
}

}  // namespace

TEST_CASE("progress names every stage, in order, and never goes back", "[stages]") {
  std::vector<std::string> named;
  double last = 0;
  const RunContext context{.progress = [&](double fraction, const std::string& what) {
    CHECK(fraction >= last);
    last = fraction;
    named.push_back(what);
  }};
  REQUIRE(execute(test::sample("chain"), test::workedRequest("exact"), context));
  CHECK(last == 1);
  auto next = named.begin();
  for (const RunStage& stage : stageCatalog()) {
    CAPTURE(stage.name);
    next = std::find(next, named.end(), stage.name);
    CHECK(next != named.end());
  }
}

TEST_CASE("a simulation stops where it is told to", "[stages][large]") {
  const auto operators = static_cast<int>(test::rounds(100'000));
  const auto model = test::must(importModel(chainTflite(operators), "chain.tflite", {}));
  RunRequest request = test::workedRequest("greedy-by-size");
  request.platform = *findPlatform("ethos-u55-256");
  std::stop_source source;
  int calls = 0;
  int last = 0;  // At this call it is stopped; 0: never.
  const RunContext context{.stop = source.get_token(),
                           .progress = [&](double, const std::string& what) {
                             if (what == "simulating" && ++calls == last) source.request_stop();
                           }};
  const auto shared = std::make_shared<const Model>(model);
  REQUIRE(execute(shared, request, context));
  CHECK(calls > operators / 4096);
  last = std::exchange(calls, 0) / 2;
  const auto stopped = execute(shared, request, context);
  REQUIRE_FALSE(stopped);
  CHECK(stopped.error().code == ErrorCode::stopped);
  CHECK(calls < last + 5);  // Once more for each run that the account would make, and for the rest.
}

TEST_CASE("no stage writes into the request", "[stages]") {
  for (const char* allocator : {"partition", "embedded", "block-id", "placement-search"}) {
    CAPTURE(allocator);
    RunRequest request = test::workedRequest(allocator);
    request.alias = AliasRules::all();
    const auto run = test::mustRun(test::sample("residual"), request);
    CHECK(run->request.alias == AliasRules::all());
    CHECK(run->request.plansInputs());
    CHECK(run->sharing.alias == AliasRules::all());
    CHECK(run->sharing.planInputs == (std::string_view(allocator) != "block-id"));
  }
}

TEST_CASE("a planning problem has the identity storage", "[stages]") {
  const Problem problem = test::randomProblem(3, {.stays = 20});
  const auto run = test::runProblem(problem);
  REQUIRE(run->storage.isIdentity());
  for (const StayId id : run->problem.stays.keys()) {
    const TensorId tensor = run->stayTensor(id);
    const BufferId buffer = run->storage.bufferOf(tensor);
    CHECK(buffer == run->problem.stays[id].buffer);
    CHECK(run->storage.offsetOf(tensor) == 0_B);
    CHECK(run->storage.tensorsOf(buffer) == std::vector{tensor});
  }
}

TEST_CASE("residency fills any number of memories, the nearest first", "[stages][residency]") {
  // x4, t0 16, t1 10, t2 5, y2 in a row: 26 bytes are live at step 1.
  for (const char* allocator : {"best", "greedy-by-size", "two-sided", "free-list"}) {
    CAPTURE(allocator);
    RunRequest request = test::workedRequest(allocator);
    request.platform = machineOf({10, 16, 1000});
    request.l2.kind = request.l3.kind = PoolSize::Kind::platform;
    const auto run = test::mustRun(test::sample("chain"), request);
    CHECK(fits(*run));
    CHECK(validate(run->problem, run->plan).empty());
    CHECK(run->plan.footprint(PoolId(0)) > 0_B);
    CHECK(run->plan.footprint(PoolId(1)) > 0_B);
    CHECK(run->plan.footprint(PoolId(2)) == 0_B);
    CHECK(figuresOf(*run).peakL2 == run->plan.footprint(PoolId(0)));
  }
}

TEST_CASE("an offline plan fits three memories however small the first two are",
          "[stages][residency][property]") {
  for (const std::uint64_t seed : test::Seeds(40)) {
    test::Dice dice(seed);
    RunRequest request = test::workedRequest(seed % 2 == 0 ? "greedy-by-size" : "two-sided");
    request.platform = machineOf({dice.roll(0, 200), dice.roll(0, 200), 1 << 20});
    request.l2.kind = request.l3.kind = PoolSize::Kind::platform;
    const auto model = test::modelOf(test::randomGraph(seed, 30));
    const auto run = test::mustRun(model, request);
    CHECK(fits(*run));
    CHECK(validate(run->problem, run->plan).empty());
  }
}

TEST_CASE("a bare problem is spilled only to an L3 that was asked for", "[stages][fits]") {
  const auto model =
      std::make_shared<Model>(*test::runProblem(test::problemOf({{60, 0, 2}, {40, 1, 2}}))->model);
  RunRequest request = test::workedRequest("greedy-by-size");
  request.l2 = {PoolSize::Kind::bytes, 70_B};
  for (const PoolSize assumed :
       {PoolSize{}, PoolSize{.kind = PoolSize::Kind::unbounded, .assumed = true}}) {
    request.l3 = assumed;
    const auto run = test::mustRun(model, request);
    CHECK(run->problem.pools.size() == 1);
    CHECK(run->plan.status == PlanStatus::overBudget);
    CHECK_FALSE(fits(*run));
  }
  for (const PoolSize asked :
       {PoolSize{PoolSize::Kind::unbounded}, PoolSize{PoolSize::Kind::bytes, 60_B}}) {
    request.l3 = asked;
    const auto run = test::mustRun(model, request);
    CHECK(fits(*run));
    CHECK(run->plan.footprint(PoolId(1)) > 0_B);
  }
}

TEST_CASE("every allocator places what a partition asks of it", "[stages][devices]") {
  const auto partition = findAllocator("partition");
  REQUIRE(partition);
  const ParamSpec& nested = (*partition)->params.front();
  for (const AllocatorInfo& info : allocatorCatalog()) {
    CAPTURE(info.name);
    const bool offered = std::ranges::find(nested.choices, info.name) != nested.choices.end();
    CHECK(offered == (info.way == Way::direct));
    if (!offered) continue;
    RunRequest request = test::workedRequest("partition:allocator=" + std::string(info.name));
    request.platform = *findPlatform("two-devices");
    request.timeLimit = 0.05;
    const auto run = test::mustRun(test::sample("two_devices"), request);
    CHECK(validate(run->problem, run->plan).empty());
    CHECK(fits(*run));
    CHECK(run->problem.pools.size() > 2);
  }
}

TEST_CASE("a plan without its simulation is the same plan", "[run]") {
  const std::uint64_t seed = GENERATE(range(1U, 6U));
  CAPTURE(seed);
  const Problem problem =
      test::randomProblem(seed, {.stays = 40, .alignedPercent = 30, .gapPercent = 20});
  const auto whole = test::runProblem(problem);
  REQUIRE(whole->trace.size() > 0);
  const auto once = test::must(executeOnce(*whole->model, whole->request, {.simulate = false}));
  const Run& run = *once;
  CHECK(run.plan.status == whole->plan.status);
  CHECK(run.plan.addresses == whole->plan.addresses);
  CHECK(run.problem.stays.size() == problem.stays.size());
  CHECK(run.metrics.lowerBound == whole->metrics.lowerBound);
  CHECK(run.metrics.reuse == whole->metrics.reuse);
  CHECK(run.metrics.pools[PoolId(0)].peak == whole->metrics.pools[PoolId(0)].peak);
  CHECK(run.trace.size() == 0);
  CHECK(run.timeline.empty());
  CHECK(run.model->problem->stays.empty());
}

TEST_CASE("an offline plan that nobody plays has no story", "[run]") {
  const auto whole = test::runProblem(test::randomProblem(1));
  RunRequest request = whole->request;
  request.allocator = *AllocatorChoice::parse("fast");
  const auto once = test::must(executeOnce(*whole->model, request, {.simulate = false}));
  CHECK(once->plan.story.empty());
  CHECK_FALSE(execute(whole->model, request, {}).value()->plan.story.empty());
}

// x4, t0 16, t1 10, t2 5, y2 in a row: 26 bytes are live at step 1.
TEST_CASE("a spilled plan is called optimal only where no choice of spills is better",
          "[planner]") {
  const auto whole = mustRun(sample("chain"), boundedBy(26, 64));
  CHECK(whole->plan.status == PlanStatus::optimal);
  CHECK(whole->plan.footprint(PoolId(1)) == Bytes());
  const auto spilled = mustRun(sample("chain"), boundedBy(17, 64));
  REQUIRE(spilled->plan.footprint(PoolId(1)) > Bytes());
  const Bytes sum = spilled->plan.footprint(PoolId(0)) + spilled->plan.footprint(PoolId(1));
  CHECK((spilled->plan.status == PlanStatus::optimal) == (sum == Bytes(26)));
}

TEST_CASE("impossible is what no choice of spills can make fit", "[planner]") {
  const auto run = mustRun(sample("chain"), boundedBy(12, 8));
  CHECK(run->metrics.lowerBound == Bytes(26));
  CHECK(run->plan.status == PlanStatus::infeasible);
  // 28 bytes for 26: what is spilled first does not fit below 10, but that proves nothing.
  const auto tight = mustRun(sample("chain"), boundedBy(18, 10));
  CHECK(tight->plan.status != PlanStatus::infeasible);
}

}  // namespace hw
