#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "tests/core/import/onnx_models.h"

// Many operators, and many bytes.

namespace hw {
namespace {

double processorSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Kilobytes that are resident now.
long residentKilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    long kilobytes = 0;
    if (word == "VmRSS:" && status >> kilobytes) return kilobytes;
  }
  return 0;
}

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

/// A model whose 24 weights of 100 MiB are holes in the file: on disk it takes a few kilobytes.
void writeSparseModel(const std::filesystem::path& path) {
  constexpr std::uint64_t kWeight = std::uint64_t{100} << 20U;
  constexpr int kWeights = 24;
  OnnxModel onnx;
  addInput(onnx.graph(), "x", {std::to_string(kWeight / 4)});
  std::vector<std::string> heads;
  std::uint64_t size = 0;
  for (int i = 0; i < kWeights; ++i) {
    const std::string number = std::to_string(i);
    addNode(onnx.graph(), "Add", {i == 0 ? "x" : "y" + std::to_string(i - 1), "w" + number},
            {"y" + number});
    onnx::TensorProto tensor;
    tensor.add_dims(static_cast<std::int64_t>(kWeight / 4));
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    tensor.set_name("w" + number);
    const std::string body = tensor.SerializeAsString() + fieldHead(9, kWeight);
    heads.push_back(fieldHead(5, body.size() + kWeight) + body);
    size += heads.back().size() + kWeight;
  }
  addOutput(onnx.graph(), "y" + std::to_string(kWeights - 1));
  const std::string graph = onnx.graph().SerializeAsString();
  onnx.model.clear_graph();
  std::ofstream file(path, std::ios::binary);
  file << onnx.bytes() << fieldHead(7, size + graph.size());
  for (const std::string& head : heads) {
    file << head;
    file.seekp(static_cast<std::streamoff>(kWeight), std::ios::cur);
  }
  file << graph;
}

}  // namespace

TEST_CASE("a model beyond 2 GiB opens without reading its weights", "[import][onnx]") {
  const auto path = std::filesystem::temp_directory_path() / "highwater_sparse_test.onnx";
  writeSparseModel(path);
  CHECK(std::filesystem::file_size(path) > std::uint64_t{1} << 31U);
  const long before = residentKilobytes();
  const double start = processorSeconds();
  const auto model = loadModel(path.string(), {});
  const double seconds = processorSeconds() - start;
  const long grown = residentKilobytes() - before;
  std::filesystem::remove(path);
  REQUIRE(model);
  CHECK(model->graph->ops.size() == 24);
  CHECK(tensorNamed(*model, "w23").bytes == Bytes(100 << 20));
  CHECK(model->sha256.size() == 64);
  std::cout << "2.4 GiB of weights: " << seconds << " s of processor time, " << grown / 1024
            << " MiB more\n";
  CHECK(seconds < 1);
  CHECK(grown < 200 * 1024);
}

TEST_CASE("100,000 operators open quickly", "[import][onnx]") {
  constexpr int kOps = 100'000;
  OnnxModel onnx;
  addInput(onnx.graph(), "x", {"1", "8", "4", "4"});
  addWeight(onnx.graph(), "w", {8, 8, 1, 1});
  for (int i = 0; i < kOps; ++i) {
    const std::string in = i == 0 ? "x" : "t" + std::to_string(i - 1);
    const std::string out = "t" + std::to_string(i);
    if (i % 3 == 0) addNode(onnx.graph(), "Relu", {in}, {out});
    if (i % 3 == 1) addNode(onnx.graph(), "Conv", {in, "w"}, {out});
    if (i % 3 == 2) addNode(onnx.graph(), "Add", {in, "t" + std::to_string(i - 2)}, {out});
  }
  addOutput(onnx.graph(), "t" + std::to_string(kOps - 1));
  const std::string bytes = onnx.bytes();
  const double start = processorSeconds();
  const auto model = importModel(bytes, "many.onnx", {});
  const double seconds = processorSeconds() - start;
  REQUIRE(model);
  CHECK(model->graph->ops.size() == kOps);
  CHECK(tensorNamed(*model, "t99999").bytes == Bytes(512));
  std::cout << "100,000 operators: " << seconds << " s of processor time\n";
#ifdef NDEBUG
  CHECK(seconds < 1.5);  // Below 1 s on a machine at rest; a busy one shares its caches.
#endif
}

}  // namespace hw
