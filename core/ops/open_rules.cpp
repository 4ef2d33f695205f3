#include <algorithm>

#include "core/ops/op_rules.h"

namespace hw::bounds {
namespace {

OpenOutputs oneOpen(Dtype dtype, Shape most, std::size_t axis) {
  return {{.dtype = dtype, .most = std::move(most), .open = {axis}}};
}

/// The axes an attribute or input names; all of them when there is none, or it is not known.
std::vector<std::size_t> axesOf(const std::optional<std::vector<std::int64_t>>& given,
                                std::size_t rank) {
  std::vector<std::size_t> axes;
  if (given) {
    for (const std::int64_t number : *given) {
      const auto axis = normalAxis(number, rank);
      if (axis) axes.push_back(*axis);
    }
  }
  for (std::size_t axis = 0; axes.size() < rank && (!given || given->empty()); ++axis) {
    axes.push_back(axis);
  }
  return axes;
}

/// A picture of unknown height and width with `channels` colours.
OpenOutputs picture(std::int64_t channels) {
  return {{.dtype = Dtype::uint8, .most = {-1, -1, channels}, .open = {0, 1}}};
}

/// A dimension that an input of one number says, where that number is known.
void addCounted(OpenFacts& output, const OpFacts& facts, std::size_t input) {
  const SmallValue* value = facts.value(input);
  const auto count = value != nullptr ? value->single() : std::nullopt;
  const bool isKnown = count && *count >= 0;
  if (!isKnown) output.open.push_back(output.most.size());
  output.most.push_back(isKnown ? *count : -1);
}

}  // namespace

/// (rank, n): at most every element is not zero.
OpenOutputs nonZero(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const auto count = input != nullptr ? elementCount(*input) : std::nullopt;
  if (!count) return {};
  const auto rank = std::max<std::int64_t>(static_cast<std::int64_t>(input->size()), 1);
  return oneOpen(Dtype::int64, {rank, *count}, 1);
}

/// Slices along `axis`, or elements, where the condition holds: no more than it has elements.
OpenOutputs compress(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const Shape* condition = facts.shape(1);
  const auto count = input != nullptr ? elementCount(*input) : std::nullopt;
  if (!count || condition == nullptr || condition->size() != 1) return {};
  if (!facts.op.attributes.contains("axis")) {
    return oneOpen(facts.dtype(0), {std::min(*count, condition->front())}, 0);
  }
  const auto axis = normalAxis(facts.op.intAttribute("axis", 0), input->size());
  if (!axis) return {};
  Shape most = *input;
  most[*axis] = std::min(most[*axis], condition->front());
  return oneOpen(facts.dtype(0), most, *axis);
}

/// Distinct elements or slices, then where each first was, where each is now, and how often.
OpenOutputs unique(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const auto count = input != nullptr ? elementCount(*input) : std::nullopt;
  if (!count) return {};
  Shape most = {*count};
  std::size_t axis = 0;
  if (facts.op.attributes.contains("axis")) {
    const auto given = normalAxis(facts.op.intAttribute("axis", 0), input->size());
    if (!given) return {};
    axis = *given;
    most = *input;
  }
  const OpenFacts indices{.dtype = Dtype::int64, .most = {most[axis]}, .open = {0}};
  const OpenFacts inverse{.dtype = Dtype::int64, .most = {most[axis]}};
  return {{.dtype = facts.dtype(0), .most = most, .open = {axis}}, indices, inverse, indices};
}

/// (boxes, scores, most per class, …) -> triples of batch, class and box.
OpenOutputs nonMaxSuppression(const OpFacts& facts) {
  const Shape* boxes = facts.shape(0);
  const Shape* scores = facts.shape(1);
  if (boxes == nullptr || scores == nullptr || boxes->size() != 3 || scores->size() != 3) return {};
  std::int64_t perClass = (*boxes)[1];
  const SmallValue* limit = facts.value(2);
  if (!facts.has(2)) perClass = 0;
  if (limit != nullptr && limit->single()) {
    perClass = std::clamp<std::int64_t>(*limit->single(), 0, perClass);
  }
  const auto classes = checkedMul((*scores)[0], (*scores)[1]);
  const auto most = classes ? checkedMul(*classes, perClass) : std::nullopt;
  return most ? oneOpen(Dtype::int64, {*most, 3}, 0) : OpenOutputs();
}

/// Values and indices: no more than there are along the axis.
OpenOutputs topK(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  if (input == nullptr) return {};
  const auto axis = normalAxis(facts.op.intAttribute("axis", -1), input->size());
  if (!axis) return {};
  OpenOutputs outputs = oneOpen(facts.dtype(0), *input, *axis);
  outputs.push_back({.dtype = Dtype::int64, .most = *input, .open = {*axis}});
  return outputs;
}

OpenOutputs range(const OpFacts& facts) { return oneOpen(facts.dtype(0), {-1}, 0); }

/// No more than there is, along the axes that are cut.
OpenOutputs slice(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  if (input == nullptr) return {};
  return {{.dtype = facts.dtype(0),
           .most = *input,
           .open = axesOf(facts.integers(3, "axes"), input->size())}};
}

/// As many dimensions as before; those that are resized may become anything, and stay as they are
/// for want of better.
OpenOutputs resize(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const bool hangsOnValues =
      (facts.has(2) && facts.value(2) == nullptr) || (facts.has(3) && facts.value(3) == nullptr);
  if (input == nullptr || !hangsOnValues) return {};
  OpenFacts output{.dtype = facts.dtype(0), .most = *input};
  output.open = axesOf(facts.op.intsAttribute("axes"), input->size());
  for (const std::size_t axis : output.open)
    output.most[axis] = -std::max<std::int64_t>(1, (*input)[axis]);
  return {output};
}

OpenOutputs imageDecoder(const OpFacts& facts) {
  return picture(facts.op.stringAttribute("pixel_format", "RGB") == "Grayscale" ? 1 : 3);
}

OpenOutputs decodeImage(const OpFacts&) { return picture(3); }

/// A file in memory.
OpenOutputs encodeImage(const OpFacts&) { return oneOpen(Dtype::uint8, {-1}, 0); }

/// ONNX Runtime's search loops: (ids, longest, shortest, beams, returned, …). Up to the longest
/// allowed length, padded.
OpenOutputs beamSearch(const OpFacts& facts) {
  constexpr std::size_t kLongest = 1;
  constexpr std::size_t kReturned = 4;
  const Shape* ids = facts.shape(0);
  if (ids == nullptr || ids->empty()) return {};
  OpenFacts sequences{.dtype = Dtype::int32, .most = {ids->front()}};
  addCounted(sequences, facts, kReturned);
  OpenFacts scores{.dtype = Dtype::float32, .most = sequences.most, .open = sequences.open};
  if (facts.dtype(5) != Dtype::unknown) scores.dtype = facts.dtype(5);
  addCounted(sequences, facts, kLongest);
  return {sequences, scores};
}

OpenOutputs greedySearch(const OpFacts& facts) {
  const Shape* ids = facts.shape(0);
  if (ids == nullptr || ids->empty()) return {};
  OpenFacts sequences{.dtype = Dtype::int32, .most = {ids->front()}};
  addCounted(sequences, facts, 1);
  return {sequences};
}

}  // namespace hw::bounds
