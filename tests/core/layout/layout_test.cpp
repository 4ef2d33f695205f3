// Images that are held channels last: every element is made of the elements that it was made of,
// and what is not as it says is found out.
#include "core/layout/layout.h"

#include <algorithm>
#include <map>
#include <random>
#include <sstream>

#include "core/check/layout/layout_flow.h"
#include "core/check/plan_audit.h"
#include "core/check/replay.h"
#include "core/graph/tiling.h"
#include "core/import/importer.h"
#include "core/layout/axis_order.h"
#include "core/plan/validate.h"
#include "core/plan_file/plan_reader.h"
#include "core/plan_file/plan_writer.h"
#include "core/report/model/graph_writer.h"
#include "tests/core/layout/layout_graphs.h"
#include "tests/support/findings.h"
#include "tests/support/graphs.h"
#include "tests/support/image_graphs.h"
#include "tests/support/must.h"
#include "tests/support/rounds.h"

using namespace hw;
using namespace hw::literals;

namespace {

using List = std::vector<std::int64_t>;
using Faults = std::vector<std::string>;

constexpr std::int64_t kAll = 1'000'000;

Relaid relaid(const Graph& graph) {
  return test::must(channelsLast(std::make_shared<const Graph>(graph)));
}

std::string typesOf(const Graph& graph) {
  std::string types;
  for (const Op& op : graph.ops) types += (types.empty() ? "" : " ") + op.type;
  return types;
}

std::string fileOf(const Graph& graph) {
  std::ostringstream out;
  writeGraphJson(graph, out);
  return out.str();
}

/// The judge's first finding on a plan that went into a file and came back.
template <class Writer>
std::string auditOf(const Run& run, Writer* write) {
  std::ostringstream file;
  write(run, file);
  const auto plan = test::must(readPlan(file.str()));
  const Audit audit = auditPlan(run.model, plan, {});
  if (!audit.findings.empty()) return audit.findings.front().message;
  return audit.run ? test::firstOf(replayBytes(*audit.run, 1_MiB)) : "nothing to replay";
}

Graph randomLayouts(std::uint64_t seed) { return test::LayoutGrower(seed, 3 + seed % 14).grow(); }

}  // namespace

TEST_CASE("orders of axes", "[layout]") {
  CHECK(channelsLastOrder(4) == AxisOrder{0, 2, 3, 1});
  CHECK(heldShape({1, 8, 5, 6}, {0, 2, 3, 1}) == Shape{1, 5, 6, 8});
  CHECK(permBetween({0, 1, 2, 3}, {0, 2, 3, 1}) == List{0, 2, 3, 1});
  CHECK(permBetween({0, 2, 3, 1}, {0, 1, 2, 3}) == List{0, 3, 1, 2});
  CHECK(isAsGiven(transposedOrder({0, 2, 3, 1}, {0, 2, 3, 1})));
  CHECK(transposedOrder({0, 1, 2, 3}, {0, 3, 1, 2}) == AxisOrder{0, 2, 3, 1});
  CHECK(sameInMemory({2, 8, 1, 1}, {0, 2, 3, 1}, {0, 1, 2, 3}));
  CHECK_FALSE(sameInMemory({2, 8, 1, 2}, {0, 2, 3, 1}, {0, 1, 2, 3}));
  SECTION("views move no byte where the axes that become one lie one behind the other") {
    const AxisOrder last{0, 2, 3, 1};
    CHECK(reshapedOrder({1, 8, 5, 6}, last, {1, 8, 30}) == AxisOrder{0, 2, 1});
    CHECK(reshapedOrder({1, 8, 5, 6}, last, {1, 2, 4, 5, 6}) == AxisOrder{0, 3, 4, 1, 2});
    CHECK(reshapedOrder({1, 8, 1, 1}, last, {1, 8}) == AxisOrder{0, 1});
    CHECK_FALSE(reshapedOrder({1, 8, 5, 6}, last, {1, 240}));
    CHECK_FALSE(reshapedOrder({1, 8, 5, 6}, last, {1, 40, 6}));
    CHECK_FALSE(reshapedOrder({1, 8, 0, 6}, last, {0}));
    CHECK_FALSE(reshapedOrder({1, 8, 5, 6}, last, {1, 8, 31}));
  }
}

TEST_CASE("Transposes at both ends of a model fold away", "[layout]") {
  test::ImageGraph images(false);
  const auto x = images.input(3, 6, 5);  // (1, 5, 3, 6) for the model: rows of NHWC seen as that.
  Op there{.type = "Transpose"};
  there.attributes["perm"] = List{0, 3, 1, 2};
  const auto first = images.op(there, {x}, {1, 6, 5, 3});
  const auto made = images.convolve(first, 4, {});
  Op back{.type = "Transpose"};
  back.attributes["perm"] = List{0, 2, 3, 1};
  const auto y = images.op(back, {images.mapped(made)}, {1, 5, 3, 4});
  images.output(y);
  const Relaid found = relaid(std::move(images).build());
  const Graph& graph = *found.graph;
  CHECK(typesOf(graph) == "Conv Relu");
  CHECK(*graph.tensors[graph.inputs[0]].shape == Shape{1, 5, 3, 6});
  CHECK(*graph.tensors[graph.outputs[0]].shape == Shape{1, 5, 3, 4});
  CHECK(found.account.folded == 2);
  CHECK(found.account.transposes == 0);
  CHECK(auditLayout(graph, kAll) == Faults());
  CHECK(layoutText(found.account) ==
        "images are held channels last, for 1 operator that works on them; 2 Transposes are not "
        "needed");
}

TEST_CASE("what mixes places and channels gets its image as the model has it", "[layout]") {
  test::ImageGraph images(false);
  const auto made = images.convolve(images.input(5, 6, 3), 4, {});
  images.output(images.flat(made));
  const Relaid found = relaid(std::move(images).build());
  CHECK(typesOf(*found.graph) == "Conv Transpose Flatten");
  CHECK(found.account.transposes == 1);
  CHECK(found.account.moved == 120_B);
  CHECK(auditLayout(*found.graph, kAll) == Faults());
  CHECK(layoutText(found.account) ==
        "images are held channels last, for 1 operator that works on them; 1 Transpose is added, "
        "which moves 120 bytes");
}

TEST_CASE("a mean of all places is flattened as it lies", "[layout]") {
  test::ImageGraph images(false);
  const auto made = images.convolve(images.input(5, 6, 3), 4, {});
  const auto mean = images.op({.type = "GlobalAveragePool"}, {made}, {1, 4, 1, 1});
  images.output(images.flat(mean));
  const Relaid found = relaid(std::move(images).build());
  CHECK(typesOf(*found.graph) == "Conv GlobalAveragePool Reshape");
  CHECK(found.account.transposes == 0);
  CHECK(found.account.views == 0);
  CHECK(auditLayout(*found.graph, kAll) == Faults());
}

TEST_CASE("channels are shuffled without going back", "[layout]") {
  test::ImageGraph images(false);
  const auto made = images.convolve(images.input(5, 6, 3), 8, {});
  const auto apart = images.op({.type = "Reshape"}, {made, images.weight({5})}, {1, 2, 4, 5, 6});
  Op deal{.type = "Transpose"};
  deal.attributes["perm"] = List{0, 2, 1, 3, 4};
  const auto dealt = images.op(deal, {apart}, {1, 4, 2, 5, 6});
  const auto whole = images.op({.type = "Reshape"}, {dealt, images.weight({4})}, {1, 8, 5, 6});
  images.output(images.convolve(whole, 2, {}));
  const Relaid found = relaid(std::move(images).build());
  const Graph& graph = *found.graph;
  CHECK(typesOf(graph) == "Conv Reshape Transpose Reshape Conv");
  CHECK(graph.ops[OpId(2)].intsAttribute("perm") == List{0, 1, 2, 4, 3});
  CHECK(*graph.tensors[graph.ops[OpId(2)].outputs[0]].shape == Shape{1, 5, 6, 4, 2});
  CHECK(found.account.transposes == 0);
  CHECK(auditLayout(graph, kAll) == Faults());
}

TEST_CASE("what another layout has nothing to do with stays as it is", "[layout]") {
  const auto why = [](Graph graph) {
    const auto before = std::make_shared<const Graph>(std::move(graph));
    const auto found = test::must(channelsLast(before));
    CHECK(found.graph == before);
    return layoutText(found.account);
  };
  CHECK(why(test::chainGraph()) ==
        "nothing is held in another layout: no operator that is known to have such a form works on "
        "images of four dimensions");
  test::ImageGraph images(true);
  images.output(images.convolve(images.input(5, 6, 3), 4, {}));
  CHECK(why(std::move(images).build()) ==
        "nothing is held in another layout: the model's images have their channels last already");
}

TEST_CASE("graphs held channels last hold what they held", "[layout][property]") {
  std::size_t folded = 0;
  std::size_t added = 0;
  for (const std::uint64_t seed : test::Seeds(600)) {
    const Graph before = randomLayouts(seed);
    const Relaid found = relaid(before);
    const Graph& graph = *found.graph;
    if (!isRelaid(graph)) {
      CHECK(found.account.whyNot != "");
      continue;
    }
    CHECK(auditLayout(graph, kAll) == Faults());
    CHECK(graph.ops.size() + found.account.folded ==
          before.ops.size() + found.account.transposes + found.account.views);
    // All images of the operators that work on them have their channels last.
    for (const Op& op : graph.ops) {
      if (op.type == "Conv") CHECK(op.intAttribute("channels_last", 0) == 1);
    }
    // As a graph by itself, it is as it should be.
    Graph alone = graph;
    alone.tiling = nullptr;
    const auto again = std::make_shared<const Graph>(std::move(alone));
    const auto twice = test::must(channelsLast(again));
    CHECK(twice.graph == again);
    auto read = test::must(importModel(fileOf(graph), "held.graph.json", {}));
    CHECK(fileOf(*read.graph) == fileOf(graph));
    folded += found.account.folded;
    added += found.account.transposes;
  }
  CHECK(folded > test::rounds(100));
  CHECK(added > test::rounds(100));
}

TEST_CASE("images of all operators that have rows are held as well", "[layout][property]") {
  for (const std::uint64_t seed : test::Seeds(300)) {
    const Relaid found = relaid(test::randomImages(seed, 9));
    CHECK(auditLayout(*found.graph, kAll) == Faults());
  }
}

TEST_CASE("plans of images held channels last hold, with all else that rewrites",
          "[layout][property]") {
  std::size_t overlaps = 0;
  std::size_t parts = 0;
  for (const std::uint64_t seed : test::Seeds(150)) {
    RunRequest request = planningRequest();
    request.channelsLast = true;
    request.alignment = seed % 3 == 0 ? 16_B : 1_B;
    request.alias = seed % 4 == 0 ? AliasRules() : AliasRules::all();
    if (seed % 2 == 0) request.order = OpOrder::leastPeak;
    request.overlap = true;
    for (UnitSpec& unit : request.platform.devices.front().units) {
      unit.kernels = {.forward = true, .reverse = seed % 2 == 1};
    }
    if (seed % 5 == 3) request.tile = seed % 2 == 0 ? TileRule::lines : TileRule::any;
    request.recompute = seed % 5 == 4;
    const auto run = test::must(execute(test::modelOf(randomLayouts(seed)), request, {}));
    CHECK(validate(run->problem, run->plan).empty());
    CHECK(test::firstOf(replayBytes(*run, 1_MiB)) == "");
    CHECK(auditOf(*run, writePlanJson) == "");
    const bool whole = request.tile == TileRule::off && !request.recompute;
    if (whole && request.order == OpOrder::given) CHECK(auditOf(*run, writePlanCsv) == "");
    overlaps += run->problem.overlaps.size();
    parts += runsInParts(run->graph()) ? 1 : 0;
  }
  CHECK(overlaps > test::rounds(30));
  CHECK(parts > test::rounds(3));
}

TEST_CASE("what is held otherwise than it says is found out", "[layout][property]") {
  std::map<std::string, std::size_t> mutants;
  for (const std::uint64_t seed : test::Seeds(200)) {
    const Relaid found = relaid(randomLayouts(seed));
    const Graph& graph = *found.graph;
    if (!isRelaid(graph)) continue;
    const auto caught = [&](const Graph& mutant) { return !auditLayout(mutant, kAll).empty(); };
    const auto large = [&](TensorId id) {
      const Shape& shape = *graph.tensors[id].shape;
      return std::ranges::count_if(shape, [](std::int64_t size) { return size > 1; }) > 1;
    };
    for (const OpId id : graph.ops.keys()) {
      const Op& op = graph.ops[id];
      CAPTURE(op.name, op.type);
      const OpId of = graph.tiling->opOf[id];
      if (!of) {
        // What was added is left out.
        for (const OpId reader : graph.tensors[op.outputs[0]].consumers) {
          // What takes all elements together takes them in any order.
          const std::string& type = graph.ops[reader].type;
          const bool all = type == "Softmax" || type.starts_with("Reduce");
          if (op.type != "Transpose" || all) continue;
          CAPTURE(graph.ops[reader].type, graph.ops[reader].name);
          Graph mutant = graph;
          auto& inputs = mutant.ops[reader].inputs;
          std::ranges::replace(inputs, op.outputs[0], op.inputs[0]);
          CHECK(caught(mutant));
          ++mutants["left out"];
        }
        continue;
      }
      // One axis is as the model counts it.
      for (const char* name : {"axis", "axes", "pads", "perm"}) {
        const Op& before = graph.tiling->original->ops[of];
        const auto now = op.attributes.find(name);
        const auto then = before.attributes.find(name);
        const bool moved = now != op.attributes.end() && then != before.attributes.end() &&
                           now->second != then->second;
        const bool exact = op.type != "Gather" && op.type != "Softmax" && large(op.inputs[0]);
        if (!moved || !exact) continue;
        Graph mutant = graph;
        mutant.ops[id].attributes[name] = then->second;
        // Along axes of one element nothing changes.
        const auto& order = graph.tiling->orders[op.outputs[0]];
        if (order.size() != 4 || elementCount(*graph.tensors[op.outputs[0]].shape) < 2) continue;
        const bool same = std::ranges::equal(*graph.tensors[op.inputs[0]].shape,
                                             *graph.tensors[op.outputs[0]].shape);
        if (same) continue;
        if (!caught(mutant)) UNSCOPED_INFO(name);
        CHECK(caught(mutant));
        ++mutants[name];
      }
      if (op.type == "Conv" && op.attributes.contains("channels_last") && large(op.inputs[0])) {
        const Shape& in = *graph.tensors[op.inputs[0]].shape;
        if (in[1] > 1 && in[3] > 1) {
          Graph mutant = graph;
          mutant.ops[id].attributes.erase("channels_last");
          CHECK(caught(mutant));
          ++mutants["channels_last"];
        }
      }
      // Two axes of what it makes are the other way round.
      auto tiling = std::make_shared<Tiling>(*graph.tiling);
      auto& order = tiling->orders[op.outputs[0]];
      const Shape& shape = *graph.tensors[op.outputs[0]].shape;
      const bool follows = op.type == "Relu" || op.type == "Add" || op.type == "BatchNormalization";
      if (order.size() == 4 && shape[2] > 1 && shape[3] > 1 && follows) {
        std::swap(order[2], order[3]);
        Graph mutant = graph;
        mutant.tiling = tiling;
        CHECK(caught(mutant));
        ++mutants["order"];
      }
      // A weight that is broadcast was left as the model has it.
      for (std::size_t input = 1; input < op.inputs.size(); ++input) {
        const TensorId weight = op.inputs[input];
        const TensorId model = graph.tiling->wholeOf[weight];
        const bool turned = graph.tensors[weight].constant && isHeldOtherwise(graph, weight);
        if (!turned || !large(weight)) continue;
        auto given = std::make_shared<Tiling>(*graph.tiling);
        Graph mutant = graph;
        mutant.tensors[weight].shape = graph.tiling->original->tensors[model].shape;
        given->orders[weight] = asGiven(mutant.tensors[weight].shape->size());
        mutant.tiling = given;
        CHECK(caught(mutant));
        ++mutants["weight"];
      }
    }
  }
  for (const char* kind :
       {"left out", "axis", "axes", "pads", "channels_last", "order", "weight"}) {
    CAPTURE(kind);
    CHECK(mutants[kind] > 0);
  }
}

TEST_CASE("attributes may say anything", "[layout][property]") {
  const std::int64_t kNumbers[] = {-9, -1, 0, 1, 2, 3, 4, 7, 1'000'000'007, INT64_MAX, INT64_MIN};
  std::size_t held = 0;
  for (const std::uint64_t seed : test::Seeds(300)) {
    std::mt19937_64 random(seed);
    const auto number = [&] { return kNumbers[random() % std::size(kNumbers)]; };
    Graph graph = randomLayouts(seed);
    for (Op& op : graph.ops) {
      if (random() % 3 > 0) continue;
      const char* kNames[] = {"axis", "group",   "blocksize", "axes",
                              "perm", "strides", "dilations", "kernel_shape",
                              "pads", "starts",  "keepdims"};
      const char* name = kNames[random() % std::size(kNames)];
      if (random() % 2 == 0) {
        op.attributes[name] = number();
      } else {
        List list;
        for (std::size_t i = random() % 9; i > 0; --i) list.push_back(number());
        op.attributes[name] = list;
      }
    }
    // No crash and no end of waiting; and what comes of it is one graph or the other.
    const Relaid found = relaid(graph);
    held += isRelaid(*found.graph) ? 1 : 0;
    const Faults faults = auditLayout(*found.graph);
    for (const std::string& fault : faults) CHECK(!fault.empty());
  }
  CHECK(held > test::rounds(100));
}
