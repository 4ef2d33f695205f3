#include <string>

#include "core/import/importer.h"
#include "tests/support/must.h"

namespace hw {
namespace {

Result<Model> importText(const std::string& text) { return importModel(text, "p.csv", {}); }

struct BadCase {
  std::string text;
  std::string error;
};

constexpr const char* kHead = "id,lower,upper,size\n";

}  // namespace

TEST_CASE("a problem CSV becomes stays and bare tensors", "[import][csv]") {
  const auto model =
      test::must(importText("size,note,gaps,upper,id,lower,alignment,offset\n"
                            "16,,2-3 4-6,8,a,0,,\n"
                            "0,zero bytes,,9,nothing,1,,\n"
                            "\n"
                            "24,\"a, \"\"b\"\"\",,3,c,2,8,64\n"));
  CHECK(model.name == "p");
  CHECK(model.format == "problem-csv");
  CHECK(model.graph->ops.empty());
  REQUIRE(model.graph->tensors.size() == 3);
  CHECK(model.graph->tensors[TensorId(1)].bytes == Bytes(0));
  REQUIRE(model.problem);
  const Problem& problem = *model.problem;
  CHECK(problem.steps == Step(9));
  REQUIRE(problem.pools.size() == 1);
  CHECK_FALSE(problem.pools[PoolId(0)].capacity);
  REQUIRE(problem.stays.size() == 2);  // Zero bytes need no place.
  const Stay& a = problem.stays[StayId(0)];
  CHECK(a.buffer == BufferId(0));
  CHECK(a.steps == Interval<Step>{Step(0), Step(8)});
  CHECK(a.size == Bytes(16));
  CHECK(a.alignment == Bytes(1));
  CHECK(problem.gapsOf(StayId(0)) ==
        std::vector<Interval<Step>>{{Step(2), Step(3)}, {Step(4), Step(6)}});
  const Stay& c = problem.stays[StayId(1)];
  CHECK(c.buffer == BufferId(2));
  CHECK(c.alignment == Bytes(8));
  REQUIRE(model.offsets.size() == 2);
  CHECK_FALSE(model.offsets[StayId(0)]);
  CHECK(model.offsets[StayId(1)] == Bytes(64));
}

TEST_CASE("byte order marks, carriage returns and a missing last newline are fine",
          "[import][csv]") {
  const auto model =
      test::must(importText("\xEF\xBB\xBFid,lower,upper,size\r\n\"a\",0,1,4\r\nb,1,2,4"));
  CHECK(model.problem->stays.size() == 2);
  CHECK(model.graph->tensors[TensorId(0)].name == "a");
  CHECK(model.offsets.empty());
}

TEST_CASE("a header alone is a problem without buffers", "[import][csv]") {
  const auto model = test::must(importText("id,lower,upper,size"));
  CHECK(model.problem->stays.empty());
  CHECK(model.problem->steps == Step(0));
}

TEST_CASE("bad problem CSVs are refused with the buffer and the line", "[import][csv]") {
  const BadCase bad = GENERATE(values<BadCase>({
      {"id,lower,upper\na,0,1\n",
       "column 'size' is missing; expected id,lower,upper,size (line 1)"},
      {"id,lower,upper,size,lower\n", "column 'lower' appears twice (line 1)"},
      {kHead + std::string("a,0,1\n"), "the row has 3 fields; expected 4 (line 2)"},
      {kHead + std::string("a,0,1,4,5\n"), "the row has 5 fields; expected 4 (line 2)"},
      {kHead + std::string("\n,0,1,4\n"), "a buffer has an empty id (line 3)"},
      {kHead + std::string("a,0,1,4\na,0,1,4\n"),
       "buffer 'a' is listed twice, first in line 2 (line 3)"},
      {kHead + std::string("a,-1,1,4\n"),
       "buffer 'a' has lower '-1'; expected a whole number from 0 to 2147483646 (line 2)"},
      {kHead + std::string("a,0,2147483647,4\n"),
       "buffer 'a' has upper '2147483647'; expected a whole number from 0 to 2147483646 (line 2)"},
      {kHead + std::string("a,3,3,4\n"),
       "buffer 'a' has lower 3 and upper 3; expected lower < upper (line 2)"},
      {kHead + std::string("a,0,1,4.5\n"),
       "buffer 'a' has size '4.5'; expected a whole number from 0 to 1152921504606846976 (line 2)"},
      {kHead + std::string("a,0,1,99999999999999999999\n"),
       "buffer 'a' has size '99999999999999999999'; expected a whole number from 0 to "
       "1152921504606846976 (line 2)"},
      {kHead + std::string("a,0,1,-4\n"),
       "buffer 'a' has size '-4'; expected a whole number from 0 to 1152921504606846976 (line 2)"},
      {kHead + std::string("a,0,1,1152921504606846976\nb,0,1,1\n"),
       "the tensors add up to more than 1152921504606846976 bytes"},
      {kHead + std::string("\"a,0,1,4\n"), "a quote is not closed (line 2)"},
      {kHead + std::string("\"a\"b,0,1,4\n"),
       "text follows a closing quote; expected a comma (line 2)"},
      {"id,lower,upper,size,alignment\na,0,1,4,0\n",
       "buffer 'a' has alignment '0'; expected a whole number from 1 to 1152921504606846976 "
       "(line 2)"},
      {"id,lower,upper,size,offset\na,0,1,1152921504606846976,1\n",
       "buffer 'a' has offset '1'; expected a whole number from 0 to 0 (line 2)"},
      {"id,lower,upper,size,gaps\na,0,5,4,3\n",
       "buffer 'a' has gap '3'; expected a-b with a < b (line 2)"},
      {"id,lower,upper,size,gaps\na,0,5,4,3-3\n",
       "buffer 'a' has gap '3-3'; expected a-b with a < b (line 2)"},
      {"id,lower,upper,size,gaps\na,0,5,4,3-9\n",
       "buffer 'a' has a gap outside its own steps (line 2)"},
      {"id,lower,upper,size,gaps\na,0,5,4,1-3 2-4\n", "buffer 'a' has gaps that overlap (line 2)"},
      {"id,lower,upper,size,gaps\na,0,5,4,0-3 3-5\n",
       "buffer 'a' has gaps that leave it no live step (line 2)"},
  }));
  CAPTURE(bad.text);
  CHECK(test::mustFail(importText(bad.text)).text() == bad.error);
}

TEST_CASE("of many ids, the one that comes twice is found", "[import][csv]") {
  constexpr std::size_t kRows = 5'000;
  const auto twice = GENERATE(table<std::size_t, std::size_t>(
      {{0, 1}, {0, kRows - 1}, {2'500, 2'501}, {17, 4'096}, {kRows - 2, kRows - 1}}));
  const std::size_t first = std::get<0>(twice);
  const std::size_t second = std::get<1>(twice);
  const bool descending = GENERATE(false, true);
  const auto text = [&](bool repeated) {
    std::string rows = kHead;
    for (std::size_t row = 0; row < kRows; ++row) {
      const std::size_t name = repeated && row == second ? first : row;
      rows += "buffer" + std::to_string(descending ? kRows - name : name) + ",0,1,4\n\n";
    }
    return rows;
  };
  REQUIRE(importText(text(false)));
  CHECK(test::mustFail(importText(text(true))).text() ==
        "buffer 'buffer" + std::to_string(descending ? kRows - first : first) +
            "' is listed twice, first in line " + std::to_string(2 * first + 2) + " (line " +
            std::to_string(2 * second + 2) + ")");
}

TEST_CASE("a file of line ends makes no room for rows that cannot be", "[import][csv]") {
  const auto model = test::must(importText(kHead + std::string(1'000'000, '\n') + "a,0,1,4\n"));
  CHECK(model.problem->stays.size() == 1);
}

}  // namespace hw
