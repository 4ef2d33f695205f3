#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/cli/arguments.h"
#include "app/cli/console.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "core/base/csv.h"
#include "core/base/text.h"
#include "core/files/file.h"
#include "core/report/compare/compare_report.h"
#include "core/run/embedded.h"
#include "core/study/study.h"

namespace hw::cli {
namespace {

/// Findings so far, already in the form in which they leave.
class Findings {
 public:
  Findings(Format format, TextOptions options, bool several)
      : format_(format), options_(std::move(options)), several_(several) {}

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

namespace {

/// Writes the comparisons of a study one after the other.
class SweepWriter {
 public:
  SweepWriter(std::ostream& out, Format format, const StudySettings& settings)
      : out_(out), csv_(format == Format::csv) {
    if (csv_) {
      for (const auto& [key, value] : settings.at(0).axes) out_ << key << ",";
      out_ << comparisonCsvHeader();
    } else {
      out_ << "{\n  \"format\": \"highwater-sweep\",\n  \"version\": 1,\n  \"runs\": [";
    }
  }

  /// False: it cannot be written.
  bool add(const StudySetting& setting, const Comparison& comparison, const std::string& name) {
    if (csv_) {
      addCsv(setting, comparison, name);
    } else {
      const Json run = {{"setting", settingJson(setting)},
                        {"comparison", comparisonJson(comparison, name)}};
      out_ << (any_ ? ",\n    " : "\n    ") << jsonLine(run);
    }
    any_ = true;
    return out_.good();
  }

  void finish() {
    if (!csv_) out_ << (any_ ? "\n  ]\n}\n" : "]\n}\n");
  }

 private:
  static Json settingJson(const StudySetting& setting) {
    Json json = Json::object();
    for (const auto& [key, value] : setting.axes) json[key] = value;
    return json;
  }

  void addCsv(const StudySetting& setting, const Comparison& comparison, const std::string& name) {
    std::string prefix;
    for (const auto& [key, value] : setting.axes) prefix += csvField(value) + ",";
    for (const CsvLine& line : csvLines(comparisonCsv(comparison, name))) {
      out_ << prefix;
      for (std::size_t i = 0; i < line.fields.size(); ++i) {
        out_ << (i == 0 ? "" : ",") << csvField(line.fields[i]);
      }
      out_ << "\n";
    }
  }

  std::ostream& out_;
  bool csv_;
  bool any_ = false;
};

struct SweepCommand {
  explicit SweepCommand(Arguments& arguments)
      : output(arguments, {Format::csv, Format::json}), plugins(arguments) {
    arguments.positional("STUDY.toml", path,
                         {.help = "what to run, on what; - reads it from "
                                  "standard input"});
    arguments.number("--threads", threads, 1, 1024,
                     {.help = "rows at a time (default: one a "
                              "processor)",
                      .type = "N"});
    arguments.flag("--progress", progress, "tell the progress even if there is no terminal");
  }

  Outcome<ExitCode> run() const {
    HW_TRY(format, output.format());
    const auto text = readFile(path, kTomlLimits.bytes);
    if (!text) return failure(text.error(), path);
    const auto study = parseStudy(*text, plugins.value());
    if (!study) return failure(ExitCode::badInput, path, study.error().text());
    const std::filesystem::path folder =
        path == "-" ? std::filesystem::path() : std::filesystem::path(path).parent_path();
    // Everything is read and understood before anything runs: a mistake in the last line of a study
    // should not cost the hours before it.
    const auto settings = StudySettings::of(*study, folder);
    if (!settings) return failure(ExitCode::badInput, path, settings.error().text());
    StoppableWork work;
    Done done;
    HW_DO(output.write([&](std::ostream& out) {
      SweepWriter writer(out, format, *settings);
      for (const std::string& name : study->models) {
        sweepModel(name, folder, *study, *settings, writer, work.token(), done);
      }
      writer.finish();
    }));
    if (work.token().stop_requested()) {
      return failure(ExitCode::interrupted, path,
                     fmt::format("stopped: {} of {} comparisons were begun and are written",
                                 done.comparisons, settings->size() * study->models.size()));
    }
    output.announce(fmt::format("{} comparisons, {} rows", done.comparisons, done.rows));
    return done.opening;
  }

  /// Results of a study so far.
  struct Done {
    std::size_t comparisons = 0;
    std::size_t rows = 0;
    ExitCode opening = ExitCode::done;  ///< Of the models.
  };

  void sweepModel(const std::string& name, const std::filesystem::path& folder, const Study& study,
                  const StudySettings& settings, SweepWriter& writer, const std::stop_token& stop,
                  Done& done) const {
    RunRequest opened = settings.at(0).request;
    opened.model = name.starts_with("samples:") ? name : (folder / name).string();
    const auto model = openModel(opened, stop);
    if (!model) {
      printFailure(model.error());
      done.opening = model.error().code;
      return;
    }
    ProgressLine line(progressMode(progress, output.quiet()));
    RunContext context{.stop = stop};
    if (const auto callback = line.callback()) {
      context.progress = [=](double part, const std::string& what) {
        callback(part, name + ": " + what);
      };
    }
    const auto take = [&](const StudySetting& setting, const Comparison& comparison) {
      done.rows += comparison.rows.size();
      return writer.add(setting, comparison, name);
    };
    done.comparisons += sweepSettings(*model, settings, study.allocators, threads, context, take);
  }

  OutputOptions output;
  PluginOption plugins;
  std::string path;
  int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  bool progress = false;
};

}  // namespace

CommandInfo sweepCommand() {
  return {.name = "sweep",
          .summary = "many models, memories and allocators: one table",
          .notes =
              "The study lists models, allocators, and values of the options of a run; every\n"
              "combination is run. Ctrl-C stops and keeps what is done.\n"
              "\n"
              "Examples:\n"
              "  highwater sweep study.toml -o study.csv\n"
              "  highwater sweep study.toml -o study.json\n"
              "\n"
              "  # study.toml\n"
              "  models = [\"samples:resnet50\", \"model.onnx\"]\n"
              "  allocators = [\"best\", \"free-list:pick=best\"]\n"
              "  l2 = [\"1MiB\", \"2MiB\", \"unlimited\"]",
          .add = actionOf<SweepCommand>};
}

}  // namespace hw::cli
