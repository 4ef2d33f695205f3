#include "core/import/onnx/dimension_expression.h"
#include "tests/core/import/onnx/onnx_models.h"
#include "tests/support/must.h"

// Sizes that the file leaves open: free dimensions, values of inputs, and what depends on data.

namespace hw {
namespace {

bool hasNote(const Model& model, const std::string& part) {
  for (const std::string& note : model.graph->notes) {
    if (note.find(part) != std::string::npos) return true;
  }
  return false;
}

/// x (batch, k) through `type` with a weight of `weight`.
OnnxModel weighted(const std::string& type, const Dims& input,
                   const std::vector<std::int64_t>& weight) {
  OnnxModel onnx(17);
  addInput(onnx.graph(), "x", input);
  addWeight(onnx.graph(), "w", weight);
  addNode(onnx.graph(), type, {"x", "w"}, {"y"});
  addOutput(onnx.graph(), "y");
  return onnx;
}

}  // namespace

TEST_CASE("what depends on data is taken at its most, and says so", "[import][onnx]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "x", {"2", "3"});
  addInput(onnx.graph(), "boxes", {"1", "50", "4"});
  addInput(onnx.graph(), "scores", {"1", "2", "50"});
  addIntegers(onnx.graph(), "ten", {10});
  addNode(onnx.graph(), "NonZero", {"x"}, {"found"});
  addNode(onnx.graph(), "Transpose", {"found"}, {"after"});
  addNode(onnx.graph(), "NonMaxSuppression", {"boxes", "scores", "ten"}, {"kept"});
  const auto model = test::must(onnx.load());
  CHECK(tensorNamed(model, "found").shape == Shape{2, 6});
  CHECK(tensorNamed(model, "after").shape == Shape{6, 2});
  CHECK(tensorNamed(model, "after").origin == SizeOrigin::assumed);
  CHECK(tensorNamed(model, "kept").shape == Shape{20, 3});
  CHECK(hasNote(model, "dimension 1 of 'found' depends on data: taken as the most it can be, 6"));

  const auto bound = test::must(onnx.load({.dimensions = {{"found[1]", 4}}}));
  CHECK(tensorNamed(bound, "after").shape == Shape{4, 2});
  CHECK(tensorNamed(bound, "after").origin == SizeOrigin::inferred);
}

TEST_CASE("without any bound it is taken as 1", "[import][onnx]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "n", {}, onnx::TensorProto::INT64);
  addWeight(onnx.graph(), "zero", {}, onnx::TensorProto::INT64).add_int64_data(0);
  addWeight(onnx.graph(), "one", {}, onnx::TensorProto::INT64).add_int64_data(1);
  addNode(onnx.graph(), "Range", {"zero", "n", "one"}, {"r"});
  const auto model = test::must(onnx.load());
  CHECK(tensorNamed(model, "r").shape == Shape{1});
  CHECK(tensorNamed(model, "r").origin == SizeOrigin::assumed);

  const auto given = test::must(onnx.load({.dimensions = {{"n", 7}}}));  // The value of an input.
  CHECK(tensorNamed(given, "r").shape == Shape{7});
  CHECK(tensorNamed(given, "r").origin == SizeOrigin::evaluated);
}

TEST_CASE("an input without a shape takes one from the command line", "[import][onnx]") {
  OnnxModel onnx;
  onnx::ValueInfoProto& input = *onnx.graph().add_input();
  input.set_name("x");
  input.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  addInput(onnx.graph(), "empty", {"0", "3"});  // Some exporters mean "not known".
  addNode(onnx.graph(), "Relu", {"x"}, {"y"});
  const auto model =
      test::must(onnx.load({.dimensions = {{"x[0]", 2}, {"x[1]", 5}, {"empty[0]", 4}}}));
  CHECK(tensorNamed(model, "y").shape == Shape{2, 5});
  CHECK(tensorNamed(model, "empty").shape == Shape{4, 3});
}

TEST_CASE("sums of free dimensions follow from their parts, in any order", "[import][onnx]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "mask", {"batch", "past + seq"});
  addInput(onnx.graph(), "ids", {"batch", "seq"});
  addInput(onnx.graph(), "cache", {"batch", "past"});
  addInput(onnx.graph(), "odd", {"not-a-sum"});
  const auto model =
      test::must(onnx.load({.dimensions = {{"past", 7}, {"seq", 2}, {"not-a-sum", 3}}}));
  CHECK(tensorNamed(model, "mask").shape == Shape{1, 9});
  CHECK(tensorNamed(model, "odd").shape == Shape{3});
}

TEST_CASE("dimension expressions count as exporters mean them", "[import]") {
  const auto value = [](const std::string& text) {
    return evaluateDimension(text, [](const std::string& name) {
      return name == "n" ? std::optional<std::int64_t>(7) : std::nullopt;
    });
  };
  CHECK(value("n") == 7);
  CHECK(value("2*n + 1") == 15);
  CHECK(value("(n - 1)//2 + 1") == 4);
  CHECK(value("floor(n/2)") == 3);
  CHECK(value("Max(1, n - 9)") == 1);
  CHECK_FALSE(value("m + 1"));
  CHECK_FALSE(value("n - 9"));  // Negative.
  CHECK_FALSE(value("n / 0"));
  CHECK_FALSE(value("n +"));
  CHECK_FALSE(value("9223372036854775807 * n"));
  CHECK_FALSE(value(std::string(500, '(')));
}

TEST_CASE("a weight settles the dimension that meets it", "[import][onnx][solve]") {
  const OnnxModel onnx = weighted("MatMul", {"batch", "k"}, {128, 3072});
  const auto model = test::must(onnx.load());
  CHECK(tensorNamed(model, "x").shape == Shape{1, 128});
  CHECK(tensorNamed(model, "y").shape == Shape{1, 3072});
  CHECK(hasNote(model,
                "free dimension k of input 'x' taken as 128, the only size that MatMul 'y' "
                "takes; --dim k=128"));
  CHECK(hasNote(model, "free dimension batch of input 'x' taken as 1; --dim batch=VALUE"));
  const auto given = test::must(onnx.load({.dimensions = {{"k", 128}, {"batch", 2}}}));
  CHECK(tensorNamed(given, "y").shape == Shape{2, 3072});
  CHECK(tensorNamed(given, "y").origin == SizeOrigin::inferred);
}

TEST_CASE("weights of each kind settle", "[import][onnx][solve]") {
  const auto settled = [](const std::string& type, const Dims& input,
                          const std::vector<std::int64_t>& weight) {
    const auto model = test::must(weighted(type, input, weight).load());
    return tensorNamed(model, "x").shape;
  };
  CHECK(settled("Gemm", {"n", ""}, {64, 10}) == Shape{1, 64});
  CHECK(settled("Conv", {"n", "c", "8", "8"}, {16, 3, 3, 3}) == Shape{1, 3, 8, 8});
  CHECK(settled("ConvTranspose", {"n", "c", "8", "8"}, {12, 3, 3, 3}) == Shape{1, 12, 8, 8});
  CHECK(settled("LayerNormalization", {"n", "k"}, {48}) == Shape{1, 48});
  CHECK(settled("Conv", {"1", "3", "h", "w"}, {16, 3, 5, 3}) == Shape{1, 3, 8, 4});
}

TEST_CASE("splits, joins and reshapes settle", "[import][onnx][solve]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "a", {"n", "k"});
  addInput(onnx.graph(), "b", {"n", "heads*64"});
  addIntegers(onnx.graph(), "sizes", {2, 3, 4});
  addIntegers(onnx.graph(), "target", {1, 12, 64});
  setInt(addNode(onnx.graph(), "Split", {"a", "sizes"}, {"p", "q", "r"}), "axis", 1);
  addNode(onnx.graph(), "Reshape", {"b", "target"}, {"y"});
  const auto model = test::must(onnx.load());
  CHECK(tensorNamed(model, "a").shape == Shape{1, 9});
  CHECK(tensorNamed(model, "y").shape == Shape{1, 12, 64});
}

TEST_CASE("where several sizes fit, one is proposed", "[import][onnx][solve]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "x", {"1", "4", "height", "width"});
  onnx::NodeProto& pool = addNode(onnx.graph(), "MaxPool", {"x"}, {"pooled"});
  setInts(pool, "kernel_shape", {3, 3});
  setInts(pool, "strides", {2, 2});
  addIntegers(onnx.graph(), "axes", {2});
  addNode(onnx.graph(), "Squeeze", {"pooled", "axes"}, {"y"});
  const auto model = test::must(onnx.load());
  // Windows begin at every other row: 3 and 4 rows make one, 4 is the rounder of the two.
  CHECK(tensorNamed(model, "y").shape == Shape{1, 4, 1});
  CHECK(tensorNamed(model, "x").shape == Shape{1, 4, 4, 4});
  CHECK(hasNote(model,
                "free dimension width of input 'x' taken as 4, which fits where MaxPool "
                "'pooled' does not take 1; --dim width=4"));
}

TEST_CASE("sizes are followed through what lies between", "[import][onnx][solve]") {
  OnnxModel onnx;  // A flattened image meets a weight.
  addInput(onnx.graph(), "x", {"n", "3", "side", "16"});
  addWeight(onnx.graph(), "kernel", {8, 3, 4, 4});
  setInts(addNode(onnx.graph(), "Conv", {"x", "kernel"}, {"c"}), "strides", {4, 4});
  addNode(onnx.graph(), "Flatten", {"c"}, {"f"});
  addWeight(onnx.graph(), "w", {8 * 6 * 4, 10});
  addNode(onnx.graph(), "MatMul", {"f", "w"}, {"y"});
  const auto model = test::must(onnx.load());
  CHECK(tensorNamed(model, "x").shape == Shape{1, 3, 24, 16});  // Of 24 to 27.
  CHECK(tensorNamed(model, "y").shape == Shape{1, 10});
}

TEST_CASE("height and width of an image that is flattened are alike", "[import][onnx][solve]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "x", {"n", "3", "height", "width"});
  addWeight(onnx.graph(), "kernel", {8, 3, 4, 4});
  setInts(addNode(onnx.graph(), "Conv", {"x", "kernel"}, {"c"}), "strides", {4, 4});
  addNode(onnx.graph(), "Flatten", {"c"}, {"f"});
  addWeight(onnx.graph(), "w", {8 * 5 * 5, 10});
  addNode(onnx.graph(), "MatMul", {"f", "w"}, {"y"});
  const auto model = test::must(onnx.load());
  CHECK(tensorNamed(model, "x").shape == Shape{1, 3, 20, 20});
  CHECK(tensorNamed(model, "y").shape == Shape{1, 10});
}

TEST_CASE("what nothing settles stays 1, and what the user says stands", "[import][onnx][solve]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "x", {"n", "k"});
  addWeight(onnx.graph(), "a", {5, 7});
  addWeight(onnx.graph(), "b", {6, 7});
  addNode(onnx.graph(), "MatMul", {"x", "a"}, {"y"});
  addNode(onnx.graph(), "MatMul", {"x", "b"}, {"z"});  // Of both, one cannot be.
  const auto model = test::must(onnx.load());
  CHECK(tensorNamed(model, "x").shape == Shape{1, 5});
  CHECK(tensorNamed(model, "y").shape == Shape{1, 7});
  CHECK_FALSE(tensorNamed(model, "z").shape);
  const auto given = test::must(onnx.load({.dimensions = {{"k", 6}}}));
  CHECK_FALSE(tensorNamed(given, "y").shape);
  CHECK(tensorNamed(given, "z").shape == Shape{1, 7});
}

}  // namespace hw
