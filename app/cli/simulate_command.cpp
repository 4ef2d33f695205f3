#include <limits>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/execution.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "core/base/text.h"
#include "core/report/events_writer.h"
#include "core/report/simulation_report.h"

namespace hw::cli {
namespace {

struct SimulateCommand {
  explicit SimulateCommand(Arguments& arguments)
      : model(arguments),
        allocator(arguments),
        run_(arguments, DefaultMachine::platform),
        output(arguments, {Format::text, Format::json, Format::csv}) {
    arguments.option(
        "--events", events,
        {.help = "every event of memory and operators: .csv or .jsonl", .type = "FILE"});
    arguments.flag("--all", all, "long lists in full");
  }

  Outcome<EventsFormat> eventsFormat() const {
    if (events.ends_with(".csv") || events == "-" || events.empty()) return EventsFormat::csv;
    if (events.ends_with(".jsonl") || events.ends_with(".ndjson")) return EventsFormat::jsonLines;
    return failure(ExitCode::badUsage, events,
                   "the ending says no format for events; expected .csv or .jsonl");
  }

  Outcome<ExitCode> run() const {
    const auto format = output.format();
    if (!format) return tl::unexpected(format.error());
    const auto kind = eventsFormat();
    if (!kind) return tl::unexpected(kind.error());
    const auto choice = allocator.choice();
    if (!choice) return tl::unexpected(choice.error());
    auto config = run_.config();
    if (!config) return tl::unexpected(config.error());
    config->allocator = *choice;
    const auto opened = model.open();
    if (!opened) return tl::unexpected(opened.error());
    const auto simulated = executeWatched(*opened, *config, model.name(), !output.quiet());
    if (!simulated) return tl::unexpected(simulated.error());
    if (!events.empty()) {
      const auto written =
          writeOutput(events, [&](std::ostream& out) { writeEvents(**simulated, *kind, out); });
      if (!written) return tl::unexpected(written.error());
    }
    // Events on standard output would mix with the report.
    if (events != "-" || output.toFile()) {
      if (auto written = output.write(text(**simulated, *format)); !written) {
        return tl::unexpected(written.error());
      }
    }
    output.announce("latency " + formatTime((*simulated)->timing.makespan));
    return verdict(**simulated, model.name());
  }

  std::string text(const Run& simulated, Format format) const {
    switch (format) {
      case Format::json:
        return jsonDocument(simulationJson(simulated));
      case Format::csv:
        return simulationCsv(simulated);
      case Format::text:
        break;
    }
    PlanTextOptions options{.paint = output.toFile() ? Paint() : outputPaint()};
    if (all) options.rows = std::numeric_limits<std::size_t>::max();
    return simulationText(simulated, options);
  }

  ModelOptions model;
  AllocatorOption allocator;
  RunArguments run_;
  OutputOptions output;
  std::string events;
  bool all = false;
};

}  // namespace

CommandInfo simulateCommand() {
  return {.name = "simulate",
          .summary = "runs the plan on a machine: time, traffic, events",
          .notes =
              "Exit code 1: the plan does not fit the machine.\n"
              "\n"
              "Examples:\n"
              "  highwater simulate samples:mobilenet_v1 --platform ethos-u55-256\n"
              "  highwater simulate model.onnx --events events.csv\n"
              "  highwater simulate model.onnx --events - | less",
          .add = [](Arguments& arguments) -> Action {
            return
                [command = std::make_shared<SimulateCommand>(arguments)] { return command->run(); };
          }};
}

}  // namespace hw::cli
