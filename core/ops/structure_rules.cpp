#include <algorithm>
#include <cmath>

#include "core/ops/op_rules.h"

namespace hw::shapes {
namespace {

/// Sizes of the parts that Split makes of an axis of `size`; empty when they are not known.
std::vector<std::int64_t> partSizes(const OpFacts& facts, std::int64_t size) {
  const auto given = facts.integers(1, "split");
  const auto count = static_cast<std::int64_t>(facts.outputCount);
  if (!given || count == 0) return {};
  if (!given->empty()) {
    if (given->size() != facts.outputCount) return {};
    std::vector<std::int64_t> parts = *given;
    std::int64_t rest = size;
    for (const std::int64_t part : parts) {
      if (part < -1 || part > rest) return {};
      rest -= std::max<std::int64_t>(part, 0);
    }
    std::ranges::replace(parts, -1, rest);  // TFLite writes -1 for the rest.
    return parts;
  }
  const std::int64_t part = size / count + (size % count != 0 ? 1 : 0);
  // Since opset 18 the last part may be smaller; before, the parts had to be equal.
  const bool mayDiffer = facts.op.attributes.contains("num_outputs");
  if (size % count != 0 && !mayDiffer) return {};
  std::vector<std::int64_t> parts(facts.outputCount, part);
  parts.back() = size - part * (count - 1);
  return parts.back() < 0 ? std::vector<std::int64_t>() : parts;
}

/// Sizes times scales, in single precision as the runtimes compute them.
std::optional<Shape> scaled(const Shape& input, const std::vector<double>& scales) {
  if (scales.size() != input.size()) return std::nullopt;
  Shape shape;
  for (std::size_t i = 0; i < input.size(); ++i) {
    const float size = std::floor(static_cast<float>(input[i]) * static_cast<float>(scales[i]));
    constexpr float kMost = 1e15F;
    if (!(size >= 0 && size < kMost)) return std::nullopt;
    shape.push_back(static_cast<std::int64_t>(size));
  }
  return shape;
}

/// The sizes wanted, or the nearest ones that keep the proportions (opset 18): the least scale of
/// all axes when none may grow beyond its size, else the greatest.
std::optional<Shape> fittedTo(const Shape& input, const std::vector<std::size_t>& axes,
                              const SmallValue& sizes, const Op& op) {
  const auto policy = op.stringAttribute("keep_aspect_ratio_policy", "stretch");
  Shape shape = input;
  std::optional<double> scale;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    shape[axes[i]] = sizes.integers[i];
    if (input[axes[i]] <= 0) continue;
    const double own = static_cast<double>(sizes.integers[i]) / static_cast<double>(input[axes[i]]);
    if (!scale) scale = own;
    scale = policy == "not_larger" ? std::min(*scale, own) : std::max(*scale, own);
  }
  if (policy == "stretch") return shape;
  constexpr double kMost = 1e15;
  for (const std::size_t axis : axes) {
    const double size = std::round(scale.value_or(0) * static_cast<double>(input[axis]));
    if (!(size >= 0 && size < kMost)) return std::nullopt;
    shape[axis] = static_cast<std::int64_t>(size);
  }
  return shape;
}

}  // namespace

OutputFacts reshape(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const auto target = facts.integers(1, "shape");
  const bool hasTarget = facts.has(1) || facts.op.attributes.contains("shape");
  if (input == nullptr || !target || !hasTarget) return {};
  const bool zeroCopies = facts.op.intAttribute("allowzero", 0) == 0;
  return maybe(facts.dtype(0), reshaped(*input, *target, zeroCopies));
}

OutputFacts flatten(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  if (input == nullptr) return {};
  const auto rank = static_cast<std::int64_t>(input->size());
  std::int64_t axis = facts.op.intAttribute("axis", 1);
  if (axis < 0) axis += rank;
  if (axis < 0 || axis > rank) return {};
  const auto rows = elementCount({input->begin(), input->begin() + axis});
  const auto columns = elementCount({input->begin() + axis, input->end()});
  if (!rows || !columns) return {};
  return one(facts.dtype(0), {*rows, *columns});
}

OutputFacts squeeze(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const auto axes = facts.integers(1, "axes");
  if (input == nullptr || !axes) return {};
  const auto named = axisSet(*axes, input->size());
  if (!named) return {};
  Shape shape;
  for (std::size_t i = 0; i < input->size(); ++i) {
    if ((*named)[i] && (*input)[i] != 1) return {};
    if (!(*named)[i] && !(axes->empty() && (*input)[i] == 1)) shape.push_back((*input)[i]);
  }
  return one(facts.dtype(0), shape);
}

OutputFacts unsqueeze(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const auto axes = facts.integers(1, "axes");
  if (input == nullptr || !axes || axes->size() > std::size_t{1} << 16U) return {};
  const auto added = axisSet(*axes, input->size() + axes->size());
  if (!added || std::ranges::count(*added, false) != std::ssize(*input)) return {};
  Shape shape;
  auto next = input->begin();
  for (const bool isNew : *added) shape.push_back(isNew ? 1 : *next++);
  return one(facts.dtype(0), shape);
}

/// TensorFlow's form of Unsqueeze: one axis, which may be an input.
OutputFacts expandDims(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const auto given = facts.integer(1, "axis", 0);
  if (input == nullptr || !given) return {};
  const auto axis = normalAxis(*given, input->size() + 1);
  return axis ? one(facts.dtype(0), spliced(*input, *axis, 0, {1})) : OutputFacts();
}

OutputFacts transpose(const OpFacts& facts) {
  const auto order = axisOrder(facts);
  if (!order) return {};
  Shape shape;
  for (const std::size_t axis : *order) shape.push_back((*facts.shape(0))[axis]);
  return one(facts.dtype(0), shape);
}

OutputFacts expand(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const auto target = facts.integers(1, "");
  if (input == nullptr || !target || !facts.has(1)) return {};
  return maybe(facts.dtype(0), broadcast(*input, *target));
}

OutputFacts tile(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const auto repeats = facts.integers(1, "");
  constexpr std::int64_t kFirstWithRepeats = 6;
  if (input == nullptr || !repeats || facts.opset < kFirstWithRepeats) return {};
  if (repeats->size() != input->size()) return {};
  Shape shape;
  for (std::size_t i = 0; i < input->size(); ++i) {
    const auto size = checkedMul((*input)[i], (*repeats)[i]);
    if (!size || *size < 0) return {};
    shape.push_back(*size);
  }
  return one(facts.dtype(0), shape);
}

OutputFacts concat(const OpFacts& facts) {
  const Shape* first = facts.shape(0);
  if (first == nullptr) return {};
  const auto axis = facts.axis(1, first->size());
  if (!axis) return {};
  Shape shape = *first;
  for (std::size_t i = 1; i < facts.inputs.size(); ++i) {
    if (facts.shape(i) == nullptr || facts.shape(i)->size() != shape.size()) return {};
    for (std::size_t at = 0; at < shape.size(); ++at) {
      if (at != *axis && (*facts.shape(i))[at] != shape[at]) return {};
    }
    const auto sum = checkedAdd(shape[*axis], (*facts.shape(i))[*axis]);
    if (!sum) return {};
    shape[*axis] = *sum;
  }
  OutputFacts outputs = one(facts.dtype(0), shape);
  // ONNX Runtime's ConcatTraining also hands out the length of each input.
  outputs.push_back({Dtype::int64, Shape{static_cast<std::int64_t>(facts.inputs.size())}});
  return outputs;
}

/// The inputs one beside the other along a new axis.
OutputFacts stack(const OpFacts& facts) {
  const Shape* first = facts.shape(0);
  const auto axis = first != nullptr ? facts.axis(0, first->size() + 1) : std::nullopt;
  if (!axis) return {};
  const auto count = static_cast<std::int64_t>(facts.inputs.size());
  return one(facts.dtype(0), spliced(*first, *axis, 0, {count}));
}

OutputFacts unstack(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const auto axis = input != nullptr ? facts.axis(0, input->size()) : std::nullopt;
  if (!axis) return {};
  return OutputFacts(facts.outputCount, {facts.dtype(0), spliced(*input, *axis, 1, {})});
}

OutputFacts split(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  if (input == nullptr) return {};
  const auto axis = facts.axis(0, input->size());
  if (!axis) return {};
  OutputFacts outputs;
  for (const std::int64_t part : partSizes(facts, (*input)[*axis])) {
    outputs.push_back({facts.dtype(0), *input});
    (*outputs.back().shape)[*axis] = part;
  }
  return outputs;
}

OutputFacts slice(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const auto ranges = input != nullptr ? sliceRanges(facts, *input) : std::nullopt;
  // TFLite's form also drops axes it cuts down to one element, and adds new ones.
  const auto dropped = input != nullptr
                           ? axisSet(facts.op.intsAttribute("dropped_axes"), input->size())
                           : std::nullopt;
  if (!ranges || !dropped) return {};
  Shape shape;
  for (std::size_t axis = 0; axis < ranges->size(); ++axis) {
    const std::int64_t count = (*ranges)[axis].count;
    if ((*dropped)[axis] && count != 1) return {};
    if (!(*dropped)[axis]) shape.push_back(count);
  }
  for (const std::int64_t given : facts.op.intsAttribute("added_axes")) {
    const auto axis = normalAxis(given, shape.size() + 1);
    if (!axis) return {};
    shape = spliced(shape, *axis, 0, {1});
  }
  return one(facts.dtype(0), shape);
}

OutputFacts gather(const OpFacts& facts) {
  const Shape* data = facts.shape(0);
  const Shape* indices = facts.shape(1);
  if (data == nullptr || indices == nullptr) return {};
  const auto axis = facts.axis(0, data->size());
  // TFLite's form: the first axes of the indices go along with those of the data.
  const auto shared = normalAxis(facts.op.intAttribute("batch_dims", 0), indices->size() + 1);
  if (!axis || !shared || *shared > *axis) return {};
  const auto from = indices->begin() + static_cast<std::ptrdiff_t>(*shared);
  return one(facts.dtype(0), spliced(*data, *axis, 1, {from, indices->end()}));
}

/// As many elements as there are indices.
OutputFacts gatherElements(const OpFacts& facts) {
  if (facts.shape(1) == nullptr) return {};
  return one(facts.dtype(0), *facts.shape(1));
}

OutputFacts pad(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const bool isOld = facts.op.attributes.contains("paddings");  // Opset 1.
  const auto pads = facts.integers(1, isOld ? "paddings" : "pads");
  if (input == nullptr || !pads) return {};
  const auto axes = facts.integers(3, "", firstIntegers(input->size()));
  if (!axes || pads->size() != 2 * axes->size()) return {};
  Shape shape = *input;
  for (std::size_t i = 0; i < axes->size(); ++i) {
    const auto axis = normalAxis((*axes)[i], input->size());
    if (!axis) return {};
    const auto both = checkedAdd((*pads)[i], (*pads)[i + axes->size()]);
    const auto size = both ? checkedAdd(shape[*axis], *both) : std::nullopt;
    if (!size || *size < 0) return {};
    shape[*axis] = *size;
  }
  return one(facts.dtype(0), shape);
}

OutputFacts range(const OpFacts& facts) {
  const SmallValue* start = facts.value(0);
  const SmallValue* limit = facts.value(1);
  const SmallValue single{.integers = {1}};  // ONNX Runtime's own form may do without the last.
  const SmallValue* delta = facts.has(2) ? facts.value(2) : &single;
  if (!start || !limit || !delta || start->size() != 1 || limit->size() != 1 ||
      delta->size() != 1) {
    return {};
  }
  const double step = delta->real(0);
  if (step == 0) return {};
  const double count = std::ceil((limit->real(0) - start->real(0)) / step);
  constexpr double kMost = 1e15;  // Doubles hold all integers up to 2^53.
  if (!(count < kMost)) return {};
  return one(start->dtype, {count > 0 ? static_cast<std::int64_t>(count) : 0});
}

/// As an input says: the first, once importers have put the others away.
OutputFacts shapeGiven(const OpFacts& facts) {
  const auto target = facts.integers(0, "");
  if (!target || !facts.has(0)) return {};
  const Dtype dtype =
      facts.tensorAttribute != nullptr ? facts.tensorAttribute->dtype : Dtype::float32;
  return one(dtype, *target);
}

OutputFacts oneHot(const OpFacts& facts) {
  const Shape* indices = facts.shape(0);
  const SmallValue* depth = facts.value(1);
  if (indices == nullptr || depth == nullptr || depth->size() != 1) return {};
  const auto axis = facts.axis(-1, indices->size() + 1);
  constexpr double kMost = 1e15;
  if (!axis || !(depth->real(0) >= 0 && depth->real(0) < kMost)) return {};
  return one(facts.dtype(2),
             spliced(*indices, *axis, 0, {static_cast<std::int64_t>(depth->real(0))}));
}

OutputFacts upsample(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  if (input == nullptr) return {};
  if (facts.value(1) != nullptr)
    return maybe(facts.dtype(0), scaled(*input, facts.value(1)->reals));
  const auto found = facts.op.attributes.find("scales");
  if (facts.has(1) || found == facts.op.attributes.end()) return {};
  const auto* scales = std::get_if<std::vector<double>>(&found->second);
  return scales != nullptr ? maybe(facts.dtype(0), scaled(*input, *scales)) : OutputFacts();
}

OutputFacts resize(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  constexpr std::int64_t kFirstWithSizes = 11;
  if (facts.opset < kFirstWithSizes) return upsample(facts);
  if (input == nullptr) return {};
  auto given = facts.op.intsAttribute("axes");
  if (given.empty()) given = firstIntegers(input->size());
  std::vector<std::size_t> axes;
  for (const std::int64_t one : given) {
    const auto axis = normalAxis(one, input->size());
    if (!axis) return {};
    axes.push_back(*axis);
  }
  if (facts.has(3) && !(facts.value(3) && facts.value(3)->size() == 0)) {
    const SmallValue* sizes = facts.value(3);
    if (sizes == nullptr || sizes->isReal() || sizes->size() != axes.size()) return {};
    return maybe(facts.dtype(0), fittedTo(*input, axes, *sizes, facts.op));
  }
  const SmallValue* scales = facts.value(2);
  if (scales == nullptr || scales->size() != axes.size()) return {};
  std::vector<double> all(input->size(), 1.0);
  for (std::size_t i = 0; i < axes.size(); ++i) all[axes[i]] = scales->real(i);
  return maybe(facts.dtype(0), scaled(*input, all));
}

}  // namespace hw::shapes
