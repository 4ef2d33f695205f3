#include "core/layout/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "core/base/text.h"
#include "core/layout/axis_order.h"
#include "core/ops/op_facts.h"
#include "core/ops/op_table.h"
#include "core/rewrite/graph_rewriter.h"

namespace hw {
namespace {

bool isBetween(AxisUse use) {
  switch (use) {
    case AxisUse::image:
    case AxisUse::place:
    case AxisUse::elements:
    case AxisUse::first:
    case AxisUse::join:
    case AxisUse::cut:
    case AxisUse::slice:
    case AxisUse::pad:
    case AxisUse::fold:
      return true;
    case AxisUse::given:
    case AxisUse::pick:
    case AxisUse::row:
    case AxisUse::transpose:
    case AxisUse::view:
      return false;
  }
  return false;
}

/// The images of a graph that are held alike: those that operators on images read and make, and
/// those between them through element-wise operators or ones that keep axes apart.
class ImageRegions {
 public:
  explicit ImageRegions(const Graph& graph)
      : parent_(graph.tensors.size()), image_(graph.tensors.size(), false) {
    for (const TensorId id : graph.tensors.keys()) parent_[id] = id;
    std::vector<TensorId> seeds;
    for (const OpId id : graph.ops.keys()) {
      const AxisUse use = axisUseOf(graph, id);
      const Op& op = graph.ops[id];
      if (!isBetween(use)) continue;
      std::vector<TensorId> images;
      for (const auto* list : {&op.inputs, &op.outputs}) {
        for (const TensorId each : *list) {
          if (isImage(graph, each)) images.push_back(each);
        }
      }
      if (use == AxisUse::image) seeds.insert(seeds.end(), {dataInput(op), op.outputs[0]});
      if (use == AxisUse::image || images.empty()) continue;
      for (const TensorId each : images) parent_[rootOf(each)] = rootOf(images.front());
    }
    for (const TensorId seed : seeds) image_[rootOf(seed)] = true;
    any_ = !seeds.empty();
  }

  /// True if there are any.
  bool any() const { return any_; }

  bool contains(TensorId tensor) const {
    return parent_.contains(tensor) && image_[rootOf(tensor)];
  }

 private:
  TensorId rootOf(TensorId tensor) const {
    while (parent_[tensor] != tensor) {
      parent_[tensor] = parent_[parent_[tensor]];
      tensor = parent_[tensor];
    }
    return tensor;
  }

  mutable IdMap<TensorId, TensorId> parent_;
  IdMap<TensorId, bool> image_;  ///< By root.
  bool any_ = false;
};

Shape withRank(const Shape& shape, std::size_t rank) {
  Shape all(rank - std::min(rank, shape.size()), 1);
  all.insert(all.end(), shape.begin(), shape.end());
  return all;
}

/// A graph under construction that holds the tensors of another with their axes in other orders. A
/// tensor that is asked for in an order in which it is not held gets a view, if its bytes stay as
/// they are, else a Transpose.
class HeldGraph {
 public:
  using Handle = GraphRewriter::Handle;

  explicit HeldGraph(std::shared_ptr<const Graph> graph)
      : graph_(*graph),
        to_(std::move(graph), Tiling::Kind::layout),
        copies_(graph_.tensors.size()) {
    // Tensors without a producer are held as given, but for inputs, which follow their readers.
    for (const TensorId id : graph_.tensors.keys()) {
      const Tensor& tensor = graph_.tensors[id];
      const bool input = tensor.graphInput && !tensor.constant && !tensor.persistent;
      if (!tensor.producer && !input) makeGiven(id);
    }
  }

  /// The order in which a tensor is made. Weights and tensors without a known shape: as given.
  const AxisOrder& orderOf(TensorId tensor) const { return copies_[tensor].front().order; }

  /// The tensor with its axes in this order; of a tensor of fewer axes than the order has, with
  /// axes of one element before its own.
  Handle take(TensorId id, const AxisOrder& order) {
    auto& copies = copies_[id];
    const auto there = std::ranges::find(copies, order, &Copy::order);
    if (there != copies.end()) return there->handle;
    const Tensor& tensor = graph_.tensors[id];
    // One element has all axes in any order, and is broadcast to any number of them.
    if (!tensor.shape || elementCount(*tensor.shape) == 1) return copies.front().handle;
    if (tensor.constant) return permutedWeight(id, order);
    if (tensor.shape->size() < order.size()) return padded(id, order);
    const auto same = std::ranges::find_if(
        copies, [&](const Copy& copy) { return sameInMemory(*tensor.shape, copy.order, order); });
    return turned(id, same != copies.end() ? *same : copies.front(), order);
  }

  Handle takeGiven(TensorId id) {
    const auto& shape = graph_.tensors[id].shape;
    return take(id, asGiven(shape ? shape->size() : 0));
  }

  Handle takeAny(TensorId tensor) const { return copies_[tensor].front().handle; }

  /// Adds an input of the graph, or the output of an op, in this order.
  Handle make(TensorId id, const AxisOrder& order) {
    Tensor tensor = graph_.tensors[id];
    if (tensor.shape && !isAsGiven(order)) tensor.shape = heldShape(*tensor.shape, order);
    const Handle handle = to_.addTensor(tensor, id, order);
    copies_[id] = {{handle, order}};
    return handle;
  }

  Handle makeGiven(TensorId id) {
    const auto& shape = graph_.tensors[id].shape;
    return make(id, asGiven(shape ? shape->size() : 0));
  }

  /// Makes `tensor` stand for `other`, without an op.
  void standIn(TensorId id, TensorId other, const AxisOrder& order) {
    copies_[id] = {{takeAny(other), order}};
  }

  /// `of`: the op of the other graph that it is.
  void addOp(OpId of, GraphRewriter::OpParts parts) { to_.addOp(std::move(parts), of); }

  struct Added {
    std::size_t transposes = 0;
    std::size_t views = 0;
    Bytes moved{};  ///< By these Transposes.
  };
  const Added& added() const { return added_; }

  Result<Graph> build() && {
    for (const TensorId input : graph_.inputs) to_.addInput(takeAny(input));
    for (const TensorId output : graph_.outputs) to_.addOutput(takeAny(output));
    return std::move(to_).build();
  }

 private:
  struct Copy {
    Handle handle{};
    AxisOrder order{};
  };

  Handle turned(TensorId id, const Copy& from, const AxisOrder& order) {
    const Shape& shape = *graph_.tensors[id].shape;
    Op op{.type = "Reshape"};
    if (!sameInMemory(shape, from.order, order)) {
      op.type = "Transpose";
      op.attributes["perm"] = permBetween(from.order, order);
    }
    return derived(id, order, heldShape(shape, order), from.handle, std::move(op));
  }

  Handle padded(TensorId id, const AxisOrder& order) {
    const Shape shape = withRank(*graph_.tensors[id].shape, order.size());
    const AxisOrder given = asGiven(order.size());
    const bool same = sameInMemory(shape, given, order);
    const Handle seen = derived(id, same ? order : given, same ? heldShape(shape, order) : shape,
                                takeGiven(id), Op{.type = "Reshape"});
    if (same) return seen;
    Op op{.type = "Transpose"};
    op.attributes["perm"] = permBetween(given, order);
    return derived(id, order, heldShape(shape, order), seen, std::move(op));
  }

  Handle derived(TensorId id, const AxisOrder& order, Shape shape, Handle from, Op op) {
    const Tensor& whole = graph_.tensors[id];
    Tensor tensor{.name = displayName(graph_, id) + (isAsGiven(order) ? " given" : " nhwc"),
                  .dtype = whole.dtype,
                  .shape = std::move(shape),
                  .bytes = whole.bytes,
                  .origin = SizeOrigin::inferred};
    op.name = (isAsGiven(order) ? "to given: " : "to nhwc: ") + displayName(graph_, id);
    const bool moves = op.type == "Transpose";
    ++(moves ? added_.transposes : added_.views);
    if (moves) added_.moved += *whole.bytes;
    const Handle handle = to_.addTensor(tensor);
    copies_[id].push_back({handle, order});
    to_.addOp({.op = std::move(op), .inputs = {from}, .outputs = {handle}});
    return handle;
  }

  /// Weights are the runtime's to lay out: the same bytes under another shape.
  Handle permutedWeight(TensorId id, const AxisOrder& order) {
    Tensor tensor = graph_.tensors[id];
    tensor.shape = heldShape(withRank(*tensor.shape, order.size()), order);
    // A weight that was computed from weights counts as one that was read: no op computes it here.
    tensor.producer = {};
    tensor.constant = true;
    const Handle handle = to_.addTensor(tensor, id, order);
    copies_[id].push_back({handle, order});
    return handle;
  }

  const Graph& graph_;
  GraphRewriter to_;
  IdMap<TensorId, std::vector<Copy>> copies_;
  Added added_;
};

constexpr std::size_t kImageRank = 4;

/// The attribute `name`, an axis, as the held axis.
void renumberAxis(Op& op, const char* name, const AxisOrder& order) {
  if (const auto axis = normalAxis(op.intAttribute(name, 0), order.size())) {
    op.attributes[name] = static_cast<std::int64_t>(heldAxis(order, *axis));
  }
}

std::vector<std::int64_t> heldAxes(const std::vector<std::int64_t>& axes, const AxisOrder& order) {
  std::vector<std::int64_t> held;
  for (const std::int64_t axis : axes) {
    const auto normal = normalAxis(axis, order.size());
    held.push_back(normal ? static_cast<std::int64_t>(heldAxis(order, *normal)) : axis);
  }
  return held;
}

/// Views and picks behind a Transpose that are looked through for an image.
constexpr int kLookAhead = 4;

/// `order` without the axes that are removed.
AxisOrder withoutAxes(const AxisOrder& order, const std::vector<bool>& gone) {
  AxisOrder left;
  for (const std::size_t axis : order) {
    if (gone[axis]) continue;
    const auto end = gone.begin() + static_cast<std::ptrdiff_t>(axis);
    left.push_back(axis - static_cast<std::size_t>(std::count(gone.begin(), end, true)));
  }
  return left;
}

/// The axes from `axis` on, as they are held one behind the other, without those of one element.
AxisOrder longAxes(const Shape& shape, const AxisOrder& order, std::size_t from) {
  AxisOrder axes(order.begin() + static_cast<std::ptrdiff_t>(from), order.end());
  std::erase_if(axes, [&](std::size_t each) { return shape[each] == 1; });
  return axes;
}

/// Copies a graph, op by op, into one that holds its images channels last. Each kind of op decides
/// whether it can work with the orders of its inputs; one that cannot works as in the model.
class Relayer {
 public:
  explicit Relayer(std::shared_ptr<const Graph> graph)
      : graph_(*graph), regions_(graph_), held_(std::move(graph)) {}

  /// True if there is something to do.
  bool hasImages() const { return regions_.any(); }

  Result<Relaid> run() && {
    for (const TensorId input : graph_.inputs) {
      const Tensor& tensor = graph_.tensors[input];
      if (!tensor.constant && !tensor.persistent) held_.make(input, wanted(input));
    }
    for (const OpId op : graph_.ops.keys()) carry(op);
    account_.transposes = held_.added().transposes;
    account_.views = held_.added().views;
    account_.moved = held_.added().moved;
    HW_TRY(graph, std::move(held_).build());
    return Relaid{std::make_shared<const Graph>(std::move(graph)), account_};
  }

 private:
  using Parts = GraphBuilder::OpParts;
  using Axes = std::vector<std::int64_t>;

  std::size_t rankOf(TensorId id) const { return graph_.tensors[id].shape->size(); }
  const Shape& shapeOf(TensorId id) const { return *graph_.tensors[id].shape; }

  /// The shape of an input of an op; null where there is no input, or its shape is unknown.
  const Shape* operandShape(const Op& op, std::size_t input) const {
    if (input >= op.inputs.size() || !op.inputs[input]) return nullptr;
    const auto& shape = graph_.tensors[op.inputs[input]].shape;
    return shape ? &*shape : nullptr;
  }

  /// Images of a region channels last, all else as given.
  AxisOrder wanted(TensorId id) const {
    const auto& shape = graph_.tensors[id].shape;
    const std::size_t rank = shape ? shape->size() : 0;
    return regions_.contains(id) ? channelsLastOrder(rank) : asGiven(rank);
  }

  /// The order in which an op takes its data: that of its region, or the one it comes in.
  AxisOrder orderFor(TensorId id) const {
    return regions_.contains(id) ? wanted(id) : held_.orderOf(id);
  }

  /// The order that tensors with as many axes as the output have in common; as given where they
  /// differ.
  AxisOrder common(const std::vector<TensorId>& ids, TensorId out) const {
    if (regions_.contains(out)) return wanted(out);
    std::optional<AxisOrder> order;
    for (const TensorId id : ids) {
      if (!hasAxes(graph_, id) || rankOf(id) != rankOf(out)) continue;
      if (order && *order != held_.orderOf(id)) return asGiven(rankOf(out));
      order = held_.orderOf(id);
    }
    return order.value_or(asGiven(rankOf(out)));
  }

  void carry(OpId id) {
    const auto done = [&] {
      switch (axisUseOf(graph_, id)) {
        case AxisUse::given:
          return false;
        case AxisUse::image:
        case AxisUse::place:
          return image(id);
        case AxisUse::elements:
          return elements(id);
        case AxisUse::first:
          return first(id);
        case AxisUse::join:
          return join(id);
        case AxisUse::cut:
          return cut(id);
        case AxisUse::slice:
          return slice(id);
        case AxisUse::pad:
          return pad(id);
        case AxisUse::pick:
          return pick(id);
        case AxisUse::fold:
          return fold(id);
        case AxisUse::row:
          return row(id);
        case AxisUse::transpose:
          return transpose(id);
        case AxisUse::view:
          return view(id);
      }
      return false;
    };
    if (!done()) keep(id);
  }

  /// Everything as the model has it.
  void keep(OpId id) {
    const Op& op = graph_.ops[id];
    Parts parts = with(id, {}, {});
    for (const TensorId in : op.captures) parts.captures.push_back(held_.takeGiven(in));
    for (const TensorId out : op.outputs) {
      parts.outputs.push_back(out ? held_.makeGiven(out) : GraphBuilder::kAbsent);
    }
    held_.addOp(id, std::move(parts));
  }

  /// The op with its inputs as given, but for those in `taken`, which it reads in that order.
  Parts with(OpId id, const std::vector<TensorId>& taken, const AxisOrder& order) {
    Parts parts{.op = graph_.ops[id]};
    for (const TensorId in : graph_.ops[id].inputs) {
      const bool turned = std::ranges::find(taken, in) != taken.end();
      // Any order serves operands of which only type (CastLike) or size (Shape, Size) counts.
      const bool like = (parts.op.type == "CastLike" && parts.inputs.size() == 1) ||
                        parts.op.type == "Shape" || parts.op.type == "Size";
      parts.inputs.push_back(!in      ? GraphBuilder::kAbsent
                             : turned ? held_.take(in, order)
                             : like   ? held_.takeAny(in)
                                      : held_.takeGiven(in));
    }
    return parts;
  }

  /// Outputs of so many axes are held in that order, others as given.
  void addWith(OpId id, Parts parts, const AxisOrder& order) {
    for (const TensorId out : graph_.ops[id].outputs) {
      const bool same = out && rankOf(out) == order.size();
      parts.outputs.push_back(!out   ? GraphBuilder::kAbsent
                              : same ? held_.make(out, order)
                                     : held_.makeGiven(out));
    }
    held_.addOp(id, std::move(parts));
  }

  // One function a kind of op; false, with nothing added, where it must stay as in the model.
  bool image(OpId id) {
    const Op& op = graph_.ops[id];
    const OpInfo* info = findOp(op);
    const AxisOrder order = channelsLastOrder(kImageRank);
    if (!regions_.contains(op.outputs[0])) return false;
    std::vector<TensorId> images = {dataInput(op)};
    constexpr std::size_t kAdded = 3;  // The input that FusedConv adds before its activation.
    if (op.type == "FusedConv" && op.inputs.size() > kAdded && isImage(graph_, op.inputs[kAdded])) {
      images.push_back(op.inputs[kAdded]);
    }
    Parts parts = with(id, images, order);
    parts.op.attributes["channels_last"] = std::int64_t{1};
    // The weight keeps the model's shape: its kernel is where the model has it.
    if (op.intsAttribute("kernel_shape").empty() && info->kind == OpClass::convolution) {
      const Shape& weight = shapeOf(op.inputs[info->weight]);
      parts.op.attributes["kernel_shape"] = Axes(weight.begin() + 2, weight.end());
    }
    if (op.attributes.contains("axes")) {
      parts.op.attributes["axes"] = heldAxes(op.intsAttribute("axes"), order);
    }
    addWith(id, std::move(parts), order);
    ++account_.images;
    return true;
  }

  bool elements(OpId id) {
    const Op& op = graph_.ops[id];
    const AxisOrder order = common(op.inputs, op.outputs[0]);
    const auto fits = [&](TensorId in) {
      if (!in) return true;
      const auto& shape = graph_.tensors[in].shape;
      return shape && !graph_.tensors[in].persistent && shape->size() <= order.size();
    };
    if (isAsGiven(order) || !std::ranges::all_of(op.inputs, fits)) return false;
    addWith(id, with(id, op.inputs, order), order);
    return true;
  }

  bool first(OpId id) {
    const Op& op = graph_.ops[id];
    const TensorId in = op.inputs[0];
    const AxisOrder order = orderFor(in);
    const bool scaled = op.type == "QuantizeLinear" || op.type == "DequantizeLinear";
    // Of one element, one for each channel, or of blocks.
    const Shape* scale = operandShape(op, 1);
    if (isAsGiven(order) || (scaled && (scale == nullptr || scale->size() > 1))) return false;
    Parts parts = with(id, {in}, order);
    if (scaled && scale->size() == 1) {
      parts.op.attributes["axis"] = op.intAttribute("axis", 1);
      renumberAxis(parts.op, "axis", order);
    }
    addWith(id, std::move(parts), order);
    return true;
  }

  bool join(OpId id) {
    const Op& op = graph_.ops[id];
    const AxisOrder order = common(op.inputs, op.outputs[0]);
    const auto joins = [&](TensorId in) {
      if (!in) return false;
      const auto& shape = graph_.tensors[in].shape;
      return shape && shape->size() == order.size() && !graph_.tensors[in].persistent;
    };
    if (isAsGiven(order) || !std::ranges::all_of(op.inputs, joins)) return false;
    Parts parts = with(id, op.inputs, order);
    renumberAxis(parts.op, "axis", order);
    addWith(id, std::move(parts), order);
    return true;
  }

  bool cut(OpId id) {
    const Op& op = graph_.ops[id];
    const AxisOrder order = orderFor(dataInput(op));
    if (!cutsAxes(op, order)) return false;
    Parts parts = with(id, {dataInput(op)}, order);
    renumberAxis(parts.op, "axis", order);
    addWith(id, std::move(parts), order);
    return true;
  }

  /// Operands that name axes are adapted by the runtime, as weights are.
  bool slice(OpId id) {
    const Op& op = graph_.ops[id];
    const AxisOrder order = orderFor(dataInput(op));
    if (!cutsAxes(op, order)) return false;
    Parts parts = with(id, {dataInput(op)}, order);
    if (op.attributes.contains("starts")) {
      Axes axes = op.intsAttribute("axes");
      const std::size_t count = op.intsAttribute("starts").size();
      for (std::size_t i = axes.size(); i < count; ++i)
        axes.push_back(static_cast<std::int64_t>(i));
      parts.op.attributes["axes"] = heldAxes(axes, order);
    }
    addWith(id, std::move(parts), order);
    return true;
  }

  bool pad(OpId id) {
    const Op& op = graph_.ops[id];
    const AxisOrder order = orderFor(dataInput(op));
    const std::size_t rank = order.size();
    const Axes pads = op.intsAttribute("pads");
    if (!cutsAxes(op, order) || pads.size() != 2 * rank) return false;
    Parts parts = with(id, {dataInput(op)}, order);
    Axes held;
    for (const std::size_t end : {std::size_t(0), rank}) {
      for (const std::size_t axis : order) held.push_back(pads[axis + end]);
    }
    parts.op.attributes["pads"] = held;
    if (order == channelsLastOrder(kImageRank)) {
      parts.op.attributes["channels_last"] = std::int64_t{1};
    }
    addWith(id, std::move(parts), order);
    return true;
  }

  bool pick(OpId id) {
    const Op& op = graph_.ops[id];
    const TensorId in = op.inputs[0];
    const AxisOrder order = orderFor(in);
    const auto axis = normalAxis(op.intAttribute("axis", 0), order.size());
    const Shape* index = operandShape(op, 1);
    if (isAsGiven(order) || !axis || index == nullptr || index->size() > 1) return false;
    Parts parts = with(id, {in}, order);
    parts.op.attributes["axis"] = static_cast<std::int64_t>(heldAxis(order, *axis));
    std::vector<bool> gone(order.size());
    gone[*axis] = index->empty();
    addWith(id, std::move(parts), withoutAxes(order, gone));
    return true;
  }

  bool fold(OpId id) {
    const Op& op = graph_.ops[id];
    const TensorId in = op.inputs[0];
    const AxisOrder order = orderFor(in);
    const auto folded = isAsGiven(order) ? std::nullopt : foldedAxes(op);
    if (!folded) return false;
    const auto goes = static_cast<std::size_t>(std::ranges::count(*folded, true));
    const std::size_t left = rankOf(op.outputs[0]);
    if (left != order.size() && left + goes != order.size()) return false;
    Parts parts = with(id, {in}, order);
    Axes axes;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if ((*folded)[order[i]]) axes.push_back(static_cast<std::int64_t>(i));
    }
    if (op.type.starts_with("Arg")) {
      parts.op.attributes["axis"] = axes.front();
    } else if (op.attributes.contains("axes")) {
      parts.op.attributes["axes"] = axes;
    }
    addWith(id, std::move(parts), left == order.size() ? order : withoutAxes(order, *folded));
    return true;
  }

  /// The axes that belong together must be held last, whether these are all from `axis` on, as in
  /// opsets before 13, or that one alone.
  bool row(OpId id) {
    const Op& op = graph_.ops[id];
    const TensorId in = op.inputs[0];
    const AxisOrder order = orderFor(in);
    const bool lastUnlessNamed = op.type.find("Normalization") != std::string::npos;
    const bool known = lastUnlessNamed || op.attributes.contains("axis");
    const auto axis = normalAxis(op.intAttribute("axis", -1), order.size());
    if (isAsGiven(order) || !axis || !known) return false;
    const std::size_t at = heldAxis(order, *axis);
    const Shape& shape = shapeOf(in);
    if (longAxes(shape, order, at) != longAxes(shape, asGiven(order.size()), *axis)) return false;
    Parts parts = with(id, {in}, order);
    parts.op.attributes["axis"] = static_cast<std::int64_t>(at);
    addWith(id, std::move(parts), order);
    return true;
  }

  bool transpose(OpId id) {
    const Op& op = graph_.ops[id];
    const TensorId in = op.inputs[0];
    const TensorId out = op.outputs[0];
    const std::size_t rank = rankOf(in);
    Axes perm = op.intsAttribute("perm");
    for (std::size_t i = rank; perm.size() < rank && op.intsAttribute("perm").empty();) {
      perm.push_back(static_cast<std::int64_t>(--i));
    }
    for (const std::size_t axis : asGiven(rank)) {
      if (perm.size() != rank || std::ranges::count(perm, std::int64_t(axis)) != 1) return false;
    }
    const AxisOrder from = held_.orderOf(in);
    const AxisOrder seen = transposedOrder(from, perm);
    const AxisOrder to = aimOf(out, from);
    if (isAsGiven(from) && isAsGiven(to)) return false;
    // A graph input that is also an output, under another name, would have to be held in both
    // orders.
    const bool hands = graph_.tensors[in].graphInput && graph_.tensors[out].graphOutput;
    if (seen == to && !hands) {
      held_.standIn(out, in, to);
      ++account_.folded;
      return true;
    }
    Parts parts{.op = op, .inputs = {held_.takeAny(in)}};
    parts.op.attributes["perm"] = permBetween(seen, to);
    parts.outputs = {held_.make(out, to)};
    held_.addOp(id, std::move(parts));
    return true;
  }

  bool view(OpId id) {
    const Op& op = graph_.ops[id];
    const TensorId in = dataInput(op);
    const TensorId out = op.outputs[0];
    AxisOrder from = held_.orderOf(in);
    auto to = reshapedOrder(shapeOf(in), from, shapeOf(out));
    if (!to) {
      from = asGiven(from.size());
      to = reshapedOrder(shapeOf(in), from, shapeOf(out));
    }
    if (!to) return false;
    const AxisOrder order = settled(shapeOf(out), *to, wanted(out));
    if (isAsGiven(from) && isAsGiven(order)) return false;
    Parts parts = with(id, {in}, from);
    // The axes that come or go are not those of the model: a Reshape leaves that to the shapes.
    parts.op.type = "Reshape";
    parts.op.domain.clear();
    parts.op.attributes.clear();
    addWith(id, std::move(parts), order);
    return true;
  }

  /// Every axis of the output is one of the input by itself, held in an order of its own.
  bool cutsAxes(const Op& op, const AxisOrder& order) const {
    return !isAsGiven(order) && rankOf(op.outputs[0]) == order.size();
  }

  /// The axes that an op folds; nothing where they are unknown.
  std::optional<std::vector<bool>> foldedAxes(const Op& op) const {
    const Shape& in = shapeOf(op.inputs[0]);
    const Shape& out = shapeOf(op.outputs[0]);
    if (op.type.starts_with("Arg")) return axisSet({op.intAttribute("axis", 0)}, in.size());
    if (op.attributes.contains("axes")) return axisSet(op.intsAttribute("axes"), in.size());
    if (in.size() != out.size()) return std::nullopt;
    std::vector<bool> folded(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) folded[i] = in[i] != out[i];
    return folded;
  }

  /// The order in which a Transpose leaves its output: the wanted one; or, where it is no image but
  /// views turn it into one, the order in which these views move nothing.
  AxisOrder aimOf(TensorId out, const AxisOrder& from) const {
    const AxisOrder order = wanted(out);
    const bool other = isAsGiven(order) && !isAsGiven(from) && from.size() == order.size();
    return other && !leadsToImage(out, order, 0) && leadsToImage(out, from, 0) ? from : order;
  }

  bool leadsToImage(TensorId id, const AxisOrder& order, int depth) const {
    if (depth > kLookAhead) return false;
    return std::ranges::any_of(graph_.tensors[id].consumers, [&](OpId reader) {
      const Op& op = graph_.ops[reader];
      const AxisUse use = axisUseOf(graph_, reader);
      if ((use != AxisUse::view && use != AxisUse::pick) || dataInput(op) != id) return false;
      const TensorId out = op.outputs[0];
      std::optional<AxisOrder> next;
      if (use == AxisUse::view) {
        next = reshapedOrder(shapeOf(id), order, shapeOf(out));
      } else if (const auto axis = normalAxis(op.intAttribute("axis", 0), order.size())) {
        std::vector<bool> gone(order.size());
        gone[*axis] = rankOf(out) < order.size();
        next = withoutAxes(order, gone);
      }
      if (!next || next->size() != rankOf(out)) return false;
      const AxisOrder settles = settled(shapeOf(out), *next, wanted(out));
      if (regions_.contains(out)) return settles == wanted(out);
      return leadsToImage(out, settles, depth + 1);
    });
  }

  const Graph& graph_;
  ImageRegions regions_;
  HeldGraph held_;
  LayoutAccount account_{};
};

/// The reason why there is nothing to do, where no operator works on images channels first.
std::string whyNothing(const Graph& graph) {
  const bool last = std::ranges::any_of(graph.ops, [](const Op& op) {
    return op.domain == "tflite" || op.intAttribute("channels_last", 0) != 0;
  });
  if (last || graph.format == "tflite")
    return "the model's images have their channels last already";
  return "no operator that is known to have such a form works on images of four dimensions";
}

std::string countOf(std::size_t count, const char* one, const char* several) {
  return fmt::format("{} {}", groupDigits(count), count == 1 ? one : several);
}

}  // namespace

Result<Relaid> channelsLast(std::shared_ptr<const Graph> graph) {
  if (graph->tiling) {
    return Relaid{std::move(graph), {.whyNot = "its operators were rewritten already"}};
  }
  Relayer relayer(graph);
  if (!relayer.hasImages()) {
    std::string why = whyNothing(*graph);
    return Relaid{std::move(graph), {.whyNot = std::move(why)}};
  }
  return std::move(relayer).run();
}

std::string layoutText(const LayoutAccount& account) {
  if (!account.whyNot.empty()) return "nothing is held in another layout: " + account.whyNot;
  std::string text =
      "images are held channels last, for " +
      countOf(account.images, "operator that works on them", "operators that work on them");
  if (account.folded > 0) {
    text += "; " + countOf(account.folded, "Transpose is not needed", "Transposes are not needed");
  }
  if (account.transposes > 0) {
    text +=
        fmt::format("; {} added, which {} {} bytes",
                    countOf(account.transposes, "Transpose is", "Transposes are"),
                    account.transposes == 1 ? "moves" : "move", groupDigits(account.moved.count()));
  }
  if (account.views > 0) text += "; " + countOf(account.views, "view is added", "views are added");
  return text;
}

}  // namespace hw
