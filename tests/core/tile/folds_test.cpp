// Means, sums and largest elements that take in their input row by row.
#include "core/ops/folds.h"

#include <algorithm>
#include <functional>
#include <sstream>

#include "core/base/json.h"
#include "core/check/parts/part_flow.h"
#include "core/check/replay.h"
#include "core/graph/tiling.h"
#include "core/import/importer.h"
#include "core/ops/work.h"
#include "core/plan/validate.h"
#include "core/report/model/graph_writer.h"
#include "tests/support/findings.h"
#include "tests/support/fold_graphs.h"
#include "tests/support/graphs.h"
#include "tests/support/image_graphs.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"
#include "tests/support/rounds.h"

using namespace hw;
using namespace hw::literals;
using test::Folding;
using test::FoldOf;
using test::ImageGraph;

namespace {

std::shared_ptr<const Run> foldedIn(Graph graph, TileRule rule, test::RunOptions options = {}) {
  options.tile = rule;
  options.extraWork = 2;
  return test::runGraph(std::move(graph), options);
}

/// x (1, 12, 6, 1) -> conv 3x3 with 40 channels -> what comes of all places.
Graph crowned(Folding how) {
  ImageGraph images(true);
  const auto x = images.input(12, 6, 1);
  images.output(images.convolve(x, 40, {}));
  const Graph graph = std::move(images).build();
  return test::withFolds(graph, {{graph.outputs[0], how}});
}

/// Parts of folds, in order.
std::vector<OpId> foldParts(const Graph& graph) {
  std::vector<OpId> parts;
  for (const OpId id : graph.ops.keys()) {
    const Tiling::Part* part = partOf(graph, id);
    if (part != nullptr && isFoldPart(*part)) parts.push_back(id);
  }
  return parts;
}

/// The last operand: what came of the parts before.
bool goesOn(const Graph& graph, OpId part) {
  const TensorId last = graph.ops[part].inputs.back();
  const OpId maker = last ? graph.tensors[last].producer : OpId();
  return maker && partOf(graph, maker) != nullptr && isFoldPart(*partOf(graph, maker));
}

}  // namespace

TEST_CASE("the last image need not be there to take its mean", "[tile][fold]") {
  const auto whole = test::runGraph(crowned(Folding::mean));
  CHECK(whole->metrics.lowerBound == 72_B * 40 + 72_B);
  const auto run = foldedIn(crowned(Folding::mean), TileRule::lines);
  const Graph& graph = run->graph();
  REQUIRE(graph.tiling);
  // x, one row of six places and 40 channels, and 40 sums of 32 bits.
  CHECK(run->metrics.lowerBound == 72_B + Bytes(6 * 40) + Bytes(4 * 40));
  const auto parts = foldParts(graph);
  REQUIRE(parts.size() == 12);
  CHECK(displayName(graph, parts[3]) == "f1[r3]");
  const Tensor& soFar = graph.tensors[graph.ops[parts[3]].outputs[0]];
  CHECK(soFar.dtype == Dtype::int32);
  CHECK(soFar.name == "s4 so far[r3]");
  CHECK(graph.tensors[graph.ops[parts.back()].outputs[0]].bytes == 40_B);
  CHECK_FALSE(goesOn(graph, parts[0]));
  CHECK(goesOn(graph, parts[1]));
  CHECK(test::firstOf(replayBytes(*run, 1_MiB)) == "");
  CHECK(auditParts(graph, 1'000'000) == std::vector<std::string>());
}

TEST_CASE("what is largest so far is no wider than what is largest", "[tile][fold]") {
  const auto run = foldedIn(crowned(Folding::largest), TileRule::lines);
  CHECK(run->metrics.lowerBound == 72_B + Bytes(6 * 40) + 40_B);
  // All of it lies in the output.
  for (const OpId part : foldParts(run->graph())) {
    const TensorId made = run->graph().ops[part].outputs[0];
    CHECK(run->graph().tiling->wholeOf[pieceOf(run->graph(), made)->host]);
  }
  CHECK(test::firstOf(replayBytes(*run, 1_MiB)) == "");
}

TEST_CASE("which operators fold, and along which axes", "[tile][fold]") {
  const auto axesOf = [](Folding how, bool last) {
    ImageGraph images(last);
    const auto x = images.input(12, 6, 5);
    images.output(images.mapped(x));
    const Graph mapped = std::move(images).build();
    const Graph graph = test::withFolds(mapped, {{mapped.outputs[0], how}});
    const auto fold = foldOf(graph, OpId(1));
    return fold ? fold->axes : std::vector<bool>();
  };
  using Axes = std::vector<bool>;
  const Axes places = {false, true, true, false};
  CHECK(axesOf(Folding::pool, true) == places);
  CHECK(axesOf(Folding::mean, true) == places);
  CHECK(axesOf(Folding::flatMean, true) == places);
  CHECK(axesOf(Folding::rows, true) == Axes{false, true, false, false});
  CHECK(axesOf(Folding::average, false) == Axes{false, false, true, true});
  // A window that leaves some out folds nothing, nor does a sum that keeps all.
  ImageGraph images(true);
  const auto x = images.input(5, 5, 2);
  images.output(images.pool(x, {.kernel = 3, .before = 0, .after = 0}));
  images.output(images.mapped(x));
  const Graph graph = std::move(images).build();
  CHECK_FALSE(foldOf(graph, OpId(0)));
  CHECK_FALSE(foldOf(graph, OpId(1)));
}

TEST_CASE("what is folded in parts is all of it, once", "[tile][fold][property]") {
  std::size_t folded = 0;
  std::size_t cut = 0;
  for (const std::uint64_t seed : test::Seeds(300)) {
    const Graph graph = test::randomFolds(seed, 1 + seed % 8);
    test::RunOptions options{.alignment = seed % 3 == 0 ? 16 : 1};
    if (seed % 4 == 0) options.inputs = InputPlace::rows;
    if (seed % 5 == 0) options.alias = AliasRules::all();
    const auto rule = static_cast<TileRule>(1 + seed / 3 % 5);
    CAPTURE(options.alignment, seed % 4 == 0, options.alias.inPlace, tileRuleName(rule));
    const auto whole = test::runGraph(graph, options);
    const auto run = foldedIn(graph, rule, options);
    CHECK(validate(run->problem, run->plan).empty());
    CHECK(test::firstOf(replayBytes(*run, 1_MiB)) == "");
    CHECK(run->metrics.lowerBound <= whole->metrics.lowerBound);
    if (!run->graph().tiling) continue;
    CHECK(auditParts(run->graph(), 1'000'000) == std::vector<std::string>());
    IdMap<OpId, std::int64_t> touched(graph.ops.size());
    for (const OpId part : foldParts(run->graph())) {
      touched[partOf(run->graph(), part)->of] += workOf(run->graph(), part).touched;
      cut += partOf(run->graph(), part)->width > 1 ? 1 : 0;
    }
    for (const OpId id : graph.ops.keys()) {
      if (touched[id] == 0) continue;
      ++folded;
      CHECK(touched[id] == workOf(graph, id).touched);
    }
  }
  CHECK(folded > test::rounds(60));
  CHECK(cut > test::rounds(10));
}

TEST_CASE("a fold that misses a row, or has one twice, is found out", "[tile][fold][property]") {
  std::size_t mutants = 0;
  const auto isFound = [&](Graph mutant) {
    ++mutants;
    return !auditParts(mutant, 1'000'000).empty();
  };
  for (const std::uint64_t seed : test::Seeds(80)) {
    const auto run = foldedIn(test::randomFolds(seed, 1 + seed % 5), TileRule::lines);
    const Graph& graph = run->graph();
    for (const OpId part : foldParts(graph)) {
      CAPTURE(displayName(graph, part));
      const auto& inputs = graph.ops[part].inputs;
      Graph less = graph;
      less.ops[part].inputs.erase(less.ops[part].inputs.begin());
      CHECK(isFound(std::move(less)));
      Graph twice = graph;
      twice.ops[part].inputs.push_back(inputs.front());
      CHECK(isFound(std::move(twice)));
      if (!goesOn(graph, part)) continue;
      // From nothing, as if there had been no part before.
      Graph anew = graph;
      anew.ops[part].inputs.pop_back();
      CHECK(isFound(std::move(anew)));
    }
  }
  CHECK(mutants > test::rounds(100));
}

TEST_CASE("what is not done yet belongs to the next part alone", "[tile][fold]") {
  const auto run = foldedIn(crowned(Folding::largest), TileRule::lines);
  const Graph& graph = run->graph();
  const auto parts = foldParts(graph);
  REQUIRE(parts.size() > 3);
  const auto seam = std::ranges::find(graph.ops, kWholeType, &Op::type);
  REQUIRE(seam != graph.ops.end());
  const OpId all(static_cast<std::size_t>(seam - graph.ops.begin()));
  const TensorId early = graph.ops[parts[2]].outputs[0];
  Graph mutant = graph;
  mutant.ops[all].inputs = {early};
  mutant.tensors[early].consumers.push_back(all);
  CHECK_FALSE(auditParts(mutant, 1'000'000).empty());
  // Sums in as many bits as what is summed up.
  const auto mean = foldedIn(crowned(Folding::mean), TileRule::lines);
  Graph narrow = mean->graph();
  narrow.tensors[narrow.ops[foldParts(narrow)[1]].outputs[0]].bytes = 40_B;
  CHECK_FALSE(auditParts(narrow, 1'000'000).empty());
}

TEST_CASE("what a fold makes is not read in its own run", "[tile][fold]") {
  // Squeeze and excite: what comes of the image goes on to the image itself.
  ImageGraph images(true);
  const auto x = images.input(12, 6, 1);
  images.output(images.convolve(x, 16, {}));
  const Graph graph = std::move(images).build();
  const Graph squeezed =
      test::withFolds(graph, {{graph.outputs[0], Folding::mean, FoldOf::Then::added}});
  const auto whole = test::runGraph(squeezed);
  const auto run = foldedIn(squeezed, TileRule::lines);
  CHECK(run->metrics.lowerBound <= whole->metrics.lowerBound);
  CHECK(test::firstOf(replayBytes(*run, 1_MiB)) == "");
  if (run->graph().tiling) CHECK(auditParts(run->graph(), 1'000'000).empty());
}

TEST_CASE("a fold in parts is the same when it is opened again", "[tile][fold][json]") {
  std::size_t folded = 0;
  for (const std::uint64_t seed : test::Seeds(30)) {
    const auto rule = seed % 2 == 0 ? TileRule::lines : TileRule::any;
    const auto run = foldedIn(test::randomFolds(seed, 1 + seed % 5), rule);
    folded += foldParts(run->graph()).empty() ? 0 : 1;
    std::ostringstream out;
    writeGraphJson(run->graph(), out);
    const auto model = test::must(importModel(out.str(), "folds.graph.json", {}));
    std::ostringstream again;
    writeGraphJson(*model.graph, again);
    CHECK(again.str() == out.str());
    CHECK(test::runGraph(*model.graph)->metrics.lowerBound == run->metrics.lowerBound);
  }
  CHECK(folded >= test::rounds(10));
}

TEST_CASE("a file whose folds make no sense is refused", "[tile][fold][json]") {
  const auto refusalOf = [](const std::function<void(Json&)>& spoil) {
    std::ostringstream out;
    writeGraphJson(foldedIn(crowned(Folding::mean), TileRule::lines)->graph(), out);
    Json file = Json::parse(out.str());
    spoil(file);
    const auto model = importModel(file.dump(), "folds.graph.json", {});
    return model ? std::string() : model.error().text();
  };
  const auto partIn = [](Json& file) -> Json& {
    return *std::ranges::find_if(file["tiling"]["ops"],
                                 [](const Json& op) { return op.contains("size"); });
  };
  CHECK(refusalOf([](Json&) {}) == "");
  const std::string rows = refusalOf([&](Json& file) { partIn(file)["rows"] = {3, 99}; });
  CHECK(rows.find("has to have rows [first, end) of 12") != rows.npos);
  // What is wider than what it is a piece of has to go from fold to fold.
  const std::string wide = refusalOf([&](Json& file) {
    Json& part = partIn(file);
    part.erase("size");
    part["axis"] = 0;
    part["rows"] = {0, 1};
  });
  CHECK(wide.find("has elements of another size") != wide.npos);
}
