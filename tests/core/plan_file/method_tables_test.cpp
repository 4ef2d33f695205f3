#include "core/plan_file/method_tables.h"

#include <sstream>

#include "core/allocators/search_report.h"
#include "core/plan_file/plan_reader.h"
#include "core/plan_file/plan_writer.h"
#include "tests/support/methods.h"
#include "tests/support/printers.h"

namespace hw {
namespace {

std::string planJson(const Run& run) {
  std::ostringstream out;
  writePlanJson(run, out);
  return out.str();
}

}  // namespace

TEST_CASE("the tables of a method leave with its plan, after everything else", "[plan_json]") {
  const std::string allocator = GENERATE("block-id", "two-sided", "placement-search", "partition");
  CAPTURE(allocator);
  const auto run = test::mustRun(test::sample("residual"), test::workedRequest(allocator));
  REQUIRE_FALSE(run->plan.tables.empty());
  const Json json = Json::parse(planJson(*run));
  CHECK(std::prev(json.end()).key() == "tables");
  REQUIRE(json["tables"].size() == run->plan.tables.size());
  for (std::size_t i = 0; i < run->plan.tables.size(); ++i) {
    const MethodTable& table = run->plan.tables[i];
    CHECK(json["tables"][i]["name"] == table.name);
    auto columns = table.columns;
    std::erase(columns, kWallTimeColumn);  // No two runs agree on it.
    CHECK(json["tables"][i]["columns"] == Json(columns));
    REQUIRE(json["tables"][i]["rows"].size() == table.rows.size());
    for (const auto& row : json["tables"][i]["rows"]) CHECK(row.size() == columns.size());
  }
  CHECK(readPlan(planJson(*run)));
}

TEST_CASE("cells keep their kind: names, words and numbers", "[plan_json]") {
  Run run = *test::mustRun(test::sample("chain"), test::workedRequest("none"));
  run.plan.tables = {{.name = "drawn",
                      .summary = "one of each",
                      .columns = {"word", "count", "bytes", "buffer", "none"},
                      .rows = {{std::string("a"), std::int64_t{-3}, Bytes(7), StayId(0), StayId()}},
                      .truncated = true}};
  CHECK(jsonLine(methodTablesJson(run, false)) ==
        R"([{"name":"drawn","summary":"one of each",)"
        R"("columns":["word","count","bytes","buffer","none"],"rows":[["a",-3,7,"x",null]],)"
        R"("truncated":true}])");
}

TEST_CASE("a method without tables says so", "[plan_json]") {
  const auto run = test::mustRun(test::sample("chain"), test::workedRequest("none"));
  CHECK(Json::parse(planJson(*run))["tables"] == Json::array());
}

}  // namespace hw
