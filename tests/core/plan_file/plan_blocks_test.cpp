// Plans of methods that hand out blocks say so.
#include <catch2/catch.hpp>
#include <sstream>

#include "core/base/json.h"
#include "core/plan_file/plan_writer.h"
#include "tests/support/methods.h"

using namespace hw;
using namespace hw::test;

namespace {

ParsedJson planJson(const char* sampleName, const char* allocator) {
  std::ostringstream out;
  writePlanJson(*mustRun(sample(sampleName), workedRequest(allocator)), out);
  const auto json = parseJson(out.str());
  REQUIRE(json);
  return *json;
}

}  // namespace

TEST_CASE("a block-id plan has its blocks and each placement its own", "[plan_json]") {
  const ParsedJson json = planJson("chain", "block-id");
  CHECK(json["blocks"] == ParsedJson::array({16, 10}));
  std::string blocks;
  for (const ParsedJson& placement : json["placements"]) {
    blocks += placement["tensor"].get<std::string>() + " " +
              std::to_string(placement["block"].get<int>()) + ", ";
  }
  CHECK(blocks == "t0 0, t1 1, t2 0, y 1, ");
}

TEST_CASE("the blocks of a plan add up to its peaks and hold what is in them", "[plan_json]") {
  const std::string name = GENERATE("chain", "residual", "inception");
  const std::string allocator = GENERATE("block-id", "shared-objects");
  CAPTURE(name, allocator);
  const ParsedJson json = planJson(name.c_str(), allocator.c_str());
  std::int64_t sum = 0;
  for (const ParsedJson& block : json["blocks"]) sum += block.get<std::int64_t>();
  std::int64_t peak = 0;
  for (const ParsedJson& pool : json["pools"]) peak += pool["peak"].get<std::int64_t>();
  CHECK(sum == peak);
  for (const ParsedJson& placement : json["placements"]) {
    const auto block = placement["block"].get<std::size_t>();
    REQUIRE(block < json["blocks"].size());
    CHECK(placement["size"] <= json["blocks"][block]);
  }
}

TEST_CASE("a plan of addresses has no blocks", "[plan_json]") {
  const ParsedJson json = planJson("chain", "free-list");
  CHECK_FALSE(json.contains("blocks"));
  CHECK_FALSE(json["placements"][0].contains("block"));
}
