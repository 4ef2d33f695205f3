#include <algorithm>

#include "core/import/onnx/body_knowledge.h"
#include "core/import/onnx/body_peak.h"
#include "core/import/onnx/inference.h"
#include "core/import/onnx/values.h"

namespace hw {

ShapeInference::BodyResult ShapeInference::inferBody(const onnx::GraphProto& body,
                                                     const Outputs& inputs,
                                                     const SharedScope& outer) {
  BodyResult result{.scope = std::make_shared<Scope>(outer)};
  for (int i = 0; i < body.input_size(); ++i) {
    const auto index = static_cast<std::size_t>(i);
    const onnx::ValueInfoProto& input = body.input(i);
    Knowledge known = index < inputs.size() ? inputs[index] : Knowledge();
    if (known.type.value_case() == onnx::TypeProto::VALUE_NOT_SET) {
      known.type = input.type();
      known.assumed = dimensions_.substitute(known.type) || known.assumed;
    }
    result.scope->set(input.name(), std::move(known));
  }
  inferGraph(body, result.scope);
  for (const auto& output : body.output()) {
    const Knowledge* known = result.scope->find(output.name());
    result.outputs.push_back(known != nullptr ? *known : Knowledge());
  }
  return result;
}

ShapeInference::Outputs ShapeInference::inferIf(const onnx::NodeProto& node, const Inputs& inputs,
                                                const SharedScope& scope) {
  const onnx::GraphProto* yes = bodyOf(node, "then_branch");
  const onnx::GraphProto* no = bodyOf(node, "else_branch");
  if (yes == nullptr || no == nullptr) return {};
  if (const auto taken = inputs.empty() ? std::nullopt : truth(inputs[0])) {
    const onnx::GraphProto* body = *taken ? yes : no;
    BodyResult result = inferBody(*body, {}, scope);
    runs_[&node] = {.body = body, .scope = result.scope};
    return std::move(result.outputs);
  }
  const std::size_t before = misfits_.size();
  BodyResult first = inferBody(*yes, {}, scope);
  const std::size_t between = misfits_.size();
  BodyResult second = inferBody(*no, {}, scope);
  const bool secondIsLarger =
      bodyPeak(*no, *second.scope, *this) > bodyPeak(*yes, *first.scope, *this);
  // What does not fit the branch that is not shown settles nothing.
  const auto misfit = [&](std::size_t at) {
    return misfits_.begin() + static_cast<std::ptrdiff_t>(at);
  };
  misfits_.erase(misfit(secondIsLarger ? before : between),
                 secondIsLarger ? misfit(between) : misfits_.end());
  if (secondIsLarger) std::swap(first, second);
  runs_[&node] = {
      .body = secondIsLarger ? no : yes, .scope = first.scope, .turns = 1, .isCertain = false};
  // What both branches agree on is sure; else the larger branch counts, and is a guess.
  for (std::size_t i = 0; i < first.outputs.size(); ++i) {
    Knowledge& known = first.outputs[i];
    const bool agree = i < second.outputs.size() && hasSameShape(known, second.outputs[i]);
    if (!staticShape(known.type) && i < second.outputs.size()) known = second.outputs[i];
    known = withoutValue(std::move(known));
    known.assumed = known.assumed || !agree || second.outputs[i].assumed;
  }
  return std::move(first.outputs);
}

namespace {

std::vector<std::int64_t> attributeInts(const onnx::NodeProto& node, const std::string& name,
                                        std::size_t count) {
  auto list = importOp(node).intsAttribute(name);
  list.resize(count, 0);
  return list;
}

}  // namespace

ShapeInference::Outputs ShapeInference::inferScan(const onnx::NodeProto& node, const Inputs& inputs,
                                                  const SharedScope& scope) {
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
  BodyResult result = inferBody(*body, start, scope);
  runs_[&node] = {.body = body,
                  .scope = result.scope,
                  .turns = length.value_or(1),
                  .isCertain = length.has_value()};
  Outputs outputs = std::move(result.outputs);
  const std::size_t stacks = outputs.size() > states ? outputs.size() - states : 0;
  const auto outAxes = attributeInts(node, "scan_output_axes", stacks);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (i >= states) {
      outputs[i] = stacked(outputs[i], {.exact = length}, outAxes[i - states]);
    } else if (hasSameShape(start[i], outputs[i])) {
      outputs[i] = withoutValue(outputs[i]);
    } else {
      outputs[i] = withoutShape(outputs[i], "the shape changes from iteration to iteration");
    }
  }
  return outputs;
}

}  // namespace hw
