#include <fmt/format.h>

#include "app/cli/arguments.h"
#include "app/cli/console.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "core/base/text.h"
#include "core/exchange/tflm/held_log.h"
#include "core/files/file.h"
#include "core/plan_file/plan_document.h"
#include "core/report/check/audit_report.h"
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
    if (run_.given("inputs")) options.planInputs = request.planInputs;
    if (run_.given("outputs")) options.planOutputs = request.planOutputs;
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

}  // namespace hw::cli
