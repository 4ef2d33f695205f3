// What of a graph in parts is made or read more than once, held against counting every element.
#include "core/graph/halo.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "core/graph/tiling.h"
#include "tests/support/graphs.h"
#include "tests/support/image_graphs.h"
#include "tests/support/rounds.h"

using namespace hw;

namespace {

std::shared_ptr<const Run> haloRun(std::uint64_t seed) {
  test::RunOptions options{.extraWork = 2};
  if (seed % 3 == 0) options.inputs = InputPlace::rows;
  options.tile = static_cast<TileRule>(1 + seed % 5);
  if (seed % 2 == 0) options.alias = AliasRules::all();
  return test::runGraph(test::randomImages(seed, 3 + seed % 9), options);
}

/// Calls `visit(element of the original tensor, byte of the host)` for each element of a piece.
template <class Visit>
void forEachElement(const Graph& graph, TensorId tensor, const Visit& visit) {
  const Tiling::Piece& piece = *pieceOf(graph, tensor);
  const Shape& shape = *graph.tensors[tensor].shape;
  const Shape& whole = *graph.tiling->original->tensors[piece.of].shape;
  const Shape& host = *graph.tensors[piece.host].shape;
  const std::int64_t size = elementSize(graph.tensors[tensor])->count();
  const std::int64_t count = *elementCount(shape);
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t rest = i;
    std::int64_t of = 0;
    std::int64_t at = 0;
    std::int64_t ofPitch = 1;
    std::int64_t atPitch = 1;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      const std::int64_t index = rest % shape[axis];
      rest /= shape[axis];
      of += (piece.begin[axis] + index) * ofPitch;
      at += (piece.at[axis] + index) * atPitch;
      ofPitch *= whole[axis];
      atPitch *= host[axis];
    }
    visit(of, at * size);
  }
}

}  // namespace

TEST_CASE("what parts make again is every element that one has made before", "[graph][halo]") {
  std::size_t overlapping = 0;
  for (const std::uint64_t seed : test::Seeds(200)) {
    const auto run = haloRun(seed);
    const Graph& graph = run->graph();
    if (!graph.tiling) continue;
    const MadeAgain halo(graph);
    std::map<TensorId, std::set<std::int64_t>> made;
    bool any = false;
    for (const OpId op : graph.ops.keys()) {
      for (const TensorId output : graph.ops[op].outputs) {
        if (!output || pieceOf(graph, output) == nullptr) continue;
        // Parts of folds go on from what came so far, and make nothing anew.
        if (partOf(graph, op) == nullptr || isFoldPart(*partOf(graph, op))) {
          CHECK(halo.stretchesOf(graph, output).empty());
          continue;
        }
        const std::int64_t size = elementSize(graph.tensors[output])->count();
        std::set<std::int64_t> again;
        auto& before = made[pieceOf(graph, output)->of];
        forEachElement(graph, output, [&](std::int64_t element, std::int64_t byte) {
          if (before.insert(element).second) return;
          for (std::int64_t i = 0; i < size; ++i) again.insert(byte + i);
        });
        std::set<std::int64_t> told;
        for (const Interval<Bytes>& each : halo.stretchesOf(graph, output)) {
          for (Bytes at = each.begin; at < each.end; at += Bytes(1)) told.insert(at.count());
        }
        CAPTURE(displayName(graph, output));
        CHECK(told == again);
        any = any || !again.empty();
      }
    }
    CHECK(halo.empty() == !any);
    overlapping += any ? 1 : 0;
  }
  CHECK(overlapping >= test::rounds(200) / 20);
}

TEST_CASE("a piece is read again where several parts of one op read it", "[graph][halo]") {
  std::size_t kept = 0;
  for (const std::uint64_t seed : test::Seeds(150)) {
    const auto run = haloRun(seed);
    const Graph& graph = run->graph();
    if (!graph.tiling) continue;
    for (const TensorId tensor : graph.tensors.keys()) {
      std::map<std::string, std::vector<OpId>> readers;  // By what stands before "[r5]".
      for (const OpId op : graph.ops.keys()) {
        const std::string name = displayName(graph, op);
        const auto& inputs = graph.ops[op].inputs;
        if (graph.ops[op].domain == kTileDomain || name.find('[') == std::string::npos) continue;
        if (std::ranges::find(inputs, tensor) == inputs.end()) continue;
        readers[name.substr(0, name.find('['))].push_back(op);
      }
      std::erase_if(readers, [](const auto& each) { return each.second.size() < 2; });
      const auto told = readAgain(graph, tensor);
      REQUIRE(told.size() == readers.size());
      for (const auto& [first, last] : told) {
        const std::string name = displayName(graph, first);
        const auto& all = readers[name.substr(0, name.find('['))];
        REQUIRE_FALSE(all.empty());
        CHECK(first == all.front());
        CHECK(last == all.back());
        kept += pieceOf(graph, tensor) != nullptr ? 1 : 0;
      }
    }
  }
  CHECK(kept > 0);
}

TEST_CASE("pieces have the colour of the op whose parts made them", "[graph][halo]") {
  for (const std::uint64_t seed : test::Seeds(100)) {
    const auto run = haloRun(seed);
    const Graph& graph = run->graph();
    if (!graph.tiling) continue;
    const Graph& whole = *graph.tiling->original;
    std::set<OpId> inParts;
    for (const OpId op : graph.ops.keys()) {
      if (partOf(graph, op) != nullptr) inParts.insert(graph.tiling->opOf[op]);
    }
    for (const TensorId tensor : graph.tensors.keys()) {
      const Tiling::Piece* piece = pieceOf(graph, tensor);
      const OpId maker = pieceMaker(graph, tensor);
      CAPTURE(displayName(graph, tensor));
      if (piece == nullptr) {
        CHECK_FALSE(maker);
        continue;
      }
      const OpId producer = whole.tensors[piece->of].producer;
      CHECK(maker == (inParts.contains(producer) ? producer : OpId()));
    }
  }
}
