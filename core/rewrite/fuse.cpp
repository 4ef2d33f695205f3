#include "core/rewrite/fuse.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <vector>

#include "core/base/text.h"
#include "core/ops/op_table.h"
#include "core/ops/regions.h"
#include "core/rewrite/graph_rewriter.h"

namespace hw {
namespace {

constexpr Fusions kOrtFusions{.quantized = true, .pads = true, .activations = true};
constexpr Fusions kAllFusions{.quantized = true, .pads = true, .activations = true, .pools = true};
constexpr FusionInfo kFusions[] = {
    {"quantized", {.quantized = true}},
    {"none", {}},
    {"pads", {.pads = true}},
    {"activations", {.activations = true}},
    {"pools", {.pools = true}},
    {"all", kAllFusions},
    {"tflm", {}},
    {"ort", kOrtFusions},
    {"st", kAllFusions},
};

constexpr bool Fusions::*kFlags[] = {&Fusions::quantized, &Fusions::pads, &Fusions::activations,
                                     &Fusions::pools};

bool isType(const Op& op, std::initializer_list<std::string_view> types) {
  const OpInfo* info = findOp(op);
  const std::string_view name =
      info != nullptr && !info->standard.empty() ? info->standard : std::string_view(op.type);
  return std::ranges::find(types, name) != types.end();
}

/// QuantizeLinear or DequantizeLinear.
bool isQuantizer(const Op& op, std::string_view type) {
  return op.type == type && op.domain != "tflite" && op.inputs.size() > 1 && op.inputs[0] &&
         op.outputs.size() == 1 && op.outputs[0];
}

bool isPad(const Op& op) {
  return isType(op, {"Pad"}) && op.type != "MIRROR_PAD" &&
         op.stringAttribute("mode", "constant") == "constant";
}

bool isClipping(const Op& op) {
  return isType(op, {"Relu", "Clip", "RELU", "RELU6", "RELU_N1_TO_1", "RELU_0_TO_1"});
}

bool isActivation(const Op& op) {
  return isClipping(op) ||
         isType(op, {"Elu", "HardSigmoid", "HardSwish", "LeakyRelu", "PRelu", "Sigmoid", "Tanh"});
}

bool isPool(const Op& op) { return isType(op, {"MaxPool", "AveragePool"}); }

bool isConvolution(const Op& op) {
  return isType(
      op, {"Conv", "FusedConv", "ConvInteger", "QLinearConv", "CONV_2D", "DEPTHWISE_CONV_2D"});
}

bool fuses(const Op& op, const Fusions& wanted) {
  return (wanted.quantized && isQuantizer(op, "QuantizeLinear")) || (wanted.pads && isPad(op)) ||
         (wanted.activations && isActivation(op)) || (wanted.pools && isPool(op));
}

/// Merges operators of a graph, and writes what is left as another one.
class Fuser {
 public:
  explicit Fuser(const Graph& graph)
      : graph_(graph), gone_(graph.ops.size()), left_(graph.tensors.size()) {}

  Result<Graph> fuse(const Fusions& wanted) && {
    // A Pad may stand between DequantizeLinear and the convolution, or before both.
    anyPad_ = wanted.pads;
    if (wanted.pads || wanted.quantized) fuseAll(&Fuser::fusePad, pads_);
    if (wanted.quantized) fuseAll(&Fuser::fuseQuantized, quantized_);
    if (wanted.pads && quantized_ > 0) fuseAll(&Fuser::fusePad, pads_);
    if (wanted.activations) fuseAll(&Fuser::fuseActivation, activations_);
    if (wanted.pools) fuseAll(&Fuser::fusePool, pools_);
    return written();
  }

 private:
  /// An operator in place of itself and of some others.
  struct Merged {
    std::vector<TensorId> inputs{};
    std::vector<TensorId> outputs{};
    std::vector<OpId> others{};
  };

  void fuseAll(bool (Fuser::*step)(OpId), std::int64_t& count) {
    link();
    for (const OpId id : graph_.ops.keys()) {
      const Op& op = graph_.ops[id];
      if (!gone_[id] && !op.folded && op.captures.empty() && (this->*step)(id)) ++count;
    }
  }

  /// Producers and consumers among the operators that are left.
  void link() {
    for (Tensor& tensor : graph_.tensors) {
      tensor.producer = {};
      tensor.consumers.clear();
    }
    for (const OpId id : graph_.ops.keys()) {
      if (gone_[id]) continue;
      for (const TensorId read : graph_.reads(id)) graph_.tensors[read].consumers.push_back(id);
      for (const TensorId made : graph_.ops[id].outputs) {
        if (made) graph_.tensors[made].producer = id;
      }
    }
    readers_ = IdMap<TensorId, std::size_t>(graph_.tensors.size());
    for (const TensorId id : readers_.keys()) readers_[id] = graph_.tensors[id].consumers.size();
  }

  bool isConstant(TensorId tensor) const { return graph_.tensors[tensor].constant; }
  bool isUnused(TensorId tensor) const {
    return graph_.tensors[tensor].consumers.empty() && !graph_.tensors[tensor].graphOutput;
  }

  /// The DequantizeLinear that makes a tensor; null: something else does.
  const Op* dequantizerOf(TensorId tensor) const {
    const OpId maker = graph_.tensors[tensor].producer;
    const bool is = maker && isQuantizer(graph_.ops[maker], "DequantizeLinear");
    return is ? &graph_.ops[maker] : nullptr;
  }

  /// The operator that reads `tensor` first and only constants beside it, and makes one tensor, if
  /// nobody else needs `tensor`.
  std::optional<OpId> onlyReader(TensorId tensor) const {
    const Tensor& made = graph_.tensors[tensor];
    if (made.consumers.size() != 1 || made.graphOutput) return std::nullopt;
    const OpId reader = made.consumers.front();
    const Op& op = graph_.ops[reader];
    if (gone_[reader] || !op.captures.empty() || op.inputs.empty() || op.inputs[0] != tensor ||
        op.outputs.size() != 1 || !op.outputs[0]) {
      return std::nullopt;
    }
    const bool alone = std::all_of(op.inputs.begin() + 1, op.inputs.end(),
                                   [&](TensorId other) { return !other || isConstant(other); });
    return alone ? std::optional(reader) : std::nullopt;
  }

  void drop(OpId id) {
    gone_[id] = true;
    for (const TensorId read : graph_.reads(id)) left_[read] = true;
    for (const TensorId made : graph_.ops[id].outputs) {
      if (made) left_[made] = true;
    }
  }

  void merge(OpId id, Merged merged) {
    for (const OpId other : merged.others) drop(other);
    for (const TensorId read : graph_.reads(id)) {
      left_[read] = true;
      const OpId maker = graph_.tensors[read].producer;
      const bool idle = --readers_[read] == 0 && !graph_.tensors[read].graphOutput;
      if (idle && dequantizerOf(read) != nullptr) drop(maker);
    }
    for (const TensorId made : graph_.ops[id].outputs) {
      if (made) left_[made] = true;
    }
    graph_.ops[id].inputs = std::move(merged.inputs);
    graph_.ops[id].outputs = std::move(merged.outputs);
  }

  bool fuseQuantized(OpId id) {
    Op& op = graph_.ops[id];
    const OpInfo* info = findOp(op);
    if (info == nullptr || info->special != Special::none ||
        isType(op, {"QuantizeLinear", "DequantizeLinear"})) {
      return false;
    }
    Merged merged{.inputs = op.inputs, .outputs = op.outputs};
    std::vector<TensorId> scales;
    bool works = false;  // On a tensor that is not known ahead of time.
    for (TensorId& input : merged.inputs) {
      if (!input) continue;
      const Op* from = dequantizerOf(input);
      if (from == nullptr && !isConstant(input)) return false;
      if (from == nullptr) continue;
      works |= !isConstant(input);
      scales.push_back(from->inputs[1]);
      input = from->inputs[0];
    }
    for (TensorId& output : merged.outputs) {
      if (!output || isUnused(output)) continue;
      auto reader = onlyReader(output);
      if (reader && isClipping(graph_.ops[*reader])) {
        merged.others.push_back(*reader);
        reader = onlyReader(graph_.ops[*reader].outputs[0]);
      }
      if (!reader || !isQuantizer(graph_.ops[*reader], "QuantizeLinear")) return false;
      merged.others.push_back(*reader);
      scales.push_back(graph_.ops[*reader].inputs[1]);
      output = graph_.ops[*reader].outputs[0];
    }
    if (!works || merged.others.empty()) return false;
    const bool cuts = info->view == ViewFamily::concat || info->view == ViewFamily::split;
    const bool same = std::ranges::adjacent_find(scales, std::not_equal_to()) == scales.end();
    if (cuts && !same) op.attributes[std::string(kRescales)] = std::int64_t{1};
    merge(id, std::move(merged));
    return true;
  }

  /// Pads of images alone, the first half before them.
  bool fusePad(OpId id) {
    Op& op = graph_.ops[id];
    if (!isConvolution(op)) return false;
    const TensorId input = dataInput(op);
    const OpId maker = input ? graph_.tensors[input].producer : OpId();
    if (!maker || gone_[maker] || graph_.ops[maker].folded || !isPad(graph_.ops[maker])) {
      return false;
    }
    const Op& pad = graph_.ops[maker];
    if (!anyPad_ && dequantizerOf(pad.inputs[0]) == nullptr) return false;
    const auto reader = onlyReader(input);
    const auto amounts = pad.intsAttribute("pads");
    const std::string padding = op.stringAttribute("auto_pad", "NOTSET");
    const bool fixed = padding.empty() || padding == "NOTSET" || padding == "VALID";
    if (reader != id || !fixed || amounts.size() < 6 || amounts.size() % 2 != 0) return false;
    const std::size_t axes = amounts.size() / 2;
    const std::size_t first = op.intAttribute("channels_last", 0) != 0 ? 1 : 2;
    auto pads = op.intsAttribute("pads");
    if (pads.empty() || padding == "VALID") pads.assign(2 * (axes - 2), 0);
    if (pads.size() != 2 * (axes - 2)) return false;
    for (std::size_t i = 0; i < amounts.size(); ++i) {
      const std::size_t axis = i % axes;
      const bool place = axis >= first && axis < first + axes - 2;
      if (amounts[i] < 0 || (!place && amounts[i] != 0)) return false;
      if (!place) continue;
      std::int64_t& sum = pads[axis - first + (i < axes ? 0 : axes - 2)];
      const auto both = checkedAdd(sum, amounts[i]);
      if (!both) return false;
      sum = *both;
    }
    Merged merged{.inputs = op.inputs, .outputs = op.outputs, .others = {maker}};
    std::ranges::replace(merged.inputs, input, pad.inputs[0]);
    op.attributes["auto_pad"] = std::string("NOTSET");
    op.attributes["pads"] = std::move(pads);
    merge(id, std::move(merged));
    return true;
  }

  bool fuseActivation(OpId id) {
    const Op& op = graph_.ops[id];
    const OpInfo* info = findOp(op);
    if (info == nullptr || op.outputs.size() != 1 || !op.outputs[0]) return false;
    if (!multiplies(info->kind) && !isType(op, {"Add", "Sub", "Mul", "BatchNormalization"})) {
      return false;
    }
    const auto reader = onlyReader(op.outputs[0]);
    if (!reader) return false;
    const Op& activation = graph_.ops[*reader];
    const Tensor& before = graph_.tensors[op.outputs[0]];
    const Tensor& after = graph_.tensors[activation.outputs[0]];
    // An integer kernel clips as it rounds, and looks nothing up.
    const bool real = dtypeName(before.dtype).find("float") != std::string_view::npos;
    const bool known = real ? isActivation(activation) : isClipping(activation);
    if (!known || before.dtype != after.dtype || before.bytes != after.bytes) return false;
    merge(id, {.inputs = op.inputs, .outputs = activation.outputs, .others = {*reader}});
    return true;
  }

  bool fusePool(OpId id) {
    Op& op = graph_.ops[id];
    if (!isConvolution(op) || isPooled(op)) return false;
    const auto reader =
        op.outputs.size() == 1 && op.outputs[0] ? onlyReader(op.outputs[0]) : std::nullopt;
    if (!reader || !isPool(graph_.ops[*reader])) return false;
    const Op& pool = graph_.ops[*reader];
    const Tensor& before = graph_.tensors[op.outputs[0]];
    const Tensor& after = graph_.tensors[pool.outputs[0]];
    if (!before.shape || !after.shape || before.shape->size() < 3 ||
        before.shape->size() != after.shape->size() || before.dtype != after.dtype ||
        channelsAreLast(op) != channelsAreLast(pool)) {
      return false;
    }
    const auto first = before.shape->begin() + (channelsAreLast(op) ? 1 : 2);
    op.attributes[std::string(kPooled)] =
        std::vector<std::int64_t>(first, first + (std::ssize(*before.shape) - 2));
    merge(id, {.inputs = op.inputs, .outputs = pool.outputs, .others = {*reader}});
    return true;
  }

  Result<Graph> written() {
    link();
    GraphBuilder to(graph_.name, graph_.format);
    IdMap<TensorId, GraphBuilder::Handle> handles(graph_.tensors.size(), GraphBuilder::kAbsent);
    for (const TensorId id : graph_.tensors.keys()) {
      const Tensor& tensor = graph_.tensors[id];
      const bool needed = tensor.producer || !isUnused(id) || tensor.graphInput;
      if (needed || !left_[id]) handles[id] = to.addTensor(unlinkedTensor(tensor));
    }
    const auto renumber = [&](std::vector<GraphBuilder::Handle>& numbers) {
      for (GraphBuilder::Handle& number : numbers) {
        if (number != GraphBuilder::kAbsent) number = handles[TensorId(number)];
      }
    };
    for (const OpId id : graph_.ops.keys()) {
      if (gone_[id]) continue;
      GraphBuilder::OpParts parts = numberedOp(graph_, id);
      for (auto* list : {&parts.inputs, &parts.outputs, &parts.captures}) renumber(*list);
      to.addOp(std::move(parts));
    }
    for (const TensorId input : graph_.inputs) to.addInput(handles[input]);
    for (const TensorId output : graph_.outputs) to.addOutput(handles[output]);
    HW_TRY(graph, std::move(to).build());
    graph.notes = std::move(graph_.notes);
    graph.reordered = graph_.reordered;
    if (std::string text = note(); !text.empty()) graph.notes.push_back(std::move(text));
    return std::move(graph);
  }

  std::string note() const {
    const auto counted = [](std::int64_t count, const char* one, const char* many) {
      return groupDigits(count) + (count == 1 ? one : many);
    };
    std::vector<std::string> done;
    if (quantized_ > 0) {
      done.push_back(counted(quantized_, " operator works", " operators work") +
                     " on quantised tensors, without DequantizeLinear and QuantizeLinear");
    }
    if (pads_ > 0) {
      done.push_back(counted(pads_, " Pad is part of its convolution",
                             " Pads are part of their convolutions"));
    }
    if (activations_ > 0) {
      done.push_back(counted(activations_, " activation is part of the operator before it",
                             " activations are part of the operators before them"));
    }
    if (pools_ > 0) {
      done.push_back(counted(pools_, " pooling is part of the convolution before it",
                             " poolings are part of the convolutions before them"));
    }
    if (done.empty()) return {};
    return fmt::format("fused: {}; --fuse none shows the file as it is", fmt::join(done, "; "));
  }

  Graph graph_;
  IdMap<OpId, bool> gone_;
  IdMap<TensorId, bool> left_;              ///< Read or made by an operator that was merged.
  IdMap<TensorId, std::size_t> readers_{};  ///< That are left, in the step that is done.
  bool anyPad_ = false;  ///< Not only between DequantizeLinear and a convolution.
  std::int64_t quantized_ = 0;
  std::int64_t pads_ = 0;
  std::int64_t activations_ = 0;
  std::int64_t pools_ = 0;
};

}  // namespace

std::span<const FusionInfo> fusionCatalog() { return kFusions; }

Result<Fusions> parseFusions(std::string_view text) {
  Fusions fusions;
  for (const std::string_view word : splitText(text, ',')) {
    const auto info = std::ranges::find(kFusions, trimText(word), &FusionInfo::name);
    if (info == std::end(kFusions)) {
      std::vector<std::string_view> names;
      for (const FusionInfo& each : kFusions) names.push_back(each.name);
      return fail(ErrorCode::invalidArgument,
                  fmt::format("'{}' is nothing to fuse; expected some of {}", printable(word, 80),
                              fmt::join(names, ", ")));
    }
    for (const auto flag : kFlags) fusions.*flag |= info->fusions.*flag;
  }
  return fusions;
}

std::string fusionsText(const Fusions& fusions) {
  const auto same = std::ranges::find(kFusions, fusions, &FusionInfo::fusions);
  if (same != std::end(kFusions)) return std::string(same->name);
  std::vector<std::string_view> names;
  for (const FusionInfo& info : kFusions) {
    for (const auto flag : kFlags) {
      Fusions one;
      one.*flag = true;
      if (fusions.*flag && info.fusions == one) names.push_back(info.name);
    }
  }
  return fmt::format("{}", fmt::join(names, ","));
}

Result<std::shared_ptr<const Graph>> fused(std::shared_ptr<const Graph> graph,
                                           const Fusions& fusions) {
  const bool any = std::ranges::any_of(
      graph->ops, [&](const Op& op) { return !op.folded && fuses(op, fusions); });
  if (!any || graph->tiling) return graph;
  HW_TRY(made, Fuser(*graph).fuse(fusions));
  return std::make_shared<const Graph>(std::move(made));
}

}  // namespace hw
