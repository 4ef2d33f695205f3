#include "core/exchange/tflm/tail.h"

#include <algorithm>
#include <array>

#include "core/import/tflite/reader.h"

namespace hw {
namespace {

/// What a reference kernel keeps, as of commit 90b983c on a 64-bit machine, in bytes: data of its
/// own, options as the runtime unpacks them, and how many numbers of 4 bytes for each channel,
/// along an axis of its filter.
struct KernelTail {
  std::string_view type;
  std::int64_t data = 0;
  std::int64_t options = 0;
  std::int64_t numbers = 0;  ///< In lists of their own.
  std::size_t axis = 0;
};

constexpr KernelTail kTails[] = {{"CONV_2D", 72, 28, 2, 0},
                                 {"DEPTHWISE_CONV_2D", 72, 28, 2, 3},
                                 {"TRANSPOSE_CONV", 120, 20, 2, 0},
                                 {"FULLY_CONNECTED", 64, 16},
                                 {"ADD", 60, 8},
                                 {"SUB", 52, 8},
                                 {"MUL", 36, 4},
                                 {"DIV", 28, 4},
                                 {"AVERAGE_POOL_2D", 32, 40},
                                 {"MAX_POOL_2D", 32, 40},
                                 {"L2_POOL_2D", 0, 40},
                                 {"SOFTMAX", 80, 4},
                                 {"LOG_SOFTMAX", 80, 0},
                                 {"SVDF", 36, 12},
                                 {"UNIDIRECTIONAL_SEQUENCE_LSTM", 688, 16},
                                 {"QUANTIZE", 32, 0},
                                 {"DEQUANTIZE", 32, 0},
                                 {"MEAN", 44, 1},
                                 {"SUM", 44, 1},
                                 {"REDUCE_MAX", 44, 1},
                                 {"REDUCE_MIN", 44, 1},
                                 {"REDUCE_ALL", 44, 1},
                                 {"LOGISTIC", 16, 0},
                                 {"TANH", 16, 0},
                                 {"LEAKY_RELU", 24, 4},
                                 {"RELU", 28, 0},
                                 {"RELU6", 8, 0},
                                 {"PRELU", 28, 0},
                                 {"HARD_SWISH", 20, 0},
                                 {"STRIDED_SLICE", 84, 24},
                                 {"PAD", 56, 0},
                                 {"PADV2", 56, 0},
                                 {"MIRROR_PAD", 20, 4},
                                 {"CONCATENATION", 40, 8},
                                 {"RESHAPE", 0, 36},
                                 {"SQUEEZE", 0, 36},
                                 {"SPLIT", 0, 4},
                                 {"SPLIT_V", 0, 4},
                                 {"PACK", 0, 8},
                                 {"UNPACK", 0, 8},
                                 {"GATHER", 0, 8},
                                 {"CAST", 0, 8},
                                 {"SHAPE", 0, 4},
                                 {"TRANSPOSE", 0, 0},
                                 {"EXPAND_DIMS", 0, 0},
                                 {"MAXIMUM", 0, 0},
                                 {"MINIMUM", 0, 0},
                                 {"RESIZE_BILINEAR", 0, 2},
                                 {"RESIZE_NEAREST_NEIGHBOR", 0, 2},
                                 {"L2_NORMALIZATION", 16, 4},
                                 {"BATCH_MATMUL", 32, 3},
                                 {"RSQRT", 28, 0},
                                 {"ABS", 28, 0},
                                 {"SQUARED_DIFFERENCE", 112, 0},
                                 {"SELECT_V2", 1, 0},
                                 {"EQUAL", 32, 0},
                                 {"ARG_MAX", 0, 4},
                                 {"VAR_HANDLE", 4, 16},
                                 {"READ_VARIABLE", 0, 0},
                                 {"ASSIGN_VARIABLE", 4, 0},
                                 {"CALL_ONCE", 8, 4},
                                 {"IF", 8, 8},
                                 {"WHILE", 12, 8}};
/// Of all others.
constexpr KernelTail kUsualTail{"", 32, 8};

/// Sizes of the runtime's own structures by that of a pointer.
struct TailSizes {
  std::int64_t own;       ///< Its allocators and the planner.
  std::int64_t tensor;    ///< As kernels see it.
  std::int64_t op;        ///< With the kernel that it has.
  std::int64_t endpoint;  ///< An input or output of the model as the application sees it,
  std::int64_t scale;     ///< and what it is told of quantization.
};
constexpr TailSizes kWide{248, 24, 64, 64, 32};
constexpr TailSizes kNarrow{132, 12, 32, 40, 20};

std::int64_t blockBytes(std::int64_t bytes) {
  return alignUp(Bytes(bytes), kTflmAlignment).count();
}

/// A copy of an operand with its last two dimensions changed about, which a product of matrices
/// keeps.
std::int64_t transposedCopy(const TfliteSubgraph& graph, std::int32_t operand) {
  if (operand < 0 || static_cast<std::size_t>(operand) >= graph.tensors.size()) return 0;
  const TfliteTensor& tensor = graph.tensors[static_cast<std::size_t>(operand)];
  const auto count = elementCount(tensor.shape);
  const auto bytes = count ? checkedMul(*count, tfliteBits(tensor.type) / 8) : std::nullopt;
  if (!bytes || *bytes < 0 || *bytes > INT32_MAX) return 0;  // The runtime would not take it.
  const auto rank = static_cast<std::int64_t>(tensor.shape.size());
  return blockBytes(*bytes) + blockBytes(24) + blockBytes(4 * (1 + rank));
}

/// By its options, the first operand as it is and the second one with rows for columns are right.
std::int64_t matrixCopies(const TfliteSubgraph& graph, const TfliteOp& op) {
  const auto flag = [&](int field) {
    return op.options && op.options->number<std::uint8_t>(field, 0) != 0;
  };
  std::int64_t bytes = 0;
  if (flag(0) && !op.inputs.empty()) bytes += transposedCopy(graph, op.inputs[0]);
  if (!flag(1) && op.inputs.size() > 1) bytes += transposedCopy(graph, op.inputs[1]);
  return bytes;
}

std::int64_t kernelTail(const TfliteSubgraph& graph, const TfliteOp& op) {
  const auto* row = std::ranges::find(kTails, op.type(), &KernelTail::type);
  const KernelTail& tail = row == std::end(kTails) ? kUsualTail : *row;
  std::int64_t bytes = blockBytes(tail.data) + tail.options;
  if (tail.type == "BATCH_MATMUL") bytes += matrixCopies(graph, op);
  const std::int32_t filter = op.inputs.size() > 1 ? op.inputs[1] : -1;
  if (tail.numbers == 0 || filter < 0 || static_cast<std::size_t>(filter) >= graph.tensors.size()) {
    return bytes;
  }
  const Shape& shape = graph.tensors[static_cast<std::size_t>(filter)].shape;
  if (tail.axis >= shape.size() || shape[tail.axis] < 0) return bytes;
  constexpr std::int64_t kMostChannels = 1 << 30;
  return bytes + tail.numbers * blockBytes(4 * std::min(shape[tail.axis], kMostChannels));
}

}  // namespace

Bytes tflmTail(const TfliteFile& file, const TflmProgram& program, std::int64_t pointer) {
  const TailSizes& sizes = pointer > 4 ? kWide : kNarrow;
  std::int64_t bytes = sizes.own + program.variables.count();
  for (std::size_t i = 0; i < file.subgraphCount(); ++i) {
    const TfliteSubgraph& graph = file.subgraph(i);
    bytes += sizes.tensor * static_cast<std::int64_t>(graph.tensors.size());
    bytes += sizes.op * static_cast<std::int64_t>(graph.ops.size());
    for (const TfliteOp& op : graph.ops) bytes += kernelTail(graph, op);
  }
  for (const auto& [name, state] : tfliteStates(file)) {
    bytes += alignUp(state, kTflmAlignment).count();
  }
  const TfliteSubgraph& main = file.subgraph(0);
  for (const auto* list : {&main.inputs, &main.outputs}) {
    bytes += blockBytes(pointer * static_cast<std::int64_t>(list->size()));
    for (const std::int32_t tensor : *list) {
      bytes += sizes.endpoint;
      if (tensor < 0 || static_cast<std::size_t>(tensor) >= main.tensors.size()) continue;
      const Dtype type = tfliteDtype(main.tensors[static_cast<std::size_t>(tensor)].type);
      const bool scaled = type == Dtype::int8 || type == Dtype::uint8 || type == Dtype::int16;
      if (scaled) bytes += sizes.scale;
    }
  }
  return Bytes(bytes + pointer * static_cast<std::int64_t>(program.scratch.size()));
}

}  // namespace hw
