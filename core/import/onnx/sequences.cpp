#include "core/import/onnx/sequences.h"

#include <algorithm>

#include "core/import/onnx/values.h"
#include "core/ops/op_facts.h"

namespace hw {
namespace {

using Inputs = std::vector<const Knowledge*>;
using Types = std::vector<onnx::TypeProto>;

/// Longer sequences are not followed tensor by tensor.
constexpr std::int64_t kMostInSequence = 4096;

bool isFollowed(std::size_t length, std::int64_t left) {
  return static_cast<std::int64_t>(length) <= std::min(left, kMostInSequence);
}

/// The type that all of `items` have in common: the element type, and the shape if it is one.
onnx::TypeProto commonType(const Types& items) {
  if (items.empty()) return {};
  onnx::TypeProto common = items.front();
  const auto shape = staticShape(common);
  const bool isOne = shape && std::ranges::all_of(items, [&](const onnx::TypeProto& item) {
                       return staticShape(item) == shape;
                     });
  if (!isOne && common.has_tensor_type()) common.mutable_tensor_type()->clear_shape();
  return common;
}

Knowledge sequenceOf(const onnx::TypeProto& element) {
  Knowledge known;
  *known.type.own().mutable_sequence_type()->mutable_elem_type() = element;
  return known;
}

Knowledge sequenceOf(Types items) {
  Knowledge known = sequenceOf(commonType(items));
  known.items = std::make_shared<const Types>(std::move(items));
  return known;
}

const Types* itemsOf(const Knowledge* known) {
  return known != nullptr ? known->items.get() : nullptr;
}

/// The type that every tensor of a sequence has.
onnx::TypeProto elementOf(const Knowledge* known) {
  return known != nullptr && known->type->has_sequence_type()
             ? known->type->sequence_type().elem_type()
             : onnx::TypeProto();
}

/// A sequence whose tensors are no longer known one by one.
Knowledge blurred(const Knowledge* known) { return sequenceOf(elementOf(known)); }

/// The place that input `at` names in a sequence of `count`; `fallback` when it is left out,
/// nothing when it is not known or outside.
std::optional<std::size_t> position(const onnx::NodeProto& node, const Inputs& inputs,
                                    std::size_t at, std::size_t count, std::int64_t fallback) {
  const auto size = static_cast<std::int64_t>(count);
  std::optional<std::int64_t> place = fallback;
  if (at < inputs.size() && !node.input(static_cast<int>(at)).empty()) {
    const bool isKnown = inputs[at] != nullptr && inputs[at]->value != nullptr;
    place = isKnown ? inputs[at]->value->single() : std::nullopt;
  }
  if (!place || *place < -size || *place > size) return std::nullopt;
  return static_cast<std::size_t>(*place < 0 ? *place + size : *place);
}

Knowledge emptySequence(const onnx::NodeProto& node) {
  const auto element = importOp(node).intAttribute("dtype", onnx::TensorProto::FLOAT);
  Knowledge known = sequenceOf(tensorType(static_cast<int>(element), std::nullopt));
  known.items = std::make_shared<const Types>();
  return known;
}

Knowledge construct(const Inputs& inputs) {
  Types items;
  for (const Knowledge* input : inputs) {
    items.push_back(input != nullptr ? input->type : SharedType());
  }
  return sequenceOf(std::move(items));
}

Knowledge insert(const onnx::NodeProto& node, const Inputs& inputs, std::int64_t left) {
  if (inputs.size() < 2 || inputs[1] == nullptr) return {};
  const onnx::TypeProto& added = inputs[1]->type;
  const Types* items = itemsOf(inputs[0]);
  if (items != nullptr && isFollowed(items->size() + 1, left)) {
    Types more = *items;
    const auto at =
        position(node, inputs, 2, items->size(), static_cast<std::int64_t>(more.size()));
    more.insert(at ? more.begin() + static_cast<std::ptrdiff_t>(*at) : more.end(), added);
    Knowledge known = sequenceOf(std::move(more));
    // Without a known position it is not known which tensor is where, only what all have in common.
    if (!at) known.items = nullptr;
    return known;
  }
  return sequenceOf(commonType({elementOf(inputs[0]), added}));
}

Knowledge erase(const onnx::NodeProto& node, const Inputs& inputs, std::int64_t left) {
  const Types* items = inputs.empty() ? nullptr : itemsOf(inputs[0]);
  if (items == nullptr || items->empty() || !isFollowed(items->size(), left))
    return blurred(inputs.empty() ? nullptr : inputs[0]);
  const auto at = position(node, inputs, 1, items->size(), -1);
  if (!at || *at >= items->size()) return blurred(inputs[0]);
  Types fewer = *items;
  fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(*at));
  return sequenceOf(std::move(fewer));
}

Knowledge pick(const onnx::NodeProto& node, const Inputs& inputs) {
  if (inputs.size() < 2) return {};
  const Types* items = itemsOf(inputs[0]);
  const auto at = items != nullptr ? position(node, inputs, 1, items->size(), 0) : std::nullopt;
  const bool isInside = at && *at < items->size();
  Knowledge known = typed(isInside ? (*items)[*at] : elementOf(inputs[0]));
  known.reason = "the sizes of the tensors in its sequence are not known, or differ";
  return known;
}

Knowledge count(const Inputs& inputs) {
  Knowledge known = typed(tensorType(elementType(Dtype::int64), Shape()));
  const Types* items = inputs.empty() ? nullptr : itemsOf(inputs[0]);
  if (items == nullptr) return known;
  SmallValue value{.dtype = Dtype::int64, .integers = {static_cast<std::int64_t>(items->size())}};
  known.value = std::make_shared<const SmallValue>(std::move(value));
  known.computed = true;
  return known;
}

/// The lengths of the parts of `size` that `split` asks for; nothing when it is not known.
std::optional<std::vector<std::int64_t>> partsOf(const Knowledge* split, bool given,
                                                 std::int64_t size) {
  if (!given) return std::vector<std::int64_t>(static_cast<std::size_t>(size), 1);
  if (split == nullptr || split->value == nullptr || split->value->isReal()) return std::nullopt;
  if (!split->value->shape.empty()) return split->value->integers;
  const auto each = split->value->single();
  if (!each || *each < 1) return std::nullopt;
  std::vector<std::int64_t> parts;
  for (std::int64_t left = size; left > 0; left -= *each) parts.push_back(std::min(left, *each));
  return parts;
}

Knowledge split(const onnx::NodeProto& node, const Inputs& inputs, std::int64_t left) {
  if (inputs.empty() || inputs[0] == nullptr) return {};
  const Op op = importOp(node);
  const int type = elementType(inputs[0]->type);
  const Knowledge unknown = sequenceOf(tensorType(type, std::nullopt));
  auto shape = staticShape(inputs[0]->type);
  const auto axis = shape ? normalAxis(op.intAttribute("axis", 0), shape->size()) : std::nullopt;
  if (!axis || (*shape)[*axis] > kMostInSequence) return unknown;
  const bool given = inputs.size() > 1 && !node.input(1).empty();
  auto parts = partsOf(given ? inputs[1] : nullptr, given, (*shape)[*axis]);
  if (!parts) return unknown;
  const bool followed = isFollowed(parts->size(), left);
  if (!followed) parts->erase(std::unique(parts->begin(), parts->end()), parts->end());
  const bool drops = !given && op.intAttribute("keepdims", 1) == 0;
  Types items;
  for (const std::int64_t part : *parts) {
    Shape piece = *shape;
    piece[*axis] = part;
    if (part < 0) return unknown;
    if (drops) piece.erase(piece.begin() + static_cast<std::ptrdiff_t>(*axis));
    items.push_back(tensorType(type, piece));
  }
  return followed ? sequenceOf(std::move(items)) : sequenceOf(commonType(items));
}

/// Joined along an axis that is there, or stacked along a new one.
Knowledge concat(const onnx::NodeProto& node, const Inputs& inputs) {
  const Op op = importOp(node);
  const Types* items = inputs.empty() ? nullptr : itemsOf(inputs[0]);
  Knowledge unknown =
      typed(tensorType(elementType(elementOf(inputs.empty() ? nullptr : inputs[0])), std::nullopt));
  unknown.reason = "the tensors in its sequence are not known one by one";
  if (items == nullptr || items->empty()) return unknown;
  const bool isNew = op.intAttribute("new_axis", 0) != 0;
  auto whole = staticShape(items->front());
  const auto axis = whole ? normalAxis(op.intAttribute("axis", 0), whole->size() + (isNew ? 1 : 0))
                          : std::nullopt;
  if (!axis) return unknown;
  const auto at = whole->begin() + static_cast<std::ptrdiff_t>(*axis);
  if (isNew) {
    if (!staticShape(commonType(*items))) return unknown;
    whole->insert(at, static_cast<std::int64_t>(items->size()));
    return typed(tensorType(elementType(items->front()), whole));
  }
  Shape sum = *whole;
  for (std::size_t i = 1; i < items->size(); ++i) {
    auto part = staticShape((*items)[i]);
    if (!part || part->size() != sum.size()) return unknown;
    const auto length = checkedAdd(sum[*axis], (*part)[*axis]);
    if (!length) return unknown;
    sum[*axis] = (*part)[*axis] = *length;
    if (*part != sum) return unknown;
  }
  return typed(tensorType(elementType(items->front()), sum));
}

Knowledge optional(const onnx::NodeProto& node, const Inputs& inputs) {
  Knowledge known;
  auto& element = *known.type.own().mutable_optional_type()->mutable_elem_type();
  if (!inputs.empty() && inputs[0] != nullptr) {
    element = inputs[0]->type;
    known.items = inputs[0]->items;
    return known;
  }
  for (const auto& attribute : node.attribute()) {
    if (attribute.name() == "type" && attribute.has_tp()) element = attribute.tp();
  }
  return known;
}

/// The value in an optional; since opset 18 it may be a plain tensor or sequence as well.
Knowledge unwrapped(const Inputs& inputs) {
  if (inputs.empty() || inputs[0] == nullptr) return {};
  if (!inputs[0]->type->has_optional_type()) return *inputs[0];
  Knowledge known = typed(inputs[0]->type->optional_type().elem_type());
  known.items = inputs[0]->items;
  return known;
}

bool isTensor(const Knowledge* known) {
  return known == nullptr || known->type->has_tensor_type() ||
         known->type->value_case() == onnx::TypeProto::VALUE_NOT_SET;
}

}  // namespace

std::vector<Knowledge> inferSequences(const onnx::NodeProto& node, const Inputs& inputs,
                                      std::int64_t left) {
  switch (specialOf(node)) {
    case Special::sequenceEmpty:
      return {emptySequence(node)};
    case Special::sequenceOf:
      return {construct(inputs)};
    case Special::sequenceInsert:
      return {insert(node, inputs, left)};
    case Special::sequenceErase:
      return {erase(node, inputs, left)};
    case Special::sequenceAt:
      return {pick(node, inputs)};
    case Special::sequenceLength:
      return {count(inputs)};
    case Special::sequenceSplit:
      return {split(node, inputs, left)};
    case Special::sequenceConcat:
      return {concat(node, inputs)};
    case Special::optionalOf:
      return {optional(node, inputs)};
    case Special::optionalGet:
      return {unwrapped(inputs)};
    case Special::optionalHas:
      return {typed(tensorType(onnx::TensorProto::BOOL, Shape()))};
    default:
      break;
  }
  if (!normalDomain(node.domain()).empty()) return {};
  // Identity hands on sequences and optional values; for tensors there is a shape rule.
  const bool passesOn = node.op_type() == "Identity" && !inputs.empty() && !isTensor(inputs[0]);
  return passesOn ? std::vector<Knowledge>{*inputs[0]} : std::vector<Knowledge>();
}

}  // namespace hw
