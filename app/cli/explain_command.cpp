#include <fmt/format.h>

#include <limits>

#include "app/cli/arguments.h"
#include "app/cli/console.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "core/base/text.h"
#include "core/report/explain/advice_report.h"
#include "core/report/explain/explain_report.h"
#include "core/report/explain/front_report.h"
#include "core/report/explain/op_report.h"
#include "core/report/run/run_report.h"
#include "core/report/run/simulation_report.h"

namespace hw::cli {
namespace {

struct ExplainCommand {
  explicit ExplainCommand(Arguments& arguments)
      : run_(arguments, kPlanOptions), output(arguments, {Format::text, Format::json}) {
    arguments.option("--tensor", tensor,
                     {.help = "why this tensor lies where it lies", .type = "NAME"});
    arguments.option(
        "--op", op,
        {.help = "how long this operator takes and why: time, traffic, what limits it, "
                 "how much of an array it uses",
         .type = "NAME"});
    arguments.flag("--peak", peak,
                   "what makes each memory as large as it is: tensors, holes, walls (default)");
    arguments.number("--step", step, 0, std::numeric_limits<int>::max(),
                     {.help = "the same for one step", .type = "N"});
    arguments.flag("--advice", advice,
                   "what would make memory smaller, each change proved by planning with it");
    arguments.number("--stop-after", stopAfter,
                     {.help = "stop looking for advice then and keep what was proved (default: "
                              "never)",
                      .type = "SECONDS"});
    arguments.flag("--all", all, "long lists in full, and all that the method did with the tensor");
  }

  Outcome<ExitCode> run() const {
    HW_TRY(format, output.format());
    const int questions = (tensor.empty() ? 0 : 1) + (op.empty() ? 0 : 1) + (peak ? 1 : 0) +
                          (step < 0 ? 0 : 1) + (advice ? 1 : 0);
    if (questions > 1) {
      return failure(ExitCode::badUsage, "explain",
                     "give one of --tensor, --op, --peak, --step and --advice");
    }
    if (stopAfter > 0 && !advice) {
      return failure(ExitCode::badUsage, "--stop-after",
                     "it is about --advice, which is not given");
    }
    HW_TRY(asked, run_.open());
    HW_TRY(planned, executeWatched(asked.model, asked.request, progressMode(false, output.quiet()),
                                   all && !tensor.empty()));
    if (advice) return advised(planned, format);
    HW_DO(!op.empty()      ? explainOp(*planned, format)
          : tensor.empty() ? explainMoment(*planned, format)
                           : explainTensor(*planned, format));
    output.announce("explained");
    return ExitCode::done;
  }

  Outcome<ExitCode> advised(const std::shared_ptr<const Run>& planned, Format format) const {
    StoppableWork work(stopAfter);
    const AdviceReport report =
        told(progressMode(false, output.quiet()), work.token(),
             [&](const RunContext& context) { return advise(planned, {}, context); });
    HW_DO(output.write(format == Format::json ? jsonDocument(adviceJson(report))
                                              : adviceReportText(report, output.textOptions(all))));
    output.announce(adviceSummary(report));
    if (!report.stopped || work.timedOut()) return ExitCode::done;
    return failure(ExitCode::interrupted, planned->request.model, adviceSummary(report));
  }

  Outcome<void> explainTensor(const Run& planned, Format format) const {
    const auto id = plannedTensor(planned, tensor);
    if (!id) return failure(ExitCode::badUsage, "--tensor", id.error().text());
    if (format == Format::json) {
      return output.write(jsonDocument(explainTensorJson(planned, *id)));
    }
    return output.write(explainTensorText(planned, *id, output.textOptions(all)));
  }

  Outcome<void> explainOp(const Run& planned, Format format) const {
    const auto at = plannedOp(planned, op);
    if (!at) return failure(ExitCode::badUsage, "--op", at.error().text());
    return output.write(format == Format::json
                            ? jsonDocument(explainOpJson(planned, *at))
                            : explainOpText(planned, *at, output.textOptions(all)));
  }

  Outcome<void> explainMoment(const Run& planned, Format format) const {
    const auto at = step < 0 ? std::nullopt : std::optional(Step(step));
    if (at && *at >= planned.problem.steps) {
      return failure(ExitCode::badUsage, "--step",
                     fmt::format("there is no step {}: the last one is {}", step,
                                 planned.problem.steps.count() - 1));
    }
    if (format == Format::json) {
      return output.write(jsonDocument(explainMomentJson(planned, at)));
    }
    return output.write(explainMomentText(planned, at, output.textOptions(all)));
  }

  RunArguments run_;
  OutputOptions output;
  std::string tensor;
  std::string op;
  bool peak = false;
  bool advice = false;
  double stopAfter = 0;
  int step = -1;
  bool all = false;
};

}  // namespace

CommandInfo explainCommand() {
  return {.name = "explain",
          .summary = "why a tensor lies where it lies, what fills memory, what would help",
          .notes =
              "Without --platform, --l2 or --l3 both memories are unlimited.\n"
              "A plan that does not fit is explained too: fragmentation or exhaustion.\n"
              "\n"
              "Examples:\n"
              "  highwater explain samples:resnet50 --peak\n"
              "  highwater explain model.onnx --tensor conv1_out -a free-list\n"
              "  highwater explain model.onnx --op conv1 --platform ethos-u55-256\n"
              "  highwater explain model.onnx --step 12 --format json\n"
              "  highwater explain model.onnx --advice -a greedy-by-size",
          .add = actionOf<ExplainCommand>};
}

namespace {

enum class ReportFormat { html, markdown, json, csv };

struct ReportCommand {
  explicit ReportCommand(Arguments& arguments) : run_(arguments, kPlanOptions, defaultRequest()) {
    arguments.required("-o,--output", path,
                       {.help = "FILE.html, .md, .json or .csv; - with --format", .type = "FILE"});
    arguments.option("--format", format,
                     {.help = "when the ending does not say",
                      .type = "NAME",
                      .choices = {"html", "md", "json", "csv"}});
    arguments.option(
        "--compare", compare,
        {.help = "adds a table of these allocators: A,B:key=value,... or all", .type = "LIST"});
    arguments.option("--axis", axis,
                     {.help = "of the pictures: steps (default), or time with the engines",
                      .type = "NAME",
                      .choices = {"steps", "time"}});
    arguments.option("--measured", measured,
                     {.help = "a profile of a runtime: operators run in its order, and what was "
                              "measured is shown beside what is simulated",
                      .type = "FILE"});
    arguments.flag("--advice", advice, "adds what would make memory smaller, proved by planning");
    arguments.flag("--shrink", shrunk,
                   "adds what rewrites come to: bytes against multiplications and latency");
    arguments.flag("--method", method, "adds what the method did, tick by tick, and its lists");
    arguments.flag("-q,--quiet", quiet, "no progress and no summary");
  }

  Outcome<ReportFormat> reportFormat() const {
    const auto is = [&](const char* name, const char* ending) {
      return format == name || (format.empty() && path.ends_with(ending));
    };
    if (is("html", ".html") || (format.empty() && path.ends_with(".htm"))) {
      return ReportFormat::html;
    }
    if (is("md", ".md")) return ReportFormat::markdown;
    if (is("json", ".json")) return ReportFormat::json;
    if (is("csv", ".csv")) return ReportFormat::csv;
    return failure(ExitCode::badUsage, path,
                   "the ending says no format for a report; expected .html, .md, .json or .csv, "
                   "or --format");
  }

  Outcome<ExitCode> run() const {
    HW_TRY(form, reportFormat());
    if (advice && (form == ReportFormat::json || form == ReportFormat::csv)) {
      return failure(ExitCode::badUsage, "--advice",
                     "it goes into HTML and Markdown; 'highwater explain --advice' writes JSON");
    }
    if (shrunk && (form == ReportFormat::json || form == ReportFormat::csv)) {
      return failure(
          ExitCode::badUsage, "--shrink",
          "it goes into HTML and Markdown; 'highwater shrink --format json' writes JSON");
    }
    if (method && form == ReportFormat::csv) {
      return failure(ExitCode::badUsage, "--method", "it goes into HTML, Markdown and JSON");
    }
    if (!measured.empty()) return runMeasured(form);
    std::optional<std::vector<AllocatorChoice>> others;
    if (!compare.empty()) {
      HW_TRY(parsed, allocatorsOf("--compare", compare));
      others = std::move(parsed);
    }
    HW_TRY(asked, run_.open());
    const auto mode = progressMode(false, quiet);
    HW_TRY(planned, executeWatched(asked.model, asked.request, mode, method));
    std::optional<Comparison> comparison;
    if (others) {
      StoppableWork work;
      comparison = told(mode, work.token(), [&](const RunContext& context) {
        return compareAllocators(asked.model, asked.request, *others, context);
      });
    }
    HW_TRY(text, document(planned, comparison ? &*comparison : nullptr, form));
    HW_DO(writeOutput(path, [&](std::ostream& out) { out << text; }));
    return verdict(*planned);
  }

  Outcome<ExitCode> runMeasured(ReportFormat form) const {
    if (form == ReportFormat::json || form == ReportFormat::csv) {
      return failure(
          ExitCode::badUsage, "--measured",
          "it goes into HTML and Markdown; 'highwater diff MODEL FILE' writes JSON, CSV");
    }
    if (!compare.empty() || shrunk || advice || method) {
      return failure(ExitCode::badUsage, "--measured",
                     "it cannot be together with --compare, --advice, --shrink or --method");
    }
    HW_TRY(typed, run_.request());
    HW_TRY(beside, runBeside(typed.model, measured, run_, {}, progressMode(false, quiet)));
    RunRequest asked = beside.run->request;
    asked.moves.clear();  // They are the measurement's.
    const char* ending = form == ReportFormat::html ? "html" : "md";
    RunReport report = makeReport(
        *beside.run, nullptr,
        commandForReport(asked, ending, {.axis = unit()}) + " --measured " + shellWord(measured),
        unit());
    std::vector<ReportTable> tables = measuredTables(beside);
    report.tables.insert(report.tables.begin(), tables.begin(), tables.end());
    for (const std::string& note : beside.diff.notes) report.notes.push_back(note);
    if (beside.diff.memory) report.measured = measuredScene(beside);
    const std::string text =
        form == ReportFormat::html ? reportHtml(*beside.run, report) : reportMarkdown(report);
    HW_DO(writeOutput(path, [&](std::ostream& out) { out << text; }));
    return verdict(*beside.run);
  }

  AxisUnit unit() const { return axis == "time" ? AxisUnit::time : AxisUnit::step; }

  /// The report for people, with the advice that was asked for.
  Outcome<RunReport> made(const std::shared_ptr<const Run>& planned, const Comparison* comparison,
                          const std::string& command) const {
    RunReport report = makeReport(*planned, comparison, command, unit());
    for (ReportTable& table : methodReportTables(*planned)) {
      report.tables.push_back(std::move(table));
    }
    if (!advice && !shrunk) return report;
    StoppableWork work;
    ProgressLine line(progressMode(false, quiet));
    const RunContext context{.stop = work.token(), .progress = line.callback()};
    if (advice) report.tables.push_back(adviceTable(advise(planned, {}, context)));
    if (!shrunk) return report;
    const auto front = shrink(planned->model, planned->request, {}, context);
    if (!front) return failure(front.error(), planned->request.model);
    for (ReportTable& table : shrinkTables(*front)) report.tables.push_back(std::move(table));
    return report;
  }

  Outcome<std::string> document(const std::shared_ptr<const Run>& planned,
                                const Comparison* comparison, ReportFormat form) const {
    static constexpr const char* kReportEndings[] = {"html", "md", "json", "csv"};
    const std::string command =
        commandForReport(planned->request, kReportEndings[static_cast<int>(form)],
                         {.comparison = comparison,
                          .axis = unit(),
                          .advice = advice,
                          .shrink = shrunk,
                          .method = method});
    switch (form) {
      case ReportFormat::html:
      case ReportFormat::markdown: {
        HW_TRY(report, made(planned, comparison, command));
        return form == ReportFormat::html ? reportHtml(*planned, report) : reportMarkdown(report);
      }
      case ReportFormat::json:
        return jsonDocument(reportJson(*planned, comparison, command));
      case ReportFormat::csv:
        break;
    }
    return reportCsv(*planned);
  }

  RunArguments run_;
  std::string path;
  std::string format;
  std::string compare;
  std::string axis;
  std::string measured;
  bool advice = false;
  bool shrunk = false;
  bool method = false;
  bool quiet = false;
};

}  // namespace

CommandInfo reportCommand() {
  return {
      .name = "report",
      .summary = "one document about a plan: figures, pictures, tables",
      .notes =
          "HTML is one file that loads nothing; Markdown has no pictures; CSV is the table of\n"
          "operators (of buffers for a planning problem). Equal input gives equal bytes.\n"
          "Exit code 1: the plan does not fit; the report says so and is written all the same.\n"
          "\n"
          "Examples:\n"
          "  highwater report samples:resnet50 -o resnet50.html --compare all\n"
          "  highwater report model.onnx --l2 1MiB -o - --format md\n"
          "  highwater report model.onnx --shrink -o less.html\n"
          "  highwater report model.onnx --measured profile.json -o beside.html",
      .add = actionOf<ReportCommand>};
}

}  // namespace hw::cli
