#include "core/ops/fit/needs.h"

#include <algorithm>
#include <array>

#include "core/ops/op_rules.h"
#include "core/ops/windows.h"

namespace hw::fitting {
namespace {

using Needs = std::vector<SizeNeed>;
using Kind = SizeNeed::Kind;

/// Two axes that must be of one size.
void meet(const OpFacts& facts, const SizeNeed& a, const SizeNeed& b, Needs& needs) {
  const auto first = sizeOf(facts, a);
  const auto second = sizeOf(facts, b);
  if (!first || !second || *first == *second) return;
  needs.push_back({.input = a.input, .axis = a.axis, .size = *second});
  needs.push_back({.input = b.input, .axis = b.axis, .size = *first});
}

/// An axis of input 0 that `size` says all about.
void want(const OpFacts& facts, std::size_t axis, std::int64_t size, Needs& needs,
          Kind kind = Kind::equal) {
  if (facts.shape(0) != nullptr) {
    needs.push_back({.input = 0, .axis = axis, .kind = kind, .size = size});
  }
}

/// Trailing axes of inputs `a` and `b`, less `skipped` of them: equal, or one of them 1.
void broadcastTogether(const OpFacts& facts, std::size_t a, std::size_t b, std::size_t skipped,
                       Needs& needs) {
  const Shape* first = facts.shape(a);
  const Shape* second = facts.shape(b);
  if (first == nullptr || second == nullptr) return;
  const std::size_t count = std::min(first->size(), second->size());
  for (std::size_t i = skipped; i < count; ++i) {
    const std::size_t one = first->size() - 1 - i;
    const std::size_t other = second->size() - 1 - i;
    if ((*first)[one] == 1 || (*second)[other] == 1) continue;
    meet(facts, {.input = a, .axis = one}, {.input = b, .axis = other}, needs);
  }
}

Needs pairwise(const OpFacts& facts) {
  Needs needs;
  for (std::size_t i = 1; i < facts.inputs.size(); ++i) {
    broadcastTogether(facts, 0, i, 0, needs);
    if (i > 1) broadcastTogether(facts, i - 1, i, 0, needs);
  }
  return needs;
}

/// Columns of `a` and rows of `b`, and what stands before both.
Needs productNeeds(const OpFacts& facts, std::size_t a, std::size_t b) {
  const Shape* left = facts.shape(a);
  const Shape* right = facts.shape(b);
  if (left == nullptr || right == nullptr || left->empty() || right->empty()) return {};
  const bool turnsA = left->size() > 1 && facts.op.intAttribute("transA", 0) != 0;
  const bool turnsB = right->size() > 1 && facts.op.intAttribute("transB", 0) != 0;
  const std::size_t columns = left->size() - (turnsA ? 2 : 1);
  const std::size_t rows = right->size() - (right->size() == 1 || turnsB ? 1 : 2);
  Needs needs;
  meet(facts, {.input = a, .axis = columns}, {.input = b, .axis = rows}, needs);
  broadcastTogether(facts, a, b, 2, needs);
  return needs;
}

Needs product(const OpFacts& facts) { return productNeeds(facts, 0, 1); }
Needs quantizedProduct(const OpFacts& facts) { return productNeeds(facts, 0, 3); }

Needs packedProduct(const OpFacts& facts) {
  Needs needs;
  const Shape* input = facts.shape(0);
  const std::int64_t depth = facts.op.intAttribute("K", -1);
  if (input != nullptr && !input->empty() && depth >= 0) {
    want(facts, input->size() - 1, depth, needs);
  }
  return needs;
}

/// A window must fit into each axis that it slides along.
void addWindows(const OpFacts& facts, const Shape* weight, Needs& needs) {
  const auto windows = windowsOf(facts, weight);
  if (!windows || windows->isSame()) return;
  for (std::size_t i = 0; i < windows->axes.size(); ++i) {
    const Window& window = windows->axes[i];
    want(facts, firstPlace(facts) + i, window.reach() - window.padBefore - window.padAfter, needs,
         Kind::atLeast);
  }
}

Needs pooling(const OpFacts& facts) {
  Needs needs;
  addWindows(facts, nullptr, needs);
  return needs;
}

const Shape* weightOf(const OpFacts& facts) {
  const OpInfo* info = findOp(facts.op);
  const Shape* weight = facts.shape(info != nullptr ? info->weight : 1);
  const Shape* input = facts.shape(0);
  const bool fits = weight != nullptr && input != nullptr && input->size() > 2;
  return fits && weight->size() == input->size() ? weight : nullptr;
}

Needs convolution(const OpFacts& facts) {
  Needs needs;
  const Shape* weight = weightOf(facts);
  if (weight == nullptr || firstPlace(facts) != 2) return needs;
  const auto channels = checkedMul((*weight)[1], facts.op.intAttribute("group", 1));
  if (channels) want(facts, channelAxis(facts), *channels, needs);
  addWindows(facts, weight, needs);
  return needs;
}

Needs transposedConvolution(const OpFacts& facts) {
  Needs needs;
  const Shape* weight = weightOf(facts);
  if (weight != nullptr && firstPlace(facts) == 2) want(facts, 1, weight->front(), needs);
  return needs;
}

/// (length, batch, width) against (directions, gates, width) and a first state of that batch.
Needs recurrence(const OpFacts& facts) {
  constexpr std::size_t kFirstState = 5;
  Needs needs;
  const Shape* weight = facts.shape(1);
  // Those of DynamicQuantizeLSTM lie the other way round.
  const bool isTurned = facts.op.type == "DynamicQuantizeLSTM";
  if (weight != nullptr && weight->size() == 3) want(facts, 2, (*weight)[isTurned ? 1 : 2], needs);
  const bool batchFirst = facts.op.intAttribute("layout", 0) != 0;
  meet(facts, {.input = 0, .axis = batchFirst ? 0 : 1},
       {.input = kFirstState, .axis = batchFirst ? 0 : 1}, needs);
  return needs;
}

/// Scales of one dimension, one for each channel.
Needs channelScales(const OpFacts& facts) {
  Needs needs;
  const Shape* scale = facts.shape(1);
  const Shape* input = facts.shape(0);
  if (scale == nullptr || scale->size() != 1 || input == nullptr || input->size() < 2) return needs;
  want(facts, 1, scale->front(), needs);
  return needs;
}

/// A scale that broadcasts over the last axes of what it scales.
Needs lastScales(const OpFacts& facts, std::size_t input) {
  Needs needs;
  const Shape* scale = facts.shape(input);
  const Shape* data = facts.shape(0);
  if (scale == nullptr || data == nullptr || scale->size() > data->size()) return needs;
  for (std::size_t i = 0; i < scale->size(); ++i) {
    const std::int64_t size = (*scale)[scale->size() - 1 - i];
    if (size != 1) want(facts, data->size() - 1 - i, size, needs);
  }
  return needs;
}
Needs normalization(const OpFacts& facts) { return lastScales(facts, 1); }
Needs skippedNormalization(const OpFacts& facts) { return lastScales(facts, 2); }

/// All inputs alike, but for the axis along which they are joined.
Needs joined(const OpFacts& facts) {
  Needs needs;
  const Shape* first = facts.shape(0);
  const auto axis = first != nullptr ? facts.axis(1, first->size()) : std::nullopt;
  for (std::size_t i = 1; axis && i < facts.inputs.size(); ++i) {
    if (facts.shape(i) == nullptr || facts.shape(i)->size() != first->size()) return {};
    for (std::size_t at = 0; at < first->size(); ++at) {
      if (at != *axis) meet(facts, {.input = 0, .axis = at}, {.input = i, .axis = at}, needs);
    }
  }
  return needs;
}

Needs parts(const OpFacts& facts) {
  Needs needs;
  const Shape* input = facts.shape(0);
  const auto axis = input != nullptr ? facts.axis(0, input->size()) : std::nullopt;
  const auto sizes = facts.integers(1, "split");
  if (!axis || !sizes) return needs;
  const auto count = static_cast<std::int64_t>(facts.outputCount);
  if (sizes->empty() && !facts.op.attributes.contains("num_outputs")) {
    want(facts, *axis, count, needs, Kind::multiple);
  }
  std::int64_t sum = 0;
  for (const std::int64_t size : *sizes) {
    const auto more = size < 0 ? std::nullopt : checkedAdd(sum, size);
    if (!more) return needs;
    sum = *more;
  }
  if (!sizes->empty()) want(facts, *axis, sum, needs);
  return needs;
}

/// As many elements as the target has, or a multiple where it leaves a dimension open.
Needs reshaped(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const auto target = facts.integers(1, "shape");
  if (input == nullptr || !target || target->empty()) return {};
  const bool copies = facts.op.intAttribute("allowzero", 0) == 0;
  std::int64_t count = 1;
  bool isOpen = false;
  for (std::size_t axis = 0; axis < target->size(); ++axis) {
    std::int64_t size = (*target)[axis];
    isOpen = isOpen || size == -1;
    if (size == -1) continue;
    if (size == 0 && copies && axis < input->size()) size = (*input)[axis];
    const auto product = checkedMul(count, size);
    if (!product || size < 0) return {};
    count = *product;
  }
  if (count == 0) return {};
  return {{.input = 0, .kind = isOpen ? Kind::multiple : Kind::equal, .size = count}};
}

Needs squeezed(const OpFacts& facts) {
  Needs needs;
  const Shape* input = facts.shape(0);
  const auto axes = facts.integers(1, "axes");
  for (std::size_t i = 0; input != nullptr && axes && i < axes->size(); ++i) {
    if (const auto axis = normalAxis((*axes)[i], input->size())) want(facts, *axis, 1, needs);
  }
  return needs;
}

/// Padding by mirroring needs at least as many elements as it mirrors.
Needs padded(const OpFacts& facts) {
  Needs needs;
  const Shape* input = facts.shape(0);
  const auto pads = facts.integers(1, "pads");
  const auto axes = facts.integers(3, "", firstIntegers(input != nullptr ? input->size() : 0));
  if (input == nullptr || !pads || !axes || pads->size() != 2 * axes->size()) return needs;
  const bool mirrors = facts.op.stringAttribute("mode", "constant") == "reflect";
  for (std::size_t i = 0; i < axes->size(); ++i) {
    const auto axis = normalAxis((*axes)[i], input->size());
    const std::int64_t most = std::max((*pads)[i], (*pads)[i + axes->size()]);
    if (axis && mirrors && isReasonable(most) && most > 0) {
      want(facts, *axis, most + 1, needs, Kind::atLeast);
    }
  }
  return needs;
}

Needs projection(const OpFacts& facts) {
  Needs needs;
  const Shape* input = facts.shape(0);
  const Shape* weight = facts.shape(1);
  if (input == nullptr || input->empty() || weight == nullptr || weight->size() != 2) return needs;
  want(facts, input->size() - 1, weight->front(), needs);
  return needs;
}

Needs blocks(const OpFacts& facts, bool intoSpace) {
  Needs needs;
  const Shape* input = facts.shape(0);
  const std::int64_t block = facts.op.intAttribute("blocksize", 0);
  if (input == nullptr || input->size() != 4 || !isReasonable(block) || block < 1) return needs;
  if (intoSpace) want(facts, channelAxis(facts), block * block, needs, Kind::multiple);
  for (std::size_t i = 0; !intoSpace && i < 2; ++i) {
    want(facts, firstPlace(facts) + i, block, needs, Kind::multiple);
  }
  return needs;
}
Needs fromDepth(const OpFacts& facts) { return blocks(facts, true); }
Needs intoDepth(const OpFacts& facts) { return blocks(facts, false); }

struct Row {
  ShapeRule* shape;
  Needs (*needs)(const OpFacts& facts);
};

constexpr std::array kRows = {
    Row{&shapes::fusedMatMul, &product},
    Row{&shapes::batchTurnedMatMul, &product},
    Row{&shapes::gemm, &product},
    Row{&shapes::float8Gemm, &product},
    Row{&shapes::integerProduct, &product},
    Row{&shapes::wideInteger16, &product},
    Row{&shapes::matMulToFloat, &product},
    Row{&shapes::linearProduct, &quantizedProduct},
    Row{&shapes::quantizedGemm, &quantizedProduct},
    Row{&shapes::packedMatMul, &packedProduct},
    Row{&shapes::packedMlp, &packedProduct},
    Row{&shapes::packedProjections, &packedProduct},
    Row{&shapes::convolution, &convolution},
    Row{&shapes::integerConvolution, &convolution},
    Row{&shapes::linearConvolution, &convolution},
    Row{&shapes::quantizedConvolution, &convolution},
    Row{&shapes::transposedConvolution, &transposedConvolution},
    Row{&shapes::pool, &pooling},
    Row{&shapes::recurrence, &recurrence},
    Row{&shapes::batchNormalization, &channelScales},
    Row{&shapes::layerNormalization, &normalization},
    Row{&shapes::skipNormalization, &skippedNormalization},
    Row{&shapes::broadcastAll, &pairwise},
    Row{&shapes::compare, &pairwise},
    Row{&shapes::where, &pairwise},
    Row{&shapes::concat, &joined},
    Row{&shapes::split, &parts},
    Row{&shapes::reshape, &reshaped},
    Row{&shapes::squeeze, &squeezed},
    Row{&shapes::pad, &padded},
    Row{&shapes::attention, &projection},
    Row{&shapes::quantizedAttention, &projection},
    Row{&shapes::packedAttention, &projection},
    Row{&shapes::depthToSpace, &fromDepth},
    Row{&shapes::spaceToDepth, &intoDepth},
};

/// Ops of no shape rule of their own whose scales tell a size.
bool scalesChannels(const Op& op) {
  return op.type == "InstanceNormalization" || op.type == "GroupNormalization";
}

Needs needsOf(const OpFacts& facts) {
  const OpInfo* info = findOp(facts.op);
  if (info == nullptr) return {};
  if (scalesChannels(facts.op)) return channelScales(facts);
  if (facts.op.type == "RMSNormalization") return normalization(facts);
  const auto* const row = std::ranges::find(kRows, info->shape, &Row::shape);
  return row != kRows.end() ? row->needs(facts) : Needs();
}

}  // namespace
}  // namespace hw::fitting

namespace hw {

std::vector<SizeNeed> unmetNeeds(const OpFacts& facts) {
  using Kind = SizeNeed::Kind;
  std::vector<SizeNeed> needs = fitting::needsOf(facts);
  std::erase_if(needs, [&](const SizeNeed& need) {
    const auto size = sizeOf(facts, need);
    if (!size || need.size < (need.kind == Kind::multiple ? 1 : 0)) return true;
    return need.kind == Kind::equal     ? *size == need.size
           : need.kind == Kind::atLeast ? *size >= need.size
                                        : *size % need.size == 0;
  });
  return needs;
}

std::optional<std::int64_t> sizeOf(const OpFacts& facts, const SizeNeed& need) {
  const Shape* shape = facts.shape(need.input);
  if (shape == nullptr) return std::nullopt;
  if (!need.axis) return elementCount(*shape);
  return *need.axis < shape->size() ? std::optional((*shape)[*need.axis]) : std::nullopt;
}

}  // namespace hw
