#include <algorithm>
#include <numeric>

#include "core/import/tflite_rules.h"

namespace hw {
namespace {

std::optional<std::size_t> axisOf(const OpFacts& facts, std::size_t rank) {
  return normalAxis(facts.op.intAttribute("axis", 0), rank);
}

std::ptrdiff_t at(std::size_t axis) { return static_cast<std::ptrdiff_t>(axis); }

TfliteOutputs reshape(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  if (input == nullptr) return {};
  auto target =
      facts.has(1) ? integersOf(facts, 1) : std::optional(facts.op.intsAttribute("new_shape"));
  return target ? single(reshaped(*input, *target, false)) : TfliteOutputs();
}

TfliteOutputs squeeze(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  if (input == nullptr) return {};
  const auto axes = facts.op.intsAttribute("squeeze_dims");
  std::vector<bool> gone(input->size());
  for (std::size_t axis = 0; axis < input->size(); ++axis) {
    gone[axis] = axes.empty() && (*input)[axis] == 1;
  }
  for (const std::int64_t axis : axes) {
    const auto normal = normalAxis(axis, input->size());
    if (!normal || (*input)[*normal] != 1) return {};
    gone[*normal] = true;
  }
  Shape shape;
  for (std::size_t axis = 0; axis < input->size(); ++axis) {
    if (!gone[axis]) shape.push_back((*input)[axis]);
  }
  return single(std::move(shape));
}

TfliteOutputs expandDims(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const SmallValue* value = facts.value(1);
  const auto axis = value != nullptr ? value->single() : std::nullopt;
  if (input == nullptr || !axis) return {};
  const auto normal = normalAxis(*axis, input->size() + 1);
  if (!normal) return {};
  Shape shape = *input;
  shape.insert(shape.begin() + at(*normal), 1);
  return single(std::move(shape));
}

TfliteOutputs transpose(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const auto order = integersOf(facts, 1);
  if (input == nullptr || !order || order->size() != input->size()) return {};
  Shape shape;
  for (const std::int64_t axis : *order) {
    const auto normal = normalAxis(axis, input->size());
    if (!normal) return {};
    shape.push_back((*input)[*normal]);
  }
  return single(std::move(shape));
}

TfliteOutputs concat(const OpFacts& facts) {
  if (facts.shape(0) == nullptr) return {};
  Shape shape = *facts.shape(0);
  const auto axis = axisOf(facts, shape.size());
  if (!axis) return {};
  for (std::size_t i = 1; i < facts.inputs.size(); ++i) {
    const Shape* next = facts.shape(i);
    if (next == nullptr || next->size() != shape.size()) return {};
    const auto sum = checkedAdd(shape[*axis], (*next)[*axis]);
    if (!sum) return {};
    shape[*axis] = *sum;
  }
  return single(std::move(shape));
}

TfliteOutputs pack(const OpFacts& facts) {
  if (facts.shape(0) == nullptr) return {};
  Shape shape = *facts.shape(0);
  const auto axis = axisOf(facts, shape.size() + 1);
  if (!axis) return {};
  shape.insert(shape.begin() + at(*axis), static_cast<std::int64_t>(facts.inputs.size()));
  return single(std::move(shape));
}

TfliteOutputs unpack(const OpFacts& facts) {
  if (facts.shape(0) == nullptr) return {};
  Shape shape = *facts.shape(0);
  const auto axis = axisOf(facts, shape.size());
  if (!axis) return {};
  shape.erase(shape.begin() + at(*axis));
  return TfliteOutputs(facts.outputCount, shape);
}

/// Inputs: axis, data.
TfliteOutputs split(const OpFacts& facts) {
  const Shape* input = facts.shape(1);
  const SmallValue* value = facts.value(0);
  const auto axis = value != nullptr ? value->single() : std::nullopt;
  const auto parts = static_cast<std::int64_t>(facts.outputCount);
  if (input == nullptr || !axis || parts == 0) return {};
  const auto normal = normalAxis(*axis, input->size());
  if (!normal || (*input)[*normal] % parts != 0) return {};
  Shape shape = *input;
  shape[*normal] /= parts;
  return TfliteOutputs(facts.outputCount, shape);
}

/// Inputs: data, sizes, axis. One size may be -1: the rest.
TfliteOutputs splitV(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  auto sizes = integersOf(facts, 1);
  const SmallValue* value = facts.value(2);
  const auto axis = value != nullptr ? value->single() : std::nullopt;
  if (input == nullptr || !sizes || !axis || sizes->size() != facts.outputCount) return {};
  const auto normal = normalAxis(*axis, input->size());
  if (!normal) return {};
  std::int64_t rest = (*input)[*normal];
  for (const std::int64_t size : *sizes) {
    if (size > rest) return {};
    if (size > 0) rest -= size;
  }
  TfliteOutputs outputs;
  for (const std::int64_t size : *sizes) {
    Shape shape = *input;
    shape[*normal] = size < 0 ? rest : size;
    outputs.emplace_back(std::move(shape));
  }
  return outputs;
}

/// Inputs: data, begin, size; a size of -1 reaches to the end.
TfliteOutputs slice(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const auto begin = integersOf(facts, 1);
  const auto size = integersOf(facts, 2);
  if (input == nullptr || !begin || !size || begin->size() != input->size() ||
      size->size() != input->size()) {
    return {};
  }
  Shape shape;
  for (std::size_t axis = 0; axis < input->size(); ++axis) {
    const std::int64_t first = (*begin)[axis];
    if (first < 0 || first > (*input)[axis]) return {};
    const std::int64_t most = (*input)[axis] - first;
    shape.push_back((*size)[axis] < 0 ? most : std::min((*size)[axis], most));
  }
  return single(std::move(shape));
}

TfliteOutputs stridedSlice(const OpFacts& facts) {
  auto cut = stridedCut(facts);
  return cut ? single(std::move(cut->shape)) : TfliteOutputs();
}

TfliteOutputs gather(const OpFacts& facts) {
  const Shape* data = facts.shape(0);
  const Shape* indices = facts.shape(1);
  if (data == nullptr || indices == nullptr) return {};
  const auto axis = axisOf(facts, data->size());
  const auto shared = normalAxis(facts.op.intAttribute("batch_dims", 0), indices->size() + 1);
  if (!axis || !shared || *shared > *axis) return {};
  Shape shape(data->begin(), data->begin() + at(*axis));
  shape.insert(shape.end(), indices->begin() + at(*shared), indices->end());
  shape.insert(shape.end(), data->begin() + at(*axis) + 1, data->end());
  return single(std::move(shape));
}

TfliteOutputs gatherNd(const OpFacts& facts) {
  const Shape* data = facts.shape(0);
  const Shape* indices = facts.shape(1);
  if (data == nullptr || indices == nullptr || indices->empty()) return {};
  const std::int64_t depth = indices->back();
  if (depth < 0 || depth > static_cast<std::int64_t>(data->size())) return {};
  Shape shape(indices->begin(), indices->end() - 1);
  shape.insert(shape.end(), data->begin() + depth, data->end());
  return single(std::move(shape));
}

/// Inputs: ids, table.
TfliteOutputs embeddingLookup(const OpFacts& facts) {
  const Shape* ids = facts.shape(0);
  const Shape* table = facts.shape(1);
  if (ids == nullptr || table == nullptr || ids->size() != 1 || table->empty()) return {};
  Shape shape = *table;
  shape[0] = (*ids)[0];
  return single(std::move(shape));
}

TfliteOutputs pad(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const auto edges = integersOf(facts, 1);
  if (input == nullptr || !edges || edges->size() != 2 * input->size()) return {};
  Shape shape = *input;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const auto both = checkedAdd((*edges)[2 * axis], (*edges)[2 * axis + 1]);
    const auto padded = both ? checkedAdd(shape[axis], *both) : std::nullopt;
    if (!padded) return {};
    shape[axis] = *padded;
  }
  return single(std::move(shape));
}

TfliteOutputs tile(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const auto times = integersOf(facts, 1);
  if (input == nullptr || !times || times->size() != input->size()) return {};
  Shape shape = *input;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const auto repeated = checkedMul(shape[axis], (*times)[axis]);
    if (!repeated) return {};
    shape[axis] = *repeated;
  }
  return single(std::move(shape));
}

TfliteOutputs broadcastTo(const OpFacts& facts) { return single(integersOf(facts, 1)); }
TfliteOutputs fill(const OpFacts& facts) { return single(integersOf(facts, 0)); }
TfliteOutputs scatterNd(const OpFacts& facts) { return single(integersOf(facts, 2)); }
TfliteOutputs sparseToDense(const OpFacts& facts) { return single(integersOf(facts, 1)); }
TfliteOutputs scalar(const OpFacts&) { return single(Shape()); }

TfliteOutputs shapeOf(const OpFacts& facts) {
  if (facts.shape(0) == nullptr) return {};
  return single(Shape{static_cast<std::int64_t>(facts.shape(0)->size())});
}

TfliteOutputs oneHot(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const SmallValue* value = facts.value(1);
  const auto depth = value != nullptr ? value->single() : std::nullopt;
  if (input == nullptr || !depth) return {};
  const auto axis = axisOf(facts, input->size() + 1);
  if (!axis) return {};
  Shape shape = *input;
  shape.insert(shape.begin() + at(*axis), *depth);
  return single(std::move(shape));
}

TfliteOutputs matrixDiagonal(const OpFacts& facts) {
  if (facts.shape(0) == nullptr || facts.shape(0)->empty()) return {};
  Shape shape = *facts.shape(0);
  shape.push_back(shape.back());
  return single(std::move(shape));
}

constexpr TfliteRule kRules[] = {
    {"BROADCAST_TO", broadcastTo},
    {"CONCATENATION", concat},
    {"EMBEDDING_LOOKUP", embeddingLookup},
    {"EXPAND_DIMS", expandDims},
    {"FILL", fill},
    {"GATHER", gather},
    {"GATHER_ND", gatherNd},
    {"MATRIX_DIAG", matrixDiagonal},
    {"MIRROR_PAD", pad},
    {"ONE_HOT", oneHot},
    {"PACK", pack},
    {"PAD", pad},
    {"PADV2", pad},
    {"RANK", scalar},
    {"RESHAPE", reshape},
    {"SCATTER_ND", scatterNd},
    {"SHAPE", shapeOf},
    {"SLICE", slice},
    {"SPARSE_TO_DENSE", sparseToDense},
    {"SPLIT", split},
    {"SPLIT_V", splitV},
    {"SQUEEZE", squeeze},
    {"STRIDED_SLICE", stridedSlice},
    {"TILE", tile},
    {"TRANSPOSE", transpose},
    {"UNPACK", unpack},
};

}  // namespace

std::span<const TfliteRule> tfliteLayoutRules() { return kRules; }

}  // namespace hw
