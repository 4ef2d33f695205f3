#include <algorithm>

#include "core/ops/op_rules.h"

namespace hw {

std::int64_t headCount(const OpFacts& facts, const char* name) {
  constexpr std::int64_t kMost = std::int64_t{1} << 20U;
  const std::int64_t count = facts.op.intAttribute(name, 0);
  return count < 0 || count > kMost ? 0 : count;
}

OutputFacts productOf(const OpFacts& facts, std::size_t a, std::size_t b, Dtype dtype) {
  if (facts.shape(a) == nullptr || facts.shape(b) == nullptr) return {};
  Shape left = *facts.shape(a);
  Shape right = *facts.shape(b);
  const auto turn = [](Shape& shape) {
    if (shape.size() > 1) std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  };
  if (facts.op.intAttribute("transA", 0) != 0) turn(left);
  if (facts.op.intAttribute("transB", 0) != 0) turn(right);
  return maybe(dtype, matrixProduct(left, right));
}

}  // namespace hw

namespace hw::shapes {
namespace {

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

OutputFacts fusedMatMul(const OpFacts& facts) { return productOf(facts, 0, 1, facts.dtype(0)); }

OutputFacts gemm(const OpFacts& facts) {
  if (facts.shape(0) == nullptr || facts.shape(1) == nullptr) return {};
  if (facts.shape(0)->size() != 2 || facts.shape(1)->size() != 2) return {};
  return fusedMatMul(facts);
}

/// Integers in, real numbers out, with the type of the scale in input 2.
OutputFacts matMulToFloat(const OpFacts& facts) {
  return retyped(fusedMatMul(facts), facts.dtype(2));
}

/// Integers in, wide integers out.
OutputFacts integerProduct(const OpFacts& facts) {
  return retyped(fusedMatMul(facts), Dtype::int32);
}

/// QLinearMatMul: (a, scale, zero point, b, scale, zero point, scale, zero point).
OutputFacts linearProduct(const OpFacts& facts) {
  return productOf(facts, 0, 3, facts.dtype(7) != Dtype::unknown ? facts.dtype(7) : facts.dtype(0));
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

/// MatMul with a product that may have its batch behind its rows or columns.
OutputFacts batchTurnedMatMul(const OpFacts& facts) {
  const auto turned = [&](std::size_t input, const char* name) {
    const Shape* shape = facts.shape(input);
    if (shape == nullptr) return std::optional<Shape>();
    Shape result = *shape;
    // The first dimension moves behind the batch.
    if (result.size() > 2 && facts.op.intAttribute(name, 0) != 0) {
      std::rotate(result.begin(), result.begin() + 1, result.end() - 1);
    }
    return std::optional(result);
  };
  const auto a = turned(0, "transBatchA");
  const auto b = turned(1, "transBatchB");
  if (!a || !b) return {};
  OpFacts rearranged = onOther(facts, facts.op);
  rearranged.inputs[0].facts.shape = a;
  rearranged.inputs[1].facts.shape = b;
  return productOf(rearranged, 0, 1, facts.dtype(0));
}

/// The width of a packed second operand is in the attribute N; turned round, it is K.
OutputFacts packedMatMul(const OpFacts& facts) {
  const bool isTurned = facts.op.intAttribute("transB", 1) == 0;
  return withWidth(facts, sizeNamed(facts, isTurned ? "K" : "N"));
}

/// MatMulFpQ4: input 2 is the shape of the second operand.
OutputFacts shapedMatMul(const OpFacts& facts) {
  const auto shape = facts.integers(2, "");
  if (!shape || shape->empty() || !facts.has(2)) return {};
  return withWidth(facts, shape->back());
}

/// MatMulNBitsMlp: the product, then the sum that was normalised.
OutputFacts packedMlp(const OpFacts& facts) {
  OutputFacts outputs = withWidth(facts, sizeNamed(facts, "N"));
  if (!outputs.empty()) outputs.push_back({facts.dtype(0), *facts.shape(0)});
  return outputs;
}

/// MatMulNBitsQkv: queries, keys, values, then the sum that was normalised.
OutputFacts packedProjections(const OpFacts& facts) {
  OutputFacts outputs;
  for (const char* name : {"Nq", "Nkv", "Nkv"}) {
    const OutputFacts next = withWidth(facts, sizeNamed(facts, name));
    if (next.empty()) return {};
    outputs.push_back(next[0]);
  }
  outputs.push_back({facts.dtype(0), *facts.shape(0)});
  return outputs;
}

OutputFacts float8Gemm(const OpFacts& facts) {
  return retyped(gemm(facts), typeNamed(facts, "dtype", Dtype::float32));
}

/// QGemm: (A, scale, zero point, B, scale, zero point, C, scale, zero point); real without the
/// last.
OutputFacts quantizedGemm(const OpFacts& facts) {
  return productOf(facts, 0, 3, facts.has(8) ? facts.dtype(8) : Dtype::float32);
}

/// QOrderedMatMul: (A, scale, B, scale, …).
OutputFacts orderedMatMul(const OpFacts& facts) { return productOf(facts, 0, 2, facts.dtype(0)); }

OutputFacts wideInteger16(const OpFacts& facts) {
  const bool areUnsigned = facts.dtype(0) == Dtype::uint16 && facts.dtype(1) == Dtype::uint16;
  return productOf(facts, 0, 1, areUnsigned ? Dtype::uint32 : Dtype::int32);
}

/// Rows of a block-quantised table, with the type of the scales. Several numbers share a byte where
/// the table is stored as uint8.
OutputFacts gatherQuantized(const OpFacts& facts) {
  const Shape* table = facts.shape(0);
  const Shape* indices = facts.shape(1);
  if (table == nullptr || indices == nullptr) return {};
  const auto axis = normalAxis(facts.op.intAttribute("gather_axis", 0), table->size());
  const std::int64_t bits = facts.op.intAttribute("bits", 4);
  if (!axis || bits < 1 || bits > 8) return {};
  Shape whole = *table;
  if (facts.dtype(0) == Dtype::uint8) {
    const auto unpacked = checkedMul(whole.back(), 8 / bits);
    if (!unpacked) return {};
    whole.back() = *unpacked;
  }
  return one(facts.dtype(2), spliced(whole, *axis, 1, *indices));
}

/// FlexAttention: (query, key, value) of (batch, heads, length, width of one).
OutputFacts flexibleAttention(const OpFacts& facts) {
  const Shape* value = facts.shape(2);
  OutputFacts outputs = like(facts, 0);
  if (outputs.empty() || outputs[0].shape->size() != 4 || value == nullptr || value->empty()) {
    return {};
  }
  outputs[0].shape->back() = value->back();
  return outputs;
}

}  // namespace hw::shapes
