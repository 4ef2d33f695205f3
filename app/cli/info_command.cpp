#include <limits>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "core/report/model/model_summary.h"

namespace hw::cli {
namespace {

struct InfoCommand {
  explicit InfoCommand(Arguments& arguments)
      : model(arguments, {OptionGroup::model, OptionGroup::import}),
        output(arguments, {Format::text, Format::json}) {
    arguments.flag("--all", all,
                   "long lists in full, and every tensor with the origin of its size");
  }

  Outcome<ExitCode> run() const {
    HW_TRY(format, output.format());
    HW_TRY(request, model.request());
    HW_TRY(opened, openModel(request));
    const ModelSummary summary = summarise(*opened);
    SummaryTextOptions options{.paint = output.toFile() ? Paint() : outputPaint()};
    options.everyTensor = all;
    if (all) options.rows = std::numeric_limits<std::size_t>::max();
    HW_DO(output.write(format == Format::json ? jsonDocument(summaryJson(*opened, summary, all))
                                              : summaryText(*opened, summary, options)));
    return ExitCode::done;
  }

  RunArguments model;
  OutputOptions output;
  bool all = false;
};

}  // namespace

CommandInfo infoCommand() {
  return {.name = "info",
          .summary = "what a model holds, before any planning",
          .notes =
              "Examples:\n"
              "  highwater info model.onnx --dim batch=8\n"
              "  highwater info samples:resnet50 --format json",
          .add = actionOf<InfoCommand>};
}

}  // namespace hw::cli
