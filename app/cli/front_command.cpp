#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "app/cli/arguments.h"
#include "app/cli/console.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "core/base/text.h"
#include "core/files/file.h"
#include "core/plan_file/plan_writer.h"
#include "core/report/explain/front_report.h"
#include "core/report/explain/runtime_shrink_report.h"
#include "core/report/model/graph_writer.h"
#include "core/shrink/c/c_file.h"
#include "core/shrink/ort/ort_shrink.h"
#include "core/shrink/tflm/row_file.h"

namespace hw::cli {
namespace {

/// Options of a front, which itself varies the allocator and the size of the near memory.
constexpr auto kFrontOptions = {OptionGroup::model,   OptionGroup::import, OptionGroup::machine,
                                OptionGroup::storage, OptionGroup::order,  OptionGroup::search,
                                OptionGroup::effort};

struct FrontCommand {
  explicit FrontCommand(Arguments& arguments)
      : run_(arguments, kFrontOptions, defaultRequest()),
        output(arguments, {Format::text, Format::json, Format::csv}),
        picture(arguments, "also draw it, as SVG") {
    arguments.option(
        "-a,--allocators", allocators,
        {.help = "to be shown beside: A,B:key=value,... or all (default)", .type = "LIST"});
    arguments.number("--points", points, 1, 1000,
                     {.help = "capacities at most (default: 12)", .type = "N"});
    arguments.number(
        "--nodes", nodes, 0, 1'000'000'000,
        {.help = "budget of the search for each, as best's (default: 4000)", .type = "N"});
    arguments.flag("--progress", progress, "tell the progress even if there is no terminal");
  }

  Outcome<ExitCode> run() const {
    HW_TRY(format, output.format());
    HW_TRY(chosen, allocatorsOf("--allocators", allocators));
    HW_TRY(asked, run_.open());
    const RunRequest& request = asked.request;
    const FrontOptions options{.points = static_cast<std::size_t>(points),
                               .nodes = nodes,
                               .seconds = request.timeLimit / points,
                               .choices = std::move(chosen)};
    StoppableWork work;
    const auto front =
        told(progressMode(progress, output.quiet()), work.token(), [&](const RunContext& context) {
          return makeFront(asked.model, request, options, context);
        });
    if (!front) return failure(front.error(), request.model);
    HW_DO(output.write(document(format, *front, request.model)));
    if (picture.wanted()) HW_DO(picture.write(frontSvg(*front, picture.palette())));
    if (!front->found.empty()) {
      const FrontPoint& last = front->found.back();
      output.announce(fmt::format("{} capacities, up to {} with {}", front->found.size(),
                                  formatBytes(*last.capacity), formatTime(last.latency)));
    }
    if (!front->stopped) return ExitCode::done;
    return failure(
        ExitCode::interrupted, request.model,
        fmt::format("stopped: {} of at most {} capacities are done", front->found.size(), points));
  }

  std::string document(Format format, const Front& front, const std::string& file) const {
    if (format == Format::csv) return frontCsv(front, file);
    if (format == Format::json) return jsonDocument(frontJson(front, file));
    return frontText(front, output.textOptions().paint);
  }

  RunArguments run_;
  OutputOptions output;
  PictureOptions picture;
  std::string allocators;
  int points = 12;
  int nodes = 4'000;
  bool progress = false;
};

}  // namespace

CommandInfo frontCommand() {
  return {
      .name = "front",
      .summary = "capacity of the near memory against latency: how fast within how much",
      .notes =
          "From what the lowest plan needs upwards, the fastest plan within each capacity, and\n"
          "the latency that is proved to be out of reach there; beside it, what every allocator\n"
          "comes to. Larger capacities start from the plans of smaller ones; those that make\n"
          "nothing faster are left out, and it ends where reuse costs no time any more. --l2 and\n"
          "-a of a run do not matter. Ctrl-C keeps what is done.\n"
          "\n"
          "Examples:\n"
          "  highwater front samples:squeezenet --weights prefetch --inputs loaded\n"
          "  highwater front model.onnx --platform board.toml -o front.csv\n"
          "  highwater front model.onnx --picture front.svg",
      .add = actionOf<FrontCommand>};
}

namespace {

/// What `shrink --runtime` makes files for.
struct RuntimeInfo {
  const char* name;
  const char* what;
  const char* madeOf;
  const char* ending;
};
constexpr RuntimeInfo kRuntimes[] = {{"tflm", "tflite-micro", "a TFLite file", ".tflite"},
                                     {"c", "C99 that calls kernels", "a TFLite file", ".c"},
                                     {"ort", "ONNX Runtime", "an ONNX file", ".onnx"}};

struct ShrinkCommand {
  explicit ShrinkCommand(Arguments& arguments)
      : run_(arguments, kPlanOptions), picture(arguments, "also draw the front, as SVG") {
    arguments.option(
        "--budget", budget,
        {.help = "the fastest within so many bytes, instead of the smallest", .type = "SIZE"});
    arguments.option(
        "--extra-macs", extraMacs,
        {.help = "multiplications that may be made again, of those of the model (default: 10%; "
                 "with --runtime 50%)",
         .type = "PERCENT"});
    arguments.option("--allow", allow,
                     {.help = "what may be rewritten: all (default), or some of " +
                              rewritesText(Rewrites::all()),
                      .type = "LIST"});
    arguments.number("--sizes", sizes, 0, 100,
                     {.help = "sizes between the least of parts and of whole operators to make "
                              "parts for (default: 4)",
                      .type = "N"});
    arguments.number(
        "--stop-after", stopAfter,
        {.help = "keep what is found after so many seconds (0: look at all)", .type = "S"});
    addRuntimeOptions(arguments);
    arguments.option("--format", format,
                     {.help = "of the front, on standard output: text (default), json, csv",
                      .type = "NAME",
                      .choices = {"text", "json", "csv"}});
    arguments.output(
        "-o,--output", planFile, OutputRole::beside,
        {.help = "write the plan that is chosen, FILE.json or FILE.csv; with --runtime the model, "
                 "FILE.tflite, FILE.onnx, or FILE.c and FILE.h",
         .type = "FILE"});
    arguments.output("--graph", graphFile, OutputRole::beside,
                     {.help = "the graph that it is of: FILE.graph.json", .type = "FILE"});
    arguments.flag("-q,--quiet", quiet, "no progress");
    arguments.flag("--progress", progress, "tell the progress even if there is no terminal");
  }

  void addRuntimeOptions(Arguments& arguments) {
    std::string help;
    std::vector<std::string> names;
    for (const RuntimeInfo& each : kRuntimes) {
      help += fmt::format("{}{} ({})", help.empty() ? "" : ", ", each.name, each.what);
      names.emplace_back(each.name);
    }
    arguments.option(
        "--runtime", runtime,
        {.help = "shrink the memory of that runtime, and write the model that it runs: " + help,
         .type = "NAME",
         .choices = names});
    arguments.option(
        "--kernels", kernels,
        {.help = "of the runtime: ascending (default of tflm), which make rows from the top to the "
                 "bottom, as reference kernels do; unknown (default of c), as CMSIS-NN's",
         .type = "ORDER",
         .choices = {"ascending", "unknown"}});
    arguments.option("--pointers", pointers,
                     {.help = "of tflm's target, in bits, for the arena's tail: 32 (default), 64",
                      .type = "BITS",
                      .choices = {"32", "64"}});
    arguments.flag("--int8-input", int8Input,
                   "of tflm and c: without the QUANTIZE behind inputs in float32, whose caller "
                   "gives int8");
  }

  Outcome<ExitCode> run() const {
    HW_TRY(options, wanted());
    if (!runtime.empty()) return runForRuntime(options);
    HW_TRY(asked, run_.open());
    StoppableWork work(stopAfter);
    const auto front =
        told(progressMode(progress, quiet), work.token(), [&](const RunContext& context) {
          return shrink(asked.model, asked.request, options, context);
        });
    const std::string& name = asked.request.model;
    if (!front) return failure(front.error(), name);
    const std::string text = document(*front, name);
    HW_DO(writeOutput("-", [&](std::ostream& out) { out << text; }));
    if (picture.wanted()) HW_DO(picture.write(shrinkSvg(*front, picture.palette())));
    HW_DO(writeChosen(*front));
    return verdictOf(*front, name, work.timedOut());
  }

  const RuntimeInfo& runtimeInfo() const {
    return *std::ranges::find(kRuntimes, runtime, &RuntimeInfo::name);
  }

  /// A file for a runtime, made from the model's own.
  Outcome<ExitCode> runForRuntime(const ShrinkOptions& asked) const {
    HW_TRY(request, run_.request());
    if (request.model == "-" || request.model.starts_with("samples:")) {
      return failure(ExitCode::badUsage, request.model,
                     fmt::format("a file for a runtime is made of {}; expected its name",
                                 runtimeInfo().madeOf));
    }
    auto bytes = readFile(request.model, kMostModelBytes);
    if (!bytes) return failure(bytes.error(), request.model);
    HW_TRY(search, searchOf(request, *bytes));
    StoppableWork work(stopAfter);
    RuntimeSearchOptions options = runtimeOptions(asked);
    options.threads = request.threads;
    options.stop = work.token();
    const auto made =
        told(progressMode(progress, quiet), work.token(), [&](const RunContext& context) {
          if (context.progress) {
            options.progress = [&](double done, Bytes least) {
              context.progress(done, fmt::format("{} of {}", runtime == "ort" ? "peak" : "arena",
                                                 formatBytes(least)));
            };
          }
          return search(options);
        });
    if (!made) return failure(made.error(), request.model);
    const std::string text = document(*made, request.model);
    HW_DO(writeOutput("-", [&](std::ostream& out) { out << text; }));
    if (!planFile.empty()) {
      for (const auto& file : made->filesAt(planFile)) {
        HW_DO(writeOutput(file.first, [&](std::ostream& out) { out << *file.second; }));
      }
    }
    if (made->stopped && !work.timedOut()) return ExitCode::interrupted;
    if (made->isWithinBudget()) return ExitCode::done;
    printFailure({ExitCode::answerIsNo, request.model, runtimeShrinkSummary(*made)});
    return ExitCode::answerIsNo;
  }

  RuntimeSearchOptions runtimeOptions(const ShrinkOptions& asked) const {
    return {.ascending = runtime == "c" ? kernels == "ascending" : kernels != "unknown",
            .extraMacs = extraMacs.empty() ? kRuntimeExtraMacs : asked.extraMacs,
            .budget = asked.budget,
            .floatInputs = int8Input ? FloatInputs::replace : FloatInputs::advise};
  }

  using RuntimeSearch = std::function<Result<RuntimeShrink>(const RuntimeSearchOptions&)>;

  /// The search for the runtime that was asked for, in the model that `bytes` are.
  Outcome<RuntimeSearch> searchOf(const RunRequest& request, const std::string& bytes) const {
    if (runtime == "tflm") {
      return RuntimeSearch([&](const RuntimeSearchOptions& options) {
        return shrinkForTflm(bytes, pointers == "64" ? 8 : 4, options);
      });
    }
    if (runtime == "c") {
      auto names = cFileNames(planFile.empty() ? "net.c" : planFile, request.model);
      if (!names) return failure(ExitCode::badUsage, planFile, names.error().text());
      return RuntimeSearch([&, names = *std::move(names)](const RuntimeSearchOptions& options) {
        return shrinkForC(bytes, names, options);
      });
    }
    auto source = onnxSource(bytes, request.import.dimensions);
    if (!source) return failure(source.error(), request.model);
    if (!planFile.empty()) {
      const auto beside = checkBeside(*source, request.model, planFile);
      if (!beside) return failure(ExitCode::badUsage, planFile, beside.error().text());
    }
    return RuntimeSearch([source = *std::move(source)](const RuntimeSearchOptions& options) {
      return shrinkForOrt(source, options);
    });
  }

  /// What belongs to a runtime, or does not.
  Outcome<void> checkRuntime() const {
    const auto refused = [](const char* option, const char* why) {
      return failure(ExitCode::badUsage, option, why);
    };
    if (runtime.empty()) {
      const char* const ofRuntime = "is of a runtime; expected --runtime, too";
      if (!kernels.empty()) return refused("--kernels", ofRuntime);
      if (!pointers.empty()) return refused("--pointers", ofRuntime);
      if (int8Input) return refused("--int8-input", ofRuntime);
      return {};
    }
    if (runtime == "ort") {
      const char* const ofOthers = "is of tflm and c alone";
      if (!kernels.empty()) return refused("--kernels", ofOthers);
      if (int8Input) return refused("--int8-input", ofOthers);
    }
    if (!allow.empty()) return refused("--allow", "does not go with --runtime");
    if (!graphFile.empty()) return refused("--graph", "does not go with --runtime");
    if (picture.wanted()) return refused("--picture", "does not go with --runtime");
    if (!pointers.empty() && runtime != "tflm") return refused("--pointers", "is of tflm alone");
    const char* ending = runtimeInfo().ending;
    if (!planFile.empty() && !planFile.ends_with(ending)) {
      return failure(ExitCode::badUsage, planFile,
                     fmt::format("the ending says no format; expected {}", ending));
    }
    return {};
  }

  Outcome<ShrinkOptions> wanted() const {
    HW_DO(checkRuntime());
    ShrinkOptions options{.sizes = static_cast<std::size_t>(sizes)};
    if (planFile == "-" || graphFile == "-") {
      return failure(ExitCode::badUsage, "", "the front goes to standard output: name a file");
    }
    if (!allow.empty()) {
      auto rewrites = parseRewrites(allow);
      if (!rewrites) return failure(ExitCode::badUsage, "--allow", rewrites.error().text());
      options.allow = *rewrites;
    }
    if (!budget.empty()) {
      auto bytes = parseSize(budget);
      if (!bytes) return failure(ExitCode::badUsage, "--budget", bytes.error().text());
      options.budget = *bytes;
    }
    if (!extraMacs.empty()) {
      std::string_view digits = extraMacs;
      if (digits.ends_with('%')) digits.remove_suffix(1);
      const auto number = parseNumber(digits);
      if (!number || *number < 0 || *number > kMostPercent) {
        return failure(ExitCode::badUsage, "--extra-macs",
                       fmt::format("'{}' is not a percentage from 0 to {}",
                                   printable(extraMacs, 80), kMostPercent));
      }
      options.extraMacs = *number / 100;
    }
    for (const std::string* file : {&planFile, &graphFile}) {
      const bool csv = file == &planFile && file->ends_with(".csv");
      if (file->empty() || *file == "-" || csv || !runtime.empty() || file->ends_with(".json"))
        continue;
      return failure(ExitCode::badUsage, *file,
                     file == &planFile ? "the ending says no format; expected .json or .csv"
                                       : "the ending says no format; expected .graph.json");
    }
    return options;
  }

  std::string document(const ShrinkFront& front, const std::string& file) const {
    if (format == "csv") return shrinkCsv(front, file);
    if (format == "json") return jsonDocument(shrinkJson(front, file));
    return shrinkText(front, outputPaint());
  }

  std::string document(const RuntimeShrink& made, const std::string& file) const {
    if (format == "csv") return runtimeShrinkCsv(made, file);
    if (format == "json") return jsonDocument(runtimeShrinkJson(made, file));
    return runtimeShrinkText(made, file, outputPaint());
  }

  /// Writes the plan that is chosen; where nothing is within the budget, the smallest.
  Outcome<void> writeChosen(const ShrinkFront& front) const {
    const ShrinkPoint* chosen = front.chosen();
    const Run& best = *(chosen ? *chosen : front.points.front()).run;
    if (!planFile.empty()) {
      HW_DO(writeOutput(planFile, [&](std::ostream& out) {
        planFile.ends_with(".csv") ? writePlanCsv(best, out) : writePlanJson(best, out);
      }));
    }
    if (!graphFile.empty()) {
      HW_DO(writeOutput(graphFile, [&](std::ostream& out) {
        writeGraphJson(best.graph(), out, best.model->sha256);
      }));
    }
    return {};
  }

  ExitCode verdictOf(const ShrinkFront& front, const std::string& file, bool timedOut) const {
    if (front.stopped && !timedOut) {
      printFailure({ExitCode::interrupted, file,
                    fmt::format("stopped: {} programs were planned", front.tried)});
      return ExitCode::interrupted;
    }
    if (front.chosen() != nullptr) return ExitCode::done;
    printFailure({ExitCode::answerIsNo, file, shrinkSummary(front)});
    return ExitCode::answerIsNo;
  }

  static constexpr double kMostPercent = 1'000'000;
  /// Parts are worth more multiplications where memory is what is short.
  static constexpr double kRuntimeExtraMacs = 0.5;

  RunArguments run_;
  PictureOptions picture;
  std::string format;
  std::string budget;
  std::string extraMacs;
  std::string allow;
  std::string planFile;
  std::string graphFile;
  std::string runtime;
  std::string kernels;
  std::string pointers;
  bool int8Input = false;
  int sizes = 4;
  double stopAfter = 0;
  bool quiet = false;
  bool progress = false;
};

}  // namespace

CommandInfo shrinkCommand() {
  return {
      .name = "shrink",
      .summary = "less memory than whole operators in their order need, and what it costs",
      .notes =
          "Tries what may be rewritten, alone and together: the order of least peak, work in "
          "place,\n"
          "outputs that overlap inputs (where the platform's kernels allow it), operators in "
          "parts.\n"
          "What is worse than something else in bytes, multiplications and latency is left out.\n"
          "--order, --alias, --overlap and --tile belong to the plan as it is; --l2 does not\n"
          "matter. Ctrl-C keeps what is found. Exit code 1: nothing is within the budget.\n"
          "With --runtime the file is made for that runtime; of the options of a run only\n"
          "--threads and, of ort, --dim matter then. Of c come FILE.c and FILE.h, in int8, with\n"
          "CMSIS-NN's signatures.\n"
          "\n"
          "Examples:\n"
          "  highwater shrink samples:mobilenet_v2_int8\n"
          "  highwater shrink model.tflite --budget 256KiB --platform byte-kernels -o small.json\n"
          "  highwater shrink model.onnx --allow order,in-place --picture front.svg\n"
          "  highwater shrink model.onnx --inputs rows --graph parts.graph.json\n"
          "  highwater shrink model.tflite --runtime tflm -o small.tflite\n"
          "  highwater shrink model.tflite --runtime c -o net.c\n"
          "  highwater shrink model.onnx --runtime ort -o small.onnx",
      .add = actionOf<ShrinkCommand>};
}

}  // namespace hw::cli
