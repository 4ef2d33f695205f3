// How ONNX Runtime keeps bytes, from the model alone: what its kernels write over, what its planner
// gives to later tensors, and what it knows of shapes.

#include "core/insight/runtime_plan.h"

#include <filesystem>
#include <set>

#include "core/files/file.h"
#include "core/insight/measured_diff.h"
#include "tests/core/import/onnx/onnx_corpus.h"
#include "tests/core/import/onnx/onnx_models.h"
#include "tests/support/graphs.h"
#include "tests/support/methods.h"
#include "tests/support/must.h"
#include "tests/support/rounds.h"

namespace hw {
namespace {

struct Planned {
  std::shared_ptr<const Graph> graph{};
  RuntimePlan plan{};
  StepFunction live{};

  bool shares(const std::string& a, const std::string& b) const {
    return plan.homes[test::tensorOf(*graph, a)] == plan.homes[test::tensorOf(*graph, b)];
  }
};

Planned planned(std::shared_ptr<const Graph> graph, const RuntimeShapes& shapes) {
  const Schedule schedule = givenOrder(*graph);
  Planned made{.graph = std::move(graph)};
  made.plan = planAsRuntime({*made.graph, schedule, shapes});
  made.live = liveBytes(made.plan.blocks, schedule.steps());
  return made;
}

Planned planned(const OnnxModel& model) {
  const auto loaded = test::must(model.load());
  return planned(loaded.graph, runtimeShapes(model.bytes(), *loaded.graph));
}

/// x -> Conv -> a -> OP -> b -> ReduceMean -> y, as it was measured: 8,192 bytes each of a and b.
OnnxModel chainOf(const std::string& type, const Dims& dims = {"1", "3", "16", "16"}) {
  OnnxModel model;
  addInput(model.graph(), "x", dims);
  addWeight(model.graph(), "w", {8, 3, 1, 1});
  addNode(model.graph(), "Conv", {"x", "w"}, {"a"});
  auto& op = addNode(model.graph(), type, {"a"}, {"b"});
  if (type == "Cast") setInt(op, "to", onnx::TensorProto::INT32);
  if (type == "LayerNormalization" || type == "PRelu") {
    addWeight(model.graph(), "s", {16});
    op.add_input("s");
  }
  if (type == "Add" || type == "Mul") op.add_input("a");
  setInt(addNode(model.graph(), "ReduceMean", {"b"}, {"y"}), "keepdims", 1);
  addOutput(model.graph(), "y");
  return model;
}

TEST_CASE("kernels write over an input where it was measured, and nowhere else",
          "[insight][measured]") {
  for (const char* type : {"Relu", "LeakyRelu", "Elu", "Selu", "Celu", "Clip", "Sigmoid",
                           "HardSigmoid", "Tanh", "Softplus", "Softsign", "ThresholdedRelu",
                           "Softmax", "LogSoftmax", "Shrink", "Cast", "Identity", "Trilu"}) {
    CAPTURE(type);
    const Planned made = planned(chainOf(type));
    CHECK(made.shares("a", "b"));
    CHECK(made.live.max() == Bytes(8196));
  }
  for (const char* type : {"Abs",
                           "Acos",
                           "Ceil",
                           "Cos",
                           "Erf",
                           "Exp",
                           "Floor",
                           "Log",
                           "Neg",
                           "Reciprocal",
                           "Round",
                           "Sign",
                           "Sin",
                           "Sqrt",
                           "Tan",
                           "Hardmax",
                           "Dropout",
                           "LayerNormalization",
                           "PRelu",
                           "Add",
                           "Mul",
                           "Gelu",
                           "MeanVarianceNormalization"}) {
    CAPTURE(type);
    const Planned made = planned(chainOf(type));
    CHECK_FALSE(made.shares("a", "b"));
    CHECK(made.live.max() == Bytes(16384));
  }
}

TEST_CASE("dimensions of one name are equal to the runtime, those without a name are not",
          "[insight][measured]") {
  CHECK(planned(chainOf("Relu", {"batch", "3", "16", "16"})).shares("a", "b"));
  CHECK_FALSE(planned(chainOf("Relu", {"", "3", "16", "16"})).shares("a", "b"));
  // A window leaves nothing of a name.
  CHECK_FALSE(planned(chainOf("Relu", {"1", "3", "h", "16"})).shares("a", "b"));
}

/// x[N, 6] -> Shape -> Gather 0 -> Concat with 3 -> Reshape -> Relu.
OnnxModel computedShape(std::int64_t opset, const std::string& batch) {
  OnnxModel model(opset);
  addInput(model.graph(), "x", {batch, "6"});
  addIntegers(model.graph(), "zero", {0});
  addIntegers(model.graph(), "rest", {2, 3});
  addNode(model.graph(), "Exp", {"x"}, {"e"});
  addNode(model.graph(), "Shape", {"e"}, {"s"});
  addNode(model.graph(), "Gather", {"s", "zero"}, {"n"});
  setInt(addNode(model.graph(), "Concat", {"n", "rest"}, {"target"}), "axis", 0);
  addNode(model.graph(), "Reshape", {"e", "target"}, {"r"});
  addNode(model.graph(), "Exp", {"r"}, {"f"});
  addNode(model.graph(), "Relu", {"f"}, {"g"});
  addNode(model.graph(), "Exp", {"g"}, {"y"});
  addOutput(model.graph(), "y");
  return model;
}

TEST_CASE("what is computed of shapes is followed where all of it are numbers",
          "[insight][measured]") {
  CHECK(planned(computedShape(13, "4")).shares("f", "g"));
  CHECK_FALSE(planned(computedShape(13, "batch")).shares("f", "g"));

  // The number of dimensions may do, since opset 14.
  const auto rank = [](std::int64_t opset) {
    OnnxModel model = computedShape(opset, "batch");
    addNode(model.graph(), "Shape", {"r"}, {"q"});
    addOutput(model.graph(), "q");
    const auto loaded = test::must(model.load());
    const RuntimeShapes shapes = runtimeShapes(model.bytes(), *loaded.graph);
    return shapes[test::tensorOf(*loaded.graph, "q")];
  };
  CHECK(rank(14) == Shape{3});
  CHECK_FALSE(rank(13));
}

TEST_CASE("freed bytes go to the next tensor of their shape, the last freed first",
          "[insight][measured]") {
  // a and b end at c; d has a's shape and takes what was freed last, b's; e takes a's.
  const auto graph = std::make_shared<const Graph>(test::drawnGraph(
      {.tensors = {{"x", 8}, {"a", 8}, {"b", 8}, {"c", 4}, {"d", 8}, {"e", 8}, {"y", 2}},
       .inputs = {"x"},
       .ops = {"Exp x -> a", "Exp x -> b", "Concat a, b -> c", "Exp c -> d", "Exp c -> e",
               "Concat d, e -> y"},
       .outputs = {"y"}}));
  const Planned made = planned(graph, {});
  CHECK(made.shares("d", "b"));
  CHECK(made.shares("e", "a"));
  CHECK(made.plan.blocks.size() == 4);
  // Both are kept while nobody needs them.
  CHECK(made.live.at(Step(3)) == Bytes(20));
  CHECK(made.live.at(Step(5)) == Bytes(18));
  const RuntimeShapes unknown(graph->tensors.size());
  CHECK(planned(graph, unknown).plan.blocks.size() == 6);
}

TEST_CASE("an output that nobody reads gives its bytes to a later one", "[insight][measured]") {
  const auto graph = std::make_shared<const Graph>(test::drawnGraph(
      {.tensors = {{"x", 8}, {"a", 8}, {"u", 8}, {"b", 8}, {"v", 4}, {"y", 2}},
       .inputs = {"x"},
       .ops = {"Exp x -> a", "Neg a -> u", "Exp a -> b", "Exp b -> v", "Concat b -> y"},
       .outputs = {"y"}}));
  const Planned made = planned(graph, {});
  CHECK(made.shares("b", "u"));
  CHECK(made.live.at(Step(4)) == Bytes(8 + 4 + 2));  // v stays.
}

/// True if two tensors of one home are ever needed at once, but for views of one another.
void checkHomes(const Graph& graph, const RuntimePlan& plan) {
  const std::set<std::string> kViews = {"Flatten", "Identity", "Reshape", "Squeeze", "Unsqueeze"};
  const auto shows = [&](TensorId id) {
    const OpId maker = graph.tensors[id].producer;
    return maker && kViews.contains(graph.ops[maker].type);
  };
  for (const TensorId late : graph.tensors.keys()) {
    const OpId maker = graph.tensors[late].producer;
    if (!maker || graph.tensors[late].constant || shows(late)) continue;
    for (const TensorId early : graph.tensors.keys()) {
      if (early >= late || plan.homes[early] != plan.homes[late]) continue;
      for (const OpId reader : graph.tensors[early].consumers) {
        INFO(graph.tensors[late].name << " over " << graph.tensors[early].name);
        CHECK(reader <= maker);
      }
      CHECK_FALSE(graph.tensors[early].graphOutput);
      CHECK_FALSE(graph.tensors[early].graphInput);
      CHECK_FALSE(graph.tensors[early].constant);
    }
  }
}

TEST_CASE("no tensor is written over one that is still to be read", "[insight][measured]") {
  for (std::uint64_t round = 0; round < test::rounds(200); ++round) {
    INFO("seed " << round);
    const auto graph = std::make_shared<const Graph>(test::randomGraph(round, 40));
    const Planned made = planned(graph, {});
    checkHomes(*graph, made.plan);
    const Planned apart = planned(graph, RuntimeShapes(graph->tensors.size()));
    checkHomes(*graph, apart.plan);
  }
}

TEST_CASE("measured peaks are predicted to the byte", "[insight][measured][corpus]") {
  namespace fs = std::filesystem;
  const auto corpus = corpusFolder();
  if (!corpus || !fs::is_directory(*corpus / "faults")) return;
  const fs::path folder = *corpus / "faults";
  std::size_t compared = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const fs::path file = entry.path();
    fs::path measured = file;
    measured.replace_extension(".profile.json");
    if (file.extension() != ".onnx" || !fs::exists(measured)) continue;
    CAPTURE(file.filename().string());
    const auto bytes = readFile(file.string());
    const auto profile = readOperatorProfile(*readFile(measured.string()));
    RunRequest request = planningRequest();
    request.inputs = InputPlace::external;
    request.alignment = Bytes(1);
    request.alias = runtimeAlias();
    if (file.stem() == "diff_bound_free_dim") request.import.dimensions = {{"N", 8}};
    auto model = test::must(importModel(*bytes, file.string(), request.import));
    const auto held = std::make_shared<const Model>(std::move(model));
    const auto run =
        test::must(execute(held, *measuredRequest(*held->graph, *profile, request), {}));
    const MeasuredDiff diff = diffMeasured(
        *run, *profile, {.asRuntime = true, .shapes = runtimeShapes(*bytes, *held->graph)});
    CHECK(diff.expectedPeak == diff.measuredPeak);
    CHECK(diff.simulatedPeak == diff.measuredPeak);
    CHECK(diff.equal());
    ++compared;
  }
  CHECK(compared >= 6);
}

}  // namespace
}  // namespace hw
