#include "core/layout/axis_order.h"

#include <algorithm>
#include <numeric>

#include "core/ops/op_rules.h"

namespace hw {
namespace {

template <class Rule>
bool isOneOf(Rule* rule, std::initializer_list<Rule*> rules) {
  return rule != nullptr && std::ranges::find(rules, rule) != rules.end();
}

/// Convolutions whose weight has the form of their images; deformable ones have no other form.
bool convolves(const Graph& graph, const Op& op, const OpInfo& info) {
  if (!isOneOf(info.shape, {shapes::convolution, shapes::integerConvolution,
                            shapes::linearConvolution, shapes::transposedConvolution}) ||
      op.type == "DeformConv" || info.weight >= op.inputs.size() || !op.inputs[info.weight]) {
    return false;
  }
  const auto& weight = graph.tensors[op.inputs[info.weight]].shape;
  return weight && weight->size() == 4;
}

AxisUse imageUse(const Graph& graph, const Op& op, const OpInfo& info) {
  if (!isImage(graph, dataInput(op)) || !isImage(graph, op.outputs[0])) return AxisUse::given;
  const bool slides = convolves(graph, op, info);
  if (slides || isOneOf(info.shape, {shapes::pool, shapes::globalPool})) return AxisUse::image;
  const bool normalises = op.type == "LRN" || op.type == "InstanceNormalization";
  const bool places =
      normalises || isOneOf(info.shape, {shapes::resize, shapes::upsample, shapes::depthToSpace,
                                         shapes::spaceToDepth, shapes::batchNormalization});
  return places ? AxisUse::place : AxisUse::given;
}

/// The use for ops of known types whose attributes say everything.
AxisUse useOf(const Graph& graph, const Op& op, const OpInfo& info) {
  if (const AxisUse use = imageUse(graph, op, info); use != AxisUse::given) return use;
  if (isOneOf(info.shape, {shapes::batchNormalization})) return AxisUse::given;
  if (op.type == "ImageScaler" || op.type == "Affine") return AxisUse::first;
  if (info.region == regions::elements) return AxisUse::elements;
  if (info.region == regions::first) return AxisUse::first;
  if (info.region == regions::joined) return AxisUse::join;
  if (info.region == regions::cut) return AxisUse::cut;
  if (isOneOf(info.shape, {shapes::slice, shapes::crop})) return AxisUse::slice;
  if (info.shape == shapes::pad) return AxisUse::pad;
  if (info.shape == shapes::gather) return AxisUse::pick;
  if (isOneOf(info.shape, {shapes::reduce, shapes::argReduce})) return AxisUse::fold;
  if (isOneOf(info.region, {regions::softmax, regions::normalised})) return AxisUse::row;
  if (info.shape == shapes::transpose) return AxisUse::transpose;
  return info.view == ViewFamily::reshape ? AxisUse::view : AxisUse::given;
}

/// Axes [begin, end) of the model's tensor on either side that hold the same elements.
struct AxisGroup {
  std::size_t fromBegin = 0;
  std::size_t fromEnd = 0;
  std::size_t toBegin = 0;
  std::size_t toEnd = 0;
};

/// The smallest groups of axes whose sizes have the same product on both sides.
std::optional<std::vector<AxisGroup>> groupsOf(const Shape& from, const Shape& to) {
  std::vector<AxisGroup> groups;
  std::size_t i = 0;
  std::size_t k = 0;
  while (i < from.size() || k < to.size()) {
    AxisGroup group{i, i, k, k};
    std::int64_t left = 1;
    std::int64_t right = 1;
    // Axes of one element at the end belong to the group before them.
    do {
      const bool more = k == to.size() || (i < from.size() && left <= right);
      if (more && i == from.size()) return std::nullopt;
      const auto product = more ? checkedMul(left, from[i]) : checkedMul(right, to[k]);
      if (!product) return std::nullopt;
      (more ? left : right) = *product;
      ++(more ? i : k);
    } while (left != right);
    group.fromEnd = i;
    group.toEnd = k;
    groups.push_back(group);
  }
  return groups;
}

}  // namespace

bool hasAxes(const Graph& graph, TensorId tensor) {
  if (!tensor) return false;
  const Tensor& held = graph.tensors[tensor];
  return held.shape && held.bytes && !held.constant && !held.persistent;
}

bool isImage(const Graph& graph, TensorId tensor) {
  return hasAxes(graph, tensor) && graph.tensors[tensor].shape->size() == 4;
}

AxisUse axisUseOf(const Graph& graph, OpId id) {
  const Op& op = graph.ops[id];
  const OpInfo* info = findOp(op);
  const bool plain = op.domain.empty() || op.domain == "com.microsoft";
  if (info == nullptr || !plain || op.folded || !op.captures.empty() ||
      info->special != Special::none || op.intAttribute("channels_last", 0) != 0) {
    return AxisUse::given;
  }
  if (!hasAxes(graph, dataInput(op)) || op.outputs.empty()) return AxisUse::given;
  const auto known = [&](TensorId output) { return !output || hasAxes(graph, output); };
  if (!op.outputs[0] || !std::ranges::all_of(op.outputs, known)) return AxisUse::given;
  return useOf(graph, op, *info);
}

AxisOrder asGiven(std::size_t rank) {
  AxisOrder order(rank);
  std::iota(order.begin(), order.end(), std::size_t(0));
  return order;
}

bool isAsGiven(const AxisOrder& order) { return std::ranges::is_sorted(order); }

AxisOrder channelsLastOrder(std::size_t rank) {
  AxisOrder order = asGiven(rank);
  if (rank > 2) std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  return order;
}

Shape heldShape(const Shape& shape, const AxisOrder& order) {
  Shape held;
  for (const std::size_t axis : order) held.push_back(shape[axis]);
  return held;
}

std::size_t heldAxis(const AxisOrder& order, std::size_t axis) {
  return static_cast<std::size_t>(std::ranges::find(order, axis) - order.begin());
}

bool sameInMemory(const Shape& shape, const AxisOrder& a, const AxisOrder& b) {
  const auto long_ = [&](AxisOrder order) {
    std::erase_if(order, [&](std::size_t axis) { return shape[axis] == 1; });
    return order;
  };
  return a.size() == b.size() && long_(a) == long_(b);
}

std::vector<std::int64_t> permBetween(const AxisOrder& from, const AxisOrder& to) {
  std::vector<std::int64_t> perm;
  for (const std::size_t axis : to) perm.push_back(static_cast<std::int64_t>(heldAxis(from, axis)));
  return perm;
}

AxisOrder transposedOrder(const AxisOrder& order, const std::vector<std::int64_t>& perm) {
  AxisOrder result;
  for (const std::size_t axis : order) {
    const auto made = std::ranges::find(perm, static_cast<std::int64_t>(axis));
    result.push_back(static_cast<std::size_t>(made - perm.begin()));
  }
  return result;
}

std::optional<AxisOrder> reshapedOrder(const Shape& from, const AxisOrder& order, const Shape& to) {
  const auto empty = [](const Shape& shape) { return std::ranges::count(shape, 0) > 0; };
  if (empty(from) || empty(to) || order.size() != from.size()) return std::nullopt;
  const auto groups = groupsOf(from, to);
  if (!groups) return std::nullopt;
  AxisOrder held = order;
  std::erase_if(held, [&](std::size_t axis) { return from[axis] == 1; });
  AxisOrder result;
  std::vector<bool> there(to.size());
  for (std::size_t at = 0; at < held.size();) {
    const auto group = std::ranges::find_if(
        *groups, [&](const AxisGroup& each) { return held[at] < each.fromEnd; });
    // All axes of the group, one after the other.
    for (std::size_t axis = group->fromBegin; axis < group->fromEnd; ++axis) {
      if (from[axis] == 1) continue;
      if (at == held.size() || held[at++] != axis) return std::nullopt;
    }
    for (std::size_t axis = group->toBegin; axis < group->toEnd; ++axis) {
      there[axis] = to[axis] != 1;
      if (there[axis]) result.push_back(axis);
    }
  }
  // Axes of one element stand where the model has them, as far as that can be.
  for (std::size_t axis = 0; axis < to.size(); ++axis) {
    if (there[axis]) continue;
    const auto before = axis == 0 ? result.begin() : std::ranges::find(result, axis - 1) + 1;
    result.insert(before, axis);
  }
  return result;
}

AxisOrder settled(const Shape& shape, const AxisOrder& order, const AxisOrder& wanted) {
  if (sameInMemory(shape, order, wanted)) return wanted;
  const AxisOrder given = asGiven(shape.size());
  return sameInMemory(shape, order, given) ? given : order;
}

}  // namespace hw
