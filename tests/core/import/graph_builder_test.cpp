#include "core/rewrite/graph_builder.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <set>

#include "core/ops/op_table.h"
#include "tests/support/must.h"

namespace hw {
namespace {

using Handle = GraphBuilder::Handle;
using Handles = std::vector<Handle>;

Handle addNamed(GraphBuilder& builder, const std::string& name, bool constant = false) {
  return builder.addTensor({.name = name, .bytes = Bytes(4), .constant = constant});
}

void addOp(GraphBuilder& builder, const std::string& name, Handles inputs, Handles outputs) {
  builder.addOp({.op = {.name = name, .type = "Add"},
                 .inputs = std::move(inputs),
                 .outputs = std::move(outputs),
                 .where = "op " + name});
}

std::string buildError(GraphBuilder&& builder) {
  return test::mustFail(std::move(builder).build()).text();
}

/// Ops 0..n-1 in topological order, each writing one tensor and reading earlier ones, stored in
/// the order `stored`.
Result<Graph> shuffledDag(std::mt19937& random, const std::vector<std::size_t>& stored) {
  GraphBuilder builder("dag", "test");
  const Handle input = addNamed(builder, "in");
  builder.addInput(input);
  Handles outputs;
  std::vector<Handles> reads;
  for (std::size_t op = 0; op < stored.size(); ++op) {
    outputs.push_back(addNamed(builder, "t" + std::to_string(op)));
    Handles list{input};
    for (int i = 0; i < 3 && op > 0; ++i) list.push_back(outputs[random() % op]);
    reads.push_back(list);
  }
  for (const std::size_t op : stored) addOp(builder, std::to_string(op), reads[op], {outputs[op]});
  return std::move(builder).build();
}

bool respectsDependences(const Graph& graph) {
  return std::ranges::all_of(graph.ops.keys(), [&](OpId op) {
    return std::ranges::all_of(graph.ops[op].inputs, [&](TensorId id) {
      return !graph.tensors[id].producer || graph.tensors[id].producer < op;
    });
  });
}

}  // namespace

TEST_CASE("ops stored in any order come out in a topological one", "[graph]") {
  const unsigned seed = GENERATE(range(0U, 40U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  std::vector<std::size_t> stored(1 + random() % 60);
  std::iota(stored.begin(), stored.end(), std::size_t{0});
  std::shuffle(stored.begin(), stored.end(), random);

  const auto graph = test::must(shuffledDag(random, stored));
  CHECK(respectsDependences(graph));
  std::vector<std::size_t> place(stored.size());
  for (std::size_t at = 0; at < stored.size(); ++at) place[stored[at]] = at;

  // From the last op that nobody waits for back to what it waits for, the last stored first.
  std::vector<std::size_t> order;
  std::set<std::size_t> seen;
  const auto nameOf = [&](OpId op) { return std::stoul(graph.ops[op].name); };
  const std::function<void(std::size_t)> visit = [&](std::size_t at) {
    if (!seen.insert(at).second) return;
    std::set<std::size_t, std::greater<>> awaited;
    for (const OpId op : graph.ops.keys()) {
      if (nameOf(op) != stored[at]) continue;
      for (const TensorId read : graph.ops[op].inputs) {
        const OpId maker = graph.tensors[read].producer;
        if (maker) awaited.insert(place[nameOf(maker)]);
      }
    }
    std::ranges::for_each(awaited, visit);
    order.push_back(stored[at]);
  };
  for (std::size_t at = stored.size(); at-- > 0;) {
    const auto isRead = [&](OpId op) {
      return nameOf(op) == stored[at] && !graph.tensors[graph.ops[op].outputs[0]].consumers.empty();
    };
    if (std::ranges::none_of(graph.ops.keys(), isRead)) visit(at);
  }
  const auto& expected = graph.reordered ? order : stored;
  for (const OpId op : graph.ops.keys()) CHECK(nameOf(op) == expected[op.index()]);
}

TEST_CASE("a topological order is kept as it is", "[graph]") {
  std::mt19937 random(7);
  std::vector<std::size_t> stored(50);
  std::iota(stored.begin(), stored.end(), std::size_t{0});
  const auto graph = test::must(shuffledDag(random, stored));
  CHECK_FALSE(graph.reordered);
  for (const OpId op : graph.ops.keys()) CHECK(graph.ops[op].name == std::to_string(op.index()));
}

TEST_CASE("tensors are numbered inputs first, then outputs by op, then weights", "[graph]") {
  GraphBuilder builder("g", "test");
  const Handle weight = addNamed(builder, "w", true);
  const Handle b = addNamed(builder, "b");
  const Handle a = addNamed(builder, "a");
  const Handle x = addNamed(builder, "x");
  builder.addInput(weight);  // As ONNX IR 3 lists its weights: not an input then.
  builder.addInput(x);
  addOp(builder, "first", {x, weight, GraphBuilder::kAbsent}, {a});
  addOp(builder, "second", {a, a, x}, {GraphBuilder::kAbsent, b});
  builder.addOutput(b);
  const auto graph = test::must(std::move(builder).build());

  std::vector<std::string> names;
  for (const Tensor& tensor : graph.tensors) names.push_back(tensor.name);
  CHECK(names == std::vector<std::string>{"x", "a", "b", "w"});
  CHECK(graph.inputs == std::vector{TensorId(0)});
  CHECK(graph.tensors[TensorId(0)].graphInput);
  CHECK_FALSE(graph.tensors[TensorId(3)].graphInput);
  CHECK(graph.tensors[TensorId(2)].graphOutput);
  CHECK(graph.tensors[TensorId(0)].consumers == std::vector{OpId(0), OpId(1)});
  CHECK(graph.tensors[TensorId(1)].consumers == std::vector{OpId(1)});
  CHECK(graph.tensors[TensorId(2)].producer == OpId(1));
  CHECK_FALSE(graph.ops[OpId(0)].inputs[2]);
}

TEST_CASE("what is computed from constants only is a constant", "[graph]") {
  GraphBuilder builder("g", "test");
  const Handle x = addNamed(builder, "x");
  const Handle w = addNamed(builder, "w", true);
  const Handle folded = addNamed(builder, "folded");
  const Handle twice = addNamed(builder, "twice");
  const Handle noise = addNamed(builder, "noise");
  const Handle literal = addNamed(builder, "literal");
  const Handle y = addNamed(builder, "y");
  const Handle body = addNamed(builder, "body");
  builder.addInput(x);
  addOp(builder, "second", {folded}, {twice});
  addOp(builder, "first", {w}, {folded});
  addOp(builder, "noise", {}, {noise});
  builder.addOp({.op = {.type = "Constant"}, .outputs = {literal}});
  addOp(builder, "live", {x, twice}, {y});
  builder.addOp({.op = {.type = "If"}, .inputs = {w}, .outputs = {body}, .captures = {x}});
  const auto graph = test::must(std::move(builder).build());

  const auto constant = [&](const std::string& name) {
    return std::ranges::find(graph.tensors, name, &Tensor::name)->constant;
  };
  CHECK(constant("folded"));
  CHECK(constant("twice"));
  CHECK(constant("literal"));
  CHECK_FALSE(constant("noise"));
  CHECK_FALSE(constant("y"));
  CHECK_FALSE(constant("body"));
  CHECK(graph.ops.size() == 6);  // A folded op keeps its step.
}

TEST_CASE("an op that runs bodies is not computed ahead of time, even from constants", "[graph]") {
  int rows = 0;
  for (const OpInfo& row : opTable()) {
    if (row.kind != OpClass::body) continue;
    ++rows;
    GraphBuilder builder("g", "test");
    const Handle w = addNamed(builder, "w", true);
    const Handle plain = addNamed(builder, "plain");
    const Handle made = addNamed(builder, "made");
    addOp(builder, "plain", {w}, {plain});
    builder.addOp({.op = {.type = std::string(row.type), .domain = std::string(row.domain)},
                   .inputs = {w},
                   .outputs = {made}});
    const auto graph = test::must(std::move(builder).build());
    CAPTURE(row.type, row.domain);
    CHECK(std::ranges::find(graph.tensors, "plain", &Tensor::name)->constant);
    CHECK_FALSE(std::ranges::find(graph.tensors, "made", &Tensor::name)->constant);
  }
  CHECK(rows > 4);
}

TEST_CASE("graphs that mean nothing are refused, naming the culprit", "[graph]") {
  GraphBuilder builder("g", "test");
  const Handle x = addNamed(builder, "x");
  const Handle a = addNamed(builder, "a");
  const Handle b = addNamed(builder, "b");
  builder.addInput(x);
  SECTION("two producers") {
    addOp(builder, "one", {x}, {a});
    addOp(builder, "two", {x}, {a});
    CHECK(buildError(std::move(builder)) ==
          "operator 'two' produces tensor 'a', which already comes from operator 'one' (op two)");
  }
  SECTION("a cycle") {
    addOp(builder, "before", {x}, {});
    addOp(builder, "one", {b, x}, {a});
    addOp(builder, "two", {a}, {b});
    addOp(builder, "after", {b}, {});
    CHECK(buildError(std::move(builder)) ==
          "the operators form a cycle: operator 'one', operator 'two' (op one)");
  }
  SECTION("an op that reads what it writes") {
    addOp(builder, "own", {a}, {a});
    CHECK(buildError(std::move(builder)) == "the operators form a cycle: operator 'own' (op own)");
  }
  SECTION("a producer of an input") {
    addOp(builder, "one", {a}, {x});
    CHECK(buildError(std::move(builder)) ==
          "operator 'one' produces tensor 'x', which is an input of the graph (op one)");
  }
  SECTION("nobody produces what is read") {
    addOp(builder, "one", {a}, {b});
    CHECK(buildError(std::move(builder)).starts_with("operator 'one' reads tensor 'a', which is "));
  }
  SECTION("an input listed twice") {
    builder.addInput(x);
    CHECK(buildError(std::move(builder)) == "tensor 'x' is listed twice among the graph's inputs");
  }
}

TEST_CASE("an op with 100,000 inputs is read in one pass", "[graph]") {
  GraphBuilder builder("g", "test");
  Handles inputs;
  for (int i = 0; i < 100'000; ++i) {
    inputs.push_back(addNamed(builder, ""));
    builder.addInput(inputs.back());
  }
  inputs.push_back(inputs.front());
  const Handle y = addNamed(builder, "y");
  addOp(builder, "sum", inputs, {y});
  const auto graph = test::must(std::move(builder).build());
  const auto reads = graph.reads(OpId(0));
  CHECK(reads.size() == 100'000);
  CHECK(std::ranges::is_sorted(reads));
}

TEST_CASE("a cycle through 100,000 ops is named without exhausting the stack", "[graph]") {
  GraphBuilder builder("g", "test");
  Handles ring;
  for (int i = 0; i < 100'000; ++i) ring.push_back(addNamed(builder, ""));
  for (std::size_t i = 0; i < ring.size(); ++i) {
    addOp(builder, std::to_string(i), {ring[i]}, {ring[(i + 1) % ring.size()]});
  }
  CHECK(buildError(std::move(builder)).find("operator '7' and 99992 more") != std::string::npos);
}

}  // namespace hw
