#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/import/onnx_inference.h"
#include "core/import/onnx_values.h"

namespace hw {
namespace {

bool hasSameShape(const Knowledge& a, const Knowledge& b) {
  const auto shape = staticShape(a.type);
  return shape && shape == staticShape(b.type);
}

/// What remains of `known` when its shape and value may differ from run to run.
Knowledge withoutShape(const Knowledge& known, std::string reason) {
  Knowledge open;
  open.type = known.type;
  if (open.type.has_tensor_type()) open.type.mutable_tensor_type()->clear_shape();
  open.reason = std::move(reason);
  return open;
}

Knowledge withoutValue(Knowledge known) {
  known.value = nullptr;
  return known;
}

Knowledge scalar(Dtype dtype) { return typed(tensorType(elementType(dtype), Shape())); }

/// `known` with one more dimension of `size` at `axis`; without a shape when either is not known.
Knowledge stacked(const Knowledge& known, std::optional<std::int64_t> size, std::int64_t axis) {
  auto shape = staticShape(known.type);
  const auto rank = shape ? static_cast<std::int64_t>(shape->size()) + 1 : 0;
  if (axis < 0) axis += rank;
  if (!shape || !size || axis < 0 || axis >= rank) {
    return withoutShape(known, "the number of iterations is not known");
  }
  shape->insert(shape->begin() + axis, *size);
  Knowledge all = typed(tensorType(elementType(known.type), shape), SizeOrigin::inferred);
  all.assumed = known.assumed;
  return all;
}

std::vector<std::int64_t> attributeInts(const onnx::NodeProto& node, const std::string& name,
                                        std::size_t count) {
  auto list = importOp(node).intsAttribute(name);
  list.resize(count, 0);
  return list;
}

std::optional<bool> truth(const Knowledge* known) {
  if (known == nullptr || known->value == nullptr) return std::nullopt;
  const auto single = known->value->single();
  if (!single) return std::nullopt;
  return *single != 0;
}

}  // namespace

ShapeInference::Outputs ShapeInference::inferBody(const onnx::GraphProto& body,
                                                  const Outputs& inputs, const Scope& outer) {
  Scope scope(&outer);
  for (int i = 0; i < body.input_size(); ++i) {
    const auto index = static_cast<std::size_t>(i);
    const onnx::ValueInfoProto& input = body.input(i);
    Knowledge known = index < inputs.size() ? inputs[index] : Knowledge();
    if (known.type.value_case() == onnx::TypeProto::VALUE_NOT_SET) {
      known.type = input.type();
      known.assumed = dimensions_.substitute(known.type) || known.assumed;
    }
    scope.set(input.name(), std::move(known));
  }
  inferGraph(body, scope);
  Outputs outputs;
  for (const auto& output : body.output()) {
    const Knowledge* known = scope.find(output.name());
    outputs.push_back(known != nullptr ? *known : Knowledge());
  }
  return outputs;
}

ShapeInference::Outputs ShapeInference::inferIf(const onnx::NodeProto& node, const Inputs& inputs,
                                                const Scope& scope) {
  const onnx::GraphProto* yes = bodyOf(node, "then_branch");
  const onnx::GraphProto* no = bodyOf(node, "else_branch");
  if (yes == nullptr || no == nullptr) return {};
  const auto taken = inputs.empty() ? std::nullopt : truth(inputs[0]);
  if (taken) return inferBody(*taken ? *yes : *no, {}, scope);

  Outputs first = inferBody(*yes, {}, scope);
  const Outputs second = inferBody(*no, {}, scope);
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (i < second.size() && hasSameShape(first[i], second[i])) {
      first[i] = withoutValue(first[i]);
      first[i].assumed = first[i].assumed || second[i].assumed;
    } else {
      first[i] = withoutShape(first[i], "the branches of this If give different or unknown shapes");
    }
  }
  return first;
}

ShapeInference::Outputs ShapeInference::inferLoop(const onnx::NodeProto& node, const Inputs& inputs,
                                                  const Scope& scope) {
  const onnx::GraphProto* body = bodyOf(node, "body");
  if (body == nullptr || inputs.size() < 2) return {};
  const std::size_t carried = inputs.size() - 2;
  Outputs start = {scalar(Dtype::int64), scalar(Dtype::boolean)};
  // Inside the body the loop runs, so its condition holds.
  start[1].value =
      std::make_shared<const SmallValue>(SmallValue{.dtype = Dtype::boolean, .integers = {1}});
  for (std::size_t i = 0; i < carried; ++i) {
    start.push_back(inputs[i + 2] != nullptr ? withoutValue(*inputs[i + 2]) : Knowledge());
  }
  // A shape carried from one iteration to the next is known if the body keeps it. Giving one up
  // may cost others theirs, so look again until nothing changes.
  Outputs results;
  for (std::size_t pass = 0; pass <= carried; ++pass) {
    results = inferBody(*body, start, scope);
    if (results.size() < carried + 1) return {};
    bool changed = false;
    for (std::size_t i = 0; i < carried; ++i) {
      if (!staticShape(start[i + 2].type) || hasSameShape(start[i + 2], results[i + 1])) continue;
      start[i + 2] = withoutShape(start[i + 2], "the shape changes from iteration to iteration");
      changed = true;
    }
    if (!changed) break;
  }
  const bool runsOut = (inputs[1] == nullptr && node.input(1).empty()) || truth(inputs[1]) == true;
  const bool goesOn = truth(&results[0]) == true;
  const SmallValue* limit = inputs[0] != nullptr ? inputs[0]->value.get() : nullptr;
  const auto trips = limit != nullptr && runsOut && goesOn ? limit->single() : std::nullopt;

  Outputs outputs;
  for (std::size_t i = 0; i < carried; ++i) outputs.push_back(withoutValue(start[i + 2]));
  for (std::size_t i = carried + 1; i < results.size(); ++i) {
    const auto count = trips ? std::optional(std::max<std::int64_t>(*trips, 0)) : std::nullopt;
    outputs.push_back(stacked(results[i], count, 0));
  }
  return outputs;
}

ShapeInference::Outputs ShapeInference::inferScan(const onnx::NodeProto& node, const Inputs& inputs,
                                                  const Scope& scope) {
  constexpr std::int64_t kFirstWithoutBatch = 9;
  const onnx::GraphProto* body = bodyOf(node, "body");
  const Op op = importOp(node);
  const std::int64_t scanned = op.intAttribute("num_scan_inputs", 0);
  if (body == nullptr || opset("") < kFirstWithoutBatch || scanned < 1 ||
      scanned > static_cast<std::int64_t>(inputs.size())) {
    return {};
  }
  const std::size_t states = inputs.size() - static_cast<std::size_t>(scanned);
  const auto axes = attributeInts(node, "scan_input_axes", static_cast<std::size_t>(scanned));
  std::optional<std::int64_t> length;
  Outputs start;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    start.push_back(inputs[i] != nullptr ? withoutValue(*inputs[i]) : Knowledge());
    auto shape = staticShape(start[i].type);
    if (i < states || !shape) continue;
    const auto rank = static_cast<std::int64_t>(shape->size());
    const std::int64_t axis = axes[i - states] < 0 ? axes[i - states] + rank : axes[i - states];
    if (axis < 0 || axis >= rank) return {};
    length = (*shape)[static_cast<std::size_t>(axis)];
    shape->erase(shape->begin() + axis);
    start[i].type = tensorType(elementType(start[i].type), shape);
  }
  Outputs outputs = inferBody(*body, start, scope);
  const std::size_t stacks = outputs.size() > states ? outputs.size() - states : 0;
  const auto outAxes = attributeInts(node, "scan_output_axes", stacks);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (i >= states) {
      outputs[i] = stacked(outputs[i], length, outAxes[i - states]);
    } else if (hasSameShape(start[i], outputs[i])) {
      outputs[i] = withoutValue(outputs[i]);
    } else {
      outputs[i] = withoutShape(outputs[i], "the shape changes from iteration to iteration");
    }
  }
  return outputs;
}

}  // namespace hw
