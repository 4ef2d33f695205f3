// docs/methods.md §4, "operators that need not copy", rule by rule.

#include "core/storage/aliasing.h"

#include <algorithm>

#include "core/plan/metrics.h"
#include "tests/support/graphs.h"
#include "tests/support/printers.h"
#include "tests/support/rounds.h"

using namespace hw;
using namespace hw::literals;
using test::drawnGraph;
using test::tensorOf;

namespace {

Storage share(const Graph& graph, const AliasRules& alias = {}, Bytes alignment = 1_B) {
  return shareStorage(graph, givenOrder(graph), {.alias = alias, .alignment = alignment});
}

/// "w[0,5): a+0 b+2 w+0": the buffer of `name`, its steps, and where its tensors are.
std::string drawBuffer(const Graph& graph, const Storage& storage, const std::string& name) {
  const auto& slot = storage.slots[tensorOf(graph, name)];
  REQUIRE(slot);
  const Buffer& buffer = storage.buffers[slot->buffer];
  std::string text = graph.tensors[buffer.root].name + "[" +
                     std::to_string(buffer.steps.begin.count()) + "," +
                     std::to_string(buffer.steps.end.count()) + "):";
  for (const TensorId id : buffer.tensors) {
    text += " " + graph.tensors[id].name + "+" + std::to_string(storage.slots[id]->offset.count());
  }
  return text;
}

/// "w copies a: reason" for each copy.
std::string drawCopies(const Graph& graph, const Storage& storage) {
  std::string text;
  for (const CopyNote& copy : storage.copies) {
    CHECK(copy.bytes == graph.tensors[copy.tensor].bytes);
    CHECK_FALSE(storage.free[copy.op]);
    text += (text.empty() ? "" : "; ") + graph.ops[copy.op].name + " copies " +
            graph.tensors[copy.tensor].name + ": " + copy.reason;
  }
  return text;
}

/// x -> a, b; concat a, b -> w; w -> y.
Graph joinGraph() {
  return drawnGraph(
      {.tensors = {{"x", 8}, {"a", 16}, {"b", 24}, {"w", 40}, {"y", 4}},
       .inputs = {"x"},
       .ops = {"Conv x -> a", "Conv a -> b", "Concat a, b -> w axis=1", "Conv w -> y"},
       .outputs = {"y"}});
}

/// x -> w; split w -> p, q; p -> r; q, r -> y.
Graph cutGraph() {
  return drawnGraph(
      {.tensors = {{"x", 8}, {"w", 40}, {"p", 16}, {"q", 24}, {"r", 4}, {"y", 4}},
       .inputs = {"x"},
       .ops = {"Conv x -> w", "cut: Split w -> p, q axis=1", "Conv p -> r", "Conv q, r -> y"},
       .outputs = {"y"}});
}

}  // namespace

TEST_CASE("a reshape and its input are one block", "[aliasing]") {
  const auto* type = GENERATE("Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity");
  const Graph graph =
      drawnGraph({.tensors = {{"x", 8}, {"a", 16}, {"b", 16}, {"y", 4}},
                  .inputs = {"x"},
                  .ops = {"Conv x -> a", std::string(type) + " a -> b", "Conv b -> y"},
                  .outputs = {"y"}});
  const Storage storage = share(graph);
  CHECK(drawBuffer(graph, storage, "b") == "a[0,3): a+0 b+0");
  CHECK(storage.free[OpId(1)]);
  CHECK(storage.copies.empty());
}

TEST_CASE("inputs of a concat are slices of its output, from when the first is made",
          "[aliasing]") {
  const Graph graph = joinGraph();
  const Storage storage = share(graph);
  CHECK(drawBuffer(graph, storage, "b") == "w[0,4): a+0 b+16 w+0");
  CHECK(storage.free[OpId(2)]);
  CHECK(storage.copies.empty());
}

TEST_CASE("outputs of a split are slices of its input, until the last is read", "[aliasing]") {
  const Graph graph = cutGraph();
  const Storage storage = share(graph);
  CHECK(drawBuffer(graph, storage, "p") == "w[0,4): w+0 p+0 q+16");
  CHECK(storage.free[OpId(1)]);
}

TEST_CASE("chains of views are one block", "[aliasing]") {
  // reshape a -> ra; concat ra, b -> w; reshape w -> v; split v -> p, q; reshape q -> rq
  const Graph graph =
      drawnGraph({.tensors = {{"x", 8},
                              {"a", 16},
                              {"ra", 16},
                              {"b", 24},
                              {"w", 40},
                              {"v", 40},
                              {"p", 30},
                              {"q", 10},
                              {"rq", 10},
                              {"y", 4}},
                  .inputs = {"x"},
                  .ops = {"Conv x -> a", "Reshape a -> ra", "Conv a -> b",
                          "Concat ra, b -> w axis=1", "Reshape w -> v",
                          "cut: Split v -> p, q axis=1", "Reshape q -> rq", "Conv p, rq -> y"},
                  .outputs = {"y"}});
  const Storage storage = share(graph);
  CHECK(drawBuffer(graph, storage, "rq") == "w[0,8): a+0 ra+0 b+16 w+0 v+0 p+0 q+30 rq+30");
  CHECK(storage.buffers.size() == 3);
}

TEST_CASE("each rule can be switched off, and then copies", "[aliasing]") {
  CHECK(drawCopies(joinGraph(), share(joinGraph(), {.concat = false})) ==
        "w copies a: aliasing of concat is switched off; "
        "w copies b: aliasing of concat is switched off");
  CHECK(drawCopies(cutGraph(), share(cutGraph(), {.split = false})) ==
        "cut copies p: aliasing of split is switched off; "
        "cut copies q: aliasing of split is switched off");
  CHECK(share(joinGraph(), AliasRules::none()).buffers.size() == 5);
}

TEST_CASE("a slice that would start off the alignment is copied", "[aliasing]") {
  const Graph graph = joinGraph();
  CHECK(drawCopies(graph, share(graph, {}, 16_B)).empty());
  CHECK(drawCopies(graph, share(graph, {}, 32_B)) ==
        "w copies b: its slice would start at byte 16, not a multiple of 32");
}

TEST_CASE("slices along an inner axis are copied", "[aliasing]") {
  Graph join = joinGraph();
  for (const char* name : {"a", "b", "w"}) {
    Tensor& tensor = join.tensors[tensorOf(join, name)];
    tensor.shape = Shape{2, tensor.bytes->count() / 2};
  }
  const Storage storage = share(join);
  CHECK(storage.copies.size() == 2);
  CHECK(storage.copies[0].reason == "it joins along an inner axis, so slices are not contiguous");
  Graph cut = cutGraph();
  for (const char* name : {"p", "q", "w"}) {
    Tensor& tensor = cut.tensors[tensorOf(cut, name)];
    tensor.shape = Shape{2, tensor.bytes->count() / 2};
  }
  CHECK(share(cut).copies.at(0).reason ==
        "it splits along an inner axis, so slices are not contiguous");
}

TEST_CASE("a negative axis counts from the back", "[aliasing]") {
  Graph graph = joinGraph();
  graph.ops[OpId(2)].attributes["axis"] = std::int64_t{-1};
  CHECK(share(graph).copies.empty());
  graph.ops[OpId(2)].attributes["axis"] = std::int64_t{7};
  CHECK(share(graph).copies.size() == 2);
}

TEST_CASE("a weight and a graph input are copied into a concat", "[aliasing]") {
  const Graph graph =
      drawnGraph({.tensors = {{"x", 8}, {"a", 16}, {"k", 8}, {"w", 32}, {"y", 4}},
                  .inputs = {"x"},
                  .ops = {"Conv x -> a", "Concat a, k, x -> w axis=1", "Conv w -> y"},
                  .outputs = {"y"},
                  .constants = {"k"}});
  CHECK(drawCopies(graph, share(graph)) ==
        "w copies k: a weight has to be copied in; w copies x: a graph input has its own place");
}

TEST_CASE("a tensor can be a slice of one concat only, and once", "[aliasing]") {
  const Graph two =
      drawnGraph({.tensors = {{"x", 8}, {"a", 16}, {"b", 8}, {"v", 24}, {"w", 24}, {"y", 4}},
                  .inputs = {"x"},
                  .ops = {"Conv x -> a", "Conv x -> b", "Concat a, b -> v axis=1",
                          "Concat b, a -> w axis=1", "Conv v, w -> y"},
                  .outputs = {"y"}});
  CHECK(drawCopies(two, share(two)) ==
        "w copies b: it is part of another concat or split already; "
        "w copies a: it is part of another concat or split already");
  const Graph twice = drawnGraph({.tensors = {{"x", 8}, {"a", 16}, {"w", 32}, {"y", 4}},
                                  .inputs = {"x"},
                                  .ops = {"Conv x -> a", "Concat a, a -> w axis=1", "Conv w -> y"},
                                  .outputs = {"y"}});
  CHECK(drawCopies(twice, share(twice)) == "w copies a: it is in this concat twice");
}

TEST_CASE("a graph input cannot become a graph output without a copy", "[aliasing]") {
  const Graph graph = drawnGraph({.tensors = {{"x", 8}, {"y", 8}},
                                  .inputs = {"x"},
                                  .ops = {"Identity x -> y"},
                                  .outputs = {"y"}});
  CHECK(drawCopies(graph, share(graph)) ==
        "y copies y: input and output are both graph inputs or outputs");
}

TEST_CASE("what lives outside the arena is no part of it", "[aliasing]") {
  const Graph graph = test::chainGraph();
  const Storage storage =
      shareStorage(graph, givenOrder(graph), {.planInputs = false, .planOutputs = false});
  CHECK(storage.buffers.size() == 3);
  CHECK_FALSE(storage.slots[tensorOf(graph, "x")]);
  CHECK_FALSE(storage.slots[tensorOf(graph, "y")]);
}

TEST_CASE("a tensor of unknown size is listed, not counted", "[aliasing]") {
  Graph graph = test::chainGraph();
  const TensorId unknown = tensorOf(graph, "t1");
  graph.tensors[unknown].bytes.reset();
  const Storage storage = share(graph);
  CHECK(storage.unsized == std::vector{unknown});
  CHECK_FALSE(storage.slots[unknown]);
  CHECK(storage.buffers.size() == 4);
}

TEST_CASE("the last op does not overwrite a graph output in place", "[aliasing]") {
  // y is an output, and Relu is the last to read it; nobody reads z.
  const Graph graph = drawnGraph({.tensors = {{"x", 8}, {"y", 8}, {"z", 8}},
                                  .inputs = {"x"},
                                  .ops = {"Conv x -> y", "Relu y -> z"},
                                  .outputs = {"y"}});
  CHECK(share(graph, AliasRules::all()).inPlace.empty());
}

TEST_CASE("buffers hold every sized tensor once, inside and for as long as it lives",
          "[aliasing][property]") {
  for (const std::uint64_t seed : test::Seeds(150)) {
    const Graph graph = test::randomGraph(seed, 5 + seed % 50);
    const Storage storage = share(graph, AliasRules::all(), Bytes(seed % 2 == 0 ? 1 : 8));
    std::size_t held = 0;
    for (const BufferId id : storage.buffers.keys()) {
      const Buffer& buffer = storage.buffers[id];
      REQUIRE(std::ranges::count(buffer.tensors, buffer.root) == 1);
      REQUIRE(buffer.size == graph.tensors[buffer.root].bytes);
      Interval<Step> steps = storage.lifetimes[buffer.root];
      for (const TensorId tensor : buffer.tensors) {
        const Slot slot = *storage.slots[tensor];
        REQUIRE(slot.buffer == id);
        REQUIRE(slot.offset >= 0_B);
        REQUIRE(slot.offset + *graph.tensors[tensor].bytes <= buffer.size);
        const Interval<Step>& life = storage.lifetimes[tensor];
        steps = {std::min(steps.begin, life.begin), std::max(steps.end, life.end)};
        ++held;
      }
      REQUIRE(buffer.steps == steps);
    }
    const auto planned =
        std::ranges::count_if(graph.tensors, [](const Tensor& tensor) { return !tensor.constant; });
    REQUIRE(held == static_cast<std::size_t>(planned));
  }
}

TEST_CASE("sharing slices never raises the lower bound", "[aliasing][property]") {
  int saved = 0;
  for (const std::uint64_t seed : test::Seeds(150)) {
    const Graph graph = test::randomGraph(seed, 5 + seed % 50);
    const auto apart = test::runGraph(graph, {.alias = {true, false, false, false}});
    const auto shared = test::runGraph(graph, {.alias = {true, true, true, false}});
    REQUIRE(lowerBound(shared->problem) <= lowerBound(apart->problem));
    saved += lowerBound(shared->problem) < lowerBound(apart->problem) ? 1 : 0;
  }
  CHECK(saved > test::atLeast(10));
}
