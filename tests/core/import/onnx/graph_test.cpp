#include "tests/core/import/onnx/onnx_models.h"
#include "tests/support/must.h"

// What becomes of the structure of an ONNX file: weights, names, order, captures.

namespace hw {
namespace {

std::string errorOf(const OnnxModel& model) { return test::mustFail(model.load()).text(); }

using Attribute = onnx::AttributeProto;
using Type = onnx::TensorProto;

/// A Constant `c` whose list `name` is `values`.
template <class Values>
void addList(OnnxModel& onnx, const std::string& name, const Values& values) {
  onnx::NodeProto& node = addNode(onnx.graph(), "Constant", {}, {"c"});
  Attribute& attribute = *node.add_attribute();
  attribute.set_name(name);
  for (const auto& value : values) {
    if constexpr (std::is_same_v<decltype(value), const float&>) attribute.add_floats(value);
    if constexpr (std::is_same_v<decltype(value), const std::int64_t&>) attribute.add_ints(value);
  }
}

/// places[i] holds values[i]; all else is 0.
void fill(onnx::SparseTensorProto& sparse, const std::vector<std::int64_t>& values,
          const std::vector<std::int64_t>& places, std::int64_t size) {
  sparse.mutable_values()->set_data_type(Type::INT64);
  sparse.mutable_values()->add_dims(static_cast<std::int64_t>(values.size()));
  for (const std::int64_t value : values) sparse.mutable_values()->add_int64_data(value);
  sparse.mutable_indices()->set_data_type(Type::INT64);
  sparse.mutable_indices()->add_dims(static_cast<std::int64_t>(places.size()));
  for (const std::int64_t place : places) sparse.mutable_indices()->add_int64_data(place);
  sparse.add_dims(size);
}

Tensor loaded(const OnnxModel& onnx, const std::string& name) {
  const auto model = test::must(onnx.load());
  return tensorNamed(model, name);
}

}  // namespace

TEST_CASE("initializers are weights, also where old files list them as inputs", "[import][onnx]") {
  OnnxModel onnx(9);
  addInput(onnx.graph(), "w", {"4", "3", "1", "1"});
  addInput(onnx.graph(), "x", {"1", "3", "8", "8"});
  addWeight(onnx.graph(), "w", {4, 3, 1, 1});
  addNode(onnx.graph(), "Conv", {"x", "w", ""}, {"y"});
  addOutput(onnx.graph(), "y");
  const auto model = test::must(onnx.load());
  const Graph& graph = *model.graph;
  CHECK(model.name == "test");
  CHECK(graph.format == "onnx");
  CHECK(graph.inputs == std::vector{TensorId(0)});
  CHECK(graph.tensors[TensorId(0)].name == "x");
  CHECK(graph.tensors[TensorId(2)].constant);
  CHECK(graph.tensors[TensorId(2)].bytes == Bytes(48));
  CHECK_FALSE(graph.ops[OpId(0)].inputs[2]);
  CHECK(tensorNamed(model, "y").shape == Shape{1, 4, 8, 8});
}

TEST_CASE("what is made of constants is a weight and keeps its step", "[import][onnx]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "x", {"2", "5"});
  addIntegers(onnx.graph(), "shape", {2, 5});
  addNode(onnx.graph(), "ConstantOfShape", {"shape"}, {"zeros"});
  addNode(onnx.graph(), "Relu", {"zeros"}, {"still"});
  addNode(onnx.graph(), "Add", {"x", "still"}, {"y"});
  addOutput(onnx.graph(), "y");
  const auto model = test::must(onnx.load());
  CHECK(tensorNamed(model, "zeros").constant);
  CHECK(tensorNamed(model, "still").constant);
  CHECK(tensorNamed(model, "still").bytes == Bytes(40));
  CHECK_FALSE(tensorNamed(model, "y").constant);
  CHECK(tensorNamed(model, "y").producer == OpId(2));
}

TEST_CASE("optional outputs left out have no tensor", "[import][onnx]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "x", {"2", "8"});
  addIntegers(onnx.graph(), "k", {3});
  addNode(onnx.graph(), "TopK", {"x", "k"}, {"", "indices"});
  const auto model = test::must(onnx.load());
  CHECK_FALSE(model.graph->ops[OpId(0)].outputs[0]);
  CHECK(tensorNamed(model, "indices").bytes == Bytes(2 * 3 * 8));
}

TEST_CASE("attributes are imported, tensors and graphs among them left out", "[import][onnx]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "x", {"1", "1", "4", "4"});
  auto& node = addNode(onnx.graph(), "MaxPool", {"x"}, {"y"});
  setInts(node, "kernel_shape", {2, 2});
  setInt(node, "ceil_mode", 1);
  addAttribute(node, "auto_pad", onnx::AttributeProto::STRING).set_s("NOTSET");
  addAttribute(node, "odd", onnx::AttributeProto::FLOAT).set_f(0.5F);
  addAttribute(node, "data", onnx::AttributeProto::TENSOR).mutable_t()->set_data_type(1);
  const auto model = test::must(onnx.load());
  const Op& op = model.graph->ops[OpId(0)];
  CHECK(op.intsAttribute("kernel_shape") == std::vector<std::int64_t>{2, 2});
  CHECK(op.intAttribute("ceil_mode", 0) == 1);
  CHECK(op.stringAttribute("auto_pad", "") == "NOTSET");
  CHECK(std::get<double>(op.attributes.at("odd")) == 0.5);
  CHECK_FALSE(op.attributes.contains("data"));
}

TEST_CASE("bodies capture what they read from outside, unless they define it", "[import][onnx]") {
  OnnxModel onnx;
  onnx::GraphProto& graph = onnx.graph();
  addInput(graph, "c", {}, onnx::TensorProto::BOOL);
  addInput(graph, "x", {"3"});
  addInput(graph, "a", {"3"});
  addWeight(graph, "w", {3});
  auto& node = addNode(graph, "If", {"c"}, {"y"});
  onnx::GraphProto& yes = addBody(node, "then_branch");
  addNode(yes, "Relu", {"a"}, {"x"});  // Hides the outer x.
  auto& inner = addNode(yes, "If", {"c"}, {"deep"});
  onnx::GraphProto& innerYes = addBody(inner, "then_branch");
  addNode(innerYes, "Add", {"x", "w"}, {"sum"});
  addOutput(innerYes, "sum");
  onnx::GraphProto& innerNo = addBody(inner, "else_branch");
  addNode(innerNo, "Neg", {"x"}, {"negative"});
  addOutput(innerNo, "negative");
  addOutput(yes, "deep");
  onnx::GraphProto& no = addBody(node, "else_branch");
  addOutput(no, "a");  // A branch may just hand an outer value on.
  addOutput(graph, "y");

  const auto model = test::must(onnx.load({.closedBodies = true}));
  const Op& op = model.graph->ops[OpId(0)];
  std::vector<std::string> captures;
  for (const TensorId id : op.captures) captures.push_back(model.graph->tensors[id].name);
  CHECK(captures == std::vector<std::string>{"a", "c", "w"});
  CHECK(tensorNamed(model, "y").shape == Shape{3});
  CHECK(model.graph->tensors.size() == 5);  // Inner tensors are not planned.
  CHECK(tensorNamed(model, "x").consumers.empty());
}

TEST_CASE("a producer visible only through a capture is sorted before the reader",
          "[import][onnx]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "c", {}, onnx::TensorProto::BOOL);
  addInput(onnx.graph(), "x", {"3"});
  auto& node = addNode(onnx.graph(), "If", {"c"}, {"y"});
  for (const char* branch : {"then_branch", "else_branch"}) {
    onnx::GraphProto& body = addBody(node, branch);
    addNode(body, "Relu", {"late"}, {"r"});
    addOutput(body, "r");
  }
  addNode(onnx.graph(), "Neg", {"x"}, {"late"});
  const auto model = test::must(onnx.load());
  CHECK(model.graph->reordered);
  CHECK(model.graph->ops[OpId(0)].type == "Neg");
  CHECK(tensorNamed(model, "y").shape == Shape{3});
}

TEST_CASE("names may be odd, and listed twice where that is harmless", "[import][onnx]") {
  OnnxModel onnx;
  const std::string odd = "a\xff\n b";
  addInput(onnx.graph(), odd, {"2"});
  addInput(onnx.graph(), odd, {"2"});
  addWeight(onnx.graph(), "w", {3});
  addWeight(onnx.graph(), "w", {2});
  addNode(onnx.graph(), "Add", {odd, "w"}, {"y"}).set_name("same");
  addNode(onnx.graph(), "Relu", {"y"}, {"z"}).set_name("same");
  const auto model = test::must(onnx.load());
  CHECK(model.graph->notes.size() == 2);
  CHECK(tensorNamed(model, "w").shape == Shape{2});
  CHECK(tensorNamed(model, "z").shape == Shape{2});
}

TEST_CASE("graphs that mean nothing are refused with the node", "[import][onnx]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "x", {"2"});
  SECTION("an input that nothing produces") {
    addNode(onnx.graph(), "Relu", {"ghost"}, {"y"}).set_name("act");
    CHECK(errorOf(onnx) == "operator 'act' reads 'ghost', which nothing produces (graph.node[0])");
  }
  SECTION("a capture that nothing produces") {
    auto& node = addNode(onnx.graph(), "If", {"x"}, {"y"});
    addOutput(addBody(node, "then_branch"), "ghost");
    CHECK(errorOf(onnx) == "operator 'If' reads 'ghost', which nothing produces (graph.node[0])");
  }
  SECTION("two producers") {
    addNode(onnx.graph(), "Relu", {"x"}, {"y"});
    addNode(onnx.graph(), "Neg", {"x"}, {"y"});
    CHECK(errorOf(onnx) ==
          "operator 'Neg' produces tensor 'y', which already comes from operator 'Relu' "
          "(graph.node[1])");
  }
  SECTION("a producer of a weight") {
    addWeight(onnx.graph(), "w", {2});
    addNode(onnx.graph(), "Relu", {"x"}, {"w"});
    CHECK(errorOf(onnx) ==
          "operator 'Relu' produces tensor 'w', which is a stored constant (graph.node[0])");
  }
  SECTION("an output that nothing produces") {
    addOutput(onnx.graph(), "ghost");
    CHECK(errorOf(onnx) == "the graph's output 'ghost' is not produced");
  }
  SECTION("a weight of negative size") {
    addWeight(onnx.graph(), "w", {2, -1});
    CHECK(errorOf(onnx) == "weight 'w' has a negative or absurd dimension");
  }
  SECTION("a weight of absurd size") {
    addWeight(onnx.graph(), "w", {std::int64_t{1} << 40, std::int64_t{1} << 40});
    CHECK(errorOf(onnx) == "weight 'w' has a negative or absurd dimension");
  }
  SECTION("no graph at all") {
    onnx.model.clear_graph();
    CHECK(errorOf(onnx) == "the model has no graph; expected an ONNX ModelProto");
  }
}

TEST_CASE("external data is described, never opened", "[import][onnx]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "x", {"2"});
  auto& weight = addWeight(onnx.graph(), "w", {2});
  weight.set_data_location(onnx::TensorProto::EXTERNAL);
  auto& location = *weight.add_external_data();
  location.set_key("location");
  location.set_value("../../../etc/passwd");
  addNode(onnx.graph(), "Add", {"x", "w"}, {"y"});
  const auto model = test::must(onnx.load());
  CHECK(tensorNamed(model, "w").bytes == Bytes(8));
  CHECK(tensorNamed(model, "y").bytes == Bytes(8));
}

TEST_CASE("a graph without nodes may still have inputs, weights and outputs", "[import][onnx]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "x", {"2"});
  addWeight(onnx.graph(), "w", {3});
  addOutput(onnx.graph(), "x");
  addOutput(onnx.graph(), "w");
  const auto model = test::must(onnx.load());
  CHECK(model.graph->ops.empty());
  CHECK(model.graph->outputs == std::vector{TensorId(0), TensorId(1)});
}

TEST_CASE("lists of real numbers are read as they scale", "[import][onnx]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "x", {"1", "3", "4", "4"});
  addList(onnx, "value_floats", std::vector<float>{1, 1, 2, 2});
  addNode(onnx.graph(), "Resize", {"x", "", "c"}, {"y"});
  addOutput(onnx.graph(), "y");
  CHECK(loaded(onnx, "c").shape == Shape{4});
  CHECK(loaded(onnx, "y").shape == Shape{1, 3, 8, 8});
  CHECK(loaded(onnx, "y").origin == SizeOrigin::inferred);
}

TEST_CASE("a list of nothing is a list, whether its kind is told or not", "[import][onnx]") {
  for (const bool isTold : {false, true}) {
    CAPTURE(isTold);
    OnnxModel onnx;
    addInput(onnx.graph(), "x", {"1"});
    addList(onnx, "value_ints", std::vector<std::int64_t>{});
    if (isTold) onnx.graph().mutable_node(0)->mutable_attribute(0)->set_type(Attribute::INTS);
    addNode(onnx.graph(), "Reshape", {"x", "c"}, {"y"});
    addOutput(onnx.graph(), "y");
    CHECK(loaded(onnx, "c").shape == Shape{0});
    CHECK(loaded(onnx, "c").bytes == Bytes(0));
    CHECK(loaded(onnx, "y").shape == Shape{});
  }
}

TEST_CASE("sparse constants and weights have values as well", "[import][onnx]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "x", {"12"});
  onnx::NodeProto& node = addNode(onnx.graph(), "Constant", {}, {"c"});
  fill(*addAttribute(node, "sparse_value", Attribute::SPARSE_TENSOR).mutable_sparse_tensor(),
       {3, 4}, {0, 1}, 2);
  onnx::SparseTensorProto& weight = *onnx.graph().add_sparse_initializer();
  fill(weight, {6, 2}, {1, 0}, 2);
  weight.mutable_values()->set_name("w");
  addNode(onnx.graph(), "Reshape", {"x", "c"}, {"y"});
  addNode(onnx.graph(), "Reshape", {"x", "w"}, {"z"});
  CHECK(loaded(onnx, "c").bytes == Bytes(16));
  CHECK(loaded(onnx, "y").shape == Shape{3, 4});
  CHECK(loaded(onnx, "z").shape == Shape{2, 6});
}

TEST_CASE("texts have a shape, and no size", "[import][onnx]") {
  OnnxModel onnx;
  onnx::NodeProto& node = addNode(onnx.graph(), "Constant", {}, {"c"});
  Attribute& texts = addAttribute(node, "value_strings", Attribute::STRINGS);
  texts.add_strings("a");
  texts.add_strings("b");
  addOutput(onnx.graph(), "c");
  CHECK(loaded(onnx, "c").shape == Shape{2});
  CHECK(loaded(onnx, "c").dtype == Dtype::string);
}

TEST_CASE("a constant that the model hands out is in memory", "[import][onnx]") {
  OnnxModel onnx;
  addList(onnx, "value_ints", std::vector<std::int64_t>{1, 2, 3});
  addOutput(onnx.graph(), "c");
  const Tensor tensor = loaded(onnx, "c");
  CHECK_FALSE(tensor.constant);
  CHECK(tensor.producer == OpId(0));
  CHECK(tensor.bytes == Bytes(24));
}

TEST_CASE("the newest element types have their bits", "[import][onnx]") {
  struct Expected {
    int type;
    Dtype dtype;
    std::int64_t bytes;
  };
  for (const auto& [type, dtype, bytes] : {Expected{23, Dtype::float4, 8},
                                           {24, Dtype::float8, 15},
                                           {25, Dtype::uint2, 4},
                                           {26, Dtype::int2, 4}}) {
    CAPTURE(type);
    OnnxModel onnx(25);
    addInput(onnx.graph(), "x", {"3", "5"});
    addWeight(onnx.graph(), "scale", {});
    setInt(addNode(onnx.graph(), "QuantizeLinear", {"x", "scale"}, {"q"}), "output_dtype", type);
    setInt(addNode(onnx.graph(), "DequantizeLinear", {"q", "scale"}, {"y"}), "output_dtype", 10);
    CHECK(loaded(onnx, "q").dtype == dtype);
    CHECK(loaded(onnx, "q").bytes == Bytes(bytes));
    CHECK(loaded(onnx, "y").dtype == Dtype::float16);
    CHECK(parseDtype(dtypeName(dtype)) == dtype);
  }
}

TEST_CASE("a declared shape never beats a rule that knows the rank", "[import][onnx]") {
  const auto resized = [](const Dims& declared) {
    OnnxModel onnx;
    addInput(onnx.graph(), "x", {"1", "3", "8", "8"});
    addInput(onnx.graph(), "scales", {"4"});
    addNode(onnx.graph(), "Resize", {"x", "", "scales"}, {"y"});
    *onnx.graph().add_output() = valueInfo("y", declared);
    return loaded(onnx, "y");
  };
  CHECK(resized({}).shape == Shape{1, 3, 8, 8});
  CHECK(resized({}).origin == SizeOrigin::assumed);
  CHECK(resized({"1", "3"}).shape == Shape{1, 3, 8, 8});
  CHECK(resized({"1", "3", "16", "16"}).shape == Shape{1, 3, 16, 16});
  CHECK(resized({"1", "3", "16", "16"}).origin == SizeOrigin::declared);
  OnnxModel onnx;  // More than there can be.
  addInput(onnx.graph(), "x", {"2", "3"});
  addNode(onnx.graph(), "NonZero", {"x"}, {"y"});
  *onnx.graph().add_output() = valueInfo("y", {"2", "100"}, Type::INT64);
  CHECK(loaded(onnx, "y").shape == Shape{2, 6});
}

}  // namespace hw
