#include "tests/core/import/onnx/onnx_models.h"
#include "tests/support/must.h"

// What is taken out of a sequence is as large as what went in.

namespace hw {
namespace {

constexpr int kInt64 = onnx::TensorProto::INT64;

void addNumber(onnx::GraphProto& graph, const std::string& name, std::int64_t value) {
  addWeight(graph, name, {}, kInt64).add_int64_data(value);
}

std::optional<Shape> shapeOf(const OnnxModel& onnx, const std::string& name) {
  const auto model = test::must(onnx.load());
  return tensorNamed(model, name).shape;
}

}  // namespace

TEST_CASE("a tensor out of a sequence has its own size", "[import][onnx][sequences]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "a", {"2", "3"});
  addInput(onnx.graph(), "b", {"5"});
  addInput(onnx.graph(), "where", {}, kInt64);
  addNumber(onnx.graph(), "last", -1);
  addNode(onnx.graph(), "SequenceConstruct", {"a", "b"}, {"pair"});
  addNode(onnx.graph(), "SequenceAt", {"pair", "last"}, {"known"});
  addNode(onnx.graph(), "SequenceAt", {"pair", "where"}, {"unknown"});
  addNode(onnx.graph(), "SequenceErase", {"pair"}, {"alone"});
  addNode(onnx.graph(), "SequenceAt", {"alone", "where"}, {"only"});
  addNode(onnx.graph(), "SequenceInsert", {"alone", "b", "where"}, {"again"});
  addNode(onnx.graph(), "SequenceLength", {"again"}, {"count"});
  for (const char* name : {"known", "unknown", "only", "count"}) addOutput(onnx.graph(), name);
  CHECK(shapeOf(onnx, "known") == Shape{5});
  CHECK_FALSE(shapeOf(onnx, "unknown"));        // (2, 3) or (5).
  CHECK(shapeOf(onnx, "only") == Shape{2, 3});  // Wherever it is looked for.
  CHECK(shapeOf(onnx, "count") == Shape());
}

TEST_CASE("what is split into a sequence comes out in parts", "[import][onnx][sequences]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "x", {"2", "7"});
  addInput(onnx.graph(), "where", {}, kInt64);
  addNumber(onnx.graph(), "three", 3);
  addNumber(onnx.graph(), "two", 2);
  auto& chunks = addNode(onnx.graph(), "SplitToSequence", {"x", "three"}, {"chunks"});
  setInt(chunks, "axis", 1);
  addNode(onnx.graph(), "SequenceAt", {"chunks", "two"}, {"rest"});
  auto& rows = addNode(onnx.graph(), "SplitToSequence", {"x"}, {"rows"});
  setInt(rows, "keepdims", 0);
  addNode(onnx.graph(), "SequenceAt", {"rows", "where"}, {"row"});
  auto& whole = addNode(onnx.graph(), "ConcatFromSequence", {"chunks"}, {"whole"});
  setInt(whole, "axis", -1);
  auto& stack = addNode(onnx.graph(), "ConcatFromSequence", {"rows"}, {"stack"});
  setInt(stack, "axis", 1);
  setInt(stack, "new_axis", 1);
  for (const char* name : {"rest", "row", "whole", "stack"}) addOutput(onnx.graph(), name);
  CHECK(shapeOf(onnx, "rest") == Shape{2, 1});
  CHECK(shapeOf(onnx, "row") == Shape{7});
  CHECK(shapeOf(onnx, "whole") == Shape{2, 7});
  CHECK(shapeOf(onnx, "stack") == Shape{7, 2});
}

TEST_CASE("an optional hands out what it holds", "[import][onnx][sequences]") {
  OnnxModel onnx(15);
  addInput(onnx.graph(), "x", {"2", "7"});
  addNode(onnx.graph(), "Optional", {"x"}, {"maybe"});
  addNode(onnx.graph(), "OptionalHasElement", {"maybe"}, {"there"});
  addNode(onnx.graph(), "OptionalGetElement", {"maybe"}, {"y"});
  addOutput(onnx.graph(), "there");
  addOutput(onnx.graph(), "y");
  CHECK(shapeOf(onnx, "there") == Shape());
  CHECK(shapeOf(onnx, "y") == Shape{2, 7});
}

TEST_CASE("few operators cannot make a program remember many tensors",
          "[import][onnx][sequences]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "x", {"4096"});
  constexpr int kSplits = 150;  // Of 4,096 tensors each: more than 500,000, which are remembered.
  const auto split = [](int i) { return "s" + std::to_string(i); };
  for (int i = 0; i < kSplits; ++i) addNode(onnx.graph(), "SplitToSequence", {"x"}, {split(i)});
  for (const int i : {0, kSplits - 1}) {
    addNode(onnx.graph(), "ConcatFromSequence", {split(i)}, {"whole " + split(i)});
    addNode(onnx.graph(), "SequenceErase", {split(i)}, {"fewer " + split(i)});
    addNode(onnx.graph(), "ConcatFromSequence", {"fewer " + split(i)}, {"rest " + split(i)});
    addOutput(onnx.graph(), "whole " + split(i));
    addOutput(onnx.graph(), "rest " + split(i));
  }
  CHECK(shapeOf(onnx, "whole s0") == Shape{4096});
  CHECK(shapeOf(onnx, "rest s0") == std::nullopt);  // Read after all splits: nothing is left.
  CHECK(shapeOf(onnx, "whole s149") == std::nullopt);
  // Each of them is still known to be as large as the others.
  addNode(onnx.graph(), "SequenceLength", {"s149"}, {"n"});
  addNode(onnx.graph(), "SequenceAt", {"s149", "n"}, {"one"});
  addOutput(onnx.graph(), "one");
  CHECK(shapeOf(onnx, "one") == Shape{1});
}

}  // namespace hw
