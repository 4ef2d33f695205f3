#include <cstdlib>

#include "core/base/check.h"
#include "core/base/text.h"
#include "core/import/samples.h"
#include "core/insight/calibrate.h"
#include "core/machine/cost/cost_models.h"
#include "core/machine/platforms.h"
#include "core/run/run.h"
#include "tests/bench/fidelity_tables.h"

namespace hw::bench {
namespace {

/// A board of STMicroelectronics in MLPerf Tiny v1.1, closed, X-CUBE-AI 8.1.
struct Board {
  const char* name;
  std::int64_t clock;
  double dmips;         ///< A MHz, of its core.
  double perSecond[4];  ///< Inferences of the networks below.
};
constexpr Board kBoards[] = {{"L4R5", 120'000'000, 1.25, {145.8, 4.67, 15.9, 8.43}},
                             {"H7A3", 280'000'000, 2.14, {550, 19.25, 65.1, 33.75}},
                             {"U575", 160'000'000, 1.50, {206, 7.80, 25.9, 13.97}}};
constexpr const char* kNetworks[][2] = {{"anomaly detection", "ad01_int8.tflite"},
                                        {"image classification", ""},
                                        {"keyword spotting", "kws_ref_model.tflite"},
                                        {"visual wake words", "vww_96_int8.tflite"}};

/// A core alone: memories take no time of their own.
Platform coreOf(const Board& board) {
  Platform platform = parsePlatform(
                          "name = \"board\"\n[[device]]\nname = \"mcu\"\nops = [\"*\"]\n"
                          "[[device.pool]]\nname = \"SRAM\"\n[[device.unit]]\nname = \"core\"\n"
                          "ops = [\"*\"]\nclock = \"1MHz\"\n")
                          .value();
  platform.devices.front().units.front().clock = board.clock;
  return platform;
}

/// Inferences a second on a board whose core takes `cycles` times those of the laws.
double perSecond(const std::shared_ptr<const Model>& model, const Platform& fitted,
                 const Board& board, double cycles) {
  RunRequest request{.allocator = AllocatorChoice::parse("none").value(), .platform = fitted};
  UnitSpec& unit = request.platform.devices.front().units.front();
  unit.clock = board.clock;
  unit.elementsPerCycle /= cycles;
  for (std::optional<CostLaw>& law : unit.cost.table) {
    if (law) *law = {law->call * cycles, law->each * cycles};
  }
  const auto run = execute(model, request, {});
  check(run.has_value(), "a network that can be planned");
  return 1e12 / static_cast<double>((*run)->timing.makespan.count());
}

std::vector<MeasuredNetwork> measuredNetworks(const std::string& corpus) {
  std::vector<MeasuredNetwork> networks;
  for (std::size_t i = 0; i < std::size(kNetworks); ++i) {
    const std::string file = kNetworks[i][1];
    auto model =
        openModel(file.empty() ? "samples:resnet8" : corpus + "/tflite/" + file, ImportOptions());
    check(model.has_value(), "a network of the corpus");
    const MeasuredSpan span{1e6 / kBoards[0].perSecond[i]};
    networks.push_back(
        {kNetworks[i][0], std::make_shared<const Model>(std::move(*model)), {.total = span}});
  }
  return networks;
}

void fittedTable(const std::vector<MeasuredNetwork>& networks, const Calibration& fit) {
  title(
      "## Boards of MLPerf Tiny: what is fitted on an L4R5",
      "| network | MACs: convolution | pointwise | depthwise | product | measured, inf/s | fitted "
      "| error |");
  for (std::size_t i = 0; i < networks.size(); ++i) {
    std::array<std::int64_t, kCostClassNames.size()> macs{};
    const Graph& graph = *networks[i].model->graph;
    for (const OpId op : graph.ops.keys()) {
      const Work work = workOf(graph, op);
      const OpInfo* info = findOp(graph.ops[op]);
      const auto kind = costClassOf(work, info == nullptr ? OpClass::elements : info->kind);
      if (kind) macs[static_cast<std::size_t>(*kind)] += work.macs;
    }
    const double ours = 1e6 / fit.networks[i].predicted;
    fmt::print("| {} | {} | {} | {} | {} | {} | {:.2f} | {} |\n", networks[i].name,
               groupDigits(macs[0]), groupDigits(macs[1]), groupDigits(macs[2]),
               groupDigits(macs[3]), kBoards[0].perSecond[i], ours,
               errorText(ours, kBoards[0].perSecond[i]));
  }
  fmt::print("\nCycles a MAC:");
  for (const FittedClass& each : fit.classes) {
    fmt::print(" {} {:.2f}{}", kCostClassNames[static_cast<std::size_t>(each.kind)], each.law.each,
               &each == &fit.classes.back() ? ".\n" : ",");
  }
}

}  // namespace

void boards() {
  const char* corpus = std::getenv("HIGHWATER_CORPUS");
  if (corpus == nullptr) {
    fmt::print("\n## Boards of MLPerf Tiny\n\nskipped: no corpus (set HIGHWATER_CORPUS)\n");
    return;
  }
  const std::vector<MeasuredNetwork> networks = measuredNetworks(corpus);
  const Calibration fit = calibrate(coreOf(kBoards[0]), networks).value();
  fittedTable(networks, fit);
  title("## Boards of MLPerf Tiny: what that predicts",
        "| board | network | measured, inf/s | by the clock | error | by clock and core | error |");
  for (const Board& board : std::span(kBoards).subspan(1)) {
    for (std::size_t i = 0; i < networks.size(); ++i) {
      const double measured = board.perSecond[i];
      const auto ours = [&](double cycles) {
        return perSecond(networks[i].model, fit.platform, board, cycles);
      };
      const double clock = ours(1);
      const double core = ours(kBoards[0].dmips / board.dmips);
      fmt::print("| {} | {} | {} | {:.2f} | {} | {:.2f} | {} |\n", board.name, networks[i].name,
                 measured, clock, errorText(clock, measured), core, errorText(core, measured));
    }
  }
}

}  // namespace hw::bench
