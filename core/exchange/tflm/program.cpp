#include "core/exchange/tflm/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/exchange/tflm/kernel_scratch.h"
#include "core/import/tflite/inference.h"
#include "core/import/tflite/reader.h"

namespace hw {
namespace {

constexpr std::int32_t kResourceType = 13;
/// Calls within calls, and operators walked all told: a small file can ask for very many.
constexpr int kDeepestCalls = 16;
constexpr std::size_t kMostWalked = 1'000'000;
/// The runtime sorts them by bubbles; nobody gives it as many.
constexpr std::size_t kMostBuffers = 32'768;

std::string tensorPlace(std::size_t subgraph, std::size_t tensor) {
  return fmt::format("subgraph[{}].tensor[{}]", subgraph, tensor);
}

/// Bytes of an element in the arena; 0: the runtime knows no such type. Those of four bits take a
/// byte each, and a resource is a number.
std::int64_t elementBytes(std::int32_t type) {
  if (type == kResourceType) return 4;
  const Dtype dtype = tfliteDtype(type);
  if (dtype == Dtype::int4) return 1;
  if (dtype == Dtype::uint4 || dtype == Dtype::bfloat16 || dtype == Dtype::float8) return 0;
  return tfliteBits(type) % 8 == 0 ? tfliteBits(type) / 8 : 0;
}

class ProgramReader {
 public:
  ProgramReader(const TfliteFile& file, KernelLibrary library) : file_(file), library_(library) {}

  Result<TflmProgram> read() {
    for (std::size_t i = 0; i < file_.subgraphCount(); ++i) {
      program_.starts.push_back(program_.tensors.size());
      HW_DO(addTensors(i));
    }
    program_.runs.resize(file_.subgraphCount());
    dropHandles();
    HW_DO(addScratch());
    HW_DO(walk(0, 0));
    // The runtime never learns how large the scratch of a subgraph is that nothing calls.
    for (TflmBuffer& scratch : program_.scratch) {
      if (scratch.first == TflmBuffer::kNever) scratch.size = Bytes();
    }
    return std::move(program_);
  }

 private:
  Result<void> addTensors(std::size_t index) {
    const TfliteSubgraph& graph = file_.subgraph(index);
    if (program_.tensors.size() + graph.tensors.size() > kMostBuffers) {
      return fail(ErrorCode::unsupported,
                  fmt::format("the model has more than {} tensors", kMostBuffers));
    }
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
      const TfliteTensor& tensor = graph.tensors[i];
      TflmBuffer buffer{.subgraph = index, .index = i};
      if (!tensor.isVariable && !file_.isStored(tensor.buffer)) {
        HW_TRY(size, sizeOf(tensor, tensorPlace(index, i)));
        buffer.size = size;
      }
      if (tensor.isVariable) {
        // As much as offsets could say, at most; the head does not need to know.
        const auto size = sizeOf(tensor, "");
        if (size) program_.variables += *size;
      }
      program_.tensors.push_back(buffer);
    }
    return {};
  }

  /// The kernel of VAR_HANDLE points its output at a number of its own.
  void dropHandles() {
    for (std::size_t index = 0; index < file_.subgraphCount(); ++index) {
      for (const TfliteOp& op : file_.subgraph(index).ops) {
        if (!op.is(TfliteOpCode::variableHandle)) continue;
        for (const std::int32_t output : op.outputs) {
          if (TflmBuffer* handle = tensorOf(index, output)) handle->size = Bytes();
        }
      }
    }
  }

  static Result<Bytes> sizeOf(const TfliteTensor& tensor, const std::string& where) {
    const std::int64_t each = elementBytes(tensor.type);
    const bool free = std::ranges::any_of(tensor.shape, [](auto size) { return size < 0; });
    const auto count = free ? std::nullopt : elementCount(tensor.shape);
    const auto bytes = count ? checkedMul(*count, each) : std::nullopt;
    if (each > 0 && bytes && *bytes < INT32_MAX) return alignUp(Bytes(*bytes), kTflmAlignment);
    return fail(
        ErrorCode::unsupported,
        fmt::format("tflite-micro cannot allocate tensor '{}': {}", printable(tensor.name, 80),
                    each == 0 ? "its type has no size there"
                    : free    ? "a dimension of it is free"
                              : "it is larger than 2 GiB"),
        where);
  }

  KernelOperand operandOf(const TfliteSubgraph& graph, std::int32_t tensor) const {
    if (tensor < 0 || static_cast<std::size_t>(tensor) >= graph.tensors.size()) return {};
    const TfliteTensor& stored = graph.tensors[static_cast<std::size_t>(tensor)];
    return {tfliteDtype(stored.type), stored.shape};
  }

  Result<void> addScratch() {
    for (std::size_t index = 0; index < file_.subgraphCount(); ++index) {
      const TfliteSubgraph& graph = file_.subgraph(index);
      for (std::size_t op = 0; op < graph.ops.size(); ++op) addScratchOf(graph, index, op);
      if (program_.scratch.size() > kMostBuffers) {
        return fail(ErrorCode::unsupported,
                    fmt::format("kernels ask for more than {} scratch buffers", kMostBuffers));
      }
    }
    return {};
  }

  void addScratchOf(const TfliteSubgraph& graph, std::size_t index, std::size_t number) {
    const TfliteOp& op = graph.ops[number];
    std::vector<KernelOperand> inputs;
    std::vector<KernelOperand> outputs;
    for (const auto input : op.inputs) inputs.push_back(operandOf(graph, input));
    for (const auto output : op.outputs) outputs.push_back(operandOf(graph, output));
    const KernelScratch scratch = kernelScratch(op.type(), !op.custom.empty(), inputs, outputs,
                                                tfliteAttributes(op, file_.bytes()), library_);
    const std::string type = printable(op.type(), 40);
    if (!scratch.known && std::ranges::find(program_.unknown, type) == program_.unknown.end()) {
      program_.unknown.push_back(type);
    }
    for (const Bytes size : scratch.buffers) {
      program_.scratch.push_back(
          {.subgraph = index, .index = number, .size = alignUp(size, kTflmAlignment)});
    }
  }

  /// The subgraphs that the runtime plans where it meets `op`.
  std::vector<std::size_t> calleesOf(const TfliteOp& op) const {
    if (op.is(TfliteOpCode::branch) || op.is(TfliteOpCode::loop)) return tfliteCalls(op, file_);
    if (!op.is(TfliteOpCode::callOnce)) return {};
    const std::int32_t callee = op.options ? op.options->number<std::int32_t>(0, 0) : 0;
    if (callee < 0 || static_cast<std::size_t>(callee) >= file_.subgraphCount()) return {};
    return {static_cast<std::size_t>(callee)};
  }

  TflmBuffer* tensorOf(std::size_t subgraph, std::int32_t tensor) {
    const std::size_t count = file_.subgraph(subgraph).tensors.size();
    if (tensor < 0 || static_cast<std::size_t>(tensor) >= count) return nullptr;
    return &program_.tensors[program_.starts[subgraph] + static_cast<std::size_t>(tensor)];
  }

  void begin(TflmBuffer* buffer, std::int32_t scope) {
    if (buffer != nullptr && buffer->first == TflmBuffer::kNever) buffer->first = scope;
  }
  void use(TflmBuffer* buffer) {
    if (buffer != nullptr) buffer->last = scope_;
  }

  Result<void> walk(std::size_t subgraph, int depth) {
    if (depth > kDeepestCalls) {
      return fail(ErrorCode::unsupported,
                  fmt::format("subgraphs call one another more than {} deep", kDeepestCalls));
    }
    program_.runs[subgraph] = true;
    const TfliteSubgraph& graph = file_.subgraph(subgraph);
    const auto all = [&](const std::vector<std::int32_t>& list, bool begins, bool uses) {
      for (const std::int32_t tensor : list) {
        if (begins) begin(tensorOf(subgraph, tensor), scope_);
        if (uses) use(tensorOf(subgraph, tensor));
      }
    };
    all(graph.inputs, true, true);
    for (std::size_t number = 0; number < graph.ops.size(); ++number) {
      if (++walked_ > kMostWalked) {
        return fail(ErrorCode::unsupported, "subgraphs call one another over and over");
      }
      const TfliteOp& op = graph.ops[number];
      const std::int32_t scope = ++scope_;
      all(op.outputs, true, false);
      for (const std::size_t callee : calleesOf(op)) {
        ++scope_;
        HW_DO(walk(callee, depth + 1));
      }
      all(op.inputs, false, true);
      all(op.outputs, false, true);
      useScratch(subgraph, number, scope);
    }
    all(graph.outputs, true, true);
    return {};
  }

  /// Scratch is there before the subgraphs that its operator calls. It lies in the order of its
  /// operators.
  void useScratch(std::size_t subgraph, std::size_t op, std::int32_t scope) {
    auto& all = program_.scratch;
    auto at = std::lower_bound(all.begin(), all.end(), std::pair(subgraph, op),
                               [](const TflmBuffer& buffer, const auto& wanted) {
                                 return std::pair(buffer.subgraph, buffer.index) < wanted;
                               });
    for (; at != all.end() && at->subgraph == subgraph && at->index == op; ++at) {
      begin(&*at, scope);
      use(&*at);
    }
  }

  const TfliteFile& file_;
  KernelLibrary library_;
  TflmProgram program_;
  std::int32_t scope_ = 0;
  std::size_t walked_ = 0;
};

/// The data that a reference kernel keeps, as of commit 90b983c on a 64-bit machine, in bytes: data
/// of its own, options as the runtime unpacks them, and how many numbers of 4 bytes for each
/// channel, along an axis of its filter.
struct KernelTail {
  std::string_view type;
  std::int64_t data = 0;
  std::int64_t options = 0;
  std::int64_t numbers = 0;  ///< In lists of their own.
  std::size_t axis = 0;
  std::int64_t pointers = 0;  ///< Bytes of `data` that pointers of 4 bytes save.
};

constexpr KernelTail kTails[] = {{"CONV_2D", 72, 28, 2, 0, 8},
                                 {"DEPTHWISE_CONV_2D", 72, 28, 2, 3, 8},
                                 {"TRANSPOSE_CONV", 120, 20, 2, 0},
                                 {"FULLY_CONNECTED", 64, 16, 2, 0, 16},
                                 {"ADD", 60, 8},
                                 {"SUB", 52, 8},
                                 {"MUL", 36, 4},
                                 {"DIV", 28, 4},
                                 {"AVERAGE_POOL_2D", 32, 40},
                                 {"MAX_POOL_2D", 32, 40},
                                 {"L2_POOL_2D", 0, 40},
                                 {"SOFTMAX", 80, 4, 0, 0, 16},
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
constexpr TailSizes kWideTails{248, 24, 64, 64, 32};
constexpr TailSizes kNarrowTails{132, 12, 32, 40, 20};
const TailSizes& tailSizes(std::int64_t pointer) { return pointer > 4 ? kWideTails : kNarrowTails; }

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

std::int64_t kernelTail(const TfliteSubgraph& graph, const TfliteOp& op, std::int64_t pointer) {
  const auto* row = std::ranges::find(kTails, op.type(), &KernelTail::type);
  const KernelTail& tail = row == std::end(kTails) ? kUsualTail : *row;
  const std::int64_t data = tail.data - (pointer > 4 ? 0 : tail.pointers);
  std::int64_t bytes = blockBytes(data) + tail.options;
  if (tail.type == "BATCH_MATMUL") bytes += matrixCopies(graph, op);
  const std::int32_t filter = op.inputs.size() > 1 ? op.inputs[1] : -1;
  if (tail.numbers == 0 || filter < 0 || static_cast<std::size_t>(filter) >= graph.tensors.size()) {
    return bytes;
  }
  const TfliteTensor& weights = graph.tensors[static_cast<std::size_t>(filter)];
  // It keeps numbers for its channels only where these have scales of their own.
  if (op.is(TfliteOpCode::fullyConnected) && weights.scales < 2) return bytes;
  const Shape& shape = weights.shape;
  if (tail.axis >= shape.size() || shape[tail.axis] < 0) return bytes;
  constexpr std::int64_t kMostChannels = 1 << 30;
  return bytes + tail.numbers * blockBytes(4 * std::min(shape[tail.axis], kMostChannels));
}

}  // namespace

Result<TflmProgram> tflmProgram(const TfliteFile& file, KernelLibrary library) {
  return ProgramReader(file, library).read();
}

std::int64_t tflmTensorTail(std::int64_t pointer) { return tailSizes(pointer).tensor; }

std::int64_t tflmOpTail(const TfliteSubgraph& graph, const TfliteOp& op, std::int64_t pointer) {
  return tailSizes(pointer).op + kernelTail(graph, op, pointer);
}

Bytes tflmTail(const TfliteFile& file, const TflmProgram& program, std::int64_t pointer) {
  const TailSizes& sizes = tailSizes(pointer);
  std::int64_t bytes = sizes.own + program.variables.count();
  for (std::size_t i = 0; i < file.subgraphCount(); ++i) {
    const TfliteSubgraph& graph = file.subgraph(i);
    bytes += sizes.tensor * static_cast<std::int64_t>(graph.tensors.size());
    for (const TfliteOp& op : graph.ops) bytes += tflmOpTail(graph, op, pointer);
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
