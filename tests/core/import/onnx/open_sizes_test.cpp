#include <catch2/catch.hpp>

#include "core/import/onnx/dimension_expression.h"
#include "tests/core/import/onnx/onnx_models.h"

// Sizes that the file leaves open: free dimensions, values of inputs, and what depends on data.

namespace hw {
namespace {

bool hasNote(const Model& model, const std::string& part) {
  for (const std::string& note : model.graph->notes) {
    if (note.find(part) != std::string::npos) return true;
  }
  return false;
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
  const auto model = onnx.load();
  REQUIRE(model);
  CHECK(tensorNamed(*model, "found").shape == Shape{2, 6});
  CHECK(tensorNamed(*model, "after").shape == Shape{6, 2});
  CHECK(tensorNamed(*model, "after").origin == SizeOrigin::assumed);
  CHECK(tensorNamed(*model, "kept").shape == Shape{20, 3});
  CHECK(hasNote(*model, "dimension 1 of 'found' depends on data: taken as the most it can be, 6"));

  const auto bound = onnx.load({.dimensions = {{"found[1]", 4}}});
  REQUIRE(bound);
  CHECK(tensorNamed(*bound, "after").shape == Shape{4, 2});
  CHECK(tensorNamed(*bound, "after").origin == SizeOrigin::inferred);
}

TEST_CASE("without any bound it is taken as 1", "[import][onnx]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "n", {}, onnx::TensorProto::INT64);
  addWeight(onnx.graph(), "zero", {}, onnx::TensorProto::INT64).add_int64_data(0);
  addWeight(onnx.graph(), "one", {}, onnx::TensorProto::INT64).add_int64_data(1);
  addNode(onnx.graph(), "Range", {"zero", "n", "one"}, {"r"});
  const auto model = onnx.load();
  REQUIRE(model);
  CHECK(tensorNamed(*model, "r").shape == Shape{1});
  CHECK(tensorNamed(*model, "r").origin == SizeOrigin::assumed);

  const auto given = onnx.load({.dimensions = {{"n", 7}}});  // The value of an input.
  REQUIRE(given);
  CHECK(tensorNamed(*given, "r").shape == Shape{7});
  CHECK(tensorNamed(*given, "r").origin == SizeOrigin::evaluated);
}

TEST_CASE("an input without a shape takes one from the command line", "[import][onnx]") {
  OnnxModel onnx;
  onnx::ValueInfoProto& input = *onnx.graph().add_input();
  input.set_name("x");
  input.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  addInput(onnx.graph(), "empty", {"0", "3"});  // Some exporters mean "not known".
  addNode(onnx.graph(), "Relu", {"x"}, {"y"});
  const auto model = onnx.load({.dimensions = {{"x[0]", 2}, {"x[1]", 5}, {"empty[0]", 4}}});
  REQUIRE(model);
  CHECK(tensorNamed(*model, "y").shape == Shape{2, 5});
  CHECK(tensorNamed(*model, "empty").shape == Shape{4, 3});
}

TEST_CASE("sums of free dimensions follow from their parts, in any order", "[import][onnx]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "mask", {"batch", "past + seq"});
  addInput(onnx.graph(), "ids", {"batch", "seq"});
  addInput(onnx.graph(), "cache", {"batch", "past"});
  addInput(onnx.graph(), "odd", {"not-a-sum"});
  const auto model = onnx.load({.dimensions = {{"past", 7}, {"seq", 2}, {"not-a-sum", 3}}});
  REQUIRE(model);
  CHECK(tensorNamed(*model, "mask").shape == Shape{1, 9});
  CHECK(tensorNamed(*model, "odd").shape == Shape{3});
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

}  // namespace hw
