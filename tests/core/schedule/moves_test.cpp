#include "core/schedule/moves.h"

#include <algorithm>
#include <random>

#include "core/check/replay.h"
#include "core/plan/validate.h"
#include "core/run/run.h"
#include "tests/support/graphs.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"

using namespace hw;
using namespace hw::literals;
using test::drawnGraph;

namespace {

/// x -> a -> c -> e, x -> b -> d; ops 0 to 4 are a, b, c, d, e.
Graph twoChains() {
  return drawnGraph(
      {.tensors = {{"x", 8}, {"a", 8}, {"b", 8}, {"c", 8}, {"d", 8}, {"e", 8}},
       .inputs = {"x"},
       .ops = {"Relu x -> a", "Relu x -> b", "Relu a -> c", "Relu b -> d", "Relu c -> e"},
       .outputs = {"d", "e"}});
}

/// The names of what the ops make, in the order they run; or why the move is refused.
std::string orderAfter(const Graph& graph, const std::string& move) {
  const auto parsed = parseMove(move);
  if (!parsed) return parsed.error().message;
  const auto schedule = movedOrder(graph, {*parsed}, givenOrder(graph));
  if (!schedule) return schedule.error().message;
  std::string text;
  for (const OpId op : schedule->order) text += graph.tensors[graph.ops[op].outputs[0]].name;
  return text;
}

/// True when every op comes after those whose outputs it reads: from the graph alone.
bool isTopological(const Graph& graph, const Schedule& schedule) {
  std::vector<OpId> sorted = schedule.order;
  std::ranges::sort(sorted);
  if (!std::ranges::equal(sorted, graph.ops.keys().toVector())) return false;
  for (const OpId op : graph.ops.keys()) {
    if (schedule.order[static_cast<std::size_t>(schedule.stepOf[op].count())] != op) return false;
    for (const TensorId tensor : graph.reads(op)) {
      const OpId producer = graph.tensors[tensor].producer;
      if (producer && schedule.stepOf[producer] >= schedule.stepOf[op]) return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("an op is moved with what has to come along", "[schedule]") {
  const Graph graph = twoChains();
  CHECK(orderAfter(graph, "4:before:1") == "acebd");  // e needs c, which comes along.
  CHECK(orderAfter(graph, "3:before:2") == "abdce");
  CHECK(orderAfter(graph, "1:after:4") == "acebd");  // d needs b, so it goes along.
  CHECK(orderAfter(graph, "1:before:4") == "acbde");
  CHECK(orderAfter(graph, "0:after:1") == "bacde");
  CHECK(orderAfter(graph, "3:after:1") == "abdce");
  CHECK(orderAfter(graph, "1:after:0") == "abcde");  // It is there already.
  CHECK(orderAfter(graph, "0:before:1") == "abcde");
}

TEST_CASE("moves that cannot be are refused with the reason", "[schedule]") {
  const Graph graph = twoChains();
  CHECK(orderAfter(graph, "4:before:0") ==
        "4:before:0: op 4 needs what op 0 makes, directly or not");
  CHECK(orderAfter(graph, "0:after:4") == "0:after:4: op 4 needs what op 0 makes, directly or not");
  CHECK(orderAfter(graph, "2:after:2") == "2:after:2: an op cannot be moved next to itself");
  CHECK(orderAfter(graph, "2:after:5") ==
        "2:after:5: there is no op 5: the model has 5, from 0 on");
  for (const char* text : {"", "1", "1:2", "1:near:2", "-1:after:2", "1:after:2:3", "a:after:2",
                           "1:after:99999999999999999999"}) {
    CAPTURE(text);
    CHECK_THAT(orderAfter(graph, text), Catch::StartsWith("'") && Catch::Contains("41:before:38"));
  }
}

TEST_CASE("whatever is moved, the order stays topological", "[schedule][property]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{60}));
  CAPTURE(seed);
  const Graph graph = test::randomGraph(seed, 30);
  const Precedence precedence = precedenceOf(graph);
  std::mt19937_64 random(seed);
  Schedule schedule = givenOrder(graph);
  std::size_t done = 0;
  for (int i = 0; i < 40; ++i) {
    const OpMove move{.op = OpId(random() % graph.ops.size()),
                      .anchor = OpId(random() % graph.ops.size()),
                      .side = random() % 2 == 0 ? OpMove::Side::before : OpMove::Side::after};
    CAPTURE(moveText(move));
    CHECK(parseMove(moveText(move)) == move);
    const auto next = moved(schedule, precedence, move);
    if (!next) continue;
    ++done;
    REQUIRE(isTopological(graph, *next));
    REQUIRE(respects(next->order, precedence));
    const bool before = move.side == OpMove::Side::before;
    CHECK((next->stepOf[move.op] < next->stepOf[move.anchor]) == before);
    schedule = *next;
  }
  CHECK(done > 0);
}

TEST_CASE("state keeps its order: a variable is read before it is written", "[schedule]") {
  Graph graph = twoChains();
  // Ops 2 and 3 touch the same variable.
  const TensorId state = graph.tensors.add({.name = "state", .bytes = 8_B, .persistent = true});
  graph.ops[OpId(2)].inputs.push_back(state);
  graph.ops[OpId(3)].inputs.push_back(state);
  CHECK_FALSE(movedOrder(graph, {*parseMove("3:before:2")}, givenOrder(graph)));
  CHECK(movedOrder(twoChains(), {*parseMove("3:before:2")}, givenOrder(twoChains())));
}

TEST_CASE("a run with a changed order is a whole run", "[schedule][property]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{30}));
  CAPTURE(seed);
  const auto model = std::make_shared<const Model>(
      Model{.name = "random", .graph = std::make_shared<const Graph>(test::randomGraph(seed, 24))});
  std::mt19937_64 random(seed);
  RunRequest request = test::runGraph(test::chainGraph())->request;
  request.alias = AliasRules::all();
  const Precedence precedence = precedenceOf(*model->graph);
  Schedule schedule = givenOrder(*model->graph);
  while (request.moves.size() < 3) {
    const OpMove move{.op = OpId(random() % schedule.order.size()),
                      .anchor = OpId(random() % schedule.order.size())};
    const auto next = moved(schedule, precedence, move);
    if (!next) continue;
    schedule = *next;
    request.moves.push_back(move);
  }
  const auto run = test::must(execute(model, request, {}));
  CHECK(run->schedule.order == schedule.order);
  CHECK(validate(run->problem, run->plan).empty());
  CHECK(replayBytes(*run, 1_MiB).empty());
  CHECK_THAT(run->notes.back(), Catch::Contains(moveText(request.moves[2])));
}
