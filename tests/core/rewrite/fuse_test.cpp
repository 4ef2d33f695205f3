// Operators that run as one: what is fused comes to the same, and nothing else is touched.
#include "core/rewrite/fuse.h"

#include <map>
#include <random>

#include "core/base/dice.h"
#include "core/check/replay.h"
#include "core/graph/tiling.h"
#include "core/import/importer.h"
#include "core/ops/op_table.h"
#include "core/ops/work.h"
#include "core/rewrite/graph_rewriter.h"
#include "core/run/run.h"
#include "tests/support/findings.h"
#include "tests/support/graphs.h"
#include "tests/support/image_graphs.h"
#include "tests/support/must.h"
#include "tests/support/rounds.h"
#include "tests/support/tflite_networks.h"

using namespace hw;

namespace {

Graph fusedGraph(const Graph& graph, std::string_view what) {
  const auto made =
      test::must(fused(std::make_shared<const Graph>(graph), parseFusions(what).value()));
  return *made;
}

std::vector<std::string> typesOf(const Graph& graph) {
  std::vector<std::string> types;
  for (const Op& op : graph.ops) types.push_back(op.type);
  return types;
}

/// "conv: Conv x, w -> y", for each operator.
std::vector<std::string> textsOf(const Graph& graph) {
  std::vector<std::string> texts;
  for (const Op& op : graph.ops) {
    std::string text = op.name + ": " + op.type;
    for (const auto& list : {op.inputs, op.outputs}) {
      text += " (";
      for (const TensorId id : list) text += id ? " " + graph.tensors[id].name : " -";
      text += " )";
    }
    texts.push_back(text);
  }
  return texts;
}

/// A graph as exporters write quantised networks: each operator of another one reads what
/// DequantizeLinear makes, and QuantizeLinear reads what it makes.
class Quantizing {
 public:
  Quantizing(const Graph& from, std::uint64_t seed, bool broken)
      : from_(from), dice_(seed), broken_(broken) {}

  Graph graph() {
    for (const TensorId id : from_.tensors.keys()) small_.push_back(copyOf(id, 1, ""));
    for (const OpId id : from_.ops.keys()) addOp(id);
    for (const TensorId id : from_.inputs) builder_.addInput(small_[id.index()]);
    for (const TensorId id : from_.outputs) builder_.addOutput(small_[id.index()]);
    return test::must(std::move(builder_).build());
  }

 private:
  using Handle = GraphBuilder::Handle;

  bool chance(int percent) { return static_cast<int>(dice_() % 100) < percent; }

  Handle copyOf(TensorId id, std::int64_t width, const char* ending) {
    Tensor tensor = unlinkedTensor(from_.tensors[id]);
    tensor.name += ending;
    if (width > 1) {
      tensor.constant = false;
      tensor.dtype = Dtype::float32;
      tensor.bytes = *tensor.bytes * width;
    }
    return builder_.addTensor(tensor);
  }

  Handle scale() {
    return builder_.addTensor({.name = "scale",
                               .dtype = Dtype::float32,
                               .shape = Shape{},
                               .bytes = Bytes(4),
                               .constant = true});
  }

  /// What DequantizeLinear makes of a tensor: one for all readers, or one for this one.
  Handle largeOf(TensorId id) {
    if (large_.contains(id) && chance(60)) return large_[id];
    large_[id] = copyOf(id, 4, " large");
    builder_.addOp({.op = {.name = "dequantize", .type = "DequantizeLinear"},
                    .inputs = {small_[id.index()], scale()},
                    .outputs = {large_[id]}});
    return large_[id];
  }

  void addOp(OpId id) {
    GraphBuilder::OpParts parts{.op = from_.ops[id]};
    for (const TensorId input : from_.ops[id].inputs) {
      parts.inputs.push_back(input ? largeOf(input) : GraphBuilder::kAbsent);
    }
    std::vector<std::pair<Handle, TensorId>> made;
    for (const TensorId output : from_.ops[id].outputs) {
      parts.outputs.push_back(copyOf(output, 4, " made"));
      made.emplace_back(parts.outputs.back(), output);
    }
    builder_.addOp(parts);
    for (const auto& [large, of] : made) {
      builder_.addOp({.op = {.name = "quantize", .type = "QuantizeLinear"},
                      .inputs = {large, scale()},
                      .outputs = {small_[of.index()]}});
      if (broken_ && chance(25)) large_[of] = large;
      if (broken_ && chance(5)) builder_.addOutput(large);
    }
  }

  const Graph& from_;
  std::mt19937_64 dice_;
  bool broken_;
  GraphBuilder builder_{"quantized", "test"};
  std::vector<Handle> small_;
  std::map<TensorId, Handle> large_;
};

/// What a tensor comes to, as a text: quantisation, clipping and padding change nothing of it.
class Meaning {
 public:
  explicit Meaning(const Graph& graph) : graph_(graph) {}

  std::size_t of(TensorId id) {
    if (!id) return 1;
    if (const auto known = known_.find(id); known != known_.end()) return known->second;
    const Tensor& tensor = graph_.tensors[id];
    std::size_t value = std::hash<std::string>()(tensor.name);
    if (tensor.producer) {
      const Op& op = graph_.ops[tensor.producer];
      value = std::hash<std::string>()(op.type);
      const bool same = op.type.ends_with("quantizeLinear") || op.type == "QuantizeLinear" ||
                        op.type == "Relu" || op.type == "Clip" || op.type == "Pad" ||
                        op.type == "RELU" || op.type == "PAD";
      if (same) return known_[id] = of(op.inputs[0]);
      for (const TensorId input : op.inputs) value = value * 1'000'003 + of(input);
      value += static_cast<std::size_t>(std::ranges::find(op.outputs, id) - op.outputs.begin());
      const char* pool = op.domain == "tflite" ? "MAX_POOL_2D" : "MaxPool";
      if (isPooled(op)) value += std::hash<std::string>()(pool) * 1'000'003;
    }
    return known_[id] = value;
  }

 private:
  const Graph& graph_;
  std::map<TensorId, std::size_t> known_;
};

std::vector<std::size_t> meanings(const Graph& graph) {
  Meaning meaning(graph);
  std::vector<std::size_t> values;
  for (const TensorId output : graph.outputs) values.push_back(meaning.of(output));
  return values;
}

Bytes inputBytes(const Graph& graph, OpId op) {
  Bytes sum{};
  for (const TensorId read : graph.reads(op)) sum += graph.tensors[read].bytes.value_or(Bytes());
  return sum;
}

}  // namespace

TEST_CASE("a network between quantisers is the network on quantised tensors", "[fuse]") {
  for (const std::uint64_t seed : test::Seeds(300)) {
    INFO("seed " << seed);
    const Graph plain = test::randomImages(seed, 3 + seed % 12);
    const Graph graph = fusedGraph(Quantizing(plain, seed, false).graph(), "quantized");
    CHECK(textsOf(graph) == textsOf(plain));
    REQUIRE(graph.ops.size() == plain.ops.size());
    for (const OpId op : plain.ops.keys()) CHECK(inputBytes(graph, op) == inputBytes(plain, op));
    CHECK(meanings(graph) == meanings(plain));
    CHECK_FALSE(graph.tiling);
  }
}

TEST_CASE("where others read what lies between, or it is handed out, nothing is lost", "[fuse]") {
  std::size_t left = 0;
  std::size_t removed = 0;
  for (const std::uint64_t seed : test::Seeds(300)) {
    INFO("seed " << seed);
    const Graph before = Quantizing(test::randomImages(seed, 3 + seed % 12), seed, true).graph();
    for (const char* what : {"quantized", "pads", "activations", "all"}) {
      INFO(what);
      const Graph after = fusedGraph(before, what);
      CHECK(meanings(after) == meanings(before));
      CHECK(after.inputs.size() == before.inputs.size());
      removed += before.ops.size() - after.ops.size();
      left += static_cast<std::size_t>(std::ranges::count(typesOf(after), "QuantizeLinear"));
    }
  }
  CHECK(left > 100);
  CHECK(removed > 100);
}

TEST_CASE("an operator with a clipping behind it is one between quantisers", "[fuse]") {
  const Graph graph = test::drawnGraph(
      {.tensors = {{"x", 8},
                   {"s", 4},
                   {"xf", 32},
                   {"w", 3},
                   {"wf", 12},
                   {"b", 4},
                   {"c", 32},
                   {"r", 32},
                   {"y", 8},
                   {"yf", 32}},
       .inputs = {"x"},
       .ops = {"dx: DequantizeLinear x, s -> xf", "dw: DequantizeLinear w, s -> wf",
               "conv: Conv xf, wf, b -> c", "relu: Relu c -> r", "q: QuantizeLinear r, s -> y",
               "dy: DequantizeLinear y, s -> yf"},
       .outputs = {"yf"},
       .constants = {"s", "w", "b"}});
  const Graph made = fusedGraph(graph, "quantized");
  CHECK(textsOf(made) == std::vector<std::string>{"conv: Conv ( x w b ) ( y )",
                                                  "dy: DequantizeLinear ( y s ) ( yf )"});
  REQUIRE(made.notes.size() == 1);
  CHECK(made.notes[0] ==
        "fused: 1 operator works on quantised tensors, without DequantizeLinear and "
        "QuantizeLinear; --fuse none shows the file as it is");
  CHECK(textsOf(fusedGraph(graph, "none")) == textsOf(graph));
  CHECK(textsOf(fusedGraph(graph, "tflm")) == textsOf(graph));
}

TEST_CASE("between quantisers a Pad is part of its convolution", "[fuse]") {
  Graph graph = test::drawnGraph(
      {.tensors = {{"x", 8}, {"s", 4}, {"xf", 32}, {"w", 3}, {"p", 40}, {"c", 32}, {"y", 8}},
       .inputs = {"x"},
       .ops = {"dx: DequantizeLinear x, s -> xf", "pad: Pad xf -> p", "conv: Conv p, w -> c",
               "q: QuantizeLinear c, s -> y"},
       .outputs = {"y"},
       .constants = {"s", "w"}});
  graph.ops[OpId(1)].attributes["pads"] = std::vector<std::int64_t>{0, 0, 1, 1, 0, 0, 1, 1};
  CHECK(textsOf(fusedGraph(graph, "quantized")) ==
        std::vector<std::string>{"conv: Conv ( x w ) ( y )"});
  graph.ops[OpId(0)].type = "Identity";
  CHECK(textsOf(fusedGraph(graph, "quantized")) == textsOf(graph));
}

TEST_CASE("a concatenation that changes scales is no view of its parts", "[fuse]") {
  const auto joined = [](const char* other) {
    return test::drawnGraph(
        {.tensors = {{"a", 8},
                     {"b", 8},
                     {"s", 4},
                     {"s2", 4},
                     {"af", 32},
                     {"bf", 32},
                     {"cf", 64},
                     {"c", 16}},
         .inputs = {"a", "b"},
         .ops = {"da: DequantizeLinear a, s -> af", "db: DequantizeLinear b, s -> bf",
                 "cat: Concat af, bf -> cf axis=1",
                 std::string("q: QuantizeLinear cf, ") + other + " -> c"},
         .outputs = {"c"},
         .constants = {"s", "s2"}});
  };
  const auto viewOf = [](const Graph& graph) { return viewFamilyOf(graph.ops[OpId(0)]); };
  CHECK(viewOf(fusedGraph(joined("s"), "quantized")) == ViewFamily::concat);
  CHECK(viewOf(fusedGraph(joined("s2"), "quantized")) == ViewFamily::none);
}

TEST_CASE("a Pad is part of its convolution", "[fuse]") {
  using Pads = std::vector<std::int64_t>;
  for (const bool last : {false, true}) {
    INFO("channels last " << last);
    test::ImageGraph images(last);
    const auto x = images.input(9, 9, 2);
    const auto padded = images.padded(x, 1, 2);
    const test::ImageGraph::Slide valid{.kernel = 3, .stride = 2, .before = 0, .after = 0};
    const auto y = images.convolve(padded, 4, valid);
    images.output(images.mapped(y));
    const Graph graph = std::move(images).build();

    const Graph made = fusedGraph(graph, "pads");
    REQUIRE(made.ops.size() == 2);
    CHECK(made.ops[OpId(0)].intsAttribute("pads") == Pads{1, 1, 2, 2});
    CHECK(made.ops[OpId(0)].stringAttribute("auto_pad", "") == "NOTSET");
    CHECK(made.reads(OpId(0)).front() == made.inputs.front());
    CHECK(fusedGraph(graph, "all").ops.size() == 1);

    // Its rows are those that the padding and the convolution read, as the replay counts them.
    test::RunOptions options{.tile = TileRule::lines};
    const auto run = test::runGraph(made, options);
    CHECK(test::firstOf(replayBytes(*run, Bytes(1 << 20))) == "");
  }
}

TEST_CASE("a Pad that others read, that mirrors, or before a SAME convolution stays", "[fuse]") {
  test::ImageGraph images(true);
  const auto x = images.input(8, 8, 2);
  const auto padded = images.padded(x, 1, 1);
  images.output(images.convolve(padded, 4, {.kernel = 3, .before = 0, .after = 0}));
  images.output(images.mapped(padded));
  const auto again = images.padded(x, 2, 2);
  images.output(images.convolve(again, 4, {.kernel = 3}));
  const Graph graph = std::move(images).build();
  CHECK(textsOf(fusedGraph(graph, "pads")) == textsOf(graph));
}

TEST_CASE("activations are part of floats' operators, and clippings of integers'", "[fuse]") {
  const auto chain = [](Dtype dtype, const std::string& activation) {
    Graph graph = test::drawnGraph({.tensors = {{"x", 8}, {"w", 8}, {"c", 8}, {"y", 8}},
                                    .inputs = {"x"},
                                    .ops = {"Conv x, w -> c", activation + " c -> y"},
                                    .outputs = {"y"},
                                    .constants = {"w"}});
    for (Tensor& tensor : graph.tensors) tensor.dtype = dtype;
    return fusedGraph(graph, "activations").ops.size();
  };
  CHECK(chain(Dtype::float32, "Relu") == 1);
  CHECK(chain(Dtype::float32, "Sigmoid") == 1);
  CHECK(chain(Dtype::int8, "Relu") == 1);
  CHECK(chain(Dtype::int8, "Sigmoid") == 2);
  CHECK(chain(Dtype::float32, "Softmax") == 2);
}

TEST_CASE("a pooling is part of the convolution before it, whose work it keeps", "[fuse]") {
  for (const bool last : {false, true}) {
    test::ImageGraph images(last);
    const auto x = images.input(17, 21, 2);
    auto y = images.convolve(x, 4, {.kernel = 3, .stride = 2});
    y = images.mapped(y);
    images.output(images.pool(y, {.kernel = 3, .stride = 2, .before = 0, .after = 0}));
    const Graph graph = std::move(images).build();
    const Graph made = fusedGraph(graph, "activations,pools");
    REQUIRE(made.ops.size() == 1);
    CHECK(made.tensors[made.outputs[0]].shape == graph.tensors[graph.outputs[0]].shape);
    const Work before = workOf(graph, OpId(0));
    const Work after = workOf(made, OpId(0));
    CHECK(after.macs == before.macs);
    CHECK(after.loops == before.loops);
    CHECK(after.across == before.across);
  }
}

TEST_CASE("networks whose convolutions pool run in parts and over their inputs", "[fuse]") {
  int both = 0;
  for (const std::uint64_t seed : test::Seeds(150)) {
    Dice dice(seed);
    test::ImageGraph images(seed % 2 == 0);
    auto at = images.input(24, 24, 3);
    for (int op = 0; op < 8; ++op) {
      const std::int64_t kind = dice.roll(0, 3);
      if (kind == 0) at = images.convolve(at, dice.roll(1, 6), {});
      if (kind == 1) at = images.depthwise(at, {});
      if (kind == 2) at = images.mapped(at);
      if (kind == 3 && images.rows(at) > 5) at = images.pool(at, {.kernel = 3, .stride = 2});
    }
    images.output(at);
    const Graph graph = fusedGraph(std::move(images).build(), "pools");
    const bool pooled = std::ranges::any_of(graph.ops, isPooled);
    const auto rule = static_cast<TileRule>(1 + seed % 5);
    const auto run = test::runGraph(graph, {.tile = rule, .extraWork = 2});
    REQUIRE(test::firstOf(replayBytes(*run, Bytes(1 << 20))) == "");
    both += pooled && run->graph().tiling ? 1 : 0;
    RunRequest request = run->request;
    request.tile = TileRule::off;
    request.overlap = true;
    const auto over = test::must(execute(test::modelOf(graph), request, {}));
    REQUIRE(test::firstOf(replayBytes(*over, Bytes(1 << 20))) == "");
  }
  CHECK(both >= test::atLeast(20));
}

TEST_CASE("a pooling whose input others read, or of something else, stays", "[fuse]") {
  test::ImageGraph images(true);
  const auto x = images.input(12, 12, 2);
  const auto y = images.convolve(x, 4, {});
  const test::ImageGraph::Slide halves{.kernel = 2, .stride = 2, .before = 0, .after = 0};
  images.output(images.pool(y, halves));
  images.output(images.mapped(y));
  images.output(images.pool(images.mapped(x), halves));
  const Graph graph = std::move(images).build();
  CHECK(textsOf(fusedGraph(graph, "pools")) == textsOf(graph));
}

TEST_CASE("places before pooling that a file makes up are no work, or ignored", "[fuse]") {
  test::ImageGraph images(true);
  images.output(images.convolve(images.input(12, 12, 2), 4, {}));
  Graph graph = std::move(images).build();
  const std::int64_t macs = workOf(graph, OpId(0)).macs;
  const auto workFrom = [&](std::vector<std::int64_t> places) {
    graph.ops[OpId(0)].attributes[std::string(kPooled)] = std::move(places);
    return workOf(graph, OpId(0));
  };
  CHECK(workFrom({24, 12}).macs == 2 * macs);
  CHECK(workFrom({24}).macs == macs);
  CHECK(workFrom({std::int64_t{1} << 40, std::int64_t{1} << 40}).unknown != "");
  CHECK(workFrom({-1, 12}).unknown != "");
}

TEST_CASE("SqueezeNet is planned in the memory that ST's compiler needs", "[fuse]") {
  // 240.25 KiB of internal memory of an STM32N6 (ST's model zoo, STEdgeAI 3.0.0): two images of
  // 31 x 31 x 128. What the first convolution makes would take 254,016 B alone.
  const std::string file = test::publishedFile("squeezenet_1_1", 128);
  const auto peakOf = [&](std::string_view what) {
    const auto model = test::must(
        importModel(file, "squeezenet.tflite", {.fuse = test::must(parseFusions(what))}));
    return test::runGraph(*model.graph, {.allocator = "best"})->plan.footprint(PoolId(0)).count();
  };
  CHECK(peakOf("st") == 246'016);
  CHECK(peakOf("none") == 254'016 + 31 * 31 * 64);
}

TEST_CASE("fusions are read as they are written", "[fuse]") {
  for (int bits = 0; bits < 16; ++bits) {
    const Fusions fusions{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0};
    CHECK(parseFusions(fusionsText(fusions)).value() == fusions);
  }
  CHECK(fusionsText({.quantized = true, .activations = true}) == "quantized,activations");
  CHECK(parseFusions("pads, activations").value() == Fusions{.pads = true, .activations = true});
  CHECK(parseFusions("qdq").error().message ==
        "'qdq' is nothing to fuse; expected some of quantized, none, pads, activations, pools, "
        "all, tflm, ort, st");
}

TEST_CASE("a model is opened with its operators fused, and as it is when asked", "[fuse]") {
  const std::string text = R"({"format": "highwater-graph", "version": 1, "name": "q",
    "tensors": [{"name": "x", "dtype": "int8", "shape": [1, 8]},
                {"name": "s", "dtype": "float32", "shape": [], "constant": true},
                {"name": "xf", "dtype": "float32", "shape": [1, 8]},
                {"name": "yf", "dtype": "float32", "shape": [1, 8]},
                {"name": "y", "dtype": "int8", "shape": [1, 8]}],
    "inputs": ["x"], "outputs": ["y"],
    "ops": [{"name": "d", "type": "DequantizeLinear", "inputs": ["x", "s"], "outputs": ["xf"]},
            {"name": "o", "type": "Sigmoid", "inputs": ["xf"], "outputs": ["yf"]},
            {"name": "q", "type": "QuantizeLinear", "inputs": ["yf", "s"], "outputs": ["y"]}]})";
  const auto opened = [&](const ImportOptions& options) {
    const auto model = test::must(importModel(text, "q.json", options));
    return typesOf(*model.graph);
  };
  CHECK(opened({}) == std::vector<std::string>{"Sigmoid"});
  CHECK(opened({.fuse = {}}).size() == 3);
}
