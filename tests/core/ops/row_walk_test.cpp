// How far an output begins from the input it is made of: docs/less.md, "overlap".
#include "core/ops/row_walk.h"

#include "tests/support/must.h"
#include "tests/support/row_graphs.h"

using namespace hw;

namespace {

std::optional<RowDistances> distancesOf(const test::WalkedOp& op) {
  const Graph graph = test::rowPair(op);
  const auto walk = rowWalkOf(graph, graph.ops[OpId(0)]);
  return walk ? std::optional(rowDistances(*walk)) : std::nullopt;
}

test::WalkedOp depthwise(std::int64_t stride) {
  const std::int64_t out = 112 / stride;
  return {.type = "DEPTHWISE_CONV_2D",
          .in = {1, 112, 112, 96},
          .out = {1, out, out, 96},
          .weight = {1, 3, 3, 96},
          .attributes = {{"strides", std::vector<std::int64_t>{stride, stride}},
                         {"auto_pad", std::string("SAME_UPPER")},
                         {"channels_last", std::int64_t{1}}}};
}

}  // namespace

TEST_CASE("distances of channels last", "[ops][overlap]") {
  // A row is 112 x 96 x 4 bytes. With stride 2 nothing is added above, so the first output row may
  // lie just below; backwards, the last one reads the last input row.
  const auto halved = test::must(distancesOf(depthwise(2)));
  CHECK(halved.up == Bytes(56 * 96 * 4));
  CHECK(halved.down == Bytes(112 * 112 * 96 * 4 - 55 * 56 * 96 * 4));
  // With stride 1 a row is added above: the second output row still reads the first input row.
  const auto same = test::must(distancesOf(depthwise(1)));
  CHECK(same.up == Bytes(2 * 112 * 96 * 4));
  CHECK(same.down == Bytes(2 * 112 * 96 * 4));
}

TEST_CASE("a product of one row overlaps nothing, of several row by row", "[ops][overlap]") {
  const auto dense = [](std::int64_t rows) {
    return distancesOf({.type = "FULLY_CONNECTED",
                        .in = {rows, 8},
                        .out = {rows, 2},
                        .weight = {2, 8},
                        .dtype = Dtype::int8});
  };
  CHECK_FALSE(dense(1));
  const auto four = test::must(dense(4));
  CHECK(four.up == Bytes(2));                // The first row of 2 bytes.
  CHECK(four.down == Bytes(4 * 8 - 3 * 2));  // The last row reads up to the end.
}

TEST_CASE("channels first go plane by plane, groups as a whole, dense ones not at all",
          "[ops][overlap]") {
  const auto conv = [](std::int64_t groups, std::int64_t made) {
    return distancesOf({.type = "Conv",
                        .in = {1, 4, 6, 5},
                        .out = {1, made, 6, 5},
                        .weight = {made, 4 / groups, 1, 1},
                        .attributes = {{"group", groups}},
                        .tflite = false,
                        .dtype = Dtype::int8});
  };
  CHECK_FALSE(conv(1, 4));
  const auto planes = test::must(conv(4, 4));
  CHECK(planes.up == Bytes(5));
  CHECK(planes.down == Bytes(5));
  const auto groups = test::must(conv(2, 4));
  CHECK(groups.up == Bytes(2 * 30));
  CHECK(groups.down == Bytes(2 * 30));
}

TEST_CASE("what is not read row by row overlaps nothing", "[ops][overlap]") {
  const test::WalkedOp plain = depthwise(1);
  test::WalkedOp batch = plain;
  batch.in[0] = batch.out[0] = 2;
  CHECK_FALSE(distancesOf(batch));
  test::WalkedOp mirrored{.type = "MIRROR_PAD", .in = {1, 4, 4, 2}, .out = {1, 6, 6, 2}};
  CHECK_FALSE(distancesOf(mirrored));
  mirrored.type = "PAD";
  CHECK(distancesOf(mirrored));
  test::WalkedOp turned{.type = "TRANSPOSE", .in = {1, 4, 4, 2}, .out = {1, 4, 2, 4}};
  CHECK_FALSE(distancesOf(turned));
  test::WalkedOp deformed{.type = "DeformConv",
                          .in = {1, 2, 4, 4},
                          .out = {1, 2, 4, 4},
                          .weight = {2, 1, 1, 1},
                          .attributes = {{"group", std::int64_t{2}}},
                          .tflite = false};
  CHECK_FALSE(distancesOf(deformed));
  // Four-bit elements share bytes.
  test::WalkedOp packed = plain;
  packed.dtype = Dtype::int8;
  Graph graph = test::rowPair(packed);
  graph.tensors[TensorId(0)].bytes = Bytes(112 * 112 * 96 / 2);
  CHECK_FALSE(rowWalkOf(graph, graph.ops[OpId(0)]));
}
