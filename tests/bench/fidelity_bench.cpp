// Public figures beside what this program makes of them: the tables of docs/fidelity.md, as
// Markdown. Each line says where its figure was published; what is fitted says so.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/base/check.h"
#include "core/base/text.h"
#include "core/exchange/tflm/kernel_scratch.h"
#include "core/exchange/tflm/offline_plan.h"
#include "core/import/importer.h"
#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "core/report/model/laid_out.h"
#include "core/rewrite/graph_builder.h"
#include "core/run/run.h"
#include "tests/bench/fidelity_tables.h"
#include "tests/bench/mobile_nets.h"
#include "tests/support/tflite_networks.h"

using namespace hw;

namespace {

std::shared_ptr<const Run> planned(std::shared_ptr<const Model> model, RunRequest request) {
  auto run = execute(std::move(model), request, {});
  check(run.has_value(), "a run that can be");
  return *run;
}

std::shared_ptr<const Model> sample(const std::string& name) {
  auto model = openModel("samples:" + name, {});
  check(model.has_value(), "a sample that is there");
  return std::make_shared<const Model>(std::move(*model));
}

RunRequest plain(const std::string& allocator) {
  RunRequest request{.allocator = AllocatorChoice::parse(allocator).value(),
                     .platform = platformCatalog().front(),
                     .l2 = {.kind = PoolSize::Kind::unbounded},
                     .l3 = {.kind = PoolSize::Kind::unbounded},
                     .alignment = Bytes(1),
                     .alias = AliasRules::none()};
  return request;
}

void macs() {
  bench::title("## Multiply-accumulates", "| model | published | ours |");
  const std::pair<const char*, const char*> rows[] = {{"mobilenet_v1", "568.7 M"},
                                                      {"mobilenet_v2", "300.8 M"},
                                                      {"inception_v3", "5,713 M"},
                                                      {"resnet8", "12.50 M"},
                                                      {"ds_cnn", "2.66 M"}};
  for (const auto& [name, published] : rows) {
    fmt::print("| {} | {} | {} |\n", name, published,
               groupDigits(planned(sample(name), plain("none"))->timing.macs));
  }
}

void arenas() {
  bench::title("## Arenas", "| model | what | published, B | ours, B |");
  const auto row = [](const char* name, const char* what, std::int64_t published,
                      const std::string& allocator, bool outside, bool inPlace = false) {
    RunRequest request = plain(allocator);
    if (outside) request.inputs = InputPlace::external;
    if (outside) request.outputs = OutputPlace::external;
    request.alias.inPlace = inPlace;
    const Bytes ours = planned(sample(name), request)->plan.footprint(PoolId(0));
    fmt::print("| {} | {} | {} | {} |\n", name, what, groupDigits(published),
               groupDigits(ours.count()));
  };
  row("eight_tensors", "no reuse", 234, "none", false);
  row("eight_tensors", "greedy by size", 124, "greedy-by-size", false);
  row("eight_tensors", "shared objects, greedy by size", 128, "shared-objects", false);
  row("mobilenet_v1", "intermediates, no reuse", 20'182'856, "none", true);
  row("mobilenet_v1", "intermediates, greedy by size", 4'816'896, "greedy-by-size", true);
  row("mobilenet_v2", "intermediates, no reuse", 27'591'112, "none", true);
  row("mobilenet_v2", "intermediates, greedy by size", 6'021'120, "greedy-by-size", true);
  row("mobilenet_v1_int8", "arena", 1'204'224, "greedy-by-size", false);
  row("mobilenet_v2_int8", "arena", 1'505'280, "greedy-by-size", false);
  row("mobilenet_v2_int8", "depthwise layers in place", 1'404'928, "greedy-by-size", false, true);
  auto net = bench::MobileNet::asTflite(bench::MobileNet::second("mobilenet_v2", Dtype::int8));
  net = withKernelScratch(std::move(net), KernelLibrary::cmsisMve).value();
  const auto scratch = planned(std::make_shared<const Model>(std::move(net)),
                               tflmRequest(plain("greedy-by-size"), {}));
  fmt::print("| mobilenet_v2_int8 | with scratch of CMSIS-NN for MVE | {} | {} |\n",
             groupDigits(1'509'744), groupDigits(scratch->plan.footprint(PoolId(0)).count()));
  auto squeezed = importModel(test::publishedFile("squeezenet_1_1", 128), "squeezenet.tflite",
                              {.fuse = parseFusions("st").value()});
  check(squeezed.has_value(), "a network that can be read");
  const auto pooled = planned(std::make_shared<const Model>(std::move(*squeezed)), plain("best"));
  fmt::print(
      "| SqueezeNet 1.1 int8, 128 x 128 | STM32N6, pooling fused (`--fuse st`) | {} | {} |\n",
      groupDigits(246'016), groupDigits(pooled->plan.footprint(PoolId(0)).count()));
  const auto inTiles = [](const Shape& shape, const Shape& tile, std::int64_t published) {
    Graph graph;
    std::int64_t bytes = 4;
    for (const std::int64_t size : shape) bytes *= size;
    graph.tensors.add({.name = "t", .shape = shape, .bytes = Bytes(bytes)});
    fmt::print("| a tensor of {}, 4 bytes each | in tiles of {} | {} | {} |\n",
               fmt::join(shape, " x "), fmt::join(tile, " x "), groupDigits(published << 20),
               groupDigits(laidOut(graph, tile).front().laid.count()));
  };
  inTiles({8'388'608, 8, 4}, {8, 128}, 32'768);
  inTiles({29'184, 1, 2'560}, {2, 128}, 570);
}

/// The same machine as a bandwidth table: one op after the other, no latency of the first access.
Platform bandwidthTable(const std::string& name) {
  Platform platform = findPlatform(name).value();
  for (DeviceSpec& device : platform.devices) {
    device.issue = Issue::sequential;
    device.dma.clear();
    for (PoolSpec& pool : device.pools) pool.readLatency = pool.writeLatency = SimTime();
  }
  return platform;
}

/// Vela's rule, on its own summary and on networks we have.
void sumOfMaxima() {
  constexpr double kClock = 500e6;
  constexpr double kTotal = 114'098;
  constexpr double kParts[] = {21'298, 2'261, 112'755};  // NPU, SRAM, flash
  bench::title(
      "## A network is the sum of its operators' slowest parts",
      "| network | most of the sums, cycles | sum of the most, cycles | all one after the other | "
      "inferences a second |");
  fmt::print("| Vela's sample, published | {} | {} | {} | {:.2f}; published 4,382.18 |\n",
             groupDigits(static_cast<std::int64_t>(kParts[2])),
             groupDigits(static_cast<std::int64_t>(kTotal)),
             groupDigits(static_cast<std::int64_t>(kParts[0] + kParts[1] + kParts[2])),
             kClock / kTotal);
  const auto cycles = [](SimTime time) {
    return std::llround(static_cast<double>(time.count()) * 1e-12 * kClock);
  };
  for (const char* name : {"ds_cnn", "resnet8", "mobilenet_v1_int8", "mobilenet_v2_int8"}) {
    RunRequest request = plain("greedy-by-size");
    request.platform = bandwidthTable("ethos-u55-256");
    const auto run = planned(sample(name), request);
    SimTime compute;
    IdMap<PoolId, SimTime> memory(run->problem.pools.size());
    SimTime ofMaxima;
    for (const OpTiming& op : run->timing.ops) {
      SimTime most = op.compute;
      compute += op.compute;
      for (const PoolId pool : op.memory.keys()) {
        memory[pool] += op.memory[pool];
        most = std::max(most, op.memory[pool]);
      }
      ofMaxima += most;
    }
    check(ofMaxima == run->timing.makespan, "the rule to be the simulation");
    SimTime most = compute;
    SimTime all = compute;
    for (const SimTime time : memory) {
      most = std::max(most, time);
      all += time;
    }
    fmt::print("| {} | {} | {} | {} | {:.1f} |\n", name, groupDigits(cycles(most)),
               groupDigits(cycles(ofMaxima)), groupDigits(cycles(all)),
               1e12 / static_cast<double>(ofMaxima.count()));
  }
}

/// A classifier's last layer: `features` bytes in, as many outputs as there are classes.
std::shared_ptr<const Model> head(std::int64_t features, std::int64_t classes) {
  GraphBuilder builder("head", "bench");
  const auto tensor = [&](const char* name, Dtype dtype, const Shape& shape, bool constant) {
    Tensor made;
    made.name = name;
    made.dtype = dtype;
    made.shape = shape;
    made.bytes = packedSize(dtype, *elementCount(shape));
    made.origin = SizeOrigin::declared;
    made.constant = constant;
    return builder.addTensor(std::move(made));
  };
  const auto x = tensor("x", Dtype::int8, {1, features}, false);
  const auto w = tensor("w", Dtype::int8, {features, classes}, true);
  const auto bias = tensor("bias", Dtype::int32, {classes}, true);
  const auto y = tensor("y", Dtype::int8, {1, classes}, false);
  GraphBuilder::OpParts parts;
  parts.op.type = "Gemm";
  parts.inputs = {x, w, bias};
  parts.outputs = {y};
  builder.addOp(std::move(parts));
  builder.addInput(x);
  builder.addOutput(y);
  auto model = std::make_shared<Model>();
  model->name = "head";
  model->graph = std::make_shared<const Graph>(std::move(builder).build().value());
  return model;
}

/// Two networks that differ in their heads only: what the larger one costs is what streaming its
/// weights takes.
void flashRate() {
  const Platform machine = findPlatform("stm32n657").value();
  const auto rate = static_cast<double>(machine.devices[0].pools.back().readBandwidth);
  const auto headTime = [&](std::int64_t classes) {
    RunRequest request = plain("greedy-by-size");
    request.platform = machine;
    return static_cast<double>(planned(head(1'280, classes), request)->timing.makespan.count()) *
           1e-9;
  };
  const double ours = headTime(1'000) - headTime(101);
  struct Pair {
    const char* name;
    double large, small;  ///< KiB of weights.
    double slow, quick;   ///< ms.
  };
  const Pair pairs[] = {{"MobileNetV2 0.35, 128 x 128", 1'840.94, 715.67, 6.35, 3.33},
                        {"MobileNetV2 0.35, 224 x 224", 1'855.97, 730.70, 9.14, 6.12},
                        {"MobileNetV2 1.0, 224 x 224", 4'235.31, 3'110.05, 21.08, 18.08}};
  bench::title(
      "## Weights streamed from the flash of an STM32N6",
      "| network | weights, KiB | measured, ms | difference, ms | our two heads differ by, ms | "
      "weights at the preset's rate, ms | measured less that, ms |");
  for (const Pair& pair : pairs) {
    const auto streamed = [&](double kib) { return kib * 1024 / rate * 1e3; };
    fmt::print(
        "| {} | {} and {} | {:.2f} and {:.2f} | {:.2f} | {:.3f} | {:.3f} and {:.3f} | "
        "{:.3f} and {:.3f} |\n",
        pair.name, pair.large, pair.small, pair.slow, pair.quick, pair.slow - pair.quick, ours,
        streamed(pair.large), streamed(pair.small), pair.slow - streamed(pair.large),
        pair.quick - streamed(pair.small));
  }
}

}  // namespace

int main() {
  macs();
  arenas();
  sumOfMaxima();
  flashRate();
  bench::arrays();
  bench::boards();
}
