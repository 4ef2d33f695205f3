#include <fmt/format.h>

#include "app/cli/arguments.h"
#include "app/cli/console.h"
#include "app/cli/output.h"
#include "core/base/text.h"
#include "core/report/study/results.h"
#include "core/report/study/study_page.h"
#include "core/report/study/study_picture.h"
#include "core/report/study/study_query.h"
#include "core/report/study/study_rules.h"

namespace hw::cli {
namespace {

struct StudyCommand {
  explicit StudyCommand(Arguments& arguments)
      : output(arguments, {Format::text, Format::json, Format::csv, Format::html}),
        picture(arguments, "draw --pareto peak,latency of one model, as SVG") {
    arguments.positional("RESULTS.db", path, {.help = "what 'highwater sweep -o FILE.db' wrote"});
    arguments.option(
        "--pareto", asked.pareto,
        {.help = "rows that no other of their model is as good as", .type = "FIGURES"});
    arguments.option("--pivot", asked.pivot,
                     {.help = "a table of two axes, of the means of --figure", .type = "A,B"});
    arguments.option("--best-by", asked.bestBy,
                     {.help = "of each model and value of an axis, the row with the least --figure",
                      .type = "AXIS"});
    arguments.option("--baseline", asked.baseline,
                     {.help = "how other values of an axis compare with this one, by --figure",
                      .type = "AXIS=VALUE"});
    arguments.flag("--matters", asked.matters, "which axes --figure depends on");
    arguments.option("--sql", asked.sql,
                     {.help = "the rows of a statement that only reads", .type = "TEXT"});
    arguments.option(
        "--figure", asked.figure,
        {.help = "peak (default), latency, energy, ...: columns of the file", .type = "NAME"});
    arguments.option("--where", asked.where,
                     {.help = "only rows of which this holds: \"model = 'a.onnx' and l2 <> ''\"",
                      .type = "SQL"});
    arguments.flag("--markdown", markdown, "tables as Markdown");
    arguments.flag("--lines", lines, "JSON as an object a line, for other programs");
    arguments.flag("--all", all, "all rows of a table of text");
  }

  Outcome<ExitCode> run() const {
    HW_TRY(format, output.format());
    if (picture.wanted() && asked.pareto.empty()) {
      return failure(ExitCode::badUsage, "--picture", "it shows a front: --pareto peak,latency");
    }
    auto results = openResults(path);
    if (!results) return failure(results.error(), "");
    if (format == Format::html) return writePage();
    const auto table = answerStudy(*results, asked);
    if (!table) return failure(ExitCode::badUsage, "", table.error().text());
    if (!*table) return tellStatus(*results, format);
    HW_DO(output.write(document(**table, format)));
    return draw(*results);
  }

  /// Everything about one figure, with its pictures.
  Outcome<ExitCode> writePage() const {
    if (asked.count() > 0) {
      return failure(ExitCode::badUsage, "--format",
                     "html is a page about all results, by --figure: leave the question out");
    }
    const auto key = figureNamed(asked.figure);
    if (!key) return failure(ExitCode::badUsage, "--figure", key.error().text());
    const auto file = readStudyFile(path, asked.where, *key);
    if (!file) return failure(file.error(), "");
    const std::string where = asked.where.empty() ? "" : " --where " + shellWord(asked.where);
    const auto page = studyPage(*file, asked.figure,
                                fmt::format("highwater study {} --format html --figure {}{}",
                                            shellWord(path), asked.figure, where));
    if (!page) return failure(ExitCode::badUsage, "--figure", page.error().text());
    HW_DO(output.write(*page));
    return ExitCode::done;
  }

  Outcome<ExitCode> draw(Database& results) const {
    if (!picture.wanted()) return ExitCode::done;
    std::vector<std::string> figures;
    for (const auto name : splitText(asked.pareto, ',')) figures.emplace_back(trimText(name));
    const auto svg = paretoPicture({results, asked.where}, figures, picture.palette());
    if (!svg) return failure(ExitCode::badUsage, "--picture", svg.error().text());
    HW_DO(picture.write(*svg));
    return ExitCode::done;
  }

  std::string document(const ResultTable& table, Format format) const {
    if (markdown) return table.markdown();
    if (lines) return table.jsonLines();
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
                                       {"stale", status->stale},
                                       {"constraints", status->constraints},
                                       {"unmet", status->unmet}})));
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
    if (!status->constraints.empty()) {
      text += fmt::format("  unmet: {} ({} within capacity)\n", status->constraints,
                          countText(status->unmet, "row"));
    }
    HW_DO(output.write(text));
    return ExitCode::done;
  }

  OutputOptions output;
  PictureOptions picture;
  std::string path;
  StudyQuestion asked;
  bool markdown = false;
  bool lines = false;
  bool all = false;
};

}  // namespace

CommandInfo studyCommand() {
  return {.name = "study",
          .summary = "asks the results of a sweep",
          .notes =
              "Without a question: how many rows there are, and which are out of date because\n"
              "a model, a platform or the program has changed. Answers are about rows with a\n"
              "plan that fits and meets the constraints of the study. Units in names may be left\n"
              "out: latency is latency_ps.\n"
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
