#include "core/ops/op_table.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <tuple>

#include "core/import/tflite/schema.h"
#include "core/ops/op_rules.h"

namespace hw {

TEST_CASE("every op has one row, in the order that looking up needs", "[graph][ops]") {
  const auto key = [](const OpInfo& info) { return std::tuple(info.domain, info.type); };
  CHECK(std::ranges::is_sorted(opTable(), {}, key));
  for (const OpInfo& info : opTable()) {
    CAPTURE(info.type, info.domain);
    CHECK(std::ranges::count(opTable(), key(info), key) == 1);
    CHECK(findOp(info.type, info.domain) == &info);
    // What multiplies says how much; what shows its input under another name moves nothing.
    CHECK((info.kind == OpClass::product) ==
          (info.work != nullptr && info.work != work::pooling && info.work != work::body));
    CHECK((info.view == ViewFamily::none || info.kind == OpClass::movement));
  }
}

TEST_CASE("a row is found by type and domain, never by a stranger's domain", "[graph][ops]") {
  REQUIRE(findOp("Conv", "") != nullptr);
  CHECK(findOp("Conv", "")->work == &work::convolution);
  CHECK(findOp("Conv", "my.own") == nullptr);
  CHECK(findOp("conv", "") == nullptr);
  // Graph JSON has no domains, so ONNX Runtime's ops are found without theirs.
  CHECK(findOp("FusedConv", "") == findOp("FusedConv", "com.microsoft"));
  // The two ops called Attention differ.
  CHECK(findOp("Attention", "")->shape != findOp("Attention", "com.microsoft")->shape);
}

TEST_CASE("TFLite's operators are standard ones under another name, or say what they are",
          "[graph][ops]") {
  CHECK(std::ranges::is_sorted(tfliteOps(), {}, &NumberedOp::code));
  for (const auto& [code, row] : tfliteOps()) {
    CAPTURE(row.type);
    CHECK(tfliteOpName(code) == row.type);
    const OpInfo* info = findOp(row.type, "tflite");
    REQUIRE(info != nullptr);
    if (row.standard.empty()) continue;
    const OpInfo* standard = findOp(row.standard, "");
    REQUIRE(standard != nullptr);
    CHECK(standard->domain.empty());
    CHECK(info->shape == standard->shape);
    CHECK(info->evaluate == standard->evaluate);
    CHECK(info->inPlace == standard->inPlace);
    CHECK(info->kind == standard->kind);
  }
  CHECK(tfliteOps().size() > 200);
  CHECK(tfliteOpName(127) == "BUILTIN_127");
  // By hand, since a name that stands for the wrong op would agree with it all the same.
  CHECK(findOp("FLOOR_MOD", "tflite")->standard == "Mod");
  CHECK(findOp("MEAN", "tflite")->kind == OpClass::reduction);
  CHECK(findOp("TRANSPOSE", "tflite")->kind == OpClass::movement);
  CHECK(findOp("CONCATENATION", "tflite")->view == ViewFamily::concat);
  CHECK(findOp("DEPTHWISE_CONV_2D", "tflite")->inPlace == InPlace::depthwise);
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
