#include <algorithm>

#include "core/import/onnx/body_knowledge.h"
#include "core/import/onnx/inference.h"
#include "core/import/onnx/values.h"

namespace hw {
namespace {

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

}  // namespace hw
