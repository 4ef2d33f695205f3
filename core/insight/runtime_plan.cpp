#include "core/insight/runtime_plan.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>

#include "core/base/load_sweep.h"
#include "core/graph/graph.h"
#include "core/graph/traversal.h"

namespace hw {
namespace {

/// Which output a CPU kernel of ONNX Runtime makes in the bytes of an input. Not our own in-place
/// rule of core/ops: most kernels there that could overwrite an input do not.
struct RuntimeKernel {
  std::string_view type{};
  std::string_view domain{};
  std::uint8_t input = 0;
  std::uint8_t output = 0;
  /// The output is the input under another shape, whoever else reads it. Else it is written over
  /// the input where nobody needs that any more and shapes and widths agree.
  bool shows = false;
};

constexpr std::string_view kMicrosoftDomain = "com.microsoft";
constexpr std::string_view kClassicDomain = "ai.onnx.ml";

constexpr RuntimeKernel over(std::string_view type, std::string_view domain = "",
                             std::uint8_t input = 0, std::uint8_t output = 0) {
  return {type, domain, input, output, false};
}

constexpr RuntimeKernel shows(std::string_view type, std::string_view domain = "",
                              std::uint8_t input = 0, std::uint8_t output = 0) {
  return {type, domain, input, output, true};
}

// Measured with version 1.30 of the runtime, operator by operator: a convolution's output goes into
// the operator, static shapes, one thread, nothing rewritten. Those of ai.onnx.ml, com.microsoft
// and the rarer ones are as its kernels are registered. Whatever is missing here never shares:
// additions, products, normalizations, depthwise convolutions and the like do not.
constexpr std::array kKernels = {
    over("Affine", kMicrosoftDomain),
    shows("BatchNormalization", "", 3, 1),
    shows("BatchNormalization", "", 4, 2),
    over("BlackmanWindow"),
    over("Cast"),
    over("Celu"),
    over("Clip"),
    over("DFT"),
    over("DecoderMaskedMultiHeadAttention", kMicrosoftDomain, 5, 1),
    over("DecoderMaskedMultiHeadAttention", kMicrosoftDomain, 6, 2),
    over("Elu"),
    shows("ExpandDims", kMicrosoftDomain),
    shows("Flatten"),
    over("FusedConv", kMicrosoftDomain, 3),
    over("HammingWindow"),
    over("HannWindow"),
    over("HardSigmoid"),
    shows("Identity"),
    over("LeakyRelu"),
    over("LogSoftmax"),
    over("MoE", kMicrosoftDomain),
    over("Normalizer", kClassicDomain),
    shows("Optional"),
    shows("OptionalGetElement"),
    over("ParametricSoftplus", kMicrosoftDomain),
    over("Relu"),
    shows("Reshape"),
    over("ScaledTanh", kMicrosoftDomain),
    over("Scaler", kClassicDomain),
    over("Scatter"),
    over("ScatterElements"),
    over("Selu"),
    over("Shrink"),
    over("Sigmoid"),
    over("Softmax"),
    over("Softplus"),
    over("Softsign"),
    shows("Squeeze"),
    over("Tanh"),
    over("ThresholdedRelu"),
    over("TreeEnsemble", kClassicDomain),
    over("TreeEnsembleRegressor", kClassicDomain),
    over("Trilu"),
    shows("Unsqueeze"),
};

constexpr bool byType(const RuntimeKernel& a, const RuntimeKernel& b) { return a.type < b.type; }
static_assert(std::ranges::is_sorted(kKernels, byType));

/// Outputs that the kernel of `op` makes so, in its order of preference; mostly none.
std::span<const RuntimeKernel> runtimeKernels(const Op& op) {
  // Clang 14 cannot use the subrange that std::ranges::equal_range returns.
  const auto [begin, end] =
      std::equal_range(kKernels.begin(), kKernels.end(), RuntimeKernel{.type = op.type}, byType);
  if (begin == end || begin->domain != op.domain) return {};
  return {begin, end};
}

class RuntimePlanner {
 public:
  explicit RuntimePlanner(const RuntimeProgram& program)
      : program_(program),
        graph_(program.graph),
        values_(graph_.tensors.size()),
        blockOf_(graph_.tensors.size()) {
    for (const TensorId id : graph_.tensors.keys()) {
      values_[id].home = id;
      // Whoever calls keeps what goes in; weights stay.
      if (!isMade(id)) values_[id].uses = 1;
    }
    for (const OpId id : program.schedule.order) {
      if (!runs(id)) continue;
      forEachOperand(id, [&](TensorId in) { ++values_[in].uses; });
      for (const TensorId out : graph_.ops[id].outputs) {
        if (out) ++values_[out].uses;
      }
    }
    for (const TensorId out : graph_.outputs) ++values_[out].uses;
  }

  RuntimePlan plan() {
    for (const OpId id : program_.schedule.order) {
      if (!runs(id)) continue;
      const Op& op = graph_.ops[id];
      for (std::size_t i = 0; i < op.outputs.size(); ++i) {
        if (!op.outputs[i]) continue;
        if (isLeftOut(id)) {
          takeOver(op.inputs.front(), op.outputs[i]);
        } else {
          place(id, i);
        }
      }
      forEachOperand(id, [&](TensorId in) { release(in, id); });
      for (const TensorId out : op.outputs) {
        if (out) drop(values_[out].home);
      }
    }
    for (RuntimeBlock& block : blocks_) {
      if (block.steps.empty()) block.steps.end = program_.schedule.steps();
    }
    RuntimePlan plan{.blocks = std::move(blocks_)};
    for (const Value& value : values_) plan.homes.add(value.home);
    return plan;
  }

 private:
  /// Place of a value, and how many still count on what lies there.
  struct Value {
    TensorId home{};  ///< The tensor whose bytes it has: its own unless it took over others.
    std::int64_t uses = 0;
  };

  bool runs(OpId id) const {
    const Op& op = graph_.ops[id];
    if (op.type == "Constant") return false;
    return !op.folded || (!program_.ran.empty() && program_.ran[id]);
  }

  /// A cast that the runtime did without: what it makes is what it reads.
  bool isLeftOut(OpId id) const {
    const Op& op = graph_.ops[id];
    if (op.type != "Cast" || program_.ran.empty() || program_.ran[id]) return false;
    return !op.inputs.empty() && op.inputs.front();
  }

  /// An operator makes it while the model runs.
  bool isMade(TensorId id) const {
    const OpId producer = graph_.tensors[id].producer;
    return producer && runs(producer);
  }

  /// Each as often as it is read; bodies read what is outside once.
  template <class Visit>
  void forEachOperand(OpId id, const Visit& visit) const {
    for (const TensorId in : graph_.ops[id].inputs) {
      if (in) visit(in);
    }
    for (const TensorId in : graph_.ops[id].captures) visit(in);
  }

  void place(OpId id, std::size_t output) {
    const TensorId made = graph_.ops[id].outputs[output];
    const bool handedOut = graph_.tensors[made].graphOutput;
    if (!handedOut) {
      if (const TensorId in = sharedInput(id, output)) return takeOver(in, made);
      if (!graph_.tensors[made].consumers.empty()) {
        if (const TensorId freed = takeFreed(made)) return takeOver(freed, made);
      }
    }
    const Step begin = program_.schedule.stepOf[id];
    // Until somebody reads what lies there.
    const Step end = handedOut ? program_.schedule.steps() : begin;
    blockOf_[made] = blocks_.size();
    blocks_.push_back({{begin, end}, graph_.tensors[made].bytes.value_or(Bytes())});
  }

  TensorId sharedInput(OpId id, std::size_t output) const {
    const Op& op = graph_.ops[id];
    for (const RuntimeKernel& kernel : runtimeKernels(op)) {
      if (kernel.output != output || kernel.input >= op.inputs.size()) continue;
      const TensorId in = op.inputs[kernel.input];
      if (!in) continue;
      if (kernel.shows) return in;
      if (values_[values_[in].home].uses == 1 && sameSize(in, op.outputs[output])) return in;
    }
    return {};
  }

  /// The bytes freed last that fit; they are free no longer.
  TensorId takeFreed(TensorId made) {
    const auto size = sizeOf(made);
    if (!size || size->shape.empty()) return {};
    const auto found = freed_.find(*size);
    if (found == freed_.end() || found->second.empty()) return {};
    const TensorId freed = found->second.back();
    found->second.pop_back();
    return freed;
  }

  void takeOver(TensorId from, TensorId made) {
    const TensorId home = values_[from].home;
    values_[made].home = home;
    values_[home].uses += values_[made].uses;
  }

  void release(TensorId in, OpId reader) {
    const TensorId home = values_[in].home;
    if (blockOf_[home]) {
      RuntimeBlock& block = blocks_[*blockOf_[home]];
      block.steps.end = std::max(block.steps.end, program_.schedule.stepOf[reader] + Step(1));
    }
    drop(home);
  }

  void drop(TensorId home) {
    if (--values_[home].uses > 0) return;
    if (const auto size = sizeOf(home)) freed_[*size].push_back(home);
  }

  /// Null: the runtime does not know it before it runs.
  const Shape* knownShape(TensorId id) const {
    const Tensor& tensor = graph_.tensors[id];
    if (!program_.shapes.empty()) return program_.shapes[id] ? &*program_.shapes[id] : nullptr;
    const bool isFree = tensor.origin == SizeOrigin::assumed;
    return tensor.shape && !isFree ? &*tensor.shape : nullptr;
  }

  /// Facts in which tensors must agree to have the same bytes one after the other.
  struct Size {
    Shape shape{};
    int width = 0;  ///< Bytes of an element; two of 4 bits are one there.
    friend auto operator<=>(const Size&, const Size&) = default;
  };

  /// Nothing where the runtime does not know it ahead of time.
  std::optional<Size> sizeOf(TensorId id) const {
    constexpr int kByte = 8;
    const Shape* shape = knownShape(id);
    const int width = (dtypeBits(graph_.tensors[id].dtype) + kByte - 1) / kByte;
    if (shape == nullptr || width == 0) return std::nullopt;
    return Size{*shape, width};
  }

  bool sameSize(TensorId a, TensorId b) const {
    const auto size = sizeOf(a);
    return size && size == sizeOf(b);
  }

  const RuntimeProgram& program_;
  const Graph& graph_;
  IdMap<TensorId, Value> values_;
  IdMap<TensorId, std::optional<std::size_t>> blockOf_;  ///< Of homes that take bytes.
  std::map<Size, std::vector<TensorId>> freed_;          ///< Homes, freed last at the end.
  std::vector<RuntimeBlock> blocks_;
};

}  // namespace

bool isUnread(const Graph& graph, TensorId tensor) {
  const Tensor& made = graph.tensors[tensor];
  return made.producer && made.consumers.empty() && !made.graphOutput;
}

RuntimePlan planAsRuntime(const RuntimeProgram& program) { return RuntimePlanner(program).plan(); }

Schedule runtimeSchedule(const Graph& graph) {
  if (graph.reordered) return givenOrder(graph);
  const Precedence precedence = precedenceOf(graph);
  std::vector<OrderConstraint> constraints;
  for (const OpId op : graph.ops.keys()) {
    for (const OpId before : precedence.before[op]) {
      constraints.emplace_back(before.index(), op.index());
    }
  }
  Schedule schedule{.stepOf = IdMap<OpId, Step>(graph.ops.size())};
  for (const std::size_t number : executedOrder(graph.ops.size(), constraints)) {
    schedule.stepOf[OpId(number)] = schedule.steps();
    schedule.order.emplace_back(number);
  }
  return schedule;
}

StepFunction liveBytes(const std::vector<RuntimeBlock>& blocks, Step steps) {
  LoadSweep sweep(static_cast<std::size_t>(steps.count()));
  for (const RuntimeBlock& block : blocks) {
    sweep.add(static_cast<std::size_t>(block.steps.begin.count()),
              static_cast<std::size_t>(block.steps.end.count()), block.size);
  }
  StepFunction curve;
  sweep.eachPlace([&](std::size_t step, Bytes live) {
    if (!curve.pieces.empty() && curve.pieces.back().value == live) return;
    curve.pieces.push_back({Step(static_cast<std::int64_t>(step)), live});
  });
  return curve;
}

}  // namespace hw
