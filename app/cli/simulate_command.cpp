#include <fmt/format.h>

#include <algorithm>

#include "app/cli/arguments.h"
#include "app/cli/console.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "core/base/check.h"
#include "core/base/text.h"
#include "core/exchange/chrome_trace.h"
#include "core/import/samples.h"
#include "core/plan_file/activities_writer.h"
#include "core/plan_file/events_writer.h"
#include "core/report/run/run_report.h"
#include "core/report/run/simulation_report.h"
#include "core/report/study/dimension_report.h"
#include "core/study/dimension_sweep.h"

namespace hw::cli {
namespace {

struct SimulateCommand {
  explicit SimulateCommand(Arguments& arguments)
      : run_(arguments, kPlanOptions, defaultRequest()),
        output(arguments, {Format::text, Format::json, Format::csv}),
        picture(
            arguments,
            "draw engines and ports in time, and the roofline; with --sweep its chart, as SVG") {
    arguments.output(
        "--events", events, OutputRole::instead,
        {.help = "every event of memory and operators: .csv or .jsonl", .type = "FILE"});
    arguments.output("--activities", activities, OutputRole::beside,
                     {.help = "everything that takes time, with its causes: .csv, .jsonl or .json",
                      .type = "FILE"});
    arguments.output("--trace", trace, OutputRole::beside,
                     {.help = "for viewers of traces, such as Perfetto: .json", .type = "FILE"});
    arguments.option("--sweep", sweep,
                     {.help = "opens the model with each value of a dimension, --threads at a "
                              "time: past=0:2048:64, and shows memory and latency over them",
                      .type = "NAME=FROM:TO:STEP"});
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
    if (!sweep.empty()) return runSweep(format);
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
      const auto one = oneAlone(asked, *simulated);
      HW_DO(output.write(text(*simulated, one.get(), format)));
    }
    output.announce(simulated->timing.ops.empty()
                        ? "no operators are known, so nothing is timed"
                        : "latency " + formatTime(simulated->timing.makespan));
    const ExitCode code = verdict(*simulated);
    keepToTheEnd(std::move(simulated));
    return code;
  }

  /// Of several inferences one, to be held against; null of one, or where that was stopped.
  std::shared_ptr<const Run> oneAlone(const Asked& asked, const Run& simulated) const {
    if (!batchFiguresOf(simulated)) return nullptr;
    RunRequest request = asked.request;
    request.batches = 1;
    auto one = executeWatched(asked.model, request, progressMode(progress, output.quiet()));
    return one ? *std::move(one) : nullptr;
  }

  std::string text(const Run& simulated, const Run* one, Format format) const {
    if (format == Format::json) return jsonDocument(simulationJson(simulated, one));
    if (format == Format::csv) return simulationCsv(simulated);
    return simulationText(simulated, output.textOptions(all), one);
  }

  Outcome<ExitCode> runSweep(Format format) const {
    if (!events.empty() || !activities.empty() || !trace.empty()) {
      return failure(ExitCode::badUsage, "--sweep",
                     "events, activities and traces are of one run: leave them out");
    }
    const auto range = DimensionRange::parse(sweep);
    if (!range) return failure(ExitCode::badUsage, "--sweep", range.error().text());
    HW_TRY(request, run_.request());
    if (request.model == "-") {
      return failure(ExitCode::badUsage, "--sweep",
                     "the model is opened several times: name a file");
    }
    if (request.import.dimensions.contains(range->name)) {
      return failure(ExitCode::badUsage, "--sweep",
                     fmt::format("--dim gives '{}' one value", printable(range->name, 80)));
    }
    StoppableWork work;
    const auto points =
        told(progressMode(progress, output.quiet()), work.token(), [&](const RunContext& context) {
          return sweepDimension(
              *range, [&](std::int64_t value) { return openAt(*range, value, context.stop); },
              request.threads, context);
        });
    return tellSweep(*range, points, request.model, format);
  }

  Result<OpenedModel> openAt(const DimensionRange& range, std::int64_t value,
                             const std::stop_token& stop) const {
    const auto typed = run_.request();
    check(typed.has_value(), "options that were read once to be read again");
    ImportOptions import = typed->import;
    import.dimensions[range.name] = value;
    HW_TRY(model, hw::openModel(typed->model, import, stop));
    auto opened = std::make_shared<const Model>(std::move(model));
    auto asked = run_.request(*opened);
    if (!asked) return fail(ErrorCode::malformed, asked.error().message);
    asked->import = std::move(import);
    return OpenedModel{std::move(opened), *std::move(asked)};
  }

  Outcome<ExitCode> tellSweep(const DimensionRange& range,
                              const std::vector<DimensionPoint>& points, const std::string& model,
                              Format format) const {
    const auto count = range.values().size();
    const auto failed = [](const DimensionPoint& point) { return point.row.error.has_value(); };
    if (points.size() == count && std::ranges::all_of(points, failed)) {
      return failure(*points.front().row.error, model);
    }
    const std::string& name = range.name;
    HW_DO(output.write(format == Format::json ? jsonDocument(dimensionJson(name, points, model))
                       : format == Format::csv
                           ? dimensionCsv(name, points, model)
                           : dimensionText(name, points, output.textOptions())));
    if (picture.wanted())
      HW_DO(picture.write(dimensionSvg(name, points, model, picture.palette())));
    output.announce(countText(points.size(), "value") + " of " + printable(name, 80));
    if (points.size() < count) {
      return failure(ExitCode::interrupted, model,
                     fmt::format("stopped: {} of {} values are done", points.size(), count));
    }
    const bool fit =
        std::ranges::all_of(points, [](const DimensionPoint& point) { return point.row.fits(); });
    return fit ? ExitCode::done : ExitCode::answerIsNo;
  }

  RunArguments run_;
  OutputOptions output;
  PictureOptions picture;
  std::string sweep;
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
              "  highwater simulate model.onnx --picture machine.svg\n"
              "  highwater simulate model.onnx --batches 8 --l2 1MiB -a best:for=latency\n"
              "  highwater simulate decoder.onnx --sweep past=0:2048:64 --picture cache.svg",
          .add = actionOf<SimulateCommand>};
}

}  // namespace hw::cli
