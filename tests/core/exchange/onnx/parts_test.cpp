// Models of ONNX whose operators run in parts: an interpreter that shares no code with core runs
// them and the models that they were made of, and compares every row of every part.

#include <onnx/checker.h>
#include <onnx/shape_inference/implementation.h>

#include <algorithm>
#include <cstring>
#include <regex>
#include <set>

#include "core/files/file.h"
#include "core/graph/tiling.h"
#include "core/shrink/ort/ort_shrink.h"
#include "core/tile/tile.h"
#include "tests/core/import/onnx/onnx_models.h"
#include "tests/support/corpus.h"
#include "tests/support/must.h"
#include "tests/support/onnx_networks.h"
#include "tests/support/rounds.h"

namespace hw::test {
namespace {

onnx::ModelProto parsed(const std::string& bytes) {
  onnx::ModelProto model;
  REQUIRE(model.ParseFromString(bytes));
  return model;
}

/// "t[r3-7 c0-4]": rows 3 to 7 of t, and columns.
FloatTensor boxOf(const std::string& name, const FloatTensors& whole) {
  static const std::regex kBox(R"((.*)\[(?:r(\d+)-(\d+))? ?(?:c(\d+)-(\d+))?\](?: \(\d+\))?)");
  std::smatch found;
  if (!std::regex_match(name, found, kBox)) return {};
  const FloatTensor& of = whole.at(found[1]);
  FloatTensor box;
  std::vector<std::int64_t> first(4);
  box.shape = of.shape;
  for (std::size_t axis = 2; axis < 4; ++axis) {
    const std::size_t at = 2 * axis - 2;
    if (!found[at].matched) continue;
    first[axis] = std::stoll(found[at]);
    box.shape[axis] = std::stoll(found[at + 1]) - first[axis] + 1;
  }
  for (std::int64_t plane = 0; plane < box.shape[0] * box.shape[1]; ++plane) {
    for (std::int64_t y = 0; y < box.shape[2]; ++y) {
      for (std::int64_t x = 0; x < box.shape[3]; ++x) {
        const std::int64_t row = plane * of.shape[2] + y + first[2];
        box.data.push_back(of.data.at(static_cast<std::size_t>(row * of.shape[3] + x + first[3])));
      }
    }
  }
  return box;
}

bool same(const FloatTensor& a, const FloatTensor& b) {
  return a.shape == b.shape && a.data.size() == b.data.size() &&
         std::memcmp(a.data.data(), b.data.data(), a.data.size() * sizeof(float)) == 0;
}

/// The values of a model in parts that are other than those of the whole one, or are missing.
std::vector<std::string> differences(const onnx::ModelProto& whole, const onnx::ModelProto& parts,
                                     const std::map<std::string, std::int64_t>& freed) {
  const FloatTensors inputs = randomInputs(whole, {}, 5);
  const FloatTensors before = runOnnx(whole, inputs);
  FloatTensors after;
  try {
    after = runOnnx(parts, randomInputs(parts, freed, 5));
  } catch (const OnnxTrouble& trouble) {
    return {trouble.what()};
  }
  std::vector<std::string> wrong;
  for (const auto& [name, value] : after) {
    const auto found = before.find(name);
    if (name.starts_with("rows ") || name.starts_with("shape ")) continue;
    if (!same(value, found != before.end() ? found->second : boxOf(name, before)))
      wrong.push_back(name);
  }
  for (const auto& output : whole.graph().output()) {
    if (!after.contains(output.name())) wrong.push_back(output.name());
  }
  return wrong;
}

/// libonnx takes the file, and infers no shapes that contradict those it has.
void checkFile(onnx::ModelProto model) {
  CHECK_NOTHROW(onnx::checker::check_model(model));
  CHECK_NOTHROW(onnx::shape_inference::InferShapes(model, onnx::OpSchemaRegistry::Instance(),
                                                   onnx::ShapeInferenceOptions{true, 1, false}));
}

OnnxSource sourceOf(const std::string& bytes) { return test::must(onnxSource(bytes, {})); }

struct Shrunk {
  onnx::ModelProto file{};
  std::map<std::string, std::int64_t> freed{};
  RuntimeShrink made{};
};

Shrunk shrunk(const OnnxSource& source) {
  auto made = test::must(shrinkForOrt(source, {.extraMacs = 4, .threads = 2}));
  Shrunk all{.file = parsed(made.file), .made = std::move(made)};
  for (const std::string& free : {all.made.best().freed}) {
    const auto at = free.find('=');
    if (at != std::string::npos) all.freed[free.substr(0, at)] = std::stoll(free.substr(at + 1));
  }
  return all;
}

TEST_CASE("blocks of random networks make the same bits in the bytes that were predicted",
          "[exchange][onnx][property]") {
  int inParts = 0;
  int freed = 0;
  int opened = 0;
  for (std::uint64_t seed = 1; seed <= rounds(150); ++seed) {
    CAPTURE(seed);
    const onnx::ModelProto model = randomImageNetwork(seed);
    const std::string bytes = model.SerializeAsString();
    const OnnxSource source = sourceOf(bytes);
    const Shrunk small = shrunk(source);
    CHECK(differences(model, small.file, small.freed) == std::vector<std::string>());
    checkFile(small.file);
    // Read again as anybody's model: the same outputs, and the peak that was told.
    ImportOptions options{.dimensions = small.freed, .closedBodies = true, .fuse = {}};
    const auto again = test::must(importModel(small.made.file, "", options));
    for (std::size_t i = 0; i < again.graph->outputs.size(); ++i) {
      const Tensor& was = source.graph().tensors[source.graph().outputs[i]];
      CHECK(again.graph->tensors[again.graph->outputs[i]].name == was.name);
      CHECK(again.graph->tensors[again.graph->outputs[i]].shape == was.shape);
    }
    const auto peak = test::must(runtimePeak(small.made.file, options));
    CHECK(peak.bytes == small.made.best().total());
    CHECK(small.made.best().total() <= small.made.ways[0].total());
    if (small.made.chosen > 0) ++inParts;
    if (!small.freed.empty()) ++freed;
    if (small.made.file.find("shape ") != std::string::npos) ++opened;
  }
  CHECK(inParts >= atLeast(60));
  CHECK(freed >= atLeast(20));
  CHECK(opened >= atLeast(1));
}

/// All weights made by nodes, which stand before all others.
onnx::ModelProto withNodesForWeights(onnx::ModelProto model) {
  onnx::GraphProto& graph = *model.mutable_graph();
  std::set<std::string> names;
  google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
  for (const onnx::TensorProto& weight : graph.initializer()) {
    names.insert(weight.name());
    onnx::NodeProto& node = *nodes.Add();
    node.set_op_type("Constant");
    node.add_output(weight.name());
    onnx::AttributeProto& value = *node.add_attribute();
    value.set_name("value");
    value.set_type(onnx::AttributeProto::TENSOR);
    *value.mutable_t() = weight;
  }
  nodes.MergeFrom(graph.node());
  graph.mutable_node()->Swap(&nodes);
  graph.clear_initializer();
  auto& inputs = *graph.mutable_input();
  inputs.erase(std::remove_if(inputs.begin(), inputs.end(),
                              [&](const auto& input) { return names.contains(input.name()); }),
               inputs.end());
  return model;
}

TEST_CASE("weights that nodes make ahead of time are weights in parts, too", "[exchange][onnx]") {
  int inParts = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    const std::string bytes = withNodesForWeights(randomImageNetwork(seed)).SerializeAsString();
    const Shrunk small = shrunk(sourceOf(bytes));
    checkFile(small.file);
    if (small.made.chosen > 0) ++inParts;
  }
  CHECK(inParts > 5);
}

TEST_CASE("runs are as long where nodes make the weights", "[exchange][onnx]") {
  constexpr int kLayers = 40;
  OnnxModel model(16);
  addInput(model.graph(), "t0", {"1", "2", "48", "16"});
  for (int i = 0; i < kLayers; ++i) {
    const std::string taps = "taps" + std::to_string(i), bias = "bias" + std::to_string(i);
    onnx::TensorProto& means = addWeight(model.graph(), taps, {2, 2, 1, 1});
    for (int each = 0; each < 2 * 2; ++each) means.add_float_data(0.5F);
    onnx::TensorProto& sums = addWeight(model.graph(), bias, {2});
    for (const float each : {0.0F, 1.0F}) sums.add_float_data(each);
    addNode(model.graph(), "Conv", {"t" + std::to_string(i), taps, bias},
            {"t" + std::to_string(i + 1)});
  }
  onnx::NodeProto& pool =
      addNode(model.graph(), "MaxPool", {"t" + std::to_string(kLayers)}, {"most"});
  for (const char* each : {"kernel_shape", "strides"}) setInts(pool, each, {4, 4});
  *model.graph().add_output() = valueInfo("most", {"1", "2", "12", "4"});
  const std::string stored = model.model.SerializeAsString();
  const std::string made = withNodesForWeights(model.model).SerializeAsString();
  const Shrunk small = shrunk(sourceOf(stored));
  CHECK(small.made.chosen > 0);
  CHECK(shrunk(sourceOf(made)).made.best().total() == small.made.best().total());
}

TEST_CASE("each ONNX model of the corpus has its ways, or says why not", "[exchange][onnx]") {
  for (const std::filesystem::path& file : corpusFiles("onnx", "", ".onnx")) {
    CAPTURE(file.filename().string());
    const auto bytes = readFile(file.string());
    if (!bytes) continue;
    const auto source = onnxSource(*bytes, {});
    if (!source || source->graph().ops.size() > 80) continue;
    const auto made = shrinkForOrt(*source, {.extraMacs = 0.05, .threads = 2});
    CHECK((made.has_value() || !made.error().message.empty()));
    if (made) CHECK(made->best().total() <= made->ways[0].total());
  }
}

TEST_CASE("behind a Reshape the runtime keeps no bytes for later either", "[exchange][onnx]") {
  if (kSanitized) return;  // A minute there, and the property above has such files, too.
  for (const std::filesystem::path& file : corpusFiles("onnx", "ext_FastestDet.")) {
    const std::string bytes = test::must(readFile(file.string()));
    const auto made = test::must(shrinkForOrt(sourceOf(bytes), {.threads = 2}));
    CHECK(made.best().total() == Bytes(836'352));  // As ONNX Runtime 1.30 takes.
    CHECK(made.file.find("shape ") != std::string::npos);
  }
}

TEST_CASE("tiled plans of any kind leave as ONNX files with the same bits",
          "[exchange][onnx][property]") {
  int left = 0;
  for (std::uint64_t seed = 1; seed <= rounds(90); ++seed) {
    const TileRule rule = seed % 3 == 0   ? TileRule::lines
                          : seed % 3 == 1 ? TileRule::stripes
                                          : TileRule::patches;
    CAPTURE(seed, tileRuleName(rule));
    const onnx::ModelProto model = randomImageNetwork(seed);
    const std::string bytes = model.SerializeAsString();
    const OnnxSource source = sourceOf(bytes);
    const auto program = test::must(tiled(source.model.graph, givenOrder(source.graph()),
                                          {.alignment = Bytes(1)}, {.rule = rule, .extraWork = 4}));
    if (!runsInParts(*program.graph)) continue;
    std::vector<std::string> notes;
    const auto parts = test::must(onnxParts(*program.graph, source.graph(), notes));
    const auto nodes = partProgram(source.graph(), parts);
    if (!nodes) {
      CHECK_THAT(nodes.error().message,
                 Catch::Contains("counts padding of windows that are rounded"));
      continue;
    }
    const auto least = test::must(leastOnnxFile(source, *nodes));
    CHECK(differences(model, parsed(least.file.bytes), least.file.freed) ==
          std::vector<std::string>());
    checkFile(parsed(least.file.bytes));
    ++left;
  }
  CHECK(left >= atLeast(40));
}

/// Another list of the same length in place of input `input` of a node.
void changeList(onnx::GraphProto& graph, onnx::NodeProto& node, int input, std::int64_t by) {
  for (const auto& weight : graph.initializer()) {
    if (weight.name() != node.input(input)) continue;
    onnx::TensorProto changed = weight;
    changed.set_name("rows changed " + std::to_string(graph.initializer_size()));
    changed.set_int64_data(0, changed.int64_data(0) + by);
    node.set_input(input, changed.name());
    *graph.add_initializer() = changed;
    return;
  }
}

TEST_CASE("cuts that are one row off and pads the wrong way round are noticed",
          "[exchange][onnx]") {
  int cuts = 0;
  int pads = 0;
  int alike = 0;
  for (std::uint64_t seed = 1; seed <= rounds(60); ++seed) {
    const onnx::ModelProto model = randomImageNetwork(seed);
    const std::string bytes = model.SerializeAsString();
    const OnnxSource source = sourceOf(bytes);
    const Shrunk small = shrunk(source);
    for (int i = 0; i < small.file.graph().node_size(); ++i) {
      onnx::ModelProto changed = small.file;
      onnx::NodeProto& node = *changed.mutable_graph()->mutable_node(i);
      if (node.op_type() == "Slice" && node.input_size() > 1) {
        // Upwards, but where it begins at the top.
        const bool top = node.name().find("[r0-") != std::string::npos;
        changeList(*changed.mutable_graph(), node, 1, top ? 1 : -1);
        changeList(*changed.mutable_graph(), node, 2, top ? 1 : -1);
        ++cuts;
      } else if (node.op_type() == "Conv" && node.output(0).find('[') != std::string::npos) {
        for (auto& attribute : *node.mutable_attribute()) {
          if (attribute.name() != "pads" || attribute.ints(0) == attribute.ints(2)) continue;
          attribute.mutable_ints()->SwapElements(0, 2);
          ++pads;
        }
      }
      if (changed.SerializeAsString() == small.made.file) continue;
      CAPTURE(seed, node.name());
      // Rows of a picture may be alike: then nothing was changed.
      const bool noticed = !differences(model, changed, small.freed).empty();
      alike += noticed ? 0 : 1;
    }
  }
  CHECK(cuts >= atLeast(100));
  CHECK(pads >= atLeast(30));
  CHECK(alike * 50 <= cuts + pads);
}

/// What keeps a model from going in parts.
std::string refusal(const onnx::ModelProto& model) {
  const std::string bytes = model.SerializeAsString();
  const auto source = onnxSource(bytes, {});
  if (!source) return source.error().text();
  const auto program = test::must(partProgram(source->graph(), {}));
  const auto file = onnxFile(*source, program, ShapesKnown::all);
  return file ? "" : file.error().text();
}

TEST_CASE("what cannot be written is refused in a sentence", "[exchange][onnx]") {
  const onnx::ModelProto fine = randomImageNetwork(1);
  CHECK(refusal(fine).empty());
  onnx::ModelProto old = fine;
  old.mutable_opset_import(0)->set_version(6);
  CHECK(refusal(old) == "the model is of opset 6; expected 7 or later");
  CHECK(onnxSource("TFL3", {}).error().text() ==
        "a file for ONNX Runtime is made of an ONNX file; this is none");
}

TEST_CASE("weights in other files stay there, and are not opened", "[exchange][onnx]") {
  onnx::ModelProto model = randomImageNetwork(1);
  CHECK_FALSE(sourceOf(model.SerializeAsString()).external);
  auto& weight = *model.mutable_graph()->mutable_initializer(0);
  weight.clear_float_data();
  weight.set_data_location(onnx::TensorProto::EXTERNAL);
  auto& place = *weight.add_external_data();
  place.set_key("location");
  place.set_value("../none.bin");
  const std::string bytes = model.SerializeAsString();
  const OnnxSource source = sourceOf(bytes);
  CHECK(source.external);
  const Shrunk small = shrunk(source);
  CHECK(small.file.graph().initializer(0).SerializeAsString() == weight.SerializeAsString());
}

TEST_CASE("operators that cannot go by rows say why", "[exchange][onnx]") {
  OnnxModel model(13);
  addInput(model.graph(), "x", {"1", "4", "8", "N"});
  addInput(model.graph(), "y", {"1", "4", "8", "8"});
  addNode(model.graph(), "Relu", {"x"}, {"free"}).set_name("r");
  auto& softmax = addNode(model.graph(), "Softmax", {"y"}, {"soft"});
  softmax.set_name("s");
  setInt(softmax, "axis", 2);
  addWeight(model.graph(), "w", {4, 4, 1, 1});
  addNode(model.graph(), "Conv", {"y", "w"}, {"conv"}).set_name("c");
  auto& turned = addNode(model.graph(), "Transpose", {"y"}, {"turned"});
  turned.set_name("t");
  setInts(turned, "perm", {0, 1, 3, 2});
  for (const char* name : {"free", "soft", "conv", "turned"}) addOutput(model.graph(), name);
  const std::string bytes = model.bytes();
  const OnnxSource source = sourceOf(bytes);
  const auto why = [&](std::size_t op, TensorBox box) {
    const auto needs = onnxNeeds(source.graph(), OpId(op), box);
    return needs ? "" : needs.error().message;
  };
  const TensorBox rows = {{0, 1}, {0, 4}, {0, 4}, {0, 8}};
  CHECK(
      why(0, {{0, 1}, {0, 4}, {0, 4}, {0, 1}}) ==
      "operator 'r' (Relu) has tensor 'x', whose shape hangs on a free dimension or is not known");
  CHECK(why(1, rows) == "operator 's' (Softmax) needs all of axis 2 of its input");
  CHECK(why(2, rows).empty());
  CHECK(why(2, {{0, 1}, {0, 2}, {0, 8}, {0, 8}}) ==
        "operator 'c' (Conv) is cut by channels; expected rows or columns");
  CHECK(why(3, rows) == "operator 't' (Transpose) does not go by rows");
  const auto made = test::must(shrinkForOrt(source, {}));
  CHECK(made.chosen == 0);
  CHECK(made.file == bytes);
}

}  // namespace
}  // namespace hw::test
