#include <fmt/format.h>

#include <limits>

#include "app/cli/arguments.h"
#include "app/cli/console.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "core/report/explain/advice_report.h"
#include "core/report/explain/explain_report.h"

namespace hw::cli {
namespace {

struct ExplainCommand {
  explicit ExplainCommand(Arguments& arguments)
      : run_(arguments, kPlanOptions), output(arguments, {Format::text, Format::json}) {
    arguments.option("--tensor", tensor,
                     {.help = "why this tensor lies where it lies", .type = "NAME"});
    arguments.flag("--peak", peak,
                   "what makes each memory as large as it is: tensors, holes, walls (default)");
    arguments.number("--step", step, 0, std::numeric_limits<int>::max(),
                     {.help = "the same for one step", .type = "N"});
    arguments.flag("--advice", advice,
                   "what would make memory smaller, each change proved by planning with it");
    arguments.number("--stop-after", stopAfter,
                     {.help = "stop looking for advice then and keep what was proved (default: "
                              "never)",
                      .type = "SECONDS"});
    arguments.flag("--all", all, "long lists in full, and all that the method did with the tensor");
  }

  Outcome<ExitCode> run() const {
    HW_TRY(format, output.format());
    const int asked =
        (tensor.empty() ? 0 : 1) + (peak ? 1 : 0) + (step < 0 ? 0 : 1) + (advice ? 1 : 0);
    if (asked > 1) {
      return failure(ExitCode::badUsage, "explain",
                     "give one of --tensor, --peak, --step and --advice");
    }
    if (stopAfter > 0 && !advice) {
      return failure(ExitCode::badUsage, "--stop-after",
                     "it is about --advice, which is not given");
    }
    HW_TRY(typed, run_.request());
    HW_TRY(opened, openModel(typed));
    HW_TRY(request, run_.request(*opened));
    HW_TRY(planned, executeWatched(opened, request, progressMode(false, output.quiet()),
                                   all && !tensor.empty()));
    if (advice) return advised(planned, format);
    HW_DO(tensor.empty() ? explainMoment(*planned, format) : explainTensor(*planned, format));
    output.announce("explained");
    return ExitCode::done;
  }

  Outcome<ExitCode> advised(const std::shared_ptr<const Run>& planned, Format format) const {
    StoppableWork work;
    if (stopAfter > 0) work.stopAfter(stopAfter);
    AdviceReport report;
    {
      ProgressLine line(progressMode(false, output.quiet()));
      report = advise(planned, {}, {.stop = work.token(), .progress = line.callback()});
    }
    HW_DO(output.write(format == Format::json
                           ? jsonDocument(adviceJson(report))
                           : adviceReportText(report, {.paint = textOptions().paint,
                                                       .rows = textOptions().rows})));
    output.announce(adviceSummary(report));
    if (!report.stopped || work.timedOut()) return ExitCode::done;
    return failure(ExitCode::interrupted, planned->request.model, adviceSummary(report));
  }

  Outcome<void> explainTensor(const Run& planned, Format format) const {
    const auto id = plannedTensor(planned, tensor);
    if (!id) return failure(ExitCode::badUsage, "--tensor", id.error().text());
    if (format == Format::json) {
      return output.write(jsonDocument(explainTensorJson(planned, *id)));
    }
    return output.write(explainTensorText(planned, *id, textOptions()));
  }

  Outcome<void> explainMoment(const Run& planned, Format format) const {
    const auto at = step < 0 ? std::nullopt : std::optional(Step(step));
    if (at && *at >= planned.problem.steps) {
      return failure(ExitCode::badUsage, "--step",
                     fmt::format("there is no step {}: the last one is {}", step,
                                 planned.problem.steps.count() - 1));
    }
    if (format == Format::json) {
      return output.write(jsonDocument(explainMomentJson(planned, at)));
    }
    return output.write(explainMomentText(planned, at, textOptions()));
  }

  ExplainOptions textOptions() const {
    ExplainOptions options{.paint = output.toFile() ? Paint() : outputPaint()};
    if (all) options.rows = std::numeric_limits<std::size_t>::max();
    return options;
  }

  RunArguments run_;
  OutputOptions output;
  std::string tensor;
  bool peak = false;
  bool advice = false;
  double stopAfter = 0;
  int step = -1;
  bool all = false;
};

}  // namespace

CommandInfo explainCommand() {
  return {.name = "explain",
          .summary = "why a tensor lies where it lies, what fills memory, what would help",
          .notes =
              "Without --platform, --l2 or --l3 both memories are unlimited.\n"
              "A plan that does not fit is explained too: fragmentation or exhaustion.\n"
              "\n"
              "Examples:\n"
              "  highwater explain samples:resnet50 --peak\n"
              "  highwater explain model.onnx --tensor conv1_out -a free-list\n"
              "  highwater explain model.onnx --step 12 --format json\n"
              "  highwater explain model.onnx --advice -a greedy-by-size",
          .add = actionOf<ExplainCommand>};
}

}  // namespace hw::cli
