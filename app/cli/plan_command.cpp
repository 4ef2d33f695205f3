#include <limits>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/execution.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "core/plan_file/plan_writer.h"
#include "core/report/plan/plan_text.h"

namespace hw::cli {
namespace {

struct PlanCommand {
  explicit PlanCommand(Arguments& arguments)
      : run_(arguments, kPlanOptions),
        output(arguments, {Format::text, Format::json, Format::csv}) {
    arguments.flag("--all", all, "long lists in full, and every state of the method's own lists");
    arguments.flag("--progress", progress, "tell the progress even if there is no terminal");
    arguments.flag("--times", times, "in JSON, when a search found what: differs from run to run");
  }

  Outcome<ExitCode> run() const {
    HW_TRY(format, output.format());
    HW_TRY(typed, run_.request());
    HW_TRY(opened, readModel(typed));
    HW_TRY(request, run_.request(opened));
    HW_TRY(planned,
           planWatched(std::move(opened), request, progressMode(progress, output.quiet()), all));
    HW_DO(write(*planned, format));
    output.announce(planLine(*planned));
    return verdict(*planned);
  }

  Outcome<void> write(const Run& planned, Format format) const {
    switch (format) {
      case Format::json:
        return output.write([&](std::ostream& out) {
          times ? writeTimedPlanJson(planned, out) : writePlanJson(planned, out);
        });
      case Format::csv:
        return output.write([&](std::ostream& out) { writePlanCsv(planned, out); });
      case Format::text:
        break;
    }
    PlanTextOptions options{.paint = output.toFile() ? Paint() : outputPaint()};
    if (all) options.rows = std::numeric_limits<std::size_t>::max();
    return output.write(planText(planned, options));
  }

  RunArguments run_;
  OutputOptions output;
  bool all = false;
  bool progress = false;
  bool times = false;
};

}  // namespace

CommandInfo planCommand() {
  return {.name = "plan",
          .summary = "gives every tensor an address",
          .notes =
              "Without --platform, --l2 or --l3 both memories are unlimited.\n"
              "Exit code 1: no plan, or one that does not fit; it is written all the same.\n"
              "\n"
              "Examples:\n"
              "  highwater plan model.onnx\n"
              "  highwater plan model.onnx -a free-list:pick=best,threshold=4KiB --l2 1MiB\n"
              "  highwater plan model.onnx -o plan.json\n"
              "  highwater plan model.onnx -o plan.csv",
          .add = actionOf<PlanCommand>};
}

}  // namespace hw::cli
