#include "tests/support/tflite/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace hw::test::tfl {
namespace {

/// Names of the operators with the codes 0, 1, …
constexpr const char* kNames =
    "ADD AVERAGE_POOL_2D CONCATENATION CONV_2D DEPTHWISE_CONV_2D DEPTH_TO_SPACE DEQUANTIZE "
    "EMBEDDING_LOOKUP FLOOR FULLY_CONNECTED HASHTABLE_LOOKUP L2_NORMALIZATION L2_POOL_2D "
    "LOCAL_RESPONSE_NORMALIZATION LOGISTIC LSH_PROJECTION LSTM MAX_POOL_2D MUL RELU RELU_N1_TO_1 "
    "RELU6 RESHAPE RESIZE_BILINEAR RNN SOFTMAX SPACE_TO_DEPTH SVDF TANH CONCAT_EMBEDDINGS "
    "SKIP_GRAM CALL CUSTOM EMBEDDING_LOOKUP_SPARSE PAD UNIDIRECTIONAL_SEQUENCE_RNN GATHER "
    "BATCH_TO_SPACE_ND SPACE_TO_BATCH_ND TRANSPOSE MEAN SUB DIV SQUEEZE "
    "UNIDIRECTIONAL_SEQUENCE_LSTM STRIDED_SLICE BIDIRECTIONAL_SEQUENCE_RNN EXP TOPK_V2 SPLIT "
    "LOG_SOFTMAX DELEGATE BIDIRECTIONAL_SEQUENCE_LSTM CAST PRELU MAXIMUM ARG_MAX MINIMUM LESS NEG "
    "PADV2 GREATER GREATER_EQUAL LESS_EQUAL SELECT SLICE SIN TRANSPOSE_CONV SPARSE_TO_DENSE TILE "
    "EXPAND_DIMS EQUAL NOT_EQUAL LOG SUM SQRT RSQRT SHAPE POW ARG_MIN FAKE_QUANT REDUCE_PROD "
    "REDUCE_MAX PACK LOGICAL_OR ONE_HOT LOGICAL_AND LOGICAL_NOT UNPACK REDUCE_MIN FLOOR_DIV "
    "REDUCE_ANY SQUARE ZEROS_LIKE FILL FLOOR_MOD RANGE RESIZE_NEAREST_NEIGHBOR LEAKY_RELU "
    "SQUARED_DIFFERENCE MIRROR_PAD ABS SPLIT_V UNIQUE CEIL REVERSE_V2 ADD_N GATHER_ND COS WHERE "
    "RANK ELU REVERSE_SEQUENCE MATRIX_DIAG QUANTIZE MATRIX_SET_DIAG ROUND HARD_SWISH IF WHILE "
    "NON_MAX_SUPPRESSION_V4 NON_MAX_SUPPRESSION_V5 SCATTER_ND SELECT_V2 DENSIFY SEGMENT_SUM "
    "BATCH_MATMUL - CUMSUM CALL_ONCE BROADCAST_TO RFFT2D CONV_3D - - - HASHTABLE HASHTABLE_FIND "
    "HASHTABLE_IMPORT HASHTABLE_SIZE REDUCE_ALL CONV_3D_TRANSPOSE VAR_HANDLE READ_VARIABLE "
    "ASSIGN_VARIABLE BROADCAST_ARGS RANDOM_STANDARD_NORMAL BUCKETIZE RANDOM_UNIFORM MULTINOMIAL "
    "GELU DYNAMIC_UPDATE_SLICE";

constexpr std::int32_t kCustom = 32;

std::string operatorName(std::int32_t code, const std::string& custom) {
  if (code == kCustom) return custom;
  std::istringstream words(kNames);
  std::string word;
  for (std::int32_t i = 0; i <= code && words >> word; ++i) {
    if (i == code) return word;
  }
  return fmt::format("operator code {}", code);
}

/// Bytes of every buffer.
std::vector<Table::Bytes> readBuffers(const Table& root) {
  std::vector<Table::Bytes> all;
  for (const Table& buffer : root.tables(4)) {
    if (buffer.number<std::uint64_t>(1, 0) > 1) {
      throw Refusal(fmt::format("buffer {} lies behind the flatbuffer", all.size()));
    }
    all.push_back(buffer.bytes(0));
  }
  return all;
}

Tensor readTensor(const Table& stored, const std::vector<Table::Bytes>& buffers) {
  Tensor tensor{.name = stored.text(3),
                .shape = stored.numbers<std::int32_t>(0),
                .type = Type{stored.number<std::int8_t>(1, 0)},
                .variable = stored.number<std::uint8_t>(5, 0) != 0};
  const auto buffer = stored.number<std::uint32_t>(2, 0);
  if (buffer >= buffers.size()) throw Refusal(fmt::format("there is no buffer {}", buffer));
  tensor.data = buffers[buffer];
  if (stored.has(6)) throw Refusal(fmt::format("tensor '{}' is sparse", tensor.name));
  if (const auto quantization = stored.table(4)) {
    tensor.scales = quantization->numbers<float>(2);
    tensor.zeros = quantization->numbers<std::int64_t>(3);
    tensor.channelAxis = quantization->number<std::int32_t>(6, 0);
  }
  if (std::ranges::any_of(tensor.shape, [](std::int32_t size) { return size < 0; })) {
    throw Refusal(fmt::format("tensor '{}' has a size below 0", tensor.name));
  }
  if (!tensor.data.empty() && tensor.data.size() < tensor.bytes()) {
    throw Refusal(fmt::format("tensor '{}' needs {} bytes, its buffer has {}", tensor.name,
                              tensor.bytes(), tensor.data.size()));
  }
  return tensor;
}

void checkIndices(const std::vector<std::int32_t>& indices, const Graph& graph, bool optional) {
  for (const std::int32_t index : indices) {
    if (index == -1 && optional) continue;
    if (index < 0 || static_cast<std::size_t>(index) >= graph.tensors.size()) {
      throw Refusal(fmt::format("there is no tensor {}", index));
    }
  }
}

Operator readOperator(const Table& stored, const std::vector<Table>& codes) {
  const auto index = stored.number<std::uint32_t>(0, 0);
  if (index >= codes.size()) throw Refusal(fmt::format("there is no operator code {}", index));
  const Table& code = codes[index];
  Operator op{.code = std::max<std::int32_t>(code.number<std::int8_t>(0, 0),
                                             code.number<std::int32_t>(3, 0)),
              .inputs = stored.numbers<std::int32_t>(1),
              .outputs = stored.numbers<std::int32_t>(2),
              .options = stored.table(4)};
  op.name = operatorName(op.code, code.text(1));
  return op;
}

Graph readGraph(const Table& stored, const std::vector<Table::Bytes>& buffers,
                const std::vector<Table>& codes) {
  Graph graph{.inputs = stored.numbers<std::int32_t>(1),
              .outputs = stored.numbers<std::int32_t>(2)};
  for (const Table& tensor : stored.tables(0)) graph.tensors.push_back(readTensor(tensor, buffers));
  for (const Table& op : stored.tables(3)) graph.operators.push_back(readOperator(op, codes));
  checkIndices(graph.inputs, graph, false);
  checkIndices(graph.outputs, graph, false);
  for (const Operator& op : graph.operators) {
    checkIndices(op.inputs, graph, true);
    checkIndices(op.outputs, graph, false);
  }
  return graph;
}

/// Offsets in the buffer of the metadata: version, subgraph, count, offsets.
std::vector<std::int32_t> readPlan(Table::Bytes stored, std::size_t tensors) {
  std::vector<std::int32_t> words(stored.size() / 4);
  if (!words.empty()) std::memcpy(words.data(), stored.data(), 4 * words.size());
  if (words.size() < 3) throw Refusal("the offline plan is shorter than its head");
  if (words[2] < 0 || static_cast<std::size_t>(words[2]) != tensors) {
    throw Refusal(
        fmt::format("the offline plan has {} offsets, the file {} tensors", words[2], tensors));
  }
  if (words.size() < 3 + tensors) {
    throw Refusal(fmt::format("the offline plan says that it has {} offsets, its buffer has {}",
                              tensors, words.size() - 3));
  }
  return {words.begin() + 3, words.begin() + 3 + words[2]};
}

}  // namespace

std::string nameOf(Type type) {
  switch (type) {
    case Type::kFloat32:
      return "float32";
    case Type::kInt32:
      return "int32";
    case Type::kUInt8:
      return "uint8";
    case Type::kInt64:
      return "int64";
    case Type::kBool:
      return "bool";
    case Type::kInt16:
      return "int16";
    case Type::kInt8:
      return "int8";
    case Type::kInt4:
      return "int4";
  }
  return fmt::format("type {}", static_cast<int>(type));
}

std::int64_t Tensor::elements() const {
  std::int64_t product = 1;
  for (const std::int32_t size : shape) product *= size;
  return product;
}

std::size_t Tensor::width() const {
  switch (type) {
    case Type::kUInt8:
    case Type::kBool:
    case Type::kInt8:
    case Type::kInt4:
      return 1;
    case Type::kInt16:
      return 2;
    case Type::kFloat32:
    case Type::kInt32:
      return 4;
    case Type::kInt64:
      return 8;
  }
  throw Refusal(fmt::format("tensor '{}' is of {}, which is not known", name, nameOf(type)));
}

std::size_t Tensor::bytes() const {
  const auto count = static_cast<std::size_t>(elements());
  return type == Type::kInt4 ? (count + 1) / 2 : count * width();
}

Model readModel(Table::Bytes file) {
  if (file.size() < 8 || std::memcmp(file.data() + 4, "TFL3", 4) != 0) {
    throw Refusal("not a TFLite file");
  }
  const Table root = Table::root(file);
  const std::vector<Table::Bytes> buffers = readBuffers(root);
  const std::vector<Table> codes = root.tables(1);
  Model model;
  std::size_t tensors = 0;
  for (const Table& graph : root.tables(2)) {
    model.graphs.push_back(readGraph(graph, buffers, codes));
    tensors += model.graphs.back().tensors.size();
  }
  if (model.graphs.empty()) throw Refusal("the file has no subgraph");
  for (const Table& metadata : root.tables(6)) {
    if (metadata.text(0) != "OfflineMemoryAllocation") continue;
    const auto buffer = metadata.number<std::uint32_t>(1, 0);
    if (buffer >= buffers.size()) throw Refusal("the offline plan has no buffer");
    model.plan = readPlan(buffers[buffer], tensors);
  }
  return model;
}

}  // namespace hw::test::tfl
