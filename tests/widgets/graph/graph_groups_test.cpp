#include <catch2/catch.hpp>
#include <string>

#include "core/graph/graph.h"
#include "widgets/graph/op_groups.h"

using namespace hw;

namespace {

Graph named(const std::vector<std::string>& names) {
  Graph graph;
  for (const std::string& name : names) {
    const OpId op = graph.ops.add({.name = name, .type = "Relu"});
    const TensorId out = graph.tensors.add({.name = name + ":0", .producer = op});
    graph.ops[op].outputs.push_back(out);
    if (op.index() == 0) continue;
    const TensorId before = graph.ops[OpId(op.index() - 1)].outputs.front();
    graph.ops[op].inputs.push_back(before);
    graph.tensors[before].consumers.push_back(op);
  }
  return graph;
}

/// `blocks` blocks of `each` ops: "block3/op7".
Graph blocks(std::size_t count, std::size_t each) {
  std::vector<std::string> names;
  for (std::size_t block = 0; block < count; ++block) {
    for (std::size_t op = 0; op < each; ++op) {
      names.push_back("block" + std::to_string(block) + "/op" + std::to_string(op));
    }
  }
  return named(names);
}

/// Ranges that follow each other from the first op to the last, none empty.
void checkPartition(const std::vector<OpRange>& ranges, OpRange whole) {
  REQUIRE_FALSE(ranges.empty());
  CHECK(ranges.front().first == whole.first);
  CHECK(ranges.back().last == whole.last);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    CHECK(ranges[i].size() > 0);
    if (i > 0) CHECK(ranges[i].first == ranges[i - 1].last);
  }
}

}  // namespace

TEST_CASE("ops are cut where their scopes change", "[graph]") {
  const Graph graph = named({"a/x/1", "a/x/2", "a/y/1", "b/z/1", "b/z/2", "b/z/3"});
  const auto deep = divideOps(graph, {0, 6}, 3);
  CHECK(deep == std::vector<OpRange>{{0, 2}, {2, 3}, {3, 6}});
  const auto shallow = divideOps(graph, {0, 6}, 2);
  CHECK(shallow == std::vector<OpRange>{{0, 3}, {3, 6}});
  CHECK(divideOps(graph, {3, 6}, 3) == std::vector<OpRange>{{3, 4}, {4, 5}, {5, 6}});
}

TEST_CASE("without scopes chains, else equal pieces: always at least two", "[graph]") {
  const auto count = GENERATE(3U, 10U, 1'000U, 6'001U);
  std::vector<std::string> names(count, "op");
  const Graph graph = named(names);
  const auto most = GENERATE(2U, 7U, 240U);
  CAPTURE(count, most);
  const auto pieces = divideOps(graph, {0, count}, most);
  checkPartition(pieces, {0, count});
  CHECK(pieces.size() >= 2);
  CHECK(pieces.size() <= std::max<std::size_t>(most, 2));
}

TEST_CASE("a large graph is drawn in groups that open and close", "[graph]") {
  const Graph graph = blocks(100, 60);
  OpGroups groups(&graph);
  CHECK(groups.isGrouped());
  const auto closed = groups.ranges();
  checkPartition(closed, {0, graph.ops.size()});
  CHECK(closed.size() == 100);
  REQUIRE(groups.expand(closed[3]));
  CHECK_FALSE(groups.expand(closed[3]));
  const auto open = groups.ranges();
  checkPartition(open, {0, graph.ops.size()});
  CHECK(open.size() == 159);
  CHECK_FALSE(groups.expand(open[3]));  // A single op.
  CHECK(groups.collapse(open[10]));
  CHECK(groups.ranges() == closed);
  CHECK_FALSE(groups.collapse(closed[3]));
}

TEST_CASE("there are never more boxes than can be drawn", "[graph]") {
  const Graph graph = blocks(200, 60);
  OpGroups groups(&graph);
  int refused = 0;
  for (const OpRange& range : groups.ranges()) refused += !groups.expand(range);
  CHECK(refused > 0);
  CHECK(groups.ranges().size() <= OpGroups::kMostNodes);
}

TEST_CASE("revealing an op opens the groups around it", "[graph]") {
  const Graph graph = blocks(20, 400);
  OpGroups groups(&graph);
  groups.reveal(OpId(1'234));
  const auto ranges = groups.ranges();
  checkPartition(ranges, {0, graph.ops.size()});
  CHECK(std::ranges::find(ranges, OpRange{1'234, 1'235}) != ranges.end());
}

TEST_CASE("a small graph is drawn op by op unless groups are wanted", "[graph]") {
  const Graph graph = blocks(5, 8);
  CHECK(OpGroups(&graph).ranges().size() == 40);
  CHECK_FALSE(OpGroups(&graph).isGrouped());
  CHECK(OpGroups(&graph, true).ranges().size() == 5);
}
