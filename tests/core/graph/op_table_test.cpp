#include "core/graph/op_table.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <tuple>

#include "core/base/text.h"

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

TEST_CASE("TFLite operators lead to one row each", "[graph][ops]") {
  REQUIRE(findTfliteOp("DEPTHWISE_CONV_2D") != nullptr);
  CHECK(findTfliteOp("DEPTHWISE_CONV_2D")->type == "Conv");
  CHECK(findTfliteOp("CONV_2D")->type == "Conv");
  CHECK(findTfliteOp("CONV") == nullptr);
  CHECK(findTfliteOp("") == nullptr);
  std::set<std::string_view> seen;
  for (const OpInfo& info : opTable()) {
    for (const std::string_view name : splitText(info.tflite, ' ')) {
      CAPTURE(name);
      if (!name.empty()) CHECK(seen.insert(name).second);
    }
  }
  CHECK(seen.size() > 100);
}

}  // namespace hw
