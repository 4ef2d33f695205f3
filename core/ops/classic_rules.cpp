#include <algorithm>

#include "core/ops/op_rules.h"

namespace hw::shapes {
namespace {

/// Inputs are (N, C), or (C) for one sample.
std::optional<std::int64_t> sampleCount(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  if (input == nullptr || input->empty() || input->size() > 2) return std::nullopt;
  return input->size() == 2 ? input->front() : 1;
}

std::size_t listLength(const OpFacts& facts, const char* name) {
  const auto found = facts.op.attributes.find(name);
  if (found == facts.op.attributes.end()) return 0;
  if (const auto* ints = std::get_if<std::vector<std::int64_t>>(&found->second)) {
    return ints->size();
  }
  if (const auto* reals = std::get_if<std::vector<double>>(&found->second)) return reals->size();
  const auto* texts = std::get_if<std::vector<std::string>>(&found->second);
  return texts != nullptr ? texts->size() : 0;
}

}  // namespace

/// As many labels as elements; their type is that of the values the op lists.
OutputFacts labelEncoder(const OpFacts& facts) {
  OutputFacts outputs = like(facts, 0);
  if (outputs.empty()) return outputs;
  const auto has = [&](const char* name) { return facts.op.attributes.contains(name); };
  Dtype dtype = facts.dtype(0) == Dtype::string ? Dtype::int64 : Dtype::string;
  if (has("values_strings")) dtype = Dtype::string;
  if (has("values_int64s")) dtype = Dtype::int64;
  if (has("values_floats")) dtype = Dtype::float32;
  // Importers leave the element type of a tensor among the attributes.
  const Dtype listed = dtypeOfElement(facts.op.intAttribute("values_tensor", 0));
  if (listed != Dtype::unknown) dtype = listed;
  outputs[0].dtype = dtype;
  return outputs;
}

/// One row a sample, one column a target.
OutputFacts regressor(const OpFacts& facts) {
  const auto samples = sampleCount(facts);
  if (!samples) return {};
  const std::int64_t targets =
      facts.op.intAttribute("n_targets", facts.op.intAttribute("targets", 1));
  return one(Dtype::float32, {*samples, std::max<std::int64_t>(targets, 1)});
}

/// A label a sample, and a score for each class.
OutputFacts classifier(const OpFacts& facts) {
  const auto samples = sampleCount(facts);
  if (!samples) return {};
  std::size_t classes = 0;
  bool isText = false;
  for (const char* name : {"classlabels_strings", "classlabels_ints", "classlabels_int64s"}) {
    if (const std::size_t count = listLength(facts, name); count > 0) {
      classes = count;
      isText = std::string_view(name).ends_with("strings");
    }
  }
  OutputFacts outputs = {{isText ? Dtype::string : Dtype::int64, Shape{*samples}}};
  if (classes > 0) {
    outputs.push_back({Dtype::float32, Shape{*samples, static_cast<std::int64_t>(classes)}});
  }
  return outputs;
}

/// TreeEnsemble: as regressors, with the type of its input.
OutputFacts treeEnsemble(const OpFacts& facts) { return retyped(regressor(facts), facts.dtype(0)); }

/// All inputs side by side.
OutputFacts featureVectorizer(const OpFacts& facts) {
  const auto samples = sampleCount(facts);
  if (!samples) return {};
  std::int64_t width = 0;
  for (const std::int64_t part : facts.op.intsAttribute("inputdimensions")) {
    const auto sum = checkedAdd(width, part);
    if (!sum || part < 0) return {};
    width = *sum;
  }
  return one(Dtype::float32, {*samples, width});
}

OutputFacts oneHotEncoder(const OpFacts& facts) {
  OutputFacts outputs = like(facts, 0);
  const std::size_t categories =
      std::max(listLength(facts, "cats_int64s"), listLength(facts, "cats_strings"));
  if (outputs.empty() || categories == 0) return {};
  outputs[0].dtype = Dtype::float32;
  outputs[0].shape->push_back(static_cast<std::int64_t>(categories));
  return outputs;
}

/// The columns that the indices name.
OutputFacts arrayFeatureExtractor(const OpFacts& facts) {
  OutputFacts outputs = like(facts, 0);
  const auto count = facts.shape(1) != nullptr ? elementCount(*facts.shape(1)) : std::nullopt;
  if (outputs.empty() || !count || outputs[0].shape->empty()) return {};
  Shape& shape = *outputs[0].shape;
  if (shape.size() == 1) shape.insert(shape.begin(), 1);
  shape.back() = *count;
  return outputs;
}

}  // namespace hw::shapes
