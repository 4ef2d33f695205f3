#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/execution.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "core/machine/platform_writer.h"
#include "core/machine/platforms.h"
#include "core/plan_file/plan_writer.h"
#include "core/report/model/graph_writer.h"
#include "core/report/plan/plan_text.h"

namespace hw::cli {
namespace {

struct ConvertCommand {
  explicit ConvertCommand(Arguments& arguments)
      : run_(arguments, {OptionGroup::model, OptionGroup::import, OptionGroup::allocator,
                         OptionGroup::storage}) {
    arguments.required("-o,--output", path,
                       {.help = "FILE.graph.json or FILE.csv, of a platform FILE.toml; - with --to",
                        .type = "FILE"});
    arguments.option("--to", to,
                     {.help = "graph-json, problem-csv or platform-toml, when the ending does not "
                              "say",
                      .type = "NAME",
                      .choices = {"graph-json", "problem-csv", "platform-toml"}});
  }

  Outcome<ExitCode> run() const {
    const bool json = to == "graph-json" || (to.empty() && path.ends_with(".json"));
    const bool csv = to == "problem-csv" || (to.empty() && path.ends_with(".csv"));
    const bool toml = to == "platform-toml" || (to.empty() && path.ends_with(".toml"));
    if (!json && !csv && !toml) {
      return failure(ExitCode::badUsage, path,
                     "the ending says no format; expected .graph.json, .csv or .toml, or --to");
    }
    HW_TRY(request, run_.request());
    if (toml) return convertToPlatform(request.model);
    HW_TRY(opened, openModel(request));
    if (json) return convertToGraph(*opened, request.model);
    return run_.given("allocator") ? convertToPlan(opened, request)
                                   : convertToProblem(*opened, request);
  }

  /// What stands for a model is a machine then: nothing else is written as TOML.
  Outcome<ExitCode> convertToPlatform(const std::string& machine) const {
    if (run_.given("allocator")) {
      return failure(ExitCode::badUsage, "--allocator", "a platform is not planned");
    }
    const auto platform = openPlatform(machine);
    if (!platform) {
      auto wrong = platform.error();
      wrong.message = "as TOML only a platform can be written: " + wrong.message;
      return failure(wrong, "");
    }
    return done(writeOutput(path, [&](std::ostream& out) { out << platformToml(*platform); }));
  }

  Outcome<ExitCode> convertToGraph(const Model& opened, const std::string& name) const {
    if (run_.given("allocator")) {
      return failure(ExitCode::badUsage, "--allocator",
                     "graph JSON holds no plan; write .csv, or use 'highwater plan'");
    }
    if (opened.problem) {
      return failure(ExitCode::badInput, name,
                     "a planning problem has lifetimes but no operators, so it cannot become a "
                     "graph");
    }
    return done(writeOutput(
        path, [&](std::ostream& out) { writeGraphJson(*opened.graph, out, opened.sha256); }));
  }

  /// Without a word about aliases, alignment or the like: every tensor on its own, exact.
  Outcome<ExitCode> convertToProblem(const Model& opened, const RunRequest& request) const {
    const StorageOptions options{.alias = run_.given("alias") ? request.alias : AliasRules::none(),
                                 .planInputs = request.planInputs,
                                 .planOutputs = request.planOutputs,
                                 .alignment = request.alignment.value_or(Bytes(1))};
    return done(
        writeOutput(path, [&](std::ostream& out) { writeProblemCsv(opened, options, out); }));
  }

  Outcome<ExitCode> convertToPlan(const std::shared_ptr<const Model>& opened,
                                  const RunRequest& request) const {
    HW_TRY(planned, executeWatched(opened, request, progressMode(false, false)));
    HW_DO(writeOutput(path, [&](std::ostream& out) { writePlanCsv(*planned, out); }));
    return verdict(*planned);
  }

  static Outcome<ExitCode> done(const Outcome<void>& written) {
    HW_DO(written);
    return ExitCode::done;
  }

  RunArguments run_;
  std::string path;
  std::string to;
};

}  // namespace

CommandInfo convertCommand() {
  return {.name = "convert",
          .summary = "writes a model or a platform in another format",
          .notes =
              "A problem CSV holds every tensor on its own, exact sizes, unless --alias says "
              "otherwise.\n"
              "With --allocator it gets an offset column: a plan.\n"
              "As .toml, MODEL is a platform: a preset, or a file of DORY, Vela or ST Edge AI.\n"
              "\n"
              "Examples:\n"
              "  highwater convert model.onnx -o model.graph.json\n"
              "  highwater convert model.onnx -o problem.csv\n"
              "  highwater convert model.onnx --to problem-csv -o - | head\n"
              "  highwater convert vela.ini:Ethos_U55_High_End_Embedded,Shared_Sram -o board.toml",
          .add = actionOf<ConvertCommand>};
}

}  // namespace hw::cli
