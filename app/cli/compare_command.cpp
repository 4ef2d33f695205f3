#include <algorithm>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/execution.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "core/base/text.h"
#include "core/report/compare_report.h"

namespace hw::cli {
namespace {

struct CompareCommand {
  explicit CompareCommand(Arguments& arguments)
      : model(arguments),
        run_(arguments, DefaultMachine::unlimited),
        output(arguments, {Format::text, Format::json, Format::csv}) {
    arguments.option("-a,--allocators", allocators,
                     {.help = "which: A,B,... or all (default)", .type = "LIST"});
  }

  /// "free-list:pick=best,threshold=4KiB,none": what follows a comma is a parameter of the
  /// allocator before it if it has a "=" and no ":" before that.
  Outcome<std::vector<AllocatorChoice>> choices() const {
    std::vector<std::string> texts;
    if (allocators.empty() || allocators == "all") {
      for (const AllocatorInfo& info : allocatorCatalog()) texts.emplace_back(info.name);
    } else {
      for (const std::string_view part : splitText(allocators, ',')) {
        const bool parameter =
            part.find('=') < part.find(':') && part.find('=') != std::string_view::npos;
        if (parameter && !texts.empty()) {
          texts.back() += "," + std::string(part);
        } else {
          texts.emplace_back(part);
        }
      }
    }
    std::vector<AllocatorChoice> parsed;
    for (const std::string& text : texts) {
      auto choice = parseAllocator("--allocators", text);
      if (!choice) return tl::unexpected(choice.error());
      parsed.push_back(std::move(*choice));
    }
    return parsed;
  }

  Outcome<ExitCode> run() const {
    const auto format = output.format();
    if (!format) return tl::unexpected(format.error());
    const auto chosen = choices();
    if (!chosen) return tl::unexpected(chosen.error());
    const auto config = run_.config();
    if (!config) return tl::unexpected(config.error());
    const auto opened = model.open();
    if (!opened) return tl::unexpected(opened.error());
    const auto comparison =
        compareWatched(*opened, *config, *chosen, model.name(), !output.quiet());
    if (!comparison) return tl::unexpected(comparison.error());
    if (auto written = output.write(text(*comparison, *format)); !written) {
      return tl::unexpected(written.error());
    }
    const ComparisonRow& best = comparison->rows.front();
    if (!best.fits()) {
      return failure(ExitCode::answerIsNo, model.name(), "no allocator found a plan that fits");
    }
    output.announce("best is " + best.allocator.text() + " with " + bytesText(best.peak()));
    return ExitCode::done;
  }

  std::string text(const Comparison& comparison, Format format) const {
    switch (format) {
      case Format::json:
        return jsonDocument(comparisonJson(comparison));
      case Format::csv:
        return comparisonCsv(comparison);
      case Format::text:
        break;
    }
    return comparisonText(comparison, output.toFile() ? Paint() : outputPaint());
  }

  ModelOptions model;
  std::string allocators;
  RunArguments run_;
  OutputOptions output;
};

}  // namespace

CommandInfo compareCommand() {
  return {.name = "compare",
          .summary = "plans by several allocators, one row each",
          .notes =
              "Exit code 1: no allocator found a plan that fits.\n"
              "\n"
              "Examples:\n"
              "  highwater compare samples:resnet50\n"
              "  highwater compare model.onnx -a greedy-by-size,free-list:pick=best --l2 1MiB\n"
              "  highwater compare model.onnx --format json",
          .add = [](Arguments& arguments) -> Action {
            return
                [command = std::make_shared<CompareCommand>(arguments)] { return command->run(); };
          }};
}

}  // namespace hw::cli
