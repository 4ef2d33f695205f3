// Cycles by the shape of an array, beside those of other simulators.
#include "core/machine/cost/cost_models.h"

#include <array>
#include <cmath>
#include <random>

#include "core/graph/tiling.h"
#include "core/import/samples.h"
#include "core/machine/platform_writer.h"
#include "core/machine/platforms.h"
#include "core/machine/tuning.h"
#include "tests/core/machine/cost/units.h"
#include "tests/support/graphs.h"
#include "tests/support/image_graphs.h"
#include "tests/support/must.h"
#include "tests/support/op_sample.h"
#include "tests/support/published_layers.h"
#include "tests/support/rounds.h"

using namespace hw;
using test::arrayText;
using test::matrices;
using test::OpSample;
using test::unitWith;

namespace {

UnitSpec systolic(int side, const std::string& dataflow) {
  return unitWith("cycles = \"systolic\"\nrows = " + std::to_string(side) +
                  "\ncolumns = " + std::to_string(side) + "\ndataflow = \"" + dataflow + "\"");
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

/// Keys of a unit, and what is said of them.
constexpr std::pair<const char*, const char*> kBadCosts[] = {
    {"cycles = \"spacial\"",
     "cycles: expected one of \"rate\", \"systolic\", \"spatial\", \"ethos-u\", "
     "\"ethos-u85\", \"pulp-nn\", \"table\", did you mean \"spatial\"?"},
    {"cycles = \"ethos-u85\"\nmacs_per_cycle = 64",
     "macs_per_cycle: expected one of 128, 256, 512, 1024, 2048 with cycles = \"ethos-u85\""},
    {"cycles = \"ethos-u\"\nmacs_per_cycle = 100",
     "macs_per_cycle: expected one of 32, 64, 128, 256, 512 with cycles = \"ethos-u\""},
    {"cycles = \"ethos-u\"", "macs_per_cycle: expected one of 32, 64, 128, 256, 512"},
    {"cycles = \"ethos-u\"\nmacs_per_cycle = 64\nweight_ratio = -1",
     "weight_ratio: expected a number from"},
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
     "weight_bytes_per_cycle: expected a number from"},
    {"cycles = \"table\"", "'table' is missing"},
    {"table.product = { mac = 1 }", "unknown key 'table'"},
    {"cycles = \"table\"\ntable = 3",
     "table: expected a table of classes such as { product = { call = 1200, mac = 0.5 } }"},
    {"cycles = \"table\"\ntable = {}", "table: expected a table of classes"},
    {"cycles = \"table\"\ntable.conv = { mac = 1 }", "table: unknown key 'conv'"},
    {"cycles = \"table\"\ntable.poolings = { element = 1 }",
     "table: unknown key 'poolings', did you mean 'pooling'?"},
    {"cycles = \"table\"\ntable.pooling = 2",
     "table: pooling: expected a table such as { call = 1200, element = 0.5 }"},
    {"cycles = \"table\"\ntable.pooling = {}", "table: pooling: expected a table such as"},
    {"cycles = \"table\"\ntable.pooling = { mac = 2 }", "table: pooling: unknown key 'mac'"},
    {"cycles = \"table\"\ntable.product = { mac = -0.5 }",
     "table: product: mac: expected a number from 0 to 1e15"},
    {"cycles = \"table\"\ntable.product = { call = nan }",
     "table: product: call: expected a number from 0 to 1e15"},
    {"cycles = \"table\"\ntable.product = { call = inf }",
     "table: product: call: expected a number from 0 to 1e15"},
    {"cycles = \"table\"\ntable.product = { call = \"1\" }",
     "table: product: call: expected a number from 0 to 1e15"}};

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

TEST_CASE("a table has a law for each class of operators", "[cost][machine]") {
  UnitSpec unit = unitWith(
      "elements_per_cycle = 4\ncycles = \"table\"\ntable.convolution = { call = 100, mac = 0.5 }\n"
      "table.depthwise = { mac = 2 }\ntable.pointwise = { mac = 3 }\ntable.pooling = { call = 7, "
      "element = 1.26 }");
  const Work plain = OpSample("Conv", {{1, 2, 4, 4}, {3, 2, 3, 3}}, {{1, 3, 4, 4}}).work();
  const Work apart = OpSample("Conv", {{1, 2, 4, 4}, {2, 1, 3, 3}}, {{1, 2, 4, 4}}).work();
  CHECK(computeCycles(unit, plain, {.kind = OpClass::convolution}) == 100 + 864 / 2);
  CHECK(computeCycles(unit, apart, {.kind = OpClass::convolution}) == 288 * 2);
  // All that have one input channel sum over the kernel alone.
  const Work first = OpSample("Conv", {{1, 1, 4, 4}, {3, 1, 3, 3}}, {{1, 3, 4, 4}}).work();
  CHECK(computeCycles(unit, first, {.kind = OpClass::convolution}) == 432 * 2);
  const Work point = OpSample("Conv", {{1, 2, 4, 4}, {3, 2, 1, 1}}, {{1, 3, 4, 4}}).work();
  CHECK(computeCycles(unit, point, {.kind = OpClass::convolution}) == 96 * 3);
  const Work pool{.written = 10, .touched = 40};
  CHECK(computeCycles(unit, pool, {.kind = OpClass::pooling}) == 20);  // 7 + 12.6
  unit.elements = ElementCount::touched;
  CHECK(computeCycles(unit, pool, {.kind = OpClass::pooling}) == 57);  // 7 + 50.4
  // Classes without a law go by the rates, and what is no work takes no time.
  CHECK(computeCycles(unit, pool, {.kind = OpClass::activation}) == 10);
  CHECK(computeCycles(unit, pool, {.kind = OpClass::body}) == 10);
  CHECK(computeCycles(unit, {}, {.kind = OpClass::pooling}) == 0);
  CHECK(arrayWords(unit, plain, {.kind = OpClass::convolution}).empty());
}

TEST_CASE("a table's cycles take the time of the clock, and a run says what it lacks",
          "[cost][machine]") {
  const std::string text = arrayText(
      "cycles = \"table\"\ntable.convolution = { call = 1000, mac = 1 }\n"
      "table.pointwise = { call = 1000, mac = 1 }\ntable.product = { mac = 3 }\ntable.elements = { "
      "element = 2 }");
  const auto model = std::make_shared<const Model>(openModel("samples:resnet8", {}).value());
  const auto timed = [&](std::int64_t clock) {
    RunRequest request{.allocator = AllocatorChoice::parse("none").value(),
                       .platform = parsePlatform(text).value()};
    request.platform.devices[0].units[0].clock = clock;
    return execute(model, request, {}).value();
  };
  const auto slow = timed(100'000'000);
  std::int64_t cycles = 0;
  for (const OpTiming& op : slow->timing.ops) cycles += op.compute.count() / 10'000;
  // 9 convolutions of 12,501,632 MACs with the 640 of the last product, 3 additions, and at one a
  // cycle 64 outputs of pooling and 10 of a softmax.
  const std::int64_t added = 2 * (16'384 + 8'192 + 4'096);
  CHECK(cycles == 9'000 + (12'501'632 - 640) + 3 * 640 + added + 64 + 10);
  CHECK(timed(400'000'000)->timing.makespan.count() * 4 == slow->timing.makespan.count());
  CHECK_THAT(slow->timing.notes,
             Catch::VectorContains(std::string("1 ops go by the rates of unit 'array', whose "
                                               "table has no 'pooling' (first: avg_pool)")));
}

TEST_CASE("kernels of PULP-NN are counted by what a core makes at a time", "[cost][machine]") {
  const auto seed = Catch::rngSeed();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  const auto upTo = [&](int most) { return std::uniform_int_distribution<>(1, most)(random); };
  const UnitSpec unit = unitWith("cycles = \"pulp-nn\"\nmacs_per_cycle = 12");
  for (int round = 0; round < 100; ++round) {
    const int rows = upTo(9) + 1, columns = upTo(20), kernel = upTo(4), in = upTo(9) + 1,
              out = upTo(9), images = upTo(2);
    CAPTURE(rows, columns, kernel, in, out, images);
    std::int64_t cycles = 0;
    for (int y = 0; y < images * rows; y += y % rows + 2 < rows ? 2 : rows - y % rows) {
      for (int x = 0; x < columns; x += 8) {
        cycles += 2 * kernel * kernel * in;
        for (int k = 0; k < out; k += 4) {
          cycles += 15;
          for (int product = 0; product < kernel * kernel * in; product += 4) cycles += 14;
        }
      }
    }
    const OpSample layer("Conv", {{images, in, rows, columns}, {out, in, kernel, kernel}},
                         {{images, out, rows, columns}});
    REQUIRE(computeCycles(unit, layer.work()) == cycles);
  }
  CHECK(computeCycles(unit, matrices(3, 10, 7)) == 3 * 4 * 3);
  // 1.05 x (288 / 2 + 2.3 x (50 + 18 + 32) + 400)
  const Work apart = OpSample("Conv", {{1, 2, 4, 4}, {2, 1, 3, 3}}, {{1, 2, 4, 4}}).work();
  CHECK(computeCycles(unit, apart,
                      {.kind = OpClass::convolution,
                       .inputs = Bytes(50),
                       .weights = Bytes(18),
                       .outputs = Bytes(32)}) == 813);
  // Two products of 3 by 1 and 1 by 5 are no depthwise layer.
  const Work outer = OpSample("MatMul", {{2, 3, 1}, {2, 1, 5}}, {{2, 3, 5}}).work();
  CHECK(computeCycles(unit, outer, {.kind = OpClass::product}) == 2 * 3 * 2);
  // Others go by the rates.
  CHECK(computeCycles(unit, {.written = 10, .touched = 40}) == 10);
}

TEST_CASE("MobileNetV1 takes DORY's cycles on a GAP8 within 10 %", "[cost][machine]") {
  const test::GapNetwork ours = test::mobilenetOnGap8();
  CHECK(static_cast<double>(ours.computed + ours.weights) == Approx(ours.measured).epsilon(0.1));
  // Computing alone is more than 10 % too quick: the weights count.
  CHECK(static_cast<double>(ours.computed) < ours.measured * 0.9);
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
  UnitSpec unit = unitWith("cycles = \"spatial\"\nunroll = { B = 1 }");
  for (int round = 0; round < 200; ++round) {
    Work work{.macs = 1, .loops = Loops()};
    for (std::int64_t& size : work.loops->sizes) size = upTo(5);
    for (std::int64_t& size : unit.cost.unroll.sizes) size = upTo(4);
    REQUIRE(computeCycles(unit, work) == stepsOf(*work.loops, unit.cost.unroll));
  }
}

TEST_CASE("a spatial array waits for its ports", "[cost][machine]") {
  const UnitSpec unit = unitWith(
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
  const UnitSpec unit = unitWith("cycles = \"spatial\"\nunroll = { K = 2 }");
  Work work{.macs = 1, .loops = Loops()};
  work.loops->sizes.fill(std::int64_t{1} << 40);
  CHECK(computeCycles(unit, work) == kMostCycles);
  CHECK(computeCycles(systolic(1, "weight"), work) >= kMostCycles - 1);
}

TEST_CASE("loops multiply to the work of their operator", "[cost]") {
  std::size_t known = 0;
  for (const char* name : {"resnet50", "mobilenet_v2_int8", "bert_base", "inception_v3", "unet"}) {
    const auto model = test::must(openModel(std::string("samples:") + name, {}));
    for (const OpId op : model.graph->ops.keys()) {
      const Work work = workOf(*model.graph, op);
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
  std::size_t single = 0;
  for (const std::uint64_t seed : test::Seeds(60)) {
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
      CAPTURE(op.index());
      CHECK(productOf(*work.loops) == work.macs);
      const Work whole = workOf(*graph.tiling->original, partOf(graph, op)->of);
      if ((*work.loops)[Loop::row] > 1 || (*whole.loops)[Loop::row] == 1) continue;
      CHECK(work.down.image <= work.down.reach);
      ++single;
    }
  }
  CHECK(known > 20);
  CHECK(single > 0);
}

TEST_CASE("windows of an operator are as wide as its kernel, and step as it does", "[cost]") {
  OpSample convolution("Conv", {{1, 8, 9, 10}, {12, 8, 3, 5}}, {{1, 12, 4, 2}});
  convolution.attribute("strides", std::vector<std::int64_t>{2, 1});
  convolution.attribute("dilations", std::vector<std::int64_t>{1, 2});
  CHECK(convolution.work().down == Slide{9, 3, 2});
  CHECK(convolution.work().across == Slide{10, 9, 1});
  OpSample pool("MaxPool", {{1, 4, 8, 7}}, {{1, 4, 3, 3}});
  pool.attribute("kernel_shape", std::vector<std::int64_t>{3, 2});
  pool.attribute("strides", std::vector<std::int64_t>{2, -1});  // No step backwards.
  CHECK(pool.work().down == Slide{8, 3, 2});
  CHECK(pool.work().across == Slide{7, 2, 1});
  const OpSample space("Conv", {{1, 2, 4, 5, 6}, {3, 2, 2, 2, 3}}, {{1, 3, 3, 4, 4}});
  CHECK(space.work().down == Slide{});
  CHECK(space.work().across == Slide{6, 3, 1});
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

TEST_CASE("work is known without its loops", "[cost]") {
  OpSample convolution("Conv", {{1, 3, 8, 8}, {4, 3, 1, 1}}, {{1, 4, 8, 8}});
  convolution.tensor("in0").shape.reset();
  CHECK(convolution.work().macs == 768);
  CHECK_FALSE(convolution.work().loops);
  OpSample product("MatMul", {{7, 3}, {3, 5}}, {{7, 5}});
  product.tensor("in1").shape.reset();
  CHECK(product.work().macs == 105);
  CHECK_FALSE(product.work().loops);
}

TEST_CASE("cost models are written and read again", "[platforms][machine]") {
  const auto cost = GENERATE(as<std::string>(), "cycles = \"rate\"",
                             "cycles = \"systolic\"\nrows = 3\ncolumns = 5",
                             "cycles = \"systolic\"\nrows = 1\ncolumns = 65536\n"
                             "dataflow = \"input\"",
                             "cycles = \"spatial\"\nunroll = { K = 3, FX = 7 }\n"
                             "weight_bytes_per_cycle = 0.1",
                             "cycles = \"spatial\"\nunroll = { B = 1 }",
                             "cycles = \"ethos-u\"\nmacs_per_cycle = 64\nweight_ratio = 0.25",
                             "macs_per_cycle = 3\ncycles = \"table\"\n"
                             "table.product = { call = 12.5, mac = 1e-7 }\n"
                             "[device.unit.table.movement]\nelement = 1e15");
  const auto platform = test::must(parsePlatform(arrayText(cost)));
  const std::string toml = platformToml(platform);
  INFO(toml);
  const auto again = test::must(parsePlatform(toml));
  const UnitSpec& before = platform.devices[0].units[0];
  const UnitSpec& after = again.devices[0].units[0];
  CHECK(after.cost == before.cost);
  CHECK(after.macsPerCycle == before.macsPerCycle);
}

TEST_CASE("a bad cost model is refused with what was expected", "[platforms][machine]") {
  for (const auto& [cost, message] : kBadCosts) {
    CAPTURE(cost);
    CHECK_THAT(test::mustFail(parsePlatform(arrayText(cost))).text(),
               Catch::Contains(std::string("device.unit 'array': ") + message));
  }
}

TEST_CASE("laws of a table are not tuned", "[machine]") {
  const Platform platform =
      parsePlatform(arrayText("cycles = \"table\"\ntable.product = { mac = 2 }")).value();
  CHECK_FALSE(tuningOf(platform).macs);
  CHECK(test::mustFail(tuned(platform, {.macs = 64})).message ==
        "macs: unit 'array' of platform 'a' has laws of its own (cycles = \"table\"), which say "
        "what operators take");
  const Platform cluster = parsePlatform(arrayText("cycles = \"pulp-nn\"")).value();
  CHECK_FALSE(tuned(cluster, {.macs = 64}));
}

TEST_CASE("the size of an array is not tuned", "[machine]") {
  const Platform platform =
      parsePlatform(arrayText("cycles = \"systolic\"\nrows = 4\ncolumns = 8")).value();
  CHECK_FALSE(tuningOf(platform).macs);
  CHECK(test::mustFail(tuned(platform, {.macs = 64})).message ==
        "macs: unit 'array' of platform 'a' is an array (cycles = \"systolic\"), whose size says "
        "them");
}

TEST_CASE("words say what of an array is used, and what leaves the rest idle", "[cost][machine]") {
  const auto words = [](const UnitSpec& unit, const Work& work, const CostedOp& op = {}) {
    return arrayWords(unit, work, op);
  };
  const OpSample first("Conv", {{1, 3, 8, 8}, {32, 3, 1, 1}}, {{1, 32, 8, 8}});
  const UnitSpec array =
      unitWith("cycles = \"spatial\"\nunroll = { K = 32, C = 32 }\nweight_bytes_per_cycle = 1");
  CHECK(words(array, first.work()) == "9.4 % of the array: 3 input channels on 32");
  CHECK(words(array, first.work(), {.weights = Bytes(96)}) ==
        "6.2 % of the array: it waits for its port of weights");
  CHECK(words(array, matrices(2, 64, 96)) == "100 % of the array");
  CHECK(words(array, matrices(2, 33, 32)) == "52 % of the array: 33 output channels on 2 x 32");
  CHECK(words(array, {.written = 9}).empty());
  CHECK(words(UnitSpec{}, first.work()).empty());
  // 3 of 32 rows, all columns, 64 of 2 x 32 + 32 - 2 + 64 cycles.
  CHECK(words(systolic(32, "weight"), first.work()) == "3.8 % of the array: 3 products on 32 rows");
  CHECK(words(systolic(4, "output"), matrices(4, 4, 2)) ==
        "29 % of the array: 2 products on 8 cycles that fill and drain it");
  const UnitSpec ethos = unitWith("cycles = \"ethos-u\"\nmacs_per_cycle = 256");
  CHECK(words(ethos, matrices(1, 8, 32)) == "1.6 % of the array");
}
