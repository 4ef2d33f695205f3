#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <sstream>
#include <string>

#include "app/cli/arguments.h"
#include "app/cli/console.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "core/base/text.h"
#include "core/exchange/tflm/kernel_scratch.h"
#include "core/exchange/tflm/runtime_file.h"
#include "core/files/file.h"
#include "core/picture/stage/stage.h"
#include "core/plan_file/plan_writer.h"
#include "core/report/method/lesson.h"
#include "core/report/plan/plan_text.h"
#include "core/run/run.h"

namespace hw::cli {
namespace {

/// --stage, --tick and --theme: how the method planned, as a page or as a picture.
class StageOptions {
 public:
  explicit StageOptions(Arguments& arguments);

  bool wanted() const { return !file_.empty(); }
  /// True if what was asked for can be asked for, before anything is planned.
  Outcome<void> check() const;
  /// Of a run with records.
  Outcome<void> write(const Run& run) const;

 private:
  Outcome<std::string> picture(const Run& run) const;

  std::string file_;
  std::string tick_;
  std::string theme_;
};

StageOptions::StageOptions(Arguments& arguments) {
  arguments.output("--stage", file_, OutputRole::beside,
                   {.help = "how the method planned, decision by decision: a page (.html), or a "
                            "picture that plays (.svg)",
                    .type = "FILE"});
  arguments.option(
      "--tick", tick_,
      {.help = "of the picture: after that many decisions (0: before the first)", .type = "N"});
  arguments.option("--theme", theme_,
                   {.help = "of the picture of one decision (default: as the reader's system is)",
                    .type = "NAME",
                    .choices = {"light", "dark"}});
}

Outcome<void> StageOptions::check() const {
  if (!wanted()) {
    if (tick_.empty() && theme_.empty()) return {};
    return failure(ExitCode::badUsage, tick_.empty() ? "--theme" : "--tick",
                   "is of a picture of the method; expected --stage FILE.svg, too");
  }
  const bool picture = file_.ends_with(".svg");
  if (!picture && !file_.ends_with(".html")) {
    return failure(ExitCode::badUsage, file_,
                   "the ending says no format for a stage; expected .html or .svg");
  }
  if (!tick_.empty() && !picture) {
    return failure(ExitCode::badUsage, "--tick", "a page has all of them; expected a stage .svg");
  }
  if (!theme_.empty() && tick_.empty()) {
    return failure(ExitCode::badUsage, "--theme",
                   "pages and pictures that play follow the reader's system; expected --tick, too");
  }
  const auto tick = parseInteger(tick_);
  if (!tick_.empty() && (!tick || *tick < 0)) {
    return failure(ExitCode::badUsage, "--tick",
                   fmt::format("'{}' is no number of decisions; expected 0 or more", tick_));
  }
  return {};
}

Outcome<void> StageOptions::write(const Run& run) const {
  if (run.plan.records.empty()) {
    const bool any = std::ranges::any_of(run.problem.stays,
                                         [](const Stay& stay) { return stay.size > Bytes(); });
    if (!any) {
      return failure(ExitCode::badUsage, "--stage",
                     "nothing takes any bytes: there is no decision");
    }
    return failure(ExitCode::badUsage, "--stage",
                   fmt::format("{} records nothing of how it plans",
                               std::string(run.request.allocator.info->name)));
  }
  if (file_.ends_with(".html")) {
    return writeOutput(file_, [&](std::ostream& out) { out << methodPage(run, nullptr); });
  }
  HW_TRY(svg, picture(run));
  return writeOutput(file_, [&](std::ostream& out) { out << svg; });
}

Outcome<std::string> StageOptions::picture(const Run& run) const {
  // The run outlives the stage.
  const Stage stage(std::shared_ptr<const Run>(std::shared_ptr<void>(), &run), 0);
  if (tick_.empty()) return stageFilm(stage, {}, true);
  const auto tick = static_cast<std::size_t>(*parseInteger(tick_));
  const std::size_t most = stage.record().ticks.size();
  if (tick > most) {
    return failure(ExitCode::badUsage, "--tick",
                   fmt::format("there are {} decisions; expected 0 to {}", most, most));
  }
  const Palette* palette = theme_ == "dark"    ? &Palette::dark()
                           : theme_ == "light" ? &Palette::light()
                                               : nullptr;
  return stageSvg(stage, tick, {.palette = palette});
}

struct PlanCommand {
  explicit PlanCommand(Arguments& arguments)
      : run_(arguments, kPlanOptions),
        output(arguments, {Format::text, Format::json, Format::csv, Format::tflite, Format::header,
                           Format::dsaSolution}),
        stage(arguments) {
    arguments.flag("--all", all, "long lists in full, and every state of the method's own lists");
    arguments.flag("--progress", progress, "tell the progress even if there is no terminal");
    arguments.option("--scratch", scratch,
                     {.help = "plan the scratch of kernels, too: tflm, tflite-micro's own; "
                              "cmsis-dsp and cmsis-mve, those of CMSIS-NN for cores with DSP "
                              "instructions or MVE; none (default: tflm for a .tflite or .h file "
                              "of a TFLite model)",
                      .type = "NAME",
                      .choices = scratchNames()});
    arguments.flag("--times", times, "in JSON, when a search found what: differs from run to run");
  }

  Outcome<ExitCode> run() const {
    HW_TRY(format, output.format());
    HW_DO(stage.check());
    HW_TRY(typed, run_.request());
    if (forRuntimes(format) && typed.model == "-") {
      return failure(ExitCode::badUsage, "",
                     "standard input can be read once only: name the model's file");
    }
    HW_TRY(opened, openFor(format, typed));
    HW_TRY(request, requestFor(format, opened));
    HW_TRY(planned, planWatched(std::move(opened), request, progressMode(progress, output.quiet()),
                                all || stage.wanted()));
    if (stage.wanted()) HW_DO(stage.write(*planned));
    if (forRuntimes(format)) return writeForRuntime(*planned, format);
    if (format == Format::dsaSolution) {
      HW_DO(writeSolution(*planned));
    } else {
      HW_DO(write(*planned, format));
    }
    output.announce(planLine(*planned));
    return verdict(*planned);
  }

  static bool forRuntimes(Format format) {
    return format == Format::tflite || format == Format::header;
  }

  /// Opens a model for tflite-micro as that sees it, unless something else was said.
  Outcome<Model> openFor(Format format, RunRequest typed) const {
    HW_TRY(opened, readModel(typed));
    const bool runs = forRuntimes(format) && opened.format == "tflite";
    if (runs && !run_.given("bodies") && !typed.import.closedBodies) {
      typed.import.closedBodies = true;
      HW_TRY(closed, readModel(typed));
      opened = std::move(closed);
    }
    if (scratch == "none" || (scratch.empty() && !runs)) return std::move(opened);
    auto counted = withKernelScratch(std::move(opened), kernels());
    if (!counted) return failure(counted.error(), typed.model);
    return std::move(*counted);
  }

  Outcome<RunRequest> requestFor(Format format, const Model& model) const {
    HW_TRY(request, run_.request(model));
    if (!forRuntimes(format) || model.format != "tflite") return std::move(request);
    const TflmGiven given{.alignment = request.alignment.has_value(),
                          .bodies = run_.given("bodies"),
                          .near = run_.given("l2")};
    return tflmRequest(std::move(request), given);
  }

  /// A file that a runtime loads is written only where the plan fits it.
  Outcome<ExitCode> writeForRuntime(const Run& planned, Format format) const {
    if (const ExitCode code = verdict(planned); code != ExitCode::done) return code;
    const std::string& name = planned.request.model;
    const auto made = runtimeFile(
        planned, format == Format::tflite ? RuntimeFile::Kind::tflite : RuntimeFile::Kind::header,
        kernels());
    if (!made) return failure(made.error(), name);
    HW_DO(output.write(made->bytes));
    output.announce(made->tflm ? tflmPlanLine(*made->tflm) : planLine(planned));
    return ExitCode::done;
  }

  Outcome<void> writeSolution(const Run& planned) const {
    std::ostringstream solution;
    const auto written = writeDsaSolution(planned, solution);
    if (!written) return failure(written.error(), planned.request.model);
    return output.write(solution.str());
  }

  Outcome<void> write(const Run& planned, Format format) const {
    if (format == Format::text) {
      return output.write(planText(planned, output.textOptions(all)) + tflmText(planned));
    }
    return output.write([&](std::ostream& out) {
      if (format == Format::csv) return writePlanCsv(planned, out);
      times ? writeTimedPlanJson(planned, out) : writePlanJson(planned, out);
    });
  }

  /// Line about a plan with kernels' scratch on tflite-micro, if it could go there as it is.
  std::string tflmText(const Run& planned) const {
    if (scratch.empty() || scratch == "none" || planned.request.model == "-") return "";
    const auto file = readFile(planned.request.model, std::numeric_limits<std::size_t>::max());
    if (!file) return "";
    const auto plan = tflmPlan(*file, planned, kernels());
    return plan ? "\n" + tflmPlanLine(*plan) + "\n" : "";
  }

  static std::vector<std::string> scratchNames() {
    std::vector<std::string> names = {"none"};
    names.insert(names.end(), kKernelLibraries.begin(), kKernelLibraries.end());
    return names;
  }

  /// The reference kernels unless others were named.
  KernelLibrary kernels() const {
    const auto named = std::ranges::find(kKernelLibraries, scratch);
    return named == kKernelLibraries.end()
               ? KernelLibrary::reference
               : static_cast<KernelLibrary>(named - kKernelLibraries.begin());
  }

  RunArguments run_;
  OutputOptions output;
  StageOptions stage;
  std::string scratch;
  bool all = false;
  bool progress = false;
  bool times = false;
};

}  // namespace

CommandInfo planCommand() {
  return {
      .name = "plan",
      .summary = "gives every tensor an address",
      .notes =
          "Without --platform, --l2 or --l3 both memories are unlimited.\n"
          "Exit code 1: no plan, or one that does not fit; it is written all the same, but not\n"
          "into files that runtimes load.\n"
          "FILE.tflite: the model with the plan inside, as tflite-micro follows it; FILE.h: the\n"
          "plan as a C header. For both, TFLite models are aligned to 16, calls are one step "
          "each,\n"
          "kernels' scratch is planned and the arena is as small as can be, whatever memory the\n"
          "platform has, unless options say otherwise.\n"
          "FILE.solution.json: the plan of a problem of dsa-solver, for dsa-solver.\n"
          "\n"
          "Examples:\n"
          "  highwater plan model.onnx\n"
          "  highwater plan model.onnx -a free-list:pick=best,threshold=4KiB --l2 1MiB\n"
          "  highwater plan model.onnx -o plan.json\n"
          "  highwater plan model.onnx -o plan.csv\n"
          "  highwater plan model.tflite -o model.planned.tflite\n"
          "  highwater plan model.tflite -o model_plan.h\n"
          "  highwater plan model.onnx -a two-sided --stage two-sided.html",
      .add = actionOf<PlanCommand>};
}

}  // namespace hw::cli
