#include "core/shrink/tflm/int8_input.h"

#include <span>

#include "core/report/explain/runtime_shrink_report.h"
#include "core/shrink/c/c_file.h"
#include "core/shrink/tflm/row_file.h"
#include "tests/support/must.h"
#include "tests/support/rounds.h"
#include "tests/support/tflite_interpreter.h"
#include "tests/support/tflite_networks.h"
#include "tests/support/tflite_writer.h"

namespace hw {
namespace {

constexpr std::int8_t kFloatType = 0, kInt8Type = 9;
constexpr std::int32_t kAddCode = 0, kReluCode = 19, kQuantizeCode = 114;

TfliteText::Tensor floats(std::string name, std::int32_t rows) {
  return {.name = std::move(name), .shape = {1, rows, 4, 2}, .type = kFloatType};
}
TfliteText::Tensor quantised(std::string name, std::int32_t rows, std::int64_t zero) {
  TfliteText::Tensor made = floats(std::move(name), rows);
  made.type = kInt8Type;
  made.scales = {0.0625F};
  made.zeros = {zero};
  return made;
}

/// An input in int8, then one in float32 that is quantised; their sum.
TfliteText sumOfTwo() {
  TfliteText model;
  model.subgraphs = {
      {.tensors = {quantised("a", 8, 1), floats("b", 8), quantised("b8", 8, -3),
                   quantised("sum", 8, 0)},
       .inputs = {0, 1},
       .outputs = {3},
       .operators = {{.code = kQuantizeCode, .inputs = {1}, .outputs = {2}, .optionsKind = 89},
                     {.code = kAddCode, .inputs = {0, 2}, .outputs = {3}, .optionsKind = 11}}}};
  model.metadata = {{"OfflineMemoryAllocation", 1}};
  model.buffers = {tfliteIntegers({1, 0, 4, 0, 64, 320, 0})};
  return model;
}

/// What the caller gives to the model without QUANTIZE: what those of the whole one made.
std::vector<std::vector<std::byte>> quantisedInputs(const test::TfliteExecution& whole,
                                                    std::size_t inputs) {
  std::vector<std::vector<std::byte>> given;
  for (std::size_t i = 0; i < inputs; ++i) given.push_back(whole.steps[i].bytes);
  return given;
}

RuntimeSearchOptions searching(FloatInputs inputs) {
  return {.extraMacs = 0.005, .floatInputs = inputs, .threads = 2};
}

/// Networks with an input in float32.
std::string floatNetwork(int size) {
  return test::publishedFile(size == 32 ? "mcunet_v2_large" : "blazeface", size);
}

TEST_CASE("without QUANTIZE a model gives the same results of the int8 that it made", "[rows]") {
  const int size = GENERATE(32, 64);
  CAPTURE(size);
  if (!test::isTried(size == 32 ? 0 : 1)) return;
  const std::string file = floatNetwork(size);
  const auto model = test::must(withInt8Inputs(file));
  CHECK(model.taken.count() == 4 * 3 * size * size);
  REQUIRE(model.inputs.size() == 1);
  CHECK(model.inputs[0].name == "t0");
  CHECK(model.inputs[0].scale == 0.0625F);
  CHECK(model.inputs[0].zero == 0);

  const auto made = test::must(shrinkForTflm(file, 4, searching(FloatInputs::replace)));
  CHECK(made.int8Inputs.size() == 1);
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto whole = test::must(test::runTflite(std::as_bytes(std::span(file)), seed));
    const auto given = quantisedInputs(whole, 1);
    for (const std::string& each : {model.file, made.file}) {
      const auto run = test::must(test::runTflite(std::as_bytes(std::span(each)), given));
      CHECK(run.outputs == whole.outputs);
    }
  }
}

TEST_CASE("advice is what is made when it is followed, and changes nothing else", "[rows]") {
  if (test::kSanitized) return;  // Six minutes of a search that other tests run on less.
  const std::string file = floatNetwork(64);
  const auto made = test::must(shrinkForTflm(file, 4, searching(FloatInputs::replace)));
  const auto advised = test::must(shrinkForTflm(file, 4, searching(FloatInputs::advise)));
  const auto kept = test::must(shrinkForTflm(file, 4, searching(FloatInputs::keep)));
  REQUIRE(advised.advice);
  CHECK(advised.advice->way.total() == made.best().total());
  CHECK(advised.advice->way.runs == made.best().runs);
  CHECK(advised.advice->way.total() < kept.best().total());
  CHECK(advised.file == kept.file);
  CHECK_FALSE(kept.advice);

  const Json json = runtimeShrinkJson(advised, "x.tflite");
  CHECK(json.at("with_int8_inputs").at("total") == made.best().total().count());
  CHECK(json.at("with_int8_inputs").at("inputs").at(0).at("zero_point") == 0);
  CHECK(runtimeShrinkJson(made, "x").at("int8_inputs").at(0).at("scale") == 0.0625);
  const std::string said = "'t0' quantised by the caller: scale 0.0625, zero point 0";
  CHECK(runtimeShrinkText(advised, "x", {}).find("an int8 input (" + said) != std::string::npos);
  CHECK(runtimeShrinkText(made, "x", {}).find("int8 inputs: " + said) != std::string::npos);
}

TEST_CASE("inputs keep their order, and C takes int8, too", "[rows][c]") {
  const std::string file = tfliteBytes(sumOfTwo());
  const auto model = test::must(withInt8Inputs(file));
  REQUIRE(model.inputs.size() == 1);
  CHECK(model.inputs[0].name == "b");
  CHECK(model.inputs[0].zero == -3);
  const auto whole = test::must(test::runTflite(std::as_bytes(std::span(file)), 5));
  const auto run = test::must(test::runTflite(std::as_bytes(std::span(model.file)),
                                              {whole.inputs[0].bytes, whole.steps[0].bytes}));
  CHECK(run.outputs == whole.outputs);
  CHECK(run.headBytes == 0);  // The plan was for tensors with other numbers.

  const CFileNames names{"net", "net.h", "sum"};
  const auto text = test::must(shrinkForC(file, names, {.floatInputs = FloatInputs::replace}));
  const auto same = test::must(shrinkForC(model.file, names, {}));
  CHECK(text.file == same.file);
  CHECK(text.header.find("#define NET_INPUT_1_ZERO_POINT (-3)") != std::string::npos);
}

TEST_CASE("inputs that QUANTIZE does not read alone stay", "[rows]") {
  const auto why = [](const TfliteText& model) {
    const auto made = withInt8Inputs(tfliteBytes(model));
    return made ? std::string() : made.error().message;
  };
  const std::string none = "no input is in float32 and read by one QUANTIZE to int8 alone";
  TfliteText read = sumOfTwo();
  read.subgraphs[0].tensors.push_back(floats("twice", 8));
  read.subgraphs[0].operators.push_back({.code = kReluCode, .inputs = {1}, .outputs = {4}});
  CHECK(why(read) == none);
  TfliteText given = sumOfTwo();
  given.subgraphs[0].outputs = {3, 1};
  CHECK(why(given) == none);
  given.subgraphs[0].outputs = {3, 2};
  CHECK(why(given) == none);
  TfliteText inner = sumOfTwo();
  inner.subgraphs[0].inputs = {0};
  CHECK(why(inner) == none);
  TfliteText bytes = sumOfTwo();
  bytes.subgraphs[0].tensors[2].type = 3;
  CHECK(why(bytes) == none);
  CHECK(why(sumOfTwo()) == "");

  const std::string whole = test::publishedFile("resnet8", 32);
  CHECK(
      test::mustFail(shrinkForTflm(whole, 4, {.extraMacs = 0, .floatInputs = FloatInputs::replace}))
          .message == none);
}

TEST_CASE("inputs that do not hold up the head are not looked at twice", "[rows]") {
  int searches = 0;
  const auto count = [&](std::int64_t head) {
    searches = 0;
    const auto made = test::must(
        searchInputs(tfliteBytes(sumOfTwo()), {.floatInputs = FloatInputs::advise},
                     [&](std::string_view, const RuntimeSearchOptions&) -> Result<RuntimeShrink> {
                       const Bytes less(searches++ == 0 ? 0 : 64);
                       return RuntimeShrink{.ways = {{.head = Bytes(head) - less}}};
                     }));
    return made.advice.has_value();
  };
  CHECK(count(400));
  CHECK(searches == 2);
  CHECK_FALSE(count(4000));
  CHECK(searches == 1);
}

}  // namespace
}  // namespace hw
