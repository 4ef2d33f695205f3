#include <sstream>

#include "core/base/csv.h"
#include "core/base/json.h"
#include "core/import/importer.h"
#include "core/plan_file/plan_writer.h"
#include "core/plan_file/tensor_names.h"
#include "core/report/exporter.h"
#include "core/report/model/graph_writer.h"
#include "core/rewrite/graph_builder.h"
#include "tests/support/graphs.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"

namespace hw {
namespace {

std::string problemOf(const Graph& graph) {
  Model model;
  model.graph = std::make_shared<const Graph>(graph);
  std::ostringstream out;
  REQUIRE(writeProblemCsv(model, {.alias = AliasRules::none(), .alignment = Bytes(1)}, out));
  return out.str();
}

Graph throughFile(const Graph& graph) {
  std::ostringstream out;
  writeGraphJson(graph, out);
  const auto model = test::must(importModel(out.str(), "test.graph.json", {}));
  return *model.graph;
}

}  // namespace

TEST_CASE("a graph comes back from its JSON as it was", "[graph_json][property]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{30}));
  CAPTURE(seed);
  const Graph graph = test::randomGraph(seed, 4 + seed);
  const Graph back = throughFile(graph);
  CHECK(problemOf(back) == problemOf(graph));
  REQUIRE(back.ops.size() == graph.ops.size());
  REQUIRE(back.tensors.size() == graph.tensors.size());
  for (const OpId op : graph.ops.keys()) {
    CHECK(back.ops[op].type == graph.ops[op].type);
    CHECK(back.ops[op].inputs == graph.ops[op].inputs);
    CHECK(back.ops[op].outputs == graph.ops[op].outputs);
    CHECK(back.ops[op].attributes == graph.ops[op].attributes);
  }
  for (const TensorId id : graph.tensors.keys()) {
    CHECK(back.tensors[id].bytes == graph.tensors[id].bytes);
    CHECK(back.tensors[id].constant == graph.tensors[id].constant);
  }
  std::ostringstream once;
  std::ostringstream twice;
  writeGraphJson(back, once);
  writeGraphJson(throughFile(back), twice);
  CHECK(once.str() == twice.str());
}

TEST_CASE("a tensor without a size keeps its reason", "[graph_json]") {
  GraphBuilder builder("g", "test");
  Tensor odd{.name = "rows", .dtype = Dtype::float32, .unknownReason = "depends on the data"};
  builder.addInput(builder.addTensor(odd));
  const Graph back = throughFile(std::move(builder).build().value());
  CHECK(back.tensors[TensorId(0)].unknownReason == "depends on the data");
  CHECK_FALSE(back.tensors[TensorId(0)].bytes);
}

TEST_CASE("names identify, whatever the file calls its tensors", "[tensor_names]") {
  GraphBuilder builder("g", "test");
  for (const char* name : {"a", "", "b", "b", "b#t3", "\xff", ""}) {
    builder.addTensor({.name = name, .bytes = Bytes(1), .origin = SizeOrigin::declared});
  }
  const Graph graph = std::move(builder).build().value();
  const TensorNames names(graph);
  std::vector<std::string> all;
  for (const TensorId id : graph.tensors.keys()) {
    all.push_back(names.of(id));
    CHECK(names.find(names.of(id)) == id);
  }
  CHECK(all == std::vector<std::string>{"a", "#t1", "b#t2", "b#t3#", "b#t3", "\\xff#t5", "#t6"});
  const std::vector<TensorId> one = {TensorId(GENERATE(range(0, 7)))};
  CHECK(namesOf(graph, one) == std::vector<std::string>{names.of(one.front())});
  CHECK(namesOf(graph, graph.tensors.keys().toVector()) == all);
  CHECK(names.findId("t4") == TensorId(4));
  CHECK_FALSE(names.findId("t7"));
  CHECK_FALSE(names.findId("4"));
}

TEST_CASE("a problem comes back from its CSV as it was", "[problem_csv][property]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{30}));
  CAPTURE(seed);
  const Problem problem =
      test::randomProblem(seed, {.stays = 15, .alignedPercent = 40, .gapPercent = 40});
  const auto run = test::runProblem(problem);
  std::ostringstream once;
  REQUIRE(writeProblemCsv(*run->model, {}, once));
  const auto model = test::must(importModel(once.str(), "problem.csv", {}));
  std::ostringstream twice;
  REQUIRE(writeProblemCsv(model, {}, twice));
  CHECK(once.str() == twice.str());
  REQUIRE(model.problem->stays.size() == problem.stays.size());
  for (const StayId id : problem.stays.keys()) {
    CHECK(model.problem->stays[id].size == problem.stays[id].size);
    CHECK(model.problem->stays[id].steps == problem.stays[id].steps);
    CHECK(model.problem->stays[id].alignment == problem.stays[id].alignment);
    CHECK(model.problem->gapsOf(id) == problem.gapsOf(id));
  }
}

// Every exporter in the catalogue gets these for free, and so will the next one.
TEST_CASE("every exporter", "[exporter]") {
  const auto index = GENERATE(range(std::size_t{0}, exporterCatalog().size()));
  const ExporterInfo& info = exporterCatalog()[index];
  CAPTURE(info.name);
  const auto write = [&](const Run& run) {
    std::ostringstream out;
    REQUIRE(info.write(run, out));
    return out.str();
  };
  const auto seed = GENERATE(std::uint64_t{3}, std::uint64_t{4});
  const auto graphRun = test::runGraph(test::randomGraph(seed, 10), {.allocator = "free-list"});
  const auto problemRun = test::runProblem(test::randomProblem(seed));

  SECTION("writes the same bytes for equal runs") {
    if (!info.applies(*graphRun)) return;
    const auto again = test::runGraph(test::randomGraph(seed, 10), {.allocator = "free-list"});
    CHECK(write(*graphRun) == write(*again));
  }
  SECTION("writes what its ending promises") {
    for (const auto& run : {graphRun, problemRun}) {
      if (!info.applies(*run)) continue;
      const std::string text = write(*run);
      REQUIRE(text.ends_with('\n'));
      if (info.ending.ends_with(".json")) CHECK(parseJson(text).has_value());
      if (!info.ending.ends_with(".csv")) continue;
      const auto lines = csvLines(text);
      CHECK(lines.size() > 1);
      for (const CsvLine& line : lines) CHECK(line.fields.size() == lines[0].fields.size());
    }
  }
}

}  // namespace hw
