#include <algorithm>

#include "core/ops/op_rules.h"

// Attention with its caches, as ONNX Runtime has it: keys and values of tokens that went before
// come in as "past" and go out as "present", longer by the new tokens, or in the same buffer.

namespace hw::shapes {
namespace {

/// Past keys or values and what becomes of them: (batch, heads, length, width of a head).
struct Cache {
  const Shape* past = nullptr;  ///< Null: there is none.
  bool isShared = false;        ///< Present and past are one buffer, as long as it will ever be.
};

/// The cache after `added` more tokens; nothing when it does not fit.
std::optional<Shape> grown(const Cache& cache, std::size_t axis, std::int64_t added) {
  Shape present = *cache.past;
  if (cache.isShared) return present;
  const auto length = checkedAdd(present[axis], added);
  if (!length) return std::nullopt;
  present[axis] = *length;
  return present;
}

bool sharesBuffer(const OpFacts& facts) {
  return facts.op.intAttribute("past_present_share_buffer", 0) != 0;
}

/// The width of the values of an op that projects its input with all weights in one matrix.
std::optional<std::int64_t> projectedWidth(const OpFacts& facts) {
  const auto sizes = facts.op.intsAttribute("qkv_hidden_sizes");
  if (sizes.size() == 3) return sizes[2];
  const Shape* weights = facts.shape(1);
  if (weights == nullptr || weights->size() != 2) return std::nullopt;
  return weights->back() / 3;
}

/// The output, then keys and values of (2, batch, heads, length, width) in one tensor.
OutputFacts projected(const OpFacts& facts, Dtype dtype, std::size_t past, bool isShared) {
  const Shape* input = facts.shape(0);
  const auto hidden = projectedWidth(facts);
  if (input == nullptr || input->size() != 3 || !hidden) return {};
  OutputFacts outputs = one(dtype, {(*input)[0], (*input)[1], *hidden});
  const std::int64_t heads = headCount(facts, "num_heads");
  if (heads <= 0 || facts.outputCount < 2) return outputs;
  if (!facts.has(past)) {
    outputs.push_back({dtype, Shape{2, (*input)[0], heads, (*input)[1], *hidden / heads}});
    return outputs;
  }
  const Cache cache{facts.shape(past), isShared};
  if (cache.past == nullptr || cache.past->size() != 5) return outputs;
  if (auto present = grown(cache, 3, (*input)[1])) outputs.push_back({dtype, std::move(present)});
  return outputs;
}

/// An operand of many heads: (batch, length, width), (batch, heads, length, width of a head), or
/// several in one: (batch, length, heads, how many, width of a head).
struct HeadsOf {
  std::int64_t length = 0;
  std::int64_t width = 0;  ///< Of all heads together.
};
std::optional<HeadsOf> headsOf(const Shape& shape) {
  if (shape.size() == 3) return HeadsOf{shape[1], shape[2]};
  const bool isPacked = shape.size() == 5;
  if (shape.size() != 4 && !isPacked) return std::nullopt;
  const auto width = checkedMul(shape[isPacked ? 2 : 1], shape[isPacked ? 4 : 3]);
  return width ? std::optional(HeadsOf{shape[isPacked ? 1 : 2], *width}) : std::nullopt;
}

/// The places of the operands of an op with many heads.
struct HeadOperands {
  std::size_t past = 6;  ///< Of the keys; those of the values follow.
  std::size_t pastLength = 8;
  /// The number of query, key and value in one tensor of three dimensions that comes alone.
  std::int64_t packed = 1;
};

/// Query, keys and values, wherever they are; nothing where the op gives them in no known form.
struct Attended {
  HeadsOf query{};
  HeadsOf key{};
  HeadsOf value{};
  bool keyIsCache = false;  ///< Keys and values are those of the other side, ready for use.
};
std::optional<Attended> attended(const OpFacts& facts, const HeadOperands& at) {
  const Shape* query = facts.shape(0);
  const auto own = query != nullptr ? headsOf(*query) : std::nullopt;
  if (!own) return std::nullopt;
  Attended all{*own, *own, *own};
  if (!facts.has(1)) {  // All three are in the query.
    const std::int64_t width = query->size() == 3 ? own->width / at.packed : own->width;
    all.query.width = all.key.width = all.value.width = width;
    return all;
  }
  const Shape* key = facts.shape(1);
  const Shape* value = facts.has(2) ? facts.shape(2) : key;
  const auto keys = key != nullptr ? headsOf(*key) : std::nullopt;
  const auto values = value != nullptr ? headsOf(*value) : std::nullopt;
  if (!keys || !values) return std::nullopt;
  all.key = *keys;
  all.value = *values;
  all.keyIsCache = key->size() == 4;
  return all;
}

/// The output, present keys and values, and how much each query looks at each key.
OutputFacts ofManyHeads(const OpFacts& facts, const HeadOperands& at) {
  const std::int64_t heads = headCount(facts, "num_heads");
  const auto all = attended(facts, at);
  if (!all || heads <= 0) return {};
  const std::int64_t batch = facts.shape(0)->front();
  OutputFacts outputs = one(facts.dtype(0), {batch, all->query.length, all->value.width});
  if (facts.outputCount < 2) return outputs;
  const bool isShared = sharesBuffer(facts) || facts.has(at.pastLength);
  std::optional<std::int64_t> total = all->key.length;
  outputs.resize(3, {facts.dtype(0)});
  for (std::size_t i = 0; i < 2; ++i) {
    const HeadsOf& added = i == 0 ? all->key : all->value;
    const std::size_t past = at.past + i;
    outputs[i + 1].shape = Shape{batch, heads, added.length, added.width / heads};
    if (!facts.has(past) || all->keyIsCache) continue;
    const Cache cache{facts.shape(past), isShared};
    outputs[i + 1].shape = std::nullopt;
    if (cache.past == nullptr || cache.past->size() != 4) {
      total = std::nullopt;
      continue;
    }
    outputs[i + 1].shape = grown(cache, 2, added.length);
    const auto before = facts.has(at.pastLength) ? facts.integer(at.pastLength, "", 0)
                                                 : std::optional((*cache.past)[2]);
    total = before ? checkedAdd(*before, added.length) : std::nullopt;
  }
  outputs.push_back({facts.dtype(0)});
  if (total) outputs[3].shape = Shape{batch, heads, all->query.length, *total};
  return outputs;
}

/// The width of the output of an op whose query may hold keys and values as well.
std::int64_t queryWidth(const OpFacts& facts, std::int64_t heads, std::int64_t groups) {
  const std::int64_t width = facts.shape(0)->back();
  return facts.has(1) ? width : width / (heads + 2 * groups) * heads;
}

/// Heads of queries and groups of keys; nothing when one is missing.
std::optional<std::pair<std::int64_t, std::int64_t>> headsAndGroups(const OpFacts& facts) {
  const std::int64_t heads = headCount(facts, "num_heads");
  const std::int64_t groups = headCount(facts, "kv_num_heads");
  if (heads <= 0 || groups <= 0) return std::nullopt;
  return std::pair(heads, groups);
}

}  // namespace

/// (input, packed weights, bias, mask, past) -> (output, present).
OutputFacts attention(const OpFacts& facts) {
  return projected(facts, facts.dtype(0), 4, sharesBuffer(facts));
}

/// QAttention: (input, packed weights, bias, scales and zero points, past at 8). The result has the
/// type of the scale.
OutputFacts quantizedAttention(const OpFacts& facts) {
  return projected(facts, facts.dtype(3), 8, sharesBuffer(facts));
}

/// PackedAttention: only real tokens, (tokens, width).
OutputFacts packedAttention(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const auto hidden = projectedWidth(facts);
  if (input == nullptr || input->size() != 2 || !hidden) return {};
  return one(facts.dtype(0), {input->front(), *hidden});
}

/// (query, key, value, …, past key, past value, past length) -> (output, present key, present
/// value, scores).
OutputFacts multiHeadAttention(const OpFacts& facts) { return ofManyHeads(facts, {}); }

/// DecoderMaskedMultiHeadAttention: the same one operand further ahead.
OutputFacts maskedAttention(const OpFacts& facts) {
  return ofManyHeads(facts, {.past = 5, .pastLength = 7, .packed = 3});
}

/// PackedMultiHeadAttention: only real tokens, (tokens, width) or (tokens, heads, 3, width of one).
OutputFacts packedHeads(const OpFacts& facts) {
  const Shape* query = facts.shape(0);
  const Shape* value = facts.shape(2);
  if (query == nullptr || query->empty()) return {};
  if (value != nullptr && value->size() == 2) {
    return one(facts.dtype(0), {query->front(), value->back()});
  }
  const auto width = query->size() == 4 ? checkedMul((*query)[1], (*query)[3]) : std::nullopt;
  return width ? one(facts.dtype(0), {query->front(), *width}) : OutputFacts();
}

/// (query, key, value, past key, past value, …) -> (output, present key, present value, scores).
/// The cache is updated in place where its length already covers the new tokens.
OutputFacts groupQueryAttention(const OpFacts& facts) {
  const Shape* query = facts.shape(0);
  const auto counts = headsAndGroups(facts);
  if (query == nullptr || query->size() != 3 || !counts) return {};
  const auto [heads, groups] = *counts;
  Shape output = *query;
  output[2] = queryWidth(facts, heads, groups);
  OutputFacts outputs = one(facts.dtype(0), output);
  const SmallValue* given = facts.value(6);
  const auto total = given != nullptr ? given->single() : std::nullopt;
  const std::int64_t added =
      facts.shape(1) != nullptr && facts.shape(1)->size() == 3 ? (*facts.shape(1))[1] : (*query)[1];
  std::int64_t longest = 0;
  for (const std::size_t past : {std::size_t{3}, std::size_t{4}}) {
    const Shape* before = facts.shape(past);
    if (facts.has(past) && (before == nullptr || before->size() != 4)) return outputs;
    Shape present = before != nullptr ? *before : Shape{(*query)[0], groups, 0, output[2] / heads};
    const auto sum = checkedAdd(present[2], added);
    if (!total && !sum) return outputs;
    if (facts.op.intAttribute("sliding_window_cache", 0) == 0) {
      present[2] = total ? std::max(present[2], *total) : *sum;
    }
    longest = total ? *total : present[2];
    outputs.push_back({before != nullptr ? facts.dtype(past) : facts.dtype(0), present});
  }
  outputs.push_back({facts.dtype(0), Shape{(*query)[0], heads, (*query)[1], longest}});
  return outputs;
}

/// SparseAttention: likewise, always in the buffers of the past.
OutputFacts sparseAttention(const OpFacts& facts) {
  const auto counts = headsAndGroups(facts);
  OutputFacts outputs = like(facts, 0);
  if (outputs.empty() || outputs[0].shape->size() != 3 || !counts) return {};
  outputs[0].shape->back() = queryWidth(facts, counts->first, counts->second);
  for (const std::size_t past : {std::size_t{3}, std::size_t{4}}) {
    if (facts.shape(past) == nullptr) return outputs;
    outputs.push_back({facts.dtype(past), *facts.shape(past)});
  }
  return outputs;
}

/// PagedAttention: (tokens, width) against caches in blocks, which are handed on as they are.
OutputFacts pagedAttention(const OpFacts& facts) {
  const auto counts = headsAndGroups(facts);
  OutputFacts outputs = like(facts, 0);
  if (outputs.empty() || outputs[0].shape->size() != 2 || !counts) return {};
  std::int64_t& width = outputs[0].shape->back();
  width = queryWidth(facts, counts->first, counts->second);
  const std::int64_t narrow = facts.op.intAttribute("v_head_size", 0);
  if (narrow > 0) width = checkedMul(counts->first, narrow).value_or(width);
  for (const std::size_t cache : {std::size_t{3}, std::size_t{4}}) {
    const Shape* shape = facts.shape(cache);
    outputs.push_back(
        {facts.dtype(cache), shape != nullptr ? std::optional(*shape) : std::nullopt});
  }
  return outputs;
}

/// DecoderAttention: (query, key, weights, bias, mask, key cache, value cache, and whether the keys
/// are another's, the past counts, there is one, …), lengths first.
OutputFacts decoderAttention(const OpFacts& facts) {
  const Shape* query = facts.shape(0);
  const Shape* key = facts.shape(1);
  const std::int64_t heads = headCount(facts, "num_heads");
  OutputFacts outputs = like(facts, 0);
  if (outputs.empty() || query->size() != 3 || facts.outputCount < 2 || heads <= 0) return outputs;
  const auto isOthers = facts.integer(8, "", 0);
  const auto usesPast = facts.integer(9, "", 0);
  const auto hasPast = facts.integer(10, "", 0);
  if (!isOthers || !usesPast || !hasPast) return outputs;
  const bool continues = *usesPast != 0 && *hasPast != 0;
  std::optional<std::int64_t> length = (*query)[0];
  if (*isOthers != 0) length = key != nullptr && !key->empty() ? std::optional((*key)[0]) : length;
  if (continues) {
    const Shape* cache = facts.shape(6);
    if (cache == nullptr || cache->size() != 4) return outputs;
    length = *isOthers != 0 ? std::optional((*cache)[2]) : checkedAdd((*cache)[2], (*query)[0]);
  }
  if (!length) return outputs;
  outputs.resize(3, {facts.dtype(0), Shape{(*query)[1], heads, *length, (*query)[2] / heads}});
  return outputs;
}

/// QOrderedAttention: weights of queries, keys and values at 5, 6 and 7.
OutputFacts orderedAttention(const OpFacts& facts) {
  const Shape* weights = facts.shape(7);
  OutputFacts outputs = like(facts, 0);
  if (outputs.empty() || outputs[0].shape->empty() || weights == nullptr || weights->empty()) {
    return {};
  }
  outputs[0].shape->back() = weights->back();
  return outputs;
}

/// LinearAttention: (query, key, value, past state) -> (output, state), heads side by side in the
/// last dimension. A window keeps the states of several tokens.
OutputFacts linearAttention(const OpFacts& facts) {
  const Shape* query = facts.shape(0);
  const Shape* key = facts.shape(1);
  const Shape* value = facts.shape(2);
  const std::int64_t heads = headCount(facts, "q_num_heads");
  const std::int64_t groups = headCount(facts, "kv_num_heads");
  if (query == nullptr || key == nullptr || value == nullptr || heads <= 0 || groups <= 0)
    return {};
  if (query->size() != 3 || key->size() != 3 || value->size() != 3) return {};
  const auto width = checkedMul(std::max(heads, groups), value->back() / groups);
  if (!width) return {};
  OutputFacts outputs = one(facts.dtype(0), {(*query)[0], (*query)[1], *width});
  Shape state = {(*query)[0], groups, key->back() / groups, value->back() / groups};
  const std::int64_t window = facts.op.intAttribute("state_window", 0);
  if (window > 0) state.insert(state.begin(), window);
  outputs.push_back({facts.has(3) ? facts.dtype(3) : facts.dtype(0), state});
  return outputs;
}

/// GatedDeltaNet: (query, key, value, lengths, decay, rate, first state, …) of (tokens, heads,
/// width of one), or with batch and length in place of the tokens.
OutputFacts gatedDelta(const OpFacts& facts) {
  const Shape* query = facts.shape(0);
  const Shape* key = facts.shape(1);
  const Shape* value = facts.shape(2);
  if (query == nullptr || key == nullptr || value == nullptr || query->size() < 3) return {};
  if (key->size() != query->size() || value->size() != query->size()) return {};
  const std::size_t at = query->size() - 2;
  const std::int64_t heads = (*value)[at];
  Shape output = *query;
  output[at] = std::max((*query)[at], heads);
  output.back() = value->back();
  OutputFacts outputs = one(facts.dtype(0), output);
  const Shape* lengths = facts.shape(3);
  const Shape* first = facts.shape(6);
  std::optional<std::int64_t> batch;
  if (lengths != nullptr && lengths->size() == 1) batch = lengths->front() - 1;
  if (first != nullptr && first->size() == 4) batch = first->front();
  if (!batch || *batch < 0) return outputs;
  outputs.push_back({Dtype::float32, Shape{*batch, heads, value->back(), query->back()}});
  const auto keys = checkedMul((*key)[at], query->back());
  const auto deltas = checkedMul(heads, value->back());
  const auto both = keys && deltas ? checkedAdd(*keys, *deltas) : std::nullopt;
  const auto each = both ? checkedAdd(*both, heads) : std::nullopt;
  const auto row =
      each ? checkedMul(*each, facts.op.intAttribute("state_update_capacity", 0)) : std::nullopt;
  if (row && *row >= 0) outputs.push_back({Dtype::float32, Shape{*batch, *row}});
  return outputs;
}

/// CausalConvWithState: (input, weight, bias, past state) -> (output, state). The state holds what
/// the window reaches back to along the last axis, or along axis 1 with the channels last.
OutputFacts causalConvolution(const OpFacts& facts) {
  OutputFacts outputs = like(facts, 0);
  const Shape* weight = facts.shape(1);
  if (outputs.empty() || weight == nullptr || weight->size() < 3) return outputs;
  Shape state = *outputs[0].shape;
  const bool isLast = facts.op.intAttribute("channels_last", 0) != 0;
  const auto length = checkedMul(weight->back() - 1, facts.op.intAttribute("dilation", 1));
  if (state.size() < 3 || !length || *length < 0) return outputs;
  state[isLast ? 1 : state.size() - 1] = *length;
  const std::int64_t window = facts.op.intAttribute("state_window", 0);
  if (window > 0) state.insert(state.begin(), window);
  outputs.push_back({facts.dtype(0), state});
  return outputs;
}

/// VarlenCausalConvWithState: (tokens, weight, lengths, bias, state) -> (tokens, state, updates).
OutputFacts packedCausalConvolution(const OpFacts& facts) {
  OutputFacts outputs = like(facts, 0);
  const Shape* state = facts.shape(4);
  if (outputs.empty() || state == nullptr || state->size() != 3) return outputs;
  outputs.push_back({facts.dtype(0), *state});
  const std::int64_t capacity = facts.op.intAttribute("state_update_capacity", 0);
  if (capacity >= 0) outputs.push_back({facts.dtype(0), Shape{(*state)[0], capacity, (*state)[1]}});
  return outputs;
}

}  // namespace hw::shapes

namespace hw::bounds {

/// Scores against a cache whose length only the data tells: no longer than the buffer.
OpenOutputs sharedScores(const OpFacts& facts) {
  const OpInfo* info = findOp(facts.op);
  const bool isMasked = info != nullptr && info->shape == &shapes::maskedAttention;
  const std::size_t at = isMasked ? 5 : 6;
  const Shape* past = facts.shape(at);
  const Shape* query = facts.shape(0);
  if (past == nullptr || past->size() != 4 || query == nullptr || query->size() < 3) return {};
  if (facts.outputCount < 4 || facts.shape(at + 1) == nullptr) return {};
  OpenOutputs outputs(4);
  outputs[3] = {.dtype = facts.dtype(0),
                .most = {(*query)[0], (*past)[1], (*query)[1], (*past)[2]},
                .open = {3}};
  return outputs;
}

}  // namespace hw::bounds
