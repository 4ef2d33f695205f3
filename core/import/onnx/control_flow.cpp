#include <hw_onnx.pb.h>

#include <algorithm>

#include "core/base/load_sweep.h"
#include "core/import/onnx/inference.h"
#include "core/import/onnx/scopes.h"
#include "core/import/onnx/values.h"
#include "core/ops/op_facts.h"

namespace hw {
namespace {

std::int64_t bytesOf(const Knowledge* known) {
  const auto shape = known != nullptr ? staticShape(known->type) : std::nullopt;
  const auto count = shape ? elementCount(*shape) : std::nullopt;
  const auto bytes =
      count ? packedSize(dtypeOfElement(elementType(known->type)), *count) : std::nullopt;
  constexpr std::int64_t kMost = std::int64_t{1} << 40U;  // Keeps sums within 64 bits.
  return bytes ? std::min(bytes->count(), kMost) : 0;
}

std::int64_t bodyPeak(const onnx::GraphProto& body, const Scope& scope,
                      const ShapeInference& inference);

std::int64_t innerPeak(const onnx::NodeProto& node, const ShapeInference& inference) {
  const BodyRun* run = inference.runOf(node);
  return run != nullptr && run->scope ? bodyPeak(*run->body, *run->scope, inference) : 0;
}

/// Most bytes that the values made inside a body need at once, bodies within it included; what has
/// no known size counts as nothing. For telling which of two branches is the larger.
std::int64_t bodyPeak(const onnx::GraphProto& body, const Scope& scope,
                      const ShapeInference& inference) {
  const int count = body.node_size();
  std::unordered_map<std::string, int> lastRead;
  for (int i = 0; i < count; ++i) {
    for (const std::string& name : body.node(i).input()) lastRead[name] = i;
    for (const std::string& name : capturedNames(body.node(i))) lastRead[name] = i;
  }
  for (const auto& output : body.output()) lastRead[output.name()] = count;
  LoadSweep live(static_cast<std::size_t>(count) + 1);
  for (int i = 0; i < count; ++i) {
    for (const std::string& name : body.node(i).output()) {
      const std::int64_t bytes = name.empty() ? 0 : bytesOf(scope.find(name));
      const auto found = lastRead.find(name);
      const int last = found != lastRead.end() ? std::max(found->second, i) : i;
      live.add(static_cast<std::size_t>(i), static_cast<std::size_t>(last) + 1, Bytes(bytes));
    }
  }
  std::int64_t peak = 0;
  live.eachPlace([&](std::size_t place, Bytes bytes) {
    const auto node = static_cast<int>(place);
    if (node == count) return;  // What the body hands out.
    peak = std::max(peak, bytes.count() + innerPeak(body.node(node), inference));
  });
  return peak;
}

/// `first` after `turns` turns when each of the first two adds the same; nothing when they do not.
std::optional<Shape> extrapolated(const Shape& first, const Shape& second, const Shape& third,
                                  std::int64_t turns) {
  if (second.size() != first.size() || third.size() != first.size()) return std::nullopt;
  Shape last;
  for (std::size_t axis = 0; axis < first.size(); ++axis) {
    const std::int64_t change = second[axis] - first[axis];
    const auto all = checkedMul(change, turns);
    const auto size = all ? checkedAdd(first[axis], *all) : std::nullopt;
    if (third[axis] - second[axis] != change || !size || *size < 0) return std::nullopt;
    last.push_back(*size);
  }
  return last;
}

/// The turns of a Loop: those of its count, unless the condition may end it earlier.
TurnCount turnsOf(const onnx::NodeProto& node, const std::vector<const Knowledge*>& inputs,
                  const Knowledge& condition) {
  constexpr std::int64_t kEndless = std::int64_t{1} << 31U;  // What `while` loops are given.
  if (truth(inputs[1]) == false) return {.exact = 0, .most = 0};
  const SmallValue* limit = inputs[0] != nullptr ? inputs[0]->value.get() : nullptr;
  const auto count = limit != nullptr ? limit->single() : std::nullopt;
  if (!count || *count > kEndless) return {};
  TurnCount turns{.most = std::max<std::int64_t>(*count, 0)};
  const bool starts = node.input(1).empty() || truth(inputs[1]) == true;
  if (starts && truth(&condition) == true) turns.exact = turns.most;
  return turns;
}

/// The values that enter the first turn: its number, its condition, and what is carried.
std::vector<Knowledge> firstTurn(const std::vector<const Knowledge*>& inputs) {
  const auto scalar = [](Dtype dtype) { return typed(tensorType(elementType(dtype), Shape())); };
  std::vector<Knowledge> start = {scalar(Dtype::int64), scalar(Dtype::boolean)};
  // Inside the body the loop runs, so its condition holds.
  start[1].value =
      std::make_shared<const SmallValue>(SmallValue{.dtype = Dtype::boolean, .integers = {1}});
  for (std::size_t i = 2; i < inputs.size(); ++i) {
    start.push_back(inputs[i] != nullptr ? withoutValue(*inputs[i]) : Knowledge());
  }
  return start;
}

/// True when every carried value leaves a turn with the shape it came in with, if that is known.
bool keepsShapes(const std::vector<Knowledge>& start, const std::vector<Knowledge>& results) {
  for (std::size_t i = 2; i < start.size(); ++i) {
    if (staticShape(start[i].type) && !hasSameShape(start[i], results[i - 1])) return false;
  }
  return true;
}

std::vector<std::int64_t> attributeInts(const onnx::NodeProto& node, const std::string& name,
                                        std::size_t count) {
  auto list = importOp(node).intsAttribute(name);
  list.resize(count, 0);
  return list;
}

/// The values that enter a turn of a Scan, of what enters the node: the last of them by rows along
/// `axes`, whose number goes to `length`. Nothing where an axis is none.
std::optional<std::vector<Knowledge>> scanned(const std::vector<const Knowledge*>& inputs,
                                              const std::vector<std::int64_t>& axes,
                                              std::optional<std::int64_t>& length) {
  const std::size_t states = inputs.size() - axes.size();
  std::vector<Knowledge> start;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    start.push_back(inputs[i] != nullptr ? withoutValue(*inputs[i]) : Knowledge());
    auto shape = staticShape(start[i].type);
    if (i < states || !shape) continue;
    const auto rank = static_cast<std::int64_t>(shape->size());
    const std::int64_t axis = axes[i - states] < 0 ? axes[i - states] + rank : axes[i - states];
    if (axis < 0 || axis >= rank) return std::nullopt;
    length = (*shape)[static_cast<std::size_t>(axis)];
    shape->erase(shape->begin() + axis);
    start[i].type = tensorType(elementType(start[i].type), shape);
  }
  return start;
}

}  // namespace

ShapeInference::BodyResult ShapeInference::settle(const onnx::GraphProto& body, Outputs& start,
                                                  BodyResult result, const SharedScope& scope) {
  // Giving up one shape may cost others theirs, so look again until nothing changes.
  while (!keepsShapes(start, result.outputs)) {
    for (std::size_t i = 2; i < start.size(); ++i) {
      if (!staticShape(start[i].type) || hasSameShape(start[i], result.outputs[i - 1])) continue;
      start[i] = withoutShape(start[i], "the shape changes from iteration to iteration");
    }
    result = inferBody(body, start, scope);
    if (result.outputs.size() + 1 < start.size()) break;
  }
  return result;
}

ShapeInference::BodyResult ShapeInference::grow(const onnx::GraphProto& body, Outputs& start,
                                                BodyResult result, const GrowthPlan& plan) {
  if (plan.turns < 2) return result;
  Outputs second = start;
  for (std::size_t i = 2; i < start.size(); ++i) second[i] = withoutValue(result.outputs[i - 1]);
  const BodyResult next = inferBody(body, second, plan.scope);
  Outputs last = start;
  for (std::size_t i = 2; i < start.size() && i <= next.outputs.size(); ++i) {
    const auto a = staticShape(start[i].type);
    const auto b = staticShape(second[i].type);
    const auto c = staticShape(next.outputs[i - 1].type);
    const auto shape = a && b && c ? extrapolated(*a, *b, *c, plan.turns - 1) : std::nullopt;
    if (!shape) return settle(body, start, std::move(result), plan.scope);
    last[i].type = tensorType(elementType(start[i].type), shape);
  }
  BodyResult end = inferBody(body, last, plan.scope);
  // Rows of different turns must be alike, or they cannot be stacked.
  for (std::size_t i = start.size() - 1; i < end.outputs.size(); ++i) {
    if (i < result.outputs.size() && hasSameShape(result.outputs[i], end.outputs[i])) continue;
    end.outputs[i] = withoutShape(end.outputs[i], "its rows differ from iteration to iteration");
  }
  start = std::move(last);
  return end;
}

ShapeInference::Outputs ShapeInference::inferLoop(const onnx::NodeProto& node, const Inputs& inputs,
                                                  const SharedScope& scope) {
  const onnx::GraphProto* body = bodyOf(node, "body");
  if (body == nullptr || inputs.size() < 2) return {};
  const std::size_t carried = inputs.size() - 2;
  Outputs start = firstTurn(inputs);
  BodyResult result = inferBody(*body, start, scope);
  if (result.outputs.size() < carried + 1) return {};
  const TurnCount turns = turnsOf(node, inputs, result.outputs[0]);
  if (!keepsShapes(start, result.outputs)) {
    result = turns.exact ? grow(*body, start, std::move(result), {*turns.exact, scope})
                         : settle(*body, start, std::move(result), scope);
  }
  if (result.outputs.size() < carried + 1) return {};
  runs_[&node] = {.body = body,
                  .scope = result.scope,
                  .turns = turns.exact.value_or(1),
                  .isCertain = turns.exact.has_value()};
  Outputs outputs;
  for (std::size_t i = 0; i < carried; ++i) {
    const Knowledge& last = result.outputs[i + 1];
    const bool counts = turns.exact.value_or(0) > 0 && staticShape(last.type);
    outputs.push_back(withoutValue(counts ? last : start[i + 2]));
  }
  for (std::size_t i = carried + 1; i < result.outputs.size(); ++i) {
    outputs.push_back(stacked(result.outputs[i], turns, 0));
  }
  return outputs;
}

ShapeInference::BodyResult ShapeInference::inferBody(const onnx::GraphProto& body,
                                                     const Outputs& inputs,
                                                     const SharedScope& outer) {
  BodyResult result{.scope = std::make_shared<Scope>(outer)};
  for (int i = 0; i < body.input_size(); ++i) {
    const auto index = static_cast<std::size_t>(i);
    const onnx::ValueInfoProto& input = body.input(i);
    Knowledge known = index < inputs.size() ? inputs[index] : Knowledge();
    if (known.type->value_case() == onnx::TypeProto::VALUE_NOT_SET) {
      known.type = input.type();
      known.assumed = dimensions_.substitute(known.type.own()) || known.assumed;
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
  // A misfit in the branch that is not shown settles nothing.
  const auto misfit = [&](std::size_t at) {
    return misfits_.begin() + static_cast<std::ptrdiff_t>(at);
  };
  misfits_.erase(misfit(secondIsLarger ? before : between),
                 secondIsLarger ? misfit(between) : misfits_.end());
  if (secondIsLarger) std::swap(first, second);
  runs_[&node] = {
      .body = secondIsLarger ? no : yes, .scope = first.scope, .turns = 1, .isCertain = false};
  // A shape on which both branches agree is sure; else the larger branch counts, and is a guess.
  for (std::size_t i = 0; i < first.outputs.size(); ++i) {
    Knowledge& known = first.outputs[i];
    const bool agree = i < second.outputs.size() && hasSameShape(known, second.outputs[i]);
    if (!staticShape(known.type) && i < second.outputs.size()) known = second.outputs[i];
    known = withoutValue(std::move(known));
    known.assumed = known.assumed || !agree || second.outputs[i].assumed;
  }
  return std::move(first.outputs);
}

ShapeInference::Outputs ShapeInference::inferScan(const onnx::NodeProto& node, const Inputs& inputs,
                                                  const SharedScope& scope) {
  constexpr std::int64_t kFirstWithoutBatch = 9;
  const onnx::GraphProto* body = bodyOf(node, "body");
  const Op op = importOp(node);
  const std::int64_t rows = op.intAttribute("num_scan_inputs", 0);
  if (body == nullptr || opset("") < kFirstWithoutBatch || rows < 1 ||
      rows > static_cast<std::int64_t>(inputs.size())) {
    return {};
  }
  const std::size_t states = inputs.size() - static_cast<std::size_t>(rows);
  std::optional<std::int64_t> length;
  const auto start = scanned(
      inputs, attributeInts(node, "scan_input_axes", static_cast<std::size_t>(rows)), length);
  if (!start) return {};
  BodyResult result = inferBody(*body, *start, scope);
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
    } else if (hasSameShape((*start)[i], outputs[i])) {
      outputs[i] = withoutValue(outputs[i]);
    } else {
      outputs[i] = withoutShape(outputs[i], "the shape changes from iteration to iteration");
    }
  }
  return outputs;
}

}  // namespace hw
