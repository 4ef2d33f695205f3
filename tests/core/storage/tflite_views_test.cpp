#include "core/import/importer.h"
#include "core/storage/aliasing.h"
#include "tests/support/must.h"
#include "tests/support/tflite_writer.h"

namespace hw {
namespace {

constexpr std::int32_t kAdd = 0;
constexpr std::int32_t kConcatenation = 2;
constexpr std::int32_t kRelu = 19;
constexpr std::int32_t kSplit = 49;

/// x (2, 32) -> SPLIT along `axis` -> a, b; RELU of each; ADD of both -> y.
TfliteText halves(std::int32_t axis) {
  const std::vector<std::int32_t> half =
      axis == 0 ? std::vector<std::int32_t>{1, 32} : std::vector<std::int32_t>{2, 16};
  TfliteText::Subgraph main{.name = "main"};
  main.tensors = {{.name = "axis", .type = 2, .buffer = 1},
                  {.name = "x", .shape = {2, 32}},
                  {.name = "wide", .shape = {2, 32}},
                  {.name = "a", .shape = half},
                  {.name = "b", .shape = half},
                  {.name = "c", .shape = half},
                  {.name = "d", .shape = half},
                  {.name = "y", .shape = half}};
  main.inputs = {1};
  main.outputs = {7};
  main.operators = {{.code = kRelu, .inputs = {1}, .outputs = {2}},
                    {.code = kSplit, .inputs = {0, 2}, .outputs = {3, 4}, .options = {{0, 4, 2}}},
                    {.code = kRelu, .inputs = {3}, .outputs = {5}},
                    {.code = kRelu, .inputs = {4}, .outputs = {6}},
                    {.code = kAdd, .inputs = {5, 6}, .outputs = {7}}};
  return {.subgraphs = {main}, .buffers = {tfliteIntegers({axis})}};
}

/// a, b (1, 16) -> RELU each -> CONCATENATION along 0, perhaps with an activation -> RELU -> y.
TfliteText joined(std::int32_t activation) {
  TfliteText::Subgraph main{.name = "main"};
  main.tensors = {{.name = "a", .shape = {1, 16}}, {.name = "b", .shape = {1, 16}},
                  {.name = "c", .shape = {1, 16}}, {.name = "d", .shape = {1, 16}},
                  {.name = "e", .shape = {2, 16}}, {.name = "y", .shape = {2, 16}}};
  main.inputs = {0, 1};
  main.outputs = {5};
  main.operators = {{.code = kRelu, .inputs = {0}, .outputs = {2}},
                    {.code = kRelu, .inputs = {1}, .outputs = {3}},
                    {.code = kConcatenation,
                     .inputs = {2, 3},
                     .outputs = {4},
                     .options = {{0, 4, 0}, {1, 1, activation}}},
                    {.code = kRelu, .inputs = {4}, .outputs = {5}}};
  return {.subgraphs = {main}};
}

struct Shared {
  std::shared_ptr<const Graph> graph{};
  Storage storage{};

  Slot slot(const std::string& name) const {
    for (const TensorId id : graph->tensors.keys()) {
      if (graph->tensors[id].name == name) return storage.slots[id].value_or(Slot());
    }
    return {};
  }
};

Shared shared(const TfliteText& text, AliasRules rules = {}) {
  auto model = test::must(importModel(tfliteBytes(text), "net.tflite", {}));
  Shared made{.graph = model.graph};
  made.storage = shareStorage(*made.graph, givenOrder(*made.graph), {.alias = rules});
  return made;
}

}  // namespace

TEST_CASE("parts of a TFLite SPLIT are slices of its second input", "[storage][tflite]") {
  const Shared outer = shared(halves(0));
  CHECK(outer.storage.copies.empty());
  CHECK(outer.slot("a").buffer == outer.slot("wide").buffer);
  CHECK(outer.slot("b").buffer == outer.slot("wide").buffer);
  CHECK(outer.slot("b").offset == Bytes(128));
  // Along an inner axis the parts are not contiguous.
  const Shared inner = shared(halves(1));
  CHECK(inner.storage.copies.size() == 2);
  CHECK(inner.slot("a").buffer != inner.slot("wide").buffer);
}

TEST_CASE("inputs of a CONCATENATION are slices, unless it applies an activation",
          "[storage][tflite]") {
  const Shared plain = shared(joined(0));
  CHECK(plain.storage.copies.empty());
  CHECK(plain.slot("d").buffer == plain.slot("e").buffer);
  CHECK(plain.slot("d").offset == Bytes(64));
  const Shared fused = shared(joined(1));
  REQUIRE(fused.storage.copies.size() == 2);
  CHECK(fused.storage.copies[0].reason == "an activation is fused to it");
}

TEST_CASE("TFLite's element-wise operators run in place", "[storage][tflite]") {
  // All four: neither half is a slice, and each input dies where it is read.
  CHECK(shared(halves(1), AliasRules::all()).storage.inPlace.size() == 4);
  CHECK(shared(halves(1)).storage.inPlace.empty());
}

}  // namespace hw
