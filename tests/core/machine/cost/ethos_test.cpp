// Cycles on Ethos-U, beside those of Vela.
#include <array>
#include <cmath>
#include <random>
#include <sstream>
#include <vector>

#include "core/import/samples.h"
#include "core/machine/tuning.h"
#include "tests/core/machine/cost/units.h"
#include "tests/support/corpus.h"
#include "tests/support/graphs.h"
#include "tests/support/published_layers.h"

using namespace hw;
using test::arrayText;
using test::matrices;
using test::OpSample;
using test::unitWith;

namespace {

constexpr std::array kU55And65 = {32, 64, 128, 256, 512};

/// A layer, and the cycles that Vela counts for it on each size: the larger of its NPU and SRAM
/// cycles, without fetching weights.
struct VelaLayer {
  std::string type;
  Shape in{}, weight{}, out{};  ///< Of pooling the kernel in place of the weight.
  Shape strides{}, dilations{};
  bool first = false;                    ///< It reads the input of the network,
  bool last = false;                     ///< it makes its output.
  std::array<std::int64_t, 5> cycles{};  ///< 0: not known.
};

/// Type, input, weight, output, strides, dilations, which ends of the network it has, and the
/// cycles that Vela 3.10 (a6f6566) counts on 32, 64, 128, 256 and 512 multipliers.
constexpr const char* kU55Layers = R"(
Conv 1,1,96,96 8,1,3,3 1,8,48,48 2,2 - first 38912 19456 10116 10116 0
Conv 1,3,128,128 8,3,3,3 1,8,64,64 2,2 - first 67584 35936 37568 37568 0
Conv 1,1,49,10 64,1,10,4 1,64,25,5 2,2 - first 94643 47363 20810 10872 0
Conv 1,8,32,32 24,8,3,3 1,24,16,16 2,2 - first 26624 12480 6640 10240 5120
Conv 1,8,48,48 8,1,3,3 1,8,48,48 1,1 - inner 57344 28672 14592 10656 5328
Conv 1,8,48,48 16,8,1,1 1,16,48,48 1,1 - inner 75264 37632 18944 9808 4912
Conv 1,16,48,48 16,1,3,3 1,16,24,24 2,2 - inner 30080 15040 7433 8016 4008
Conv 1,64,12,12 64,64,1,1 1,64,12,12 1,1 - inner 21504 10752 5376 3072 1536
Conv 1,128,6,6 128,1,3,3 1,128,6,6 1,1 - inner 19200 9600 6240 2376 1188
Conv 1,256,3,3 256,256,1,1 1,256,3,3 1,1 - inner 21373 10717 9421 9349 4686
Conv 1,128,15,1 128,1,15,1 1,128,1,1 1,1 - inner 2952 2768 2732 2740 1398
Conv 1,64,14,14 128,64,1,1 1,128,7,7 2,2 - inner 16128 8064 4992 2944 1472
Conv 1,24,20,20 40,24,5,5 1,40,12,12 1,1 2,2 inner 230960 115544 62446 42376 21196
Conv 1,24,20,20 40,24,3,3 1,40,12,12 1,1 4,4 inner 230960 115544 62446 42376 21196
Conv 1,16,30,30 32,16,9,9 1,32,22,22 1,1 - inner 915254 457694 196520 132112 66064
Conv 1,104,7,7 50,104,1,1 1,50,7,7 1,1 - last 16128 8064 4391 2611 1275
AveragePool 1,64,25,5 25,5 1,64,1,1 25,5 - inner 2632 1366 1356 1608 804
MaxPool 1,64,35,35 3,3 1,64,17,17 2,2 - inner 69769 34949 20616 20616 10308
MatMul 1,64 64,12 1,12 - - last 146 186 185 185 0
MatMul 1,128 128,32 1,32 - - inner 680 680 678 678 0
MatMul 4,100 100,60 4,60 - - inner 1920 1367 1345 1345 0
MatMul 6,100 100,60 6,60 - - inner 3456 2391 2369 1350 0
)";

/// The same by Vela 5.1 (401163a) for networks of the corpus, where weights wait for nothing, on
/// 128, 256, 512, 1,024 and 2,048 multipliers.
constexpr const char* kU85Layers = R"(
MatMul 1,640 640,128 1,128 - - first 6554 6550 3350 1750 1750
Conv 1,16,257,257 16,1,3,3 1,16,257,257 1,1 - inner 793756 399131 201242 102212 0
Conv 1,96,65,65 96,1,3,3 1,96,65,65 1,1 - inner 305383 155735 79970 41984 0
Conv 1,192,33,33 192,1,3,3 1,192,33,33 1,1 - inner 157999 82082 43130 23482 13361
AveragePool 1,160,33,33 33,33 1,160,1,1 1,1 - inner 48286 48299 48318 48384 48474
Conv 1,3,128,128 8,3,3,3 1,8,64,64 2,2 - first 0 0 13896 12993 14175
Conv 1,8,64,64 8,1,3,3 1,8,64,64 1,1 - inner 49778 25301 13106 6983 0
Conv 1,8,64,64 16,8,1,1 1,16,64,64 1,1 - inner 33136 16800 8704 4800 0
Conv 1,256,4,4 256,256,1,1 1,256,4,4 1,1 - inner 8960 4904 2944 1888 1888
AveragePool 1,256,4,4 4,4 1,256,1,1 1,1 - inner 1324 1504 1488 1484 1482
Conv 1,256,1,1 1001,256,1,1 1,1001,1,1 1,1 - last 18643 18641 10835 6697 6697
Conv 1,144,48,48 144,1,3,3 1,144,48,48 1,1 - inner 250000 125794 63760 32696 0
Conv 1,64,12,12 384,64,1,1 1,384,12,12 1,1 - inner 28168 0 0 0 0
Conv 1,960,6,6 960,1,3,3 1,960,6,6 1,1 - inner 26974 14302 7228 4992 3856
Conv 1,1280,6,6 64,1280,1,1 1,64,6,6 1,1 - inner 0 13213 7480 3848 2250
Conv 1,1,49,10 64,1,10,4 1,64,25,5 2,2 - first 0 0 0 0 1412
Conv 1,64,25,5 64,64,1,1 1,64,25,5 1,1 - inner 5536 3264 0 0 1126
MatMul 1,64 64,12 1,12 - - last 163 161 133 132 164
MatMul 1,4000 4000,4 1,4 - - both 2746 2746 2746 2746 5266
Conv 1,16,48,48 16,1,3,3 1,16,24,24 2,2 - inner 8017 4826 2602 2625 2100
Conv 1,40,30,1 40,1,3,1 1,40,28,1 1,1 - first 1132 787 444 404 320
Conv 1,128,24,1 128,1,10,1 1,128,15,1 1,1 - inner 3152 2400 1396 1304 924
)";

Shape sizesOf(const std::string& text) {
  Shape sizes;
  std::istringstream parts(text);
  for (std::string part; text != "-" && std::getline(parts, part, ',');) {
    sizes.push_back(std::stoll(part));
  }
  return sizes;
}

std::vector<VelaLayer> layersOf(const std::string& table) {
  std::vector<VelaLayer> layers;
  std::istringstream words(table);
  for (VelaLayer layer; words >> layer.type;) {
    std::string text;
    for (Shape* sizes : {&layer.in, &layer.weight, &layer.out, &layer.strides, &layer.dilations}) {
      words >> text;
      *sizes = sizesOf(text);
    }
    words >> text;
    layer.first = text == "first" || text == "both";
    layer.last = text == "last" || text == "both";
    for (std::int64_t& cycles : layer.cycles) words >> cycles;
    REQUIRE(words);
    layers.push_back(layer);
  }
  return layers;
}

/// The operator alone.
Work workOn(const VelaLayer& layer) {
  const bool pools = layer.type.ends_with("Pool");
  std::vector<Shape> inputs = {layer.in};
  if (!pools) inputs.push_back(layer.weight);
  OpSample sample(layer.type, inputs, {layer.out});
  if (!layer.strides.empty()) sample.attribute("strides", layer.strides);
  if (!layer.dilations.empty()) sample.attribute("dilations", layer.dilations);
  if (pools) sample.attribute("kernel_shape", layer.weight);
  return sample.work();
}

}  // namespace

TEST_CASE("a layer on an Ethos-U takes the cycles that Vela counts", "[cost][machine]") {
  const auto takes = [](const std::string& model, int macs, const VelaLayer& layer,
                        std::int64_t cycles) {
    const UnitSpec unit =
        unitWith("cycles = \"" + model + "\"\nmacs_per_cycle = " + std::to_string(macs));
    const CostedOp op{.type = layer.type,
                      .kind = OpClass::convolution,
                      .fromCaller = layer.first,
                      .toCaller = layer.last};
    CAPTURE(model, macs, layer.type, layer.in, layer.weight, layer.out);
    if (cycles > 0) CHECK(computeCycles(unit, workOn(layer), op) == cycles);
  };
  for (const VelaLayer& layer : layersOf(kU55Layers)) {
    for (std::size_t i = 0; i < kU55And65.size(); ++i) {
      takes("ethos-u", kU55And65[i], layer, layer.cycles[i]);
    }
  }
  for (const VelaLayer& layer : layersOf(kU85Layers)) {
    for (std::size_t i = 0; i < test::kU85Sizes.size(); ++i) {
      takes("ethos-u85", test::kU85Sizes[i], layer, layer.cycles[i]);
    }
  }
}

TEST_CASE("products on an Ethos-U wait for the memory of their weights", "[cost][machine]") {
  // Vela 3 for an Ethos-U65-512 with its weights in DRAM, layers of ad01 between others.
  const UnitSpec unit = unitWith("cycles = \"ethos-u\"\nmacs_per_cycle = 512\nfar_latency = 500");
  CHECK(computeCycles(unit, matrices(1, 128, 128)) == 3'524);
  CHECK(computeCycles(unit, matrices(1, 8, 128)) == 228);
  CHECK(computeCycles(unit, matrices(1, 128, 8)) == 3'207);
  const UnitSpec flash = unitWith("cycles = \"ethos-u\"\nmacs_per_cycle = 512");
  CHECK(computeCycles(flash, matrices(1, 128, 128)) < 1'500);
}

TEST_CASE("an Ethos-U has cycles for loops of any size", "[cost][machine]") {
  const auto seed = Catch::rngSeed();
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  int round = 0;
  const auto number = [&] {
    const int bits = std::uniform_int_distribution<>(0, round % 2 == 0 ? 5 : 62)(random);
    return std::uniform_int_distribution<std::int64_t>(0, std::int64_t{1} << bits)(random);
  };
  for (; round < 600; ++round) {
    const bool isU85 = random() % 2 == 0;
    const int macs = isU85 ? test::kU85Sizes[random() % test::kU85Sizes.size()]
                           : kU55And65[random() % kU55And65.size()];
    const UnitSpec unit = unitWith(std::string("cycles = \"ethos-u") + (isU85 ? "85" : "") +
                                   "\"\nmacs_per_cycle = " + std::to_string(macs));
    CAPTURE(round, isU85, macs);
    Work work{.macs = static_cast<std::int64_t>(random() % 2), .loops = Loops()};
    for (std::int64_t& size : work.loops->sizes) size = random() % 3 == 0 ? number() : 1;
    for (Slide* slide : {&work.down, &work.across}) {
      *slide = {number(), number() + 1, number() + 1};
    }
    const std::int64_t cycles = computeCycles(unit, work, {.fromCaller = random() % 2 == 0});
    REQUIRE(cycles >= 0);
    REQUIRE(cycles <= kMostCycles);
    if (round % 2 == 0) REQUIRE(cycles < kMostCycles);
  }
}

TEST_CASE("the output stage of an Ethos-U has a rate for each type", "[cost][machine]") {
  const UnitSpec unit = unitWith("cycles = \"ethos-u\"\nmacs_per_cycle = 128");
  const Work work{.written = 1'000};
  CHECK(computeCycles(unit, work, {.type = "Add"}) == 1'500);
  CHECK(computeCycles(unit, work, {.type = "Mul"}) == 750);
  CHECK(computeCycles(unit, work, {.type = "Relu"}) == 500);
  // Tables are looked up once a cycle by each core, whatever its multipliers.
  const auto table = [&](double macs) {
    UnitSpec other = unit;
    other.macsPerCycle = macs;
    return computeCycles(other, work, {.type = "Sigmoid"});
  };
  CHECK(table(32) == 2'000);
  CHECK(table(64) == 1'000);
  CHECK(table(256) == 1'000);
  CHECK(table(512) == 500);
  CHECK(computeCycles(unit, work, {.type = "Softmax"}) == 1'000);  // Its elements, one a cycle.
  // Few elements wait for the memory: 2 x 32 cycles, 2 x 4 elements / 8 and 6, a quarter of it.
  CHECK(computeCycles(unit, {.written = 4}, {.type = "Add"}) == 18);
}

TEST_CASE("the output stage of an Ethos-U85 has one rate, and waits for its memories",
          "[cost][machine]") {
  const std::string model = "cycles = \"ethos-u85\"\nmacs_per_cycle = ";
  const Work work{.written = 1'000};
  CHECK(computeCycles(unitWith(model + "128"), work, {.type = "Add"}) == 500);
  CHECK(computeCycles(unitWith(model + "128"), work, {.type = "Sigmoid"}) == 500);
  CHECK(computeCycles(unitWith(model + "2048"), work, {.type = "Relu"}) == 32);
  // A quarter of 32 cycles, 4 bytes at 32 a cycle, and 1 cycle.
  CHECK(computeCycles(unitWith(model + "256"), {.written = 4}, {.type = "Mul"}) == 9);
  // Elements of others go by the rates.
  CHECK(computeCycles(unitWith(model + "256"), work, {.type = "Softmax"}) == 1'000);
  // Biases of a product, 10 bytes each, come with the latency of their memory.
  const Work product = matrices(1, 128, 8);
  const std::int64_t near = computeCycles(unitWith(model + "512\nfar_latency = 64"), product);
  const std::int64_t far = computeCycles(unitWith(model + "512\nfar_latency = 500"), product);
  CHECK(far > near + 1'500);
  // All of an output goes through the port.
  const Work copy = OpSample("Conv", {{1, 8, 64, 64}, {8, 1, 1, 1}}, {{1, 8, 64, 64}}).work();
  const CostedOp depthwise{.type = "Conv", .kind = OpClass::convolution};
  CHECK(computeCycles(unitWith(model + "2048\nport_bytes_per_cycle = 1"), copy, depthwise) >=
        2 * 16 * 64 * 64);
}

TEST_CASE("weights and biases are stored as an Ethos-U has them", "[cost][machine]") {
  UnitSpec unit = unitWith("cycles = \"ethos-u\"\nmacs_per_cycle = 128\nweight_ratio = 0.3");
  const Tensor weight{.dtype = Dtype::int8, .shape = Shape{7, 3}};
  const Tensor bias{.dtype = Dtype::int32, .shape = Shape{7}};
  CHECK(storedBytes(unit, weight, Bytes(21)) == Bytes(7));
  CHECK(storedBytes(unit, bias, Bytes(28)) == Bytes(70));
  unit.cost = {};
  CHECK(storedBytes(unit, weight, Bytes(21)) == Bytes(21));
  CHECK(storedBytes(unit, bias, Bytes(28)) == Bytes(28));
}

TEST_CASE("weights that are fetched move as they are stored", "[cost][machine]") {
  const auto rule = GENERATE(WeightRule::stream, WeightRule::prefetch);
  const auto model = std::make_shared<const Model>(openModel("samples:resnet8", {}).value());
  RunRequest request{.allocator = AllocatorChoice::parse("greedy-by-size").value(),
                     .platform = findPlatform("ethos-u55-256").value()};
  UnitSpec& unit = request.platform.devices[0].units[0];
  unit.cost = {.model = costModelNamed("ethos-u"), .weightRatio = 0.25};
  request.weights.rule = rule;
  const auto run = test::must(execute(model, request, {}));
  Bytes moved;
  for (const TrafficClass kind : {TrafficClass::weight, TrafficClass::prefetch}) {
    moved += run->timing.traffic[PoolId(1)].read[static_cast<std::size_t>(kind)];
  }
  Bytes stored;
  for (const OpId op : model->graph->ops.keys()) {
    if (workOf(*model->graph, op).macs == 0) continue;
    for (const TensorId id : model->graph->reads(op)) {
      const Tensor& tensor = model->graph->tensors[id];
      if (tensor.constant) stored += storedBytes(unit, tensor, *tensor.bytes);
    }
  }
  CHECK(moved == stored);
  CHECK(stored < Bytes(40'000));  // Of 78,666.
}

TEST_CASE("networks on an Ethos-U come near Vela's cycles", "[cost][machine][corpus]") {
  const auto corpus = corpusFolder("tflite");
  if (!corpus) return;
  for (const test::VelaNetwork& row : test::velaNetworks()) {
    const std::string file = (*corpus / row.file).string();
    const auto isNear = [&](std::int64_t ours, const test::VelaTotal& vela, double part) {
      CAPTURE(row.name, ours, vela.cycles);
      CHECK(static_cast<double>(ours) == Approx(vela.cycles).epsilon(part));
    };
    for (std::size_t size = 0; size < row.u55.size(); ++size) {
      CAPTURE(test::kU55Sizes[size]);
      isNear(test::cyclesOnU55(row, file, size).cycles, row.u55[size], 0.1);
    }
    for (std::size_t size = 0; size < row.u85.size(); ++size) {
      CAPTURE(test::kU85Sizes[size]);
      isNear(test::cyclesOnU85(row, file, size).cycles, row.u85[size], 0.14);
    }
    isNear(test::cyclesOnPreset("ethos-u65-512", row.u65, file).cycles, row.u65, 0.27);
    const auto beside = test::cyclesOnPreset("ethos-u85-512", row.u85Dram, file);
    CAPTURE(row.name, beside.cycles, beside.atRate, row.u85Dram.cycles);
    CHECK(std::abs(static_cast<double>(beside.cycles) - row.u85Dram.cycles) <
          std::abs(static_cast<double>(beside.atRate) - row.u85Dram.cycles));
  }
}

TEST_CASE("the size of an Ethos-U is one that there is", "[machine]") {
  const Platform platform =
      parsePlatform(arrayText("cycles = \"ethos-u\"\nmacs_per_cycle = 64")).value();
  CHECK(tuned(platform, {.macs = 256}).has_value());
  CHECK(test::mustFail(tuned(platform, {.macs = 100})).message ==
        "macs: expected one of 32, 64, 128, 256, 512 with cycles = \"ethos-u\"");
}
