#include "tests/support/tflite_interpreter.h"

#include <cstring>

#include "tests/support/must.h"
#include "tests/support/tflite/fixed_point.h"
#include "tests/support/tflite_writer.h"

namespace hw::test::tfl {
namespace {

using Text = TfliteText;
using Numbers = std::vector<std::int32_t>;
using Floats = std::vector<float>;

constexpr std::int8_t kInt32 = 2, kInt8 = 9;
constexpr std::int32_t kAverage = 1, kConv = 3, kConnected = 9, kMaxPool = 17, kRelu = 19,
                       kSoftmax = 25, kPad = 34, kMean = 40;

template <class T>
std::vector<std::byte> bytesOfAll(const std::vector<T>& elements) {
  std::vector<std::byte> bytes(elements.size() * sizeof(T));
  std::memcpy(bytes.data(), elements.data(), bytes.size());
  return bytes;
}

std::vector<std::byte> int8s(const Numbers& numbers) {
  return bytesOfAll(std::vector<std::int8_t>(numbers.begin(), numbers.end()));
}

template <class T>
std::vector<T> elementsOf(const std::vector<std::byte>& bytes) {
  std::vector<T> elements(bytes.size() / sizeof(T));
  std::memcpy(elements.data(), bytes.data(), bytes.size());
  return elements;
}

Numbers int8sOf(const std::vector<std::byte>& bytes) {
  const auto elements = elementsOf<std::int8_t>(bytes);
  return {elements.begin(), elements.end()};
}

/// Weights as the buffer of a model.
std::string stored(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Text::Tensor scaledTensor(Numbers shape, float scale, std::int64_t zero = 0) {
  return {.shape = std::move(shape), .type = kInt8, .scales = {scale}, .zeros = {zero}};
}

/// Adds weights to a model, as the last tensor of its first subgraph.
std::int32_t addWeights(Text& model, Text::Tensor tensor, const std::vector<std::byte>& data) {
  model.buffers.push_back(stored(data));
  tensor.buffer = static_cast<std::uint32_t>(model.buffers.size());
  auto& tensors = model.subgraphs.front().tensors;
  tensors.push_back(std::move(tensor));
  return static_cast<std::int32_t>(tensors.size()) - 1;
}

/// Model of one operator, whose input is tensor 0 and whose output is tensor 1.
Text oneOperator(Text::Tensor input, Text::Tensor output, Text::Operator op) {
  op.inputs.insert(op.inputs.begin(), 0);
  op.outputs = {1};
  return {.subgraphs = {{.tensors = {std::move(input), std::move(output)},
                         .inputs = {0},
                         .outputs = {1},
                         .operators = {std::move(op)}}}};
}

tl::expected<TfliteExecution, std::string> tryModel(
    const Text& model, const std::vector<std::vector<std::byte>>& inputs) {
  const std::string file = tfliteBytes(model);
  return runTflite(std::as_bytes(std::span(file)), inputs);
}

TfliteExecution runModel(const Text& model, const std::vector<std::byte>& input) {
  return test::must(tryModel(model, {input}));
}

std::string refusalOf(const Text& model, const std::vector<std::byte>& input) {
  const auto execution = tryModel(model, {input});
  return execution ? "" : execution.error();
}

/// Options of a pool: padding, strides, window.
std::vector<Text::Option> poolOptions(int padding, int stride, int window) {
  return {{0, 1, padding}, {1, 4, stride}, {2, 4, stride}, {3, 4, window}, {4, 4, window}};
}

}  // namespace

TEST_CASE("the judge's fixed-point products round halves away from zero, twice", "[judge]") {
  const auto quarter = Multiplier::of(0.25);
  CHECK(quarter.factor == 1 << 30);
  CHECK(quarter.shift == -1);
  CHECK(quarter(8) == 2);
  CHECK(quarter(2) == 1);    // 0.5
  CHECK(quarter(-2) == -1);  // -0.5
  CHECK(quarter(1) == 1);    // 0.25, first rounded to 1 half, then to 1
  CHECK(Multiplier::of(3)(7) == 21);
  CHECK(expOfNegative(0, 5) == 2147483647);
  // e^-1 = 0.36788, with 31 bits behind the point 790015084.
  CHECK(std::abs(expOfNegative(-(1 << 26), 5) - 790015084) < 1000);
  CHECK(fixedLogistic(0) == 1 << 30);
  // tanh(1).
  CHECK(std::abs(fixedTanh(1 << 27) / 2147483648.0 - 0.7615941559) < 1e-7);
}

TEST_CASE("the judge runs a convolution of int8", "[judge]") {
  // Real input (q - 1) / 2: 1, 2, 3 over -1, 0, 4; a window of 2x2, SAME, which pads at the end.
  Text model =
      oneOperator(scaledTensor({1, 2, 3, 1}, 0.5F, 1), scaledTensor({1, 2, 3, 1}, 0.5F, -3),
                  {.code = kConv, .options = {{1, 4, 1}, {2, 4, 1}, {3, 1, 1}}});
  // Real weights 1, -1, 0.5, 2, real bias 0.25.
  const auto filter = addWeights(model, scaledTensor({1, 2, 2, 1}, 0.25F), int8s({4, -4, 2, 8}));
  const auto bias = addWeights(model, {.shape = {1}, .type = kInt32}, bytesOfAll(Numbers{2}));
  model.subgraphs[0].operators[0].inputs = {0, filter, bias};
  const TfliteExecution execution = runModel(model, int8s({3, 5, 7, -1, 1, 9}));
  // 1-2-0.5+0+0.25 = -1.25, 2-3+0+8+0.25 = 7.25, 3+2+0.25 = 5.25; -1-0+0.25 = -0.75,
  // 0-4+0.25 = -3.75, 4+0.25 = 4.25. The activation makes 0 of those below it.
  // Halves of a step: 7.25 is 14.5 steps, 5.25 10.5, 4.25 8.5, rounded away from zero.
  CHECK(int8sOf(execution.outputs.at(0)) == Numbers{-3, 12, 8, -3, -3, 6});
  REQUIRE(execution.steps.size() == 1);
  CHECK(execution.steps[0].tensor == 1);
  CHECK(execution.headBytes == 0);
}

TEST_CASE("the judge runs layers of float32", "[judge]") {
  Text model = oneOperator({.shape = {1, 3}}, {.shape = {1, 2}}, {.code = kConnected});
  const auto weights =
      addWeights(model, {.shape = {2, 3}}, bytesOfAll(Floats{1, 2, 3, 0.5F, 0, -1}));
  model.subgraphs[0].operators[0].inputs = {0, weights, -1};
  const auto outputs = runModel(model, bytesOfAll(Floats{1, 10, 100})).outputs;
  CHECK(elementsOf<float>(outputs.at(0)) == Floats{321, -99.5F});

  Text mean = oneOperator({.shape = {1, 2, 2, 2}}, {.shape = {1, 2}}, {.code = kMean});
  const auto axes = addWeights(mean, {.shape = {2}, .type = kInt32}, bytesOfAll(Numbers{1, 2}));
  mean.subgraphs[0].operators[0].inputs.push_back(axes);
  const auto means = runModel(mean, bytesOfAll(Floats{1, 10, 2, 20, 3, 30, 6, 40})).outputs;
  CHECK(elementsOf<float>(means.at(0)) == Floats{3, 25});
}

TEST_CASE("the judge runs pools, softmax and padding of int8", "[judge]") {
  const auto image = scaledTensor({1, 2, 2, 1}, 1);
  const auto input = int8s({-3, -4, 2, 7});
  const auto one = scaledTensor({1, 1, 1, 1}, 1);
  Text average = oneOperator(image, one, {.code = kAverage, .options = poolOptions(1, 1, 2)});
  // 2 / 4 is rounded away from zero.
  CHECK(int8sOf(runModel(average, input).outputs.at(0)) == Numbers{1});
  average.subgraphs[0].operators[0].code = kMaxPool;
  CHECK(int8sOf(runModel(average, input).outputs.at(0)) == Numbers{7});

  const Text softmax = oneOperator(scaledTensor({2, 2}, 1), scaledTensor({2, 2}, 1.0F / 256, -128),
                                   {.code = kSoftmax, .options = {{0, 4, 0x3f800000}}});  // Beta 1.
  // 1/2 and 1/2; 1/(1+e) = 0.2689 (68.8 of 256) and 0.7311.
  CHECK(int8sOf(runModel(softmax, int8s({9, 9, 1, 2})).outputs.at(0)) == Numbers{0, 0, -59, 59});

  Text padded = oneOperator(scaledTensor({1, 2}, 1, 5), scaledTensor({2, 3}, 1, 5), {.code = kPad});
  const auto paddings =
      addWeights(padded, {.shape = {2, 2}, .type = kInt32}, bytesOfAll(Numbers{1, 0, 0, 1}));
  padded.subgraphs[0].operators[0].inputs.push_back(paddings);
  CHECK(int8sOf(runModel(padded, int8s({1, 2})).outputs.at(0)) == Numbers{5, 5, 5, 1, 2, 5});
}

TEST_CASE("the judge's kernels write while they read, upwards", "[judge]") {
  Text model = oneOperator({.shape = {4}}, {.shape = {4}}, {.code = kRelu});
  Text apart = model;
  addOfflinePlan(apart, {0, 16});
  const auto input = bytesOfAll(Floats{1, 2, 3, 4});
  CHECK(elementsOf<float>(runModel(apart, input).outputs.at(0)) == Floats{1, 2, 3, 4});
  CHECK(runModel(apart, input).headBytes == 32);
  Text below = model;
  addOfflinePlan(below, {4, 0});
  CHECK(elementsOf<float>(runModel(below, input).outputs.at(0)) == Floats{1, 2, 3, 4});
  // The first output is the second input by the time that is read.
  Text above = model;
  addOfflinePlan(above, {0, 4});
  CHECK(elementsOf<float>(runModel(above, input).outputs.at(0)) == Floats{1, 1, 1, 1});
}

TEST_CASE("the judge refuses plans that no runtime can follow", "[judge]") {
  struct Wrong {
    Numbers words;
    std::string why;
  };
  const Wrong wrong = GENERATE(values<Wrong>({
      {{1, 0}, "shorter than its head"},
      {{1, 0, 1, 0}, "1 offsets, the file 2 tensors"},
      {{1, 0, 3, 0, 0, 0}, "3 offsets, the file 2 tensors"},
      {{1, 0, 2, 0}, "says that it has 2 offsets, its buffer has 1"},
      {{1, 0, 2, 0, -2}, "has the offset -2"},
      {{1, 0, 2, 0, 2147483632}, "outside any arena"},
      {{1, 0, 2, 0, 18}, "amid its elements"},
  }));
  Text model = oneOperator({.shape = {4}}, {.shape = {4}}, {.code = kRelu});
  model.buffers.push_back(tfliteIntegers(wrong.words));
  model.metadata.emplace_back("OfflineMemoryAllocation", 1);
  CHECK_THAT(refusalOf(model, bytesOfAll(Floats(4))), Catch::Contains(wrong.why));
}

TEST_CASE("the judge refuses what it does not know, by name", "[judge]") {
  Text model = oneOperator({.shape = {4}}, {.shape = {4}}, {.code = 23});
  CHECK_THAT(refusalOf(model, bytesOfAll(Floats(4))), Catch::Contains("RESIZE_BILINEAR"));
  model.subgraphs[0].operators[0] = {.code = 32, .inputs = {0}, .outputs = {1}, .custom = "mine"};
  CHECK_THAT(refusalOf(model, bytesOfAll(Floats(4))), Catch::Contains("mine: this operator is"));
  model.subgraphs[0].operators[0] = {.code = kRelu, .inputs = {0}, .outputs = {1}};
  model.subgraphs[0].tensors[1].type = kInt8;
  CHECK_THAT(refusalOf(model, bytesOfAll(Floats(4))), Catch::Contains("float32 to int8"));
  CHECK_THAT(refusalOf(model, bytesOfAll(Floats(3))), Catch::Contains("needs 16 bytes"));
  std::string file = tfliteBytes(model);
  file.resize(file.size() / 2);
  CHECK(!runTflite(std::as_bytes(std::span(file)), 1).has_value());
  // A tensor that nobody makes is only there as a view of others' bytes.
  Text view = oneOperator({.shape = {4}}, {.shape = {4}}, {.code = kRelu});
  view.subgraphs[0].tensors.push_back({.shape = {2}});
  view.subgraphs[0].operators[0].inputs = {2};
  view.subgraphs[0].tensors[1].shape = {2};
  CHECK_THAT(refusalOf(view, bytesOfAll(Floats(4))), Catch::Contains("nothing makes"));
  addOfflinePlan(view, {0, 16, 8});
  const auto outputs = runModel(view, bytesOfAll(Floats{1, 2, 3, 4})).outputs;
  CHECK(elementsOf<float>(outputs.at(0)) == Floats{3, 4});
}

}  // namespace hw::test::tfl
