// Cycles by the shape of an array, beside those of other simulators.
#include "core/machine/cost/cost_models.h"

#include <catch2/catch.hpp>
#include <random>

#include "core/graph/tiling.h"
#include "core/import/samples.h"
#include "core/machine/platform_writer.h"
#include "core/machine/platforms.h"
#include "core/machine/tuning.h"
#include "tests/support/graphs.h"
#include "tests/support/image_graphs.h"
#include "tests/support/op_sample.h"
#include "tests/support/published_layers.h"
#include "tests/support/rounds.h"

using namespace hw;
using hw::test::OpSample;

namespace {

std::string arrayText(const std::string& cost) {
  return "name = \"a\"\n[[device]]\nname = \"d\"\nops = [\"*\"]\n[[device.pool]]\nname = \"L2\"\n"
         "[[device.unit]]\nname = \"array\"\nops = [\"*\"]\nclock = \"1GHz\"\n" +
         cost + "\n";
}

UnitSpec unitOf(const std::string& cost) {
  const auto platform = parsePlatform(arrayText(cost));
  INFO(cost << (platform ? "" : platform.error().text()));
  REQUIRE(platform);
  return platform->devices.at(0).units.at(0);
}

UnitSpec systolic(int side, const std::string& dataflow) {
  return unitOf("cycles = \"systolic\"\nrows = " + std::to_string(side) +
                "\ncolumns = " + std::to_string(side) + "\ndataflow = \"" + dataflow + "\"");
}

Work matrices(std::int64_t m, std::int64_t n, std::int64_t k) {
  return OpSample("MatMul", {{m, k}, {k, n}}, {{m, n}}).work();
}

/// Steps of an array, counted one by one: all indices that `unroll` takes at once are one step.
std::int64_t stepsOf(const Loops& loops, const Loops& unroll, std::size_t at = 0) {
  if (at == loops.sizes.size()) return 1;
  std::int64_t steps = 0;
  for (std::int64_t i = 0; i < loops.sizes[at]; i += unroll.sizes[at]) {
    steps += stepsOf(loops, unroll, at + 1);
  }
  return steps;
}

std::int64_t productOf(const Loops& loops) {
  std::int64_t product = 1;
  for (const std::int64_t size : loops.sizes) product *= size;
  return product;
}

}  // namespace

TEST_CASE("a systolic array takes the cycles of SCALE-Sim", "[cost][machine]") {
  for (const test::ScaleSimLayer& layer : test::scaleSimLayers()) {
    CAPTURE(layer.name, layer.dataflow, layer.side);
    CHECK(test::cyclesOfLayers({layer.layer}, test::scaleSimPlatform(layer)) == layer.cycles);
  }
}

TEST_CASE("a spatial array takes ResNet-18's cycles of ZigZag within 3 %", "[cost][machine]") {
  for (const test::ZigZagMachine& machine : test::zigZagMachines()) {
    CAPTURE(machine.name);
    const auto ours =
        static_cast<double>(test::cyclesOfLayers(test::resnet18(), test::zigZagPlatform(machine)));
    CHECK(ours == Approx(machine.resnet18).epsilon(0.03));
  }
}

TEST_CASE("groups of a systolic array are one after the other", "[cost][machine]") {
  // 2 groups of 9 products by 1 channel, 16 places: 2 x (2 x 16 + 16 + 16 - 2) - 1.
  const OpSample depthwise("Conv", {{1, 2, 4, 4}, {2, 1, 3, 3}}, {{1, 2, 4, 4}});
  CHECK(computeCycles(systolic(16, "weight"), depthwise.work()) == 123);
}

TEST_CASE("a spatial array takes a step for each tile of its loops", "[cost][machine]") {
  const auto seed = Catch::rngSeed();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  const auto upTo = [&](int most) { return std::uniform_int_distribution<>(1, most)(random); };
  UnitSpec unit = unitOf("cycles = \"spatial\"\nunroll = { B = 1 }");
  for (int round = 0; round < 200; ++round) {
    Work work{.macs = 1, .loops = Loops()};
    for (std::int64_t& size : work.loops->sizes) size = upTo(5);
    for (std::int64_t& size : unit.cost.unroll.sizes) size = upTo(4);
    REQUIRE(computeCycles(unit, work) == stepsOf(*work.loops, unit.cost.unroll));
  }
}

TEST_CASE("a spatial array waits for its ports", "[cost][machine]") {
  const UnitSpec unit = unitOf(
      "cycles = \"spatial\"\nunroll = { K = 8, C = 4 }\nweight_bytes_per_cycle = 8\n"
      "output_bytes_per_cycle = 0.5");
  const Work work = matrices(1, 20, 10);  // 3 x 3 tiles.
  CHECK(unit.macsPerCycle == 32);
  CHECK(computeCycles(unit, work) == 9);
  CHECK(computeCycles(unit, work, {.weights = Bytes(200), .outputs = Bytes(4)}) == 25);
  CHECK(computeCycles(unit, work, {.weights = Bytes(7), .outputs = Bytes(20)}) == 40);
}

TEST_CASE("operators whose loops nobody knows go by the rates of an array", "[cost][machine]") {
  UnitSpec unit = systolic(8, "weight");
  unit.elementsPerCycle = 4;
  CHECK(computeCycles(unit, {.macs = 640}) == 10);
  CHECK(computeCycles(unit, {.written = 17}) == 5);
  CHECK(computeCycles(unit, {}) == 0);
}

TEST_CASE("cycles that no number holds are cut off", "[cost][machine]") {
  const UnitSpec unit = unitOf("cycles = \"spatial\"\nunroll = { K = 2 }");
  Work work{.macs = 1, .loops = Loops()};
  work.loops->sizes.fill(std::int64_t{1} << 40);
  CHECK(computeCycles(unit, work) == kMostCycles);
  CHECK(computeCycles(systolic(1, "weight"), work) >= kMostCycles - 1);
}

TEST_CASE("loops multiply to the work of their operator", "[cost]") {
  std::size_t known = 0;
  for (const char* name : {"resnet50", "mobilenet_v2_int8", "bert_base", "inception_v3", "unet"}) {
    const auto model = openModel(std::string("samples:") + name, {});
    REQUIRE(model);
    for (const OpId op : model->graph->ops.keys()) {
      const Work work = workOf(*model->graph, op);
      if (!work.loops) continue;
      ++known;
      CAPTURE(name, op.index());
      CHECK(productOf(*work.loops) == (work.macs > 0 ? work.macs : work.touched));
    }
  }
  CHECK(known > 250);
}

TEST_CASE("loops of a part multiply to its share of the work", "[cost][tile]") {
  std::size_t known = 0;
  for (std::uint64_t seed = 1; seed <= test::rounds(60); ++seed) {
    test::RunOptions options{.extraWork = 2};
    options.tile = static_cast<TileRule>(1 + seed % 5);
    const auto run = test::runGraph(test::randomImages(seed, 3 + seed % 9), options);
    const Graph& graph = run->graph();
    if (!graph.tiling) continue;
    for (const OpId op : graph.ops.keys()) {
      if (partOf(graph, op) == nullptr) continue;
      const Work work = workOf(graph, op);
      if (!work.loops || work.macs == 0) continue;
      ++known;
      CAPTURE(seed, op.index());
      CHECK(productOf(*work.loops) == work.macs);
    }
  }
  CHECK(known > 20);
}

TEST_CASE("operators have the loops of their shapes", "[cost]") {
  const auto of = [](const Work& work) { return work.loops.value_or(Loops{{}}).sizes; };
  using Sizes = decltype(Loops::sizes);  // B G K C Y X FY FX
  CHECK(of(OpSample("Conv", {{2, 8, 9, 10}, {12, 4, 3, 5}}, {{2, 12, 7, 6}}).work()) ==
        Sizes{2, 2, 6, 4, 7, 6, 3, 5});
  CHECK(of(OpSample("Conv", {{1, 8, 9}, {8, 1, 3}}, {{1, 8, 7}}).work()) ==
        Sizes{1, 8, 1, 1, 1, 7, 1, 3});
  CHECK(of(OpSample("Conv", {{1, 2, 4, 5, 6}, {3, 2, 2, 2, 3}}, {{1, 3, 3, 4, 4}}).work()) ==
        Sizes{1, 1, 3, 2, 12, 4, 4, 3});
  CHECK(of(OpSample("MatMul", {{2, 3, 4, 5}, {2, 3, 5, 6}}, {{2, 3, 4, 6}}).work()) ==
        Sizes{4, 6, 6, 5, 1, 1, 1, 1});
  CHECK(of(OpSample("MatMul", {{2, 4, 5}, {5, 6}}, {{2, 4, 6}}).work()) ==
        Sizes{8, 1, 6, 5, 1, 1, 1, 1});
  CHECK_FALSE(OpSample("Relu", {{1, 8}}, {{1, 8}}).work().loops);
  OpSample depthwise("DEPTHWISE_CONV_2D", {{1, 9, 10, 4}, {1, 3, 3, 8}}, {{1, 7, 8, 8}});
  depthwise.op().domain = "tflite";
  depthwise.attribute("channels_last", std::int64_t{1});
  CHECK(of(depthwise.work()) == Sizes{1, 4, 2, 1, 7, 8, 3, 3});
  OpSample pool("MaxPool", {{1, 4, 8, 8}}, {{1, 4, 3, 4}});
  pool.attribute("kernel_shape", std::vector<std::int64_t>{3, 2});
  CHECK(of(pool.work()) == Sizes{1, 4, 1, 1, 3, 4, 3, 2});
}

TEST_CASE("cost models are written and read again", "[platforms][machine]") {
  const auto cost = GENERATE(as<std::string>(), "cycles = \"rate\"",
                             "cycles = \"systolic\"\nrows = 3\ncolumns = 5",
                             "cycles = \"systolic\"\nrows = 1\ncolumns = 65536\n"
                             "dataflow = \"input\"",
                             "cycles = \"spatial\"\nunroll = { K = 3, FX = 7 }\n"
                             "weight_bytes_per_cycle = 0.1",
                             "cycles = \"spatial\"\nunroll = { B = 1 }");
  const auto platform = parsePlatform(arrayText(cost));
  REQUIRE(platform);
  const std::string toml = platformToml(*platform);
  INFO(toml);
  const auto again = parsePlatform(toml);
  REQUIRE(again);
  const UnitSpec& before = platform->devices[0].units[0];
  const UnitSpec& after = again->devices[0].units[0];
  CHECK(after.cost == before.cost);
  CHECK(after.macsPerCycle == before.macsPerCycle);
}

TEST_CASE("a bad cost model is refused with what was expected", "[platforms][machine]") {
  const auto [cost, message] = GENERATE(table<std::string, std::string>(
      {{"cycles = \"spacial\"",
        "cycles: expected one of \"rate\", \"systolic\", \"spatial\", did you mean \"spatial\"?"},
       {"cycles = 3", "cycles: expected text in quotes"},
       {"cycles = \"systolic\"\nrows = 8", "'columns' is missing"},
       {"cycles = \"systolic\"\nrows = 0\ncolumns = 8",
        "rows: expected a whole number from 1 to 65536"},
       {"cycles = \"systolic\"\nrows = 2.5\ncolumns = 8",
        "rows: expected a whole number from 1 to 65536"},
       {"cycles = \"systolic\"\nrows = 8\ncolumns = 8\ndataflow = \"weights\"",
        "dataflow: expected one of \"weight\", \"output\", \"input\", did you mean \"weight\"?"},
       {"cycles = \"systolic\"\nrows = 8\ncolumns = 8\nmacs_per_cycle = 64",
        "macs_per_cycle is the size of the array with cycles = \"systolic\", leave it out"},
       {"rows = 8", "unknown key 'rows'"},
       {"cycles = \"spatial\"", "'unroll' is missing"},
       {"cycles = \"spatial\"\nunroll = 32",
        "unroll: expected a table of loops such as { K = 32, C = 32 }"},
       {"cycles = \"spatial\"\nunroll = {}",
        "unroll: expected a table of loops such as { K = 32, C = 32 }"},
       {"cycles = \"spatial\"\nunroll = { K = 32, OX = 2 }",
        "unroll: expected loops of B, G, K, C, Y, X, FY, FX, found 'OX'"},
       {"cycles = \"spatial\"\nunroll = { K = 0 }",
        "unroll.K: expected a whole number from 1 to 65536"},
       {"cycles = \"spatial\"\nunroll = { K = 1.5 }",
        "unroll.K: expected a whole number from 1 to 65536"},
       {"cycles = \"spatial\"\nunroll = { K = 60000, C = 60000, X = 60000, Y = 60000 }",
        "an array of more than 1e15 places"},
       {"cycles = \"spatial\"\nunroll = { K = 2 }\nweight_bytes_per_cycle = 0",
        "weight_bytes_per_cycle: expected a number from"}}));
  const auto platform = parsePlatform(arrayText(cost));
  CAPTURE(cost);
  REQUIRE_FALSE(platform);
  CHECK_THAT(platform.error().text(), Catch::Contains("device.unit 'array': " + message));
}

TEST_CASE("the size of an array is not tuned", "[machine]") {
  const Platform platform =
      parsePlatform(arrayText("cycles = \"systolic\"\nrows = 4\ncolumns = 8")).value();
  CHECK(tuningOf(platform).macs == 32);
  const auto changed = tuned(platform, {.macs = 64});
  REQUIRE_FALSE(changed);
  CHECK(changed.error().message ==
        "macs: unit 'array' of platform 'a' is an array (cycles = \"systolic\"), whose size says "
        "them");
}
