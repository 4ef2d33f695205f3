#include "core/graph/op_table.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <tuple>

#include "core/import/tflite_rules.h"
#include "core/import/tflite_schema.h"

namespace hw {

TEST_CASE("every op has one row, in the order that looking up needs", "[graph][ops]") {
  const auto key = [](const OpInfo& info) { return std::tuple(info.domain, info.type); };
  CHECK(std::ranges::is_sorted(opTable(), {}, key));
  for (const OpInfo& info : opTable()) {
    CAPTURE(info.type, info.domain);
    CHECK(std::ranges::count(opTable(), key(info), key) == 1);
    CHECK(findOp(info.type, info.domain) == &info);
    CHECK(!shapeKindName(info.shape).empty());
    CHECK(!workKindName(info.work).empty());
  }
}

TEST_CASE("a row is found by type and domain, never by a stranger's domain", "[graph][ops]") {
  REQUIRE(findOp("Conv", "") != nullptr);
  CHECK(findOp("Conv", "")->work == WorkKind::convolution);
  CHECK(findOp("Conv", "my.own") == nullptr);
  CHECK(findOp("conv", "") == nullptr);
  // Graph JSON has no domains, so ONNX Runtime's ops are found without theirs.
  CHECK(findOp("FusedConv", "") == findOp("FusedConv", "com.microsoft"));
  // The two ops called Attention differ.
  CHECK(findOp("Attention", "")->shape != findOp("Attention", "com.microsoft")->shape);
}

TEST_CASE("every TFLite operator has a row that says whether its shape has a rule",
          "[graph][ops]") {
  std::size_t rows = 0;
  for (std::int32_t code = 0; code < tfliteOpCount(); ++code) {
    const std::string name = tfliteOpName(code);
    // A custom operator and a delegate go by names of their own.
    if (name.starts_with("BUILTIN_") || name == "CUSTOM" || name == "DELEGATE") continue;
    CAPTURE(name);
    const OpInfo* info = findOp(name, "tflite");
    REQUIRE(info != nullptr);
    CHECK((info->shape == ShapeKind::tflite) == hasTfliteRule(name));
    ++rows;
  }
  CHECK(rows > 200);
  CHECK(findOp("CONV", "tflite") == nullptr);
  CHECK(findOp("CONV_2D", "") == nullptr);
}

TEST_CASE("an op's data is where its row says", "[graph][ops]") {
  const auto dataOf = [](const std::string& type, const std::string& domain) {
    return dataInput(
        {.type = type, .domain = domain, .inputs = {TensorId(4), TensorId(5), TensorId(6)}});
  };
  CHECK(dataOf("Split", "") == TensorId(4));
  CHECK(dataOf("SPLIT", "tflite") == TensorId(5));
  CHECK(dataOf("SPLIT_V", "tflite") == TensorId(4));
  CHECK(dataOf("TRANSPOSE_CONV", "tflite") == TensorId(6));
  CHECK(dataOf("NobodyKnows", "") == TensorId(4));
  CHECK_FALSE(dataInput({.type = "SPLIT", .domain = "tflite", .inputs = {TensorId(4)}}));
}

}  // namespace hw
