#include "core/import/tflite_rules.h"

#include <algorithm>

namespace hw {
namespace {

/// No tensor may be larger than what the rest of the program can add up.
bool isSane(const std::optional<Shape>& shape) {
  if (!shape) return true;
  const auto count = elementCount(*shape);
  return count && *count <= kMaxBytes.count() &&
         std::ranges::none_of(*shape, [](auto size) { return size < 0; });
}

TfliteOutputs likeFirst(const OpFacts& facts) {
  return facts.shape(0) != nullptr ? single(*facts.shape(0)) : TfliteOutputs();
}

TfliteOutputs likeSecond(const OpFacts& facts) {
  return facts.shape(1) != nullptr ? single(*facts.shape(1)) : TfliteOutputs();
}

TfliteOutputs broadcastAll(const OpFacts& facts) {
  std::optional<Shape> shape = Shape();
  for (std::size_t i = 0; i < facts.inputs.size(); ++i) {
    if (facts.shape(i) == nullptr) return {};
    shape = broadcast(*shape, *facts.shape(i));
    if (!shape) return {};
  }
  return single(std::move(shape));
}

TfliteOutputs reduce(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const auto axes = integersOf(facts, 1);
  if (input == nullptr || !axes) return {};
  const bool keeps = facts.op.intAttribute("keep_dims", 0) != 0;
  std::vector<bool> gone(input->size());
  for (const std::int64_t axis : *axes) {
    const auto normal = normalAxis(axis, input->size());
    if (!normal) return {};
    gone[*normal] = true;
  }
  Shape shape;
  for (std::size_t axis = 0; axis < input->size(); ++axis) {
    if (!gone[axis]) shape.push_back((*input)[axis]);
    if (gone[axis] && keeps) shape.push_back(1);
  }
  return single(std::move(shape));
}

TfliteOutputs argReduce(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const auto axes = integersOf(facts, 1);
  if (input == nullptr || !axes || axes->size() != 1) return {};
  const auto axis = normalAxis((*axes)[0], input->size());
  if (!axis) return {};
  Shape shape = *input;
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(*axis));
  return single(std::move(shape));
}

/// Weights are (units, depth). Unless the rank is kept, the input becomes a matrix first.
TfliteOutputs fullyConnected(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const Shape* weights = facts.shape(1);
  if (input == nullptr || weights == nullptr || weights->size() != 2) return {};
  const std::int64_t depth = (*weights)[1];
  if (facts.op.intAttribute("keep_num_dims", 0) != 0) {
    if (input->empty() || input->back() != depth) return {};
    Shape shape = *input;
    shape.back() = (*weights)[0];
    return single(std::move(shape));
  }
  const auto count = elementCount(*input);
  if (!count || depth == 0 || *count % depth != 0) return {};
  return single(Shape{*count / depth, (*weights)[0]});
}

TfliteOutputs batchMatMul(const OpFacts& facts) {
  if (facts.shape(0) == nullptr || facts.shape(1) == nullptr) return {};
  Shape a = *facts.shape(0);
  Shape b = *facts.shape(1);
  if (a.size() < 2 || b.size() < 2) return {};
  if (facts.op.intAttribute("adj_x", 0) != 0) std::swap(a.back(), a[a.size() - 2]);
  if (facts.op.intAttribute("adj_y", 0) != 0) std::swap(b.back(), b[b.size() - 2]);
  if (a.back() != b[b.size() - 2]) return {};
  auto shape = broadcast({a.begin(), a.end() - 2}, {b.begin(), b.end() - 2});
  if (!shape) return {};
  shape->insert(shape->end(), {a[a.size() - 2], b.back()});
  return single(std::move(shape));
}

/// The input with its last dimension replaced by the first of a weight's: one state for each unit.
TfliteOutputs unitsOf(const OpFacts& facts, std::size_t weight) {
  const Shape* input = facts.shape(0);
  const Shape* weights = facts.shape(weight);
  if (input == nullptr || weights == nullptr || input->empty() || weights->empty()) return {};
  Shape shape = *input;
  shape.back() = (*weights)[0];
  return single(std::move(shape));
}

/// Input 4 is the input-to-output weight, 16 the projection that may follow.
TfliteOutputs lstm(const OpFacts& facts) { return unitsOf(facts, facts.has(16) ? 16 : 4); }

TfliteOutputs rnn(const OpFacts& facts) { return unitsOf(facts, 1); }

/// Filters are (units x rank, depth).
TfliteOutputs svdf(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const Shape* weights = facts.shape(1);
  const std::int64_t rank = facts.op.intAttribute("rank", 1);
  if (input == nullptr || weights == nullptr || input->empty() || weights->empty() || rank < 1) {
    return {};
  }
  return single(Shape{(*input)[0], (*weights)[0] / rank});
}

TfliteOutputs topK(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const SmallValue* k = facts.value(1);
  const auto count = k != nullptr ? k->single() : std::nullopt;
  if (input == nullptr || input->empty() || !count) return {};
  Shape shape = *input;
  shape.back() = *count;
  return {shape, shape};
}

constexpr TfliteRule kRules[] = {
    {"ABS", likeFirst},
    {"ADD", broadcastAll},
    {"ADD_N", likeFirst},
    {"ARG_MAX", argReduce},
    {"ARG_MIN", argReduce},
    {"ATAN2", broadcastAll},
    {"BATCH_MATMUL", batchMatMul},
    {"BITWISE_XOR", broadcastAll},
    {"BUCKETIZE", likeFirst},
    {"CAST", likeFirst},
    {"CEIL", likeFirst},
    {"COMPLEX_ABS", likeFirst},
    {"COS", likeFirst},
    {"CUMSUM", likeFirst},
    {"DENSIFY", likeFirst},
    {"DEQUANTIZE", likeFirst},
    {"DIV", broadcastAll},
    {"DYNAMIC_UPDATE_SLICE", likeFirst},
    {"ELU", likeFirst},
    {"EQUAL", broadcastAll},
    {"EXP", likeFirst},
    {"FAKE_QUANT", likeFirst},
    {"FLOOR", likeFirst},
    {"FLOOR_DIV", broadcastAll},
    {"FLOOR_MOD", broadcastAll},
    {"FULLY_CONNECTED", fullyConnected},
    {"GELU", likeFirst},
    {"GREATER", broadcastAll},
    {"GREATER_EQUAL", broadcastAll},
    {"HARD_SWISH", likeFirst},
    {"IMAG", likeFirst},
    {"L2_NORMALIZATION", likeFirst},
    {"LEAKY_RELU", likeFirst},
    {"LESS", broadcastAll},
    {"LESS_EQUAL", broadcastAll},
    {"LOCAL_RESPONSE_NORMALIZATION", likeFirst},
    {"LOG", likeFirst},
    {"LOGICAL_AND", broadcastAll},
    {"LOGICAL_NOT", likeFirst},
    {"LOGICAL_OR", broadcastAll},
    {"LOGISTIC", likeFirst},
    {"LOG_SOFTMAX", likeFirst},
    {"LSTM", lstm},
    {"MATRIX_SET_DIAG", likeFirst},
    {"MAXIMUM", broadcastAll},
    {"MEAN", reduce},
    {"MINIMUM", broadcastAll},
    {"MUL", broadcastAll},
    {"NEG", likeFirst},
    {"NOT_EQUAL", broadcastAll},
    {"POW", broadcastAll},
    {"PRELU", likeFirst},
    {"QUANTIZE", likeFirst},
    {"REAL", likeFirst},
    {"REDUCE_ALL", reduce},
    {"REDUCE_ANY", reduce},
    {"REDUCE_MAX", reduce},
    {"REDUCE_MIN", reduce},
    {"REDUCE_PROD", reduce},
    {"RELU", likeFirst},
    {"RELU6", likeFirst},
    {"RELU_0_TO_1", likeFirst},
    {"RELU_N1_TO_1", likeFirst},
    {"REVERSE_SEQUENCE", likeFirst},
    {"REVERSE_V2", likeFirst},
    {"RIGHT_SHIFT", broadcastAll},
    {"RNN", rnn},
    {"ROUND", likeFirst},
    {"RSQRT", likeFirst},
    {"SELECT", likeSecond},
    {"SELECT_V2", broadcastAll},
    {"SIGN", likeFirst},
    {"SIN", likeFirst},
    {"SOFTMAX", likeFirst},
    {"SQRT", likeFirst},
    {"SQUARE", likeFirst},
    {"SQUARED_DIFFERENCE", broadcastAll},
    {"SUB", broadcastAll},
    {"SUM", reduce},
    {"SVDF", svdf},
    {"TANH", likeFirst},
    {"TOPK_V2", topK},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM", lstm},
    {"UNIDIRECTIONAL_SEQUENCE_RNN", rnn},
    {"ZEROS_LIKE", likeFirst},
};

}  // namespace

std::span<const TfliteRule> tfliteElementRules() { return kRules; }

std::optional<std::vector<std::int64_t>> integersOf(const OpFacts& facts, std::size_t input) {
  const SmallValue* value = facts.value(input);
  if (value == nullptr || value->isReal()) return std::nullopt;
  return value->integers;
}

namespace {

/// The rule of an operator type; null when there is none.
const TfliteRule* findRule(std::string_view type) {
  for (const auto rules : {tfliteElementRules(), tfliteImageRules(), tfliteLayoutRules()}) {
    const auto rule = std::ranges::find(rules, type, &TfliteRule::type);
    if (rule != rules.end()) return &*rule;
  }
  return nullptr;
}

}  // namespace

bool hasTfliteRule(std::string_view type) { return findRule(type) != nullptr; }

TfliteOutputs inferTflite(const OpFacts& facts) {
  const TfliteRule* rule = findRule(facts.op.type);
  if (rule == nullptr) return {};
  TfliteOutputs outputs = rule->infer(facts);
  return std::ranges::all_of(outputs, isSane) ? outputs : TfliteOutputs();
}

}  // namespace hw
