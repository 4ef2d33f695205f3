// Runs whose operators are put in another order, and the plans that they write.
#include <sstream>

#include "core/check/plan_audit.h"
#include "core/check/replay.h"
#include "core/plan/validate.h"
#include "core/plan_file/plan_reader.h"
#include "core/plan_file/plan_writer.h"
#include "tests/support/graphs.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"

using namespace hw;
using namespace hw::literals;

namespace {

std::shared_ptr<const Run> orderedRun(Graph graph, OpOrder order, const AliasRules& alias,
                                      std::vector<OpMove> moves = {}) {
  RunRequest request = test::runGraph(test::chainGraph(), {.alias = alias})->request;
  request.order = order;
  request.moves = std::move(moves);
  const auto model = std::make_shared<const Model>(
      Model{.name = "model", .graph = std::make_shared<const Graph>(std::move(graph))});
  return execute(model, request, {}).value();
}

/// a and b are large, c and d what is left of them; the graph makes both large ones first.
Graph wideGraph() {
  return test::drawnGraph(
      {.tensors = {{"x", 4}, {"a", 100}, {"b", 100}, {"c", 4}, {"d", 4}, {"y", 4}},
       .inputs = {"x"},
       .ops = {"Conv x -> a", "Conv x -> b", "Conv a -> c", "Conv b -> d", "Add c, d -> y"},
       .outputs = {"y"}});
}

std::vector<std::string> auditOf(const Run& run, const std::string& text) {
  std::vector<std::string> messages;
  for (const Finding& finding : auditPlan(run.model, readPlan(text).value(), {}).findings) {
    messages.push_back(finding.message);
  }
  return messages;
}

std::string planText(const Run& run) {
  std::ostringstream file;
  writePlanJson(run, file);
  return file.str();
}

}  // namespace

TEST_CASE("a run in an order that was found is a whole run", "[order][property]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{25}));
  for (const OpOrder order : {OpOrder::leastPeak, OpOrder::depthFirst, OpOrder::breadthFirst}) {
    const AliasRules alias = seed % 2 == 0 ? AliasRules::all() : AliasRules();
    CAPTURE(seed, opOrderName(order), alias.inPlace);
    const auto run = orderedRun(test::randomGraph(seed, 24), order, alias);
    CHECK(validate(run->problem, run->plan).empty());
    CHECK(replayBytes(*run, 1_MiB).empty());
    REQUIRE(run->order);
    CHECK(run->order->peak == run->metrics.lowerBound);
    CHECK(run->order->bound.has_value() == (order == OpOrder::leastPeak));
    const auto given = orderedRun(test::randomGraph(seed, 24), OpOrder::given, alias);
    CHECK_FALSE(given->order);
    CHECK(run->order->given == given->metrics.lowerBound);
    CHECK(auditOf(*run, planText(*run)).empty());
  }
}

TEST_CASE("a run says what its order saves", "[order]") {
  const auto run = orderedRun(wideGraph(), OpOrder::leastPeak, AliasRules::none());
  CHECK(run->metrics.lowerBound == 108_B);
  CHECK(run->notes == std::vector<std::string>{
                          "order least-peak: at most 108 bytes are live at once, and 204 in the "
                          "order that the model comes in; no order has fewer"});
  // Moves are made in the order that was found: a c b d y becomes a b c d y.
  const auto moved = orderedRun(wideGraph(), OpOrder::leastPeak, AliasRules::none(),
                                {{.op = OpId(1), .anchor = OpId(2)}});
  CHECK(moved->metrics.lowerBound == 204_B);
  CHECK(moved->order->peak == 108_B);
  CHECK(auditOf(*moved, planText(*moved)).empty());
}

TEST_CASE("a plan states its schedule, and is held against it", "[order][audit]") {
  const auto run = orderedRun(wideGraph(), OpOrder::leastPeak, AliasRules::none());
  const std::string text = planText(*run);
  CHECK_THAT(text, Catch::Contains("\"bound\":108"));
  PlanDocument plan = readPlan(text).value();
  CHECK(plan.schedule == run->schedule.order);
  const auto findings = [&](std::vector<OpId> schedule) {
    plan.schedule = std::move(schedule);
    return auditPlan(run->model, plan, {}).findings;
  };
  CHECK(findings(run->schedule.order).empty());
  // In the model's own order these addresses overlap.
  CHECK_FALSE(findings(givenOrder(run->graph()).order).empty());
  for (const std::vector<OpId>& bad : {std::vector{OpId(0)},
                                       {OpId(2), OpId(0), OpId(1), OpId(3), OpId(4)},
                                       {OpId(0), OpId(1), OpId(2), OpId(3), OpId(9)}}) {
    const auto found = findings(bad);
    REQUIRE(found.size() == 1);
    CHECK_THAT(found[0].message, Catch::Contains("no order of the model's 5 ops"));
  }
}

TEST_CASE("ops that touch a variable keep their order", "[order]") {
  Graph graph = wideGraph();
  // Both of the middle touch it, the one that shrinks b first: what is large has to wait.
  const TensorId state = graph.tensors.add({.name = "state", .bytes = 8_B, .persistent = true});
  graph.ops[OpId(1)].inputs.push_back(state);
  graph.ops[OpId(2)].inputs.push_back(state);
  const auto run = orderedRun(std::move(graph), OpOrder::leastPeak, AliasRules::none());
  CHECK(run->schedule.stepOf[OpId(1)] < run->schedule.stepOf[OpId(2)]);
  CHECK(run->order->proven());
  CHECK(run->order->peak == 108_B);  // b d a c y
}

TEST_CASE("a planning problem has no order", "[order]") {
  RunRequest request = test::runGraph(test::chainGraph())->request;
  request.order = OpOrder::leastPeak;
  const auto model = std::make_shared<const Model>(
      Model{.name = "problem",
            .graph = test::runProblem(test::randomProblem(3, {}))->model->graph,
            .problem = test::randomProblem(3, {})});
  const auto run = test::must(execute(model, request, {}));
  CHECK_FALSE(run->order);
  CHECK_THAT(run->notes.front(), Catch::Contains("no operators"));
}
