#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/stop.h"
#include "core/base/csv.h"
#include "core/files/file.h"
#include "core/report/compare/compare_report.h"
#include "core/study/sweep.h"

namespace hw::cli {
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

  /// What has come of a study so far.
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
