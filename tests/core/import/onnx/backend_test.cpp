#include <onnx/onnx_pb.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "core/import/importer.h"

// ONNX's own tests of its operators: models with what goes in and what must come out. Debian has
// them as libonnx-testdata.

namespace hw {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = "/usr/share/libonnx-testdata/data";

template <class Message>
bool parse(const fs::path& path, Message& message) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return file && message.ParseFromString(content.str());
}

/// Stores what goes in as weights where sizes may hang on it: whole numbers, and few real ones.
void storeInputs(onnx::GraphProto& graph, const fs::path& data) {
  constexpr int kFew = 8;
  for (int i = 0; i < graph.input_size(); ++i) {
    onnx::TensorProto tensor;
    if (!parse(data / ("input_" + std::to_string(i) + ".pb"), tensor)) continue;
    const bool named = tensor.name().empty() || tensor.name() == graph.input(i).name();
    const bool whole = tensor.data_type() == onnx::TensorProto::INT64 ||
                       tensor.data_type() == onnx::TensorProto::INT32 ||
                       tensor.data_type() == onnx::TensorProto::BOOL;
    const bool few = tensor.data_type() == onnx::TensorProto::FLOAT && i > 0 &&
                     tensor.dims_size() < 2 && tensor.raw_data().size() <= 4 * kFew;
    if (!named || (!whole && !few)) continue;
    tensor.set_name(graph.input(i).name());
    *graph.add_initializer() = std::move(tensor);
  }
}

struct Tally {
  std::size_t right = 0;
  std::size_t bounded = 0;  ///< Depend on data: at most so large.
  std::size_t unknown = 0;
};

/// Holds an output's shape against the one it had when the model ran.
void compare(const Tensor& output, const onnx::TensorProto& expected, Tally& tally) {
  const Shape ran(expected.dims().begin(), expected.dims().end());
  CAPTURE(output.name, output.unknownReason);
  if (!output.shape) {
    ++tally.unknown;
  } else if (output.origin == SizeOrigin::assumed) {
    CHECK(output.shape->size() == ran.size());
    ++tally.bounded;
  } else {
    CHECK(*output.shape == ran);
    ++tally.right;
  }
}

void checkModel(const fs::path& folder, Tally& tally) {
  onnx::ModelProto model;
  REQUIRE(parse(folder / "model.onnx", model));
  const fs::path data = folder / "test_data_set_0";
  storeInputs(*model.mutable_graph(), data);
  // What the file says about its results would be the answer.
  model.mutable_graph()->clear_value_info();
  for (auto& output : *model.mutable_graph()->mutable_output()) output.clear_type();
  const auto opened = importModel(model.SerializeAsString(), "backend.onnx", {});
  if (!opened) FAIL_CHECK(opened.error().text());
  if (!opened) return;
  for (int i = 0; i < model.graph().output_size(); ++i) {
    onnx::TensorProto expected;
    if (!parse(data / ("output_" + std::to_string(i) + ".pb"), expected)) continue;
    const std::string& name = model.graph().output(i).name();
    const auto& tensors = opened->graph->tensors;
    const auto found = std::ranges::find(tensors, name, &Tensor::name);
    if (found != tensors.end()) compare(*found, expected, tally);
  }
}

}  // namespace

TEST_CASE("operators make the shapes that ONNX's own tests want", "[import][onnx][backend]") {
  if (!fs::is_directory(kFolder)) {
    WARN("skipped: no tests of ONNX's own (Debian's libonnx-testdata)");
    return;
  }
  Tally tally;
  for (const auto& entry : fs::recursive_directory_iterator(kFolder)) {
    if (entry.path().filename() != "model.onnx") continue;
    INFO(entry.path().parent_path().filename().string());
    checkModel(entry.path().parent_path(), tally);
  }
  std::cout << "ONNX's own tests: " << tally.right << " outputs right, " << tally.bounded
            << " bounded, " << tally.unknown << " unknown\n";
  CHECK(tally.right > 1'100);
  CHECK(tally.unknown < 90);  // Sequences, texts, and training operators.
}

}  // namespace hw
