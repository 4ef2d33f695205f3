#include <catch2/catch.hpp>
#include <cstring>

#include "tests/support/tflite_interpreter.h"
#include "tests/support/tflite_writer.h"

namespace hw::test::tfl {
namespace {

using Text = TfliteText;
using Numbers = std::vector<std::int32_t>;

constexpr std::int32_t kAddCode = 0, kMaxPoolCode = 17, kReluCode = 19, kLessCode = 58,
                       kSliceCode = 65, kWhileCode = 119, kUpdateCode = 151;
constexpr std::int8_t kInt32Type = 2, kBoolType = 6;

Execution runText(const Text& model, std::uint64_t seed) {
  const std::string file = tfliteBytes(model);
  auto execution = runTflite(std::as_bytes(std::span(file)), seed);
  if (!execution) FAIL(execution.error());
  return std::move(*execution);
}

void planText(Text& model, const Numbers& offsets) {
  Numbers words = {1, 0, static_cast<std::int32_t>(offsets.size())};
  words.insert(words.end(), offsets.begin(), offsets.end());
  model.buffers.push_back(tfliteIntegers(words));
  model.metadata.emplace_back("OfflineMemoryAllocation",
                              static_cast<std::uint32_t>(model.buffers.size()));
}

/// Rows of two float32 numbers.
Text::Tensor rowsOf(std::int32_t count) { return {.shape = {1, count, 2, 1}}; }

Text::Operator poolOf(std::int32_t from, std::int32_t to) {
  // SAME, stride 1, three rows.
  return {.code = kMaxPoolCode,
          .inputs = {from},
          .outputs = {to},
          .options = {{0, 1, 0}, {1, 4, 1}, {2, 4, 1}, {3, 4, 1}, {4, 4, 3}}};
}

/// Six rows, a pool of three rows, an activation: 0 → 1 → 2.
Text wholeChain() {
  return {.subgraphs = {
              {.tensors = {rowsOf(6), rowsOf(6), rowsOf(6)},
               .inputs = {0},
               .outputs = {2},
               .operators = {poolOf(0, 1), {.code = kReluCode, .inputs = {1}, .outputs = {2}}}}}};
}

/// The chain in two parts, the lower one first. Its pool reads rows 2 to 5 and pads above row 2,
/// so that its first output, row 2, misses row 1 and is garbage. The view that it reads begins
/// `shift` bytes further.
Text twoParts(std::int32_t shift) {
  Text text{.subgraphs = {{.tensors = {rowsOf(6), rowsOf(6), rowsOf(4), rowsOf(4), rowsOf(3),
                                       rowsOf(3), rowsOf(4), rowsOf(3)},
                           .inputs = {0},
                           .outputs = {1}}}};
  auto& ops = text.subgraphs[0].operators;
  ops.push_back(poolOf(2, 3));                                        // Rows 2 to 5 of tensor 1.
  ops.push_back({.code = kReluCode, .inputs = {4}, .outputs = {5}});  // Rows 3 to 5.
  ops.push_back(poolOf(6, 7));  // Rows 0 to 2, cut at the end.
  ops.push_back({.code = kReluCode, .inputs = {7}, .outputs = {}});
  text.subgraphs[0].tensors.push_back(rowsOf(3));
  ops.back().outputs = {8};
  // A row has 8 bytes. The whole output lies at 48, the pool's rows at 96.
  planText(text, {0, 48, 16 + shift, 96, 104, 72, 0, 96, 48});
  return text;
}

const std::vector<PartRows> kTwoParts = {
    {.tensor = 1, .first = 2, .count = 4, .garbage = 1},
    {.tensor = 2, .first = 3, .count = 3},
    {.tensor = 1, .first = 0, .count = 3},
    {.tensor = 2, .first = 0, .count = 3},
};

}  // namespace

TEST_CASE("parts that run in one arena have the rows of the whole operators", "[judge]") {
  const std::uint64_t seed = GENERATE(range<std::uint64_t>(1, 9));
  const Execution whole = runText(wholeChain(), seed);
  const Execution parts = runText(twoParts(0), seed);
  CHECK(compareRows(whole, parts, kTwoParts).empty());
  CHECK(parts.headBytes == 136);
  CHECK(parts.outputs == whole.outputs);
}

TEST_CASE("rows that differ are found, and so are maps that do not fit", "[judge]") {
  const Execution whole = runText(wholeChain(), 6);
  // The view of the lower part begins a row too high.
  const Execution shifted = runText(twoParts(-8), 6);
  CHECK_THAT(compareRows(whole, shifted, kTwoParts),
             Catch::Contains("step 0 (operator 0 of subgraph 0, tensor 3): row"));
  const Execution parts = runText(twoParts(0), 6);
  auto map = kTwoParts;
  map[0].garbage = 0;
  CHECK_THAT(compareRows(whole, parts, map), Catch::Contains("row 2 of tensor 1 differs"));
  map = kTwoParts;
  map[1].first = 4;
  CHECK_THAT(compareRows(whole, parts, map), Catch::Contains("are not rows of tensor 2"));
  map[1] = {.tensor = 9};
  CHECK_THAT(compareRows(whole, parts, map), Catch::Contains("makes no tensor 9"));
  map.pop_back();
  CHECK_THAT(compareRows(whole, parts, map), Catch::Contains("3 parts for 4 steps"));
  Execution other = parts;
  other.outputs[0][0] ^= std::byte{1};
  CHECK(compareRows(whole, other, kTwoParts) == "output 0 differs");
}

namespace {

/// Adds numbers of int32 as a constant tensor of a subgraph.
std::int32_t constant(Text& text, std::size_t graph, const Numbers& numbers) {
  text.buffers.push_back(tfliteIntegers(numbers));
  auto& tensors = text.subgraphs[graph].tensors;
  tensors.push_back({.shape = {static_cast<std::int32_t>(numbers.size())},
                     .type = kInt32Type,
                     .buffer = static_cast<std::uint32_t>(text.buffers.size())});
  return static_cast<std::int32_t>(tensors.size()) - 1;
}

/// Activation of six rows, two at a time, from the last to the first: the loop carries where it
/// is, a body reads with SLICE and writes with DYNAMIC_UPDATE_SLICE.
Text loopOfParts() {
  const Text::Tensor place{.shape = {4}, .type = kInt32Type};
  Text text;
  text.subgraphs.resize(3);
  auto& main = text.subgraphs[0];
  main.tensors = {rowsOf(6), rowsOf(6), place};
  main.inputs = {0};
  main.outputs = {1};
  const std::int32_t start = constant(text, 0, {0, 4, 0, 0});
  main.operators = {
      {.code = kWhileCode, .inputs = {start}, .outputs = {2}, .options = {{0, 4, 1}, {1, 4, 2}}}};
  auto& condition = text.subgraphs[1];
  // A view of the one element that counts.
  condition.tensors = {
      place, {.shape = {1}, .type = kInt32Type}, {.shape = {1}, .type = kBoolType}};
  condition.inputs = {0};
  condition.outputs = {2};
  const std::int32_t least = constant(text, 1, {-1});
  condition.operators = {{.code = kLessCode, .inputs = {least, 1}, .outputs = {2}}};
  auto& body = text.subgraphs[2];
  body.tensors = {place, place, rowsOf(6), rowsOf(2), rowsOf(2), rowsOf(6), rowsOf(6)};
  body.inputs = {0};
  body.outputs = {1};
  const std::int32_t size = constant(text, 2, {1, 2, 2, 1});
  const std::int32_t step = constant(text, 2, {0, -2, 0, 0});
  body.operators = {{.code = kSliceCode, .inputs = {2, 0, size}, .outputs = {3}},
                    {.code = kReluCode, .inputs = {3}, .outputs = {4}},
                    {.code = kUpdateCode, .inputs = {5, 4, 0}, .outputs = {6}},
                    {.code = kAddCode, .inputs = {0, step}, .outputs = {1}}};
  planText(text, {0, 48, 96, -1,      // The model, its output, its place.
                  112, 116, 128, -1,  // The place again and its second element.
                  144, 160, 0, 176, 176, 48, 48, -1, -1});  // The body.
  return text;
}

}  // namespace

TEST_CASE("a loop of parts has the rows of the whole operator", "[judge]") {
  const Text whole{
      .subgraphs = {{.tensors = {rowsOf(6), rowsOf(6)},
                     .inputs = {0},
                     .outputs = {1},
                     .operators = {{.code = kReluCode, .inputs = {0}, .outputs = {1}}}}}};
  const Execution parts = runText(loopOfParts(), 5);
  // A comparison, three turns of four operators and a comparison, and the loop itself.
  REQUIRE(parts.steps.size() == 1 + 3 * 5 + 1);
  std::vector<PartRows> map(parts.steps.size());
  for (std::size_t turn = 0; turn < 3; ++turn) {
    const auto first = static_cast<std::int64_t>(4 - 2 * turn);
    map[1 + 5 * turn] = {.tensor = 0, .first = first, .count = 2};
    map[2 + 5 * turn] = {.tensor = 1, .first = first, .count = 2};
  }
  CHECK(compareRows(runText(whole, 5), parts, map).empty());
  CHECK(parts.headBytes == 192);
}

}  // namespace hw::test::tfl
