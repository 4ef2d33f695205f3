#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

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
#include "core/plan_file/dsa_plan.h"
#include "core/plan_file/plan_document.h"
#include "core/plan_file/plan_story.h"
#include "core/plan_file/tensor_names.h"
#include "core/report/check/audit_report.h"
#include "core/report/compare/compare_report.h"
#include "core/report/compare/diff_report.h"
#include "core/report/study/baseline.h"
#include "core/run/planner.h"

namespace hw::cli {
namespace {

/// More than fits into memory comfortably is shrunk by the replay, which keeps overlaps.
constexpr Bytes kLargestArena{std::int64_t{64} << 20};

struct CheckCommand {
  explicit CheckCommand(Arguments& arguments)
      : run_(arguments, kPlanOptions), output(arguments, {Format::text, Format::json}) {
    arguments.optional(
        "PLAN", plan,
        {.help = "a plan, made here or by another tool; - for standard input; without it, or "
                 "embedded: the plan that came with the model"});
    arguments.option(
        "--baseline", baseline,
        {.help = "instead of a plan: plan and simulate the model, and hold the figures "
                 "against those of this file",
         .type = "FILE"});
    arguments.option(
        "--allow", allow,
        {.help = "how much more is fine, by figure (default: peak=+0,latency=+0)", .type = "LIST"});
    arguments.flag("--update", update, "write the figures of this run into the baseline");
    arguments.option(
        "--summary", summary,
        {.help = "add a table in Markdown to this file, as pipelines show it", .type = "FILE"});
    arguments.flag("--replay", replay, "also run it on real bytes and look for corrupted ones");
    arguments.flag("--all", all, "every finding");
    arguments.flag("--progress", progress,
                   "tell how far the replay is even if there is no terminal");
  }

  AuditOptions auditOptions(const Model& model, const RunRequest& request) const {
    AuditOptions options{.alignment = request.alignment};
    const DeviceSpec& device = request.platform.devices.front();
    const bool own = model.problem && model.problem->ownPools;
    for (const ProblemPool& pool : plannedPools(request, device, own ? &*model.problem : nullptr)) {
      if (pool.capacity) options.capacities[pool.name] = *pool.capacity;
    }
    if (run_.given("platform")) options.platform = request.platform;
    if (run_.given("alias")) options.alias = request.alias;
    if (run_.given("inputs")) options.planInputs = request.plansInputs();
    if (run_.given("outputs")) options.planOutputs = request.plansOutputs();
    return options;
  }

  Outcome<PlanDocument> readDocument(const Model& subject, const RunRequest& request) const {
    if (plan.empty() || plan == "embedded") {
      auto own = embeddedPlan(subject);
      if (own) return std::move(*own);
      if (plan.empty()) {
        return failure(ExitCode::badUsage, "PLAN",
                       "expected a plan, or --baseline: the model brings no plan of its own");
      }
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
    if (!baseline.empty()) return gate(format);
    HW_DO(checkAudit());
    HW_TRY(typed, run_.request());
    if (plan == "-" && typed.model == "-") {
      return failure(ExitCode::badUsage, "", "model and plan cannot both be standard input");
    }
    HW_TRY(opened, openModel(typed));
    HW_TRY(request, run_.request(*opened));
    HW_TRY(document, readDocument(*opened, request));
    AuditReport report{.model = opened,
                       .audit = auditPlan(opened, document, auditOptions(*opened, request))};
    if (replay) report.replay = replayed(report.audit);
    HW_DO(output.write(format == Format::json ? jsonDocument(auditJson(report))
                                              : auditText(report, output.textOptions(all))));
    if (report.valid()) return ExitCode::done;
    return failure(ExitCode::answerIsNo, plan, "the plan is not valid: " + report.firstProblem());
  }

  /// Options of the other job are refused, not ignored.
  Outcome<void> checkAudit() const {
    const auto refused = [](const std::string& option) {
      return failure(ExitCode::badUsage, option, "it is for --baseline FILE, without a plan");
    };
    if (!allow.empty()) return refused("--allow");
    if (update) return refused("--update");
    if (!summary.empty()) return refused("--summary");
    for (const RunOption& option : runOptions()) {
      const bool plans = option.group == OptionGroup::allocator ||
                         option.group == OptionGroup::order ||
                         option.group == OptionGroup::search || option.group == OptionGroup::effort;
      if (plans && run_.given(option.name)) return refused("--" + std::string(option.name));
    }
    return {};
  }

  Outcome<ExitCode> gate(Format format) const {
    if (!plan.empty())
      return failure(ExitCode::badUsage, "PLAN", "it has no place beside --baseline");
    const auto allowances = parseAllowances(allow.empty() ? "peak=+0,latency=+0" : allow);
    if (!allowances) return failure(ExitCode::badUsage, "--allow", allowances.error().text());
    HW_TRY(known, readBaseline());
    HW_TRY(asked, run_.open(defaultRequest()));
    HW_TRY(done,
           executeWatched(asked.model, asked.request, progressMode(progress, output.quiet())));
    const std::string options = optionsText(asked.request);
    const std::string key = asked.request.model + (options.empty() ? "" : " " + options);
    const auto now = baselineFigures(figuresOf(*done));
    if (update) {
      known[key] = now;
      const auto written = writeFile(baseline, baselineText(known));
      if (!written) return failure(written.error(), baseline);
      if (format == Format::text) HW_DO(output.write(fmt::format("{}: {}\n", baseline, key)));
      return ExitCode::done;
    }
    const auto before = known.find(key);
    if (before == known.end()) {
      return failure(ExitCode::badInput, baseline,
                     fmt::format("it has no run '{}'; --update adds it", key));
    }
    return tell(key, holdAgainst(before->second, now, *allowances), format);
  }

  Outcome<Baseline> readBaseline() const {
    std::error_code error;
    if (update && !std::filesystem::exists(baseline, error)) return Baseline();
    const auto text = readFile(baseline, kMostModelBytes);
    if (!text) return failure(text.error(), baseline);
    auto known = parseBaseline(*text);
    if (!known) return failure(known.error(), baseline);
    return *std::move(known);
  }

  Outcome<ExitCode> tell(const std::string& key, const std::vector<HeldFigure>& held,
                         Format format) const {
    const ResultTable table = heldTable(held);
    if (format == Format::json) {
      HW_DO(output.write(jsonDocument({{"format", "highwater-gate"},
                                       {"version", 1},
                                       {"run", key},
                                       {"figures", heldJson(held)}})));
    } else {
      HW_DO(output.write(table.text(output.textOptions(true))));
    }
    if (!summary.empty()) {
      HW_DO(addToSummary("### " + printable(key) + "\n\n" + table.markdown() + "\n"));
    }
    std::string grown;
    for (const HeldFigure& each : held) {
      if (each.grew) grown += (grown.empty() ? "" : ". ") + each.sentence();
    }
    if (grown.empty()) return ExitCode::done;
    return failure(ExitCode::answerIsNo, printable(key), grown);
  }

  /// Adds to a file that other steps of a pipeline write to, too.
  Outcome<void> addToSummary(const std::string& text) const {
    std::ofstream file(summary, std::ios::app | std::ios::binary);
    file << text << std::flush;
    if (file.good()) return {};
    return failure(ExitCode::badInput, summary, "cannot be written");
  }

  ReplayResult replayed(const Audit& audit) const {
    ProgressLine line(progressMode(progress, output.quiet()));
    const auto callback = line.callback();
    return replayAudited(audit, kLargestArena, [&](double part) {
      if (callback) callback(part, "replayed");
    });
  }

  std::string plan;
  std::string baseline;
  std::string allow;
  std::string summary;
  RunArguments run_;
  OutputOptions output;
  bool update = false;
  bool replay = false;
  bool all = false;
  bool progress = false;
};

}  // namespace

CommandInfo checkCommand() {
  return {
      .name = "check",
      .summary = "audits a plan made here or elsewhere, or holds a run against a baseline",
      .notes =
          "The plan is held against the model's own tensors, sizes and lifetimes. What it says "
          "about\n"
          "its alignment, aliases and inputs is believed unless an option says otherwise.\n"
          "With --baseline FILE the model is planned and simulated, and each figure that grew by\n"
          "more than --allow says is a sentence.\n"
          "Exit code 1: the plan is not valid, or a figure grew.\n"
          "\n"
          "Examples:\n"
          "  highwater check model.onnx plan.json --replay\n"
          "  highwater check problem.csv solved_elsewhere.csv --l2 1MiB\n"
          "  highwater plan model.onnx --format json | highwater check model.onnx -\n"
          "  highwater check model.onnx --baseline memory.json --update\n"
          "  highwater check model.onnx --baseline memory.json --allow peak=+0,latency=+2%",
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
      report.diff.notes.emplace_back("events are told from addresses: files hold no story");
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
    if (document->dsa && model) {
      auto named = namedDsaPlan(*document, *model);
      if (!named) return failure(named.error(), file);
      return std::move(*named);
    }
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
