#include "core/import/onnx_schema.h"

#include <onnx/defs/schema.h>

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "core/base/quantity.h"
#include "core/base/text.h"
#include "core/import/onnx_values.h"

namespace hw {
namespace {

/// Answers libonnx's questions about one node.
class NodeContext final : public onnx::InferenceContext {
 public:
  NodeContext(const SchemaQuery& query, int required)
      : query_(query),
        required_(static_cast<std::size_t>(std::max(required, 0))),
        outputs_(static_cast<std::size_t>(query.node.output_size())) {
    for (const SmallValue* value : query.values) {
      data_.push_back(value != nullptr ? tensorProto(*value) : std::nullopt);
    }
  }

  const onnx::AttributeProto* getAttribute(const std::string& name) const override {
    const auto& attributes = query_.node.attribute();
    const auto found = std::ranges::find(attributes, name, &onnx::AttributeProto::name);
    return found == attributes.end() ? nullptr : &*found;
  }
  std::size_t getNumInputs() const override { return query_.types.size(); }
  /// Never null for an input that is there: many rules of libonnx look at it unasked, and would end
  /// the program where its type is not known.
  const onnx::TypeProto* getInputType(std::size_t index) const override {
    const onnx::TypeProto* known = query_.types.at(index);
    const bool isAbsent = query_.node.input(static_cast<int>(index)).empty();
    return known != nullptr || (isAbsent && index >= required_) ? known : &nothing_;
  }
  const onnx::TensorProto* getInputData(std::size_t index) const override {
    const auto& data = data_.at(index);
    return data ? &*data : nullptr;
  }
  std::size_t getNumOutputs() const override { return outputs_.size(); }
  onnx::TypeProto* getOutputType(std::size_t index) override { return &outputs_.at(index); }
  onnx::GraphInferencer* getGraphAttributeInferencer(const std::string&) override {
    throw std::logic_error("graphs are inferred by their own rules");
  }
  const onnx::SparseTensorProto* getInputSparseData(std::size_t) const override { return nullptr; }
  const onnx::TensorShapeProto* getSymbolicInput(std::size_t) const override { return nullptr; }

  std::vector<onnx::TypeProto> takeOutputs() { return std::move(outputs_); }

 private:
  const SchemaQuery& query_;
  std::size_t required_;  ///< Inputs from here on may be absent.
  onnx::TypeProto nothing_;
  std::vector<std::optional<onnx::TensorProto>> data_;
  std::vector<onnx::TypeProto> outputs_;
};

/// Attributes that libonnx divides by: zero would end the program.
bool isDivisor(std::string_view name) {
  constexpr std::array kNames = {"strides",   "dilations",    "group",
                                 "blocksize", "kernel_shape", "num_outputs"};
  return std::ranges::find(kNames, name) != kNames.end();
}

bool isReasonable(const onnx::AttributeProto& attribute) {
  // Beyond this, sums of a few attributes and a dimension might leave 64 bits. Ends of slices are
  // clamped by our own rule and never come here.
  constexpr std::int64_t kMost = std::int64_t{1} << 32U;
  const auto fits = [&](std::int64_t number) {
    return number >= (isDivisor(attribute.name()) ? 1 : -kMost) && number <= kMost;
  };
  return (!attribute.has_i() || fits(attribute.i())) &&
         std::ranges::all_of(attribute.ints(), fits) && !attribute.has_g() &&
         attribute.graphs_size() == 0;
}

/// Windows that slide over their input must have as many axes as it: libonnx counts on it without
/// looking.
bool hasMatchingAxes(const SchemaQuery& query) {
  constexpr std::array kWindows = {"Conv",    "ConvInteger", "QLinearConv", "ConvTranspose",
                                   "MaxPool", "AveragePool", "LpPool",      "MaxUnpool"};
  const std::string& type = query.like.empty() ? query.node.op_type() : query.like;
  if (std::ranges::find(kWindows, type) == kWindows.end()) return true;
  const auto rankOf = [&](std::size_t input) -> std::optional<int> {
    const bool isKnown = input < query.types.size() && query.types[input] != nullptr &&
                         query.types[input]->tensor_type().has_shape();
    return isKnown ? std::optional(query.types[input]->tensor_type().shape().dim_size())
                   : std::nullopt;
  };
  const auto rank = rankOf(0);
  const bool hasWeight = type.find("Conv") != std::string::npos;
  const auto weightRank = hasWeight ? rankOf(type == "QLinearConv" ? 3 : 1) : rank;
  if (!rank || *rank < 2 || rank != weightRank) return false;
  return std::ranges::all_of(query.node.attribute(), [&](const onnx::AttributeProto& attribute) {
    constexpr std::array kLists = {"kernel_shape", "strides",        "dilations",
                                   "pads",         "output_padding", "output_shape"};
    if (std::ranges::find(kLists, attribute.name()) == kLists.end()) return true;
    const int size = attribute.ints_size();
    return size == 0 || size == (attribute.name() == "pads" ? 2 : 1) * (*rank - 2) ||
           (attribute.name() == "output_shape" && size == *rank);
  });
}

/// False for a node of a later version of its op than libonnx knows: reading it by the older
/// schema would misunderstand it.
bool fits(const onnx::OpSchema& schema, const SchemaQuery& query) {
  constexpr std::int64_t kNewestOpset = 17;  // Of ONNX 1.12.
  const onnx::NodeProto& node = query.node;
  if (node.input_size() < schema.min_input()) return false;
  const bool isOwn = query.like.empty();  // What an op adds to a standard one is not looked at.
  if ((isOwn && node.input_size() > schema.max_input()) ||
      node.output_size() > schema.max_output()) {
    return false;
  }
  return std::ranges::all_of(node.attribute(), [&](const onnx::AttributeProto& attribute) {
    const bool isKnown =
        !isOwn || query.opset <= kNewestOpset || schema.attributes().contains(attribute.name());
    return isKnown && isReasonable(attribute);
  });
}

/// Negative and absurd dimensions are as good as unknown.
void dropNonsense(onnx::TypeProto& type) {
  if (!type.has_tensor_type() || !type.tensor_type().has_shape()) return;
  for (auto& dimension : *type.mutable_tensor_type()->mutable_shape()->mutable_dim()) {
    const bool isSane = dimension.has_dim_value() && dimension.dim_value() >= 0 &&
                        dimension.dim_value() <= kMaxBytes.count();
    if (!isSane) dimension.clear_value();
  }
  const auto shape = staticShape(type);
  const auto count = shape ? elementCount(*shape) : std::nullopt;
  if (shape && (!count || *count > kMaxBytes.count())) {
    type.mutable_tensor_type()->clear_shape();
  }
}

bool hasZero(const onnx::TypeProto* type) {
  const auto shape = type != nullptr ? staticShape(*type) : std::nullopt;
  return shape && std::ranges::find(*shape, 0) != shape->end();
}

/// A window larger than its input comes out as zero places, or even negative ones cut off to zero.
/// Where no input is empty such an answer means that the op does not fit.
bool isEmptyOutOfNothing(const SchemaQuery& query, const std::vector<onnx::TypeProto>& outputs) {
  const auto isEmpty = [](const onnx::TypeProto& type) { return hasZero(&type); };
  return std::ranges::any_of(outputs, isEmpty) && std::ranges::none_of(query.types, hasZero) &&
         std::ranges::none_of(query.values, [](const SmallValue* value) {
           return value != nullptr && value->single() == 0;  // TopK of none.
         });
}

/// "[ShapeInferenceError] Incompatible dimensions" as one line without its label.
std::string firstLine(std::string text) {
  text = text.substr(0, text.find('\n'));
  if (const auto label = text.find("] "); text.starts_with('[') && label != std::string::npos) {
    text = text.substr(label + 2);
  }
  return printable(text);
}

}  // namespace

SchemaAnswer inferBySchema(const SchemaQuery& query) {
  SchemaAnswer answer;
  try {
    const int version = static_cast<int>(std::min<std::int64_t>(query.opset, 1 << 20));
    const bool isOwn = query.like.empty();
    const onnx::OpSchema* schema =
        onnx::OpSchemaRegistry::Schema(isOwn ? query.node.op_type() : query.like, version,
                                       isOwn ? normalDomain(query.node.domain()) : std::string());
    if (schema == nullptr) {  // Older than the op: its first version is the nearest.
      schema =
          onnx::OpSchemaRegistry::Schema(query.node.op_type(), normalDomain(query.node.domain()));
    }
    answer.isKnownOp = schema != nullptr;
    if (schema == nullptr || schema->deprecated() ||
        !schema->has_type_and_shape_inference_function() || !fits(*schema, query) ||
        !hasMatchingAxes(query)) {
      return answer;
    }
    NodeContext context(query, schema->min_input());
    schema->GetTypeAndShapeInferenceFunction()(context);
    answer.types = context.takeOutputs();
    std::ranges::for_each(answer.types, dropNonsense);
    if (isEmptyOutOfNothing(query, answer.types)) {
      answer.types.clear();
      answer.refusal = "its output would be empty";
    }
  } catch (const std::exception& error) {
    answer.refusal = firstLine(error.what());
  }
  return answer;
}

}  // namespace hw
