// best:for=latency, from the model to the run.
#include "core/latency/hasten_plan.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "core/run/run.h"
#include "tests/support/graphs.h"

using namespace hw;

namespace {

Platform sideBySide() {
  return parsePlatform(R"(name = "side by side"
[[device]]
name = "npu"
ops = ["*"]
pool = [{name = "L2", bandwidth = "64GB/s", duplex = "full"},
        {name = "L3", bandwidth = "8GB/s"}]
dma = [{name = "dma", moves = ["L3>L2"], setup = "100ns"}]
unit = [{name = "mac", ops = ["Conv", "Gemm", "MatMul"], clock = "1GHz", macs_per_cycle = 256},
        {name = "vector", ops = ["*"], clock = "1GHz", elements_per_cycle = 4}]
)")
      .value();
}

std::shared_ptr<const Run> runOf(const std::string& model, const std::string& allocator,
                                 std::optional<Bytes> capacity,
                                 const Platform& platform = sideBySide()) {
  RunRequest request{.allocator = AllocatorChoice::parse(allocator).value(), .platform = platform};
  request.alias = AliasRules::none();
  request.weights = {.rule = WeightRule::prefetch};
  request.inputs = InputPlace::loaded;
  if (capacity) request.l2 = {.kind = PoolSize::Kind::bytes, .bytes = *capacity};
  auto opened = openModel(model, {}).value();
  return execute(std::make_shared<const Model>(std::move(opened)), request, {}).value();
}

}  // namespace

TEST_CASE("within what the lowest plan needs, one is found that is faster", "[latency][samples]") {
  for (const char* model : {"samples:squeezenet", "samples:mobilenet_v2"}) {
    CAPTURE(model);
    const auto lowest = runOf(model, "best", std::nullopt);
    const Bytes capacity = lowest->plan.footprint(PoolId(0));
    const auto fast = runOf(model, "best:for=latency,nodes=5000", capacity);
    REQUIRE(fits(*fast));
    CHECK(fast->plan.footprint(PoolId(0)) <= capacity);
    CHECK(fast->timing.makespan < lowest->timing.makespan);
    // What the search measured is what the simulator says.
    const auto& rows = fast->plan.tables.back().rows;
    REQUIRE(fast->plan.tables.back().name == kHasteTable);
    CHECK(std::get<std::int64_t>(rows.back()[1]) == fast->timing.makespan.count());
    CHECK(std::get<std::int64_t>(rows.back()[2]) <= fast->timing.makespan.count());
    const auto idle = runOf(model, "idle-longest", capacity);
    if (fits(*idle) && idle->problem.stays.size() == fast->problem.stays.size()) {
      CHECK(fast->timing.makespan <= idle->timing.makespan);
    }
    CHECK(fast->plan.notes.front().find("proved: no plan with these stays and moves within") !=
          std::string::npos);
    const auto again = runOf(model, "best:for=latency,nodes=5000", capacity);
    CHECK(again->plan.addresses == fast->plan.addresses);
  }
}

TEST_CASE("where one thing follows the other no addresses are faster", "[latency]") {
  Platform one = sideBySide();
  one.devices.front().issue = Issue::sequential;
  const auto run = runOf("samples:squeezenet", "best:for=latency", std::nullopt, one);
  const auto lowest = runOf("samples:squeezenet", "best", std::nullopt, one);
  CHECK(run->plan.addresses == lowest->plan.addresses);
  CHECK(std::ranges::any_of(run->plan.notes, [](const std::string& note) {
    return note.find("one thing follows the other") != std::string::npos;
  }));
}

TEST_CASE("a graph all of whose tensors live outside has nothing to search for", "[latency]") {
  const Graph graph = test::drawnGraph({.tensors = {{"x", 60}, {"y", 30}},
                                        .inputs = {"x"},
                                        .ops = {"Conv x -> y"},
                                        .outputs = {"y"}});
  RunRequest request{.allocator = AllocatorChoice::parse("best:for=latency").value(),
                     .platform = sideBySide()};
  request.inputs = InputPlace::external;
  request.outputs = OutputPlace::external;
  const auto run = execute(test::modelOf(graph), request, {}).value();
  CHECK(run->problem.stays.size() == 0);
  CHECK(run->timing.makespan > SimTime());
}

TEST_CASE("the far memory is packed low, too", "[latency]") {
  const Graph graph = test::drawnGraph({.tensors = {{"x", 60}, {"a", 101}, {"b", 70}, {"y", 30}},
                                        .inputs = {"x"},
                                        .ops = {"Conv x -> a", "Custom a -> b", "Conv b -> y"},
                                        .outputs = {"y"}});
  RunRequest request{.allocator = AllocatorChoice::parse("best:for=latency").value(),
                     .platform = sideBySide(),
                     .l2 = {.kind = PoolSize::Kind::bytes, .bytes = Bytes(100)},
                     .alignment = Bytes(1)};
  request.platform.devices.front().pools.back().capacity = Bytes(1 << 30);
  const auto run = execute(test::modelOf(graph), request, {}).value();
  Bytes far;
  for (const StayId id : run->problem.stays.keys()) {
    if (run->plan.addresses[id]->pool == PoolId(1)) far += run->problem.stays[id].size;
  }
  CHECK(far > Bytes());
  CHECK(run->plan.footprint(PoolId(1)) <= far);
}

TEST_CASE("a problem without operators says that nobody knows how long it takes", "[latency]") {
  Problem problem;
  problem.pools = {{.name = "L2"}};
  problem.steps = Step(1);
  problem.stays.add({.buffer = BufferId(0), .steps = {Step(0), Step(1)}, .size = Bytes(4)});
  const auto choice = AllocatorChoice::parse("best:for=latency").value();
  const Plan plan = choice.make()->plan(problem, {}).value();
  CHECK(plan.notes.back().find("lowest plan") != std::string::npos);
}

TEST_CASE("explain says that all was moved for the latency's sake", "[latency]") {
  const auto lowest = runOf("samples:squeezenet", "best", std::nullopt);
  const auto run =
      runOf("samples:squeezenet", "best:for=latency,nodes=2000", lowest->plan.footprint(PoolId(0)));
  const Decision decision =
      run->request.allocator.make()->explain(run->problem, run->plan, StayId(3));
  CHECK(decision.when.find("waits long for reused bytes") != std::string::npos);
  REQUIRE(decision.chosen());
  CHECK(decision.chosen()->address == run->plan.addresses[StayId(3)]);
}
