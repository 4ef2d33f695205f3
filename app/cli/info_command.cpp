#include <limits>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "core/report/model_summary.h"

namespace hw::cli {
namespace {

struct InfoCommand {
  explicit InfoCommand(Arguments& arguments)
      : model(arguments), output(arguments, {Format::text, Format::json}) {
    arguments.flag("--all", all,
                   "long lists in full, and every tensor with the origin of its size");
  }

  Outcome<ExitCode> run() const {
    const auto format = output.format();
    if (!format) return tl::unexpected(format.error());
    const auto opened = model.open();
    if (!opened) return tl::unexpected(opened.error());
    const ModelSummary summary = summarise(**opened);
    SummaryTextOptions options{.paint = output.toFile() ? Paint() : outputPaint()};
    options.everyTensor = all;
    if (all) options.rows = std::numeric_limits<std::size_t>::max();
    const auto written =
        output.write(*format == Format::json ? jsonDocument(summaryJson(**opened, summary, all))
                                             : summaryText(**opened, summary, options));
    if (!written) return tl::unexpected(written.error());
    return ExitCode::done;
  }

  ModelOptions model;
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
          .add = [](Arguments& arguments) -> Action {
            return [command = std::make_shared<InfoCommand>(arguments)] { return command->run(); };
          }};
}

}  // namespace hw::cli
