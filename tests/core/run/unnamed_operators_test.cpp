#include <catch2/catch.hpp>

#include "core/import/plans/planned_rows.h"
#include "core/import/plans/unknown_parts.h"
#include "core/machine/platforms.h"
#include "core/picture/axis.h"
#include "core/report/run/simulation_report.h"
#include "core/run/figures.h"

using namespace hw;

namespace {

std::shared_ptr<const Run> runOf(std::vector<std::string> unknown, const std::string& platform) {
  PlannedRows rows{.format = "tflm-log", .unknown = std::move(unknown)};
  rows.rows = {{.name = "a", .first = 0, .last = 1, .size = Bytes(64), .offset = Bytes(0)},
               {.name = "b", .first = 1, .last = 2, .size = Bytes(32), .offset = Bytes(64)}};
  RunRequest request = defaultRequest();
  request.allocator = AllocatorChoice::parse("embedded").value();
  request.platform = openPlatform(platform).value();
  const auto model = std::make_shared<const Model>(planModel(std::move(rows)).value());
  return execute(model, request, {}).value();
}

}  // namespace

TEST_CASE("a plan whose file names no operators has no latency", "[run][figures]") {
  const std::string platform = GENERATE("generic-npu", "ethos-u65-512");
  CAPTURE(platform);
  const auto unnamed = runOf({"names", "operators"}, platform);
  CHECK_FALSE(namesOperators(unnamed->graph()));
  CHECK_FALSE(figuresOf(*unnamed).latency);
  CHECK_FALSE(figuresOf(*unnamed).moved);
  CHECK_FALSE(isTimed(*unnamed));
  CHECK(simulationJson(*unnamed)["makespan_ps"].is_null());
  // Its memory is shown all the same.
  CHECK(unnamed->timeline.size() >= 4);
  CHECK(unnamed->plan.footprint(PoolId(0)) == Bytes(96));
  const auto named = runOf({"names", "the lives of 2 buffers"}, platform);
  CHECK(namesOperators(named->graph()));
  CHECK(figuresOf(*named).latency);
}
