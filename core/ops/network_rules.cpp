#include <algorithm>

#include "core/ops/op_rules.h"

namespace hw::shapes {
namespace {

/// A positive number of heads; 0 when it is missing or absurd.
std::int64_t headCount(const OpFacts& facts, const char* name) {
  constexpr std::int64_t kMost = std::int64_t{1} << 20U;
  const std::int64_t count = facts.op.intAttribute(name, 0);
  return count < 0 || count > kMost ? 0 : count;
}

/// (batch, heads, length, width per head) of an operand that may be (batch, length, width).
std::optional<Shape> perHead(const Shape* shape, std::int64_t heads) {
  if (shape == nullptr || (shape->size() != 3 && shape->size() != 4)) return std::nullopt;
  if (shape->size() == 4) return *shape;
  if (heads <= 0) return std::nullopt;
  return Shape{(*shape)[0], heads, (*shape)[1], (*shape)[2] / heads};
}

}  // namespace

/// The output, then mean and inverse deviation with the normalised axes folded to one.
OutputFacts layerNormalization(const OpFacts& facts) {
  constexpr std::int64_t kFirstStandard = 17;  // Before, ONNX Runtime's own: typed by its scale.
  const bool isStandard = facts.op.domain.empty() && facts.opset >= kFirstStandard &&
                          facts.op.type == "LayerNormalization";
  const bool byScale = !isStandard && facts.dtype(1) != Dtype::unknown;
  OutputFacts outputs = retyped(like(facts, 0), facts.dtype(byScale ? 1 : 0));
  if (outputs.empty() || facts.outputCount < 2) return outputs;
  const auto axis = facts.axis(-1, outputs[0].shape->size());
  if (!axis) return outputs;
  Shape folded = *outputs[0].shape;
  std::fill(folded.begin() + static_cast<std::ptrdiff_t>(*axis), folded.end(), 1);
  outputs.resize(facts.outputCount, {Dtype::float32, folded});
  return outputs;
}

/// Only the normalised sum (0) and the sum itself (3) are like the input; statistics are optional.
OutputFacts skipNormalization(const OpFacts& facts) {
  OutputFacts outputs = like(facts, 0);
  if (outputs.empty() || facts.outputCount < 4) return outputs;
  outputs.resize(4);
  outputs[3] = outputs[0];
  return outputs;
}

/// (ids, segments, word table, …) -> (embedding, mask index, sum).
OutputFacts embedNormalization(const OpFacts& facts) {
  const Shape* ids = facts.shape(0);
  const Shape* table = facts.shape(2);
  if (ids == nullptr || table == nullptr || ids->size() != 2 || table->size() != 2) return {};
  const TensorFacts embedding{facts.dtype(2), Shape{(*ids)[0], (*ids)[1], (*table)[1]}};
  return {embedding, {Dtype::int32, Shape{(*ids)[0]}}, embedding};
}

OutputFacts fusedMatMul(const OpFacts& facts) {
  if (facts.shape(0) == nullptr || facts.shape(1) == nullptr) return {};
  Shape a = *facts.shape(0);
  Shape b = *facts.shape(1);
  if (facts.op.intAttribute("transBatchA", 0) != 0 ||
      facts.op.intAttribute("transBatchB", 0) != 0) {
    return {};
  }
  const auto turn = [](Shape& shape) {
    if (shape.size() > 1) std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  };
  if (facts.op.intAttribute("transA", 0) != 0) turn(a);
  if (facts.op.intAttribute("transB", 0) != 0) turn(b);
  return maybe(facts.dtype(0), matrixProduct(a, b));
}

OutputFacts gemm(const OpFacts& facts) {
  if (facts.shape(0) == nullptr || facts.shape(1) == nullptr) return {};
  if (facts.shape(0)->size() != 2 || facts.shape(1)->size() != 2) return {};
  return fusedMatMul(facts);
}

/// The second operand is packed by blocks: only the attribute N tells its width.
OutputFacts packedMatMul(const OpFacts& facts) {
  OutputFacts outputs = like(facts, 0);
  const std::int64_t width = facts.op.intAttribute("N", -1);
  if (outputs.empty() || outputs[0].shape->empty() || width < 0) return {};
  outputs[0].shape->back() = width;
  return outputs;
}

/// Integers in, real numbers out, with the type of the scale in input 2.
OutputFacts matMulToFloat(const OpFacts& facts) {
  return retyped(fusedMatMul(facts), facts.dtype(2));
}

/// ONNX Runtime's Attention: (input, packed weights, bias, mask, past) -> (output, present).
OutputFacts attention(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const Shape* weights = facts.shape(1);
  if (input == nullptr || input->size() != 3) return {};
  const auto sizes = facts.op.intsAttribute("qkv_hidden_sizes");
  const bool packed = weights != nullptr && weights->size() == 2;
  if (sizes.size() != 3 && !packed) return {};
  const std::int64_t hidden = sizes.size() == 3 ? sizes[2] : weights->back() / 3;
  OutputFacts outputs = one(facts.dtype(0), {(*input)[0], (*input)[1], hidden});
  const std::int64_t heads = headCount(facts, "num_heads");
  if (heads <= 0 || facts.outputCount < 2) return outputs;
  const Shape* past = facts.shape(4);
  if (facts.has(4) && (past == nullptr || past->size() != 5)) return outputs;
  const auto total = checkedAdd((*input)[1], past != nullptr ? (*past)[3] : 0);
  if (total) {
    outputs.push_back({facts.dtype(0), Shape{2, (*input)[0], heads, *total, hidden / heads}});
  }
  return outputs;
}

/// (query, key, value, …, past key, past value) -> (output, present key, present value).
OutputFacts multiHeadAttention(const OpFacts& facts) {
  const Shape* query = facts.shape(0);
  const Shape* key = facts.shape(1);
  const Shape* value = facts.shape(2);
  const std::int64_t heads = headCount(facts, "num_heads");
  if (query == nullptr || query->size() != 3 || value == nullptr || heads <= 0) return {};
  const bool isFlat = value->size() == 3;
  if (!isFlat && value->size() != 4) return {};
  const auto width = isFlat ? (*value)[2] : checkedMul((*value)[1], (*value)[3]);
  if (!width) return {};
  OutputFacts outputs = one(facts.dtype(0), {(*query)[0], (*query)[1], *width});
  if (facts.outputCount < 2 || key == nullptr) return outputs;
  const Shape* past = facts.shape(6);
  if (facts.has(6) && (past == nullptr || past->size() != 4)) return outputs;
  const auto present = [&](const Shape& added) {
    if (added.size() == 4) return added;
    return Shape{added[0], heads, added[1] + (past != nullptr ? (*past)[2] : 0), added[2] / heads};
  };
  if (key->size() < 3) return outputs;
  outputs.push_back({facts.dtype(0), present(*key)});
  outputs.push_back({facts.dtype(0), present(*value)});
  return outputs;
}

/// (query, key, value, past key, past value, …) -> (output, present key, present value). The cache
/// is updated in place where its length already covers the new tokens.
OutputFacts groupQueryAttention(const OpFacts& facts) {
  const Shape* query = facts.shape(0);
  const std::int64_t heads = headCount(facts, "num_heads");
  const std::int64_t groups = headCount(facts, "kv_num_heads");
  if (query == nullptr || query->size() != 3 || heads <= 0 || groups <= 0) return {};
  Shape output = *query;
  // Query, key and value packed together: (heads + 2 groups) slices of one head each.
  if (!facts.has(1)) output[2] = output[2] / (heads + 2 * groups) * heads;
  OutputFacts outputs = one(facts.dtype(0), output);
  const SmallValue* total = facts.value(6);
  for (const std::size_t past : {std::size_t{3}, std::size_t{4}}) {
    if (facts.shape(past) == nullptr || facts.shape(past)->size() != 4) return outputs;
    Shape present = *facts.shape(past);
    const auto longest = total != nullptr ? total->single() : std::nullopt;
    const auto sum = checkedAdd(present[2], (*query)[1]);
    if (!longest && !sum) return outputs;
    present[2] = longest ? std::max(present[2], *longest) : *sum;
    outputs.push_back({facts.dtype(past), present});
  }
  return outputs;
}

/// ONNX Runtime's QAttention: (input, packed weights, bias, scales and zero points, past at 8). The
/// result has the type of the scale.
OutputFacts quantizedAttention(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const Shape* weights = facts.shape(1);
  if (input == nullptr || weights == nullptr || input->size() != 3 || weights->size() != 2)
    return {};
  const std::int64_t hidden = weights->back() / 3;
  OutputFacts outputs = one(facts.dtype(3), {(*input)[0], (*input)[1], hidden});
  const std::int64_t heads = headCount(facts, "num_heads");
  const Shape* past = facts.shape(8);
  if (heads <= 0 || facts.outputCount < 2 || (facts.has(8) && (!past || past->size() != 5))) {
    return outputs;
  }
  const auto total = checkedAdd((*input)[1], past != nullptr ? (*past)[3] : 0);
  if (total) {
    outputs.push_back({facts.dtype(3), Shape{2, (*input)[0], heads, *total, hidden / heads}});
  }
  return outputs;
}

/// Integers in, wide integers out.
OutputFacts integerProduct(const OpFacts& facts) {
  return retyped(fusedMatMul(facts), Dtype::int32);
}

/// QLinearMatMul: (a, scale, zero point, b, scale, zero point, scale, zero point).
OutputFacts linearProduct(const OpFacts& facts) {
  if (facts.shape(0) == nullptr || facts.shape(3) == nullptr) return {};
  const Dtype dtype = facts.dtype(7) != Dtype::unknown ? facts.dtype(7) : facts.dtype(0);
  return maybe(dtype, matrixProduct(*facts.shape(0), *facts.shape(3)));
}

/// Attention of opset 23: (Q, K, V, mask, past key, past value) -> (Y, present key, present value,
/// scores), operands of three or four dimensions.
OutputFacts standardAttention(const OpFacts& facts) {
  const std::int64_t groups = headCount(facts, "kv_num_heads");
  const auto query = perHead(facts.shape(0), headCount(facts, "q_num_heads"));
  auto key = perHead(facts.shape(1), groups);
  auto value = perHead(facts.shape(2), groups);
  if (!query || !key || !value) return {};
  for (const std::size_t past : {std::size_t{4}, std::size_t{5}}) {
    if (!facts.has(past)) continue;
    const Shape* before = facts.shape(past);
    if (before == nullptr || before->size() != 4) return {};
    std::int64_t& length = (past == 4 ? *key : *value)[2];
    const auto sum = checkedAdd(length, (*before)[2]);
    if (!sum) return {};
    length = *sum;
  }
  Shape output = {(*query)[0], (*query)[1], (*query)[2], (*value)[3]};
  if (facts.shape(0)->size() == 3) {
    const auto width = checkedMul((*query)[1], (*value)[3]);
    if (!width) return {};
    output = {(*query)[0], (*query)[2], *width};
  }
  const Shape scores = {(*query)[0], (*query)[1], (*query)[2], (*key)[2]};
  return {{facts.dtype(0), output},
          {facts.dtype(1), *key},
          {facts.dtype(2), *value},
          {facts.dtype(0), scores}};
}

/// Rows of a block-quantised table, with the type of the scales. Two 4-bit numbers share a byte
/// where the table is stored as uint8.
OutputFacts gatherQuantized(const OpFacts& facts) {
  const Shape* table = facts.shape(0);
  const Shape* indices = facts.shape(1);
  if (table == nullptr || indices == nullptr) return {};
  const auto axis = normalAxis(facts.op.intAttribute("gather_axis", 0), table->size());
  if (!axis) return {};
  Shape whole = *table;
  if (facts.dtype(0) == Dtype::uint8 && facts.op.intAttribute("bits", 4) == 4) {
    const auto doubled = checkedMul(whole.back(), 2);
    if (!doubled) return {};
    whole.back() = *doubled;
  }
  return one(facts.dtype(2), spliced(whole, *axis, 1, *indices));
}

/// TFLite's: weights are (units, depth). Unless the rank is kept, the input becomes a matrix first.
OutputFacts dense(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const Shape* weights = facts.shape(1);
  if (input == nullptr || weights == nullptr || weights->size() != 2) return {};
  const std::int64_t depth = (*weights)[1];
  if (facts.op.intAttribute("keep_num_dims", 0) != 0) {
    if (input->empty() || input->back() != depth) return {};
    return one(facts.dtype(0), spliced(*input, input->size() - 1, 1, {(*weights)[0]}));
  }
  const auto count = elementCount(*input);
  if (!count || depth == 0 || *count % depth != 0) return {};
  return one(facts.dtype(0), {*count / depth, (*weights)[0]});
}

}  // namespace hw::shapes
