#include "core/layout/relayer.h"

#include <algorithm>

#include "core/layout/axis_use.h"
#include "core/ops/op_facts.h"
#include "core/ops/op_table.h"

namespace hw {
namespace {

constexpr std::size_t kImageRank = 4;

/// The attribute `name`, an axis, where it is held.
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

}  // namespace

Relayer::Relayer(std::shared_ptr<const Graph> graph)
    : graph_(*graph), regions_(graph_), held_(std::move(graph)) {}

Result<Relaid> Relayer::run() && {
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

const Shape* Relayer::operandShape(const Op& op, std::size_t input) const {
  if (input >= op.inputs.size() || !op.inputs[input]) return nullptr;
  const auto& shape = graph_.tensors[op.inputs[input]].shape;
  return shape ? &*shape : nullptr;
}

/// Images of a region channels last, all else as given.
AxisOrder Relayer::wanted(TensorId id) const {
  const auto& shape = graph_.tensors[id].shape;
  const std::size_t rank = shape ? shape->size() : 0;
  return regions_.contains(id) ? channelsLastOrder(rank) : asGiven(rank);
}

/// How an op takes what it works on: as all else of its region, or as it comes.
AxisOrder Relayer::orderFor(TensorId id) const {
  return regions_.contains(id) ? wanted(id) : held_.orderOf(id);
}

/// How several tensors with as many axes as the output are taken; as given where they differ.
AxisOrder Relayer::common(const std::vector<TensorId>& ids, TensorId out) const {
  if (regions_.contains(out)) return wanted(out);
  std::optional<AxisOrder> order;
  for (const TensorId id : ids) {
    if (!hasAxes(graph_, id) || rankOf(id) != rankOf(out)) continue;
    if (order && *order != held_.orderOf(id)) return asGiven(rankOf(out));
    order = held_.orderOf(id);
  }
  return order.value_or(asGiven(rankOf(out)));
}

void Relayer::carry(OpId id) {
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
void Relayer::keep(OpId id) {
  const Op& op = graph_.ops[id];
  Parts parts = with(id, {}, {});
  for (const TensorId in : op.captures) parts.captures.push_back(held_.takeGiven(in));
  for (const TensorId out : op.outputs) {
    parts.outputs.push_back(out ? held_.makeGiven(out) : GraphBuilder::kAbsent);
  }
  held_.addOp(id, std::move(parts));
}

/// The op with all inputs as given but for those of `taken`, which it reads in that order.
Relayer::Parts Relayer::with(OpId id, const std::vector<TensorId>& taken, const AxisOrder& order) {
  Parts parts{.op = graph_.ops[id]};
  for (const TensorId in : graph_.ops[id].inputs) {
    const bool turned = std::ranges::find(taken, in) != taken.end();
    // Of what something is cast like, the type counts; of what is measured, how many there are.
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
void Relayer::addWith(OpId id, Parts parts, const AxisOrder& order) {
  for (const TensorId out : graph_.ops[id].outputs) {
    const bool same = out && rankOf(out) == order.size();
    parts.outputs.push_back(!out   ? GraphBuilder::kAbsent
                            : same ? held_.make(out, order)
                                   : held_.makeGiven(out));
  }
  held_.addOp(id, std::move(parts));
}

bool Relayer::image(OpId id) {
  const Op& op = graph_.ops[id];
  const OpInfo* info = findOp(op);
  const AxisOrder order = channelsLastOrder(kImageRank);
  if (!regions_.contains(op.outputs[0])) return false;
  std::vector<TensorId> images = {dataInput(op)};
  constexpr std::size_t kAdded = 3;  // What FusedConv adds before its activation.
  if (op.type == "FusedConv" && op.inputs.size() > kAdded && isImage(graph_, op.inputs[kAdded])) {
    images.push_back(op.inputs[kAdded]);
  }
  Parts parts = with(id, images, order);
  parts.op.attributes["channels_last"] = std::int64_t{1};
  // The weight keeps the model's shape: its kernel is where the model has it.
  if (op.intsAttribute("kernel_shape").empty() && info->kind == OpClass::product) {
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

bool Relayer::elements(OpId id) {
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

bool Relayer::first(OpId id) {
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

bool Relayer::join(OpId id) {
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

/// Every axis of the output is one of the input by itself, held in an order of its own.
bool Relayer::cutsAxes(const Op& op, const AxisOrder& order) const {
  return !isAsGiven(order) && rankOf(op.outputs[0]) == order.size();
}

bool Relayer::cut(OpId id) {
  const Op& op = graph_.ops[id];
  const AxisOrder order = orderFor(dataInput(op));
  if (!cutsAxes(op, order)) return false;
  Parts parts = with(id, {dataInput(op)}, order);
  renumberAxis(parts.op, "axis", order);
  addWith(id, std::move(parts), order);
  return true;
}

/// Operands that name axes are the runtime's to say anew, as weights are.
bool Relayer::slice(OpId id) {
  const Op& op = graph_.ops[id];
  const AxisOrder order = orderFor(dataInput(op));
  if (!cutsAxes(op, order)) return false;
  Parts parts = with(id, {dataInput(op)}, order);
  if (op.attributes.contains("starts")) {
    Axes axes = op.intsAttribute("axes");
    const std::size_t count = op.intsAttribute("starts").size();
    for (std::size_t i = axes.size(); i < count; ++i) axes.push_back(static_cast<std::int64_t>(i));
    parts.op.attributes["axes"] = heldAxes(axes, order);
  }
  addWith(id, std::move(parts), order);
  return true;
}

bool Relayer::pad(OpId id) {
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

}  // namespace hw
