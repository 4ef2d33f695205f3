#include "tests/core/import/onnx/onnx_models.h"
#include "tests/support/must.h"

// What is known about sizes before a model runs, and why where nothing is.

namespace hw {

TEST_CASE("free dimensions are 1 unless bound, and say so", "[import][onnx]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "x", {"batch", "4", ""});
  addInput(onnx.graph(), "z", {"batch", "4", "1"});
  addNode(onnx.graph(), "Add", {"x", "z"}, {"y"});
  *onnx.graph().add_value_info() = valueInfo("custom", {"batch*2", "80"});
  addNode(onnx.graph(), "Mystery", {"y"}, {"custom"}).set_domain("my.own");
  SECTION("nothing bound") {
    const auto model = test::must(onnx.load());
    CHECK(tensorNamed(model, "y").shape == Shape{1, 4, 1});
    CHECK(tensorNamed(model, "y").origin == SizeOrigin::assumed);
    CHECK(tensorNamed(model, "custom").shape == Shape{2, 80});
    CHECK(
        model.graph->notes ==
        std::vector<std::string>{"free dimension batch of input 'x' taken as 1; --dim batch=VALUE",
                                 "free dimension 2 of input 'x' taken as 1; --dim x[2]=VALUE"});
  }
  SECTION("both bound") {
    const auto model = test::must(onnx.load({.dimensions = {{"batch", 3}, {"x[2]", 7}}}));
    CHECK(tensorNamed(model, "y").shape == Shape{3, 4, 7});
    CHECK(tensorNamed(model, "y").origin == SizeOrigin::inferred);
    CHECK(tensorNamed(model, "custom").shape == Shape{6, 80});
    CHECK(tensorNamed(model, "custom").origin == SizeOrigin::declared);
    CHECK(model.graph->notes.empty());
  }
  SECTION("a name the model does not have") {
    const auto model = onnx.load({.dimensions = {{"sequence", 3}}});
    REQUIRE_FALSE(model);
    CHECK(model.error().code == ErrorCode::invalidArgument);
    CHECK(model.error().text() == "the model has no free dimension 'sequence'; it has batch, x[2]");
  }
}

TEST_CASE("shapes computed by the model itself are followed", "[import][onnx]") {
  // Reshape(x, [shape(x)[0], -1]), the way exporters write a flatten.
  OnnxModel onnx;
  addInput(onnx.graph(), "x", {"2", "3", "4"});
  addIntegers(onnx.graph(), "minus", {-1});
  addIntegers(onnx.graph(), "axes", {0});
  auto& zero = addWeight(onnx.graph(), "zero", {}, onnx::TensorProto::INT64);
  zero.set_raw_data(std::string(8, '\0'));
  addNode(onnx.graph(), "Shape", {"x"}, {"s"});
  addNode(onnx.graph(), "Gather", {"s", "zero"}, {"n"});
  addNode(onnx.graph(), "Unsqueeze", {"n", "axes"}, {"n1"});
  setInt(addNode(onnx.graph(), "Concat", {"n1", "minus"}, {"target"}), "axis", 0);
  addNode(onnx.graph(), "Reshape", {"x", "target"}, {"y"});
  const auto model = test::must(onnx.load());
  CHECK(tensorNamed(model, "y").shape == Shape{2, 12});
  CHECK(tensorNamed(model, "y").origin == SizeOrigin::evaluated);
  CHECK(tensorNamed(model, "target").bytes == Bytes(16));
}

TEST_CASE("inference beats a wrong declaration, a declaration beats nothing", "[import][onnx]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "x", {"2", "3"});
  addNode(onnx.graph(), "Relu", {"x"}, {"y"});
  *onnx.graph().add_value_info() = valueInfo("y", {"9", "9"});
  addNode(onnx.graph(), "Foo", {"y"}, {"z"});
  *onnx.graph().add_output() = valueInfo("z", {"5"}, onnx::TensorProto::INT8);
  const auto model = test::must(onnx.load());
  CHECK(tensorNamed(model, "y").shape == Shape{2, 3});
  CHECK(tensorNamed(model, "z").bytes == Bytes(5));
  CHECK(tensorNamed(model, "z").origin == SizeOrigin::declared);
}

TEST_CASE("what cannot be sized says why and is never zero", "[import][onnx]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "x", {"2", "3"});
  addInput(onnx.graph(), "words", {"4"}, onnx::TensorProto::STRING);
  auto& list = *onnx.graph().add_input();
  list.set_name("list");
  list.mutable_type()->mutable_sequence_type()->mutable_elem_type()->mutable_tensor_type();
  onnx.graph().add_input()->set_name("shapeless");
  addNode(onnx.graph(), "Foo", {"x"}, {"foo"}).set_domain("my.own");
  addNode(onnx.graph(), "Relu", {"foo"}, {"after"});
  addNode(onnx.graph(), "Add", {"x", "long"}, {"bad"});
  addInput(onnx.graph(), "long", {"7"});
  const auto model = test::must(onnx.load());
  const auto reason = [&](const std::string& name) {
    const Tensor tensor = tensorNamed(model, name);
    CHECK_FALSE(tensor.bytes);
    CHECK(tensor.origin == SizeOrigin::unknown);
    return tensor.unknownReason;
  };
  CHECK(reason("words") == "string elements have no fixed size");
  CHECK(reason("list") == "a sequence has no fixed size");
  CHECK(reason("shapeless") ==
        "the file gives no shape for this input; --dim 'shapeless[0]=1' gives it one dimension of "
        "1, --dim 'shapeless[0]=1' --dim 'shapeless[1]=1' two, and so on");
  CHECK(reason("after") == "follows from 'foo', whose shape is not known");
  CHECK(reason("foo") ==
        "no shape rule for operator type Foo of domain my.own; --dim 'foo[0]=1' gives it one "
        "dimension of 1, --dim 'foo[0]=1' --dim 'foo[1]=1' two, and so on");
  CHECK_THAT(reason("bad"), Catch::Equals("Add does not fit its inputs: (2, 3), (7)"));
}

TEST_CASE("a window that does not fit is unknown, not empty", "[import][onnx]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "x", {"1", "1", "4"});
  addWeight(onnx.graph(), "w", {1, 1, 6});
  auto& node = addNode(onnx.graph(), "Conv", {"x", "w"}, {"y"});
  setInts(node, "strides", {2});
  const auto model = test::must(onnx.load());
  CHECK_FALSE(tensorNamed(model, "y").bytes);
  CHECK(tensorNamed(model, "y").unknownReason ==
        "Conv does not fit its inputs: (1, 1, 4), (1, 1, 6)");
}

TEST_CASE("a range of numbers of two types has no value", "[import][onnx]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "x", {"4"});
  addInput(onnx.graph(), "xx", {"4", "4"});
  addNode(onnx.graph(), "Shape", {"x"}, {"list"});
  addNode(onnx.graph(), "ReduceSum", {"list"}, {"four"});
  setInt(addNode(onnx.graph(), "Cast", {"four"}, {"real"}), "to", onnx::TensorProto::FLOAT);
  addNode(onnx.graph(), "Range", {"four", "four", "real"}, {"none"});
  addNode(onnx.graph(), "Size", {"xx"}, {"sixteen"});
  addNode(onnx.graph(), "Range", {"four", "sixteen", "real"}, {"y"});
  addNode(onnx.graph(), "Range", {"real", "sixteen", "four"}, {"z"});
  CHECK(onnx.load());
}

TEST_CASE("what does not fit says that free dimensions may be the cause", "[import][onnx]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "x", {"n", "3"});
  addIntegers(onnx.graph(), "target", {7, 5});
  addNode(onnx.graph(), "Reshape", {"x", "target"}, {"y"});  // No n makes 35 of 3 n.
  const auto model = test::must(onnx.load());
  CHECK(tensorNamed(model, "y").unknownReason ==
        "Reshape does not fit its inputs: (1, 3), (2), free dimensions taken as 1");
  CHECK(tensorNamed(model, "x").shape == Shape{1, 3});
}

TEST_CASE("an empty tensor is known to have no bytes", "[import][onnx]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "x", {"0", "3"});
  addNode(onnx.graph(), "Relu", {"x"}, {"y"});
  const auto model = test::must(onnx.load());
  CHECK(tensorNamed(model, "y").bytes == Bytes(0));
}

TEST_CASE("hostile attributes do not divide by zero or overflow", "[import][onnx]") {
  const std::string name = GENERATE("strides", "dilations", "group", "kernel_shape", "pads");
  const std::int64_t value = GENERATE(0, -1, INT64_MAX, INT64_MIN);
  CAPTURE(name, value);
  OnnxModel onnx;
  addInput(onnx.graph(), "x", {"1", "2", "8", "8"});
  addWeight(onnx.graph(), "w", {2, 2, 3, 3});
  for (const char* type : {"Conv", "ConvTranspose", "MaxPool"}) {
    auto& node = addNode(onnx.graph(), type, {"x", "w"}, {type});
    if (std::string(type) == "MaxPool") node.mutable_input()->RemoveLast();
    if (name == "group") {
      setInt(node, name, value);
    } else {
      setInts(node, name, std::vector<std::int64_t>(name == "pads" ? 4 : 2, value));
    }
  }
  const auto model = test::must(onnx.load());
  const bool isCrop = name == "pads" && value == -1;  // Less than nothing is still something.
  if (value != 0 && !isCrop) CHECK_FALSE(tensorNamed(model, "Conv").bytes);
}

TEST_CASE("models without the imports they need are still read", "[import][onnx]") {
  OnnxModel onnx(0);
  addInput(onnx.graph(), "x", {"2"});
  addNode(onnx.graph(), "Relu", {"x"}, {"y"}).set_domain("ai.onnx");
  addNode(onnx.graph(), "Foo", {"y"}, {"foo"}).set_domain("my.own");
  addNode(onnx.graph(), "Shape", {"foo"}, {"s"});  // Crashes libonnx with data propagation.
  const auto model = test::must(onnx.load());
  CHECK(tensorNamed(model, "y").bytes == Bytes(8));
  CHECK_FALSE(tensorNamed(model, "s").bytes);
}

// Found by fuzzing: the library's rule for this op looks at the type of its input unasked.
TEST_CASE("an op on a value of unknown type does not end the program", "[import][onnx]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "x", {"2"});
  addNode(onnx.graph(), "Foo", {"x"}, {"foo"}).set_domain("my.own");
  addNode(onnx.graph(), "LabelEncoder", {"foo"}, {"y"}).set_domain("ai.onnx.ml");
  addNode(onnx.graph(), "Relu", {""}, {"z"});
  const auto model = test::must(onnx.load());
  CHECK_FALSE(tensorNamed(model, "y").bytes);
}

// Found by fuzzing as well: it counts on windows having as many axes as their input.
TEST_CASE("a window of too few or too many axes is not sized", "[import][onnx]") {
  const auto weight =
      GENERATE(std::vector<std::int64_t>{2, 2, 3}, std::vector<std::int64_t>{2, 2, 3, 3, 3});
  OnnxModel onnx;
  addInput(onnx.graph(), "x", {"1", "2", "8", "8"});
  addWeight(onnx.graph(), "w", weight);
  addNode(onnx.graph(), "Conv", {"x", "w"}, {"y"});
  setInts(addNode(onnx.graph(), "MaxPool", {"x"}, {"z"}), "kernel_shape",
          std::vector<std::int64_t>(weight.size() - 2, 2));
  const auto model = test::must(onnx.load());
  CHECK_FALSE(tensorNamed(model, "y").bytes);
  CHECK_FALSE(tensorNamed(model, "z").bytes);
}

TEST_CASE("ops newer than libonnx are not misread by its older rules", "[import][onnx]") {
  OnnxModel onnx(18);
  addInput(onnx.graph(), "x", {"2", "3", "7"});
  addIntegers(onnx.graph(), "axes", {-1});
  setInt(addNode(onnx.graph(), "ReduceMean", {"x", "axes"}, {"mean"}), "keepdims", 0);
  auto& split = addNode(onnx.graph(), "Split", {"x"}, {"a", "b"});
  setInt(split, "axis", 2);
  setInt(split, "num_outputs", 2);
  const auto model = test::must(onnx.load());
  CHECK(tensorNamed(model, "mean").shape == Shape{2, 3});
  CHECK(tensorNamed(model, "a").shape == Shape{2, 3, 4});
  CHECK(tensorNamed(model, "b").shape == Shape{2, 3, 3});
}

TEST_CASE("the branch of a known condition is taken", "[import][onnx]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "x", {"2", "3"});
  addWeight(onnx.graph(), "one", {}, onnx::TensorProto::INT64).add_int64_data(1);
  addNode(onnx.graph(), "Size", {"x"}, {"n"});
  addNode(onnx.graph(), "Greater", {"n", "one"}, {"c"});
  auto& node = addNode(onnx.graph(), "If", {"c"}, {"y"});
  onnx::GraphProto& yes = addBody(node, "then_branch");
  addNode(yes, "Transpose", {"x"}, {"t"});
  addOutput(yes, "t");
  addOutput(addBody(node, "else_branch"), "x");
  const auto model = test::must(onnx.load());
  CHECK(tensorNamed(model, "y").shape == Shape{3, 2});
}

namespace {

/// A Loop with one carried value and one stacked output; `type` makes the next carried value.
OnnxModel loopModel(const std::string& type, const std::vector<std::string>& inputs) {
  OnnxModel onnx;
  onnx::GraphProto& graph = onnx.graph();
  addInput(graph, "x", {"2", "3"});
  addWeight(graph, "trips", {}, onnx::TensorProto::INT64).add_int64_data(5);
  auto& node = addNode(graph, "Loop", {"trips", "", "x"}, {"last", "all"});
  onnx::GraphProto& body = addBody(node, "body");
  addInput(body, "i", {}, onnx::TensorProto::INT64);
  addInput(body, "go", {}, onnx::TensorProto::BOOL);
  addInput(body, "v", {"9"});  // What really comes in counts.
  addNode(body, "Identity", {"go"}, {"goes"});
  auto& step = addNode(body, type, inputs, {"next"});
  if (type == "Concat") setInt(step, "axis", 0);
  addNode(body, "Relu", {"v"}, {"seen"});
  for (const char* name : {"goes", "next", "seen"}) addOutput(body, name);
  return onnx;
}

}  // namespace

TEST_CASE("a loop that keeps its shapes is sized", "[import][onnx]") {
  const auto model = test::must(loopModel("Neg", {"v"}).load());
  CHECK(tensorNamed(model, "last").shape == Shape{2, 3});
  CHECK(tensorNamed(model, "all").shape == Shape{5, 2, 3});
}

TEST_CASE("a loop whose value grows by as much each turn is sized at its end", "[import][onnx]") {
  const auto model = test::must(loopModel("Concat", {"v", "x"}).load());
  CHECK(tensorNamed(model, "last").shape == Shape{12, 3});  // 2 rows and 5 times 2.
  CHECK(tensorNamed(model, "all").unknownReason == "its rows differ from iteration to iteration");
}

TEST_CASE("a loop whose value grows by more each turn is not sized", "[import][onnx]") {
  const auto model = test::must(loopModel("Concat", {"v", "v"}).load());
  CHECK_FALSE(tensorNamed(model, "last").bytes);
  CHECK(tensorNamed(model, "last").unknownReason ==
        "the shape changes from iteration to iteration");
}

TEST_CASE("a scan takes its axis away and puts it back", "[import][onnx]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "state", {"4"});
  addInput(onnx.graph(), "xs", {"7", "4"});
  auto& node = addNode(onnx.graph(), "Scan", {"state", "xs"}, {"end", "ys"});
  setInt(node, "num_scan_inputs", 1);
  setInts(node, "scan_output_axes", {-1});
  onnx::GraphProto& body = addBody(node, "body");
  addInput(body, "s", {});
  addInput(body, "x", {});
  addNode(body, "Add", {"s", "x"}, {"next"});
  addOutput(body, "next");
  addOutput(body, "next");
  const auto model = test::must(onnx.load());
  CHECK(tensorNamed(model, "end").shape == Shape{4});
  CHECK(tensorNamed(model, "ys").shape == Shape{4, 7});
}

}  // namespace hw
