#include "core/exchange/tflm/arena.h"
#include "core/exchange/tflm/kernel_scratch.h"
#include "core/exchange/tflm/offline_plan.h"
#include "core/exchange/tflm/program.h"
#include "core/files/file.h"
#include "core/import/tflite/model.h"
#include "tests/core/import/onnx/onnx_corpus.h"
#include "tests/support/must.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"
#include "tests/support/tflite_writer.h"

// What tflite-micro places besides the tensors of the main subgraph.

namespace hw {
namespace {

using Text = TfliteText;
using test::Dice;

constexpr std::int32_t kCustom = 32, kIf = 118, kWhile = 119, kCallOnce = 129;

std::string fromHex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

/// As the library of FlexBuffers writes {"max_detections": 10, "use_regular_nms": false,
/// "nms_score_threshold": 0.25, "num_classes": 90}.
std::string detectionOptions() {
  return fromHex(
      "6d61785f646574656374696f6e73007573655f726567756c61725f6e6d73006e6d735f73636f72655f7468726573"
      "686f6c64006e756d5f636c6173736573000440220f340400000001000000040000000a0000000000803e5a000000"
      "00000000060e066a142601");
}

/// The same, and {"y_scale": 10.0, "big": -70000, "far": 1234567890123, "un": 300}; the far one is
/// kept elsewhere.
std::string moreOptions() {
  return fromHex(
      "6d61785f646574656374696f6e73007573655f726567756c61725f6e6d73006e6d735f73636f72655f7468726573"
      "686f6c64006e756d5f636c617373657300795f7363616c6500626967006661720000cb04fb711f010000756e0008"
      "15125e402d09532408000000010000000800000090eefeff240000000a0000000000803e5a0000002c0100000000"
      "000000002041061b060e060a6a0e282601");
}

/// A chain of operators, whose sizes follow no rule, over tensors of random sizes.
Text::Subgraph randomChain(Dice& dice, const std::string& name) {
  Text::Subgraph graph{.name = name};
  const auto tensor = [&] {
    return Text::Tensor{.shape = {static_cast<std::int32_t>(dice.roll(1, 60))}};
  };
  graph.tensors.push_back(tensor());
  graph.inputs = {0};
  const auto ops = dice.roll(1, 8);
  for (std::int64_t i = 0; i < ops; ++i) {
    const auto made = static_cast<std::int32_t>(graph.tensors.size());
    const auto read = [&] { return static_cast<std::int32_t>(dice.roll(0, made - 1)); };
    graph.tensors.push_back(tensor());
    graph.operators.push_back(
        {.code = kCustom, .inputs = {read(), read()}, .outputs = {made}, .custom = "Own"});
  }
  graph.outputs = {static_cast<std::int32_t>(ops)};
  // What callers and callees hand each other is as large for both.
  graph.tensors.front().shape = graph.tensors.back().shape = {30};
  return graph;
}

/// A main subgraph that calls others here and there, some of them more than once; those may call
/// the ones behind them.
Text randomCalls(std::uint64_t seed) {
  Dice dice(seed);
  Text text;
  const auto count = dice.roll(2, 4);
  for (std::int64_t i = 0; i < count; ++i) {
    text.subgraphs.push_back(randomChain(dice, "s" + std::to_string(i)));
  }
  for (std::int64_t i = 0; i + 1 < count; ++i) {
    auto& graph = text.subgraphs[static_cast<std::size_t>(i)];
    const auto callee = [&] { return dice.roll(i + 1, count - 1); };
    const auto calls = i == 0 ? dice.roll(1, 3) : dice.roll(0, 1);
    for (std::int64_t c = 0; c < calls; ++c) {
      const auto last = static_cast<std::int32_t>(graph.tensors.size()) - 1;
      const auto made = last + 1;
      const auto kind = dice.roll(0, 2);
      if (kind == 0) {
        graph.operators.push_back({.code = kCallOnce, .options = {{0, 4, callee()}}});
        continue;
      }
      graph.tensors.push_back({.shape = {30}});
      graph.operators.push_back({.code = kind == 1 ? kIf : kWhile,
                                 .inputs = {0, last},
                                 .outputs = {made},
                                 .options = {{0, 4, callee()}, {1, 4, callee()}}});
      graph.outputs = {made};
    }
  }
  return text;
}

Result<TflmPlan> planOf(const std::string& file) {
  RunRequest request = planningRequest();
  request.allocator = *AllocatorChoice::parse("greedy-by-size");
  request = tflmRequest(std::move(request), {.near = true});
  HW_TRY(opened, importModel(file, "model.tflite", request.import));
  HW_TRY(model, withKernelScratch(std::move(opened)));
  HW_TRY(run, execute(std::make_shared<const Model>(std::move(model)), request, {}));
  return tflmPlan(file, *run);
}

}  // namespace

TEST_CASE("numbers of FlexBuffers are found by their keys", "[exchange][tflite]") {
  CHECK(flexNumber(detectionOptions(), "max_detections") == 10);
  CHECK(flexNumber(detectionOptions(), "num_classes") == 90);
  const std::string more = moreOptions();
  CHECK(flexNumber(more, "big") == -70000);
  CHECK(flexNumber(more, "far") == 1234567890123);
  CHECK(flexNumber(more, "un") == 300);
  CHECK(flexNumber(more, "num_classes") == 90);
  for (const char* other : {"y_scale", "use_regular_nms", "max_detection", "max_detections2", ""}) {
    CAPTURE(other);
    CHECK_FALSE(flexNumber(more, other));
  }
  for (const char* bytes : {"", "\x24", "\x24\x01", "\x01\x24\x01", "\xFF\x27\xFF", "abc"}) {
    CHECK_FALSE(flexNumber(bytes, "max_detections"));
  }
}

TEST_CASE("options that are cut short or changed are read within their bytes",
          "[exchange][tflite]") {
  const std::string whole = moreOptions();
  for (std::size_t from = 0; from < whole.size(); ++from) {
    // A copy of its own, so that the sanitizers see who reads past it.
    const std::vector<char> rest(whole.begin() + static_cast<std::ptrdiff_t>(from), whole.end());
    flexNumber({rest.data(), rest.size()}, "max_detections");
    flexNumber({rest.data(), rest.size() - 1}, "far");
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char byte : {'\0', '\x01', '\x7F', '\x80', '\xFF', '\x27'}) {
      std::vector<char> changed(whole.begin(), whole.end());
      changed[at] = byte;
      for (const char* key : {"max_detections", "far", "num_classes"}) {
        flexNumber({changed.data(), changed.size()}, key);
      }
    }
  }
}

TEST_CASE("detections ask for scratch by boxes, classes and how many are wanted",
          "[exchange][tflite]") {
  const std::vector<KernelOperand> inputs = {{Dtype::float32, Shape{1, 50, 4}},
                                             {Dtype::float32, Shape{1, 50, 91}},
                                             {Dtype::float32, Shape{50, 4}}};
  const auto scratch = [&](std::int64_t most, std::int64_t classes) {
    std::vector<std::int64_t> bytes;
    for (const Bytes size : kernelScratch("TFLite_Detection_PostProcess", true, inputs, {},
                                          {{"max_detections", most}, {"num_classes", classes}})
                                .buffers) {
      bytes.push_back(size.count());
    }
    return bytes;
  };
  using Sizes = std::vector<std::int64_t>;
  CHECK(scratch(10, 90) == Sizes{50, 800, 18200, 200, 200, 2000, 2000, 200, 2000, 18000, 2000});
  CHECK(scratch(100, 90) ==
        Sizes{50, 800, 18200, 200, 200, 20000, 20000, 200, 20000, 20000, 10000});
  CHECK_FALSE(kernelScratch("TFLite_Detection_PostProcess", true, inputs, {}, {}).known);
  CHECK_FALSE(kernelScratch("TFLite_Detection_PostProcess", true, {}, {},
                            {{"max_detections", std::int64_t{1}}})
                  .known);
  CHECK_FALSE(kernelScratch("Another", true, inputs, {}).known);

  Text::Subgraph main{.name = "main"};
  main.tensors = {{.name = "boxes", .shape = {1, 50, 4}},
                  {.name = "scores", .shape = {1, 50, 91}},
                  {.name = "anchors", .shape = {50, 4}, .buffer = 1},
                  {.name = "found", .shape = {1, 10, 4}},
                  {.name = "classes", .shape = {1, 10}},
                  {.name = "how sure", .shape = {1, 10}},
                  {.name = "how many", .shape = {1}}};
  main.inputs = {0, 1};
  main.outputs = {3, 4, 5, 6};
  main.operators = {{.code = kCustom,
                     .inputs = {0, 1, 2},
                     .outputs = {3, 4, 5, 6},
                     .custom = "TFLite_Detection_PostProcess",
                     .customOptions = detectionOptions()}};
  Text text{.subgraphs = {main}, .buffers = {std::string(800, 'a')}};
  const auto plan = test::must(planOf(tfliteBytes(text)));
  CHECK(plan.program.unknown.empty());
  REQUIRE(plan.program.scratch.size() == 11);
  // All is live at once: boxes, scores, what is found, and scratch, each a multiple of 16.
  const std::int64_t inout = 800 + 18208 + 160 + 48 + 48 + 16;
  const std::int64_t asked = 64 + 800 + 18208 + 208 + 208 + 2000 + 2000 + 208 + 2000 + 18000 + 2000;
  CHECK(plan.arena.head == Bytes(inout + asked));
  text.subgraphs[0].operators[0].customOptions = "no map";
  const auto unknown = test::must(planOf(tfliteBytes(text)));
  CHECK(unknown.program.unknown == std::vector<std::string>{"TFLite_Detection_PostProcess"});
}

TEST_CASE("tensors of called subgraphs have places that nobody else uses", "[exchange][tflite]") {
  const std::uint64_t seed = GENERATE(range<std::uint64_t>(1, 1 + test::rounds(200)));
  CAPTURE(seed);
  const auto made = test::must(planOf(tfliteBytes(randomCalls(seed))));
  const TflmPlan& plan = made;
  CHECK(plan.left == 0);
  std::size_t called = 0;
  for (std::size_t a = 0; a < plan.offsets.size(); ++a) {
    const TflmBuffer& one = plan.program.tensors[a];
    if (one.size == Bytes() || one.last == TflmBuffer::kNever) continue;
    REQUIRE(plan.offsets[a] >= 0);
    called += one.subgraph > 0;
    CHECK(Bytes(plan.offsets[a]) + one.size <= plan.arena.head);
    for (std::size_t b = 0; b < a; ++b) {
      const TflmBuffer& other = plan.program.tensors[b];
      const bool together = other.size > Bytes() && other.last != TflmBuffer::kNever &&
                            one.first <= other.last && other.first <= one.last;
      if (!together) continue;
      CAPTURE(a, b);
      CHECK((Bytes(plan.offsets[a]) + one.size <= Bytes(plan.offsets[b]) ||
             Bytes(plan.offsets[b]) + other.size <= Bytes(plan.offsets[a])));
    }
  }
  CHECK(called > 0);
  // Never above what comes of leaving them to the runtime.
  std::vector<std::int32_t> left = plan.offsets;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (plan.program.tensors[i].subgraph > 0) left[i] = -1;
  }
  CHECK(plan.arena.head <= tflmArena(plan.program, left).head);
  // Nor above the runtime's own, unless the main subgraph is by itself.
  Bytes main;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (left[i] >= 0) main = std::max(main, Bytes(left[i]) + plan.program.tensors[i].size);
  }
  CHECK(plan.arena.head <= std::max(plan.ownHead, main));
}

TEST_CASE("the tail is estimated by what the runtime keeps", "[exchange][tflite]") {
  Text::Subgraph main{.name = "main"};
  main.tensors = {{.name = "x", .shape = {4}, .type = 9},
                  {.name = "state", .shape = {100}, .type = 9, .variable = true},
                  {.name = "y", .shape = {4}}};
  main.inputs = {0};
  main.outputs = {2};
  main.operators = {{.code = 114, .inputs = {0}, .outputs = {2}}};  // QUANTIZE
  const std::string file = tfliteBytes({.subgraphs = {main}});
  const auto plan = test::must(planOf(file));
  CHECK(plan.program.variables == Bytes(112));
  // Its own, three tensors, an operator and its kernel, the variable, a pointer to each end of the
  // model, the ends themselves, and the scale of one.
  CHECK(plan.tail == Bytes(248 + 3 * 24 + 64 + 32 + 112 + 2 * 16 + 2 * 64 + 32));
  CHECK(plan.narrowTail == Bytes(132 + 3 * 12 + 32 + 32 + 112 + 2 * 16 + 2 * 40 + 20));
  CHECK_THAT(tflmPlanLine(plan),
             Catch::Contains("; its tail about 700 more, an estimate (500 where pointers have 4"));
}

TEST_CASE("the tail has a multiplier and a shift for each scale of matrices",
          "[exchange][tflite]") {
  const auto tailWith = [](std::vector<float> scales) {
    Text::Subgraph main{.name = "main"};
    main.tensors = {
        {.name = "x", .shape = {1, 8}, .type = 9, .scales = {0.5F}},
        {.name = "w", .shape = {5, 8}, .type = 9, .buffer = 1, .scales = std::move(scales)},
        {.name = "y", .shape = {1, 5}, .type = 9, .scales = {0.5F}}};
    main.inputs = {0};
    main.outputs = {2};
    main.operators = {{.code = 9, .inputs = {0, 1}, .outputs = {2}, .optionsKind = 8}};
    const std::string file = tfliteBytes({.subgraphs = {main}, .buffers = {std::string(40, '\1')}});
    const auto plan = test::must(planOf(file));
    return plan.tail.count();
  };
  // Two lists of five numbers, each in 32 bytes.
  CHECK(tailWith({0.1F, 0.1F, 0.2F, 0.1F, 0.1F}) == tailWith({0.1F}) + 64);
}

// Its own test of the arena's size, memory_arena_threshold_test.cc, has 13,800 bytes at the tail
// for this model on x86-64, without the allocators, which are 248.
TEST_CASE("the tail of a model that tflite-micro measures is as it says",
          "[exchange][tflite][corpus]") {
  const auto folder = corpusFolder();
  if (!folder) return;
  const auto bytes = test::must(readFile((*folder / "tflite/keyword_scrambled.tflite").string()));
  const TfliteFile file(bytes);
  const auto program = test::must(tflmProgram(file));
  CHECK(program.variables == Bytes(10'240));  // That, too, is in the test.
  CHECK(static_cast<double>(tflmTail(file, program, 8).count()) ==
        Approx(13'800 + 248).epsilon(0.01));

  // What the guide to firmware measured.
  const auto other = test::must(readFile((*folder / "tflite/vww_96_int8.tflite").string()));
  const TfliteFile vww(other);
  CHECK(static_cast<double>(tflmTail(vww, tflmProgram(vww).value(), 8).count()) ==
        Approx(29'664).epsilon(0.01));
}

TEST_CASE("called subgraphs lie lower than the runtime would put them, where they can",
          "[exchange][tflite]") {
  std::size_t lower = 0;
  for (const std::uint64_t seed : test::Seeds(100)) {
    const auto plan = test::must(planOf(tfliteBytes(randomCalls(seed))));
    std::vector<std::int32_t> left = plan.offsets;
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (plan.program.tensors[i].subgraph > 0) left[i] = -1;
    }
    lower += plan.arena.head < tflmArena(plan.program, left).head;
  }
  CHECK(lower > 0);
}

}  // namespace hw
