#include <algorithm>

#include "core/layout/axis_use.h"
#include "core/layout/relayer.h"
#include "core/ops/op_facts.h"
#include "core/ops/op_table.h"

// What changes how many axes there are, or where they are.

namespace hw {
namespace {

/// Views and picks behind a Transpose that are looked through for an image.
constexpr int kLookAhead = 4;

/// `order` without the axes that go.
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

}  // namespace

bool Relayer::pick(OpId id) {
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

/// Which axes an op folds; nothing where nobody can tell.
std::optional<std::vector<bool>> Relayer::foldedAxes(const Op& op) const {
  const Shape& in = shapeOf(op.inputs[0]);
  const Shape& out = shapeOf(op.outputs[0]);
  if (op.type.starts_with("Arg")) return axisSet({op.intAttribute("axis", 0)}, in.size());
  if (op.attributes.contains("axes")) return axisSet(op.intsAttribute("axes"), in.size());
  if (in.size() != out.size()) return std::nullopt;
  std::vector<bool> folded(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) folded[i] = in[i] != out[i];
  return folded;
}

bool Relayer::fold(OpId id) {
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

/// The axes that belong together have to be the last ones there, too, whether these are all from
/// `axis` on, as opsets before 13 have it, or that one alone.
bool Relayer::row(OpId id) {
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

bool Relayer::transpose(OpId id) {
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
  // An input that is handed out under another name would be both.
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

/// How a Transpose leaves its output: as wanted; or, where that is no image itself, but becomes one
/// by views, so that these need not move it.
AxisOrder Relayer::aimOf(TensorId out, const AxisOrder& from) const {
  const AxisOrder order = wanted(out);
  const bool other = isAsGiven(order) && !isAsGiven(from) && from.size() == order.size();
  return other && !leadsToImage(out, order, 0) && leadsToImage(out, from, 0) ? from : order;
}

bool Relayer::leadsToImage(TensorId id, const AxisOrder& order, int depth) const {
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

bool Relayer::view(OpId id) {
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
  // Which axes come or go is not as the model says it: shapes tell.
  parts.op.type = "Reshape";
  parts.op.domain.clear();
  parts.op.attributes.clear();
  addWith(id, std::move(parts), order);
  return true;
}

}  // namespace hw
