#include <fmt/format.h>

#include "app/cli/arguments.h"
#include "app/cli/console.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "core/base/text.h"
#include "core/report/compare/front_report.h"

namespace hw::cli {
namespace {

/// What a front takes: the allocator and the size of the near memory are what it varies.
constexpr auto kFrontOptions = {OptionGroup::model,   OptionGroup::import, OptionGroup::machine,
                                OptionGroup::storage, OptionGroup::order,  OptionGroup::search,
                                OptionGroup::effort};

struct FrontCommand {
  explicit FrontCommand(Arguments& arguments)
      : run_(arguments, kFrontOptions, defaultRequest()),
        output(arguments, {Format::text, Format::json, Format::csv}),
        picture(arguments, "also draw it, as SVG") {
    arguments.option(
        "-a,--allocators", allocators,
        {.help = "to be shown beside: A,B:key=value,... or all (default)", .type = "LIST"});
    arguments.number("--points", points, 1, 1000,
                     {.help = "capacities at most (default: 12)", .type = "N"});
    arguments.number(
        "--nodes", nodes, 0, 1'000'000'000,
        {.help = "budget of the search for each, as best's (default: 4000)", .type = "N"});
    arguments.flag("--progress", progress, "tell the progress even if there is no terminal");
  }

  Outcome<ExitCode> run() const {
    HW_TRY(format, output.format());
    HW_TRY(chosen, allocatorsOf("--allocators", allocators));
    HW_TRY(typed, run_.request());
    HW_TRY(model, openModel(typed));
    HW_TRY(request, run_.request(*model));
    StoppableWork work;
    const auto front = made(model, request, chosen, work.token());
    if (!front) return failure(front.error(), request.model);
    HW_DO(output.write(document(format, *front, request.model)));
    if (picture.wanted()) {
      HW_DO(picture.write(frontSvg(*front, picture.palette())));
    }
    if (!front->found.empty()) {
      const FrontPoint& last = front->found.back();
      output.announce(fmt::format("{} capacities, up to {} with {}", front->found.size(),
                                  formatBytes(*last.capacity), formatTime(last.latency)));
    }
    if (!front->stopped) return ExitCode::done;
    return failure(
        ExitCode::interrupted, request.model,
        fmt::format("stopped: {} of at most {} capacities are done", front->found.size(), points));
  }

  Result<Front> made(const std::shared_ptr<const Model>& model, const RunRequest& request,
                     std::vector<AllocatorChoice> chosen, std::stop_token stop) const {
    ProgressLine line(progressMode(progress, output.quiet()));
    return makeFront(model, request,
                     {.points = static_cast<std::size_t>(points),
                      .nodes = nodes,
                      .seconds = request.timeLimit / points,
                      .choices = std::move(chosen)},
                     {.stop = std::move(stop), .progress = line.callback()});
  }

  std::string document(Format format, const Front& front, const std::string& file) const {
    if (format == Format::csv) return frontCsv(front, file);
    if (format == Format::json) return jsonDocument(frontJson(front, file));
    return frontText(front, output.toFile() ? Paint() : outputPaint());
  }

  RunArguments run_;
  OutputOptions output;
  PictureOptions picture;
  std::string allocators;
  int points = 12;
  int nodes = 4'000;
  bool progress = false;
};

}  // namespace

CommandInfo frontCommand() {
  return {
      .name = "front",
      .summary = "capacity of the near memory against latency: how fast within how much",
      .notes =
          "From what the lowest plan needs upwards, the fastest plan within each capacity, and\n"
          "the latency that is proved to be out of reach there; beside it, what every allocator\n"
          "comes to. Larger capacities start from the plans of smaller ones; those that make\n"
          "nothing faster are left out, and it ends where reuse costs no time any more. --l2 and\n"
          "-a of a run do not matter. Ctrl-C keeps what is done.\n"
          "\n"
          "Examples:\n"
          "  highwater front samples:squeezenet --weights prefetch --inputs loaded\n"
          "  highwater front model.onnx --platform board.toml -o front.csv\n"
          "  highwater front model.onnx --picture front.svg",
      .add = actionOf<FrontCommand>};
}

}  // namespace hw::cli
