#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "core/families/family.h"
#include "core/plan/metrics.h"
#include "core/plan_file/plan_writer.h"
#include "core/report/model/graph_writer.h"

namespace hw::cli {
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

  /// How to make it again, and what is known of the lowest plan.
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
