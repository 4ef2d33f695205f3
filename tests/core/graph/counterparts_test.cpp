// What of a graph in parts is what of the graph that was cut, judged by names: "o3[r0-7]" is of
// "o3".
#include "core/graph/counterparts.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "core/graph/tiling.h"
#include "core/rewrite/recompute.h"
#include "core/tile/tile.h"
#include "tests/support/graphs.h"
#include "tests/support/image_graphs.h"
#include "tests/support/rounds.h"

using namespace hw;

namespace {

/// Of "conv[r0-3]", where rows have places of their own "conv row 2", and of sums "conv so far".
std::string beforePart(const std::string& name) {
  return name.substr(0, std::min({name.find('['), name.find(" row "), name.find(" so far")}));
}

/// Of "conv again" and "conv again 2".
std::string beforeAgain(const std::string& name) { return name.substr(0, name.find(" again")); }

/// `graph` with some operators that run twice or three times, one after the other.
std::shared_ptr<const Graph> stuttering(std::shared_ptr<const Graph> graph, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<OpId> ops;
  for (const OpId op : graph->ops.keys()) {
    const std::size_t times = isRepeatable(*graph, op) ? 1 + random() % 3 : 1;
    ops.insert(ops.end(), times, op);
  }
  return std::make_shared<const Graph>(repeatedGraph(std::move(graph), ops).value());
}

std::shared_ptr<const Graph> inParts(const std::shared_ptr<const Graph>& graph, TileRule rule) {
  return tiled(graph, givenOrder(*graph), {.alignment = Bytes(1)}, {.rule = rule, .extraWork = 2})
      .value()
      .graph;
}

std::shared_ptr<const Run> cutRun(std::uint64_t seed) {
  test::RunOptions options{.extraWork = 2};
  if (seed % 3 == 0) options.inputs = InputPlace::rows;
  options.tile = static_cast<TileRule>(1 + seed % 5);
  return test::runGraph(test::randomImages(seed, 3 + seed % 9), options);
}

}  // namespace

TEST_CASE("parts and pieces go over to what they are of, and back", "[graph][counterparts]") {
  std::size_t cut = 0;
  for (const std::uint64_t seed : test::Seeds(200)) {
    const auto run = cutRun(seed);
    const Graph& parts = run->graph();
    if (!parts.tiling) continue;
    ++cut;
    const Graph& whole = *parts.tiling->original;
    CHECK(&wholeGraph(parts) == &whole);
    const Counterparts up(parts, whole);
    const Counterparts down(whole, parts);
    CHECK(up.related());
    CHECK_FALSE(up.same());
    for (const OpId op : parts.ops.keys()) {
      const OpId of = up.op(op);
      if (parts.ops[op].domain == kTileDomain) {
        CHECK_FALSE(of);
        continue;
      }
      REQUIRE(of);
      CHECK(displayName(whole, of) == beforePart(displayName(parts, op)));
      const auto back = down.ops(of);
      CHECK(std::ranges::count(back, op) == 1);
      CHECK(std::ranges::is_sorted(back));
    }
    for (const OpId op : whole.ops.keys()) {
      for (const OpId part : down.ops(op)) CHECK(up.op(part) == op);
    }
    for (const TensorId tensor : parts.tensors.keys()) {
      const TensorId of = up.tensor(tensor);
      REQUIRE(of);
      CHECK(displayName(whole, of) == beforePart(displayName(parts, tensor)));
    }
    for (const TensorId tensor : whole.tensors.keys()) {
      if (const TensorId there = down.tensor(tensor)) CHECK(up.tensor(there) == tensor);
    }
  }
  CHECK(cut >= test::rounds(200) / 4);
}

TEST_CASE("of two ways to cut a part goes to the one that makes its first row",
          "[graph][counterparts]") {
  for (const std::uint64_t seed : test::Seeds(100)) {
    const auto run = cutRun(seed);
    const Graph& parts = run->graph();
    if (!parts.tiling) continue;
    const Graph equal = parts;
    const Counterparts same(parts, equal);
    CHECK(same.same());
    Graph other = parts;
    auto tiling = std::make_shared<Tiling>(*parts.tiling);
    const auto ops = parts.ops.keys();
    const auto first =
        std::ranges::find_if(ops, [&](OpId op) { return partOf(parts, op) != nullptr; });
    if (first == ops.end()) continue;  // Its inputs arrive by rows, and that is all.
    tiling->parts[*first]->cell += 1;
    other.tiling = tiling;
    const Counterparts different(parts, other);
    CHECK(different.related());
    CHECK_FALSE(different.same());
    for (const OpId op : parts.ops.keys()) {
      CHECK(same.op(op) == op);
      const Tiling::Part* part = partOf(parts, op);
      const OpId there = different.op(op);
      if (part == nullptr || !there) continue;
      CHECK(partOf(other, there)->rows.contains(part->rows.begin));
      CHECK(tiling->opOf[there] == part->of);
    }
  }
}

TEST_CASE("of what runs again, and then in parts, both are what was there before",
          "[graph][counterparts]") {
  std::size_t both = 0;
  for (const std::uint64_t seed : test::Seeds(100)) {
    const auto whole = std::make_shared<const Graph>(test::randomImages(seed, 3 + seed % 9));
    const auto repeated = stuttering(whole, seed);
    const auto parts = inParts(repeated, TileRule::lines);
    if (parts == repeated) continue;
    ++both;
    CHECK(&wholeGraph(*parts) == whole.get());
    const Counterparts up(*parts, *whole);
    const Counterparts down(*whole, *parts);
    const Counterparts between(*parts, *repeated);
    for (const OpId op : parts->ops.keys()) {
      if (parts->ops[op].domain == kTileDomain) continue;
      const std::string name = beforePart(displayName(*parts, op));
      REQUIRE(up.op(op));
      CHECK(displayName(*whole, up.op(op)) == beforeAgain(name));
      CHECK(wholeOp(*parts, op) == up.op(op));
      CHECK(std::ranges::count(down.ops(up.op(op)), op) == 1);
      REQUIRE(between.op(op));
      CHECK(displayName(*repeated, between.op(op)) == name);
    }
    for (const TensorId tensor : parts->tensors.keys()) {
      const std::string name = beforePart(displayName(*parts, tensor));
      REQUIRE(up.tensor(tensor));
      CHECK(displayName(*whole, up.tensor(tensor)) == beforeAgain(name));
      CHECK(displayName(*repeated, between.tensor(tensor)) == name);
      if (!isRing(*parts, tensor)) CHECK(wholeTensor(*parts, tensor) == up.tensor(tensor));
    }
    // Somebody else cut the same without running anything again, or cut this once more.
    const auto once = inParts(whole, TileRule::any);
    const Counterparts across(*parts, *once);
    CHECK(across.related());
    for (const OpId op : parts->ops.keys()) {
      const OpId there = across.op(op);
      if (!there) continue;
      CHECK(beforePart(displayName(*once, there)) ==
            beforeAgain(beforePart(displayName(*parts, op))));
    }
    const auto twin = inParts(stuttering(whole, seed), TileRule::lines);
    CHECK(Counterparts(*parts, *twin).same());
  }
  CHECK(both >= test::rounds(100) / 8);
}

TEST_CASE("graphs of two models have nothing in common", "[graph][counterparts]") {
  const Graph a = test::randomImages(1, 5);
  const Graph b = test::randomImages(1, 5);
  const Counterparts none(a, b);
  CHECK_FALSE(none.related());
  for (const OpId op : a.ops.keys()) CHECK_FALSE(none.op(op));
  for (const TensorId tensor : a.tensors.keys()) CHECK_FALSE(none.tensor(tensor));
}
