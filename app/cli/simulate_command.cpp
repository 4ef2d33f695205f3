#include "app/cli/arguments.h"
#include "app/cli/console.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "core/base/text.h"
#include "core/exchange/chrome_trace.h"
#include "core/plan_file/activities_writer.h"
#include "core/plan_file/events_writer.h"
#include "core/report/run/run_report.h"
#include "core/report/run/simulation_report.h"

namespace hw::cli {
namespace {

struct SimulateCommand {
  explicit SimulateCommand(Arguments& arguments)
      : run_(arguments, kPlanOptions, defaultRequest()),
        output(arguments, {Format::text, Format::json, Format::csv}),
        picture(arguments, "draw engines and ports in time, and the roofline, as SVG") {
    arguments.output(
        "--events", events, OutputRole::instead,
        {.help = "every event of memory and operators: .csv or .jsonl", .type = "FILE"});
    arguments.output("--activities", activities, OutputRole::beside,
                     {.help = "everything that takes time, with its causes: .csv, .jsonl or .json",
                      .type = "FILE"});
    arguments.output("--trace", trace, OutputRole::beside,
                     {.help = "for viewers of traces, such as Perfetto: .json", .type = "FILE"});
    arguments.flag("--all", all, "long lists in full");
    arguments.flag("--progress", progress, "tell the progress even if there is no terminal");
  }

  Outcome<EventsFormat> eventsFormat() const {
    if (events.ends_with(".csv") || events == "-" || events.empty()) return EventsFormat::csv;
    if (events.ends_with(".jsonl") || events.ends_with(".ndjson")) return EventsFormat::jsonLines;
    return failure(ExitCode::badUsage, events,
                   "the ending says no format for events; expected .csv or .jsonl");
  }

  Outcome<ActivitiesFormat> activitiesFormat() const {
    if (activities.ends_with(".csv") || activities.empty()) return ActivitiesFormat::csv;
    if (activities.ends_with(".jsonl")) return ActivitiesFormat::jsonLines;
    if (activities.ends_with(".json")) return ActivitiesFormat::json;
    return failure(ExitCode::badUsage, activities,
                   "the ending says no format for activities; expected .csv, .jsonl or .json");
  }

  Outcome<void> checkTrace() const {
    if (trace.ends_with(".json") || trace.empty()) return {};
    return failure(ExitCode::badUsage, trace,
                   "the ending says no format for traces; expected .json");
  }

  Outcome<ExitCode> run() const {
    HW_TRY(format, output.format());
    HW_TRY(kind, eventsFormat());
    HW_TRY(table, activitiesFormat());
    HW_DO(checkTrace());
    HW_TRY(asked, run_.open());
    HW_TRY(simulated,
           executeWatched(asked.model, asked.request, progressMode(progress, output.quiet())));
    if (!events.empty()) {
      HW_DO(writeOutput(events, [&](std::ostream& out) { writeEvents(*simulated, kind, out); }));
    }
    if (!activities.empty()) {
      HW_DO(writeOutput(activities,
                        [&](std::ostream& out) { writeActivities(*simulated, table, out); }));
    }
    if (!trace.empty()) {
      HW_DO(writeOutput(trace, [&](std::ostream& out) { writeChromeTrace(*simulated, out); }));
    }
    if (picture.wanted()) {
      if (!isTimed(*simulated)) {
        return failure(ExitCode::badUsage, "--picture", "nothing of this run is timed");
      }
      HW_DO(picture.write(machineSvg(*simulated, picture.palette())));
    }
    // Events on standard output would mix with the report.
    if (events != "-" || output.toFile()) {
      HW_DO(output.write(text(*simulated, format)));
    }
    output.announce(simulated->timing.ops.empty()
                        ? "no operators are known, so nothing is timed"
                        : "latency " + formatTime(simulated->timing.makespan));
    return verdict(*simulated);
  }

  std::string text(const Run& simulated, Format format) const {
    if (format == Format::json) return jsonDocument(simulationJson(simulated));
    if (format == Format::csv) return simulationCsv(simulated);
    return simulationText(simulated, output.textOptions(all));
  }

  RunArguments run_;
  OutputOptions output;
  PictureOptions picture;
  std::string events;
  std::string activities;
  std::string trace;
  bool all = false;
  bool progress = false;
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
              "  highwater simulate model.onnx --events - | less\n"
              "  highwater simulate model.onnx --activities activities.json\n"
              "  highwater simulate model.onnx --trace model.trace.json\n"
              "  highwater simulate model.onnx --picture machine.svg",
          .add = actionOf<SimulateCommand>};
}

}  // namespace hw::cli
