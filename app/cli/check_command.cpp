#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/cli/arguments.h"
#include "app/cli/console.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "core/base/text.h"
#include "core/check/audit_model.h"
#include "core/check/stated_run.h"
#include "core/exchange/tflm/held_log.h"
#include "core/files/file.h"
#include "core/files/mapped_file.h"
#include "core/import/importer.h"
#include "core/plan_file/plan_document.h"
#include "core/plan_file/plan_story.h"
#include "core/plan_file/tensor_names.h"
#include "core/report/check/audit_report.h"
#include "core/report/compare/diff_report.h"
#include "core/run/planner.h"

namespace hw::cli {
namespace {

/// More than fits into memory comfortably is shrunk by the replay, which keeps overlaps.
constexpr Bytes kLargestArena{std::int64_t{64} << 20};

struct CheckCommand {
  explicit CheckCommand(Arguments& arguments)
      : run_(arguments,
             {OptionGroup::model, OptionGroup::import, OptionGroup::machine, OptionGroup::storage}),
        output(arguments, {Format::text, Format::json}) {
    arguments.positional(
        "PLAN", plan,
        {.help =
             "a plan, made here or by another tool; - for standard input; embedded: the one that "
             "came with the model"});
    arguments.flag("--replay", replay, "also run it on real bytes and look for corrupted ones");
    arguments.flag("--all", all, "every finding");
    arguments.flag("--progress", progress,
                   "tell how far the replay is even if there is no terminal");
  }

  AuditOptions auditOptions(const RunRequest& request) const {
    AuditOptions options{.alignment = request.alignment};
    for (const ProblemPool& pool : plannedPools(request, request.platform.devices.front(), false)) {
      if (pool.capacity) options.capacities[pool.name] = *pool.capacity;
    }
    if (run_.given("platform")) options.platform = request.platform;
    if (run_.given("alias")) options.alias = request.alias;
    if (run_.given("inputs")) options.planInputs = request.plansInputs();
    if (run_.given("outputs")) options.planOutputs = request.plansOutputs();
    return options;
  }

  Outcome<PlanDocument> readDocument(const Model& subject, const RunRequest& request) const {
    if (plan == "embedded") {
      auto own = embeddedPlan(subject);
      if (own) return std::move(*own);
      return failure(ExitCode::badInput, request.model, "the model brings no plan of its own");
    }
    const auto bytes = readFile(plan);
    if (!bytes) return failure(bytes.error(), plan);
    auto document = heldPlanFor(subject, request.import, *bytes, plan);
    if (!document) return failure(document.error(), plan);
    return std::move(*document);
  }

  Outcome<ExitCode> run() const {
    HW_TRY(format, output.format());
    HW_TRY(typed, run_.request());
    if (plan == "-" && typed.model == "-") {
      return failure(ExitCode::badUsage, "", "model and plan cannot both be standard input");
    }
    HW_TRY(opened, openModel(typed));
    HW_TRY(request, run_.request(*opened));
    HW_TRY(document, readDocument(*opened, request));
    AuditReport report{.model = opened,
                       .audit = auditPlan(opened, document, auditOptions(request))};
    if (replay) report.replay = replayed(report.audit);
    HW_DO(output.write(format == Format::json ? jsonDocument(auditJson(report))
                                              : auditText(report, output.textOptions(all))));
    if (report.valid()) return ExitCode::done;
    return failure(ExitCode::answerIsNo, plan, "the plan is not valid: " + report.firstProblem());
  }

  ReplayResult replayed(const Audit& audit) const {
    ProgressLine line(progressMode(progress, output.quiet()));
    const auto callback = line.callback();
    return replayAudited(audit, kLargestArena, [&](double part) {
      if (callback) callback(part, "replayed");
    });
  }

  std::string plan;
  RunArguments run_;
  OutputOptions output;
  bool replay = false;
  bool all = false;
  bool progress = false;
};

}  // namespace

CommandInfo checkCommand() {
  return {.name = "check",
          .summary = "audits a plan made here or elsewhere",
          .notes =
              "The plan is held against the model's own tensors, sizes and lifetimes. What it says "
              "about\n"
              "its alignment, aliases and inputs is believed unless an option says otherwise.\n"
              "Exit code 1: the plan is not valid.\n"
              "\n"
              "Examples:\n"
              "  highwater check model.onnx plan.json --replay\n"
              "  highwater check problem.csv solved_elsewhere.csv --l2 1MiB\n"
              "  highwater plan model.onnx --format json | highwater check model.onnx -",
          .add = actionOf<CheckCommand>};
}

namespace {

/// A plan to compare, before it is read or made: a file, or an allocator.
struct PlanName {
  std::string text{};
  std::optional<AllocatorChoice> allocator{};  ///< Nothing: a file.
};

bool isFile(const std::string& text) {
  std::error_code failure;
  return text == "-" || text.ends_with(".json") || text.ends_with(".csv") ||
         std::filesystem::exists(text, failure);
}

/// A text that begins with the name of an allocator is one, even if a file is called like it.
Outcome<PlanName> parsePlanName(const std::string& text) {
  const std::string name = text.substr(0, text.find(':'));
  if (name == "plugin" || findAllocator(name)) {
    auto choice = AllocatorChoice::parse(text);
    if (!choice) return failure(ExitCode::badUsage, "diff", choice.error().text());
    return PlanName{text, *std::move(choice)};
  }
  if (isFile(text)) return PlanName{text, {}};
  return failure(ExitCode::badUsage, "diff",
                 fmt::format("'{}' is neither a plan file nor an allocator; {}",
                             printable(text, 80), findAllocator(name).error().text()));
}

struct DiffCommand {
  explicit DiffCommand(Arguments& arguments)
      : run_(arguments, kComparedOptions),
        output(arguments, {Format::text, Format::json, Format::csv}),
        picture(arguments, "draw bytes simulated and measured step by step, as SVG") {
    arguments.positional(
        "[MODEL] A B", names,
        {.help = "two plans: files, or allocators that plan the model before them; A may be left "
                 "out: then the default allocator plans the model. B may be what was measured"});
    arguments.flag("--all", all, "every tensor, or operator, that differs");
  }

  Outcome<ExitCode> run() const {
    HW_TRY(format, output.format());
    if (names.size() != 2 && names.size() != 3) {
      return failure(ExitCode::badUsage, "diff",
                     "expected two plans, or a model and one or two plans");
    }
    if (isMeasurement(names.back())) return runMeasured(format);
    if (picture.wanted()) {
      return failure(ExitCode::badUsage, "--picture", "it shows a plan beside a measurement");
    }
    HW_TRY(report, compared());
    HW_DO(output.write(text(report, format)));
    const PlanDiff& diff = report.diff;
    output.announce(diff.equal() ? "the plans are the same"
                                 : countText(diff.changes.size(), "difference"));
    return diff.equal() ? ExitCode::done : ExitCode::answerIsNo;
  }

  /// The last of the names is what was measured.
  Outcome<ExitCode> runMeasured(Format format) const {
    std::optional<AllocatorChoice> allocator;
    if (names.size() == 3) {
      HW_TRY(a, parsePlanName(names[1]));
      if (!a.allocator) {
        return failure(ExitCode::badUsage, names[1],
                       "only an allocator can plan the model beside a measurement");
      }
      allocator = a.allocator;
    }
    HW_TRY(report, runBeside(names.front(), names.back(), run_, allocator,
                             progressMode(false, output.quiet())));
    if (picture.wanted()) HW_DO(picture.write(measuredSvg(report, picture.palette())));
    HW_DO(output.write(textBeside(report, format)));
    output.announce(measuredSummary(report.diff));
    return report.diff.equal() ? ExitCode::done : ExitCode::answerIsNo;
  }

  std::string textBeside(const MeasuredReport& report, Format format) const {
    if (format == Format::json) return jsonDocument(measuredJson(report));
    if (format == Format::csv) return measuredCsv(report);
    return measuredText(report, output.textOptions(all));
  }

  /// True if the first of two names is a model, which the default allocator plans then.
  bool startsWithModel() const {
    if (names.size() == 3) return true;
    const std::string& first = names.front();
    if (first == "-" || findAllocator(first.substr(0, first.find(':')))) return false;
    if (first.starts_with("samples:")) return true;
    const auto mapped = MappedFile::open(first);
    return mapped && importerOf(mapped->bytes()) != nullptr && !holdsPlan(mapped->bytes());
  }

  Outcome<DiffReport> compared() const {
    const bool modelFirst = startsWithModel();
    const bool planned = modelFirst && names.size() == 2;
    HW_TRY(a, parsePlanName(planned ? std::string(kDefaultAllocator) : names[names.size() - 2]));
    HW_TRY(b, parsePlanName(names[names.size() - 1]));
    HW_TRY(request, run_.request());
    std::shared_ptr<const Model> model;
    if (modelFirst) {
      request.model = names.front();
      HW_TRY(opened, openFirst(request));
      model = std::move(opened);
    } else if (a.allocator || b.allocator) {
      return failure(ExitCode::badUsage, "diff",
                     "an allocator needs a model to plan; expected 'diff MODEL A B'");
    }
    // A file holds no story: then both are told from their addresses, so that they can be compared.
    const bool stories = a.allocator && b.allocator;
    DiffReport report;
    for (auto [name, side] : {std::pair(&a, &report.a), std::pair(&b, &report.b)}) {
      HW_TRY(filled, fill(*name, model, request, stories));
      *side = std::move(filled);
    }
    if (report.a.plan.byId != report.b.plan.byId) {
      return failure(ExitCode::badUsage, "diff",
                     fmt::format("'{}' calls tensors by their ids, the other plan by their names; "
                                 "give the model too: 'diff MODEL A B'",
                                 printable(report.a.plan.byId ? a.text : b.text, 80)));
    }
    report.diff = diffPlans(report.a, report.b);
    if (!stories && report.diff.firstEvents)
      report.diff.notes.push_back("events are told from addresses: files hold no story");
    return report;
  }

  Outcome<std::shared_ptr<const Model>> openFirst(const RunRequest& request) const {
    if (std::ranges::count(names, "-") > 1) {
      return failure(ExitCode::badUsage, "diff", "only one of them can be standard input");
    }
    return openModel(request);
  }

  Outcome<DiffSide> fill(const PlanName& name, const std::shared_ptr<const Model>& model,
                         RunRequest request, bool stories) const {
    DiffSide side{.name = name.text};
    if (name.allocator) {
      request.allocator = *name.allocator;
      HW_TRY(planned, executeWatched(model, request, progressMode(false, output.quiet())));
      side.plan = describePlan(*planned);
      if (stories) side.events = memoryEvents(*planned);
    } else {
      HW_TRY(document, read(name.text, model, request.import));
      side.plan = std::move(document);
    }
    if (stories) return side;
    auto events = memoryEvents(side.plan);
    if (events) {
      side.events = std::move(*events);
    } else {
      side.noEvents = events.error();
    }
    return side;
  }

  static Outcome<PlanDocument> read(const std::string& file,
                                    const std::shared_ptr<const Model>& model,
                                    const ImportOptions& options) {
    const auto bytes = readFile(file);
    if (!bytes) return failure(bytes.error(), file);
    auto document = model ? heldPlanFor(*model, options, *bytes, file) : readHeldPlan(*bytes, file);
    if (!document) return failure(document.error(), file);
    if (!document->byId || !model) return std::move(*document);
    // A plan CSV calls tensors by their ids; with the model they have names.
    const auto program = statedProgram(model, *document);
    if (!program) return failure(program.error(), file);
    const TensorNames known(*program->model->graph);
    for (Placement& placement : document->placements) {
      if (const auto id = known.findId(placement.tensor)) placement.tensor = known.of(*id);
    }
    document->byId = false;
    return std::move(*document);
  }

  std::string text(const DiffReport& report, Format format) const {
    if (format == Format::json) return jsonDocument(diffJson(report));
    if (format == Format::csv) return diffCsv(report);
    return diffText(report, output.textOptions(all));
  }

  std::vector<std::string> names;
  RunArguments run_;
  OutputOptions output;
  PictureOptions picture;
  bool all = false;
};

}  // namespace

CommandInfo diffCommand() {
  return {
      .name = "diff",
      .summary = "what is different in two plans: tensors, peaks, first event",
      .notes =
          "A and B are plan files, ours or of other tools, or allocators, which need a MODEL.\n"
          "Where B is a profile of a runtime, bytes are compared operator by operator. Unless\n"
          "options say otherwise the model is then planned as runtimes do: inputs outside,\n"
          "sizes exact, reshapes and outputs over inputs, bodies closed; in the order measured.\n"
          "Exit code 0: every tensor has the same place, every operator takes and keeps what\n"
          "was measured; 1: they differ.\n"
          "\n"
          "Examples:\n"
          "  highwater diff before.json after.json\n"
          "  highwater diff model.onnx greedy-by-size free-list:pick=best\n"
          "  highwater diff model.onnx two-sided plan.csv --format csv\n"
          "  highwater diff model.onnx profile.json --picture beside.svg",
      .add = actionOf<DiffCommand>};
}

}  // namespace hw::cli
