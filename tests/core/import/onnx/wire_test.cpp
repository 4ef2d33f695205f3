#include "core/import/onnx/wire.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "tests/core/import/onnx/onnx_models.h"
#include "tests/support/must.h"

namespace hw {
namespace {

OnnxModel smallModel() {
  OnnxModel onnx;
  addInput(onnx.graph(), "x", {"n", "3"}, onnx::TensorProto::FLOAT);
  addIntegers(onnx.graph(), "target", {-1, 1, 3});
  addNode(onnx.graph(), "Reshape", {"x", "target"}, {"y"});
  auto& node = addNode(onnx.graph(), "If", {"x"}, {"z"});
  for (const char* branch : {"then_branch", "else_branch"}) {
    onnx::GraphProto& body = addBody(node, branch);
    addNode(body, "Relu", {"y"}, {"r"});
    addOutput(body, "r");
  }
  addOutput(onnx.graph(), "z");
  return onnx;
}

onnx::ModelProto reparsed(const std::string& bytes) {
  const auto reduced = test::must(withoutPayloads(bytes));
  onnx::ModelProto model;
  REQUIRE(model.ParseFromString(reduced));
  return model;
}

}  // namespace

TEST_CASE("a small model passes through unchanged", "[import][onnx]") {
  const std::string bytes = smallModel().bytes();
  CHECK(looksLikeOnnx(bytes));
  const auto reduced = test::must(withoutPayloads(bytes));
  CHECK(reduced == bytes);
}

TEST_CASE("weights, doc strings and training data are left behind", "[import][onnx]") {
  OnnxModel onnx = smallModel();
  const std::string small = onnx.bytes();
  addWeight(onnx.graph(), "raw", {1 << 20}).set_raw_data(std::string(4 << 20, 'x'));
  auto& typed = addWeight(onnx.graph(), "typed", {1 << 20});
  typed.mutable_float_data()->Resize(1 << 20, 1.0F);
  onnx.model.set_doc_string(std::string(1 << 20, 'd'));
  onnx.graph().mutable_node(0)->set_doc_string(std::string(1 << 20, 'd'));
  onnx.model.add_training_info()->mutable_algorithm()->set_name(std::string(1 << 20, 't'));
  auto& constant = addNode(onnx.graph(), "Constant", {}, {"c"});
  auto& value = *addAttribute(constant, "value", onnx::AttributeProto::TENSOR).mutable_t();
  value.set_data_type(onnx::TensorProto::FLOAT);
  value.add_dims(1 << 20);
  value.set_raw_data(std::string(4 << 20, 'x'));
  addAttribute(constant, "blob", onnx::AttributeProto::STRING).set_s(std::string(1 << 20, 'b'));
  const auto reduced = test::must(withoutPayloads(onnx.bytes()));
  CHECK(reduced.size() < small.size() + 300);
  const onnx::ModelProto model = reparsed(onnx.bytes());
  CHECK(model.graph().initializer_size() == 3);
  CHECK(model.graph().initializer(1).dims(0) == 1 << 20);
  CHECK(model.graph().initializer(1).raw_data().empty());
  CHECK(model.graph().initializer(0).int64_data_size() == 3);
  const auto loaded = test::must(onnx.load());
  CHECK(tensorNamed(loaded, "c").bytes == Bytes(4 << 20));
}

TEST_CASE("a model cut anywhere is refused or harmless, never a crash", "[import][onnx]") {
  const std::string bytes = smallModel().bytes();
  int cutShort = 0;
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    const auto model = importModel(bytes.substr(0, size), "cut.onnx", {});
    if (model) continue;  // Between two fields of the outermost message.
    CHECK_FALSE(model.error().message.empty());
    if (model.error().message.find("cut short") != std::string::npos) ++cutShort;
  }
  CHECK(cutShort > static_cast<int>(bytes.size()) / 2);
}

TEST_CASE("a model damaged anywhere is refused or harmless, never a crash", "[import][onnx]") {
  const unsigned seed = GENERATE(range(0U, 20U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  const std::string bytes = smallModel().bytes();
  for (int i = 0; i < 40; ++i) {
    std::string damaged = bytes;
    for (auto changes = 1 + random() % 3; changes > 0; --changes) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    const auto model = importModel(damaged, "damaged.onnx", {});
    if (!model) CHECK(model.error().text().find('\n') == std::string::npos);
  }
}

TEST_CASE("bodies nested without end are refused", "[import][onnx]") {
  const int depth = GENERATE(30, 31, 32, 33, 500);
  OnnxModel onnx;
  addInput(onnx.graph(), "c", {}, onnx::TensorProto::BOOL);
  onnx::GraphProto* graph = &onnx.graph();
  for (int i = 0; i < depth; ++i) {
    graph = &addBody(addNode(*graph, "If", {"c"}, {"y"}), "then_branch");
  }
  const auto model = onnx.load();
  if (depth <= 30) CHECK(model);
  if (depth >= 33) {
    REQUIRE_FALSE(model);
    CHECK_THAT(model.error().text(), Catch::Contains("nested too deeply"));
  }
}

TEST_CASE("nested loops do not take time without end", "[import][onnx]") {
  OnnxModel onnx;
  addInput(onnx.graph(), "x", {"2"});
  onnx::GraphProto* graph = &onnx.graph();
  for (int depth = 0; depth < 25; ++depth) {
    // Each level gives up its shapes one after the other and looks at its body again each time.
    auto& node = addNode(*graph, "Loop", {"", "", "x", "x", "x"}, {"a", "b", "c"});
    onnx::GraphProto& body = addBody(node, "body");
    for (const char* name : {"i", "go", "p", "q", "r"}) body.add_input()->set_name(name);
    addNode(body, "Foo", {"r"}, {"r1"});
    addNode(body, "Add", {"q", "r"}, {"q1"});
    addNode(body, "Add", {"p", "q"}, {"p1"});
    for (const char* name : {"go", "p1", "q1", "r1"}) addOutput(body, name);
    graph = &body;
  }
  CHECK(onnx.load());
}

TEST_CASE("opening a large model costs memory for its graph only", "[import][onnx]") {
  // A real file with a hole where the weight is: 512 MiB long, a few hundred bytes on disk.
  constexpr std::int64_t kElements = std::int64_t{128} << 20U;
  OnnxModel onnx;
  addInput(onnx.graph(), "x", {"1"});
  auto& weight = addWeight(onnx.graph(), "w", {kElements});
  addNode(onnx.graph(), "Add", {"x", "w"}, {"y"});
  weight.set_raw_data("");
  // The empty payload is the last field of the only tensor; write its length by hand.
  onnx::ModelProto head = onnx.model;
  onnx::GraphProto graph = onnx.graph();
  graph.clear_initializer();
  head.clear_graph();
  std::string tensor = weight.SerializeAsString();
  tensor.pop_back();  // The length 0.
  const auto varint = [](std::uint64_t value) {
    std::string bytes;
    for (; value >= 0x80; value >>= 7U) bytes += static_cast<char>((value & 0x7FU) | 0x80U);
    return bytes + static_cast<char>(value);
  };
  const std::uint64_t payload = kElements * 4;
  tensor += varint(payload);
  const std::string rest = graph.SerializeAsString();
  const std::string tensorHead = "\x2A" + varint(tensor.size() + payload);  // GraphProto field 5.
  const std::uint64_t graphSize = rest.size() + tensorHead.size() + tensor.size() + payload;
  const std::string path = std::filesystem::temp_directory_path() /
                           ("highwater_large_" + std::to_string(::getpid()) + ".onnx");
  {
    std::ofstream file(path, std::ios::binary);
    file << head.SerializeAsString() << "\x3A" << varint(graphSize) << rest << tensorHead << tensor;
    file.seekp(static_cast<std::streamoff>(payload - 1), std::ios::cur);
    file.put('\0');
  }
  rusage before{};
  ::getrusage(RUSAGE_SELF, &before);
  const auto model = loadModel(path, {});
  rusage after{};
  ::getrusage(RUSAGE_SELF, &after);
  std::filesystem::remove(path);
  REQUIRE(model);
  CHECK(tensorNamed(*model, "w").bytes == Bytes(static_cast<std::int64_t>(payload)));
  CHECK(tensorNamed(*model, "y").bytes == Bytes(static_cast<std::int64_t>(payload)));
  CHECK(after.ru_maxrss - before.ru_maxrss < 64 * 1024);  // KiB.
}

}  // namespace hw
