#include "core/sim/cost_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>

#include "core/base/text.h"
#include "core/graph/op_table.h"

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

/// One op, asked about its operands.
class Operands {
 public:
  Operands(const Graph& graph, const Op& op) : graph_(graph), op_(op) {}

  const Op& op() const { return op_; }
  std::size_t inputCount() const { return op_.inputs.size(); }
  bool isWeight(std::size_t i) const {
    return hasInput(i) && graph_.tensors[op_.inputs[i]].constant;
  }
  bool hasInput(std::size_t i) const { return i < op_.inputs.size() && op_.inputs[i]; }

  const Shape& inputShape(std::size_t i) const {
    if (!hasInput(i)) throw Unknown{fmt::format("it has no input {}", i)};
    return shape(op_.inputs[i], "input");
  }
  const Shape& outputShape() const {
    if (op_.outputs.empty() || !op_.outputs[0]) throw Unknown{"it has no output 0"};
    return shape(op_.outputs[0], "output");
  }
  std::int64_t inputElements(std::size_t i) const { return elements(inputShape(i)); }
  std::int64_t outputElements() const { return elements(outputShape()); }

  static std::int64_t elements(const Shape& shape) { return amount(elementCount(shape)); }

  /// The larger of all output elements and the largest input that is not a weight.
  std::int64_t touchedElements() const {
    std::int64_t in = 0;
    std::int64_t out = 0;
    for (const TensorId id : op_.inputs) {
      if (id && !graph_.tensors[id].constant) in = std::max(in, elements(shape(id, "input")));
    }
    for (const TensorId id : op_.outputs) {
      if (id) out = plus(out, elements(shape(id, "output")));
    }
    return std::max(in, out);
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
};

std::int64_t dimension(const Shape& shape, std::size_t axis) {
  if (axis >= shape.size()) throw Unknown{fmt::format("an operand has no dimension {}", axis)};
  return shape[axis];
}

/// Everything but the leading dimension of a weight: what one output channel multiplies.
std::int64_t volumePerChannel(const Shape& weight) {
  if (weight.empty()) throw Unknown{"its weight is a scalar"};
  return Operands::elements(Shape(weight.begin() + 1, weight.end()));
}

/// Everything but the dimension `axis` of a weight.
std::int64_t volumeBut(const Shape& weight, std::int64_t axis) {
  const auto rank = static_cast<std::int64_t>(weight.size());
  if (axis < 0 || axis >= rank) throw Unknown{"its weight has too few dimensions"};
  Shape rest = weight;
  rest.erase(rest.begin() + axis);
  return Operands::elements(rest);
}

std::int64_t lastAxis(const Shape& shape) { return static_cast<std::int64_t>(shape.size()) - 1; }

std::int64_t convolution(const Operands& operands, std::size_t weight) {
  return times(operands.outputElements(), volumePerChannel(operands.inputShape(weight)));
}

std::int64_t channelsLast(const Operands& operands) {
  const Shape& weight = operands.inputShape(1);
  return times(operands.outputElements(), volumeBut(weight, lastAxis(weight)));
}

/// The attribute says which dimension of the weight counts the output channels.
std::int64_t numberedConvolution(const Operands& operands) {
  const std::int64_t axis = operands.op().intAttribute("kernel_output_feature_dimension", -1);
  return times(operands.outputElements(), volumeBut(operands.inputShape(1), axis));
}

std::int64_t transposedConvolution(const Operands& operands, std::size_t weight) {
  return times(operands.inputElements(0), volumePerChannel(operands.inputShape(weight)));
}

std::int64_t transposedChannelsLast(const Operands& operands, std::size_t data) {
  const Shape& weight = operands.inputShape(1);
  return times(operands.inputElements(data), volumeBut(weight, lastAxis(weight)));
}

/// Output elements x depth, the last dimension of the weight: the input may be of any rank.
std::int64_t dense(const Operands& operands) {
  const Shape& weight = operands.inputShape(1);
  if (weight.empty()) throw Unknown{"its weight is a scalar"};
  return times(operands.outputElements(), weight.back());
}

/// M x N x K: the output has M x N, K is the inner dimension of A.
std::int64_t product(const Operands& operands, bool transposed) {
  const Shape& a = operands.inputShape(0);
  if (a.empty()) throw Unknown{"its input is a scalar"};
  const std::size_t inner = a.size() - (transposed && a.size() > 1 ? 2 : 1);
  return times(operands.outputElements(), a[inner]);
}

/// Gates x H x (I + H) x directions are the elements of W and R together, whatever their layout.
std::int64_t recurrence(const Operands& operands) {
  const Shape& x = operands.inputShape(0);
  const std::int64_t rows = times(dimension(x, 0), dimension(x, 1));
  return times(rows, plus(operands.inputElements(1), operands.inputElements(2)));
}

/// Every row of the input meets every matrix of weights, one for each gate, once.
std::int64_t weightMatrices(const Operands& operands) {
  const Shape& x = operands.inputShape(0);
  if (x.empty()) throw Unknown{"its input is a scalar"};
  std::int64_t weights = 0;
  for (std::size_t i = 1; i < operands.inputCount(); ++i) {
    if (!operands.isWeight(i) || operands.inputShape(i).size() != 2) continue;
    weights = plus(weights, operands.inputElements(i));
  }
  if (weights == 0) throw Unknown{"its weights are not stored in the file"};
  return times(Operands::elements(Shape(x.begin(), x.end() - 1)), weights);
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
std::int64_t attention(const Operands& operands) {
  const Op& op = operands.op();
  const std::int64_t out = operands.outputElements();
  // The op of the Microsoft domain brings its own projection; the standard one does not.
  const bool projects = op.type == "QAttention" || (op.type == "Attention" && !op.domain.empty());
  if (projects) {
    const Shape& x = operands.inputShape(0);
    const std::int64_t rows = times(dimension(x, 0), dimension(x, 1));
    const std::int64_t keys = keyCount(operands, 0, op.type == "Attention" ? 4 : 8);
    return plus(times(rows, operands.inputElements(1)), times(times(2, out), keys));
  }
  const std::size_t past = op.type == "GroupQueryAttention" ? 3 : op.type == "Attention" ? 4 : 6;
  // Without a key of its own, input 0 is Q, K and V in one; Q alone is as large as the output.
  const bool packed = !operands.hasInput(1);
  const std::int64_t keys = keyCount(operands, packed ? 0 : 1, past);
  return times(plus(packed ? out : operands.inputElements(0), out), keys);
}

/// Every combination of all labels is one multiplication: "bij,bjk->bik" takes b x i x j x k.
std::int64_t contraction(const Operands& operands) {
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
  return macs;
}

/// Output elements times the dimensions of input 0 that are summed over.
std::int64_t numberedContraction(const Operands& operands) {
  const Shape& left = operands.inputShape(0);
  std::int64_t macs = operands.outputElements();
  for (const std::int64_t axis : operands.op().intsAttribute("lhs_contracting_dimensions")) {
    if (axis < 0) throw Unknown{"an attribute of it is negative"};
    macs = times(macs, dimension(left, static_cast<std::size_t>(axis)));
  }
  return macs;
}

/// Output elements times the window, when the op has one.
std::int64_t pooling(const Operands& operands) {
  const Op& op = operands.op();
  std::int64_t window =
      times(op.intAttribute("filter_height", 1), op.intAttribute("filter_width", 1));
  for (const std::int64_t side : op.intsAttribute("kernel_shape")) {
    window = times(window, side);
  }
  return times(operands.outputElements(), window);
}

/// As ONNX and TFLite call it.
bool isTransposed(const Op& op) {
  return op.intAttribute("transA", 0) != 0 || op.intAttribute("adj_x", 0) != 0;
}

Work workByRule(const Operands& operands, const OpInfo& info) {
  const Op& op = operands.op();
  switch (info.work) {
    case WorkKind::elements:
      return {.elements = operands.touchedElements()};
    case WorkKind::convolution:
      return {.macs = convolution(operands, info.weight)};
    case WorkKind::channelsLast:
      return {.macs = channelsLast(operands)};
    case WorkKind::numberedConvolution:
      return {.macs = numberedConvolution(operands)};
    case WorkKind::transposedConvolution:
      return {.macs = transposedConvolution(operands, info.weight)};
    case WorkKind::transposedChannelsLast:
      return {.macs = transposedChannelsLast(operands, info.data)};
    case WorkKind::dense:
      return {.macs = dense(operands)};
    case WorkKind::gemm:
      return {.macs = product(operands, isTransposed(op))};
    case WorkKind::product:
      return {.macs = product(operands, false)};
    case WorkKind::packedProduct:
      return {.macs = times(operands.outputElements(), op.intAttribute("K", 0))};
    case WorkKind::recurrence:
      return {.macs = recurrence(operands)};
    case WorkKind::weightMatrices:
      return {.macs = weightMatrices(operands)};
    case WorkKind::attention:
      return {.macs = attention(operands)};
    case WorkKind::contraction:
      return {.macs = contraction(operands)};
    case WorkKind::numberedContraction:
      return {.macs = numberedContraction(operands)};
    case WorkKind::pooling:
      return {.elements = pooling(operands)};
    case WorkKind::body:
      if (op.attributes.contains("turns")) return {.elements = operands.handedOver()};
      throw Unknown{"how often its body runs is not known ahead of time"};
  }
  return {};
}

std::int64_t capped(double value) {
  const auto most = static_cast<double>(kMaxTime.count());
  return value < most ? static_cast<std::int64_t>(value) : kMaxTime.count();
}

// ISO C++ has no 128-bit integer; both compilers of ours do.
__extension__ using Wide = unsigned __int128;

SimTime capTime(Wide picoseconds) {
  const auto most = static_cast<Wide>(kMaxTime.count());
  return SimTime(static_cast<std::int64_t>(std::min(picoseconds, most)));
}

constexpr std::int64_t kPicosecondsPerSecond = 1'000'000'000'000;

}  // namespace

Work workOf(const Graph& graph, OpId id) {
  const Op& op = graph.ops[id];
  if (op.folded) return {};
  const Operands operands(graph, op);
  try {
    const OpInfo* info = findOp(op);
    const Work once = info != nullptr ? workByRule(operands, *info)
                                      : Work{.elements = operands.touchedElements()};
    // Inside a loop: all its turns. The op that begins one runs once itself.
    const bool begins = info != nullptr && info->work == WorkKind::body;
    const std::int64_t turns = begins ? 1 : op.intAttribute("turns", 1);
    return {.macs = times(once.macs, turns), .elements = times(once.elements, turns)};
  } catch (Unknown& unknown) {
    return {.unknown = std::move(unknown.reason)};
  }
}

SimTime computeTime(const UnitSpec& unit, const Work& work) {
  const auto cycles = [](std::int64_t count, double perCycle) {
    return capped(std::ceil(static_cast<double>(count) / perCycle));
  };
  const std::int64_t total =
      std::max(cycles(work.macs, unit.macsPerCycle), cycles(work.elements, unit.elementsPerCycle));
  return capTime(static_cast<Wide>(total) * kPicosecondsPerSecond / static_cast<Wide>(unit.clock));
}

SimTime transferTime(Bytes bytes, std::int64_t bandwidth) {
  if (bandwidth <= 0) return {};
  const auto rate = static_cast<Wide>(bandwidth);
  return capTime((static_cast<Wide>(bytes.count()) * kPicosecondsPerSecond + rate - 1) / rate);
}

}  // namespace hw
