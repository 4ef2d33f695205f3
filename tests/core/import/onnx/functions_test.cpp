#include "tests/core/import/onnx/onnx_models.h"
#include "tests/support/must.h"

namespace hw {
namespace {

onnx::FunctionProto& addFunction(OnnxModel& onnx, const std::string& name,
                                 const std::vector<std::string>& inputs,
                                 const std::vector<std::string>& outputs) {
  onnx::FunctionProto& function = *onnx.model.add_functions();
  function.set_domain("local");
  function.set_name(name);
  for (const std::string& input : inputs) function.add_input(input);
  for (const std::string& output : outputs) function.add_output(output);
  return function;
}

std::vector<std::string> opTypes(const Model& model) {
  std::vector<std::string> types;
  for (const Op& op : model.graph->ops) types.push_back(op.type);
  return types;
}

}  // namespace

TEST_CASE("calls of local functions are replaced by what is inside", "[import][onnx]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "x", {"2", "3"});
  // pick(a) = flatten(relu(a)) with the caller's axis; twice(v) = pick(v), and v handed on.
  auto& pick = addFunction(onnx, "pick", {"a"}, {"r"});
  addNode(pick, "Relu", {"a"}, {"x"});  // Not the caller's x.
  auto& flatten = addNode(pick, "Flatten", {"x"}, {"r"});
  auto& axis = addAttribute(flatten, "axis", onnx::AttributeProto::INT);
  axis.set_ref_attr_name("from");
  auto& twice = addFunction(onnx, "twice", {"v"}, {"first", "v"});
  auto& call = addNode(twice, "pick", {"v"}, {"first"});
  call.set_domain("local");
  setInt(call, "from", 0);
  addNode(onnx.graph(), "twice", {"x"}, {"y", "same"}).set_domain("local");
  addNode(onnx.graph(), "twice", {"same"}, {"z", ""}).set_domain("local");
  addOutput(onnx.graph(), "z");

  const auto model = test::must(onnx.load());
  CHECK(opTypes(model) ==
        std::vector<std::string>{"Relu", "Flatten", "Identity", "Relu", "Flatten"});
  CHECK(tensorNamed(model, "y").shape == Shape{1, 6});
  CHECK(tensorNamed(model, "z").shape == Shape{1, 6});
  CHECK(tensorNamed(model, "same").shape == Shape{2, 3});
  CHECK(model.graph->tensors.size() == 6);
  CHECK(model.graph->notes ==
        std::vector<std::string>{
            "4 calls of the model's own functions were replaced by what is inside",
            "2 operators reach no graph output (first: Relu_0)"});
}

TEST_CASE("bodies inside functions keep their own names", "[import][onnx]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "c", {}, onnx::TensorProto::BOOL);
  addInput(onnx.graph(), "x", {"4"});
  auto& function = addFunction(onnx, "choose", {"c", "a"}, {"r"});
  auto& branch = addNode(function, "If", {"c"}, {"r"});
  onnx::GraphProto& yes = addBody(branch, "then_branch");
  addNode(yes, "Neg", {"a"}, {"a1"});
  addOutput(yes, "a1");
  onnx::GraphProto& no = addBody(branch, "else_branch");
  addNode(no, "Relu", {"a"}, {"c"});  // Hides the condition.
  addOutput(no, "c");
  addNode(onnx.graph(), "choose", {"c", "x"}, {"y"}).set_domain("local");
  const auto model = test::must(onnx.load({.closedBodies = true}));
  CHECK(tensorNamed(model, "y").shape == Shape{4});
  const Op& op = model.graph->ops[OpId(0)];
  REQUIRE(op.captures.size() == 1);
  CHECK(model.graph->tensors[op.captures[0]].name == "x");
}

TEST_CASE("functions that call each other without end are refused", "[import][onnx]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "x", {"4"});
  auto& function = addFunction(onnx, "again", {"a"}, {"r"});
  const bool throughBody = GENERATE(false, true);
  if (throughBody) {
    auto& branch = addNode(function, "If", {"a"}, {"r"});
    hw::addNode(addBody(branch, "then_branch"), "again", {"a"}, {"b"}).set_domain("local");
  } else {
    addNode(function, "again", {"a"}, {"b"}).set_domain("local");
    addNode(function, "again", {"b"}, {"r"}).set_domain("local");
  }
  addNode(onnx.graph(), "again", {"x"}, {"y"}).set_domain("local");
  CHECK_THAT(test::mustFail(onnx.load()).text(), Catch::Contains("call each other without end"));
}

}  // namespace hw
