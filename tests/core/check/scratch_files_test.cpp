// Scratch in files: who has some is read back as it was written.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "core/import/importer.h"
#include "core/plan_file/plan_writer.h"
#include "core/report/model/graph_writer.h"
#include "tests/support/depthwise_chain.h"

using namespace hw;
using namespace hw::test;

TEST_CASE("a plan CSV says who has scratch, and numbers do not shift", "[by-channel]") {
  // Two rows of the large image are nearer to its input than a plane; of the small one they are
  // not.
  DepthwiseChain chain({.channels = 2}, 9);
  chain.point();
  chain.depthwise(1);
  chain.depthwise(3);
  chain.point();
  chain.depthwise(1);
  chain.point();
  const auto model = std::move(chain).done();
  RunRequest request = planningRequest();
  request.alias = AliasRules::all();
  request.alignment = Bytes(1);
  request.overlap = true;
  for (UnitSpec& unit : request.platform.devices.front().units) unit.kernels = {true, true};
  const auto run = execute(model, request, {}).value();
  const auto scratch = scratchIn(*run);
  REQUIRE(scratch.size() == 1);
  const auto made = [](const Op& op) { return op.type == "DEPTHWISE_CONV_2D"; };
  REQUIRE(std::ranges::count_if(run->graph().ops, made) == 3);
  std::ostringstream file;
  writePlanCsv(*run, file);
  const TensorId last = model->graph->ops[OpId(4)].outputs[0];
  CHECK(file.str().find(fmt::format("\nt{}+scratch,", last.index())) != std::string::npos);
  CHECK(file.str().find(fmt::format("\nt{},", model->graph->tensors.size())) == std::string::npos);
  CHECK(firstFinding(model, *run, writePlanCsv) == "");
  // Scratch of an op that needs none is no tensor.
  const auto plan = readPlan("id,offset\nt0+scratch,0\n");
  REQUIRE(plan);
  CHECK(auditPlan(model, *plan, {}).findings.size() > 0);
}

TEST_CASE("a graph with scratch is read back as it was written", "[by-channel][import]") {
  const auto run = runOf(threeOps({}));
  std::ostringstream out;
  writeGraphJson(run->graph(), out);
  const std::string text = out.str();
  const auto again = importModel(text, "again.json", {});
  REQUIRE(again);
  CHECK(scratchOf(*again->graph, again->graph->ops[OpId(1)]));
  const auto replanned = runOf(std::make_shared<const Model>(*again));
  CHECK(scratchIn(*replanned).size() == 1);
  CHECK(firstFault(*replanned) == "");
  CHECK(replanned->plan.footprint(PoolId(0)) == run->plan.footprint(PoolId(0)));
  // Read by somebody, it is no scratch.
  std::string read = text;
  const std::string w = R"("t1","w2")";
  const auto at = read.find(w);
  REQUIRE(at != std::string::npos);
  read.replace(at, w.size(), R"("t1","t1 scratch")");
  const auto refused = importModel(read, "read.json", {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("nor scratch") != std::string::npos);
}
