#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <thread>

#include "app/cli/arguments.h"
#include "app/cli/console.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "core/base/csv.h"
#include "core/base/document_limits.h"
#include "core/base/text.h"
#include "core/files/file.h"
#include "core/files/process.h"
#include "core/report/compare/compare_report.h"
#include "core/report/study/study_engine.h"
#include "core/report/study/study_shards.h"
#include "core/study/study.h"

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

/// "2.5 hours", "12.6 ms".
std::string durationText(double seconds) {
  if (seconds >= 5400) return fmt::format("{:.1f} hours", seconds / 3600);
  if (seconds >= 90) return fmt::format("{:.0f} minutes", seconds / 60);
  return formatTime(SimTime(std::llround(seconds * 1e12)));
}

std::string number(std::size_t count) { return groupDigits(static_cast<std::int64_t>(count)); }

struct SweepCommand {
  explicit SweepCommand(Arguments& arguments)
      : output(arguments, {Format::csv, Format::json}), plugins(arguments) {
    arguments.positional("STUDY.toml", path,
                         {.help = "what to run, on what; - reads it from "
                                  "standard input"});
    arguments.number("--threads", threads, 1, 1024,
                     {.help = "rows at a time, into FILE.db in as many processes (default: one a "
                              "processor)",
                      .type = "N"});
    arguments.flag("--progress", progress, "tell the progress even if there is no terminal");
    arguments.flag("--dry-run", dryRun, "how many runs there are and, from some of them, how long");
    arguments.flag("--resume", resume, "go on with FILE.db: run what is missing or out of date");
    arguments.option("--engine", engine,
                     {.help = "of FILE.db: local (default), or slurm: one job of many tasks",
                      .type = "NAME",
                      .choices = {"local", "slurm"}});
    arguments.option(
        "--sbatch", sbatch,
        {.help = "further options of sbatch: \"--partition=x --time=60\"", .type = "TEXT"});
    arguments.number("--tasks", tasks, 0, 100'000,
                     {.help = "of the job of slurm (default: about a minute each)", .type = "N"});
    arguments.option(
        "--shard", shard,
        {.help = "into FILE.db only part I of N, for any other scheduler", .type = "I/N"});
    arguments.option(
        "--collect", collected,
        {.help = "merge a file of a shard, or those of a folder, into FILE.db; may be repeated",
         .type = "PATH"});
  }

  Outcome<ExitCode> run() const {
    const bool database = dryRun || output.path().ends_with(".db");
    const Outcome<Format> format = database ? Format::csv : output.format();
    if (!format) return tl::unexpected(format.error());
    const auto text = readFile(path, kTomlLimits.bytes);
    if (!text) return failure(text.error(), path);
    const auto study = parseStudy(*text, plugins.value());
    if (!study) return failure(ExitCode::badInput, path, study.error().text());
    const std::filesystem::path folder =
        path == "-" ? std::filesystem::path() : std::filesystem::path(path).parent_path();
    if (database) {
      HW_DO(refuseIgnored());
      return runs(*study, *text, folder);
    }
    HW_DO(refuseForTables());
    return table(*study, folder, *format);
  }

  /// Options that would be ignored beside others.
  Outcome<void> refuseIgnored() const {
    const bool slurm = engine == "slurm";
    const auto refused = [](const char* option, const char* why) {
      return failure(ExitCode::badUsage, option, why);
    };
    if (!slurm && !sbatch.empty()) return refused("--sbatch", "it is for --engine slurm");
    if (!slurm && tasks > 0) return refused("--tasks", "it is for --engine slurm");
    if (slurm && !shard.empty()) return refused("--shard", "--engine slurm makes its own");
    if (!collected.empty() && (slurm || !shard.empty())) {
      return refused("--collect", "it is a job of its own: leave out --engine and --shard");
    }
    return {};
  }

  Outcome<void> refuseForTables() const {
    const std::pair<const char*, bool> given[] = {
        {"--resume", resume},   {"--engine", !engine.empty()}, {"--sbatch", !sbatch.empty()},
        {"--tasks", tasks > 0}, {"--shard", !shard.empty()},   {"--collect", !collected.empty()}};
    for (const auto& [name, isGiven] : given) {
      if (isGiven) {
        return failure(ExitCode::badUsage, name, "this is for results in a database: -o FILE.db");
      }
    }
    return {};
  }

  /// Every comparison as lines of a table.
  Outcome<ExitCode> table(const Study& study, const std::filesystem::path& folder,
                          Format format) const {
    if (study.sample || !study.constraints.empty() || !study.record.empty()) {
      return failure(ExitCode::badInput, path,
                     "sample, constraints and record are for results in a database: -o FILE.db");
    }
    // Everything is read and understood before anything runs: a mistake in the last line of a study
    // should not cost the hours before it.
    const auto settings = StudySettings::of(study, folder);
    if (!settings) return failure(ExitCode::badInput, path, settings.error().text());
    const auto models = modelsOf(study, folder);
    if (!models) return failure(ExitCode::badInput, path, models.error().text());
    StoppableWork work;
    Done done;
    HW_DO(output.write([&](std::ostream& out) {
      SweepWriter writer(out, format, *settings);
      for (const std::string& name : *models) {
        sweepModel(name, folder, study, *settings, writer, work.token(), done);
      }
      writer.finish();
    }));
    if (work.token().stop_requested()) {
      return failure(ExitCode::interrupted, path,
                     fmt::format("stopped: {} of {} comparisons were begun and are written",
                                 done.comparisons, settings->size() * models->size()));
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

  /// Runs into a database, or what that would come to.
  Outcome<ExitCode> runs(const Study& study, const std::string& text,
                         const std::filesystem::path& folder) const {
    const auto runs = StudyRuns::of(study, folder);
    if (!runs) return failure(ExitCode::badInput, path, runs.error().text());
    if (const auto rules = StudyRules::of(study); !rules) {
      return failure(ExitCode::badInput, path, rules.error().text());
    }
    if (dryRun) return tellSize(*runs);
    if (engine == "slurm") return toSlurm(*runs, text);
    HW_TRY(part, partOf(*runs));
    auto results = StudyResults::write(output.path(), *runs, text, resume || !collected.empty());
    if (!results) return failure(results.error(), "");
    if (!collected.empty()) return merge(*results, *runs);
    const auto missing = results->missing();
    if (!missing) return failure(missing.error(), "");
    std::vector<std::size_t> numbers;
    std::ranges::copy_if(*missing, std::back_inserter(numbers),
                         [&](std::size_t number) { return part.contains(number); });
    return doRuns(*runs, numbers, *results, {text, folder.string(), plugins.value()}, part);
  }

  Outcome<Interval<std::size_t>> partOf(const StudyRuns& runs) const {
    if (shard.empty()) return Interval<std::size_t>{0, runs.size()};
    const auto part = Shard::parse(shard);
    if (!part) return failure(ExitCode::badUsage, "--shard", part.error().text());
    return part->runsOf(runs.size());
  }

  Outcome<ExitCode> doRuns(const StudyRuns& runs, const std::vector<std::size_t>& numbers,
                           StudyResults& results, const StudyText& text,
                           const Interval<std::size_t>& part) const {
    StoppableWork stoppable;
    ProgressLine line(progressMode(progress, output.quiet()));
    const auto callback = line.callback();
    const std::size_t all = part.end - part.begin;
    StudyWork work{.text = text,
                   .worker = {programFolder() + "highwater", std::string(kStudyWorker)},
                   .workers = threads,
                   .stop = stoppable.token()};
    work.progress = [&](std::size_t done, std::size_t of) {
      if (callback) {
        callback(static_cast<double>(done) / static_cast<double>(of),
                 fmt::format("{} of {} runs done", number(done), number(of)));
      }
      if (!shard.empty()) (void)writeShardStatus(output.path(), all - of + done, all);
    };
    const auto tally = runStudy(runs, numbers, results, work);
    if (!tally) return failure(tally.error(), "");
    if (tally->done < numbers.size()) {
      return failure(ExitCode::interrupted, output.path(),
                     fmt::format("stopped: {} of {} runs are done; --resume does the others",
                                 number(all - numbers.size() + tally->done), number(all)));
    }
    if (!shard.empty()) HW_DO(stated(writeShardStatus(output.path(), all, all)));
    output.announce(fmt::format("{}, of which {} were there; {} without a plan, {} crashed",
                                countText(all, "run"), number(all - numbers.size()),
                                number(tally->failed), number(tally->crashed)));
    if (tally->crashed == 0) return ExitCode::done;
    return failure(ExitCode::answerIsNo, output.path(),
                   countText(tally->crashed, "run") +
                       " ended the process that ran it: state = 'crashed' in the results");
  }

  static Outcome<void> stated(const Result<void>& written) {
    if (!written) return failure(written.error(), "");
    return {};
  }

  Outcome<ExitCode> tellSize(const StudyRuns& runs) const {
    constexpr std::size_t kTimed = 60;
    constexpr double kSeconds = 10;
    const double each = secondsOfRun(runs, kTimed, kSeconds);
    const double all = each * static_cast<double>(runs.size());
    HW_DO(writeOutput("-", [&](std::ostream& out) {
      out << fmt::format(
          "{} x {} x {}{}: {} runs\n{} each on average, by up to {} of them: about {} with "
          "{}\n",
          countText(runs.models().size(), "model"), countText(runs.settingCount(), "setting"),
          countText(runs.allocatorCount(), "allocator"),
          runs.size() < runs.models().size() * runs.settingCount() * runs.allocatorCount()
              ? ", of which a sample"
              : "",
          number(runs.size()), durationText(each), std::min(runs.size(), kTimed),
          durationText(all / threads), countText(static_cast<std::size_t>(threads), "worker"));
    }));
    return ExitCode::done;
  }

  Outcome<ExitCode> toSlurm(const StudyRuns& runs, const std::string& text) const {
    if (path == "-") return failure(ExitCode::badUsage, "--engine", "tasks need the study's file");
    const auto job = giveToSlurm(runs, text,
                                 {.study = path,
                                  .results = output.path(),
                                  .program = programFolder() + "highwater",
                                  .threads = threads,
                                  .plugins = plugins.value(),
                                  .sbatch = sbatch,
                                  .tasks = static_cast<std::size_t>(tasks),
                                  .resume = resume});
    if (!job) return failure(job.error(), "");
    output.announce(
        job->id.empty()
            ? "no task is to be run again; --collect merges what is there"
            : fmt::format("job {} with {}; when it is done: highwater sweep {} -o {} --collect {}",
                          job->id, countText(job->tasks, "task"), shellWord(path),
                          shellWord(output.path()), shellWord(ShardFolder(output.path()).path())));
    return ExitCode::done;
  }

  Outcome<ExitCode> merge(StudyResults& results, const StudyRuns& runs) const {
    const auto merged = collect(collected, results);
    if (!merged) return failure(merged.error(), "--collect");
    for (const std::string& each : merged->failures) {
      printFailure({ExitCode::badInput, "", each});
    }
    const auto missing = results.missing();
    if (!missing) return failure(missing.error(), "");
    output.announce(fmt::format("{} of {}: {} of {} runs are there", countText(merged->rows, "row"),
                                countText(merged->files, "file"),
                                number(runs.size() - missing->size()), number(runs.size())));
    const ShardFolder folder(output.path());
    if (const auto left = folder.unfinished()) {
      for (const auto& each : *left) {
        printFailure({ExitCode::answerIsNo, fmt::format("shard {}", each.shard),
                      fmt::format("{} ({})", each.status, folder.log(each.shard))});
      }
    }
    if (!merged->failures.empty()) return ExitCode::badInput;
    return missing->empty() ? ExitCode::done : ExitCode::answerIsNo;
  }

  OutputOptions output;
  PluginOption plugins;
  std::string path;
  int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  bool progress = false;
  bool dryRun = false;
  bool resume = false;
  std::string engine;
  std::string sbatch;
  std::string shard;
  std::vector<std::string> collected;
  int tasks = 0;
};

}  // namespace

CommandInfo sweepCommand() {
  return {.name = "sweep",
          .summary = "many models, memories and allocators: one table, or a database",
          .notes =
              "The study lists models, allocators, and values of the options of a run; every\n"
              "combination is run. Ctrl-C stops and keeps what is done.\n"
              "Into FILE.db runs go in processes of their own: one that crashes costs one run.\n"
              "'highwater study FILE.db' asks what came of them, also meanwhile.\n"
              "Exit code 1: a run crashed, or shards are missing.\n"
              "\n"
              "Examples:\n"
              "  highwater sweep study.toml -o study.csv\n"
              "  highwater sweep study.toml --dry-run\n"
              "  highwater sweep study.toml -o study.db --resume\n"
              "  highwater sweep study.toml -o study.db --engine slurm --sbatch \"--time=30\"\n"
              "  highwater sweep study.toml -o study.db --collect study.db.shards\n"
              "\n"
              "  # study.toml\n"
              "  models = [\"samples:resnet50\", \"nets/*.onnx\"]\n"
              "  allocators = [\"best\", \"free-list:pick=best\"]\n"
              "  platform = [\"generic-npu\"]\n"
              "  l2 = {from = \"256KiB\", to = \"4MiB\", steps = 9, scale = \"log\"}\n"
              "  channels = [1, 2, 4]\n"
              "  constraints = [\"peak <= 1MiB\", \"latency <= 5ms\"]",
          .add = actionOf<SweepCommand>};
}

}  // namespace hw::cli
