#include "core/exchange/tflm/kernel_scratch.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/text.h"
#include "core/import/tflite/model.h"
#include "core/import/tflite/own_plan.h"
#include "core/rewrite/graph_rewriter.h"
#include "core/storage/aliasing.h"

namespace hw {
namespace {

constexpr std::int64_t kWord = 4;     ///< An int, an int32 or a float.
constexpr std::int64_t kPointer = 8;  ///< Of a 64-bit machine, where plans are tried out.

/// Collects what a kernel asks for, until something is not known.
class Requests {
 public:
  Requests(const std::vector<KernelOperand>& inputs, const std::vector<KernelOperand>& outputs,
           const KernelOptions& options)
      : inputs_(inputs), outputs_(outputs), options_(options) {}

  /// A whole number from 0; nothing when the file has none.
  std::optional<std::int64_t> option(const std::string& name) const {
    const auto found = options_.find(name);
    if (found == options_.end()) return std::nullopt;
    const auto* number = std::get_if<std::int64_t>(&found->second);
    return number != nullptr && *number >= 0 ? std::optional(*number) : std::nullopt;
  }

  const KernelOperand* input(std::size_t index) const {
    return index < inputs_.size() && inputs_[index].shape ? &inputs_[index] : nullptr;
  }
  const KernelOperand* output(std::size_t index) const {
    return index < outputs_.size() && outputs_[index].shape ? &outputs_[index] : nullptr;
  }
  std::size_t inputs() const { return inputs_.size(); }
  Dtype inputType() const { return inputs_.empty() ? Dtype::unknown : inputs_[0].dtype; }

  void ask(std::optional<std::int64_t> count, std::int64_t each) {
    const auto bytes = count && *count >= 0 ? checkedMul(*count, each) : std::nullopt;
    if (!bytes || Bytes(*bytes) > kMaxBytes) {
      scratch_.known = false;
    } else {
      scratch_.buffers.emplace_back(*bytes);
    }
  }
  KernelScratch done() && { return std::move(scratch_); }

 private:
  const std::vector<KernelOperand>& inputs_;
  const std::vector<KernelOperand>& outputs_;
  const KernelOptions& options_;
  KernelScratch scratch_;
};

using Count = std::optional<std::int64_t>;

Count operandElements(const KernelOperand* operand) {
  return operand == nullptr ? Count() : elementCount(*operand->shape);
}

Count rankOf(const KernelOperand* operand) {
  return operand == nullptr ? Count() : static_cast<std::int64_t>(operand->shape->size());
}

Count axisSize(const KernelOperand* operand, std::size_t axis) {
  if (operand == nullptr || axis >= operand->shape->size()) return std::nullopt;
  return (*operand->shape)[axis];
}

Count countProduct(Count a, Count b) { return a && b ? checkedMul(*a, *b) : Count(); }

/// Filters of four bits are unpacked to a byte each.
void askFilter(Requests& requests) {
  const KernelOperand* filter = requests.input(1);
  if (filter != nullptr && filter->dtype == Dtype::int4) requests.ask(operandElements(filter), 1);
}

void askSvdf(Requests& requests) {
  const Count batch = axisSize(requests.input(0), 0);
  requests.ask(countProduct(batch, axisSize(requests.input(1), 0)), kWord);
  if (requests.inputType() != Dtype::int8) return;
  requests.ask(countProduct(batch, axisSize(requests.output(0), 1)), kWord);
}

void askLstm(Requests& requests) {
  constexpr std::size_t kCellState = 19;
  const KernelOperand* cell = requests.input(kCellState);
  const bool quantized = cell != nullptr && cell->dtype == Dtype::int16;
  for (int gate = 0; gate < 4; ++gate) requests.ask(operandElements(cell), quantized ? 2 : kWord);
}

/// Asks for the place in its input and for the axes; sums of small integers have room to grow.
void askReduction(Requests& requests, bool sums) {
  const Dtype type = requests.inputType();
  if (sums && (type == Dtype::int8 || type == Dtype::int16)) {
    requests.ask(operandElements(requests.output(0)), kWord);
  }
  requests.ask(rankOf(requests.input(0)), kWord);
  requests.ask(operandElements(requests.input(1)), kWord);
}

/// Its operands are the output's shape, the filter, the input and the bias.
void askTransposeConv(Requests& requests) {
  const KernelOperand* input = requests.input(2);
  const KernelOperand* bias = requests.input(3);
  if (input == nullptr) return;
  const bool wide = input->dtype == Dtype::int16;
  if (wide && bias != nullptr && bias->dtype == Dtype::int16) {
    requests.ask(operandElements(bias), 2 * kWord);
  }
  if (wide || input->dtype == Dtype::int8) {
    requests.ask(operandElements(requests.output(0)), wide ? 2 * kWord : kWord);
  }
}

void askPadding(Requests& requests) {
  for (int list = 0; list < 2; ++list) requests.ask(rankOf(requests.input(0)), kWord);
}

void askSum(Requests& requests) {
  requests.ask(static_cast<std::int64_t>(requests.inputs()), kPointer);
}

/// Its operands are boxes, scores by class, and anchors.
void askDetections(Requests& requests) {
  const KernelOperand* scores = requests.input(1);
  const Count boxes = axisSize(requests.input(0), 1);
  const Count most = requests.option("max_detections");
  const Count classes = requests.option("num_classes");
  const auto some = [&](Count times) { requests.ask(countProduct(boxes, times), kWord); };
  requests.ask(boxes, 1);
  some(4);  // Corners of each.
  requests.ask(countProduct(axisSize(scores, 1), axisSize(scores, 2)), kWord);
  some(1);
  some(1);
  some(most);
  some(most);
  some(1);
  some(most);
  some(most && classes ? Count(std::max(*most, *classes)) : Count());
  some(most && boxes ? Count(std::min(*most, *boxes)) : Count());
}

struct ScratchRow {
  std::string_view type;
  void (*ask)(Requests&);
};

constexpr ScratchRow kRows[] = {
    {"ADD_N", askSum},
    {"CONV_2D", askFilter},
    {"DEPTHWISE_CONV_2D", askFilter},
    {"FULLY_CONNECTED", askFilter},
    {"MEAN", [](Requests& requests) { askReduction(requests, true); }},
    {"MIRROR_PAD", askPadding},
    {"REDUCE_ALL", [](Requests& requests) { askReduction(requests, false); }},
    {"REDUCE_MAX", [](Requests& requests) { askReduction(requests, false); }},
    {"REDUCE_MIN", [](Requests& requests) { askReduction(requests, false); }},
    {kDetectionPostprocess, askDetections},
    {"SUM", [](Requests& requests) { askReduction(requests, true); }},
    {"SVDF", askSvdf},
    {"TRANSPOSE_CONV", askTransposeConv},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM", askLstm},
};

KernelOperand operandOf(const Graph& graph, TensorId id) {
  if (!id) return {};
  return {graph.tensors[id].dtype, graph.tensors[id].shape};
}

std::vector<KernelOperand> operandsOf(const Graph& graph, const std::vector<TensorId>& ids) {
  std::vector<KernelOperand> operands;
  for (const TensorId id : ids) operands.push_back(operandOf(graph, id));
  return operands;
}

/// Copies a graph, and adds to it.
class ScratchAdder {
 public:
  explicit ScratchAdder(const Graph& graph) : graph_(graph), builder_(graph.name, graph.format) {}

  Result<Graph> run() && {
    // Tensors computed of weights are computed in every run there.
    for (const Tensor& tensor : graph_.tensors) builder_.addTensor(unlinkedTensor(tensor));
    for (const TensorId id : graph_.inputs) builder_.addInput(id.index());
    for (const TensorId id : graph_.outputs) builder_.addOutput(id.index());
    for (const std::string& note : graph_.notes) builder_.addNote(note);
    for (const OpId id : graph_.ops.keys()) addOp(id);
    builder_.addNote(fmt::format(
        "scratch of tflite-micro's reference kernels is planned: {} buffers of {} bytes in all",
        count_, groupDigits(total_.count())));
    if (!unknown_.empty()) {
      std::string names;
      for (const std::string& type : unknown_) names += (names.empty() ? "" : ", ") + type;
      builder_.addNote("what scratch these operators ask for is not known: " + names);
    }
    HW_TRY(built, std::move(builder_).build());
    // Remarks on the graph were copied, and made once more.
    std::set<std::string> seen;
    std::erase_if(built.notes, [&](const std::string& note) { return !seen.insert(note).second; });
    return std::move(built);
  }

 private:
  void addOp(OpId id) {
    const Op& op = graph_.ops[id];
    GraphBuilder::OpParts parts = numberedOp(graph_, id);
    parts.where = displayName(graph_, id);
    if (op.folded) parts.captures.push_back(runTime());
    parts.op.folded = false;
    const KernelScratch scratch =
        kernelScratch(op.type, op.domain == "custom", operandsOf(graph_, op.inputs),
                      operandsOf(graph_, op.outputs), op.attributes);
    if (!scratch.known && unknown_.size() < kMostNamed) unknown_.insert(printable(op.type, 40));
    for (std::size_t i = 0; i < scratch.buffers.size(); ++i) {
      if (scratch.buffers[i] == Bytes()) continue;
      parts.outputs.push_back(
          builder_.addTensor({.name = fmt::format("{} {}/scratch {}", op.type, id.index(), i),
                              .dtype = Dtype::uint8,
                              .shape = Shape{scratch.buffers[i].count()},
                              .bytes = scratch.buffers[i],
                              .origin = SizeOrigin::inferred}));
      ++count_;
      total_ += scratch.buffers[i];
    }
    // Its kernels do not run over their inputs: an output that is absent takes no scratch for that.
    if (parts.outputs.size() == 1 && channelScratch(graph_, op)) {
      parts.outputs.push_back(GraphBuilder::kAbsent);
    }
    builder_.addOp(std::move(parts));
  }

  /// An input that keeps an operator from being folded: a value that only a run knows.
  GraphBuilder::Handle runTime() {
    if (runTime_ == GraphBuilder::kAbsent) {
      runTime_ =
          builder_.addTensor({.name = "tflite-micro/run", .bytes = Bytes(), .persistent = true});
    }
    return runTime_;
  }

  static constexpr std::size_t kMostNamed = 8;
  const Graph& graph_;
  GraphBuilder builder_;
  GraphBuilder::Handle runTime_ = GraphBuilder::kAbsent;
  std::size_t count_ = 0;
  Bytes total_{};
  std::set<std::string> unknown_;
};

}  // namespace

KernelScratch kernelScratch(std::string_view type, bool custom,
                            const std::vector<KernelOperand>& inputs,
                            const std::vector<KernelOperand>& outputs,
                            const KernelOptions& options) {
  if (custom && type != kDetectionPostprocess) return {.known = false};
  const auto* row = std::ranges::find(kRows, type, &ScratchRow::type);
  if (row == std::end(kRows)) return {};
  Requests requests(inputs, outputs, options);
  row->ask(requests);
  return std::move(requests).done();
}

Result<Model> withKernelScratch(Model model) {
  if (model.problem || model.graph->format != "tflite") {
    if (model.graph->format == kTflitePartsFormat) {
      return fail(ErrorCode::invalidArgument,
                  "the operators of the file run in parts, by the plan that it brings along; it is "
                  "not planned anew");
    }
    return fail(ErrorCode::invalidArgument,
                "scratch of tflite-micro's kernels is known for TFLite models only");
  }
  if (model.graph->tiling) {
    return fail(ErrorCode::invalidArgument, "operators that run in parts have no known scratch");
  }
  HW_TRY(graph, ScratchAdder(*model.graph).run());
  model.graph = std::make_shared<const Graph>(std::move(graph));
  return model;
}

}  // namespace hw
