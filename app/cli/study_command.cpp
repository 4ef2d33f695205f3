#include <fmt/format.h>

#include <optional>

#include "app/cli/arguments.h"
#include "app/cli/console.h"
#include "app/cli/output.h"
#include "core/base/text.h"
#include "core/report/study/results.h"
#include "core/report/study/study_query.h"

namespace hw::cli {
namespace {

struct StudyCommand {
  explicit StudyCommand(Arguments& arguments)
      : output(arguments, {Format::text, Format::json, Format::csv}) {
    arguments.positional("RESULTS.db", path, {.help = "what 'highwater sweep -o FILE.db' wrote"});
    arguments.option(
        "--pareto", pareto,
        {.help = "rows that no other of their model is as good as", .type = "FIGURES"});
    arguments.option("--pivot", pivot,
                     {.help = "a table of two axes, of the means of --figure", .type = "A,B"});
    arguments.option("--best-by", best,
                     {.help = "of each model and value of an axis, the row with the least --figure",
                      .type = "AXIS"});
    arguments.option("--baseline", baseline,
                     {.help = "how other values of an axis compare with this one, by --figure",
                      .type = "AXIS=VALUE"});
    arguments.flag("--matters", matters, "which axes --figure depends on");
    arguments.option("--sql", sql,
                     {.help = "the rows of a statement that only reads", .type = "TEXT"});
    arguments.option(
        "--figure", figure,
        {.help = "peak (default), latency, energy, ...: columns of the file", .type = "NAME"});
    arguments.option("--where", where,
                     {.help = "only rows of which this holds: \"model = 'a.onnx' and l2 <> ''\"",
                      .type = "SQL"});
    arguments.flag("--markdown", markdown, "tables as Markdown");
    arguments.flag("--all", all, "all rows of a table of text");
  }

  Outcome<ExitCode> run() const {
    HW_TRY(format, output.format());
    HW_DO(checkQuestion());
    auto results = openResults(path);
    if (!results) return failure(results.error(), "");
    const auto table = answer(*results);
    if (!table) return failure(ExitCode::badUsage, "", table.error().text());
    if (!*table) return tellStatus(*results, format);
    HW_DO(output.write(document(**table, format)));
    return ExitCode::done;
  }

  Outcome<void> checkQuestion() const {
    const int questions = (pareto.empty() ? 0 : 1) + (pivot.empty() ? 0 : 1) +
                          (best.empty() ? 0 : 1) + (baseline.empty() ? 0 : 1) + (matters ? 1 : 0) +
                          (sql.empty() ? 0 : 1);
    if (questions > 1) return failure(ExitCode::badUsage, "", "expected one question at a time");
    if (questions == 0 && !where.empty()) {
      return failure(ExitCode::badUsage, "--where", "expected a question, such as --pareto");
    }
    return {};
  }

  /// Nothing: no question was asked.
  Result<std::optional<ResultTable>> answer(Database& results) const {
    const ResultScope scope{results, where};
    const auto two = [](const std::string& text, char separator) {
      const std::size_t at = std::min(text.find(separator), text.size());
      return std::pair(text.substr(0, at), text.substr(std::min(at + 1, text.size())));
    };
    if (!pareto.empty()) {
      std::vector<std::string> figures;
      for (const std::string_view name : splitText(pareto, ','))
        figures.emplace_back(trimText(name));
      return paretoOf(scope, figures);
    }
    if (!pivot.empty()) {
      const auto [down, across] = two(pivot, ',');
      return pivotOf(scope, down, across, figure);
    }
    if (!best.empty()) return bestBy(scope, best, figure);
    if (!baseline.empty()) {
      const auto [axis, value] = two(baseline, '=');
      return againstBaseline(scope, axis, value, figure);
    }
    if (matters) return whatMatters(scope, figure);
    if (!sql.empty()) return answerSql(results, sql);
    return std::nullopt;
  }

  std::string document(const ResultTable& table, Format format) const {
    if (markdown) return table.markdown();
    if (format == Format::csv) return table.csv();
    if (format == Format::json) {
      return jsonDocument({{"format", "highwater-answer"}, {"version", 1}, {"rows", table.json()}});
    }
    return table.text(output.textOptions(all));
  }

  Outcome<ExitCode> tellStatus(Database& results, Format format) const {
    const auto status = statusOf(results);
    if (!status) return failure(status.error(), "");
    if (format == Format::json) {
      HW_DO(output.write(jsonDocument({{"format", "highwater-study-status"},
                                       {"version", 1},
                                       {"states", status->states},
                                       {"seconds", status->seconds},
                                       {"stale", status->stale}})));
      return ExitCode::done;
    }
    std::string text;
    for (const auto& [state, rows] : status->states) {
      text += fmt::format("  {:<8} {:>12}\n", state, groupDigits(static_cast<std::int64_t>(rows)));
    }
    text += fmt::format("  {:.1f} s of processor time\n", status->seconds);
    for (const auto& [reason, rows] : status->stale) {
      text += fmt::format("  stale: {} ({})\n", reason, countText(rows, "row"));
    }
    HW_DO(output.write(text));
    return ExitCode::done;
  }

  OutputOptions output;
  std::string path;
  std::string pareto;
  std::string pivot;
  std::string best;
  std::string baseline;
  std::string sql;
  std::string figure = "peak";
  std::string where;
  bool matters = false;
  bool markdown = false;
  bool all = false;
};

}  // namespace

CommandInfo studyCommand() {
  return {.name = "study",
          .summary = "asks the results of a sweep",
          .notes =
              "Without a question: how many rows there are, and which are out of date because\n"
              "a model, a platform or the program has changed. Answers are about rows with a\n"
              "plan that fits. Units in names may be left out: latency is latency_ps.\n"
              "\n"
              "Examples:\n"
              "  highwater study results.db\n"
              "  highwater study results.db --pareto peak,latency --where \"model like 'r%'\"\n"
              "  highwater study results.db --pivot l2,allocator --figure latency\n"
              "  highwater study results.db --best-by l2 --figure latency\n"
              "  highwater study results.db --baseline allocator=free-list\n"
              "  highwater study results.db --matters --figure latency\n"
              "  highwater study results.db --sql \"select count(*) from runs\"",
          .add = actionOf<StudyCommand>};
}

}  // namespace hw::cli
