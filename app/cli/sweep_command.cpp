#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/stop.h"
#include "core/base/csv.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/memory/platforms.h"
#include "core/report/compare_report.h"
#include "core/run/study.h"

namespace hw::cli {
namespace {

/// The choices of a study that stand for one comparison, as the study says them.
struct Setting {
  std::string platform, l2, l3, align, alias, inputs, outputs, seed;

  Json json() const {
    return {{"platform", platform}, {"l2", l2},         {"l3", l3},           {"align", align},
            {"alias", alias},       {"inputs", inputs}, {"outputs", outputs}, {"seed", seed}};
  }
};

std::vector<Setting> settingsOf(const Study& study) {
  std::vector<Setting> settings{{}};
  const auto times = [&](const std::vector<std::string>& values, std::string Setting::*field) {
    std::vector<Setting> product;
    for (const Setting& setting : settings) {
      for (const std::string& value : values) {
        product.push_back(setting);
        product.back().*field = value;
      }
    }
    settings = std::move(product);
  };
  times(study.platforms, &Setting::platform);
  times(study.l2, &Setting::l2);
  times(study.l3, &Setting::l3);
  times(study.align, &Setting::align);
  times(study.alias, &Setting::alias);
  times(study.inputs, &Setting::inputs);
  times(study.outputs, &Setting::outputs);
  times(study.seeds, &Setting::seed);
  return settings;
}

Outcome<bool> inArena(const std::string& option, const std::string& text) {
  if (text.empty() || text == "arena") return true;
  if (text == "external") return false;
  return failure(ExitCode::badUsage, option, fmt::format("'{}' is not arena or external", text));
}

/// What a setting means; errors are about the key of the study.
Outcome<RunConfig> configOf(const Setting& setting, const std::filesystem::path& folder) {
  RunConfig config;
  std::string platform = setting.platform;
  if (platform.ends_with(".toml") || platform.find('/') != std::string::npos) {
    platform = (folder / platform).string();
  }
  auto machine = platform.empty() ? Outcome<Platform>(platformCatalog().front())
                                  : parsePlatformName("platforms", platform);
  if (!machine) return tl::unexpected(machine.error());
  config.platform = std::move(*machine);
  const PoolSize fallback{.kind = platform.empty() ? PoolSize::Kind::unbounded
                                                   : PoolSize::Kind::platform};
  const auto l2 = parsePoolSize("l2", setting.l2, fallback);
  if (!l2) return tl::unexpected(l2.error());
  const auto l3 = parsePoolSize("l3", setting.l3, fallback);
  if (!l3) return tl::unexpected(l3.error());
  const auto alignment = parseAlignment("align", setting.align);
  if (!alignment) return tl::unexpected(alignment.error());
  const auto alias = parseAlias("alias", setting.alias);
  if (!alias) return tl::unexpected(alias.error());
  const auto inputs = inArena("inputs", setting.inputs);
  if (!inputs) return tl::unexpected(inputs.error());
  const auto outputs = inArena("outputs", setting.outputs);
  if (!outputs) return tl::unexpected(outputs.error());
  const auto seed = setting.seed.empty() ? 1 : parseInteger(setting.seed);
  if (!seed || *seed < 0) {
    return failure(ExitCode::badUsage, "seeds",
                   fmt::format("'{}' is not a whole number from 0", setting.seed));
  }
  config.l2 = *l2;
  config.l3 = *l3;
  config.alignment = *alignment;
  config.alias = *alias;
  config.planInputs = *inputs;
  config.planOutputs = *outputs;
  config.seed = static_cast<std::uint64_t>(*seed);
  return config;
}

struct SweepCommand {
  explicit SweepCommand(Arguments& arguments) : output(arguments, {Format::csv, Format::json}) {
    arguments.positional("STUDY.toml", path,
                         {.help = "what to run, on what; - reads it from "
                                  "standard input"});
    arguments.number("--threads", threads, 1, 1024,
                     {.help = "rows at a time (default: one a "
                              "processor)",
                      .type = "N"});
    arguments.flag("--progress", progress, "tell the progress even if there is no terminal");
  }

  /// Everything is read and understood before anything runs: a mistake in the last line of a study
  /// should not cost the hours before it.
  struct Plan {
    std::vector<Setting> settings{};
    std::vector<RunConfig> configs{};
    std::vector<AllocatorChoice> allocators{};
    ImportOptions dimensions{};
  };

  Outcome<Plan> understood(const Study& study, const std::filesystem::path& folder) const {
    const auto about = [&](const Failure& wrong) {
      return failure(ExitCode::badInput, path, wrong.subject + ": " + wrong.message);
    };
    Plan plan{.settings = settingsOf(study)};
    for (const Setting& setting : plan.settings) {
      auto config = configOf(setting, folder);
      if (!config) return about(config.error());
      config->threads = threads;
      config->timeLimit = study.timeLimit;
      plan.configs.push_back(std::move(*config));
    }
    std::vector<std::string> names = study.allocators;
    if (names.empty()) names.emplace_back("all");
    for (const std::string& name : names) {
      auto parsed = parseAllocators("allocators", name);
      if (!parsed) return about(parsed.error());
      plan.allocators.insert(plan.allocators.end(), parsed->begin(), parsed->end());
    }
    auto dimensions = parseDimensions("dim", study.dim);
    if (!dimensions) return about(dimensions.error());
    plan.dimensions = std::move(*dimensions);
    return plan;
  }

  Outcome<ExitCode> run() const {
    const auto format = output.format();
    if (!format) return tl::unexpected(format.error());
    const auto text = readFile(path);
    if (!text) return failure(text.error(), path);
    const auto study = parseStudy(*text);
    if (!study) return failure(ExitCode::badInput, path, study.error().text());
    const std::filesystem::path folder =
        path == "-" ? std::filesystem::path() : std::filesystem::path(path).parent_path();
    const auto plan = understood(*study, folder);
    if (!plan) return tl::unexpected(plan.error());
    StoppableWork work;
    std::string csv = "platform,l2,l3,align,alias,inputs,outputs,seed," + comparisonCsvHeader();
    Json runs = Json::array();
    ExitCode opening = ExitCode::done;
    std::size_t done = 0;
    for (const std::string& name : study->models) {
      const bool local = !name.starts_with("samples:");
      const auto model = openNamed(local ? (folder / name).string() : name, plan->dimensions);
      if (!model) {
        printFailure(model.error());
        opening = model.error().code;
        continue;
      }
      for (std::size_t i = 0; i < plan->configs.size(); ++i) {
        if (work.token().stop_requested()) break;
        const Comparison comparison = compare(*model, name, *plan, i, work.token());
        addCsv(csv, plan->settings[i], comparison, name);
        Json entry = {{"setting", plan->settings[i].json()}};
        entry["comparison"] = comparisonJson(comparison, name);
        runs.push_back(std::move(entry));
        ++done;
      }
    }
    if (auto written = write(*format, csv, runs); !written) return tl::unexpected(written.error());
    const std::size_t all = plan->configs.size() * study->models.size();
    if (work.token().stop_requested()) {
      return failure(
          ExitCode::interrupted, path,
          fmt::format("stopped: {} of {} comparisons were begun and are written", done, all));
    }
    output.announce(
        fmt::format("{} comparisons of {} allocators each", done, plan->allocators.size()));
    return opening;
  }

  Comparison compare(const std::shared_ptr<const Model>& model, const std::string& name,
                     const Plan& plan, std::size_t index, std::stop_token stop) const {
    ProgressLine line(progress         ? ProgressMode::always
                      : output.quiet() ? ProgressMode::never
                                       : ProgressMode::onTerminal);
    std::function<void(double, const std::string&)> tell;
    if (const auto callback = line.callback()) {
      tell = [=, all = plan.configs.size()](double done, const std::string& what) {
        callback(done, fmt::format("{}, setting {} of {}: {}", name, index + 1, all, what));
      };
    }
    return compareAllocators(model, plan.configs[index], plan.allocators,
                             {.stop = std::move(stop), .progress = tell});
  }

  static void addCsv(std::string& csv, const Setting& setting, const Comparison& comparison,
                     const std::string& name) {
    std::string prefix;
    const Json values = setting.json();
    for (const auto& [key, value] : values.items()) {
      prefix += csvField(value.get<std::string>()) + ",";
    }
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
  std::string path;
  int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  bool progress = false;
};

}  // namespace

CommandInfo sweepCommand() {
  return {.name = "sweep",
          .summary = "many models, memories and allocators: one table",
          .notes =
              "The study lists models, allocators, platforms, l2, l3, align, alias, inputs,\n"
              "outputs and seeds; every combination is run. Ctrl-C stops and keeps what is done.\n"
              "\n"
              "Examples:\n"
              "  highwater sweep study.toml -o study.csv\n"
              "  highwater sweep study.toml -o study.json\n"
              "\n"
              "  # study.toml\n"
              "  models = [\"samples:resnet50\", \"model.onnx\"]\n"
              "  allocators = [\"best\", \"free-list:pick=best\"]\n"
              "  l2 = [\"1MiB\", \"2MiB\", \"unlimited\"]",
          .add = [](Arguments& arguments) -> Action {
            return [command = std::make_shared<SweepCommand>(arguments)] { return command->run(); };
          }};
}

}  // namespace hw::cli
