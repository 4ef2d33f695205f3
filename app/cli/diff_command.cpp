#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/execution.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/report/diff_report.h"
#include "core/report/plan_reader.h"
#include "core/report/plan_story.h"
#include "core/report/tensor_names.h"

namespace hw::cli {
namespace {

/// A plan to compare, before it is read or made: a file, or an allocator.
struct PlanName {
  std::string text{};
  std::optional<AllocatorChoice> allocator{};  ///< Nothing: a file.
};

bool isFile(const std::string& text) {
  std::error_code failure;
  return text == "-" || text.ends_with(".json") || text.ends_with(".csv") ||
         std::filesystem::exists(text, failure);
}

/// What begins with the name of an allocator is one, even if a file is called like it.
Outcome<PlanName> parsePlanName(const std::string& text) {
  const std::string name = text.substr(0, text.find(':'));
  if (name == "plugin" || findAllocator(name)) {
    auto choice = parseAllocator("diff", text);
    if (!choice) return tl::unexpected(choice.error());
    return PlanName{text, std::move(*choice)};
  }
  if (isFile(text)) return PlanName{text, {}};
  return failure(ExitCode::badUsage, "diff",
                 fmt::format("'{}' is neither a plan file nor an allocator; {}",
                             printable(text, 80), findAllocator(name).error().text()));
}

struct DiffCommand {
  explicit DiffCommand(Arguments& arguments)
      : dimensions(arguments),
        run_(arguments, DefaultMachine::unlimited),
        output(arguments, {Format::text, Format::json, Format::csv}) {
    arguments.positional(
        "[MODEL] A B", names,
        {.help = "two plans: files, or allocators that plan the model before them"});
    arguments.flag("--all", all, "every tensor that differs");
  }

  Outcome<ExitCode> run() const {
    const auto format = output.format();
    if (!format) return tl::unexpected(format.error());
    if (names.size() != 2 && names.size() != 3) {
      return failure(ExitCode::badUsage, "diff", "expected two plans, or a model and two plans");
    }
    auto report = compared();
    if (!report) return tl::unexpected(report.error());
    if (auto written = output.write(text(*report, *format)); !written) {
      return tl::unexpected(written.error());
    }
    const PlanDiff& diff = report->diff;
    output.announce(diff.equal() ? "the plans are the same"
                                 : countText(diff.changes.size(), "difference"));
    return diff.equal() ? ExitCode::done : ExitCode::answerIsNo;
  }

  Outcome<DiffReport> compared() const {
    const auto a = parsePlanName(names[names.size() - 2]);
    if (!a) return tl::unexpected(a.error());
    const auto b = parsePlanName(names[names.size() - 1]);
    if (!b) return tl::unexpected(b.error());
    std::shared_ptr<const Model> model;
    if (names.size() == 3) {
      auto opened = openModel();
      if (!opened) return tl::unexpected(opened.error());
      model = std::move(*opened);
    } else if (a->allocator || b->allocator) {
      return failure(ExitCode::badUsage, "diff",
                     "an allocator needs a model to plan; expected 'diff MODEL A B'");
    }
    // A file holds no story: then both are told from their addresses, so that they can be compared.
    const bool stories = a->allocator && b->allocator;
    DiffReport report;
    for (auto [name, side] : {std::pair(&*a, &report.a), std::pair(&*b, &report.b)}) {
      auto filled = fill(*name, model, stories);
      if (!filled) return tl::unexpected(filled.error());
      *side = std::move(*filled);
    }
    if (report.a.plan.byId != report.b.plan.byId) {
      return failure(ExitCode::badUsage, "diff",
                     fmt::format("'{}' calls tensors by their ids, the other plan by their names; "
                                 "give the model too: 'diff MODEL A B'",
                                 printable(report.a.plan.byId ? a->text : b->text, 80)));
    }
    report.diff = diffPlans(report.a, report.b);
    if (!stories && report.diff.firstEvents)
      report.diff.notes.push_back("events are told from addresses: files hold no story");
    return report;
  }

  Outcome<std::shared_ptr<const Model>> openModel() const {
    if (std::ranges::count(names, "-") > 1) {
      return failure(ExitCode::badUsage, "diff", "only one of them can be standard input");
    }
    const auto options = dimensions.importOptions();
    if (!options) return tl::unexpected(options.error());
    return openNamed(names.front(), *options);
  }

  Outcome<DiffSide> fill(const PlanName& name, const std::shared_ptr<const Model>& model,
                         bool stories) const {
    DiffSide side{.name = name.text};
    if (name.allocator) {
      auto planned = execute(name, model);
      if (!planned) return tl::unexpected(planned.error());
      side.plan = describePlan(**planned);
      if (stories) side.events = memoryEvents(**planned);
    } else {
      auto document = read(name.text, model);
      if (!document) return tl::unexpected(document.error());
      side.plan = std::move(*document);
    }
    if (stories) return side;
    auto events = memoryEvents(side.plan);
    if (events) {
      side.events = std::move(*events);
    } else {
      side.noEvents = events.error();
    }
    return side;
  }

  Outcome<std::shared_ptr<const Run>> execute(const PlanName& name,
                                              const std::shared_ptr<const Model>& model) const {
    auto config = run_.config();
    if (!config) return tl::unexpected(config.error());
    config->allocator = *name.allocator;
    return executeWatched(model, *config, names.front(), !output.quiet());
  }

  static Outcome<PlanDocument> read(const std::string& file,
                                    const std::shared_ptr<const Model>& model) {
    const auto bytes = readFile(file);
    if (!bytes) return failure(bytes.error(), file);
    auto document = readPlan(*bytes);
    if (!document) return failure(document.error(), file);
    if (!document->byId || !model) return std::move(*document);
    // A plan CSV calls tensors by their ids; with the model they have names.
    const TensorNames known(*model->graph);
    for (Placement& placement : document->placements) {
      if (const auto id = known.findId(placement.tensor)) placement.tensor = known.of(*id);
    }
    document->byId = false;
    return std::move(*document);
  }

  std::string text(const DiffReport& report, Format format) const {
    switch (format) {
      case Format::json:
        return jsonDocument(diffJson(report));
      case Format::csv:
        return diffCsv(report);
      case Format::text:
        break;
    }
    DiffTextOptions options{.paint = output.toFile() ? Paint() : outputPaint()};
    if (all) options.rows = std::numeric_limits<std::size_t>::max();
    return diffText(report, options);
  }

  std::vector<std::string> names;
  DimensionOptions dimensions;
  RunArguments run_;
  OutputOptions output;
  bool all = false;
};

}  // namespace

CommandInfo diffCommand() {
  return {.name = "diff",
          .summary = "what is different in two plans: tensors, peaks, first event",
          .notes =
              "A and B are plan files (JSON or CSV), or allocators, which need a MODEL to plan.\n"
              "Exit code 0: every tensor has the same place; 1: the plans differ.\n"
              "\n"
              "Examples:\n"
              "  highwater diff before.json after.json\n"
              "  highwater diff model.onnx greedy-by-size free-list:pick=best\n"
              "  highwater diff model.onnx two-sided plan.csv --format csv",
          .add = [](Arguments& arguments) -> Action {
            return [command = std::make_shared<DiffCommand>(arguments)] { return command->run(); };
          }};
}

}  // namespace hw::cli
