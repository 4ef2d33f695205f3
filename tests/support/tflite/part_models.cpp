#include "tests/support/tflite/part_models.h"

namespace hw::test::tfl {
namespace {

using Text = TfliteText;
using Numbers = std::vector<std::int32_t>;

constexpr std::int32_t kAddCode = 0, kMaxPoolCode = 17, kReluCode = 19, kLessCode = 58,
                       kSliceCode = 65, kWhileCode = 119, kUpdateCode = 151;
constexpr std::int8_t kInt32Type = 2, kBoolType = 6;

/// Rows of two float32 numbers.
Text::Tensor rowsOf(std::int32_t count, const std::string& name = "") {
  return {.name = name, .shape = {1, count, 2, 1}};
}

Text::Operator poolOf(std::int32_t from, std::int32_t to) {
  // SAME, stride 1, three rows.
  return {.code = kMaxPoolCode,
          .inputs = {from},
          .outputs = {to},
          .options = {{0, 1, 0}, {1, 4, 1}, {2, 4, 1}, {3, 4, 1}, {4, 4, 3}},
          .optionsKind = 5};
}

/// Adds numbers of int32 as a constant tensor of a subgraph.
std::int32_t constant(Text& text, std::size_t graph, const Numbers& numbers) {
  text.buffers.push_back(tfliteIntegers(numbers));
  auto& tensors = text.subgraphs[graph].tensors;
  tensors.push_back({.shape = {static_cast<std::int32_t>(numbers.size())},
                     .type = kInt32Type,
                     .buffer = static_cast<std::uint32_t>(text.buffers.size())});
  return static_cast<std::int32_t>(tensors.size()) - 1;
}

/// What a loop carries: the place of a part.
const Text::Tensor kPlace{.shape = {4}, .type = kInt32Type};

/// Condition of a loop, in subgraph 1: true until the place is above the first row.
void addCondition(Text& text) {
  auto& condition = text.subgraphs[1];
  // A view of the one element that counts.
  condition.tensors = {
      kPlace, {.shape = {1}, .type = kInt32Type}, {.shape = {1}, .type = kBoolType}};
  condition.inputs = {0};
  condition.outputs = {2};
  const std::int32_t least = constant(text, 1, {-1});
  condition.operators = {{.code = kLessCode, .inputs = {least, 1}, .outputs = {2}}};
}

}  // namespace

TfliteText wholeChain() {
  return {.subgraphs = {
              {.tensors = {rowsOf(6), rowsOf(6), rowsOf(6)},
               .inputs = {0},
               .outputs = {2},
               .operators = {poolOf(0, 1), {.code = kReluCode, .inputs = {1}, .outputs = {2}}}}}};
}

TfliteText twoParts(std::int32_t shift) {
  Text text{.subgraphs = {{.tensors = {rowsOf(6), rowsOf(6), rowsOf(4), rowsOf(4), rowsOf(3),
                                       rowsOf(3), rowsOf(4), rowsOf(3), rowsOf(3)},
                           .inputs = {0},
                           .outputs = {1}}}};
  auto& ops = text.subgraphs[0].operators;
  ops.push_back(poolOf(2, 3));                                        // Rows 2 to 5.
  ops.push_back({.code = kReluCode, .inputs = {4}, .outputs = {5}});  // Rows 3 to 5.
  ops.push_back(poolOf(6, 7));                                        // Rows 0 to 2 of 0 to 3.
  ops.push_back({.code = kReluCode, .inputs = {7}, .outputs = {8}});
  // A row has 8 bytes. The whole output lies at 48, the pool's rows at 96.
  addOfflinePlan(text, {0, 48, 16 + shift, 96, 104, 72, 0, 96, 48});
  return text;
}

TfliteText loopOfParts(std::int32_t rows) {
  Text text;
  text.subgraphs.resize(3);
  auto& main = text.subgraphs[0];
  main.tensors = {rowsOf(6, "x"), rowsOf(6, "y"), kPlace};
  main.inputs = {0};
  main.outputs = {1};
  const std::int32_t start = constant(text, 0, {0, 4, 0, 0});
  main.operators = {{.code = kWhileCode,
                     .inputs = {start},
                     .outputs = {2},
                     .options = {{0, 4, 1}, {1, 4, 2}},
                     .optionsKind = 93}};
  addCondition(text);
  auto& body = text.subgraphs[2];
  body.tensors = {kPlace,         kPlace,         rowsOf(6, "x"), rowsOf(2, "x"),
                  rowsOf(2, "y"), rowsOf(6, "y"), rowsOf(6, "y")};
  body.inputs = {0};
  body.outputs = {1};
  const std::int32_t size = constant(text, 2, {1, 2, 2, 1});
  const std::int32_t step = constant(text, 2, {0, rows, 0, 0});
  body.operators = {{.code = kSliceCode, .inputs = {2, 0, size}, .outputs = {3}},
                    {.code = kReluCode, .inputs = {3}, .outputs = {4}},
                    {.code = kUpdateCode, .inputs = {5, 4, 0}, .outputs = {6}},
                    {.code = kAddCode,
                     .inputs = {0, step},
                     .outputs = {1},
                     .options = {{0, 1, 0}},
                     .optionsKind = 11}};
  addOfflinePlan(text, {0, 48, 96, -1,      // The model, its output, its place.
                        112, 116, 128, -1,  // The place again and its second element.
                        144, 160, 0, 176, 176, 48, 48, -1, -1});  // The body.
  return text;
}

TfliteText wholeActivation() {
  return {.subgraphs = {{.tensors = {rowsOf(6), rowsOf(6)},
                         .inputs = {0},
                         .outputs = {1},
                         .operators = {{.code = kReluCode, .inputs = {0}, .outputs = {1}}}}}};
}

}  // namespace hw::test::tfl
