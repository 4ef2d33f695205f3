#include <catch2/catch.hpp>
#include <set>

#include "core/machine/platforms.h"
#include "core/run/run.h"
#include "core/sim/cost_model.h"
#include "tests/support/graphs.h"
#include "tests/support/methods.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

using namespace hw;

namespace {

/// One unit beside a DMA engine; half duplex, so that copies and ops slow each other down.
Platform engineBoard() {
  return parsePlatform(R"(name = "engine"
[[device]]
name = "npu"
ops = ["*"]
pool = [{name = "L2", bandwidth = "4GB/s"},
        {name = "L3", bandwidth = "1GB/s", latency = "20ns"}]
dma = [{name = "dma", moves = ["L3>L2", "L2>L3"]}]
unit = [{name = "core", ops = ["*"], clock = "1GHz", elements_per_cycle = 2}]
)")
      .value();
}

std::shared_ptr<const Run> runWith(const Graph& graph, ResidencyRule rule, std::int64_t l2) {
  const auto model = test::modelOf(graph);
  RunRequest request = test::requestOn(engineBoard(), "greedy-by-size");
  request.l2 = {PoolSize::Kind::bytes, Bytes(l2)};
  request.alignment = Bytes(1);
  request.residency = rule;
  // What the other rules do anyway.
  request.inputs = InputPlace::loaded;
  request.outputs = OutputPlace::stored;
  return test::mustRun(model, request);
}

}  // namespace

TEST_CASE("the best residency is as fast as the fastest, and the same every time",
          "[residency][property]") {
  std::set<std::string> winners;
  for (const std::uint64_t seed : test::Seeds(40)) {
    const Graph graph = test::randomGraph(seed, 25);
    const auto l2 = test::Dice(seed).roll(50, 500);
    CAPTURE(l2);
    const auto best = runWith(graph, ResidencyRule::best, l2);
    SimTime fastest = kMaxTime;
    for (const ResidencyInfo& info : residencyCatalog()) {
      if (info.rule == ResidencyRule::best) continue;
      const SimTime time = runWith(graph, info.rule, l2)->timing.makespan;
      if (info.rule != ResidencyRule::exact) fastest = std::min(fastest, time);
      CAPTURE(info.name);
      if (info.rule != ResidencyRule::exact) CHECK(best->timing.makespan <= time);
    }
    CHECK(best->timing.makespan == fastest);
    CHECK(runWith(graph, ResidencyRule::best, l2)->timing.digest == best->timing.digest);
    REQUIRE_FALSE(best->plan.notes.empty());
    const std::string& note = best->plan.notes.back();
    winners.insert(note.substr(0, note.find(" is the fastest")));
  }
  // Otherwise one rule would do.
  CHECK(winners.size() >= 3);
}

TEST_CASE("graph inputs and outputs that live outside are nobody's to move", "[residency]") {
  const auto model = test::modelOf(test::residualGraph());
  RunRequest request{.allocator = AllocatorChoice::parse("greedy-by-size").value(),
                     .platform = engineBoard(),
                     .inputs = InputPlace::external,
                     .outputs = OutputPlace::external,
                     .residency = ResidencyRule::best};
  const auto run = execute(model, request, {}).value();
  CHECK(run->problem.moves.empty());
}
