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
#include "core/study/study.h"

namespace hw::cli {
namespace {

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
    const auto text = readFile(path);
    if (!text) return failure(text.error(), path);
    const auto study = parseStudy(*text, plugins.value());
    if (!study) return failure(ExitCode::badInput, path, study.error().text());
    const std::filesystem::path folder =
        path == "-" ? std::filesystem::path() : std::filesystem::path(path).parent_path();
    // Everything is read and understood before anything runs: a mistake in the last line of a study
    // should not cost the hours before it.
    auto settings = settingsOf(*study, folder);
    if (!settings) return failure(ExitCode::badInput, path, settings.error().text());
    for (StudySetting& setting : *settings) setting.request.threads = threads;
    StoppableWork work;
    std::string csv;
    for (const auto& [key, value] : settings->front().axes) csv += key + ",";
    csv += comparisonCsvHeader();
    Json runs = Json::array();
    ExitCode opening = ExitCode::done;
    std::size_t done = 0;
    std::size_t rows = 0;
    for (const std::string& name : study->models) {
      RunRequest opened = settings->front().request;
      opened.model = name.starts_with("samples:") ? name : (folder / name).string();
      const auto model = openModel(opened, work.token());
      if (!model) {
        printFailure(model.error());
        opening = model.error().code;
        continue;
      }
      for (std::size_t i = 0; i < settings->size(); ++i) {
        if (work.token().stop_requested()) break;
        const StudySetting& setting = (*settings)[i];
        const std::string place =
            fmt::format("{}, setting {} of {}", name, i + 1, settings->size());
        const Comparison comparison = compared(*model, setting, *study, place, work.token());
        addCsv(csv, setting, comparison, name);
        rows += comparison.rows.size();
        runs.push_back(
            {{"setting", settingJson(setting)}, {"comparison", comparisonJson(comparison, name)}});
        ++done;
      }
    }
    HW_DO(write(format, csv, runs));
    const std::size_t all = settings->size() * study->models.size();
    if (work.token().stop_requested()) {
      return failure(
          ExitCode::interrupted, path,
          fmt::format("stopped: {} of {} comparisons were begun and are written", done, all));
    }
    output.announce(fmt::format("{} comparisons, {} rows", done, rows));
    return opening;
  }

  Comparison compared(const std::shared_ptr<const Model>& model, const StudySetting& setting,
                      const Study& study, const std::string& place, std::stop_token stop) const {
    ProgressLine line(progressMode(progress, output.quiet()));
    std::function<void(double, const std::string&)> tell;
    if (const auto callback = line.callback()) {
      tell = [=](double done, const std::string& what) { callback(done, place + ": " + what); };
    }
    return compareAllocators(model, setting.request, study.allocators,
                             {.stop = std::move(stop), .progress = tell});
  }

  static Json settingJson(const StudySetting& setting) {
    Json json = Json::object();
    for (const auto& [key, value] : setting.axes) json[key] = value;
    return json;
  }

  static void addCsv(std::string& csv, const StudySetting& setting, const Comparison& comparison,
                     const std::string& name) {
    std::string prefix;
    for (const auto& [key, value] : setting.axes) prefix += csvField(value) + ",";
    for (const CsvLine& line : csvLines(comparisonCsv(comparison, name))) {
      csv += prefix;
      for (std::size_t i = 0; i < line.fields.size(); ++i) {
        csv += (i == 0 ? "" : ",") + csvField(line.fields[i]);
      }
      csv += "\n";
    }
  }

  Outcome<void> write(Format format, const std::string& csv, const Json& runs) const {
    if (format == Format::csv) return output.write(csv);
    Json document = {{"format", "highwater-sweep"}, {"version", 1}};
    document["runs"] = runs;
    return output.write(jsonDocument(document));
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
