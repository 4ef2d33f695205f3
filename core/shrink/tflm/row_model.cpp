#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

#include "core/base/text.h"
#include "core/exchange/tflm/program.h"
#include "core/shrink/tflm/row_program.h"

namespace hw {
namespace {

/// Fields of the options of an operator with a window: where its numbers are.
struct WindowFields {
  std::string_view type;
  int padding = 0;
  int stride = 2;
  int kernel = -1;    ///< -1: that of the filter.
  int dilation = -1;  ///< -1: none.
};
constexpr WindowFields kWindows[] = {{"CONV_2D", 0, 2, -1, 5},
                                     {"DEPTHWISE_CONV_2D", 0, 2, -1, 6},
                                     {"AVERAGE_POOL_2D", 0, 2, 4},
                                     {"MAX_POOL_2D", 0, 2, 4}};

/// Operators that make each element of the element at the same place of each operand.
constexpr std::string_view kElementwise[] = {
    "ADD", "SUB",   "MUL",          "MAXIMUM",  "MINIMUM", "QUANTIZE",   "DEQUANTIZE", "RELU",
    "ELU", "RELU6", "RELU_N1_TO_1", "LOGISTIC", "TANH",    "HARD_SWISH", "LEAKY_RELU", "PRELU",
    "ABS", "NEG",   "SQRT",         "RSQRT",    "SQUARE",  "EXP",        "FLOOR"};

/// Rows of an image, and of all operators together, that are looked at: a small file may claim any.
constexpr std::int64_t kMostRows = 1 << 14;
constexpr std::int64_t kMostRowsOfAll = 1 << 20;

bool isImage(const Shape& shape) {
  return shape.size() == 4 && shape[0] == 1 && shape[1] > 0 && shape[1] <= kMostRows;
}

bool isElementwise(std::string_view type) {
  return std::ranges::find(kElementwise, type) != std::end(kElementwise);
}

class RowModelReader {
 public:
  RowModelReader(const TfliteFile& file, const RowTarget& target)
      : file_(file), graph_(file.subgraph(0)), target_(target) {}

  Result<RowModel> read() {
    if (file_.subgraphCount() > 1) {
      return fail(ErrorCode::unsupported, "it has several subgraphs; parts are of one");
    }
    HW_TRY(program, tflmProgram(file_));
    findRows();
    HW_DO(readTensors());
    for (std::size_t op = 0; op < graph_.ops.size(); ++op) HW_DO(readOp(op));
    for (const auto& [list, own] :
         {std::pair(&graph_.inputs, &model_.inputs), std::pair(&graph_.outputs, &model_.outputs)}) {
      for (const std::int32_t tensor : *list) {
        const auto at = static_cast<std::size_t>(tensor);
        if (tensor < 0 || at >= graph_.tensors.size())
          refuse(fmt::format("there is no tensor {}", tensor));
        if (!model_.tensors[at].stored) own->push_back(at);
      }
    }
    for (const std::size_t tensor : model_.outputs) model_.tensors[tensor].graphOutput = true;
    HW_DO(checkMakers());
    HW_DO(checkRows());
    model_.told = target_.told;
    if (target_.pointer > 0) readTail(program);
    return std::move(model_);
  }

 private:
  const TfliteTensor& tensor(std::size_t index) const { return graph_.tensors[index]; }

  /// Nothing: it is left out, or there is no such tensor.
  const TfliteTensor* operand(const std::vector<std::int32_t>& list, std::size_t at) const {
    const bool isThere = at < list.size() && list[at] >= 0 &&
                         static_cast<std::size_t>(list[at]) < graph_.tensors.size();
    return isThere ? &graph_.tensors[static_cast<std::size_t>(list[at])] : nullptr;
  }

  /// Which tensors are cut into rows: images, what FULLY_CONNECTED reads or makes row by row, and
  /// what element-wise operators read or make beside those. Rows of all other matrices would make
  /// the search longer and runs no better.
  void findRows() {
    for (const TfliteTensor& each : graph_.tensors) cut_.push_back(isImage(each.shape));
    for (const TfliteOp& op : graph_.ops) {
      if (!connectsRows(op)) continue;
      cut_[static_cast<std::size_t>(op.inputs[0])] = true;
      cut_[static_cast<std::size_t>(op.outputs[0])] = true;
    }
    std::ranges::for_each(graph_.ops, [&](const TfliteOp& op) { spreadRows(op); });
    std::for_each(graph_.ops.rbegin(), graph_.ops.rend(),
                  [&](const TfliteOp& op) { spreadRows(op); });
  }

  /// Operands of an element-wise operator have rows if another one of that shape has.
  void spreadRows(const TfliteOp& op) {
    const TfliteTensor* made = operand(op.outputs, 0);
    if (!isElementwise(op.type()) || made == nullptr || op.outputs.size() != 1) return;
    std::vector<std::size_t> alike = {static_cast<std::size_t>(op.outputs[0])};
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      const TfliteTensor* input = operand(op.inputs, i);
      if (input == nullptr || input->shape != made->shape || file_.isStored(input->buffer))
        continue;
      alike.push_back(static_cast<std::size_t>(op.inputs[i]));
    }
    if (std::ranges::none_of(alike, [&](std::size_t each) { return cut_[each]; })) return;
    for (const std::size_t each : alike) cut_[each] = true;
  }

  /// True if FULLY_CONNECTED makes each row of its output of one row of its input, and there are
  /// several.
  bool connectsRows(const TfliteOp& op) const {
    const TfliteTensor* in = operand(op.inputs, 0);
    const TfliteTensor* filter = operand(op.inputs, 1);
    const TfliteTensor* bias = operand(op.inputs, 2);
    const TfliteTensor* out = operand(op.outputs, 0);
    if (op.type() != "FULLY_CONNECTED" || op.outputs.size() != 1 || in == nullptr ||
        filter == nullptr || out == nullptr || filter->shape.size() != 2 || out->shape.empty()) {
      return false;
    }
    const bool shuffled = op.options && op.options->number<std::int8_t>(1, 0) != 0;
    const bool weighs = file_.isStored(filter->buffer) && !file_.isStored(in->buffer) &&
                        (bias == nullptr || file_.isStored(bias->buffer));
    const auto from = tfliteRowAxis(in->shape);
    const auto to = tfliteRowAxis(out->shape);
    if (shuffled || !weighs || !from || !to) return false;
    const std::int64_t rows = in->shape[*from];
    if (rows < 2 || rows > kMostRows || out->shape[*to] != rows) return false;
    const std::int64_t channels = filter->shape[0];
    const std::int64_t depth = filter->shape[1];
    const auto read = elementCount(in->shape);
    const auto made = elementCount(out->shape);
    return read && made && *made > 0 && channels > 0 && depth > 0 &&
           out->shape.back() == channels && *read % depth == 0 && *read / depth == *made / channels;
  }

  Result<void> readTensors() {
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
      const TfliteTensor& each = graph_.tensors[i];
      RowTensor rows{.stored = file_.isStored(each.buffer)};
      if (each.isVariable) {
        return fail(ErrorCode::unsupported,
                    fmt::format("tensor '{}' keeps its value from run to run; parts would "
                                "overwrite it",
                                printable(each.name, 80)));
      }
      const auto count = elementCount(each.shape);
      const auto bits = tfliteBits(each.type);
      if (!rows.stored && (!count || *count < 0 || bits % 8 != 0 || bits == 0)) {
        return fail(ErrorCode::unsupported,
                    fmt::format("the size of tensor '{}' is not known", printable(each.name, 80)));
      }
      if (cut_[i]) rows.rows = each.shape[*tfliteRowAxis(each.shape)];
      rows.rowBytes = rows.stored ? 0 : *count * (bits / 8) / rows.rows;
      model_.tensors.push_back(rows);
    }
    return {};
  }

  Result<void> readOp(std::size_t index) {
    const TfliteOp& stored = graph_.ops[index];
    RowOp op{.type = stored.type()};
    for (const std::int32_t input : stored.inputs) {
      if (input < 0) continue;
      const auto at = static_cast<std::size_t>(input);
      if (at >= graph_.tensors.size())
        refuse(fmt::format("operator {} reads tensor {}", index, at));
      if (model_.tensors[at].stored) {
        op.weights += static_cast<std::int64_t>(file_.bufferBytes(tensor(at).buffer).size());
        weights_.insert(at);
      } else if (std::ranges::find(op.inputs, at) == op.inputs.end()) {
        op.inputs.push_back(at);
        model_.tensors[at].readers.push_back(index);
      }
    }
    for (const std::int32_t output : stored.outputs) {
      const auto at = static_cast<std::size_t>(output);
      if (output < 0 || at >= graph_.tensors.size())
        refuse(fmt::format("operator {} has no output", index));
      op.outputs.push_back(at);
      if (model_.tensors[at].maker || model_.tensors[at].stored) {
        return fail(ErrorCode::unsupported, fmt::format("tensor '{}' is made more than once",
                                                        printable(tensor(at).name, 80)));
      }
      model_.tensors[at].maker = index;
    }
    op.tail = target_.pointer > 0 ? tflmOpTail(graph_, stored, target_.pointer) : 0;
    op.geometry = geometryOf(stored, op);
    addMacs(stored, op);
    model_.ops.push_back(std::move(op));
    return {};
  }

  /// True if all tensors are images.
  bool isOfImages(const RowOp& op) const {
    const auto image = [&](std::size_t each) { return isImage(tensor(each).shape); };
    return !op.inputs.empty() && op.outputs.size() == 1 && image(op.outputs[0]) &&
           std::ranges::all_of(op.inputs, image);
  }

  /// True if all tensors have rows, and weights among the operands are the same for each of them.
  bool hasRows(const TfliteOp& stored, const RowOp& op) const {
    if (op.inputs.empty() || op.outputs.size() != 1 || !cut_[op.outputs[0]]) return false;
    if (!std::ranges::all_of(op.inputs, [&](std::size_t input) { return cut_[input]; })) {
      return false;
    }
    const Shape& made = tensor(op.outputs[0]).shape;
    const std::size_t axes = made.size() - *tfliteRowAxis(made);
    return std::ranges::all_of(stored.inputs, [&](std::int32_t input) {
      if (input < 0 || !model_.tensors[static_cast<std::size_t>(input)].stored) return true;
      const Shape& shape = tensor(static_cast<std::size_t>(input)).shape;
      return shape.size() < axes || shape[shape.size() - axes] == 1;
    });
  }

  /// FULLY_CONNECTED reads all of a pixel for each channel that it makes of it.
  RowGeometry connectionOf(const RowOp& op) const {
    const Shape& read = tensor(op.inputs[0]).shape;
    const std::int64_t rowIn = model_.tensors[op.inputs[0]].rowBytes;
    const std::int64_t rowOut = model_.tensors[op.outputs[0]].rowBytes;
    const std::int64_t pixels = *elementCount(tensor(op.outputs[0]).shape) /
                                tensor(op.outputs[0]).shape.back() / read[*tfliteRowAxis(read)];
    const std::int64_t first = rowOut / pixels;
    const std::int64_t last = rowOut - rowIn / pixels * (pixels - 1);
    return {.below = std::max(first, last)};
  }

  std::optional<RowGeometry> geometryOf(const TfliteOp& stored, const RowOp& op) const {
    const std::string type = stored.type();
    const auto* window = std::ranges::find(kWindows, type, &WindowFields::type);
    if (window != std::end(kWindows)) {
      return isOfImages(op) ? windowOf(stored, *window) : std::nullopt;
    }
    if (type == "PAD" || type == "PADV2") return padOf(stored, op);
    if (type == "RESIZE_NEAREST_NEIGHBOR") return nearestOf(stored, op);
    if (connectsRows(stored)) return connectionOf(op);
    const bool joins = type == "CONCATENATION";
    if (!joins && !isElementwise(type)) return {};
    if (!hasRows(stored, op) || (joins && !isOfImages(op))) return {};
    const Shape& made = tensor(op.outputs[0]).shape;
    const bool alike = std::ranges::all_of(op.inputs, [&](std::size_t input) {
      const Shape& shape = tensor(input).shape;
      return joins ? std::equal(made.begin(), made.begin() + 3, shape.begin()) : shape == made;
    });
    const std::int32_t axis =
        joins && stored.options ? stored.options->number<std::int32_t>(0, 0) : 3;
    // Weights of a concatenation have rows of their own, which would have to be cut.
    const bool cuts = joins && op.weights > 0;
    if (!alike || cuts || (axis != 3 && axis != -1)) return {};
    if (joins) return RowGeometry{};
    std::int64_t below = 0;  // Behind an element that is written none is overtaken.
    for (const std::size_t input : op.inputs) {
      below =
          std::max(below, model_.tensors[op.outputs[0]].rowBytes - model_.tensors[input].rowBytes);
    }
    return RowGeometry{.below = below};
  }

  std::optional<RowGeometry> windowOf(const TfliteOp& stored, const WindowFields& fields) const {
    const auto number = [&](int field, std::int32_t fallback) -> std::int64_t {
      if (field < 0 || !stored.options) return fallback;
      return stored.options->number<std::int32_t>(field, fallback);
    };
    RowGeometry rows{.kind = RowGeometry::Kind::window, .stride = number(fields.stride, 0)};
    std::int64_t kernel = number(fields.kernel, 0);
    if (fields.kernel < 0) {
      const Shape& filter = tensor(static_cast<std::size_t>(stored.inputs[1])).shape;
      if (filter.size() != 4 ||
          !model_.tensors[static_cast<std::size_t>(stored.inputs[1])].stored) {
        return {};
      }
      kernel = filter[1];
    }
    const std::int64_t dilation = std::max<std::int64_t>(1, number(fields.dilation, 1));
    if (rows.stride < 1 || kernel < 1 || kernel > kMost || dilation > kMost) return {};
    rows.kernel = (kernel - 1) * dilation + 1;
    rows.samePadding =
        !stored.options || stored.options->number<std::uint8_t>(fields.padding, 0) == 0;
    const std::int64_t height = tensor(static_cast<std::size_t>(stored.inputs[0])).shape[1];
    rows.padTop = rows.paddingAbove(height);
    const std::int64_t made = rows.samePadding ? (height + rows.stride - 1) / rows.stride
                                               : (height - rows.kernel) / rows.stride + 1;
    const Shape& out = tensor(static_cast<std::size_t>(stored.outputs[0])).shape;
    if (made != out[1]) return {};
    rows.below =
        belowOf(stored, rows, number(1, 0),
                fields.kernel < 0 ? tensor(static_cast<std::size_t>(stored.inputs[1])).shape[2]
                                  : number(fields.kernel - 1, 0),
                fields.dilation < 0 ? 1 : number(fields.dilation - 1, 1));
    return rows;
  }

  /// `RowGeometry::below` of windows: while a pixel is made, those of the input from its window on
  /// are still to be read. `stride` and so on are along a row.
  std::optional<std::int64_t> belowOf(const TfliteOp& stored, const RowGeometry& rows,
                                      std::int64_t stride, std::int64_t kernel,
                                      std::int64_t dilation) const {
    const auto in = static_cast<std::size_t>(stored.inputs[0]);
    const auto out = static_cast<std::size_t>(stored.outputs[0]);
    const std::int64_t width = tensor(in).shape[2];
    const std::int64_t made = tensor(out).shape[2];
    for (const std::int64_t number : {stride, kernel, dilation, width, made}) {
      if (number < 1 || number > kMost) return {};
    }
    const std::int64_t reach = (made - 1) * stride + (kernel - 1) * dilation + 1;
    const std::int64_t padded = rows.samePadding ? std::max<std::int64_t>(0, reach - width) / 2 : 0;
    const std::int64_t pixelIn = model_.tensors[in].rowBytes / width;
    const std::int64_t pixelOut = model_.tensors[out].rowBytes / made;
    std::int64_t below = 0;
    for (std::int64_t pixel = 0; pixel < made; ++pixel) {
      const std::int64_t next = std::max<std::int64_t>(0, pixel * stride - padded);
      below = std::max(below, (pixel + 1) * pixelOut - next * pixelIn);
    }
    return below;
  }

  std::optional<RowGeometry> padOf(const TfliteOp& stored, const RowOp& op) const {
    if (!isOfImages(op) || stored.inputs.size() < 2 || stored.inputs[1] < 0) return {};
    const TfliteTensor& paddings = tensor(static_cast<std::size_t>(stored.inputs[1]));
    const std::string_view bytes = file_.bufferBytes(paddings.buffer);
    if (tfliteDtype(paddings.type) != Dtype::int32 || bytes.size() != 4 * 8) return {};
    std::array<std::int32_t, 8> sides{};
    std::memcpy(sides.data(), bytes.data(), bytes.size());
    const std::int64_t made = tensor(op.outputs[0]).shape[1];
    const std::int64_t read = tensor(op.inputs[0]).shape[1];
    if (sides[0] != 0 || sides[1] != 0 || sides[2] < 0 || sides[3] < 0) return {};
    if (read + sides[2] + sides[3] != made) return {};
    return RowGeometry{.kind = RowGeometry::Kind::pad, .padTop = sides[2]};
  }

  std::optional<RowGeometry> nearestOf(const TfliteOp& stored, const RowOp& op) const {
    if (!isOfImages(op)) return {};
    if (stored.options && stored.options->number<std::uint8_t>(0, 0) != 0) return {};
    const std::int64_t made = tensor(op.outputs[0]).shape[1];
    const std::int64_t read = tensor(op.inputs[0]).shape[1];
    if (made % read != 0) return {};
    // The kernel counts in float32, which is now and then a row off.
    const float scale = static_cast<float>(read) / static_cast<float>(made);
    for (std::int64_t row = 0; row < made; ++row) {
      const auto from = static_cast<std::int64_t>(static_cast<float>(row) * scale);
      if (from != row / (made / read)) return {};
    }
    return RowGeometry{.kind = RowGeometry::Kind::nearest, .stride = made / read};
  }

  /// Multiplications are counted where weights are: filters and matrices.
  void addMacs(const TfliteOp& stored, RowOp& op) {
    const std::string type = stored.type();
    const bool convolves = type == "CONV_2D" || type == "DEPTHWISE_CONV_2D";
    if ((!convolves && type != "FULLY_CONNECTED") || stored.inputs.size() < 2 ||
        stored.inputs[1] < 0 || op.outputs.empty()) {
      return;
    }
    const Shape& filter = tensor(static_cast<std::size_t>(stored.inputs[1])).shape;
    const Shape& made = tensor(op.outputs[0]).shape;
    const auto weights = elementCount(filter);
    const auto elements = elementCount(made);
    if (!weights || !elements || made.empty() || made.back() < 1 || filter.empty()) return;
    // Each element of the output: as many weights as there are for its channel.
    const std::int64_t channels = type == "DEPTHWISE_CONV_2D" ? filter.back() : filter.front();
    if (channels < 1) return;
    const std::int64_t all = *elements * (*weights / channels);
    model_.macs += all;
    op.rowMacs = op.geometry ? all / model_.tensors[op.outputs[0]].rows : all;
  }

  Result<void> checkMakers() const {
    for (std::size_t op = 0; op < model_.ops.size(); ++op) {
      for (const std::size_t input : model_.ops[op].inputs) {
        const auto maker = model_.tensors[input].maker;
        if (isGiven(input) || (maker && *maker < op)) continue;
        return fail(ErrorCode::unsupported,
                    fmt::format("operator {} ({}) reads tensor '{}', which nothing before it makes",
                                op, graph_.ops[op].type(), printable(tensor(input).name, 80)));
      }
    }
    for (const std::size_t output : model_.outputs) {
      const RowTensor& each = model_.tensors[output];
      if (each.maker || each.stored || isGiven(output)) continue;
      return fail(ErrorCode::unsupported,
                  fmt::format("nothing makes the output '{}'", printable(tensor(output).name, 80)));
    }
    return {};
  }

  Result<void> checkRows() const {
    if (model_.ops.empty()) return fail(ErrorCode::unsupported, "it has no operators");
    std::int64_t rows = 0;
    for (const RowOp& op : model_.ops) {
      for (const std::size_t output : op.outputs) rows += model_.tensors[output].rows;
    }
    if (rows <= kMostRowsOfAll) return {};
    return fail(
        ErrorCode::unsupported,
        fmt::format("its operators make {} rows; at most {} are looked at", rows, kMostRowsOfAll));
  }

  bool isGiven(std::size_t tensor) const {
    return std::ranges::find(model_.inputs, tensor) != model_.inputs.end();
  }

  void readTail(const TflmProgram& program) {
    model_.tensorTail = tflmTensorTail(target_.pointer);
    model_.loopTail = kLoopTail + kLoopTensors * model_.tensorTail;
    model_.copyTail = tflmOpTail(graph_, {.code = static_cast<std::int32_t>(TfliteOpCode::reshape)},
                                 target_.pointer);
    model_.ownTail = tflmTail(file_, program, target_.pointer).count() -
                     model_.tensorTail * static_cast<std::int64_t>(graph_.tensors.size());
    for (const RowOp& op : model_.ops) model_.ownTail -= op.tail;
    model_.weightTensors = static_cast<std::int64_t>(weights_.size());
  }

  /// Bytes of WHILE and of the operators that it needs beside its body; an estimate.
  static constexpr std::int64_t kLoopTail = 600;
  static constexpr std::int64_t kLoopTensors = 22;
  /// Windows and dilations are no larger.
  static constexpr std::int64_t kMost = 1 << 15;

  const TfliteFile& file_;
  const TfliteSubgraph& graph_;
  RowTarget target_;
  RowModel model_;
  std::vector<bool> cut_;  ///< By tensor: it has rows.
  std::set<std::size_t> weights_;
};

}  // namespace

std::int64_t RowGeometry::paddingAbove(std::int64_t height) const {
  if (!samePadding) return 0;
  const std::int64_t made = (height + stride - 1) / stride;
  return std::max<std::int64_t>(0, (made - 1) * stride + kernel - height) / 2;
}

RowSpan RowModel::needed(std::size_t op, RowSpan rows) const {
  const RowGeometry& geometry = *ops[op].geometry;
  const std::int64_t height = tensors[ops[op].inputs[0]].rows;
  const std::int64_t stride = geometry.stride;
  if (geometry.kind == RowGeometry::Kind::same) return rows;
  if (geometry.kind == RowGeometry::Kind::nearest) {
    return {rows.begin / stride, (rows.end - 1) / stride + 1};
  }
  const std::int64_t top = rows.begin * stride - geometry.padTop;
  const std::int64_t bottom = (rows.end - 1) * stride - geometry.padTop + geometry.kernel;
  return {std::max<std::int64_t>(0, top), std::clamp<std::int64_t>(bottom, 0, height)};
}

std::string RowModel::whyNoRun(std::size_t first, std::size_t last) const {
  for (std::size_t op = first; op <= last; ++op) {
    const auto because = [&](const char* why) {
      return fmt::format("operator {} ({}): {}", op, ops[op].type, why);
    };
    if (!ops[op].geometry) return because("it does not go by rows");
    if (op == last) break;
    const RowTensor& inner = tensors[ops[op].outputs[0]];
    const bool stays = !inner.graphOutput && !inner.readers.empty() && inner.readers.back() <= last;
    if (!stays) return because("its output is read outside the run");
  }
  return {};
}

Result<RowModel> rowModel(const TfliteFile& file, const RowTarget& target) {
  return RowModelReader(file, target).read();
}

}  // namespace hw
