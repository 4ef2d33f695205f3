#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/text.h"
#include "core/graph/tiling.h"
#include "core/ops/op_rules.h"
#include "core/ops/windows.h"
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

  /// True if it has input `i`, of known shape.
  bool knows(std::size_t i) const { return hasInput(i) && graph_.tensors[op_.inputs[i]].shape; }

  const Shape& inputShape(std::size_t i) const {
    if (!hasInput(i)) throw Unknown{fmt::format("it has no input {}", i)};
    return shape(op_.inputs[i], "input");
  }
  std::int64_t inputElements(std::size_t i) const { return elements(inputShape(i)); }
  const Shape& outputShape() const {
    if (op_.outputs.empty() || !op_.outputs[0]) throw Unknown{"it has no output 0"};
    return shape(op_.outputs[0], "output");
  }
  std::int64_t outputElements() const { return elements(outputShape()); }
  /// The shape of what a convolution makes, before it is pooled.
  Shape convolvedShape() const {
    Shape shape = outputShape();
    const auto places = op_.intsAttribute(std::string(kPooled));
    if (places.size() + 2 != shape.size()) return shape;
    const std::ptrdiff_t first = op_.intAttribute("channels_last", 0) != 0 ? 1 : 2;
    std::ranges::copy(places, shape.begin() + first);
    return shape;
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

/// The loop along an axis of an output of `rank` dimensions.
Loop loopAlong(const Op& op, const Loops& loops, std::size_t axis, std::size_t rank) {
  const OpInfo* info = findOp(op);
  const bool matrix = info != nullptr && info->kind == OpClass::product;
  const bool last = matrix || op.intAttribute("channels_last", 0) != 0;
  if (axis == (last ? rank - 1 : 1)) return loops[Loop::output] == 1 ? Loop::group : Loop::output;
  if (axis == 0 || matrix) return Loop::batch;
  return axis == rank - (last ? 2 : 1) ? Loop::column : Loop::row;
}

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
  const Op& op = original.ops[part.of];
  const auto narrow = [&](int axis, const Interval<std::int64_t>& range, std::int64_t size) {
    if (!whole.loops) return;
    const std::size_t rank = original.tensors[op.outputs[0]].shape->size();
    const Loop along = loopAlong(op, *whole.loops, static_cast<std::size_t>(axis), rank);
    std::int64_t& loop = (*whole.loops)[along];
    if (loop != size) return whole.loops.reset();
    loop = range.length();
    if (along != Loop::row && along != Loop::column) return;
    Slide& slide = along == Loop::row ? whole.down : whole.across;
    const auto steps = checkedMul(loop - 1, slide.step);
    const auto read = steps ? checkedAdd(*steps, slide.reach) : std::nullopt;
    if (read) slide.image = std::min(slide.image, *read);
  };
  narrow(part.axis, part.rows, part.size);
  if (part.across >= 0) narrow(part.across, part.columns, part.width);
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
            .touched = times(once.touched, turns),
            .loops = turns == 1 ? once.loops : std::nullopt,
            .down = once.down,
            .across = once.across};
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

/// Batch and places of an image.
void setPlaces(Loops& loops, const Shape& image, bool channelsLast) {
  const std::size_t first = channelsLast ? 1 : 2;
  const std::size_t places = image.size() - 2;
  loops[Loop::batch] = image[0];
  loops[Loop::column] = image[first + places - 1];
  for (std::size_t i = 0; i + 1 < places; ++i) {
    loops[Loop::row] = times(loops[Loop::row], image[first + i]);
  }
}

/// Sets the windows of an operator with loops, where the shape of its input is known; along rows of
/// an image with two axes only.
Work withSlides(Work work, const Operands& operands) {
  const std::size_t data = operands.info().data;
  if (!work.loops || !operands.knows(data)) return work;
  const Op& op = operands.op();
  const Shape& image = operands.inputShape(data);
  if (image.size() != operands.outputShape().size()) return work;
  const std::size_t places = image.size() - 2;
  const std::size_t first = op.intAttribute("channels_last", 0) != 0 ? 1 : 2;
  const auto strides = op.intsAttribute("strides");
  const auto dilations = op.intsAttribute("dilations");
  const auto entry = [](const std::vector<std::int64_t>& list, std::size_t place) {
    const std::int64_t value = place < list.size() ? list[place] : 1;
    return value >= 1 && isReasonable(value) ? value : 1;
  };
  const auto slide = [&](std::size_t place, std::int64_t kernel) {
    const std::int64_t dilation = entry(dilations, place);
    return Slide{.image = image[first + place],
                 .reach = isReasonable(kernel) ? (kernel - 1) * dilation + 1 : kernel,
                 .step = entry(strides, place)};
  };
  work.across = slide(places - 1, (*work.loops)[Loop::kernelColumn]);
  if (places == 2) work.down = slide(0, (*work.loops)[Loop::kernelRow]);
  return work;
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

/// Loops that `make` returns; nothing where a shape that only they need is unknown: the work is
/// known all the same.
template <class Make>
std::optional<Loops> loopsIfKnown(const Make& make) {
  try {
    return make();
  } catch (const Unknown&) {
    return std::nullopt;
  }
}

/// The loops of a grouped convolution that makes `out`; nothing where its shapes do not say them.
std::optional<Loops> convolutionLoops(const Operands& operands, const Shape& out,
                                      std::int64_t volume) {
  const Op& op = operands.op();
  const OpInfo& info = operands.info();
  const Shape& weight = operands.inputShape(info.weight);
  const Shape& in = operands.inputShape(info.data);
  const bool last = op.intAttribute("channels_last", 0) != 0;
  if (out.size() < 3 || out.size() > 5 || weight.size() != out.size() || in.size() != out.size() ||
      op.attributes.contains("kernel_output_feature_dimension")) {
    return std::nullopt;
  }
  // (K, C, places), (K, places, C), (1, places, K) of depthwise ones, (places, C, K) in space.
  const std::size_t first = !last ? 2 : info.lastChannel && weight.size() == 5 ? 0 : 1;
  const std::size_t places = out.size() - 2;
  Loops loops;
  loops[Loop::kernelColumn] = weight[first + places - 1];
  for (std::size_t i = 0; i + 1 < places; ++i) {
    loops[Loop::kernelRow] = times(loops[Loop::kernelRow], weight[first + i]);
  }
  setPlaces(loops, out, last);
  const std::int64_t window = times(loops[Loop::kernelRow], loops[Loop::kernelColumn]);
  const std::int64_t ins = in[last ? in.size() - 1 : 1];
  const std::int64_t outs = out[last ? out.size() - 1 : 1];
  if (window < 1 || volume < window || volume % window != 0) return std::nullopt;
  loops[Loop::input] = volume / window;
  if (ins < 1 || ins % loops[Loop::input] != 0) return std::nullopt;
  loops[Loop::group] = ins / loops[Loop::input];
  if (outs < 1 || outs % loops[Loop::group] != 0) return std::nullopt;
  loops[Loop::output] = outs / loops[Loop::group];
  return loops;
}

/// The loops of an output of rows of elements, each a sum of `inner` products, of `groups`
/// independent matrices; nothing where these do not go into one another.
std::optional<Loops> matrixLoops(const Operands& operands, std::int64_t inner,
                                 std::int64_t groups) {
  const Shape& out = operands.outputShape();
  const std::int64_t columns = out.empty() ? 1 : out.back();
  const std::int64_t outputs = elements(out);
  const std::int64_t matrix = times(columns, groups);
  if (outputs < 1 || inner < 1 || matrix < 1 || outputs % matrix != 0) return std::nullopt;
  Loops loops;
  loops[Loop::batch] = outputs / matrix;
  loops[Loop::group] = groups;
  loops[Loop::output] = columns;
  loops[Loop::input] = inner;
  return loops;
}

/// A matrix product; `b` is the input with the second matrix, which is one for all rows if it has
/// two dimensions.
Work matrixWork(const Operands& operands, std::int64_t inner, std::size_t b) {
  return {.macs = times(operands.outputElements(), inner),
          .loops = loopsIfKnown([&] {
            const Shape second = operands.hasInput(b) ? operands.inputShape(b) : Shape();
            const bool several = second.size() > 2;
            return matrixLoops(operands, inner,
                               several ? elements(Shape(second.begin(), second.end() - 2)) : 1);
          })};
}

/// M x N x K: the output has M x N, K is the inner dimension of A.
Work innerProduct(const Operands& operands, bool transposed) {
  const Shape& a = operands.inputShape(0);
  if (a.empty()) throw Unknown{"its input is a scalar"};
  const std::size_t inner = a.size() - (transposed && a.size() > 1 ? 2 : 1);
  return matrixWork(operands, a[inner], 1);
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
  const Shape out = operands.convolvedShape();
  return withSlides(
      {.macs = times(elements(out), volume),
       .loops = loopsIfKnown([&] { return convolutionLoops(operands, out, volume); })},
      operands);
}

Work transposedConvolution(const Operands& operands) {
  const std::int64_t volume = volumePerChannel(operands);
  return {.macs = times(operands.inputElements(operands.info().data), volume)};
}

/// Output elements x depth, the last dimension of the weight: the input may be of any rank.
Work dense(const Operands& operands) {
  const Shape& weight = operands.inputShape(1);
  if (weight.empty()) throw Unknown{"its weight is a scalar"};
  return matrixWork(operands, weight.back(), 1);
}

Work gemm(const Operands& operands) {
  return innerProduct(operands, operands.op().intAttribute("transA", 0) != 0);
}

Work product(const Operands& operands) { return innerProduct(operands, false); }

Work packedProduct(const Operands& operands) {
  return matrixWork(operands, operands.op().intAttribute("K", 0), operands.inputCount());
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
  const std::vector<std::int64_t> kernel = operands.op().intsAttribute("kernel_shape");
  std::int64_t window = 1;
  for (const std::int64_t side : kernel) window = times(window, side);
  const std::int64_t written = operands.outputElements();
  Work work{.written = written, .touched = times(written, window)};
  const Shape& out = operands.outputShape();
  if (kernel.empty() || out.size() != kernel.size() + 2) return work;
  const bool last = operands.op().intAttribute("channels_last", 0) != 0;
  work.loops.emplace();
  setPlaces(*work.loops, out, last);
  (*work.loops)[Loop::group] = out[last ? out.size() - 1 : 1];
  (*work.loops)[Loop::kernelColumn] = kernel.back();
  (*work.loops)[Loop::kernelRow] = window / std::max<std::int64_t>(kernel.back(), 1);
  return withSlides(std::move(work), operands);
}

Work body(const Operands& operands) {
  if (operands.op().attributes.contains("turns")) {
    return {.written = operands.handedOver(), .touched = operands.handedOver()};
  }
  throw Unknown{"how often its body runs is not known ahead of time"};
}

}  // namespace work
}  // namespace hw
