#include <limits>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/execution.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "core/report/plan_text.h"
#include "core/report/plan_writer.h"

namespace hw::cli {
namespace {

struct PlanCommand {
  explicit PlanCommand(Arguments& arguments)
      : model(arguments),
        allocator(arguments),
        run_(arguments, DefaultMachine::unlimited),
        output(arguments, {Format::text, Format::json, Format::csv}) {
    arguments.flag("--all", all, "long lists in full");
    arguments.flag("--times", times, "in JSON, when a search found what: differs from run to run");
  }

  Outcome<ExitCode> run() const {
    const auto format = output.format();
    if (!format) return tl::unexpected(format.error());
    const auto choice = allocator.choice();
    if (!choice) return tl::unexpected(choice.error());
    auto config = run_.config();
    if (!config) return tl::unexpected(config.error());
    config->allocator = *choice;
    auto opened = model.read();
    if (!opened) return tl::unexpected(opened.error());
    const auto planned = planWatched(std::move(*opened), *config, model.name(), !output.quiet());
    if (!planned) return tl::unexpected(planned.error());
    if (auto written = write(**planned, *format); !written) {
      return tl::unexpected(written.error());
    }
    output.announce(planLine(**planned));
    return verdict(**planned, model.name());
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

  ModelOptions model;
  AllocatorOption allocator;
  RunArguments run_;
  OutputOptions output;
  bool all = false;
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
          .add = [](Arguments& arguments) -> Action {
            return [command = std::make_shared<PlanCommand>(arguments)] { return command->run(); };
          }};
}

}  // namespace hw::cli
