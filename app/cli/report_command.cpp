#include "app/cli/command_line.h"
#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/execution.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/stop.h"
#include "core/report/advice_report.h"
#include "core/report/run_report.h"
#include "core/report/simulation_report.h"

namespace hw::cli {
namespace {

enum class ReportFormat { html, markdown, json, csv };

struct ReportCommand {
  explicit ReportCommand(Arguments& arguments)
      : model(arguments), allocator(arguments), run_(arguments, DefaultMachine::platform) {
    arguments.required("-o,--output", path,
                       {.help = "FILE.html, .md, .json or .csv; - with --format", .type = "FILE"});
    arguments.option("--format", format,
                     {.help = "when the ending does not say",
                      .type = "NAME",
                      .choices = {"html", "md", "json", "csv"}});
    arguments.option(
        "--compare", compare,
        {.help = "adds a table of these allocators: A,B:key=value,... or all", .type = "LIST"});
    arguments.flag("--advice", advice, "adds what would make memory smaller, proved by planning");
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
    const auto form = reportFormat();
    if (!form) return tl::unexpected(form.error());
    if (advice && (*form == ReportFormat::json || *form == ReportFormat::csv)) {
      return failure(ExitCode::badUsage, "--advice",
                     "it goes into HTML and Markdown; 'highwater explain --advice' writes JSON");
    }
    const auto choice = allocator.choice();
    if (!choice) return tl::unexpected(choice.error());
    std::vector<AllocatorChoice> others;
    if (!compare.empty()) {
      auto parsed = parseAllocators("--compare", compare);
      if (!parsed) return tl::unexpected(parsed.error());
      others = std::move(*parsed);
    }
    auto config = run_.config();
    if (!config) return tl::unexpected(config.error());
    config->allocator = *choice;
    const auto opened = model.open();
    if (!opened) return tl::unexpected(opened.error());
    const auto planned = executeWatched(*opened, *config, model.name(), !quiet);
    if (!planned) return tl::unexpected(planned.error());
    std::optional<Comparison> comparison;
    if (!others.empty()) {
      StoppableWork work;
      ProgressLine line(quiet ? ProgressMode::never : ProgressMode::onTerminal);
      comparison = compareAllocators(*opened, *config, others,
                                     {.stop = work.token(), .progress = line.callback()});
    }
    const std::string text = document(*planned, comparison ? &*comparison : nullptr, *form);
    const auto written = writeOutput(path, [&](std::ostream& out) { out << text; });
    if (!written) return tl::unexpected(written.error());
    return verdict(**planned, model.name());
  }

  /// The report for people, with the advice that was asked for.
  RunReport made(const std::shared_ptr<const Run>& planned, const Comparison* comparison,
                 const std::string& command) const {
    RunReport report = makeReport(*planned, comparison, command);
    if (!advice) return report;
    StoppableWork work;
    ProgressLine line(quiet ? ProgressMode::never : ProgressMode::onTerminal);
    report.tables.push_back(
        adviceTable(advise(planned, {}, {.stop = work.token(), .progress = line.callback()})));
    return report;
  }

  std::string document(const std::shared_ptr<const Run>& planned, const Comparison* comparison,
                       ReportFormat form) const {
    static constexpr const char* kNames[] = {"report.html", "report.md", "report.json",
                                             "report.csv"};
    const std::string command = commandLine(path, kNames[static_cast<int>(form)]);
    switch (form) {
      case ReportFormat::html:
        return reportHtml(*planned, made(planned, comparison, command));
      case ReportFormat::markdown:
        return reportMarkdown(made(planned, comparison, command));
      case ReportFormat::json:
        return jsonDocument(reportJson(*planned, comparison, command));
      case ReportFormat::csv:
        break;
    }
    return reportCsv(*planned);
  }

  ModelOptions model;
  AllocatorOption allocator;
  RunArguments run_;
  std::string path;
  std::string format;
  std::string compare;
  bool advice = false;
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
          "  highwater report model.onnx --l2 1MiB -o - --format md",
      .add = [](Arguments& arguments) -> Action {
        return [command = std::make_shared<ReportCommand>(arguments)] { return command->run(); };
      }};
}

}  // namespace hw::cli
