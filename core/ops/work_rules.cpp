#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/text.h"
#include "core/graph/tiling.h"
#include "core/ops/op_rules.h"
#include "core/ops/work.h"

namespace hw {
namespace {

/// Thrown and caught inside this file: `workOf` turns it into `Work::unknown`.
struct Unknown {
  std::string reason;
};

/// A product or sum that refuses to overflow, or to be negative.
std::int64_t amount(std::optional<std::int64_t> value) {
  if (!value) throw Unknown{"its work exceeds 2^63"};
  if (*value < 0) throw Unknown{"an attribute of it is negative"};
  return *value;
}
std::int64_t times(std::int64_t a, std::int64_t b) { return amount(checkedMul(a, b)); }
std::int64_t plus(std::int64_t a, std::int64_t b) { return amount(checkedAdd(a, b)); }

std::int64_t elements(const Shape& shape) { return amount(elementCount(shape)); }

}  // namespace

/// One op, asked about its operands.
class Operands {
 public:
  Operands(const Graph& graph, const Op& op, const OpInfo& info)
      : graph_(graph), op_(op), info_(info) {}

  const Op& op() const { return op_; }
  const OpInfo& info() const { return info_; }
  std::size_t inputCount() const { return op_.inputs.size(); }
  bool isWeight(std::size_t i) const {
    return hasInput(i) && graph_.tensors[op_.inputs[i]].constant;
  }
  bool hasInput(std::size_t i) const { return i < op_.inputs.size() && op_.inputs[i]; }

  const Shape& inputShape(std::size_t i) const {
    if (!hasInput(i)) throw Unknown{fmt::format("it has no input {}", i)};
    return shape(op_.inputs[i], "input");
  }
  std::int64_t inputElements(std::size_t i) const { return elements(inputShape(i)); }
  std::int64_t outputElements() const {
    if (op_.outputs.empty() || !op_.outputs[0]) throw Unknown{"it has no output 0"};
    return elements(shape(op_.outputs[0], "output"));
  }

  std::int64_t writtenElements() const {
    std::int64_t out = 0;
    for (const TensorId id : op_.outputs) {
      if (id && !isScratch(graph_, id)) out = plus(out, elements(shape(id, "output")));
    }
    return out;
  }
  /// The larger of all output elements and the largest input that is not a weight.
  std::int64_t touchedElements() const {
    std::int64_t in = 0;
    for (const TensorId id : op_.inputs) {
      if (id && !graph_.tensors[id].constant) in = std::max(in, elements(shape(id, "input")));
    }
    return std::max(in, writtenElements());
  }

  /// Elements that come in through the inputs alone: what the first turn of a loop takes over.
  std::int64_t handedOver() const {
    std::int64_t sum = 0;
    for (const TensorId id : op_.inputs) {
      if (id && graph_.tensors[id].shape) sum = plus(sum, elements(*graph_.tensors[id].shape));
    }
    return sum;
  }

 private:
  const Shape& shape(TensorId id, const char* role) const {
    const Tensor& tensor = graph_.tensors[id];
    if (tensor.shape) return *tensor.shape;
    throw Unknown{fmt::format("the shape of its {} '{}' is unknown", role,
                              printable(displayName(graph_, id)))};
  }

  const Graph& graph_;
  const Op& op_;
  const OpInfo& info_;
};

namespace {

/// The share of the work of a whole op that falls to some of its rows, and of these to some
/// columns. Shares of parts that do not overlap add up to the whole.
Work workOfPart(const Graph& original, const Tiling::Part& part) {
  Work whole = workOf(original, part.of);
  const auto cut = [](std::int64_t amount, const Interval<std::int64_t>& range, std::int64_t size) {
    const auto upTo = [&](std::int64_t at) {
      return amount / size * at + amount % size * at / size;
    };
    return upTo(range.end) - upTo(range.begin);
  };
  const auto share = [&](std::int64_t amount) {
    return cut(cut(amount, part.rows, part.size), part.columns, part.width);
  };
  whole.macs = share(whole.macs);
  whole.written = share(whole.written);
  whole.touched = share(whole.touched);
  return whole;
}

}  // namespace

Work workOf(const Graph& graph, OpId id) {
  const Op& op = graph.ops[id];
  if (op.folded || op.domain == kTileDomain) return {};
  if (const auto* part = partOf(graph, id)) return workOfPart(*graph.tiling->original, *part);
  static constexpr OpInfo kUnknown;
  const OpInfo* info = findOp(op);
  const Operands operands(graph, op, info != nullptr ? *info : kUnknown);
  try {
    WorkRule* rule = operands.info().work;
    const Work once = rule != nullptr ? rule(operands)
                                      : Work{.written = operands.writtenElements(),
                                             .touched = operands.touchedElements()};
    // Inside a loop: all its turns. The op that begins one runs once itself.
    const std::int64_t turns = rule == &work::body ? 1 : op.intAttribute("turns", 1);
    return {.macs = times(once.macs, turns),
            .written = times(once.written, turns),
            .touched = times(once.touched, turns)};
  } catch (Unknown& unknown) {
    return {.unknown = std::move(unknown.reason)};
  }
}

namespace work {
namespace {

std::int64_t dimension(const Shape& shape, std::size_t axis) {
  if (axis >= shape.size()) throw Unknown{fmt::format("an operand has no dimension {}", axis)};
  return shape[axis];
}

/// The products of one channel of the weight: all its dimensions but that of the channels, which an
/// attribute of StableHLO may number.
std::int64_t volumePerChannel(const Operands& operands) {
  const Shape& weight = operands.inputShape(operands.info().weight);
  const std::int64_t last = std::ssize(weight) - 1;
  const std::int64_t axis = operands.op().intAttribute("kernel_output_feature_dimension",
                                                       operands.info().lastChannel ? last : 0);
  if (axis < 0 || axis > last) throw Unknown{"its weight has too few dimensions"};
  return elements(spliced(weight, static_cast<std::size_t>(axis), 1, {}));
}

/// M x N x K: the output has M x N, K is the inner dimension of A.
Work innerProduct(const Operands& operands, bool transposed) {
  const Shape& a = operands.inputShape(0);
  if (a.empty()) throw Unknown{"its input is a scalar"};
  const std::size_t inner = a.size() - (transposed && a.size() > 1 ? 2 : 1);
  return {.macs = times(operands.outputElements(), a[inner])};
}

/// The number of keys attended to: dimension 1 of (B, T, H), 2 of (B, heads, T, d), with the past.
std::int64_t keyCount(const Operands& operands, std::size_t key, std::size_t past) {
  const Shape& shape = operands.inputShape(key);
  std::int64_t keys = dimension(shape, shape.size() == 4 ? 2 : 1);
  if (operands.hasInput(past)) {
    const Shape& before = operands.inputShape(past);
    keys = plus(keys, dimension(before, before.size() - 2));
  }
  return keys;
}

/// 2 x heads x Tq x Tk x d: Q K^T reads Q once a key, and the weighted sum writes Y once a key.
Work attended(const Operands& operands, std::size_t past) {
  const std::int64_t out = operands.outputElements();
  // Without a key of its own, input 0 is Q, K and V in one; Q alone is as large as the output.
  const bool packed = !operands.hasInput(1);
  const std::int64_t keys = keyCount(operands, packed ? 0 : 1, past);
  return {.macs = times(plus(packed ? out : operands.inputElements(0), out), keys)};
}

/// As above, for ops that bring their own projection.
Work projected(const Operands& operands, std::size_t past) {
  const Shape& x = operands.inputShape(0);
  const std::int64_t rows = times(dimension(x, 0), dimension(x, 1));
  const std::int64_t keys = keyCount(operands, 0, past);
  const std::int64_t reads = times(times(2, operands.outputElements()), keys);
  return {.macs = plus(times(rows, operands.inputElements(1)), reads)};
}

}  // namespace

// Operands are read in statements of their own, so that the same missing one is always named:
// compilers choose the order of arguments.

Work convolution(const Operands& operands) {
  const std::int64_t volume = volumePerChannel(operands);
  return {.macs = times(operands.outputElements(), volume)};
}

Work transposedConvolution(const Operands& operands) {
  const std::int64_t volume = volumePerChannel(operands);
  return {.macs = times(operands.inputElements(operands.info().data), volume)};
}

/// Output elements x depth, the last dimension of the weight: the input may be of any rank.
Work dense(const Operands& operands) {
  const Shape& weight = operands.inputShape(1);
  if (weight.empty()) throw Unknown{"its weight is a scalar"};
  return {.macs = times(operands.outputElements(), weight.back())};
}

Work gemm(const Operands& operands) {
  return innerProduct(operands, operands.op().intAttribute("transA", 0) != 0);
}

Work product(const Operands& operands) { return innerProduct(operands, false); }

Work packedProduct(const Operands& operands) {
  return {.macs = times(operands.outputElements(), operands.op().intAttribute("K", 0))};
}

/// Gates x H x (I + H) x directions are the elements of W and R together, whatever their layout.
Work recurrence(const Operands& operands) {
  const Shape& x = operands.inputShape(0);
  const std::int64_t rows = times(dimension(x, 0), dimension(x, 1));
  const std::int64_t weights = operands.inputElements(1);
  return {.macs = times(rows, plus(weights, operands.inputElements(2)))};
}

/// Every row of the input meets every matrix of weights, one for each gate, once.
Work weightMatrices(const Operands& operands) {
  const Shape& x = operands.inputShape(0);
  if (x.empty()) throw Unknown{"its input is a scalar"};
  std::int64_t weights = 0;
  for (std::size_t i = 1; i < operands.inputCount(); ++i) {
    if (!operands.isWeight(i) || operands.inputShape(i).size() != 2) continue;
    weights = plus(weights, operands.inputElements(i));
  }
  if (weights == 0) throw Unknown{"its weights are not stored in the file"};
  return {.macs = times(elements(Shape(x.begin(), x.end() - 1)), weights)};
}

Work attention(const Operands& operands) { return attended(operands, 4); }
Work groupQueryAttention(const Operands& operands) { return attended(operands, 3); }
Work multiHeadAttention(const Operands& operands) { return attended(operands, 6); }
Work projectedAttention(const Operands& operands) { return projected(operands, 4); }
Work quantizedAttention(const Operands& operands) { return projected(operands, 8); }

/// Every combination of all labels is one multiplication: "bij,bjk->bik" takes b x i x j x k.
Work contraction(const Operands& operands) {
  const std::string equation = operands.op().stringAttribute("equation", "");
  const std::string_view terms = std::string_view(equation).substr(0, equation.find("->"));
  std::set<char> seen;
  std::int64_t macs = 1;
  std::size_t input = 0;
  for (const std::string_view term : splitText(terms, ',')) {
    const Shape& shape = operands.inputShape(input++);
    std::size_t axis = 0;
    for (const char label : term) {
      if (label == ' ') continue;
      if (label == '.') throw Unknown{"its equation has an ellipsis"};
      const std::int64_t size = dimension(shape, axis++);
      if (seen.insert(label).second) macs = times(macs, size);
    }
  }
  return {.macs = macs};
}

/// Output elements times the dimensions of input 0 that are summed over, which attributes number.
Work numberedContraction(const Operands& operands) {
  const Shape& left = operands.inputShape(0);
  std::int64_t macs = operands.outputElements();
  for (const std::int64_t axis : operands.op().intsAttribute("lhs_contracting_dimensions")) {
    if (axis < 0) throw Unknown{"an attribute of it is negative"};
    macs = times(macs, dimension(left, static_cast<std::size_t>(axis)));
  }
  return {.macs = macs};
}

/// A window for every element it writes, when the op has one.
Work pooling(const Operands& operands) {
  std::int64_t window = 1;
  for (const std::int64_t side : operands.op().intsAttribute("kernel_shape")) {
    window = times(window, side);
  }
  const std::int64_t written = operands.outputElements();
  return {.written = written, .touched = times(written, window)};
}

Work body(const Operands& operands) {
  if (operands.op().attributes.contains("turns")) {
    return {.written = operands.handedOver(), .touched = operands.handedOver()};
  }
  throw Unknown{"how often its body runs is not known ahead of time"};
}

}  // namespace work
}  // namespace hw
