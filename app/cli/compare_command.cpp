#include <fmt/format.h>

#include <algorithm>

#include "app/cli/arguments.h"
#include "app/cli/console.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "core/base/text.h"
#include "core/report/compare/compare_report.h"
#include "core/run/embedded.h"

namespace hw::cli {
namespace {

/// Findings so far, already in the form in which they leave.
class Findings {
 public:
  Findings(Format format, const TextOptions& options, bool several)
      : format_(format), options_(options), several_(several) {}

  void add(const Comparison& comparison, const std::string& file) {
    summary_.add(comparison);
    rows_ += comparison.rows.size();
    stopped_ += comparison.stopped();
    const auto best = std::ranges::find_if(comparison.rows, &ComparisonRow::best);
    if (best != comparison.rows.end()) {
      bests_.push_back(fmt::format("{}best is {} with {}", several_ ? file + ": " : "",
                                   best->allocator.text(), rankedText(*best, comparison.by)));
    }
    noFit_ |= !comparison.rows.front().fits();
    if (format_ == Format::text) {
      text_ += (text_.empty() ? "" : "\n") + comparisonText(comparison, options_);
    } else if (format_ == Format::csv) {
      text_ += comparisonCsv(comparison, file);
    } else {
      list_.push_back(comparisonJson(comparison, file));
    }
  }

  void addUnopened(const std::string& file, const std::string& reason) {
    if (format_ == Format::csv) text_ += unopenedCsv(file, reason);
    if (format_ == Format::json) list_.push_back(unopenedJson(file, reason));
  }

  std::string document() const {
    if (format_ == Format::csv) return comparisonCsvHeader() + text_;
    if (format_ == Format::json) {
      if (!several_) return jsonDocument(list_.front());
      Json all = Json::object();
      all["comparisons"] = list_;
      all["summary"] = summary_.json();
      return jsonDocument(all);
    }
    return several_ && rows_ > 0 ? text_ + "\n" + summary_.text(options_) : text_;
  }

  /// The best, a line a model.
  const std::vector<std::string>& bests() const { return bests_; }
  bool noFit() const { return noFit_; }
  std::size_t rows() const { return rows_; }
  std::size_t stopped() const { return stopped_; }

 private:
  Format format_;
  TextOptions options_;
  bool several_ = false;
  std::string text_;
  Json list_ = Json::array();
  ComparisonSummary summary_;
  std::vector<std::string> bests_;
  std::size_t rows_ = 0;
  std::size_t stopped_ = 0;
  bool noFit_ = false;
};

struct CompareCommand {
  explicit CompareCommand(Arguments& arguments)
      : run_(arguments, kComparedOptions),
        output(arguments, {Format::text, Format::json, Format::csv}),
        picture(arguments, "draw peak against latency, as SVG; of one model") {
    arguments.positional(
        "MODEL", models,
        {.help = "model files, - for standard input, or samples:NAME; one or more"});
    arguments.option("-a,--allocators", allocators,
                     {.help = "which: A,B:key=value,... or all (default)", .type = "LIST"});
    arguments.option("--by", by,
                     {.help = "what rows are sorted by (default: latency where L2 is bounded, else "
                              "peak)",
                      .type = "FIGURE",
                      .choices = {kRankingNames.begin(), kRankingNames.end()}});
    arguments.number(
        "--stop-after", stopAfter,
        {.help = "stop then and keep what is done (default: never)", .type = "SECONDS"});
    arguments.flag("--progress", progress, "tell the progress even if there is no terminal");
  }

  Outcome<ExitCode> run() const {
    HW_TRY(format, output.format());
    HW_TRY(chosen, allocatorsOf("--allocators", allocators));
    HW_TRY(request, run_.request());  // Refused before anything is opened.
    if (picture.wanted() && models.size() > 1) {
      return failure(ExitCode::badUsage, "--picture", "it shows one model");
    }
    Findings findings(format, output.textOptions(), models.size() > 1);
    StoppableWork work(stopAfter);
    ExitCode opening = ExitCode::done;
    std::size_t skipped = 0;
    for (const std::string& name : models) {
      request.model = name;
      const bool skip = work.token().stop_requested() && findings.rows() > 0;
      const auto opened = skip
                              ? failure(ExitCode::interrupted, name, "stopped before it was opened")
                              : openModel(request, work.token());
      if (opened) {
        HW_TRY(asked, run_.request(**opened));
        asked.model = name;
        HW_DO(compare(*opened, name, {asked, choicesFor(**opened, asked, chosen), work.token()},
                      findings));
        continue;
      }
      if (models.size() == 1) return tl::unexpected(opened.error());
      if (!skip) {
        opening = opened.error().code;
        printFailure(opened.error());
      }
      skipped += skip ? 1 : 0;
      findings.addUnopened(name, opened.error().message);
    }
    HW_DO(output.write(findings.document()));
    for (const std::string& line : findings.bests()) output.announce(line);
    return verdict(findings, work, opening, skipped);
  }

  struct Order {
    const RunRequest& request;
    std::vector<AllocatorChoice> choices;
    std::stop_token stop;
  };

  /// Allocators to compare. Of all, the one that the model's author asks for has the author's
  /// parameters.
  static std::vector<AllocatorChoice> choicesFor(const Model& model, const RunRequest& request,
                                                 std::vector<AllocatorChoice> chosen) {
    if (!chosen.empty()) return chosen;
    chosen = allAllocators(*model.graph);
    for (AllocatorChoice& choice : chosen) {
      if (choice.info == request.allocator.info) choice = request.allocator;
    }
    return chosen;
  }

  Outcome<void> compare(const std::shared_ptr<const Model>& model, const std::string& name,
                        const Order& order, Findings& findings) const {
    Comparison comparison =
        told(progressMode(progress, output.quiet()), order.stop, [&](const RunContext& context) {
          return compareAllocators(model, order.request, order.choices, context);
        });
    if (!by.empty()) {
      const auto ranking = std::ranges::find(kRankingNames, by) - kRankingNames.begin();
      comparison.rank(static_cast<Ranking>(ranking));
    }
    findings.add(comparison, name);
    if (!comparison.rows.front().fits() && comparison.stopped() == 0) {
      printFailure({ExitCode::answerIsNo, name, "no allocator found a plan that fits"});
    }
    if (!picture.wanted()) return {};
    const auto svg = paretoSvg(comparison, picture.palette());
    if (!svg) return failure(svg.error(), "--picture");
    return picture.write(*svg);
  }

  static Outcome<ExitCode> verdict(const Findings& findings, const StoppableWork& work,
                                   ExitCode opening, std::size_t skipped) {
    if (findings.stopped() + skipped > 0) {
      return failure(
          work.timedOut() ? ExitCode::answerIsNo : ExitCode::interrupted, "",
          fmt::format(
              "the comparison was stopped: {} of {} rows are done{}",
              findings.rows() - findings.stopped(), findings.rows(),
              skipped > 0 ? fmt::format(", {} not begun", countText(skipped, "model")) : ""));
    }
    if (opening != ExitCode::done) return opening;
    return findings.noFit() ? ExitCode::answerIsNo : ExitCode::done;
  }

  std::vector<std::string> models;
  std::string allocators;
  std::string by;
  RunArguments run_;
  OutputOptions output;
  PictureOptions picture;
  double stopAfter = 0;
  bool progress = false;
};

}  // namespace

CommandInfo compareCommand() {
  return {
      .name = "compare",
      .summary = "plans by several allocators, one row each",
      .notes =
          "Rows are sorted by what --by says; Ctrl-C and --stop-after keep those that are done.\n"
          "Exit code 1: for some model no allocator found a plan that fits, or the time was up;\n"
          "3: some model could not be opened; the others are compared all the same.\n"
          "\n"
          "Examples:\n"
          "  highwater compare samples:resnet50\n"
          "  highwater compare model.onnx -a greedy-by-size,free-list:pick=best --l2 1MiB\n"
          "  highwater compare a.onnx b.onnx c.csv -o table.csv\n"
          "  highwater compare model.onnx --platform ethos-u65-512 --picture front.svg\n"
          "  highwater compare model.onnx --format json",
      .add = actionOf<CompareCommand>};
}

}  // namespace hw::cli
