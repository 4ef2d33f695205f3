// Rules of pairs in a problem CSV, there and back.

#include <sstream>

#include "core/base/csv.h"
#include "core/import/importer.h"
#include "core/plan/constraint_use.h"
#include "core/plan/validate.h"
#include "core/plan_file/plan_writer.h"
#include "tests/support/must.h"
#include "tests/support/problems.h"
#include "tests/support/same_problem.h"

namespace hw {
namespace {

Result<Model> ruled(const std::string& text) { return importModel(text, "p.csv", {}); }

StayPair ruledPair(std::size_t a, std::size_t b) { return {StayId(a), StayId(b)}; }

std::string ruledText(const Model& model) {
  std::ostringstream out;
  REQUIRE(writeProblemCsv(model, {}, out));
  return out.str();
}

struct BadRules {
  const char* head;
  const char* rows;
  const char* error;
};

constexpr const char* kRuled = "id,lower,upper,size,apart,together,exclusive,penalty\n";
constexpr const char* kOfPools = "id,lower,upper,size,pools,allowed,reserved,pinned\n";

constexpr BadRules kBadRules[] = {
    {kRuled, "a,0,1,4,x,,,\n", "buffer 'a' has apart 'x'; expected the id of another row (line 2)"},
    {kRuled, "a,0,1,4,,a,,\n",
     "buffer 'a' has together 'a'; expected the id of another row (line 2)"},
    {kRuled, "a,0,1,4,,,%2,\n",
     "buffer 'a' has exclusive '%2'; expected the id of another row (line 2)"},
    {kRuled, "a,0,1,4,,,,b\nb,0,1,4,,,,\n",
     "buffer 'a' has penalty 'b'; expected the id of another row and a cost, such as b1:3 "
     "(line 2)"},
    {kRuled, "a,0,1,4,,,,b:-1\nb,0,1,4,,,,\n",
     "buffer 'a' has penalty 'b:-1'; expected the id of another row and a cost, such as b1:3 "
     "(line 2)"},
    {kRuled, "a,0,1,4,b,,,\nb,0,1,4,,,a,\n",
     "buffers 'a' and 'b' may not share bytes, and may since they are exclusive (line 3)"},
    {kRuled, "a,0,1,4,b,,,\nb,0,1,4,,c,,\nc,0,1,4,,a,,\n",
     "buffers 'a' and 'b' may not share bytes, and have to begin at one offset (line 2)"},
    {kOfPools, "a,0,1,4,X:y,,,\n",
     "buffer 'a' has pool 'X:y'; expected a new name, or one with bytes from 0 to "
     "1152921504606846976, such as L1:65536 (line 2)"},
    {kOfPools, "a,0,1,4,X X,,,\n",
     "buffer 'a' has pool 'X'; expected a new name, or one with bytes from 0 to "
     "1152921504606846976, such as L1:65536 (line 2)"},
    {kOfPools, "a,0,1,4,X,Y,,\n",
     "buffer 'a' names pool 'Y'; expected one of column 'pools' (line 2)"},
    {kOfPools, "a,0,1,4,X,,4-4,\n",
     "buffer 'a' has reserved '4-4'; expected a pool and bytes a-b with a < b, such as L1:0-64 "
     "(line 2)"},
    {kOfPools, "a,0,1,4,X Y,,,8\n",
     "buffer 'a' is pinned; expected one pool in column 'allowed' (line 2)"},
    {"", "id,lower,upper,size,conflicts\na,0,1,4,\n",
     "there are columns 'conflicts' and 'lower' or 'upper'; expected one or the other (line 1)"},
    {"", "id,size,conflicts,gaps\na,4,,1-2\n",
     "buffer 'a' has gaps, which need columns 'lower' and 'upper' (line 2)"},
    {"", "id,size,conflicts,exclusive\na,4,b,\nb,4,,a\n",
     "buffers 'a' and 'b' may not share bytes, and may since they are exclusive (line 3)"},
    {"", "id,size,conflicts,together\na,4,b,\nb,4,,a\n",
     "buffers 'a' and 'b' may not share bytes, and have to begin at one offset (line 2)"},
    {"", "id,size,begin\na,4,1\n", "one of the columns 'begin' and 'end' is missing (line 1)"},
    {"", "id,size,begin,end\na,4,1.0,1.0\n",
     "buffer 'a' has begin 1.0 and end 1.0; expected an end that is nowhere less, and somewhere "
     "more (line 2)"},
    {"", "id,size,begin,end\na,4,1.0,1.0.2\n",
     "buffer 'a' has end '1.0.2'; expected a clock of numbers from 0 to 2^40 such as 3.0.2, one "
     "for each of at most 64 threads, as many in all rows (line 2)"},
};

/// Names that a list has to keep whole.
std::string oddName(Dice& dice, std::size_t number) {
  constexpr std::string_view kOdd = "% :,\"'=-@+;\t\n\rab\x01\x7F\xC3\xA4";
  std::string name = dice.chance(50) ? "n" : "'=";  // Blanks at an end are not kept.
  for (std::int64_t i = dice.roll(0, 6); i > 0; --i) {
    name += kOdd[static_cast<std::size_t>(dice.roll(0, std::ssize(kOdd) - 1))];
  }
  return name + std::to_string(number);
}

/// Constraints at random, none of which contradicts another.
void addDrawnRules(Dice& dice, Problem& problem) {
  const std::size_t stays = problem.stays.size();
  Constraints& rules = problem.constraints;
  for (const StayId id : problem.stays.keys()) {
    problem.stays[id].pool = {};
    if (dice.chance(20)) problem.stays[id].pool = PoolId(1);
  }
  rules.allowed.resize(stays);
  for (const StayId id : problem.stays.keys()) {
    if (!problem.stays[id].pool && dice.chance(30)) rules.allowed[id] = {PoolId(0), PoolId(2)};
  }
  const auto conflicts = conflictsOf(problem);
  for (std::size_t a = 0; a + 1 < stays; ++a) {
    for (std::size_t b = a + 1; b < stays; ++b) {
      const bool live = std::ranges::binary_search(conflicts, ruledPair(a, b));
      const bool apart = poolsFor(problem, StayId(a)) == std::vector{PoolId(1)} ||
                         poolsFor(problem, StayId(b)) == std::vector{PoolId(1)};
      const auto pick = dice.roll(0, 9);
      if (pick == 0) rules.apart.push_back(ruledPair(a, b));
      if (pick == 1 && live) rules.exclusive.push_back(ruledPair(a, b));
      if (pick == 2 && !live && !apart)
        rules.penalties.push_back({ruledPair(a, b), dice.roll(1, 99)});
    }
  }
  if (stays > 3) rules.together = {{StayId(0), StayId(stays - 1)}};
  std::erase(rules.apart, ruledPair(0, stays - 1));
  std::erase_if(rules.penalties,
                [&](const auto& each) { return each.pair == ruledPair(0, stays - 1); });
}

Model ruledModel(Problem problem, Dice& dice) {
  Graph graph;
  for (const StayId id : problem.stays.keys()) {
    problem.stays[id].buffer = BufferId(id.index());
    graph.tensors.add({.name = oddName(dice, id.index()), .bytes = problem.stays[id].size});
  }
  problem.ownPools = true;
  return {.graph = std::make_shared<const Graph>(std::move(graph)), .problem = std::move(problem)};
}

}  // namespace

TEST_CASE("rules of pairs are columns of words", "[import][csv]") {
  const auto model = test::must(
      ruled("id,lower,upper,size,apart,together,exclusive,penalty,allowed,pinned,pools,reserved\n"
            "a,0,4,16,c b,,,,X,32,X:1024 Y%20Y,X:0-16 X:8-24 Y%20Y:4-8\n"
            "b,2,6,16,a,,c,d:3,,,,\n"
            "c,5,8,16,,d,d,,Y%20Y X,,,\n"
            "d,7,9,16,,,,b:2,,,,\n"
            "\"e,1%\",9,10,16,,,,,Y%20Y,,,\n"
            "none,0,1,0,b,b,b,b:1,X,0,,\n"));
  const Problem& problem = *model.problem;
  const Constraints& rules = problem.constraints;
  CHECK(model.problem->ownPools);
  REQUIRE(problem.pools.size() == 2);
  CHECK(problem.pools[PoolId(0)].capacity == Bytes(1024));
  CHECK(problem.pools[PoolId(0)].reserved == std::vector<Interval<Bytes>>{{Bytes(0), Bytes(24)}});
  CHECK(problem.pools[PoolId(1)].name == "Y Y");
  CHECK(problem.stays[StayId(0)].pool == PoolId(0));
  CHECK(problem.stays[StayId(0)].pinned == Bytes(32));
  CHECK(rules.allowed[StayId(2)] == std::vector{PoolId(0), PoolId(1)});
  CHECK(rules.apart == std::vector{ruledPair(0, 1), ruledPair(0, 2)});
  CHECK(rules.exclusive == std::vector{ruledPair(1, 2), ruledPair(2, 3)});
  CHECK(rules.together == std::vector<std::vector<StayId>>{{StayId(2), StayId(3)}});
  CHECK(rules.penalties == std::vector<ReusePenalty>{{ruledPair(1, 3), 5}});
  const auto second = test::must(ruled(ruledText(model)));
  test::checkSame(problem, *second.problem);
}

TEST_CASE("a problem CSV without pools of its own names those of a machine", "[import][csv]") {
  const auto model =
      test::must(ruled("id,lower,upper,size,allowed\na,0,1,4,L3\nb,0,1,4,L2 L3\nc,0,1,4,\n"));
  CHECK_FALSE(model.problem->ownPools);
  REQUIRE(model.problem->pools.size() == 2);
  CHECK(model.problem->pools[PoolId(1)].name == "L3");
  CHECK(model.problem->stays[StayId(0)].pool == PoolId(1));
}

TEST_CASE("bad rules in a problem CSV are refused with the buffer and the line", "[import][csv]") {
  const BadRules bad = GENERATE(from_range(std::begin(kBadRules), std::end(kBadRules)));
  const std::string text = std::string(bad.head) + bad.rows;
  CAPTURE(text);
  CHECK(test::mustFail(ruled(text)).text() == bad.error);
}

TEST_CASE("conflicts and clocks stand in place of steps", "[import][csv][virtual-time]") {
  const auto list = test::must(ruled("id,size,conflicts\na,8,b d\nb,8,a c\nc,8,d\nd,8,\n"));
  CHECK(list.problem->constraints.virtualTime);
  const std::vector expected{ruledPair(0, 1), ruledPair(0, 3), ruledPair(1, 2), ruledPair(2, 3)};
  CHECK(conflictsOf(*list.problem) == expected);
  const auto second = test::must(ruled(ruledText(list)));
  test::checkSame(*list.problem, *second.problem);
  const auto none = test::must(ruled("id,size,conflicts\na,8,\nb,8,\n"));
  CHECK(conflictsOf(*none.problem).empty());
  CHECK(ruledText(none) == "id,size,conflicts\na,8,\nb,8,\n");

  const auto clocks = test::must(ruled(
      "id,size,begin,end\na,8,0.0,1.0\nb,8,1.0,2.1\nc,8,0.0,0.2\nzero,0,0.0,1.1\nd,8,2.2,3.2\n"));
  CHECK(conflictsOf(*clocks.problem) == std::vector{ruledPair(0, 2), ruledPair(1, 2)});
}

TEST_CASE("constraints are written as CSV and read as they were", "[import][csv]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{60}));
  CAPTURE(seed);
  Dice dice(seed);
  Problem problem = test::randomProblem(seed, {.stays = 14, .gapPercent = 30, .pools = 3});
  addDrawnRules(dice, problem);
  const Model model = ruledModel(std::move(problem), dice);
  const std::string text = ruledText(model);
  CAPTURE(text);
  const auto second = test::must(ruled(text));
  test::checkSame(*model.problem, *second.problem);
  for (const TensorId id : model.graph->tensors.keys()) {
    CHECK(second.graph->tensors[id].name == model.graph->tensors[id].name);
  }
  CHECK(ruledText(second) == text);
}

TEST_CASE("words of a field keep any text whole", "[csv]") {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  CHECK(csvWord("a b%:") == "a%20b%25%3A");
  CHECK(csvWordText(csvWord(all)) == all);
  CHECK(csvWords(csvWord(all)).size() == 1);
  CHECK_FALSE(csvWordText("%"));
  CHECK_FALSE(csvWordText("%2"));
  CHECK_FALSE(csvWordText("%2g"));
  CHECK(csvWordText("%2F%2f") == "//");
}

}  // namespace hw
