#include <algorithm>
#include <random>

#include "core/import/importer.h"
#include "core/schedule/loops.h"
#include "tests/support/findings.h"
#include "tests/support/must.h"
#include "tests/support/tflite/part_models.h"
#include "tests/support/tflite_writer.h"

namespace hw {
namespace {

using Text = TfliteText;

constexpr std::int8_t kInt32 = 2;
constexpr std::int8_t kResource = 13;
constexpr std::int32_t kAdd = 0;
constexpr std::int32_t kFullyConnected = 9;
constexpr std::int32_t kRelu = 19;
constexpr std::int32_t kReshape = 22;
constexpr std::int32_t kCustom = 32;
constexpr std::int32_t kShape = 77;
constexpr std::int32_t kPack = 83;
constexpr std::int32_t kStridedSlice = 45;

Result<Model> read(const Text& model, const ImportOptions& options = {}) {
  return importModel(tfliteBytes(model), "net.tflite", options);
}

std::shared_ptr<const Graph> graphOf(const Text& model, const ImportOptions& options = {}) {
  const auto opened = test::must(read(model, options));
  return opened.graph;
}

const Tensor& named(const Graph& graph, const std::string& name) {
  const auto found = std::ranges::find(graph.tensors, name, &Tensor::name);
  if (found == graph.tensors.end()) FAIL("no tensor " + name);
  return *found;
}

std::vector<std::string> types(const Graph& graph) {
  std::vector<std::string> list;
  for (const Op& op : graph.ops) list.push_back(op.type);
  return list;
}

/// x (free, 8) -> FULLY_CONNECTED to 4 -> RELU -> RESHAPE to (rows of x, 2, 2), the rows worked out
/// as SHAPE, STRIDED_SLICE, PACK.
Text freeRows() {
  Text::Subgraph main{.name = "main"};
  main.tensors = {{.name = "x", .shape = {1, 8}, .signature = {-1, 8}},
                  {.name = "w", .shape = {4, 8}, .buffer = 1},
                  {.name = "fc", .shape = {1, 4}, .signature = {-1, 4}},
                  {.name = "relu", .shape = {1, 4}, .signature = {-1, 4}},
                  {.name = "shape", .shape = {2}, .type = kInt32},
                  {.name = "zero", .shape = {1}, .type = kInt32, .buffer = 2},
                  {.name = "one", .shape = {1}, .type = kInt32, .buffer = 3},
                  {.name = "rows", .type = kInt32},
                  {.name = "two", .type = kInt32, .buffer = 4},
                  {.name = "target", .shape = {3}, .type = kInt32},
                  {.name = "y", .shape = {1, 2, 2}, .signature = {-1, 2, 2}}};
  main.inputs = {0};
  main.outputs = {10};
  main.operators = {
      {.code = kFullyConnected, .inputs = {0, 1, -1}, .outputs = {2}},
      {.code = kRelu, .inputs = {2}, .outputs = {3}},
      {.code = kShape, .inputs = {0}, .outputs = {4}},
      {.code = kStridedSlice, .inputs = {4, 5, 6, 6}, .outputs = {7}, .options = {{4, 4, 1}}},
      {.code = kPack, .inputs = {7, 8, 8}, .outputs = {9}, .options = {{0, 4, 3}}},
      {.code = kReshape, .inputs = {3, 9}, .outputs = {10}}};
  return {.subgraphs = {main},
          .buffers = {std::string(128, 'w'), tfliteIntegers({0}), tfliteIntegers({1}),
                      tfliteIntegers({2})}};
}

/// x -> an operator that calls subgraph 1 (and 2) -> y, all (4).
Text calling(std::int32_t code, std::vector<Text::Option> options, bool second = false) {
  Text::Subgraph main{.name = "main"};
  main.tensors = {{.name = "x", .shape = {4}}, {.name = "y", .shape = {4}}};
  main.inputs = {0};
  main.outputs = {1};
  main.operators = {{.code = code,
                     .inputs = {0},
                     .outputs = {1},
                     .options = std::move(options),
                     .second = second}};
  Text::Subgraph callee{.name = "callee"};
  callee.tensors = {
      {.name = "a", .shape = {4}}, {.name = "b", .shape = {4}}, {.name = "c", .shape = {4}}};
  callee.inputs = {0};
  callee.outputs = {2};
  callee.operators = {{.code = kRelu, .inputs = {0}, .outputs = {1}},
                      {.code = kAdd, .inputs = {0, 1}, .outputs = {2}}};
  return {.subgraphs = {main, callee}};
}

}  // namespace

TEST_CASE("free dimensions are bound, followed and listed", "[import][tflite]") {
  SECTION("left alone, they are as stored") {
    const auto graph = graphOf(freeRows());
    CHECK(named(*graph, "y").shape == Shape{1, 2, 2});
    CHECK(named(*graph, "y").origin == SizeOrigin::assumed);
    CHECK(test::oneHas(graph->notes, "free dimension 0 of input 'x' taken as 1; --dim x[0]=VALUE"));
  }
  SECTION("what is stored for a free dimension inside may be a placeholder") {
    Text model = freeRows();
    auto& main = model.subgraphs[0];
    main.tensors[0].shape = {1, 4, 8};
    main.tensors[0].signature = {-1, 4, 8};
    main.tensors[10].shape = {1, 1, 2};
    main.tensors[10].signature = {-1, -1, 2};
    main.tensors[9] = {.name = "target", .shape = {3}, .type = kInt32, .buffer = 5};
    main.operators = {{.code = kReshape, .inputs = {0, 9}, .outputs = {10}},
                      {.code = kRelu, .inputs = {10}, .outputs = {3}}};
    main.tensors[3] = main.tensors[10];
    main.tensors[3].name = "relu";
    main.outputs = {3};
    model.buffers.push_back(tfliteIntegers({-1, 16, 2}));
    for (const bool isGiven : {false, true}) {
      const auto graph = isGiven ? graphOf(model, {.dimensions = {{"batch", 1}}}) : graphOf(model);
      CHECK(named(*graph, "y").shape == Shape{1, 16, 2});
      CHECK(named(*graph, "relu").shape == Shape{1, 16, 2});
      CHECK((named(*graph, "relu").origin == SizeOrigin::assumed) != isGiven);
    }
  }
  SECTION("bound, everything behind follows") {
    for (const char* name : {"x[0]", "batch"}) {
      const auto graph = graphOf(freeRows(), {.dimensions = {{name, 5}}});
      CHECK(named(*graph, "fc").shape == Shape{5, 4});
      CHECK(named(*graph, "fc").origin == SizeOrigin::inferred);
      CHECK(named(*graph, "relu").bytes == Bytes(80));
      CHECK(named(*graph, "y").shape == Shape{5, 2, 2});
      CHECK(named(*graph, "y").origin == SizeOrigin::evaluated);
    }
  }
  SECTION("the names of a signature do as well") {
    Text model = freeRows();
    model.signatures = {{.key = "serve", .subgraph = 0, .inputs = {{"rows_in", 0}}}};
    const auto graph = graphOf(model, {.dimensions = {{"rows_in[0]", 3}}});
    CHECK(named(*graph, "y").shape == Shape{3, 2, 2});
  }
  SECTION("a name that fits nothing is refused") {
    const auto model = read(freeRows(), {.dimensions = {{"z[0]", 5}}});
    REQUIRE_FALSE(model);
    CHECK(model.error().text() ==
          "no input of the model has a dimension 'z[0]'; the free ones are x[0]");
  }
  SECTION("what no rule covers is not known, and says why") {
    Text model = freeRows();
    model.subgraphs[0].operators[1] = {
        .code = kCustom, .inputs = {2}, .outputs = {3}, .custom = "Magic"};
    const auto graph = graphOf(model, {.dimensions = {{"batch", 5}}});
    CHECK_FALSE(named(*graph, "relu").bytes);
    CHECK(named(*graph, "relu").unknownReason ==
          "no shape rule for what Magic makes of its new inputs");
    CHECK(named(*graph, "y").unknownReason == "follows from 'relu', whose shape is not known");
    // As stored, the file can be believed.
    CHECK(named(*graphOf(model), "relu").shape == Shape{1, 4});
  }
}

namespace {

/// What a strided slice takes of `size` elements, walked as Python does.
std::int64_t walked(std::int64_t size, std::optional<std::int64_t> begin,
                    std::optional<std::int64_t> end, std::int64_t step) {
  std::int64_t count = 0;
  const auto place = [&](std::int64_t at) { return at < 0 ? at + size : at; };
  const std::int64_t low = step > 0 ? 0 : -1;
  const std::int64_t high = step > 0 ? size : size - 1;
  std::int64_t at = begin ? std::clamp(place(*begin), low, high) : (step > 0 ? low : high);
  const std::int64_t last = end ? std::clamp(place(*end), low, high) : (step > 0 ? high : low);
  for (; step > 0 ? at < last : at > last; at += step) ++count;
  return count;
}

/// x (free, 5) cut by begin, end and step of two entries.
Text cutting(const std::vector<std::int32_t>& begin, const std::vector<std::int32_t>& end,
             const std::vector<std::int32_t>& step, std::vector<Text::Option> masks) {
  Text::Subgraph main{.name = "main"};
  const auto count = static_cast<std::int32_t>(begin.size());
  main.tensors = {{.name = "x", .shape = {1, 5}, .signature = {-1, 5}},
                  {.name = "begin", .shape = {count}, .type = kInt32, .buffer = 1},
                  {.name = "end", .shape = {count}, .type = kInt32, .buffer = 2},
                  {.name = "step", .shape = {count}, .type = kInt32, .buffer = 3},
                  {.name = "y", .shape = {1, 5}, .signature = {-1, 5}}};
  main.inputs = {0};
  main.outputs = {4};
  main.operators = {
      {.code = kStridedSlice, .inputs = {0, 1, 2, 3}, .outputs = {4}, .options = std::move(masks)}};
  return {.subgraphs = {main},
          .buffers = {tfliteIntegers(begin), tfliteIntegers(end), tfliteIntegers(step)}};
}

}  // namespace

TEST_CASE("strided slices agree with walking along the axis", "[import][tflite][property]") {
  const unsigned seed = GENERATE(range(0U, 100U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  const auto pick = [&](std::int32_t least, std::int32_t most) {
    return std::uniform_int_distribution<std::int32_t>(least, most)(random);
  };
  const std::int32_t size = pick(2, 9);
  const std::int32_t begin = pick(-12, 12);
  const std::int32_t end = pick(-12, 12);
  const std::int32_t step = random() % 2 == 0 ? pick(1, 3) : -pick(1, 3);
  const std::int64_t beginMask = pick(0, 1);
  const std::int64_t endMask = pick(0, 1);
  CAPTURE(size, begin, end, step, beginMask, endMask);
  // Entry 1 leaves its axis as it is.
  const Text model = cutting({begin, 0}, {end, 5}, {step, 1}, {{0, 4, beginMask}, {1, 4, endMask}});
  const auto graph = graphOf(model, {.dimensions = {{"x[0]", size}}});
  const auto given = [](std::int64_t mask, std::int64_t at) {
    return mask != 0 ? std::nullopt : std::optional(at);
  };
  CHECK(named(*graph, "y").shape ==
        Shape{walked(size, given(beginMask, begin), given(endMask, end), step), 5});
}

TEST_CASE("strided slices drop axes and add new ones", "[import][tflite]") {
  const auto shapeOf = [](const Text& model) {
    return named(*graphOf(model, {.dimensions = {{"x[0]", 4}}}), "y").shape;
  };
  constexpr int kEllipsis = 2;
  constexpr int kNew = 3;
  constexpr int kShrink = 4;
  CHECK(shapeOf(cutting({-1, 1}, {0, 3}, {1, 1}, {{kShrink, 4, 1}})) == Shape{2});
  CHECK(shapeOf(cutting({0, 1}, {0, 3}, {1, 1}, {{kNew, 4, 1}})) == Shape{1, 2, 5});
  CHECK(shapeOf(cutting({0, 0}, {0, 0}, {1, 1}, {{kEllipsis, 4, 1}, {kNew, 4, 2}})) ==
        Shape{4, 5, 1});
  CHECK(shapeOf(cutting({0, 1}, {0, 3}, {1, 1}, {{kEllipsis, 4, 1}})) == Shape{4, 2});
  // There is no element 7.
  CHECK_FALSE(shapeOf(cutting({0, 7}, {1, 8}, {1, 1}, {{kShrink, 4, 2}})));
}

TEST_CASE("called subgraphs stand in the place of the call", "[import][tflite]") {
  constexpr std::int32_t kCall = 31;
  constexpr std::int32_t kComposite = 206;
  const Text call = calling(kCall, {{0, 4, 1}});
  const Text composite = calling(kComposite, {{1, 4, 1}}, true);
  for (const Text& model : {call, composite}) {
    const auto open = graphOf(model);
    CHECK(types(*open) == std::vector<std::string>{"RELU", "ADD"});
    CHECK(named(*open, "callee/b").consumers.size() == 1);
    CHECK(named(*open, "y").producer == OpId(1));
    const auto closed = graphOf(model, {.closedBodies = true});
    CHECK(closed->ops.size() == 1);
    CHECK(closed->tensors.size() == 2);
  }
  SECTION("one that calls itself stays closed") {
    Text model = call;
    model.subgraphs[1].operators[0] = {
        .code = kCall, .inputs = {0}, .outputs = {1}, .options = {{0, 4, 1}}};
    const auto graph = graphOf(model);
    CHECK(std::ranges::count(types(*graph), "CALL") == 1);
    CHECK(graph->ops.size() == 2);
  }
}

TEST_CASE("of a branch the larger part is shown, of a loop one turn", "[import][tflite]") {
  constexpr std::int32_t kIf = 118;
  constexpr std::int32_t kWhile = 119;
  Text model = calling(kIf, {{0, 4, 1}, {1, 4, 2}});
  Text::Subgraph& main = model.subgraphs[0];
  main.tensors.push_back({.name = "condition", .shape = {1}, .type = 6});
  main.inputs = {0, 2};
  main.operators[0].inputs = {2, 0};
  Text::Subgraph small{.name = "small"};
  small.tensors = {{.name = "p", .shape = {4}}, {.name = "q", .shape = {4}}};
  small.inputs = {0};
  small.outputs = {1};
  small.operators = {{.code = kRelu, .inputs = {0}, .outputs = {1}}};
  model.subgraphs.push_back(small);
  const auto branch = graphOf(model);
  CHECK(types(*branch) == std::vector<std::string>{"IF", "RELU", "ADD"});
  CHECK(named(*branch, "condition").consumers == std::vector{OpId(0)});
  CHECK(test::oneHas(branch->notes, "its larger branch is shown"));

  Text loop = calling(kWhile, {{0, 4, 2}, {1, 4, 1}});
  Text::Subgraph condition{.name = "goes_on"};
  condition.tensors = {{.name = "v", .shape = {4}}, {.name = "yes", .shape = {1}, .type = 6}};
  condition.inputs = {0};
  condition.outputs = {1};
  condition.operators = {{.code = kCustom, .inputs = {0}, .outputs = {1}, .custom = "Ask"}};
  loop.subgraphs.push_back(condition);
  const auto turn = graphOf(loop);
  CHECK(types(*turn) == std::vector<std::string>{"WHILE", "Ask", "RELU", "ADD", "WHILE_END"});
  CHECK(named(*turn, "callee/a").producer == OpId(0));
  CHECK(named(*turn, "y").producer == OpId(4));
  CHECK(test::oneHas(turn->notes, "one turn is counted"));
}

TEST_CASE("a loop of parts is shown turn by turn, and one that never ends is refused",
          "[import][tflite]") {
  const auto steps = [](std::int32_t rows) { return graphOf(test::tfl::loopOfParts(rows)); };
  CHECK(test::oneHas(steps(-2)->notes, "a loop of 3 turns"));
  CHECK(test::oneHas(steps(-1)->notes, "a loop of 5 turns"));
  const auto loops = loopTurns(*steps(-1), givenOrder(*steps(-1)));
  REQUIRE(loops.size() == 1);
  CHECK(loops[0].turns == 5);
  const std::string tooMany = "its operators run in parts, with more than 524,288 reads and writes";
  for (const std::int32_t rows : {0, 1}) {
    INFO(rows);
    CHECK(test::mustFail(read(test::tfl::loopOfParts(rows))).message == tooMany);
  }
  // Names of 4 KB would be kept for each turn.
  Text named = test::tfl::loopOfParts(-1);
  named.buffers[0] = tfliteIntegers({0, 3000, 0, 0});
  CHECK(test::oneHas(graphOf(named)->notes, "a loop of 3,001 turns"));
  for (auto& graph : named.subgraphs) {
    for (auto& tensor : graph.tensors) {
      if (!tensor.name.empty()) tensor.name += std::string(1 << 16, 'n');
    }
  }
  CHECK(test::mustFail(read(named)).message == tooMany);
}

TEST_CASE("scratch, variables and resources are no activations", "[import][tflite]") {
  Text::Subgraph main{.name = "main"};
  main.tensors = {{.name = "x", .shape = {8}},
                  {.name = "state", .shape = {16}, .variable = true},
                  {.name = "room", .shape = {100}},
                  {.name = "y", .shape = {8}},
                  {.name = "handle", .type = kResource},
                  {.name = "read", .shape = {8}},
                  {.name = "z", .shape = {8}}};
  main.inputs = {0};
  main.outputs = {6};
  constexpr std::int32_t kHandle = 142;
  constexpr std::int32_t kRead = 143;
  constexpr std::int32_t kAssign = 144;
  main.operators = {
      {.code = kCustom, .inputs = {0, 1, 2}, .outputs = {3}, .custom = "Npu"},
      {.code = kHandle, .outputs = {4}, .text = "counter"},
      {.code = kRead, .inputs = {4}, .outputs = {5}},
      {.code = kAdd, .inputs = {3, 5}, .outputs = {6}},
      {.code = kAssign, .inputs = {4, 6}},
  };
  const auto graph = graphOf({.subgraphs = {main}});
  CHECK(named(*graph, "state").persistent);
  CHECK(named(*graph, "handle").persistent);
  CHECK(named(*graph, "handle").bytes == Bytes(32));
  CHECK(named(*graph, "room").producer == OpId(0));
  CHECK(named(*graph, "room").consumers.empty());
  CHECK_FALSE(graph->ops[OpId(2)].folded);
  // What is written to a variable has an effect, although no output sees it.
  CHECK_FALSE(test::oneHas(graph->notes, "reach"));
}

TEST_CASE("a file of several models is chosen from by name", "[import][tflite]") {
  Text model = calling(31, {{0, 4, 1}});
  model.signatures = {{.key = "encode", .subgraph = 1}, {.key = "all", .subgraph = 0}};
  for (const char* name : {"encode", "callee", "1"}) {
    const auto graph = graphOf(model, {.subgraph = name});
    CHECK(types(*graph) == std::vector<std::string>{"RELU", "ADD"});
    CHECK(named(*graph, "a").graphInput);
  }
  CHECK(test::mustFail(read(model, {.subgraph = "decode"})).text() ==
        "the model has no subgraph or signature 'decode'; it has encode, "
        "all, 0 (main), 1 (callee)");

  const std::string bundle =
      zipBytes({{"notes.txt", "hello"},
                {"first.tflite", tfliteBytes(freeRows())},
                {"inner.task", zipBytes({{"second.tflite", tfliteBytes(model)}})}});
  const auto open = [&](const std::string& part) {
    return importModel(bundle, "net.task", {.subgraph = part});
  };
  REQUIRE(open(""));
  CHECK(open("")->format == "tflite-bundle");
  CHECK(open("")->name == "first");
  CHECK(test::oneHas(open("")->graph->notes, "1 of 2 models in the bundle"));
  REQUIRE(open("second.tflite"));
  CHECK(open("second.tflite")->name == "second");
  CHECK(types(*open("inner.task/second.tflite:encode")->graph).size() == 2);
  CHECK(open("nothing").error().text() ==
        "the model has no subgraph or signature 'nothing'; it has 0 (main); the bundle's models "
        "are first.tflite, inner.task/second.tflite (first.tflite)");
  CHECK(importModel(zipBytes({{"a.txt", "x"}}), "a.zip", {}).error().text() ==
        "the file is a zip archive; expected a model, unpack it first");

  const std::string attached = tfliteBytes(freeRows()) + zipBytes({{"labels.txt", "cat"}});
  const auto withLabels = test::must(importModel(attached, "x.tflite", {}));
  CHECK(withLabels.format == "tflite");
  CHECK(test::oneHas(withLabels.graph->notes, "1 files are attached to the model: labels.txt"));
}

TEST_CASE("damaged TFLite files are refused in a sentence", "[import][tflite]") {
  Text old = freeRows();
  old.version = 2;
  CHECK(read(old).error().text() == "TFLite schema version 2 is not supported; expected 3");
  Text lost = freeRows();
  lost.subgraphs[0].operators[1].inputs = {99};
  CHECK(read(lost).error().text() ==
        "tensor 99 does not exist; the subgraph has 11 (subgraph[0].operator[1])");
  CHECK(read(Text()).error().text() == "the TFLite model has no subgraph");

  const std::string whole = tfliteBytes(calling(206, {{1, 4, 1}}, true));
  for (std::size_t size = 8; size < whole.size(); ++size) {
    const auto cut = importModel(whole.substr(0, size), "cut.tflite", {});
    if (!cut) CHECK_FALSE(cut.error().message.empty());
  }
  const unsigned seed = std::random_device()();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 20'000; ++round) {
    std::string damaged = whole;
    for (int hit = 0; hit < 3; ++hit) {
      damaged[8 + random() % (damaged.size() - 8)] = static_cast<char>(random());
    }
    const auto model = importModel(damaged, "damaged.tflite", {});
    if (!model) CHECK(model.error().message.find('\n') == std::string::npos);
  }
}

}  // namespace hw
