#include "tests/support/published_layers.h"

#include "core/base/check.h"
#include "core/import/samples.h"
#include "core/machine/cost/cost_models.h"
#include "core/machine/platforms.h"
#include "core/run/run.h"

namespace hw::test {

std::vector<Layer> resnet18() {
  std::vector<Layer> layers = {squareLayer(1, 64, 3, 112, 7)};
  std::int64_t before = 64;
  for (const std::int64_t channels : {64, 128, 256, 512}) {
    const std::int64_t side = 56 * 64 / channels;
    for (int block = 0; block < 2; ++block) {
      layers.push_back(squareLayer(1, channels, before, side, 3));
      layers.push_back(squareLayer(1, channels, channels, side, 3));
      if (channels != before) layers.push_back(squareLayer(1, channels, before, side, 1));
      before = channels;
    }
  }
  layers.push_back(squareLayer(1, 1'000, 512, 1, 1));
  return layers;
}

std::vector<Layer> mobilenetV2() {
  struct Stage {
    std::int64_t expansion, channels, blocks, stride;
  };
  constexpr Stage kStages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                               {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
  std::vector<Layer> layers = {squareLayer(1, 32, 3, 112, 3)};
  std::int64_t before = 32;
  std::int64_t side = 112;
  for (const Stage& stage : kStages) {
    for (std::int64_t block = 0; block < stage.blocks; ++block) {
      const std::int64_t wide = before * stage.expansion;
      if (stage.expansion > 1) layers.push_back(squareLayer(1, wide, before, side, 1));
      if (block == 0) side /= stage.stride;
      layers.push_back(squareLayer(wide, 1, 1, side, 3));
      layers.push_back(squareLayer(1, stage.channels, wide, side, 1));
      before = stage.channels;
    }
  }
  layers.push_back(squareLayer(1, 1'280, 320, side, 1));
  layers.push_back(squareLayer(1, 1'000, 1'280, 1, 1));
  return layers;
}

std::vector<Layer> mobilenetV1() {
  std::vector<Layer> layers = {{1, 32, 3, 64, 64, 3, 2}};
  std::int64_t before = 32;
  std::int64_t side = 64;
  for (const std::int64_t channels :
       {64, 128, 128, 256, 256, 512, 512, 512, 512, 512, 512, 1'024, 1'024}) {
    const std::int64_t stride = channels != before && before > 32 ? 2 : 1;
    side /= stride;
    layers.push_back({before, 1, 1, side, side, 3, stride});
    layers.push_back(squareLayer(1, channels, before, side, 1));
    before = channels;
  }
  layers.push_back(squareLayer(1, 1'000, 1'024, 1, 1));
  return layers;
}

std::vector<Layer> alexnet() {
  return {squareLayer(1, 96, 3, 54, 11),      squareLayer(2, 128, 48, 26, 5),
          squareLayer(1, 384, 256, 12, 3),    squareLayer(2, 192, 192, 12, 3),
          squareLayer(2, 128, 192, 12, 3),    squareLayer(1, 4'096, 9'216, 1, 1),
          squareLayer(1, 4'096, 4'096, 1, 1), squareLayer(1, 1'000, 4'096, 1, 1)};
}

GraphBuilder::Handle addInt8Tensor(GraphBuilder& builder, const std::string& name,
                                   const Shape& shape, bool constant) {
  Tensor made;
  made.name = name;
  made.dtype = Dtype::int8;
  made.shape = shape;
  made.bytes = packedSize(Dtype::int8, *elementCount(shape));
  made.origin = SizeOrigin::declared;
  made.constant = constant;
  return builder.addTensor(std::move(made));
}

std::shared_ptr<const Model> layersModel(const std::string& name,
                                         const std::vector<Layer>& layers) {
  GraphBuilder builder(name, "layers");
  const auto tensor = [&](const std::string& called, const Shape& shape, bool constant) {
    return addInt8Tensor(builder, called, shape, constant);
  };
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Layer& layer = layers[i];
    const std::string at = std::to_string(i);
    GraphBuilder::OpParts parts;
    parts.op.type = "Conv";
    parts.op.attributes["group"] = layer.groups;
    parts.inputs = {
        tensor("x" + at,
               {1, layer.groups * layer.inputs, layer.rows * layer.stride,
                layer.columns * layer.stride},
               false),
        tensor("w" + at, {layer.groups * layer.outputs, layer.inputs, layer.kernel, layer.kernel},
               true)};
    parts.outputs = {
        tensor("y" + at, {1, layer.groups * layer.outputs, layer.rows, layer.columns}, false)};
    builder.addInput(parts.inputs[0]);
    builder.addOutput(parts.outputs[0]);
    builder.addOp(std::move(parts));
  }
  auto model = std::make_shared<Model>();
  model->name = name;
  model->graph = std::make_shared<const Graph>(std::move(builder).build().value());
  return model;
}

std::vector<ScaleSimLayer> scaleSimLayers() {
  const Layer product{1, 128, 256, 256, 1, 1};
  const auto matrix = [](std::int64_t m, std::int64_t n, std::int64_t k) {
    return Layer{1, n, k, m, 1, 1};
  };
  return {{"convolution, 11 x 11 x 3 to 96", "weight", 32, squareLayer(1, 96, 3, 55, 11), 112'283},
          {"256 x 128 x 256", "weight", 32, product, 11'199},
          {"256 x 128 x 256", "output", 32, product, 10'175},
          {"256 x 128 x 256", "input", 32, product, 14'207},
          {"MobileNet Conv1", "weight", 256, squareLayer(1, 32, 3, 112, 3), 13'309},
          {"MobileNet Conv2", "weight", 256, squareLayer(1, 1, 32, 110, 3), 25'731},
          {"MobileNet Conv3", "weight", 256, squareLayer(1, 64, 32, 112, 1), 13'309},
          {"MobileNet Conv4", "weight", 256, squareLayer(1, 1, 64, 56, 3), 11'705},
          {"MobileNet Conv5", "weight", 256, squareLayer(1, 128, 64, 56, 1), 3'901},
          {"GPT-2 Linear1", "weight", 256, matrix(1'024, 4'800, 1'600), 238'069},
          {"GPT-2 QKT", "weight", 256, matrix(1'024, 1'024, 64), 7'159},
          {"GPT-2 QKTV", "weight", 256, matrix(1'024, 64, 1'024), 7'159},
          {"GPT-2 Linear2", "weight", 256, matrix(1'024, 1'600, 1'600), 87'709},
          {"GPT-2 PW-FF-L1", "weight", 256, matrix(1'024, 3'072, 1'600), 150'359}};
}

namespace {

/// On-chip memory costs no time; without a rate, the far one neither.
Platform arrayPlatform(const std::string& name, const std::string& far, const std::string& cost) {
  return parsePlatform("name = \"" + name + R"("
[[device]]
name = "core"
ops = ["*"]
[[device.pool]]
name = "SRAM"
[[device.pool]]
name = "DRAM"
)" + far + R"(
[[device.unit]]
name = "array"
ops = ["*"]
clock = "1GHz"
)" + cost)
      .value();
}

}  // namespace

Platform scaleSimPlatform(const ScaleSimLayer& layer) {
  const std::string side = std::to_string(layer.side);
  return arrayPlatform("systolic", "",
                       "cycles = \"systolic\"\nrows = " + side + "\ncolumns = " + side +
                           "\ndataflow = \"" + layer.dataflow + "\"");
}

Platform zigZagPlatform(const ZigZagMachine& machine) {
  return arrayPlatform(
      machine.name, "bandwidth = \"8GB/s\"",
      "cycles = \"spatial\"\noutput_bytes_per_cycle = 8\nunroll = " + machine.unroll);
}

std::vector<ZigZagMachine> zigZagMachines() {
  return {{"ascend", "{ K = 16, C = 16, X = 2, Y = 2 }", 3'032'311, 6'472'147, 8'605'524},
          {"edge_tpu", "{ K = 8, C = 8, X = 4, Y = 4 }", 2'887'804.5, 2'417'321, 8'134'431},
          {"meta", "{ K = 32, C = 2, X = 4, Y = 4 }", 2'700'449.66, 2'596'085, 8'279'493},
          {"tesla", "{ K = 32, X = 8, Y = 4 }", 2'719'709.75, 1'955'657, 8'373'281},
          {"tpu", "{ K = 32, C = 32 }", 3'703'960.5, 21'868'059, 8'963'572}};
}

std::vector<VelaNetwork> velaNetworks() {
  return {
      {"person_detect",
       "person_detect.tflite",
       {{{793'520, 204'176}, {463'590, 204'176}, {354'430, 204'176}, {301'796, 204'176}}},
       {78'340, 205'740},
       {{{360'918, 205'888},
         {295'008, 205'520},
         {265'519, 208'144},
         {256'408, 210'736},
         {250'263, 210'240}}},
       {135'916, 208'128}},
      {"vww",
       "vww_96_int8.tflite",
       {{{716'157, 45'984}, {361'629, 45'984}, {220'831, 45'984}, {158'938, 45'984}}},
       {103'120, 46'748},
       {{{216'483, 47'392},
         {139'843, 47'456},
         {110'856, 50'016},
         {101'431, 53'072},
         {96'674, 52'688}}},
       {190'541, 50'368}},
      {"kws",
       "kws_ref_model.tflite",
       {{{318'699, 23'872}, {161'265, 23'872}, {84'604, 23'872}, {51'430, 23'872}}},
       {24'398, 24'056},
       {{{69'831, 24'288}, {48'117, 24'512}, {40'161, 25'184}, {43'825, 33'376}, {35'090, 25'632}}},
       {35'132, 24'544}},
      {"ad01",
       "ad01_int8.tflite",
       {{{200'992, 184'528}, {201'248, 184'528}, {201'248, 184'528}, {201'248, 184'528}}},
       {45'723, 185'136},
       {{{201'344, 184'544},
         {201'344, 184'544},
         {201'840, 185'040},
         {202'752, 185'792},
         {203'424, 186'144}}},
       {47'882, 185'104}},
      {"str_ww",
       "str_ww_ref_model.tflite",
       {{{84'393, 47'312}, {62'463, 47'312}, {60'691, 47'312}, {60'163, 47'312}}},
       {11'048, 47'746},
       {{{58'439, 47'712}, {57'077, 47'712}, {57'223, 48'128}, {57'984, 48'832}, {59'813, 50'048}}},
       {23'146, 48'224}},
      {"micro_speech",
       "micro_speech_quantized.tflite",
       {{{112'545, 18'688}, {68'376, 18'688}, {49'255, 18'688}, {37'538, 18'688}}},
       {12'445, 22'104},
       {{{30'468, 19'136}, {25'419, 19'136}, {29'553, 23'360}, {36'500, 32'768}, {50'836, 47'808}}},
       {28'782, 23'360}},
      {"mobilenet_v1_0.25_128",
       "coral_mobilenet_v1_0.25_128_quant.tflite",
       {{{1'489'754, 388'688}, {908'782, 388'688}, {665'250, 388'688}, {601'449, 388'688}}},
       {201'376, 390'326},
       {{{689'923, 390'784},
         {569'481, 390'512},
         {511'303, 392'880},
         {485'498, 396'464},
         {480'980, 396'656}}},
       {354'745, 392'576}}};
}

namespace {

SimTime latencyOf(std::shared_ptr<const Model> model, const Platform& platform) {
  const RunRequest request{.allocator = AllocatorChoice::parse("none").value(),
                           .platform = platform,
                           .l2 = {.kind = PoolSize::Kind::unbounded},
                           .l3 = {.kind = PoolSize::Kind::unbounded},
                           .alignment = Bytes(1),
                           .alias = AliasRules::all()};
  const auto run = execute(std::move(model), request, {});
  check(run.has_value(), "a network that can be planned");
  return (*run)->timing.makespan;
}

/// Bytes of the matrices that operators multiply by.
std::int64_t weightBytes(const Graph& graph) {
  std::int64_t sum = 0;
  for (const OpId op : graph.ops.keys()) {
    if (workOf(graph, op).macs == 0) continue;
    for (const TensorId id : graph.ops[op].inputs) {
      if (!id || !graph.tensors[id].constant || graph.tensors[id].shape->size() < 2) continue;
      sum += graph.tensors[id].bytes->count();
    }
  }
  return sum;
}

/// The cycles, of `period` each, with weights of so many bytes, and by the rate of the unit alone.
VelaCycles velaCycles(const std::string& file, Platform platform, std::int64_t encoded,
                      SimTime period) {
  const auto model = std::make_shared<const Model>(openModel(file, {}).value());
  UnitSpec& unit = platform.devices.front().units.front();
  const auto cycles = [&] { return latencyOf(model, platform).count() / period.count(); };
  VelaCycles found{.weights = weightBytes(*model->graph)};
  unit.cost.weightRatio = static_cast<double>(encoded) / static_cast<double>(found.weights);
  found.cycles = cycles();
  unit.cost = {};
  found.atRate = cycles();
  return found;
}

/// A machine with Shared_Sram at 500 MHz, on which operators run one after the other.
Platform sharedSram(int macs) {
  Platform platform = findPlatform("ethos-u55-256").value();
  DeviceSpec& device = platform.devices.front();
  device.issue = Issue::sequential;
  device.dma.clear();
  for (PoolSpec& pool : device.pools) pool.readLatency = pool.writeLatency = SimTime();
  device.units.front().macsPerCycle = macs;
  return platform;
}

}  // namespace

VelaCycles cyclesOnU55(const VelaNetwork& network, const std::string& file, std::size_t size) {
  return velaCycles(file, sharedSram(kU55Sizes[size]), network.u55[size].encoded, SimTime(2'000));
}

VelaCycles cyclesOnU85(const VelaNetwork& network, const std::string& file, std::size_t size) {
  Platform platform = sharedSram(kU85Sizes[size]);
  DeviceSpec& device = platform.devices.front();
  device.units.front().cost = {.model = costModelNamed("ethos-u85")};
  device.pools.front().readBandwidth = device.pools.front().writeBandwidth = 16'000'000'000;
  return velaCycles(file, std::move(platform), network.u85[size].encoded, SimTime(2'000));
}

VelaCycles cyclesOnPreset(const std::string& preset, const VelaTotal& vela,
                          const std::string& file) {
  return velaCycles(file, findPlatform(preset).value(), vela.encoded, SimTime(1'000));
}

GapNetwork mobilenetOnGap8() {
  const std::vector<Layer> layers = mobilenetV1();
  const auto cycles = [&](const std::string& cost) {
    return cyclesOfLayers(layers, arrayPlatform("gap8", "", "macs_per_cycle = 12\n" + cost));
  };
  return {.computed = cycles("cycles = \"pulp-nn\""),
          .atRate = cycles(""),
          .weights = weightBytes(*layersModel("layers", layers)->graph),
          .measured = 100e6 / 4.3};
}

std::int64_t cyclesOfLayers(const std::vector<Layer>& layers, const Platform& platform) {
  return latencyOf(layersModel("layers", layers), platform).count() / 1'000;
}

}  // namespace hw::test
