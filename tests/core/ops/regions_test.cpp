#include "core/ops/regions.h"

#include <algorithm>

#include "core/check/kernel_scripts.h"
#include "core/ops/op_facts.h"
#include "core/rewrite/graph_builder.h"
#include "tests/support/image_graphs.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"
#include "tests/support/rounds.h"

using namespace hw;

namespace {

using Span = Interval<std::int64_t>;

/// What [made.begin, made.end) of `axis` of the outputs really needs along axis `at` of `input`:
/// the hull of all elements they are made of, element by element.
std::optional<Span> hull(const Graph& graph, OpId id, int axis, Span made, std::size_t input,
                         std::size_t at) {
  std::optional<Span> found;
  const Op& op = graph.ops[id];
  for (std::size_t output = 0; output < op.outputs.size(); ++output) {
    forEachIndex(*graph.tensors[op.outputs[output]].shape, [&](const Shape& index) {
      if (!made.contains(index[static_cast<std::size_t>(axis)])) return;
      REQUIRE(forEachSource(graph, id, output, index, [&](std::size_t from, const Shape& source) {
        if (from != input) return;
        const std::int64_t place = source[at];
        if (!found) found = Span{place, place + 1};
        found = Span{std::min(found->begin, place), std::max(found->end, place + 1)};
      }));
    });
  }
  return found;
}

/// Which parts of its inputs need not be as tight as what elements say.
bool isLoose(const Op& op) { return op.type.starts_with("R") && op.type != "Relu"; }

}  // namespace

TEST_CASE("an op's region holds all elements its outputs are made of, and no more",
          "[ops][regions]") {
  std::size_t axes = 0;
  std::size_t partial = 0;
  for (const std::uint64_t seed : test::Seeds(200)) {
    const Graph graph = test::randomImages(seed, 6);
    for (const OpId id : graph.ops.keys()) {
      const Op& op = graph.ops[id];
      CAPTURE(op.type, op.name);
      const auto regions = test::must(regionsOf(graph, id));
      const Shape& made = *graph.tensors[op.outputs[0]].shape;
      for (std::size_t input = 0; input < op.inputs.size(); ++input) {
        if (graph.tensors[op.inputs[input]].constant) continue;
        const Shape& whole = *graph.tensors[op.inputs[input]].shape;
        REQUIRE(regions.inputs[input].size() == whole.size());
        for (std::size_t at = 0; at < whole.size(); ++at) {
          const Reach& reach = regions.inputs[input][at];
          if (reach.axis == Reach::kWhole) continue;
          ++axes;
          const std::int64_t size = made[static_cast<std::size_t>(reach.axis)];
          for (std::int64_t first = 0; first < size; ++first) {
            const Span stretch{first, std::min(size, first + 1 + static_cast<int>(seed % 3))};
            const auto needed = hull(graph, id, reach.axis, stretch, input, at);
            const Span told = reach.needed(stretch, whole[at]);
            CAPTURE(input, at, stretch, told);
            partial += told.length() < whole[at] ? 1 : 0;
            CHECK(told.begin >= 0);
            CHECK(told.end <= whole[at]);
            CHECK(told.begin < told.end);
            if (!needed) continue;  // All of it is padding.
            CHECK(told.begin <= needed->begin);
            CHECK(told.end >= needed->end);
            // A dilated window that reaches into padding skips what lies behind its last tap.
            const auto dilations = op.intsAttribute("dilations");
            const bool skips = !dilations.empty() && dilations[0] > 1 &&
                               (told.begin == 0 || told.end == whole[at]);
            if (!isLoose(op) && !skips) CHECK(told == *needed);
          }
        }
      }
    }
  }
  CHECK(axes > test::rounds(2000));
  CHECK(partial > test::rounds(5000));
}

TEST_CASE("a window of stride two pads and reaches as its sizes say", "[ops][regions]") {
  // Rows 0 … 8, padded by one before and behind; row r reads 2r - 1 … 2r + 1.
  test::ImageGraph images(false);
  const auto x = images.input(9, 9, 2);
  images.output(images.convolve(x, 4, {.kernel = 3, .stride = 2}));
  const Graph graph = std::move(images).build();
  const auto regions = test::must(regionsOf(graph, OpId(0)));
  std::size_t at = 0;
  const Reach* rows = regions.along(0, 2, at);
  REQUIRE(rows != nullptr);
  CHECK(at == 2);
  CHECK(rows->needed({0, 1}, 9) == Span{0, 2});
  CHECK(rows->needed({1, 3}, 9) == Span{1, 6});
  CHECK(rows->needed({4, 5}, 9) == Span{7, 9});
  CHECK(regions.along(0, 1, at) == nullptr);  // A channel needs all channels.
}

TEST_CASE("a kernel that only its weight tells has its channels last, too", "[ops][regions]") {
  GraphBuilder builder("g", "test");
  const auto add = [&](const char* name, const Shape& shape, bool constant) {
    return builder.addTensor({.name = name,
                              .dtype = Dtype::int8,
                              .shape = shape,
                              .bytes = Bytes(*elementCount(shape)),
                              .constant = constant});
  };
  GraphBuilder::OpParts parts;
  parts.op = {.name = "c", .type = "CONV_2D", .domain = "tflite"};
  parts.op.attributes = {{"auto_pad", std::string("SAME_UPPER")},
                         {"channels_last", std::int64_t{1}}};
  parts.inputs = {add("x", {1, 8, 9, 32}, false), add("w", {4, 3, 5, 32}, true)};
  parts.outputs = {add("y", {1, 8, 9, 4}, false)};
  builder.addInput(parts.inputs[0]);
  builder.addOutput(parts.outputs[0]);
  builder.addOp(std::move(parts));
  const Graph graph = std::move(builder).build().value();
  const auto regions = test::must(regionsOf(graph, OpId(0)));
  CHECK(regions.inputs[0][1].needed({4, 5}, 8) == Span{3, 6});
  CHECK(regions.inputs[0][2].needed({4, 5}, 9) == Span{2, 7});
  CHECK(hull(graph, OpId(0), 1, {4, 5}, 0, 1) == Span{3, 6});
  CHECK(hull(graph, OpId(0), 2, {4, 5}, 0, 2) == Span{2, 7});
}

TEST_CASE("resizing to sizes that are no multiples reads no row too few", "[ops][regions]") {
  for (const char* mode : {"half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"}) {
    for (std::int64_t from = 1; from <= 7; ++from) {
      for (std::int64_t to = 1; to <= 15; ++to) {
        for (const char* kind : {"nearest", "linear", "cubic"}) {
          CAPTURE(mode, kind, from, to);
          GraphBuilder builder("resize", "test");
          const auto image = [&](std::int64_t rows) {
            return builder.addTensor({.name = "t", .shape = Shape{1, 1, rows, 1}});
          };
          const auto x = image(from);
          const auto y = image(to);
          GraphBuilder::OpParts parts{.op = {.type = "Resize"}};
          parts.op.attributes = {{"mode", std::string(kind)},
                                 {"coordinate_transformation_mode", std::string(mode)}};
          parts.inputs = {x};
          parts.outputs = {y};
          builder.addOp(parts);
          builder.addInput(x);
          builder.addOutput(y);
          const Graph graph = std::move(builder).build().value();
          const auto regions = test::must(regionsOf(graph, OpId(0)));
          for (std::int64_t row = 0; row < to; ++row) {
            const auto needed = hull(graph, OpId(0), 2, {row, row + 1}, 0, 2);
            const Span told = regions.inputs[0][2].needed({row, row + 1}, from);
            REQUIRE(needed);
            CAPTURE(row, told, *needed);
            CHECK(told.begin <= needed->begin);
            CHECK(told.end >= needed->end);
          }
        }
      }
    }
  }
}

TEST_CASE("ops that mirror, wrap around or compute over all have no region there",
          "[ops][regions]") {
  test::ImageGraph images(true);
  const auto x = images.input(6, 6, 3);
  images.output(images.flat(x));
  CHECK_FALSE(regionsOf(std::move(images).build(), OpId(0)));

  test::ImageGraph classes(true);
  const auto y = classes.input(6, 5, 3);
  classes.output(classes.argMax(y));
  const Graph graph = std::move(classes).build();
  const auto regions = test::must(regionsOf(graph, OpId(0)));
  CHECK(regions.inputs[0][1].axis == 1);
  CHECK(regions.inputs[0][3].axis == Reach::kWhole);
}
