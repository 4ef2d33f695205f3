#include <cmath>
#include <cstdlib>
#include <functional>

#include "core/base/text.h"
#include "tests/bench/fidelity_tables.h"
#include "tests/support/published_layers.h"

namespace hw::bench {
namespace {

/// The same machine as if its array were always full.
Platform withoutShape(Platform platform) {
  for (UnitSpec& unit : platform.devices.front().units) unit.cost = {};
  return platform;
}

void systolicArrays() {
  title("## Systolic arrays: SCALE-Sim",
        "| layer | array, what stays | SCALE-Sim, cycles | ours | error | MACs / places alone |");
  for (const test::ScaleSimLayer& row : test::scaleSimLayers()) {
    const Platform array = test::scaleSimPlatform(row);
    const auto ours = test::cyclesOfLayers({row.layer}, array);
    const auto full = test::cyclesOfLayers({row.layer}, withoutShape(array));
    const auto theirs = static_cast<double>(row.cycles);
    fmt::print("| {} | {} x {}, {} | {} | {} | {} | {} |\n", row.name, row.side, row.side,
               row.dataflow, groupDigits(row.cycles), groupDigits(ours),
               errorText(static_cast<double>(ours), theirs),
               errorText(static_cast<double>(full), theirs));
  }
}

void spatialArrays() {
  title("## Spatial arrays: ZigZag",
        "| network | machine | unrolling | ZigZag, cycles | ours | error | MACs / places alone |");
  const auto table = [](const char* name, const std::vector<test::Layer>& layers,
                        double test::ZigZagMachine::*figure) {
    for (const test::ZigZagMachine& machine : test::zigZagMachines()) {
      const Platform array = test::zigZagPlatform(machine);
      const auto ours = test::cyclesOfLayers(layers, array);
      const auto full = test::cyclesOfLayers(layers, withoutShape(array));
      const double theirs = machine.*figure;
      fmt::print("| {} | {} | {} | {} | {} | {} | {} |\n", name, machine.name, machine.unroll,
                 groupDigits(std::llround(theirs)), groupDigits(ours),
                 errorText(static_cast<double>(ours), theirs),
                 errorText(static_cast<double>(full), theirs));
    }
  };
  table("ResNet-18", test::resnet18(), &test::ZigZagMachine::resnet18);
  table("MobileNetV2", test::mobilenetV2(), &test::ZigZagMachine::mobilenetV2);
  table("AlexNet", test::alexnet(), &test::ZigZagMachine::alexnet);
}

/// A table with a row for each network that Vela was asked about, in the corpus, which
/// HIGHWATER_CORPUS names.
void velaTable(const char* heading, const char* columns,
               const std::function<void(const test::VelaNetwork&, const std::string& file)>& row) {
  title(heading, columns);
  const char* corpus = std::getenv("HIGHWATER_CORPUS");
  if (corpus == nullptr) {
    fmt::print("skipped: no corpus (set HIGHWATER_CORPUS to its folder)\n");
    return;
  }
  for (const test::VelaNetwork& network : test::velaNetworks()) {
    row(network, std::string(corpus) + "/tflite/" + network.file);
  }
}

std::string errorOf(const test::VelaCycles& ours, const test::VelaTotal& theirs) {
  return errorText(static_cast<double>(ours.cycles), theirs.cycles);
}

/// A preset with its copies.
void besideDram(const char* heading, const char* preset,
                test::VelaTotal test::VelaNetwork::*member) {
  velaTable(heading, "| network | encoded, B | Vela, cycles | ours | error | MACs / 512 alone |",
            [&](const test::VelaNetwork& row, const std::string& file) {
              const test::VelaTotal& vela = row.*member;
              const test::VelaCycles ours = test::cyclesOnPreset(preset, vela, file);
              fmt::print("| {} | {} | {} | {} | {} | {} |\n", row.name, groupDigits(vela.encoded),
                         groupDigits(std::llround(vela.cycles)), groupDigits(ours.cycles),
                         errorOf(ours, vela),
                         errorText(static_cast<double>(ours.atRate), vela.cycles));
            });
}

void ethosArrays() {
  velaTable("## Ethos-U55-256: Vela",
            "| network | weights, B | encoded, B | Vela, cycles | ours | error | with 32, 64, 128 "
            "multipliers | MACs / 256 alone |",
            [](const test::VelaNetwork& row, const std::string& file) {
              test::VelaCycles ours;
              std::vector<std::string> errors;
              for (std::size_t size = 0; size < row.u55.size(); ++size) {
                ours = test::cyclesOnU55(row, file, size);
                errors.push_back(errorOf(ours, row.u55[size]));
              }
              const test::VelaTotal& vela = row.u55.back();
              fmt::print("| {} | {} | {} | {} | {} | {} | {}, {}, {} | {} |\n", row.name,
                         groupDigits(ours.weights), groupDigits(vela.encoded),
                         groupDigits(std::llround(vela.cycles)), groupDigits(ours.cycles),
                         errors[3], errors[0], errors[1], errors[2],
                         errorText(static_cast<double>(ours.atRate), vela.cycles));
            });
  velaTable(
      "## Ethos-U85: Vela",
      "| network | with 512 multipliers: encoded, B | Vela, cycles | ours | error | with 128, "
      "256, 1024, 2048 multipliers | MACs / 512 alone |",
      [](const test::VelaNetwork& row, const std::string& file) {
        std::vector<test::VelaCycles> ours;
        std::vector<std::string> errors;
        for (std::size_t size = 0; size < row.u85.size(); ++size) {
          ours.push_back(test::cyclesOnU85(row, file, size));
          errors.push_back(errorOf(ours.back(), row.u85[size]));
        }
        const test::VelaTotal& vela = row.u85[2];
        fmt::print("| {} | {} | {} | {} | {} | {}, {}, {}, {} | {} |\n", row.name,
                   groupDigits(vela.encoded), groupDigits(std::llround(vela.cycles)),
                   groupDigits(ours[2].cycles), errors[2], errors[0], errors[1], errors[3],
                   errors[4], errorText(static_cast<double>(ours[2].atRate), vela.cycles));
      });
  besideDram("## Ethos-U65-512 beside DRAM: Vela", "ethos-u65-512", &test::VelaNetwork::u65);
  besideDram("## Ethos-U85-512 beside DRAM: Vela", "ethos-u85-512", &test::VelaNetwork::u85Dram);
}

void pulpCluster() {
  title("## GAP8: DORY",
        "| network | computed, cycles | weights from L3, cycles | measured, cycles | error | error "
        "of MACs / 12, and weights |");
  const test::GapNetwork row = test::mobilenetOnGap8();
  const auto with = [&](std::int64_t computed) {
    return errorText(static_cast<double>(computed + row.weights), row.measured);
  };
  fmt::print("| MobileNetV1, 128 x 128 | {} | {} | {} | {} | {} |\n", groupDigits(row.computed),
             groupDigits(row.weights), groupDigits(std::llround(row.measured)), with(row.computed),
             with(row.atRate));
}

}  // namespace

void arrays() {
  systolicArrays();
  spatialArrays();
  ethosArrays();
  pulpCluster();
}

}  // namespace hw::bench
