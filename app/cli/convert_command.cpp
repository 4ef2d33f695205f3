#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/execution.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "core/report/graph_writer.h"
#include "core/report/plan_text.h"
#include "core/report/plan_writer.h"
#include "core/report/problem_writer.h"

namespace hw::cli {
namespace {

struct ConvertCommand {
  explicit ConvertCommand(Arguments& arguments)
      : model(arguments), allocator(arguments), storage(arguments) {
    arguments.required("-o,--output", path,
                       {.help = "FILE.graph.json or FILE.csv; - with --to", .type = "FILE"});
    arguments.option("--to", to,
                     {.help = "graph-json or problem-csv, when the ending does not say",
                      .type = "NAME",
                      .choices = {"graph-json", "problem-csv"}});
  }

  Outcome<ExitCode> run() const {
    const bool json = to == "graph-json" || (to.empty() && path.ends_with(".json"));
    const bool csv = to == "problem-csv" || (to.empty() && path.ends_with(".csv"));
    if (!json && !csv) {
      return failure(ExitCode::badUsage, path,
                     "the ending says no format; expected .graph.json or .csv, or --to");
    }
    const auto opened = model.open();
    if (!opened) return tl::unexpected(opened.error());
    if (json) return convertToGraph(**opened);
    return allocator.given() ? convertToPlan(*opened) : convertToProblem(**opened);
  }

  Outcome<ExitCode> convertToGraph(const Model& opened) const {
    if (allocator.given()) {
      return failure(ExitCode::badUsage, "--allocator",
                     "graph JSON holds no plan; write .csv, or use 'highwater plan'");
    }
    if (opened.problem) {
      return failure(ExitCode::badInput, model.name(),
                     "a planning problem has lifetimes but no operators, so it cannot become a "
                     "graph");
    }
    return done(writeOutput(path, [&](std::ostream& out) { writeGraphJson(*opened.graph, out); }));
  }

  /// Without a word about aliases, alignment or the like: every tensor on its own, exact.
  Outcome<ExitCode> convertToProblem(const Model& opened) const {
    const auto alias = storage.alias();
    if (!alias) return tl::unexpected(alias.error());
    const auto alignment = storage.alignment();
    if (!alignment) return tl::unexpected(alignment.error());
    const StorageOptions options{.alias = storage.aliasGiven() ? *alias : AliasRules::none(),
                                 .planInputs = storage.planInputs(),
                                 .planOutputs = storage.planOutputs(),
                                 .alignment = alignment->value_or(Bytes(1))};
    return done(
        writeOutput(path, [&](std::ostream& out) { writeProblemCsv(opened, options, out); }));
  }

  Outcome<ExitCode> convertToPlan(const std::shared_ptr<const Model>& opened) const {
    const auto choice = allocator.choice();
    if (!choice) return tl::unexpected(choice.error());
    RunConfig config;
    if (auto filled = fill(config); !filled) return tl::unexpected(filled.error());
    config.allocator = *choice;
    const auto planned = executeWatched(opened, config, model.name(), true);
    if (!planned) return tl::unexpected(planned.error());
    const auto written =
        writeOutput(path, [&](std::ostream& out) { writePlanCsv(**planned, out); });
    if (!written) return tl::unexpected(written.error());
    return verdict(**planned, model.name());
  }

  Outcome<void> fill(RunConfig& config) const {
    const auto alias = storage.alias();
    if (!alias) return tl::unexpected(alias.error());
    const auto alignment = storage.alignment();
    if (!alignment) return tl::unexpected(alignment.error());
    config.alias = *alias;
    config.alignment = *alignment;
    config.planInputs = storage.planInputs();
    config.planOutputs = storage.planOutputs();
    unlimitedMachine(config);
    return {};
  }

  static Outcome<ExitCode> done(const Outcome<void>& written) {
    if (!written) return tl::unexpected(written.error());
    return ExitCode::done;
  }

  ModelOptions model;
  AllocatorOption allocator;
  StorageArguments storage;
  std::string path;
  std::string to;
};

}  // namespace

CommandInfo convertCommand() {
  return {.name = "convert",
          .summary = "writes a model in another format",
          .notes =
              "A problem CSV holds every tensor on its own, exact sizes, unless --alias says "
              "otherwise.\n"
              "With --allocator it gets an offset column: a plan.\n"
              "\n"
              "Examples:\n"
              "  highwater convert model.onnx -o model.graph.json\n"
              "  highwater convert model.onnx -o problem.csv\n"
              "  highwater convert model.onnx --to problem-csv -o - | head",
          .add = [](Arguments& arguments) -> Action {
            return
                [command = std::make_shared<ConvertCommand>(arguments)] { return command->run(); };
          }};
}

}  // namespace hw::cli
