#include "tests/support/large_models.h"

#include <fstream>

#include "tests/core/import/onnx/onnx_models.h"
#include "tests/support/tflite_writer.h"

namespace hw {
namespace {

void appendVarint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7U) out += static_cast<char>((value & 0x7FU) | 0x80U);
  out += static_cast<char>(value);
}

/// Tag and length of a field of bytes.
std::string fieldHead(unsigned number, std::uint64_t length) {
  std::string head;
  appendVarint(head, number << 3U | 2U);
  appendVarint(head, length);
  return head;
}

}  // namespace

std::string chainOnnx(int operators) {
  OnnxModel onnx;
  addInput(onnx.graph(), "x", {"1", "8", "4", "4"});
  addWeight(onnx.graph(), "w", {8, 8, 1, 1});
  for (int i = 0; i < operators; ++i) {
    const std::string in = i == 0 ? "x" : "t" + std::to_string(i - 1);
    const std::string out = "t" + std::to_string(i);
    if (i % 3 == 0) addNode(onnx.graph(), "Relu", {in}, {out});
    if (i % 3 == 1) addNode(onnx.graph(), "Conv", {in, "w"}, {out});
    if (i % 3 == 2) addNode(onnx.graph(), "Add", {in, "t" + std::to_string(i - 2)}, {out});
  }
  addOutput(onnx.graph(), "t" + std::to_string(operators - 1));
  return onnx.bytes();
}

std::string chainTflite(int operators) {
  constexpr std::int32_t kAdd = 0;
  constexpr std::int32_t kConv = 3;
  constexpr std::int32_t kRelu = 19;
  TfliteText::Subgraph main{.name = "main"};
  main.tensors = {{.name = "w", .shape = {8, 1, 1, 8}, .buffer = 1},
                  {.name = "x", .shape = {1, 4, 4, 8}, .signature = {-1, 4, 4, 8}}};
  main.inputs = {1};
  for (std::int32_t i = 0; i < operators; ++i) {
    main.tensors.push_back(
        {.name = "t" + std::to_string(i), .shape = {1, 4, 4, 8}, .signature = {-1, 4, 4, 8}});
    const std::int32_t in = i + 1;
    const std::int32_t out = i + 2;
    if (i % 3 == 0) main.operators.push_back({.code = kRelu, .inputs = {in}, .outputs = {out}});
    if (i % 3 == 1) {
      main.operators.push_back({.code = kConv,
                                .inputs = {in, 0, -1},
                                .outputs = {out},
                                .options = {{1, 4, 1}, {2, 4, 1}}});
    }
    if (i % 3 == 2) {
      main.operators.push_back({.code = kAdd, .inputs = {in, in - 1}, .outputs = {out}});
    }
  }
  main.outputs = {operators + 1};
  return tfliteBytes({.subgraphs = {main}, .buffers = {std::string(256, 'w')}});
}

void writeSparseOnnx(const std::filesystem::path& path) {
  OnnxModel onnx;
  addInput(onnx.graph(), "x", {std::to_string(kSparseWeightBytes / 4)});
  std::vector<std::string> heads;
  std::uint64_t size = 0;
  for (std::int64_t i = 0; i < kSparseWeights; ++i) {
    const std::string number = std::to_string(i);
    addNode(onnx.graph(), "Add", {i == 0 ? "x" : "y" + std::to_string(i - 1), "w" + number},
            {"y" + number});
    onnx::TensorProto tensor;
    tensor.add_dims(kSparseWeightBytes / 4);
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    tensor.set_name("w" + number);
    const std::string body =
        tensor.SerializeAsString() + fieldHead(9, static_cast<std::uint64_t>(kSparseWeightBytes));
    heads.push_back(fieldHead(5, body.size() + static_cast<std::uint64_t>(kSparseWeightBytes)) +
                    body);
    size += heads.back().size() + static_cast<std::uint64_t>(kSparseWeightBytes);
  }
  addOutput(onnx.graph(), "y" + std::to_string(kSparseWeights - 1));
  const std::string graph = onnx.graph().SerializeAsString();
  onnx.model.clear_graph();
  std::ofstream file(path, std::ios::binary);
  file << onnx.bytes() << fieldHead(7, size + graph.size());
  for (const std::string& head : heads) {
    file << head;
    file.seekp(static_cast<std::streamoff>(kSparseWeightBytes), std::ios::cur);
  }
  file << graph;
}

void writeSparseTflite(const std::filesystem::path& path) {
  constexpr auto kElements = static_cast<std::int32_t>(kSparseWeightBytes / 4);
  TfliteText::Subgraph main{.name = "main"};
  main.tensors = {{.name = "x", .shape = {kElements}}};
  main.inputs = {0};
  std::int32_t last = 0;
  for (std::int32_t i = 0; i < kSparseWeights; ++i) {
    const std::string number = std::to_string(i);
    const auto buffer = static_cast<std::uint32_t>(i + 1);
    main.tensors.push_back({.name = "w" + number, .shape = {kElements}, .buffer = buffer});
    main.tensors.push_back({.name = "y" + number, .shape = {kElements}});
    main.operators.push_back({.code = 0, .inputs = {last, 2 * i + 1}, .outputs = {2 * i + 2}});
    last = 2 * i + 2;
  }
  main.outputs = {last};
  const SparseTflite sparse = sparseTflite(
      {.subgraphs = {main}},
      std::vector<std::uint32_t>(kSparseWeights, static_cast<std::uint32_t>(kSparseWeightBytes)));
  std::ofstream file(path, std::ios::binary);
  file << sparse.head;
  for (const auto& [at, size] : sparse.holes) {
    file.seekp(static_cast<std::streamoff>(at));
    file.write(reinterpret_cast<const char*>(&size), sizeof size);
  }
  file.close();
  const auto& [at, size] = sparse.holes.back();
  std::filesystem::resize_file(path, at + sizeof size + size);
}

}  // namespace hw
