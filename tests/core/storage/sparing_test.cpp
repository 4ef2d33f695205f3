// Slices that would raise the lower bound are copied, and no others: ADR 0010.

#include <filesystem>

#include "core/import/samples.h"
#include "core/storage/aliasing.h"
#include "tests/support/corpus.h"
#include "tests/support/graphs.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"
#include "tests/support/rounds.h"

using namespace hw;
using namespace hw::literals;
using test::drawnGraph;
using test::tensorOf;

namespace {

struct Held {
  Bytes size{};
  Interval<Step> steps{};
};

Bytes peakOf(const std::vector<Held>& held, Step steps) {
  std::vector<std::int64_t> live(static_cast<std::size_t>(steps.count()) + 1, 0);
  for (const Held& each : held) {
    for (Step step = each.steps.begin; step < each.steps.end; step += Step(1)) {
      live[static_cast<std::size_t>(step.count())] += each.size.count();
    }
  }
  return Bytes(*std::ranges::max_element(live));
}

std::vector<Held> heldOf(const Storage& storage, Bytes alignment) {
  std::vector<Held> held;
  for (const Buffer& buffer : storage.buffers) {
    held.push_back({alignUp(buffer.size, alignment), buffer.steps});
  }
  return held;
}

/// The whole that a copied slice belongs to.
TensorId wholeOf(const Graph& graph, const CopyNote& copy) {
  const Op& op = graph.ops[copy.op];
  const bool made = std::ranges::find(op.outputs, copy.tensor) != op.outputs.end();
  return made ? op.inputs.at(0) : op.outputs.at(0);
}

/// Copies that were made for the bound's sake, though sharing that slice alone would not raise it:
/// one buffer less, the other one live while either was.
std::string needless(const Graph& graph, const Schedule& schedule, const Storage& storage,
                     Bytes alignment, Bytes bound) {
  std::string text;
  for (const CopyNote& copy : storage.copies) {
    if (copy.reason.find("raises the lower bound") == std::string::npos) continue;
    const BufferId part = storage.bufferOf(copy.tensor);
    const BufferId whole = storage.bufferOf(wholeOf(graph, copy));
    // Cut from what is a part of something else, it could not be shared anyway.
    if (part == whole || storage.buffers[part].size != copy.bytes) continue;
    if (storage.buffers[part].graphOutput && storage.buffers[whole].graphOutput) continue;
    std::vector<Held> held = heldOf(storage, alignment);
    Held& joined = held[whole.index()];
    const Held& other = held[part.index()];
    joined.steps = {std::min(joined.steps.begin, other.steps.begin),
                    std::max(joined.steps.end, other.steps.end)};
    held.erase(held.begin() + static_cast<std::ptrdiff_t>(part.index()));
    if (peakOf(held, schedule.steps()) > bound) continue;
    text += graph.ops[copy.op].name + " copies " + displayName(graph, copy.tensor) + "; ";
  }
  return text;
}

/// The bound does not rise, and no slice is copied for nothing. Returns how many are copied for
/// the bound's sake.
std::int64_t judge(const Graph& graph, Bytes alignment) {
  const Schedule schedule = givenOrder(graph);
  const auto share = [&](bool slices) {
    return shareStorage(graph, schedule,
                        {.alias = {.concat = slices, .split = slices}, .alignment = alignment});
  };
  const Bytes bound = peakOf(heldOf(share(false), alignment), schedule.steps());
  const Storage storage = share(true);
  CHECK(peakOf(heldOf(storage, alignment), schedule.steps()) <= bound);
  CHECK(needless(graph, schedule, storage, alignment, bound) == "");
  return std::ranges::count_if(storage.copies, [](const CopyNote& copy) {
    return copy.reason.find("raises the lower bound") != std::string::npos;
  });
}

/// p waits long for q; r is made right before the concat.
Graph waitingGraph() {
  return drawnGraph(
      {.tensors =
           {{"x", 8}, {"p", 8}, {"a", 60}, {"b", 60}, {"q", 40}, {"r", 40}, {"w", 88}, {"y", 4}},
       .inputs = {"x"},
       .ops = {"Conv x -> p", "Conv x -> a", "Conv a -> b", "Conv b -> q", "Conv q -> r",
               "w: Concat p, q, r -> w axis=1", "Conv w -> y"},
       .outputs = {"y"}});
}

}  // namespace

TEST_CASE("only the slice that keeps the whole too long is copied", "[aliasing][sparing]") {
  // With p in it, the 88 bytes of w would be there beside a and b.
  const Graph graph = waitingGraph();
  const Storage storage =
      shareStorage(graph, givenOrder(graph), {.alias = {}, .alignment = Bytes(1)});
  REQUIRE(storage.copies.size() == 1);
  CHECK(graph.tensors[storage.copies[0].tensor].name == "p");
  CHECK(storage.bufferOf(tensorOf(graph, "q")) == storage.bufferOf(tensorOf(graph, "w")));
  CHECK(storage.bufferOf(tensorOf(graph, "r")) == storage.bufferOf(tensorOf(graph, "w")));
  CHECK(storage.raise == 0_B);
}

TEST_CASE("asked to share always, slices raise the bound and say by how much",
          "[aliasing][sparing]") {
  const Graph graph = waitingGraph();
  const auto rules = test::must(parseAlias("always"));
  CHECK(aliasText(rules) == "always");
  const Storage storage =
      shareStorage(graph, givenOrder(graph), {.alias = rules, .alignment = Bytes(1)});
  CHECK(storage.copies.empty());
  // Apart, p, q, r and w are live together: 8 + 40 + 40 + 88. Shared, a and b stand beside w.
  CHECK(peakOf(heldOf(storage, 1_B), Step(7)) == 208_B);
  CHECK(storage.raise == 208_B - 176_B);
}

TEST_CASE("two graph outputs are parts of what is split into them", "[aliasing][sparing]") {
  const Graph graph = drawnGraph({.tensors = {{"x", 8}, {"w", 40}, {"p", 16}, {"q", 24}},
                                  .inputs = {"x"},
                                  .ops = {"Conv x -> w", "cut: Split w -> p, q axis=1"},
                                  .outputs = {"p", "q"}});
  const Storage storage =
      shareStorage(graph, givenOrder(graph), {.alias = {}, .alignment = Bytes(1)});
  CHECK(storage.copies.empty());
  CHECK(storage.buffers.size() == 2);
  CHECK(storage.free[OpId(1)]);

  SECTION("but what is split is not handed out, too") {
    Graph both = graph;
    both.tensors[tensorOf(both, "w")].graphOutput = true;
    both.outputs.push_back(tensorOf(both, "w"));
    const Storage apart = shareStorage(both, givenOrder(both), {.alignment = Bytes(1)});
    REQUIRE(apart.copies.size() == 2);
    CHECK(apart.copies[0].reason == "input and output are both graph inputs or outputs");
  }
}

TEST_CASE("slices of random graphs are copied only where the bound would rise",
          "[aliasing][sparing][property]") {
  std::int64_t copied = 0;
  for (const std::uint64_t seed : test::Seeds(200)) {
    copied += judge(test::randomGraph(seed, 5 + seed % 60), Bytes(seed % 2 == 0 ? 1 : 8));
  }
  CHECK(copied > 20);
}

TEST_CASE("slices of samples are copied only where the bound would rise", "[aliasing][sparing]") {
  for (const SampleInfo& sample : sampleCatalog()) {
    CAPTURE(sample.name);
    const auto model = test::must(openModel("samples:" + sample.name, {}));
    if (!model.problem) judge(*model.graph, 64_B);
  }
}

TEST_CASE("slices of the corpus are copied only where the bound would rise",
          "[aliasing][sparing][corpus]") {
  const auto folder = corpusFolder();
  if (!folder) return;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(*folder)) {
    const std::string path = entry.path().string();
    if (!path.ends_with(".onnx") && !path.ends_with(".tflite")) continue;
    const auto model = loadModel(path, {});
    if (!model || model->problem) continue;
    CAPTURE(path);
    judge(*model->graph, 64_B);
  }
}
