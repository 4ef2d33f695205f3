#include "tests/core/import/onnx/onnx_models.h"
#include "tests/support/must.h"

// Control flow as steps of the graph.

namespace hw {
namespace {

/// "Shape Gather LoopEnd": the types of the ops, in order.
std::string typesOf(const Model& model) {
  std::string types;
  for (const Op& op : model.graph->ops) types += (types.empty() ? "" : " ") + op.type;
  return types;
}

/// If c then (Sin, Cos) of x else Neg of x; the condition is an input.
OnnxModel branchModel() {
  OnnxModel onnx;
  addInput(onnx.graph(), "c", {}, onnx::TensorProto::BOOL);
  addInput(onnx.graph(), "x", {"2", "3"});
  auto& node = addNode(onnx.graph(), "If", {"c"}, {"y"});
  node.set_name("choice");
  onnx::GraphProto& yes = addBody(node, "then_branch");
  addNode(yes, "Sin", {"x"}, {"s"});
  addNode(yes, "Cos", {"s"}, {"t"});
  addOutput(yes, "t");
  onnx::GraphProto& no = addBody(node, "else_branch");
  addNode(no, "Neg", {"x"}, {"n"});
  addOutput(no, "n");
  addOutput(onnx.graph(), "y");
  return onnx;
}

}  // namespace

TEST_CASE("a branch stands in the place of its If", "[import][onnx]") {
  const OnnxModel onnx = branchModel();
  const auto yes = test::must(onnx.load({.dimensions = {{"c", 1}}}));
  CHECK(typesOf(yes) == "Sin Cos");
  CHECK(tensorNamed(yes, "choice/s").bytes == Bytes(24));
  CHECK(tensorNamed(yes, "y").producer == OpId(1));
  CHECK(tensorNamed(yes, "y").origin == SizeOrigin::inferred);

  const auto no = test::must(onnx.load({.dimensions = {{"c", 0}}}));
  CHECK(typesOf(no) == "Neg");

  const auto closed = test::must(onnx.load({.closedBodies = true}));
  CHECK(typesOf(closed) == "If");
  CHECK(closed.graph->ops[OpId(0)].captures.size() == 1);
}

TEST_CASE("of two possible branches the larger one is shown, with a note", "[import][onnx]") {
  const auto model = test::must(branchModel().load());
  CHECK(typesOf(model) == "Sin Cos");
  REQUIRE(model.graph->notes.size() >= 1);
  CHECK(model.graph->notes[0].find("the condition of If 'choice' is not known") == 0);
}

TEST_CASE("a branch that only hands on takes a copy", "[import][onnx]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "c", {}, onnx::TensorProto::BOOL);
  addInput(onnx.graph(), "x", {"2", "3"});
  auto& node = addNode(onnx.graph(), "If", {"c"}, {"a", "b"});
  for (const char* name : {"then_branch", "else_branch"}) {
    onnx::GraphProto& body = addBody(node, name);
    addNode(body, "Sin", {"x"}, {"s"});
    addOutput(body, "s");
    addOutput(body, "s");
  }
  const auto model = test::must(onnx.load());
  CHECK(typesOf(model) == "Sin Identity");
}

//   step        Loop  Sin  Add  Neg  LoopEnd  Relu
//   outer        x----x----x----x----x               read in every turn, so live to the end
//   rows         x----x----x----x----x----x          room for all of them from the start
TEST_CASE("a loop becomes one turn between two ops", "[import][onnx]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "x", {"4"});
  addInput(onnx.graph(), "outer", {"4"});
  addWeight(onnx.graph(), "trips", {}, onnx::TensorProto::INT64).add_int64_data(5);
  auto& node = addNode(onnx.graph(), "Loop", {"trips", "", "x"}, {"last", "rows"});
  node.set_name("loop");
  onnx::GraphProto& body = addBody(node, "body");
  addInput(body, "i", {}, onnx::TensorProto::INT64);
  addInput(body, "go", {}, onnx::TensorProto::BOOL);
  addInput(body, "v", {"4"});
  addNode(body, "Sin", {"outer"}, {"s"});
  addNode(body, "Add", {"v", "s"}, {"next"});
  addNode(body, "Neg", {"next"}, {"row"});
  for (const char* name : {"go", "next", "row"}) addOutput(body, name);
  addNode(onnx.graph(), "Relu", {"rows"}, {"y"});
  const auto model = test::must(onnx.load());
  CHECK(typesOf(model) == "Loop Sin Add Neg LoopEnd Relu");
  const Graph& graph = *model.graph;
  CHECK(tensorNamed(model, "rows").shape == Shape{5, 4});
  CHECK(tensorNamed(model, "rows").producer == OpId(0));
  CHECK(tensorNamed(model, "outer").consumers.back() == OpId(4));
  CHECK(tensorNamed(model, "loop/v").producer == OpId(0));
  CHECK(graph.ops[OpId(2)].intAttribute("turns", 0) == 5);
  CHECK(graph.ops[OpId(5)].intAttribute("turns", 0) == 0);
}

TEST_CASE("a scan hands slices to each turn", "[import][onnx]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "state", {"4"});
  addInput(onnx.graph(), "xs", {"7", "4"});
  auto& node = addNode(onnx.graph(), "Scan", {"state", "xs"}, {"end", "ys"});
  setInt(node, "num_scan_inputs", 1);
  onnx::GraphProto& body = addBody(node, "body");
  addInput(body, "s", {});
  addInput(body, "x", {});
  addNode(body, "Add", {"s", "x"}, {"next"});
  addOutput(body, "next");
  addOutput(body, "next");
  const auto model = test::must(onnx.load());
  CHECK(typesOf(model) == "Scan Add ScanEnd");
  CHECK(tensorNamed(model, "Scan/x").bytes == Bytes(16));
  CHECK(tensorNamed(model, "ys").bytes == Bytes(112));
  CHECK(model.graph->ops[OpId(1)].intAttribute("turns", 0) == 7);
}

TEST_CASE("a slice from the number of a turn to the next is one row", "[import][onnx]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "boxes", {"5", "4"});
  addWeight(onnx.graph(), "trips", {}, onnx::TensorProto::INT64).add_int64_data(5);
  addWeight(onnx.graph(), "one", {}, onnx::TensorProto::INT64).add_int64_data(1);
  addIntegers(onnx.graph(), "zero", {0});
  addIntegers(onnx.graph(), "columns", {2});
  addIntegers(onnx.graph(), "axes", {0, 1});
  auto& node = addNode(onnx.graph(), "Loop", {"trips", ""}, {"rows"});
  node.set_name("loop");
  onnx::GraphProto& body = addBody(node, "body");
  addInput(body, "i", {}, onnx::TensorProto::INT64);
  addInput(body, "go", {}, onnx::TensorProto::BOOL);
  addNode(body, "Unsqueeze", {"i", "zero"}, {"from"});
  addNode(body, "Add", {"from", "one"}, {"to"});
  addNode(body, "Slice", {"boxes", "from", "to"}, {"box"});
  setInt(addNode(body, "Concat", {"from", "zero"}, {"corner"}), "axis", 0);
  setInt(addNode(body, "Concat", {"to", "columns"}, {"end"}), "axis", 0);
  addNode(body, "Slice", {"boxes", "corner", "end", "axes"}, {"part"});
  addNode(body, "Slice", {"boxes", "zero", "from"}, {"before"});
  for (const char* name : {"go", "box"}) addOutput(body, name);
  const auto model = test::must(onnx.load());
  CHECK(tensorNamed(model, "loop/box").shape == Shape{1, 4});
  CHECK(tensorNamed(model, "loop/box").origin == SizeOrigin::inferred);
  CHECK(tensorNamed(model, "loop/part").shape == Shape{1, 2});
  CHECK(tensorNamed(model, "loop/before").origin == SizeOrigin::assumed);
  CHECK(tensorNamed(model, "rows").shape == Shape{5, 1, 4});
}

}  // namespace hw
