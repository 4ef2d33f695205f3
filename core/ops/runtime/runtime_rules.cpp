#include <algorithm>

#include "core/ops/op_rules.h"

// Ops of ONNX Runtime that are like no standard one, attention apart.

namespace hw::shapes {
namespace {

/// The only integer of an input, not below zero.
std::optional<std::int64_t> countIn(const OpFacts& facts, std::size_t input) {
  const SmallValue* value = facts.value(input);
  const auto count = value != nullptr ? value->single() : std::nullopt;
  return count && *count >= 0 ? count : std::nullopt;
}

/// A rule for channels first, on (N, places …, C); weights have the channels first all the same.
OutputFacts withChannelsLast(const OpFacts& facts, ShapeRule* rule) {
  const Shape* input = facts.shape(0);
  if (input == nullptr || input->size() < 3) return {};
  Op op = facts.op;
  op.attributes.erase("channels_last");
  OpFacts turned = onOther(facts, op);
  Shape& shape = *turned.inputs[0].facts.shape;
  std::rotate(shape.begin() + 1, shape.end() - 1, shape.end());
  OutputFacts outputs = rule(turned);
  for (TensorFacts& output : outputs) {
    if (!output.shape || output.shape->size() < 3) return {};
    std::rotate(output.shape->begin() + 1, output.shape->begin() + 2, output.shape->end());
  }
  return outputs;
}

/// Words of 32 bits that hold a bit for each element of input 0.
OutputFacts withBits(OutputFacts outputs) {
  constexpr std::int64_t kBits = 32;
  const auto count = outputs.empty() ? std::nullopt : elementCount(*outputs[0].shape);
  if (count) outputs.push_back({Dtype::uint32, Shape{*count / kBits + (*count % kBits != 0)}});
  return outputs;
}

/// (…, hashes of all orders and heads), and what the next call needs of the tokens before.
OutputFacts hashes(const OpFacts& facts, const Shape* tokens, std::optional<std::int64_t> batch) {
  const auto order = sizeNamed(facts, "max_ngram_size");
  const auto heads = sizeNamed(facts, "n_head_per_ngram");
  if (tokens == nullptr || !order || !heads || *order < 1) return {};
  const auto width = checkedMul(*order - 1, *heads);
  if (!width) return {};
  OutputFacts outputs = one(facts.dtype(0), spliced(*tokens, tokens->size(), 0, {*width}));
  if (!batch || *batch < 0) return outputs;
  outputs.push_back({facts.dtype(0), Shape{*batch, *order - 1}});
  outputs.push_back({Dtype::int32, Shape{*batch, *order - 1}});
  return outputs;
}

}  // namespace

OutputFacts allLikeFirst(const OpFacts& facts) {
  OutputFacts outputs = like(facts, 0);
  if (!outputs.empty()) outputs.resize(facts.outputCount, outputs[0]);
  return outputs;
}

/// Each output as the input at its place: YieldOp, where gradients come in for what went out.
OutputFacts eachLikeInput(const OpFacts& facts) {
  OutputFacts outputs(std::min(facts.outputCount, facts.inputs.size()));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (facts.shape(i) != nullptr) outputs[i] = {facts.dtype(i), *facts.shape(i)};
  }
  return outputs;
}

/// Outputs like inputs 1 and 3: GemmaRotaryEmbedding turns queries and keys.
OutputFacts rotatedPair(const OpFacts& facts) {
  OutputFacts outputs = like(facts, 1);
  if (!outputs.empty() && facts.shape(3) != nullptr) {
    outputs.push_back({facts.dtype(3), *facts.shape(3)});
  }
  return outputs;
}

/// LinearAttentionGate: decay as input 0, rate as input 3.
OutputFacts attentionGate(const OpFacts& facts) {
  OutputFacts outputs = like(facts, 0);
  if (!outputs.empty() && facts.shape(3) != nullptr) {
    outputs.push_back({facts.dtype(3), *facts.shape(3)});
  }
  return outputs;
}

OutputFacts biasDropout(const OpFacts& facts) {
  OutputFacts outputs = like(facts, 0);
  if (!outputs.empty()) outputs.push_back({Dtype::boolean, outputs[0].shape});
  return outputs;
}

OutputFacts bitmaskDropout(const OpFacts& facts) { return withBits(like(facts, 0)); }

/// The second half gates the first.
OutputFacts halved(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  if (input == nullptr || input->empty()) return {};
  return withWidth(facts, input->back() / 2);
}

OutputFacts pairDistances(const OpFacts& facts) {
  const Shape* a = facts.shape(0);
  const Shape* b = facts.shape(1);
  if (a == nullptr || b == nullptr || a->size() != 2 || b->size() != 2) return {};
  return one(facts.dtype(0), {a->front(), b->front()});
}

/// ConvTransposeWithDynamicPads: the pads are input 2.
OutputFacts dynamicPadsConvolution(const OpFacts& facts) {
  const auto pads = facts.integers(2, "");
  if (!pads) return {};
  Op op = facts.op;
  if (facts.has(2)) op.attributes.insert_or_assign("pads", *pads);
  return transposedConvolution(onOther(facts, op));
}

/// (N, C, H, W), boxes, their images, (height, width) -> a patch for each box.
OutputFacts cropAndResize(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const Shape* boxes = facts.shape(1);
  const auto size = facts.integers(3, "");
  if (input == nullptr || boxes == nullptr || input->size() != 4 || boxes->empty()) return {};
  if (!size || size->size() != 2) return {};
  return one(facts.dtype(0), {boxes->front(), (*input)[1], (*size)[0], (*size)[1]});
}

/// Blocks of numbers with one exponent each, back to what an input says they are.
OutputFacts fromBlocks(const OpFacts& facts) {
  const auto shape = facts.integers(1, "");
  if (!shape || !facts.has(1)) return {};
  return one(typeNamed(facts, "dtype", Dtype::float32), *shape);
}

/// The size of the blocks depends on their kind; shape and strides have an entry a dimension.
OutputFacts intoBlocks(const OpFacts& facts) {
  if (facts.shape(0) == nullptr) return {};
  const Shape rank = {std::ssize(*facts.shape(0))};
  return {{Dtype::uint8}, {Dtype::int64, rank}, {Dtype::int64, rank}};
}

OutputFacts typedAsTo(const OpFacts& facts) {
  return retyped(like(facts, 0), typeNamed(facts, "to", Dtype::float32));
}
OutputFacts asBytes(const OpFacts& facts) { return retyped(like(facts, 0), Dtype::int8); }

/// MurmurHash3: a word for each element.
OutputFacts hashed(const OpFacts& facts) {
  const bool isUnsigned = facts.op.intAttribute("positive", 1) != 0;
  return retyped(like(facts, 0), isUnsigned ? Dtype::uint32 : Dtype::int32);
}

OutputFacts tokenHashes(const OpFacts& facts) {
  const Shape* tokens = facts.shape(0);
  if (tokens == nullptr || tokens->size() != 2) return {};
  return hashes(facts, tokens, tokens->front());
}

/// The same for sequences one after the other; input 3 is where each begins.
OutputFacts packedTokenHashes(const OpFacts& facts) {
  const Shape* begins = facts.shape(3);
  const bool isKnown = begins != nullptr && begins->size() == 1;
  return hashes(facts, facts.shape(0), isKnown ? std::optional(begins->front() - 1) : std::nullopt);
}

/// GatedRelativePositionBias: (…, width), bias, (1, heads, length, length), …, offsets -> a bias
/// for each pair of tokens.
OutputFacts gatedBias(const OpFacts& facts) {
  const Shape* query = facts.shape(0);
  const Shape* position = facts.shape(2);
  const Shape* offsets = facts.shape(6);
  if (query == nullptr || position == nullptr || position->size() != 4) return {};
  const Shape* first = query->size() == 3 ? query : offsets;
  if (first == nullptr || first->empty()) return {};
  return one(facts.dtype(0), spliced(*position, 0, 1, {first->front()}));
}

/// RelativePositionBias: (buckets, heads), lengths of queries and keys.
OutputFacts positionBias(const OpFacts& facts) {
  const Shape* table = facts.shape(0);
  const auto queries = countIn(facts, 1);
  const auto keys = countIn(facts, 2);
  if (table == nullptr || table->size() != 2 || !queries || !keys) return {};
  return one(facts.dtype(0), {1, table->back(), *queries, *keys});
}

OutputFacts lastChannelConvolution(const OpFacts& facts) {
  return withChannelsLast(facts, &convolution);
}
OutputFacts lastChannelPool(const OpFacts& facts) { return withChannelsLast(facts, &pool); }
OutputFacts quantizedConvolution(const OpFacts& facts) {
  const bool isLast = facts.op.intAttribute("channels_last", 0) != 0;
  return isLast ? withChannelsLast(facts, &linearConvolution) : linearConvolution(facts);
}

/// QEmbedLayerNormalization: the tables are bytes, what comes out is not.
OutputFacts quantizedEmbedding(const OpFacts& facts) {
  return retyped(embedNormalization(facts), Dtype::float32);
}

/// RestorePadding: (tokens, width), (batch, length) -> (batch, length, width).
OutputFacts restoredPadding(const OpFacts& facts) {
  const Shape* tokens = facts.shape(0);
  const Shape* offsets = facts.shape(1);
  if (tokens == nullptr || offsets == nullptr || tokens->size() != 2 || offsets->size() != 2) {
    return {};
  }
  return one(facts.dtype(0), {(*offsets)[0], (*offsets)[1], tokens->back()});
}

/// TorchEmbedding: (entries, width), indices.
OutputFacts embedding(const OpFacts& facts) {
  const Shape* table = facts.shape(0);
  const Shape* indices = facts.shape(1);
  if (table == nullptr || indices == nullptr || table->size() != 2) return {};
  return one(facts.dtype(0), spliced(*indices, indices->size(), 0, {table->back()}));
}

/// WordConvEmbedding: (words, letters), filters -> (words, filters).
OutputFacts wordEmbedding(const OpFacts& facts) {
  const Shape* words = facts.shape(0);
  const Shape* filters = facts.shape(1);
  if (words == nullptr || filters == nullptr || words->empty() || filters->empty()) return {};
  return one(Dtype::float32, {words->front(), filters->front()});
}

OutputFacts trueOrFalse(const OpFacts&) { return one(Dtype::boolean, {}); }

/// Optimizers: step and rate, then values, gradients and moments; new values and moments come out,
/// as many as there are less the gradients.
OutputFacts optimized(const OpFacts& facts) {
  OutputFacts outputs(facts.outputCount);
  if (facts.inputs.size() < 2) return {};
  const std::size_t tensors = facts.inputs.size() - 2;
  if (tensors < facts.outputCount) return {};
  const std::size_t values = tensors - facts.outputCount;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::size_t input = 2 + i + (i >= values ? values : 0);
    if (facts.shape(input) != nullptr) outputs[i] = {facts.dtype(input), *facts.shape(input)};
  }
  return outputs;
}

}  // namespace hw::shapes

namespace hw::bounds {

/// RemovePadding: at most every token is real; where they were, and where each sequence begins.
OpenOutputs removedPadding(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  if (input == nullptr || input->size() != 3) return {};
  const auto tokens = checkedMul((*input)[0], (*input)[1]);
  if (!tokens) return {};
  return {{.dtype = facts.dtype(0), .most = {*tokens, input->back()}, .open = {0}},
          {.dtype = Dtype::int32, .most = {(*input)[0], (*input)[1]}},
          {.dtype = Dtype::int32, .most = {(*input)[0] + 1}},
          {.dtype = Dtype::int32, .most = {1}}};
}

/// The longest path through (M, N) has M + N - 1 points.
OpenOutputs timeWarping(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  if (input == nullptr || input->size() < 2) return {};
  const auto both = checkedAdd(input->back(), (*input)[input->size() - 2]);
  if (!both) return {};
  return {{.dtype = Dtype::int32, .most = {2, std::max<std::int64_t>(*both - 1, 0)}, .open = {1}}};
}

/// BifurcationDetector: what there was, and at most all that was predicted.
OpenOutputs bifurcation(const OpFacts& facts) {
  const Shape* now = facts.shape(1);
  const Shape* predicted = facts.shape(3);
  if (now == nullptr || now->size() != 1 || (facts.has(3) && predicted == nullptr)) return {};
  const bool isMore = predicted != nullptr && predicted->size() == 1;
  const auto most = checkedAdd(now->front(), isMore ? predicted->front() : 0);
  if (!most) return {};
  return {{.dtype = Dtype::int64, .most = {*most}, .open = {0}}, {.dtype = Dtype::int64}};
}

/// Unique of ONNX Runtime: distinct elements, where each is among them, and how often.
OpenOutputs uniqueElements(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  if (input == nullptr || input->size() != 1) return {};
  return {{.dtype = facts.dtype(0), .most = *input, .open = {0}},
          {.dtype = Dtype::int64, .most = *input},
          {.dtype = Dtype::int64, .most = *input, .open = {0}}};
}

/// BroadcastGradientArgs: which axes of each of two shapes are summed over, of all there are.
OpenOutputs gradientAxes(const OpFacts& facts) {
  const Shape* a = facts.shape(0);
  const Shape* b = facts.shape(1);
  if (a == nullptr || b == nullptr || a->size() != 1 || b->size() != 1) return {};
  const OpenFacts axes{
      .dtype = Dtype::int64, .most = {std::max(a->front(), b->front())}, .open = {0}};
  return {axes, axes};
}

/// As many tokens as the longest text has, one more dimension.
OpenOutputs tokens(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  if (input == nullptr) return {};
  Shape most = *input;
  most.push_back(-1);
  return {{.dtype = Dtype::string, .most = most, .open = {input->size()}}};
}

}  // namespace hw::bounds
