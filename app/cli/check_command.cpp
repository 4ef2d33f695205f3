#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/report/audit_report.h"
#include "core/report/embedded_plan.h"
#include "core/report/plan_reader.h"

namespace hw::cli {
namespace {

/// More than fits into memory comfortably is shrunk by the replay, which keeps overlaps.
constexpr Bytes kLargestArena{std::int64_t{1} << 30};

struct CheckCommand {
  explicit CheckCommand(Arguments& arguments)
      : model(arguments),
        storage(arguments),
        machine(arguments, DefaultMachine::unlimited),
        output(arguments, {Format::text, Format::json}) {
    arguments.positional(
        "PLAN", plan,
        {.help = "a plan, JSON or CSV, made here or elsewhere; - for standard input; embedded: the "
                 "one that came with the model"});
    arguments.flag("--replay", replay, "also run it on real bytes and look for corrupted ones");
    arguments.flag("--all", all, "every finding");
  }

  Outcome<AuditOptions> auditOptions() const {
    AuditOptions options;
    RunConfig config;
    if (auto applied = machine.apply(config); !applied) return tl::unexpected(applied.error());
    const auto& pools = config.platform.devices.front().pools;
    for (std::size_t i = 0; i < pools.size(); ++i) {
      const PoolSize& size = i == 0 ? config.l2 : config.l3;
      const auto target = pools[i].target();
      if (size.kind == PoolSize::Kind::bytes) options.capacities[pools[i].name] = size.bytes;
      if (size.kind == PoolSize::Kind::platform && target) {
        options.capacities[pools[i].name] = *target;
      }
    }
    const auto alias = storage.alias();
    if (!alias) return tl::unexpected(alias.error());
    if (storage.aliasGiven()) options.alias = *alias;
    const auto alignment = storage.alignment();
    if (!alignment) return tl::unexpected(alignment.error());
    options.alignment = *alignment;
    if (storage.inputsGiven()) options.planInputs = storage.planInputs();
    if (storage.outputsGiven()) options.planOutputs = storage.planOutputs();
    return options;
  }

  Outcome<PlanDocument> readDocument(const Model& subject) const {
    if (plan == "embedded") {
      auto own = embeddedPlan(subject);
      if (own) return std::move(*own);
      return failure(ExitCode::badInput, model.name(), "the model brings no plan of its own");
    }
    const auto bytes = readFile(plan);
    if (!bytes) return failure(bytes.error(), plan);
    auto document = readPlan(*bytes);
    if (!document) return failure(document.error(), plan);
    return std::move(*document);
  }

  Outcome<ExitCode> run() const {
    const auto format = output.format();
    if (!format) return tl::unexpected(format.error());
    if (plan == "-" && model.name() == "-") {
      return failure(ExitCode::badUsage, "", "model and plan cannot both be standard input");
    }
    const auto options = auditOptions();
    if (!options) return tl::unexpected(options.error());
    const auto opened = model.open();
    if (!opened) return tl::unexpected(opened.error());
    const auto document = readDocument(**opened);
    if (!document) return tl::unexpected(document.error());
    AuditReport report{.model = *opened, .audit = auditPlan(*opened, *document, *options)};
    if (replay) report.replay = replayAudited(report.audit, kLargestArena);
    const auto written =
        output.write(*format == Format::json
                         ? jsonDocument(auditJson(report))
                         : auditText(report, {.paint = output.toFile() ? Paint() : outputPaint(),
                                              .everything = all}));
    if (!written) return tl::unexpected(written.error());
    if (report.valid()) return ExitCode::done;
    return failure(ExitCode::answerIsNo, plan, "the plan is not valid: " + report.firstProblem());
  }

  ModelOptions model;
  std::string plan;
  StorageArguments storage;
  MachineArguments machine;
  OutputOptions output;
  bool replay = false;
  bool all = false;
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
          .add = [](Arguments& arguments) -> Action {
            return [command = std::make_shared<CheckCommand>(arguments)] { return command->run(); };
          }};
}

}  // namespace hw::cli
