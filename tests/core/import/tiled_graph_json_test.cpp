// Graphs whose operators run in parts, as files.
#include <functional>
#include <random>
#include <sstream>

#include "core/base/json.h"
#include "core/check/replay.h"
#include "core/graph/tiling.h"
#include "core/import/importer.h"
#include "core/report/model/graph_writer.h"
#include "core/run/run.h"
#include "tests/support/graphs.h"
#include "tests/support/image_graphs.h"
#include "tests/support/must.h"
#include "tests/support/rounds.h"

using namespace hw;

namespace {

std::shared_ptr<const Run> inLines(Graph graph, bool arriving = false,
                                   TileRule rule = TileRule::lines) {
  test::RunOptions options;
  options.tile = rule;
  options.extraWork = 2;
  if (arriving) options.inputs = InputPlace::rows;
  return test::runGraph(std::move(graph), options);
}

Json fileOf(const Graph& graph) {
  std::ostringstream out;
  writeGraphJson(graph, out);
  return Json::parse(out.str());
}

Result<Model> opened(const Json& file) {
  const std::string text = file.dump();
  return importModel(text, "parts.graph.json", {});
}

std::string refusalOf(const std::function<void(Json&)>& spoil) {
  Json file = fileOf(inLines(test::bulge())->graph());
  REQUIRE(file.contains("tiling"));
  spoil(file);
  const auto model = opened(file);
  return model ? "" : model.error().text();
}

/// The first tensor of the file's tiling that is a piece.
Json& firstPiece(Json& file) {
  for (Json& each : file["tiling"]["tensors"]) {
    if (each.contains("host")) return each;
  }
  return file["tiling"]["tensors"][0];
}

}  // namespace

TEST_CASE("a graph in parts is the same when it is opened again", "[tile][json][property]") {
  std::size_t tiled = 0;
  for (const std::uint64_t seed : test::Seeds(100)) {
    const auto run = inLines(test::randomImages(seed, 1 + seed % 6), seed % 3 == 0,
                             seed % 2 == 0 ? TileRule::lines : TileRule::any);
    if (!run->graph().tiling) continue;
    ++tiled;
    const Json file = fileOf(run->graph());
    const auto model = test::must(opened(file));
    const Graph& back = *model.graph;
    REQUIRE(back.tiling);
    CHECK(fileOf(back) == file);
    const auto again = test::runGraph(back, {});
    CHECK(again->plan.footprint(PoolId(0)) == run->plan.footprint(PoolId(0)));
    CHECK(again->problem.stays.size() == run->problem.stays.size());
    CHECK(again->timing.makespan == run->timing.makespan);
    CHECK(replayBytes(*again, Bytes(1 << 24)).empty());
  }
  CHECK(tiled > test::rounds(40));
}

TEST_CASE("parts that lie about where they are, are refused", "[tile][json]") {
  CHECK(refusalOf([](Json&) {}).empty());
  CHECK(refusalOf([](Json& file) {
          firstPiece(file)["at"][1] = 1000;
        }).find("does not lie inside of") != std::string::npos);
  CHECK(refusalOf([](Json& file) {
          firstPiece(file)["begin"][1] = 1000;
        }).find("is not inside of") != std::string::npos);
  CHECK(refusalOf([](Json& file) { firstPiece(file)["begin"] = {0}; }).find("is not inside of") !=
        std::string::npos);
  CHECK(refusalOf([](Json& file) {
          firstPiece(file)["host"] = firstPiece(file)["name"];
        }).find("lies in a tensor that is a piece itself") != std::string::npos);
  CHECK(refusalOf([](Json& file) {
          firstPiece(file)["of"] = "nobody";
        }).find("'nobody' is not among those of the original") != std::string::npos);
  CHECK(refusalOf([](Json& file) {
          firstPiece(file)["name"] = "nobody";
        }).find("'nobody' is not among the tensors") != std::string::npos);
  CHECK(refusalOf([](Json& file) {
          file["tiling"].erase("original");
        }).find("a tiling needs the original graph") != std::string::npos);
  CHECK(refusalOf([](Json& file) {
          file.erase("tiling");
        }).find("is of domain 'highwater', which needs a tiling") != std::string::npos);
  CHECK(refusalOf([](Json& file) {
          file["tiling"]["original"] = Json(file);
        }).find("the original graph is in parts itself") != std::string::npos);
  CHECK(refusalOf([](Json& file) {
          Json& ops = file["tiling"]["ops"];
          ops.erase(ops.size() - 1);
        }).find("operators are told of") != std::string::npos);
  CHECK(refusalOf([](Json& file) {
          for (Json& op : file["tiling"]["ops"]) {
            if (op.contains("rows")) op["rows"] = {3, 1000};
          }
        }).find("has to have rows [first, end) of 12") != std::string::npos);
  CHECK(refusalOf([](Json& file) {
          for (Json& op : file["tiling"]["ops"]) {
            if (op.contains("of")) op["of"] = 77;
          }
        }).find("and no number 77") != std::string::npos);
}

TEST_CASE("whatever stands in a tiling, it is refused or can be replayed",
          "[tile][json][property]") {
  const Json file = fileOf(inLines(test::bulge())->graph());
  std::size_t refused = 0;
  for (const std::uint64_t seed : test::Seeds(300)) {
    std::mt19937_64 random(seed);
    Json spoilt = file;
    Json& list = spoilt["tiling"][random() % 2 == 0 ? "tensors" : "ops"];
    Json& entry = list[random() % list.size()];
    if (entry.empty()) continue;
    auto member = entry.begin();
    std::advance(member, static_cast<std::ptrdiff_t>(random() % entry.size()));
    switch (random() % 4) {
      case 0:
        entry.erase(member.key());
        break;
      case 1:
        *member = random() % 20;
        break;
      case 2:
        if (member->is_array()) (*member)[random() % member->size()] = random() % 8;
        break;
      default:
        *member = file["tensors"][random() % file["tensors"].size()]["name"];
        break;
    }
    const auto model = opened(spoilt);
    refused += model ? 0 : 1;
    if (model) static_cast<void>(replayBytes(*test::runGraph(*model->graph, {}), Bytes(1 << 20)));
  }
  CHECK(refused > test::rounds(50));
}

TEST_CASE("parts are not put in another order, or cut again", "[tile][json]") {
  Model model;
  model.graph = std::make_shared<const Graph>(inLines(test::bulge())->graph());
  const auto parts = std::make_shared<const Model>(std::move(model));
  for (const auto& change : std::initializer_list<void (*)(RunRequest&)>{
           [](RunRequest& request) { request.order = OpOrder::leastPeak; },
           [](RunRequest& request) { request.tile = TileRule::lines; },
           [](RunRequest& request) { request.inputs = InputPlace::rows; },
           [](RunRequest& request) {
             request.allocator = AllocatorChoice::parse("partition").value();
           }}) {
    RunRequest request = planningRequest();
    REQUIRE(execute(parts, request, {}));
    change(request);
    CHECK(test::mustFail(execute(parts, request, {}))
              .message.starts_with("the operators of this graph are parts already"));
  }
}
