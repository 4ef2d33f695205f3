#include <fmt/format.h>

#include <sstream>

#include "app/cli/arguments.h"
#include "app/cli/console.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "core/exchange/onnx/part_file.h"
#include "core/families/family.h"
#include "core/files/file.h"
#include "core/machine/platform_writer.h"
#include "core/machine/platforms.h"
#include "core/plan/metrics.h"
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
                       {.help = "FILE.graph.json, FILE.csv or FILE.dsa.json, of a platform "
                                "FILE.toml, of a graph in parts FILE.onnx; - with --to",
                        .type = "FILE"});
    arguments.option(
        "--to", to,
        {.help = "graph-json, problem-csv, dsa-problem, platform-toml or onnx, when the ending "
                 "does not say",
         .type = "NAME",
         .choices = {"graph-json", "problem-csv", "dsa-problem", "platform-toml", "onnx"}});
    arguments.option("--model", onnxModel,
                     {.help = "the ONNX file that a graph in parts was made of, for its weights",
                      .type = "FILE"});
  }

  Outcome<ExitCode> run() const {
    const bool dsa = to == "dsa-problem" || (to.empty() && path.ends_with(".dsa.json"));
    const bool json = !dsa && (to == "graph-json" || (to.empty() && path.ends_with(".json")));
    const bool csv = to == "problem-csv" || (to.empty() && path.ends_with(".csv"));
    const bool toml = to == "platform-toml" || (to.empty() && path.ends_with(".toml"));
    const bool onnx = to == "onnx" || (to.empty() && path.ends_with(".onnx"));
    if (!json && !csv && !toml && !onnx && !dsa) {
      return failure(
          ExitCode::badUsage, path,
          "the ending says no format; expected .graph.json, .csv, .dsa.json, .toml or .onnx, or "
          "--to");
    }
    if (onnx && onnxModel.empty()) {
      return failure(ExitCode::badUsage, path,
                     "an ONNX file is made of a graph in parts and its model; expected --model");
    }
    if (!onnx && !onnxModel.empty()) {
      return failure(ExitCode::badUsage, "--model", "goes with an ONNX file that is written");
    }
    HW_TRY(request, run_.request());
    if (toml) return convertToPlatform(request.model);
    HW_TRY(opened, openModel(request));
    if (onnx) return convertToOnnx(*opened, request);
    if (json) return convertToGraph(*opened, request.model);
    if (dsa) return convertToDsa(*opened, request);
    return run_.given("allocator") ? convertToPlan(opened, request)
                                   : convertToProblem(*opened, request);
  }

  /// Converts a machine, which stands for the model then: nothing else is written as TOML.
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
    return done(writeOutput(path, [&](std::ostream& out) { writeGraphJson(opened, out); }));
  }

  /// A graph in parts as the file that its model has in those parts.
  Outcome<ExitCode> convertToOnnx(const Model& opened, const RunRequest& request) const {
    if (run_.given("allocator")) {
      return failure(ExitCode::badUsage, "--allocator", "an ONNX file holds no plan");
    }
    auto bytes = readFile(onnxModel, kMostModelBytes);
    if (!bytes) return failure(bytes.error(), onnxModel);
    const auto source = onnxSource(*bytes, request.import.dimensions);
    if (!source) return failure(source.error(), onnxModel);
    const auto beside = checkBeside(*source, onnxModel, path);
    if (!beside) return failure(ExitCode::badUsage, path, beside.error().text());
    if (opened.sha256 != source->model.sha256) {
      return failure(ExitCode::badInput, request.model,
                     "is a graph of another file than " + printable(onnxModel));
    }
    std::vector<std::string> notes;
    const auto parts = onnxParts(*opened.graph, source->graph(), notes);
    if (!parts) return failure(parts.error(), request.model);
    const auto program = partProgram(source->graph(), *parts);
    if (!program) return failure(program.error(), request.model);
    const auto least = leastOnnxFile(*source, *program);
    if (!least) return failure(least.error(), onnxModel);
    if (!least->file.freed.empty()) notes.push_back(freedText(least->file));
    for (const std::string& note : notes) writeToErrors(note + "\n");
    return done(writeOutput(path, [&](std::ostream& out) { out << least->file.bytes; }));
  }

  /// Without a word about aliases, alignment or the like: every tensor on its own, exact.
  StorageOptions problemOptions(const RunRequest& request) const {
    return {.alias = run_.given("alias") ? request.alias : AliasRules::none(),
            .planInputs = request.plansInputs(),
            .planOutputs = request.plansOutputs(),
            .alignment = request.alignment.value_or(Bytes(1))};
  }

  template <class Write>
  Outcome<ExitCode> writeProblem(const Write& write, const Model& opened,
                                 const RunRequest& request) const {
    std::ostringstream text;
    if (auto written = write(opened, problemOptions(request), text); !written) {
      return failure(written.error(), request.model);
    }
    return done(writeOutput(path, [&](std::ostream& out) { out << text.view(); }));
  }

  Outcome<ExitCode> convertToProblem(const Model& opened, const RunRequest& request) const {
    return writeProblem(writeProblemCsv, opened, request);
  }

  Outcome<ExitCode> convertToDsa(const Model& opened, const RunRequest& request) const {
    if (run_.given("allocator")) {
      return failure(ExitCode::badUsage, "--allocator",
                     "a problem of dsa-solver holds no plan; use 'highwater plan -o "
                     "FILE.solution.json'");
    }
    return writeProblem(writeDsaProblem, opened, request);
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
  std::string onnxModel;
};

}  // namespace

CommandInfo convertCommand() {
  return {
      .name = "convert",
      .summary = "writes a model or a platform in another format",
      .notes =
          "A problem CSV holds every tensor on its own, exact sizes, unless --alias says "
          "otherwise.\n"
          "With --allocator it gets an offset column: a plan.\n"
          "As .dsa.json, it is a problem of dsa-solver (dsa-problem-v1).\n"
          "As .toml, MODEL is a platform: a preset, or a file of DORY, Vela or ST Edge AI.\n"
          "As .onnx, MODEL is a graph in parts (shrink --graph) of the file that --model names.\n"
          "\n"
          "Examples:\n"
          "  highwater convert model.onnx -o model.graph.json\n"
          "  highwater convert model.onnx -o problem.csv\n"
          "  highwater convert model.onnx --to problem-csv -o - | head\n"
          "  highwater convert parts.graph.json --model model.onnx -o tiled.onnx\n"
          "  highwater convert vela.ini:Ethos_U55_High_End_Embedded,Shared_Sram -o board.toml",
      .add = actionOf<ConvertCommand>};
}

namespace {

constexpr std::string_view kRowOrders[] = {"given", "reversed", "shuffled"};

struct GenerateCommand {
  explicit GenerateCommand(Arguments& arguments) {
    arguments.positional("FAMILY", family,
                         {.help = "NAME:key=value,...; 'highwater list families' names them"});
    arguments.option("-o,--output", path,
                     {.help = "FILE.csv of a problem, FILE.graph.json of a graph (default: "
                              "standard output)",
                      .type = "FILE"});
    arguments.option("--rows", rows,
                     {.help = "their order in a problem: by first step (default), from the last "
                              "to the first, or shuffled by the seed",
                      .type = "ORDER",
                      .choices = {std::begin(kRowOrders), std::end(kRowOrders)}});
    arguments.flag("--backwards", backwards, "time runs the other way in a problem");
    arguments.flag("--bare", bare, "without the comment: other programs may not know any");
  }

  Outcome<ExitCode> run() const {
    const auto choice = FamilyChoice::parse(family);
    if (!choice) return failure(choice.error(), "");
    return choice->info->graph != nullptr ? writeGraph(*choice) : writeBuffers(*choice);
  }

  Outcome<ExitCode> writeGraph(const FamilyChoice& choice) const {
    if (!rows.empty() || backwards || bare) {
      return failure(ExitCode::badUsage, family,
                     "--rows, --backwards and --bare are for planning problems; this is a graph");
    }
    const auto graph = choice.info->graph(choice.params);
    if (!graph) return failure(graph.error(), family);
    HW_DO(writeOutput(path, [&](std::ostream& out) { writeGraphJson(*graph, out); }));
    return ExitCode::done;
  }

  Outcome<ExitCode> writeBuffers(const FamilyChoice& choice) const {
    const auto made = choice.info->problem(choice.params);
    if (!made) return failure(made.error(), family);
    Retelling how{.backwards = backwards, .seed = static_cast<std::uint64_t>(choice.seed())};
    if (rows == "reversed") how.rows = RowOrder::reversed;
    if (rows == "shuffled") how.rows = RowOrder::shuffled;
    const Problem problem = retold(made->problem, how);
    HW_DO(writeOutput(path, [&](std::ostream& out) {
      if (!bare) out << comment(choice, *made);
      writeProblem(problem, out);
    }));
    return ExitCode::done;
  }

  /// Comment on how to make it again, and on what is known of the lowest plan.
  std::string comment(const FamilyChoice& choice, const GeneratedProblem& made) const {
    std::string text = "# highwater generate " + choice.text();
    if (!rows.empty()) text += " --rows " + rows;
    if (backwards) text += " --backwards";
    const Bytes bound = lowerBound(made.problem);
    text += fmt::format("\n# no plan is below {} bytes", bound.count());
    if (made.fits) {
      text += *made.fits == bound ? ", and one meets it"
                                  : fmt::format("; one needs at most {}", made.fits->count());
    }
    return text + '\n';
  }

  std::string family;
  std::string path = "-";
  std::string rows;
  bool backwards = false;
  bool bare = false;
};

}  // namespace

CommandInfo generateCommand() {
  return {.name = "generate",
          .summary = "makes planning problems and graphs by family, size and seed",
          .notes =
              "The same words make the same file everywhere. A problem begins with a comment that\n"
              "says how it was made and what is known of its lowest plan.\n"
              "\n"
              "Examples:\n"
              "  highwater generate guillotine:buffers=300,out=5,seed=7 -o cut.csv\n"
              "  highwater generate skips:buffers=1000 --rows shuffled --backwards -o skips.csv\n"
              "  highwater generate mobile-net:blocks=16,side=224,type=int8 -o net.graph.json",
          .add = actionOf<GenerateCommand>};
}

}  // namespace hw::cli
