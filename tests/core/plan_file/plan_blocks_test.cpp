// Plans of methods that hand out blocks say so.
#include <algorithm>
#include <sstream>

#include "core/base/json.h"
#include "core/machine/platforms.h"
#include "core/plan_file/plan_writer.h"
#include "tests/support/methods.h"
#include "tests/support/must.h"

using namespace hw;
using namespace hw::test;

namespace {

ParsedJson planJson(const char* sampleName, const char* allocator) {
  RunRequest request = workedRequest(allocator);
  if (request.allocator.info->name == "partition") request.platform = *findPlatform("two-devices");
  std::ostringstream out;
  writePlanJson(*mustRun(sample(sampleName), request), out);
  return test::must(parseJson(out.str()));
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
  CHECK_FALSE(json.contains("frames"));
  CHECK_FALSE(json["placements"][0].contains("block"));
}

TEST_CASE("frames say what is taken as a whole, by whom, and what is kept", "[plan_json][blocks]") {
  std::vector<std::string> frames;
  const ParsedJson json = planJson("two_devices", "partition");
  for (const ParsedJson& frame : json["frames"]) {
    std::string text = frame["name"].get<std::string>() + " on " + frame["pool"].get<std::string>();
    for (const char* key : {"offset", "size", "first", "last"}) {
      text += " " + std::to_string(frame[key].get<std::int64_t>());
    }
    for (const ParsedJson& tensor : frame["tensors"]) text += " " + tensor.get<std::string>();
    frames.push_back(text);
  }
  CHECK(frames ==
        std::vector<std::string>{"x on A/L2 0 4 0 0 x", "unit 0 (a) on A/L2 4 16 0 1 a",
                                 "unit 1 (b) on A/L2 20 10 1 3 b", "unit 2 (c) on A/L2 0 5 2 3 c",
                                 "received b on B/L2 0 10 3 4 b", "received c on B/L2 10 5 3 4 c",
                                 "unit 3 (d, …) on B/L2 15 5 3 4 d y"});
}

TEST_CASE("tenants and what is kept tile each frame, step by step", "[plan_json][blocks]") {
  const std::string name = GENERATE("two_devices", "inception", "resnet8");
  const std::string allocator = GENERATE("partition", "block-id", "shared-objects");
  CAPTURE(name, allocator);
  const ParsedJson json = planJson(name.c_str(), allocator.c_str());
  const auto number = [](const ParsedJson& of, const char* key) {
    return of[key].get<std::int64_t>();
  };
  REQUIRE_FALSE(json["frames"].empty());
  for (const ParsedJson& frame : json["frames"]) {
    for (std::int64_t step = number(frame, "first"); step <= number(frame, "last"); ++step) {
      const auto bytesOf = [&](const ParsedJson& pieces, const auto& isMine) {
        std::int64_t sum = 0;
        for (const ParsedJson& piece : pieces) {
          const bool now = number(piece, "first") <= step && step <= number(piece, "last");
          const bool inside =
              number(piece, "offset") >= number(frame, "offset") &&
              number(piece, "offset") < number(frame, "offset") + number(frame, "size");
          if (now && inside && isMine(piece)) sum += number(piece, "size");
        }
        return sum;
      };
      const auto lives = [&](const ParsedJson& placement) {
        const ParsedJson& tensors = frame["tensors"];
        return placement["pool"] == frame["pool"] &&
               std::find(tensors.begin(), tensors.end(), placement["tensor"]) != tensors.end();
      };
      const auto kept = bytesOf(frame["kept"], [](const ParsedJson&) { return true; });
      CHECK(bytesOf(json["placements"], lives) + kept == number(frame, "size"));
    }
  }
}
