// Runs that go by channels: some are made, go through the run, and are added up at its end.
#include <algorithm>
#include <sstream>

#include "core/check/parts/part_flow.h"
#include "core/check/replay.h"
#include "core/graph/tiling.h"
#include "core/import/importer.h"
#include "core/ops/constant_reads.h"
#include "core/ops/folds.h"
#include "core/ops/work.h"
#include "core/plan/validate.h"
#include "core/report/model/graph_writer.h"
#include "tests/support/findings.h"
#include "tests/support/graphs.h"
#include "tests/support/image_graphs.h"
#include "tests/support/machine_judge.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"
#include "tests/support/rounds.h"

using namespace hw;
using namespace hw::literals;
using test::ImageGraph;

namespace {

constexpr ImageGraph::Slide kPoint = {.kernel = 1, .before = 0, .after = 0};

std::shared_ptr<const Run> byChannels(Graph graph, test::RunOptions options = {}) {
  if (options.tile == TileRule::off) options.tile = TileRule::channels;
  return test::runGraph(std::move(graph), options);
}

/// x (1, 6, 6, 4) -> 48 channels -> depthwise 3x3 -> activation -> 4 channels.
Graph inverted() {
  ImageGraph images(true);
  const auto x = images.input(6, 6, 4);
  const auto wide = images.convolve(x, 48, kPoint);
  images.output(images.convolve(images.mapped(images.depthwise(wide, {})), 4, kPoint));
  return std::move(images).build();
}

std::vector<OpId> sumsIn(const Graph& graph) {
  std::vector<OpId> sums;
  for (const OpId id : graph.ops.keys()) {
    const Tiling::Part* part = partOf(graph, id);
    if (part != nullptr && isFoldPart(*part)) sums.push_back(id);
  }
  return sums;
}

}  // namespace

TEST_CASE("what is wide between two convolutions exists a channel at a time", "[tile][channels]") {
  const auto whole = test::runGraph(inverted());
  CHECK(whole->metrics.lowerBound == Bytes(2 * 36 * 48));
  const auto run = byChannels(inverted());
  const Graph& graph = run->graph();
  REQUIRE(graph.tiling);
  // x, 32 bits for each sum, and a channel before and behind the depthwise convolution.
  CHECK(run->metrics.lowerBound == Bytes(36 * 4 + 4 * 36 * 4 + 2 * 36));
  CHECK(run->notes.front() ==
        "4 operators run in 192 parts, channel by channel in one run: at most 792 bytes are live "
        "at once, not 3,456; their weights are read 1.0 times");
  std::vector<std::string> names;
  for (const OpId id : graph.ops.keys()) names.push_back(displayName(graph, id));
  REQUIRE(names.size() == 192 + 1);
  CHECK(std::vector(names.begin(), names.begin() + 5) ==
        std::vector<std::string>{"o0[ch0]", "o1[ch0]", "o2[ch0]", "o3[ch0]", "o0[ch1]"});
  const auto sums = sumsIn(graph);
  REQUIRE(sums.size() == 48);
  CHECK(graph.tensors[graph.ops[sums[3]].outputs[0]].dtype == Dtype::int32);
  CHECK(graph.tensors[graph.ops[sums.back()].outputs[0]].dtype == Dtype::int8);
  CHECK(test::firstOf(replayBytes(*run, 1_MiB)) == "");
  CHECK(auditParts(graph, 1'000'000) == std::vector<std::string>());
}

TEST_CASE("which convolutions add up channels", "[tile][channels]") {
  for (const bool last : {false, true}) {
    ImageGraph images(last);
    const auto x = images.input(6, 6, 4);
    images.output(images.convolve(x, 8, {}));
    images.output(images.depthwise(x, {}));
    images.output(images.mapped(x));
    Graph graph = std::move(images).build();
    const auto sum = test::must(channelSumOf(graph, OpId(0)));
    CHECK(sum.axes == (last ? std::vector<bool>{false, false, false, true}
                            : std::vector<bool>{false, true, false, false}));
    CHECK(sum.wide);
    CHECK_FALSE(channelSumOf(graph, OpId(1)));
    CHECK_FALSE(channelSumOf(graph, OpId(2)));
    CHECK_FALSE(foldOf(graph, OpId(0)));
    // Weights that somebody makes are not there a few channels at a time.
    graph.tensors[graph.ops[OpId(0)].inputs[1]].constant = false;
    CHECK_FALSE(channelSumOf(graph, OpId(0)));
  }
}

TEST_CASE("every part by channels finds what it needs", "[tile][channels][property]") {
  std::size_t summed = 0;
  std::size_t tiled = 0;
  std::size_t mixed = 0;
  for (const std::uint64_t seed : test::Seeds(300)) {
    const Graph graph = test::randomBottlenecks(seed);
    test::RunOptions options{.alignment = seed % 3 == 0 ? 16 : 1};
    if (seed % 4 == 0) options.inputs = InputPlace::rows;
    if (seed % 5 == 0) options.alias = AliasRules::all();
    options.tile = seed % 3 == 0 ? TileRule::any : TileRule::channels;
    CAPTURE(options.alignment, seed % 4 == 0, options.alias.inPlace);
    const auto whole = test::runGraph(graph, options);
    const auto run = byChannels(graph, options);
    CHECK(validate(run->problem, run->plan).empty());
    CHECK(test::firstOf(replayBytes(*run, 1_MiB)) == "");
    CHECK(run->metrics.lowerBound <= whole->metrics.lowerBound);
    if (!runsInParts(run->graph())) continue;
    CHECK(auditParts(run->graph(), 1'000'000) == std::vector<std::string>());
    ++tiled;
    const std::string note = run->notes.front();
    mixed += note.find("of them channel by channel") != note.npos ? 1 : 0;
    summed += sumsIn(run->graph()).empty() ? 0 : 1;
    IdMap<OpId, std::int64_t> macs(graph.ops.size());
    for (const OpId id : run->graph().ops.keys()) {
      const Tiling::Part* part = partOf(run->graph(), id);
      if (part != nullptr) macs[part->of] += workOf(run->graph(), id).macs;
    }
    for (const OpId id : graph.ops.keys()) {
      if (options.tile == TileRule::channels && macs[id] > 0) {
        CHECK(macs[id] == workOf(graph, id).macs);
      }
    }
  }
  CHECK(tiled > test::rounds(150));
  CHECK(summed > test::rounds(100));
  CHECK(mixed > 0);
}

TEST_CASE("parts by channels read each weight once", "[tile][channels][property]") {
  std::size_t weights = 0;
  for (const std::uint64_t seed : test::Seeds(100)) {
    const auto run = byChannels(test::randomBottlenecks(seed));
    const Graph& graph = run->graph();
    if (!graph.tiling) continue;
    ConstantReads reads(graph);
    IdMap<TensorId, Bytes> sums(graph.tensors.size());
    for (const OpId id : graph.ops.keys()) {
      for (const TensorId in : graph.reads(id)) {
        if (graph.tensors[in].constant) sums[in] += reads.of(id, in);
      }
    }
    for (const TensorId id : graph.tensors.keys()) {
      if (!graph.tensors[id].constant || graph.tensors[id].consumers.size() < 2) continue;
      CHECK(sums[id] == *graph.tensors[id].bytes);
      ++weights;
    }
  }
  CHECK(weights > test::rounds(100));
}

TEST_CASE("a bias is added once, and by its channels", "[tile][channels]") {
  const auto biased = [](bool last) {
    ImageGraph images(last);
    const auto x = images.input(6, 6, 4);
    const auto conv = [&](auto from, std::int64_t made) {
      const std::int64_t c = images.channels(from);
      Op op{.type = last ? "CONV_2D" : "Conv", .domain = last ? "tflite" : ""};
      op.attributes["kernel_shape"] = std::vector<std::int64_t>{1, 1};
      if (last) op.attributes["channels_last"] = std::int64_t{1};
      const auto weight = images.weight(last ? Shape{made, 1, 1, c} : Shape{made, c, 1, 1});
      Shape shape = images.shape(from);
      shape[last ? 3 : 1] = made;
      return images.op(std::move(op), {from, weight, images.weight({made})}, shape);
    };
    images.output(conv(images.mapped(conv(x, 32)), 4));
    return std::move(images).build();
  };
  for (const bool last : {false, true}) {
    const auto run = byChannels(biased(last));
    const Graph& graph = run->graph();
    const auto sums = sumsIn(graph);
    REQUIRE(sums.size() == 32);
    ConstantReads reads(graph);
    const auto& inputs = graph.ops[sums[0]].inputs;
    CHECK(reads.of(sums[0], inputs[1]) == 4_B);
    CHECK(reads.of(sums[0], inputs[2]) == 0_B);
    CHECK(reads.of(sums.back(), inputs[2]) == *graph.tensors[inputs[2]].bytes);
    const OpId first(0);
    REQUIRE(partOf(graph, first) != nullptr);
    const auto& made = graph.ops[first].inputs;
    CHECK(reads.of(first, made[1]) == 4_B);
    CHECK(reads.of(first, made[2]) == Bytes(graph.tensors[made[2]].bytes->count() / 32));
  }
}

TEST_CASE("channels that are missed, or taken in twice, are found out",
          "[tile][channels][property]") {
  std::size_t mutants = 0;
  const auto isFound = [&](const Graph& graph, const auto& spoil) {
    Graph mutant = graph;
    auto tiling = std::make_shared<Tiling>(*graph.tiling);
    spoil(mutant, *tiling);
    mutant.tiling = tiling;
    ++mutants;
    return !auditParts(mutant, 1'000'000).empty();
  };
  for (const std::uint64_t seed : test::Seeds(80)) {
    const auto run = byChannels(test::randomBottlenecks(seed));
    const Graph& graph = run->graph();
    TensorId before;
    std::size_t number = 0;
    for (const OpId sum : sumsIn(graph)) {
      // All are alike, and each mutant takes a look at all of them.
      if (++number > 3 && number % 7 != seed % 7) {
        before = graph.ops[sum].outputs[0];
        continue;
      }
      CAPTURE(displayName(graph, sum));
      const auto& inputs = graph.ops[sum].inputs;
      const TensorId made = graph.ops[sum].outputs[0];
      const std::size_t channel =
          graph.ops[sum].domain == "tflite" ? graph.tensors[made].shape->size() - 1 : 1;
      CHECK(isFound(graph, [&](Graph& mutant, Tiling&) {
        mutant.ops[sum].inputs.erase(mutant.ops[sum].inputs.begin());
      }));
      CHECK(isFound(graph, [&](Graph& mutant, Tiling&) {
        mutant.ops[sum].inputs.push_back(inputs.front());
      }));
      // Beside what the part says, and a channel less of it.
      CHECK(isFound(
          graph, [&](Graph&, Tiling& tiling) { ++tiling.pieces[inputs.front()]->begin[channel]; }));
      CHECK(isFound(graph, [&](Graph& mutant, Tiling&) {
        --(*mutant.tensors[inputs.front()].shape)[channel];
      }));
      CHECK(isFound(graph, [&](Graph&, Tiling& tiling) { tiling.parts[sum]->size *= 2; }));
      CHECK(isFound(graph, [&](Graph&, Tiling& tiling) { ++tiling.parts[sum]->rows.end; }));
      // A row less of the channels that it takes in.
      CHECK(isFound(graph, [&](Graph& mutant, Tiling&) {
        --(*mutant.tensors[inputs.front()].shape)[channel == 1 ? 2 : 1];
      }));
      const bool goesOn = std::ranges::find(inputs, before) != inputs.end();
      if (before && goesOn) {
        CHECK(isFound(graph,
                      [&](Graph& mutant, Tiling&) { std::erase(mutant.ops[sum].inputs, before); }));
        // A byte less of the sums.
        const Bytes less = *graph.tensors[before].bytes - 1_B;
        if (graph.tensors[before].dtype == Dtype::int32) {
          CHECK(
              isFound(graph, [&](Graph& mutant, Tiling&) { mutant.tensors[before].bytes = less; }));
        }
      }
      before = made;
    }
  }
  CHECK(mutants > test::rounds(500));
}

TEST_CASE("a channel too few is found out where channels are made", "[tile][channels][property]") {
  std::size_t mutants = 0;
  for (const std::uint64_t seed : test::Seeds(60)) {
    const auto run = byChannels(test::randomBottlenecks(seed));
    const Graph& graph = run->graph();
    if (!graph.tiling) continue;
    for (const OpId id : graph.ops.keys()) {
      const Tiling::Part* part = partOf(graph, id);
      if (part == nullptr || isFoldPart(*part)) continue;
      CAPTURE(displayName(graph, id));
      for (std::size_t input = 0; input < graph.ops[id].inputs.size(); ++input) {
        const TensorId in = graph.ops[id].inputs[input];
        if (pieceOf(graph, in) == nullptr) continue;
        // Where it reads a tensor twice, one time is enough.
        if (std::ranges::count(graph.ops[id].inputs, in) > 1) continue;
        Graph mutant = graph;
        mutant.ops[id].inputs.erase(mutant.ops[id].inputs.begin() +
                                    static_cast<std::ptrdiff_t>(input));
        const bool found = !auditParts(mutant, 1'000'000).empty();
        CHECK(found);
        ++mutants;
      }
    }
  }
  CHECK(mutants > test::rounds(150));
}

TEST_CASE("a sum that groups of channels belong to is none of all channels", "[tile][channels]") {
  const auto run = byChannels(inverted());
  // The model says that it goes in groups: what came of the others does not belong to an element.
  Graph original = *run->graph().tiling->original;
  const OpId last(original.ops.size() - 1);
  original.ops[last].attributes["group"] = std::int64_t{2};
  auto tiling = std::make_shared<Tiling>(*run->graph().tiling);
  tiling->original = std::make_shared<const Graph>(std::move(original));
  Graph mutant = run->graph();
  mutant.tiling = tiling;
  const auto found = auditParts(mutant, 1'000'000);
  REQUIRE_FALSE(found.empty());
  CHECK(found.front().find("cannot take its input in by pieces") != std::string::npos);
}

TEST_CASE("parts by channels are the same when they are opened again", "[tile][channels][json]") {
  std::size_t summed = 0;
  for (const std::uint64_t seed : test::Seeds(30)) {
    const auto run = byChannels(test::randomBottlenecks(seed));
    summed += sumsIn(run->graph()).empty() ? 0 : 1;
    std::ostringstream out;
    writeGraphJson(run->graph(), out);
    const auto model = test::must(importModel(out.str(), "channels.graph.json", {}));
    std::ostringstream again;
    writeGraphJson(*model.graph, again);
    CHECK(again.str() == out.str());
    CHECK(test::runGraph(*model.graph)->metrics.lowerBound == run->metrics.lowerBound);
  }
  CHECK(summed > test::rounds(10));
}

TEST_CASE("sums and groups of channels move by every rule", "[tile][channels][residency]") {
  std::size_t moved = 0;
  for (std::uint32_t seed = 1; seed <= test::rounds(60); ++seed) {
    const auto whole = byChannels(test::randomBottlenecks(seed));
    if (!whole->graph().tiling) continue;
    const ResidencyRule rule = residencyCatalog()[seed % residencyCatalog().size()].rule;
    const std::int64_t room = whole->metrics.lowerBound.count() * (5 + seed % 5) / 10;
    const auto run = byChannels(test::randomBottlenecks(seed), {.l2 = room, .residency = rule});
    CAPTURE(seed, infoOf(rule).name, room);
    CHECK(test::firstOf(replayBytes(*run, 1_MiB)) == "");
    CHECK(test::judgeFault(run->timing) == "");
    if (!run->problem.moves.empty()) ++moved;
  }
  CHECK(moved > test::rounds(10));
}
