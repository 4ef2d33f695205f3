#include "core/exchange/tflm/kernel_scratch.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
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

  /// An entry of a list from 1; 1 when the file has none.
  std::int64_t option(const std::string& name, std::size_t entry) const {
    const auto found = options_.find(name);
    if (found == options_.end()) return 1;
    const auto* list = std::get_if<std::vector<std::int64_t>>(&found->second);
    if (list == nullptr || entry >= list->size()) return 1;
    return std::clamp<std::int64_t>((*list)[entry], 1, std::numeric_limits<std::int32_t>::max());
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
  void askUnknown() { scratch_.known = false; }
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

/// An image, a filter or an output of a convolution, channels last; a fully known one.
struct KernelImage {
  std::int64_t batch = 1, height = 1, width = 1, channels = 1;
};
std::optional<KernelImage> imageOf(const KernelOperand* operand) {
  if (operand == nullptr || operand->shape->size() != 4) return std::nullopt;
  const Shape& shape = *operand->shape;
  // Sizes beyond what a runtime could have would overflow below.
  for (const std::int64_t size : shape) {
    if (size < 0 || size > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  }
  return KernelImage{shape[0], shape[1], shape[2], shape[3]};
}

/// Bytes of columns of an image that a convolution of CMSIS-NN copies at a time.
Count columnBytes(std::int64_t channels, const KernelImage& filter, bool mve) {
  const Count products = countProduct(countProduct(filter.height, filter.width), channels);
  if (!products || Bytes(*products) > kMaxBytes) return std::nullopt;
  // MVE: four columns of bytes, in whole vectors of 16. Else: two of 16 bits, in fours.
  return countProduct(4, alignUp(Bytes(*products), Bytes(mve ? 16 : 4)).count());
}

/// Of a row of an image by a row of a filter, on MVE: what the columns at both ends hold, padded.
/// Where the overhang is negative so is its remainder by 2: CMSIS-NN counts so.
Count rowBytes(const KernelImage& image, const KernelImage& filter, const KernelImage& output,
               std::int64_t stride) {
  const std::int64_t overhang = (output.width - 1) * stride + filter.width - image.width;
  const std::int64_t left = std::max<std::int64_t>(overhang, 0) / 2;
  const std::int64_t odd = overhang % 2;
  const auto ends = [&](std::int64_t padding) {
    return padding == 0 ? 0 : std::max<std::int64_t>(1, (padding + stride - 1) / stride);
  };
  const std::int64_t outputsAtRight = ends(left + odd);
  if (outputsAtRight + ends(left) > output.width) return columnBytes(image.channels, filter, true);
  const std::int64_t right = odd != 0 ? outputsAtRight : left;
  return countProduct(std::max(filter.width + left, filter.width - 1 + right), image.channels);
}

void askCmsisConv(Requests& requests, bool mve) {
  const auto image = imageOf(requests.input(0));
  const auto filter = imageOf(requests.input(1));
  const auto output = imageOf(requests.output(0));
  if (requests.inputType() == Dtype::float32) return;
  if (requests.inputType() != Dtype::int8 || !image || !filter || !output ||
      requests.input(1)->dtype != Dtype::int8) {
    return requests.askUnknown();
  }
  const std::int64_t stride = requests.option("strides", 1);
  const bool whole = filter->channels == image->channels;
  if (whole && filter->height == 1 && filter->width == 1 && requests.option("dilations", 0) == 1 &&
      requests.option("dilations", 1) == 1) {
    return;
  }
  const bool row = whole && image->height == 1 && filter->height == 1 &&
                   requests.option("dilations", 1) == 1 && stride * image->channels % 4 == 0;
  requests.ask(row && mve ? rowBytes(*image, *filter, *output, stride)
                          : columnBytes(image->channels, *filter, mve),
               1);
}

/// MVE copies windows of 124 channels four at a time; DSP those of all channels as 16 bits, but for
/// windows of 3 x 3, which have a kernel of their own.
void askCmsisDepthwise(Requests& requests, bool mve) {
  constexpr std::int64_t kChannelsAtATime = 124;
  const auto image = imageOf(requests.input(0));
  const auto filter = imageOf(requests.input(1));
  if (requests.inputType() == Dtype::float32) return;
  if (requests.inputType() != Dtype::int8 || !image || !filter ||
      requests.input(1)->dtype != Dtype::int8) {
    return requests.askUnknown();
  }
  const bool plain = image->channels == filter->channels && image->batch == 1 &&
                     requests.option("dilations", 0) == 1 && requests.option("dilations", 1) == 1;
  if (!plain || (!mve && filter->height == 3 && filter->width == 3)) return;
  const Count window = countProduct(filter->height, filter->width);
  requests.ask(mve ? countProduct(window, 4 * kChannelsAtATime)
                   : countProduct(window, countProduct(image->channels, 2)),
               1);
}

/// A reversed filter and columns of a stretched image, or where that does not pay, sums of a row.
void askCmsisTranspose(Requests& requests, bool mve) {
  constexpr std::int64_t kPays = 16;
  if (requests.inputs() < 3 || requests.input(2) == nullptr) return requests.askUnknown();
  if (requests.input(2)->dtype != Dtype::int8) return askTransposeConv(requests);
  const auto image = imageOf(requests.input(2));
  const auto filter = imageOf(requests.input(1));
  if (!image || !filter) return requests.askUnknown();
  const std::int64_t down = requests.option("strides", 0);
  const std::int64_t across = requests.option("strides", 1);
  if (down <= 2 && across <= 2 && image->channels > kPays) {
    requests.ask(columnBytes(image->channels, *filter, mve), 1);
    return requests.ask(operandElements(requests.input(1)), 1);
  }
  const Count reach = countProduct(image->width - 1, across);
  const Count width = reach ? checkedAdd(*reach, std::max(filter->width, down)) : Count();
  requests.ask(countProduct(countProduct(width, filter->batch), std::max(filter->height, down)),
               kWord);
}

void askCmsisPooling(Requests& requests, bool mve) {
  if (requests.inputType() == Dtype::int16) return requests.askUnknown();
  if (mve || requests.inputType() != Dtype::int8) return;
  requests.ask(axisSize(requests.input(0), 3), kWord);
}

/// A kernel of CMSIS-NN that asks for other scratch than the reference kernel.
struct CmsisRow {
  std::string_view type;
  void (*ask)(Requests&, bool mve);
};

constexpr CmsisRow kCmsisRows[] = {
    {"AVERAGE_POOL_2D", askCmsisPooling},
    {"CONV_2D", askCmsisConv},
    {"DEPTHWISE_CONV_2D", askCmsisDepthwise},
    {"TRANSPOSE_CONV", askCmsisTranspose},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM", [](Requests& requests, bool) { requests.askUnknown(); }},
};

KernelOperand operandOf(const Graph& graph, TensorId id) {
  if (!id) return {};
  return {graph.tensors[id].dtype, graph.tensors[id].shape};
}

std::vector<KernelOperand> operandsOf(const Graph& graph, const std::vector<TensorId>& ids) {
  std::vector<KernelOperand> operands;
  operands.reserve(ids.size());
  for (const TensorId id : ids) operands.push_back(operandOf(graph, id));
  return operands;
}

/// By KernelLibrary, for notes.
constexpr std::array<std::string_view, 3> kLibraryWords = {
    "tflite-micro's reference kernels", "CMSIS-NN's kernels for DSP instructions",
    "CMSIS-NN's kernels for MVE"};

/// Copies a graph, and adds to it.
class ScratchAdder {
 public:
  ScratchAdder(const Graph& graph, KernelLibrary library)
      : graph_(graph), library_(library), builder_(graph.name, graph.format) {}

  Result<Graph> run() && {
    // Tensors computed of weights are computed in every run there.
    for (const Tensor& tensor : graph_.tensors) builder_.addTensor(unlinkedTensor(tensor));
    for (const TensorId id : graph_.inputs) builder_.addInput(id.index());
    for (const TensorId id : graph_.outputs) builder_.addOutput(id.index());
    for (const std::string& note : graph_.notes) builder_.addNote(note);
    for (const OpId id : graph_.ops.keys()) addOp(id);
    builder_.addNote(fmt::format("scratch of {} is planned: {} buffers of {} bytes in all",
                                 kLibraryWords[static_cast<std::size_t>(library_)], count_,
                                 groupDigits(total_.count())));
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
                      operandsOf(graph_, op.outputs), op.attributes, library_);
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
      total_ = std::min(total_ + scratch.buffers[i], kMaxBytes);
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
  KernelLibrary library_;
  GraphBuilder builder_;
  GraphBuilder::Handle runTime_ = GraphBuilder::kAbsent;
  std::size_t count_ = 0;
  Bytes total_{};
  std::set<std::string> unknown_;
};

}  // namespace

KernelScratch kernelScratch(std::string_view type, bool custom,
                            const std::vector<KernelOperand>& inputs,
                            const std::vector<KernelOperand>& outputs, const KernelOptions& options,
                            KernelLibrary library) {
  if (custom && type != kDetectionPostprocess) return {.known = false};
  Requests requests(inputs, outputs, options);
  const auto* cmsis = std::ranges::find(kCmsisRows, type, &CmsisRow::type);
  if (library != KernelLibrary::reference && cmsis != std::end(kCmsisRows)) {
    cmsis->ask(requests, library == KernelLibrary::cmsisMve);
    return std::move(requests).done();
  }
  const auto* row = std::ranges::find(kRows, type, &ScratchRow::type);
  if (row == std::end(kRows)) return {};
  row->ask(requests);
  return std::move(requests).done();
}

Result<Model> withKernelScratch(Model model, KernelLibrary library) {
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
  HW_TRY(graph, ScratchAdder(*model.graph, library).run());
  model.graph = std::make_shared<const Graph>(std::move(graph));
  return model;
}

}  // namespace hw
