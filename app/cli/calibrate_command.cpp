#include <fmt/format.h>

#include "app/cli/arguments.h"
#include "app/cli/console.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "core/base/text.h"
#include "core/files/file.h"
#include "core/insight/calibrate.h"
#include "core/machine/platform_writer.h"
#include "core/machine/platforms.h"

namespace hw::cli {
namespace {

SimTime simulated(double micros) { return SimTime(std::llround(std::min(micros * 1e6, 9e18))); }

/// `exact`: numbers as they are, not rounded for people.
Columns<FittedClass> classColumns(const Platform& platform, bool exact) {
  using R = FittedClass;
  const auto cycles = [exact](double value) {
    return exact ? Value(value) : Value(fmt::format("{:.6g}", value));
  };
  const auto unit = [units = platform.devices.front().units](const R& row) {
    return Value(units[row.unit].name);
  };
  const auto worst = [](const R& row) { return row.worst(); };
  return {
      {"unit", "unit", ColumnKind::text, unit},
      {"class", "class", ColumnKind::text,
       [](const R& row) { return Value(kCostClassNames[static_cast<std::size_t>(row.kind)]); }},
      {"operators", "operators", ColumnKind::count,
       [](const R& row) { return Value(row.operators); }},
      {"measured", "measured", ColumnKind::count,
       [](const R& row) { return Value(row.times.size()); }},
      {"call", "cycles a call", ColumnKind::text,
       [cycles](const R& row) { return cycles(row.law.call); }},
      {"each", "for each", ColumnKind::text,
       [cycles](const R& row) { return cycles(row.law.each); }},
      {"counted", "", ColumnKind::text, [](const R& row) { return Value(countedKey(row.kind)); }},
      {"mean_error", "mean error", ColumnKind::ratio,
       [](const R& row) { return row.times.empty() ? Value() : Value(row.meanError()); }},
      {"worst_error", "worst", ColumnKind::excess,
       [worst](const R& row) { return worst(row) ? Value(worst(row)->excess()) : Value(); }},
      {"worst_operator", "at", ColumnKind::text,
       [worst](const R& row) { return worst(row) ? Value(worst(row)->name) : Value(); }}};
}

Columns<FittedTime> networkColumns() {
  using R = FittedTime;
  return {{"network", "network", ColumnKind::text, [](const R& row) { return Value(row.name); }},
          {"measured_ps", "measured", ColumnKind::time,
           [](const R& row) { return Value(simulated(row.measured)); }},
          {"predicted_ps", "predicted", ColumnKind::time,
           [](const R& row) { return Value(simulated(row.predicted)); }},
          {"error", "error", ColumnKind::excess, [](const R& row) { return Value(row.excess()); }}};
}

struct CalibrateCommand {
  explicit CalibrateCommand(Arguments& arguments) : run_(arguments, {OptionGroup::import}) {
    arguments.positional("MODEL", models, {.help = "model files, or samples:NAME"});
    arguments.required("--platform", platform,
                       {.help = "the machine that was measured: its clock, its units and, for "
                                "classes without measurements, its rates",
                        .type = "NAME|FILE"});
    arguments.option("--measured", measured,
                     {.help = "for each MODEL, in their order: FILE.csv with operator,cycles or "
                              "operator,us, a profile of ONNX Runtime, a table of ExecuTorch's "
                              "Inspector, a log of tflite-micro's profiler, a report of ST's "
                              "tools, results of MLPerf Tiny, or \"total=145.8 inf/s\"",
                      .type = "FILE"});
    arguments.output("-o,--output", toml, OutputRole::instead,
                     {.help = "write the platform with its laws, FILE.toml (-: instead of the "
                              "tables)",
                      .type = "FILE"});
    arguments.option(
        "--format", format,
        {.help = "text, json (default: text)", .type = "NAME", .choices = {"text", "json"}});
  }

  Outcome<ExitCode> run() const {
    if (measured.size() != models.size()) {
      return failure(
          ExitCode::badUsage, "--measured",
          fmt::format("expected one for each of {}, there {} {}", countText(models.size(), "model"),
                      measured.size() == 1 ? "is" : "are", measured.size()));
    }
    const auto machine = openPlatform(platform);
    if (!machine) return failure(machine.error(), "");
    std::vector<MeasuredNetwork> networks;
    for (std::size_t i = 0; i < models.size(); ++i) {
      HW_TRY(network, open(models[i], measured[i]));
      networks.push_back(std::move(network));
    }
    const auto found = calibrate(*machine, networks);
    if (!found) return failure(found.error(), measured.size() == 1 ? measured.front() : "");
    if (!toml.empty()) {
      HW_DO(writeOutput(toml, [&](std::ostream& out) { out << platformToml(found->platform); }));
    }
    if (toml == "-") return ExitCode::done;
    const std::string tables = format == "json" ? json(*found) : text(*found);
    HW_DO(writeOutput(
        "-", [&](std::ostream& out) { out << tables; }, format != "json"));
    return ExitCode::done;
  }

  Outcome<MeasuredNetwork> open(const std::string& name, const std::string& measurement) const {
    auto times = parseTotalTime(measurement);
    if (times && !*times) return failure(times->error(), "--measured");
    if (!times) {
      const auto bytes = readFile(measurement);
      if (!bytes) return failure(bytes.error(), measurement);
      times = readOperatorTimes(*bytes);
      if (!*times) return failure(times->error(), measurement);
    }
    HW_TRY(request, run_.request());
    request.model = name;
    beAsMeasured((*times)->profile, run_, request);
    HW_TRY(model, openModel(request));
    if (model->problem) {
      return failure(ExitCode::badInput, name, "a planning problem has no operators");
    }
    return MeasuredNetwork{model->name, model, std::move(**times)};
  }

  static std::string text(const Calibration& found) {
    const Paint paint = outputPaint();
    const auto classes = textTable(classColumns(found.platform, false), found.classes);
    std::string text = section(paint, "classes", found.classes.size(),
                               classes.folded(paint, outputWidth(), 2), found.classes.size());
    text += section(paint, "networks", found.networks.size(),
                    textTable(networkColumns(), found.networks).text(paint), found.networks.size());
    return text + notesText(paint, {&found.notes});
  }

  static std::string json(const Calibration& found) {
    return jsonDocument({{"format", "highwater-calibration"},
                         {"version", 1},
                         {"classes", jsonRows(classColumns(found.platform, true), found.classes)},
                         {"networks", jsonRows(networkColumns(), found.networks)},
                         {"notes", found.notes}});
  }

  RunArguments run_;
  std::vector<std::string> models;
  std::string platform;
  std::vector<std::string> measured;
  std::string toml;
  std::string format;
};

}  // namespace

CommandInfo calibrateCommand() {
  return {
      .name = "calibrate",
      .summary = "fits a machine's cycles to what was measured on it",
      .notes =
          "For each class of operators a law, cycles = a for a call + b for each MAC (or where\n"
          "nothing is multiplied, element), that leaves the least squares of relative errors;\n"
          "written as cycles = \"table\". Operators are matched by name, else by number. Networks\n"
          "that were measured as a whole give cycles a MAC for each class, if there are enough\n"
          "of them, else one part of all rates.\n"
          "\n"
          "Examples:\n"
          "  highwater calibrate model.tflite --platform board.toml --measured times.csv -o "
          "fitted.toml\n"
          "  highwater calibrate a.onnx b.onnx --platform board.toml \\\n"
          "    --measured \"total=12.5 ms\" --measured \"total=145 inf/s\"",
      .add = actionOf<CalibrateCommand>};
}

}  // namespace hw::cli
