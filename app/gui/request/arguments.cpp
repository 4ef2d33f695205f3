#include "app/gui/request/arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <QFileInfo>

#include "core/base/text.h"
#include "core/report/explain/explain_report.h"
#include "core/run/options.h"

namespace hw {

namespace {

/// The options as typed.
struct Typed {
  OptionTexts run{};  ///< Of the run: its options are in a table.
  std::string theme{};
  std::string exportFile{};
  std::string report{};
  std::string view{"window"};
  std::string size{};
  std::string preset{"screen"};
  int scale = 1;
  std::string footer{};
  bool compare = false;
  bool connect = false;
  std::string allocators{};
  std::string step{"peak"};
  std::string axis{};
  std::string colors{};
  std::string range{};
  std::string select{};
  std::vector<std::string> below{};
  std::string panel{};
};

void declareRunOptions(CLI::App& app, Typed& typed) {
  for (const RunOption& option : runOptions()) {
    auto& texts = typed.run[std::string(option.name)];
    const bool model = option.group == OptionGroup::model;
    const std::string flags = model ? std::string(option.type) : option.flags();
    if (!option.repeats) texts.resize(1);
    CLI::Option* added = option.repeats ? app.add_option(flags, texts, option.helpText())
                                        : app.add_option(flags, texts.front(), option.helpText());
    if (option.repeats) added->allow_extra_args(false);
    if (!model) added->type_name(std::string(option.type));
  }
}

void declarePictureOptions(CLI::App& app, Typed& typed) {
  app.add_option("--theme", typed.theme, "colours")
      ->check(CLI::IsMember({"light", "dark", "system"}));
  app.add_option("--export", typed.exportFile,
                 "writes a picture and exits, a WebP plays the steps on show; needs no display")
      ->type_name("FILE.png|.svg|.pdf|.webp");
  app.add_option("--view", typed.view, "what the picture shows")
      ->check(CLI::IsMember(
          {"window", "views", "map", "chart", "now", "lanes", "conflicts", "compare", "report"}));
  app.add_option("--report", typed.report, "writes a report and exits: --export with --view report")
      ->type_name("FILE.pdf|.html|.md|.json|.csv")
      ->excludes("--export");
  app.add_option("--size", typed.size,
                 "of the picture (default 1600x960; of a comparison and of lanes what they need)")
      ->type_name("WIDTHxHEIGHT");
  app.add_option("--preset", typed.preset, "a size with fitting letters; not for the window")
      ->check(CLI::IsMember({"screen", "16:9", "column", "a4"}))
      ->excludes("--size");
  app.add_option("--scale", typed.scale, "pixels of a PNG for each of its size, 1 to 3")
      ->check(CLI::Range(1, 3));
  app.add_option("--footer", typed.footer,
                 "where it comes from, below (default: not for the window)")
      ->check(CLI::IsMember({"yes", "no"}));
}

/// What of the plan pictures show.
void declareShownOptions(CLI::App& app, Typed& typed) {
  app.add_flag("--connect", typed.connect,
               "tells the studio that is open: opens MODEL, plans with these options, goes to the "
               "step and the tensor, writes the picture");
  app.add_flag("--compare", typed.compare, "compares the usual allocators first, for a report");
  app.add_option("--allocators", typed.allocators,
                 "compares these instead: A,B:key=value,... or all")
      ->type_name("LIST");
  app.add_option("--step", typed.step, "the step to go to (in a picture by default the peak)")
      ->type_name("N|peak");
  app.add_option("--axis", typed.axis,
                 "what maps, chart and lanes lie over (default: steps, and in a window as it was)")
      ->type_name("steps|time")
      ->check(CLI::IsMember({"steps", "time"}));
  std::vector<std::string> colorings;
  for (const ColorByRow& row : kColorings) colorings.emplace_back(row.name);
  app.add_option("--color-by", typed.colors,
                 "what colours tell: the type of the operator, its scope, the size of buffers, or "
                 "how long they wait for their next use (default: type, and in a window as it was)")
      ->type_name(fmt::format("{}", fmt::join(colorings, "|")))
      ->check(CLI::IsMember(colorings));
  app.add_option("--range", typed.range, "the steps to show, first and last (default all)")
      ->type_name("A:B");
  app.add_option("--select", typed.select, "the tensor to select")->type_name("TENSOR");
  app.add_option(
         "--below", typed.below,
         "an allocator, or another MODEL, whose plan the picture has below the first one; may "
         "be repeated")
      ->type_name("NAME[:key=value,...]")
      ->allow_extra_args(false);
  app.add_option("--panel", typed.panel,
                 "the panel that the picture has in front: inspector, compare, capacity, \u2026")
      ->type_name("NAME");
}

tl::unexpected<Error> refuse(const std::string& message) {
  return fail(ErrorCode::invalidArgument, message);
}

Result<QSize> pictureSize(const std::string& text) {
  constexpr std::int64_t kLeast = 64;
  constexpr std::int64_t kMost = 16'384;
  const auto parts = splitText(text, 'x');
  const auto width = parts.size() == 2 ? parseInteger(parts[0]) : std::nullopt;
  const auto height = parts.size() == 2 ? parseInteger(parts[1]) : std::nullopt;
  const auto fits = [](std::int64_t length) { return length >= kLeast && length <= kMost; };
  if (!width || !height || !fits(*width) || !fits(*height)) {
    return refuse("--size: '" + printable(text) + "' is not WIDTHxHEIGHT, each from 64 to 16384");
  }
  return QSize(static_cast<int>(*width), static_cast<int>(*height));
}

Result<void> setStyle(const Typed& typed, StudioArguments& arguments) {
  arguments.report = typed.view == "report" || !typed.report.empty();
  if (!typed.report.empty()) arguments.exportFile = QString::fromStdString(typed.report);
  PictureStyle& style = arguments.picture;
  style.kind =
      valueNamed(pictureKinds(), QString::fromStdString(typed.view)).value_or(PictureKind::window);
  style.preset = *valueNamed(picturePresets(), QString::fromStdString(typed.preset));
  style.scale = typed.scale;
  style.footer = typed.footer.empty() ? isFree(style.kind) : typed.footer == "yes";
  if (!typed.allocators.empty()) {
    auto choices = parseAllocators(typed.allocators);
    if (!choices) return refuse("--allocators: " + choices.error().text());
    arguments.compared = *std::move(choices);
  }
  arguments.compare =
      typed.compare || style.kind == PictureKind::compare || arguments.compared.has_value();
  if (!isFree(style.kind) && style.preset != PicturePreset::screen && !arguments.report) {
    return refuse("--preset: the window has the size it has; choose another --view");
  }
  return {};
}

Result<std::optional<std::pair<Step, Step>>> stepRange(const std::string& text) {
  if (text.empty()) return std::optional<std::pair<Step, Step>>();
  const auto parts = splitText(text, ':');
  const auto first = parts.size() == 2 ? parseInteger(parts[0]) : std::nullopt;
  const auto last = parts.size() == 2 ? parseInteger(parts[1]) : std::nullopt;
  if (!first || !last || *first < 0 || *last < *first || *last > kMaxStep.count()) {
    return refuse("--range: '" + printable(text) +
                  "' is not A:B, two steps of which the second is not before the first");
  }
  return std::optional(std::pair(Step(*first), Step(*last)));
}

Result<void> setBelow(const Typed& typed, StudioArguments& arguments) {
  for (const std::string& name : typed.below) {
    auto choice = AllocatorChoice::parse(name);
    const bool isModel =
        name.starts_with("samples:") || QFileInfo(QString::fromStdString(name)).isFile();
    if (!choice && !isModel) return refuse("--below: " + choice.error().text());
    arguments.below.push_back(choice ? PlanBelow{.allocator = std::move(*choice)}
                                     : PlanBelow{.model = name});
  }
  return {};
}

Result<void> setPicture(const Typed& typed, StudioArguments& arguments) {
  if (!typed.size.empty()) {
    HW_TRY(size, pictureSize(typed.size));
    arguments.size = size;
    arguments.sizeGiven = true;
  }
  if (typed.step != "peak") {
    const auto step = parseInteger(typed.step);
    if (!step || *step < 0) {
      return refuse("--step: '" + printable(typed.step) + "' is neither a step nor peak");
    }
    arguments.step = Step(*step);
  }
  if (typed.axis == "steps") arguments.axis = AxisUnit::step;
  if (typed.axis == "time") arguments.axis = AxisUnit::time;
  const auto colors = std::ranges::find(kColorings, typed.colors, &ColorByRow::name);
  if (colors != kColorings.end()) {
    arguments.colors = static_cast<ColorBy>(colors - kColorings.begin());
  }
  HW_TRY(range, stepRange(typed.range));
  arguments.range = range;
  arguments.select = typed.select;
  HW_DO(setBelow(typed, arguments));
  arguments.panel = QString::fromStdString(typed.panel);
  arguments.exportFile = QString::fromStdString(typed.exportFile);
  HW_DO(setStyle(typed, arguments));
  arguments.connect = typed.connect;
  const bool model = !arguments.request.model.empty() || typed.connect;
  if (typed.connect && (!typed.below.empty() || typed.compare || !typed.allocators.empty())) {
    return refuse("--connect: plans are compared in the window, or without it");
  }
  if (!typed.exportFile.empty() && !model) return refuse("--export needs a MODEL");
  if (!typed.report.empty() && !model) return refuse("--report needs a MODEL");
  return {};
}

Result<StudioArguments> understand(const Typed& typed) {
  StudioArguments arguments;
  HW_TRY(request, readRequest(typed.run, defaultRequest(), "--"));
  arguments.request = std::move(request);
  arguments.allocatorGiven = !typed.run.at("allocator").front().empty();
  arguments.platformGiven = !typed.run.at("platform").front().empty();
  if (typed.theme == "light") arguments.theme = ThemeChoice::light;
  if (typed.theme == "dark") arguments.theme = ThemeChoice::dark;
  if (typed.theme == "system") arguments.theme = ThemeChoice::system;
  HW_DO(setPicture(typed, arguments));
  return arguments;
}

}  // namespace

OptionTexts saidBy(const StudioArguments& arguments, const RunRequest& standard) {
  OptionTexts said = saidIn(arguments.request, standard);
  if (arguments.allocatorGiven) said["allocator"] = {arguments.request.allocator.text()};
  return said;
}

int exitCodeOf(const Error& error) {
  switch (error.code) {
    case ErrorCode::invalidArgument:
      return 2;
    case ErrorCode::stopped:
      return 1;
    case ErrorCode::unreadable:
    case ErrorCode::malformed:
    case ErrorCode::unsupported:
      break;
  }
  return 3;
}

ArgumentsOutcome parseArguments(int argc, const char* const* argv) {
  Typed typed;
  CLI::App app("Plan, simulate and see the memory of neural networks", "highwater-studio");
  app.set_version_flag("--version", "highwater-studio " HIGHWATER_VERSION);
  declareRunOptions(app, typed);
  declarePictureOptions(app, typed);
  declareShownOptions(app, typed);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForVersion& version) {
    return {.text = std::string(version.what()) + "\n"};
  } catch (const CLI::CallForHelp&) {
    return {.text = app.help()};
  } catch (const CLI::ParseError& error) {
    return {.exitCode = 2, .text = std::string("highwater-studio: ") + error.what() + "\n"};
  }
  auto arguments = understand(typed);
  if (!arguments) {
    return {.exitCode = exitCodeOf(arguments.error()),
            .text = "highwater-studio: " + arguments.error().text() + "\n"};
  }
  return {.arguments = *std::move(arguments)};
}

namespace {

Result<void> checkStep(const char* option, Step step, Step steps) {
  if (step < steps) return {};
  return fail(ErrorCode::invalidArgument, std::string(option) + ": the model has steps 0 to " +
                                              std::to_string(steps.count() - 1));
}

}  // namespace

Result<void> goToPlace(const StudioArguments& arguments, ViewState& state) {
  if (!state.run()) return {};
  if (arguments.axis) state.setAxis(*arguments.axis);
  if (arguments.colors) state.setColorBy(*arguments.colors);
  if (arguments.axis == AxisUnit::time && state.axis() != AxisUnit::time) {
    return fail(ErrorCode::invalidArgument,
                "--axis: nothing of this run is timed, so it has steps only");
  }
  if (arguments.step) {
    HW_DO(checkStep("--step", *arguments.step, state.steps()));
    state.setStep(*arguments.step);
  }
  if (arguments.range) {
    const auto [first, last] = *arguments.range;
    HW_DO(checkStep("--range", last, state.steps()));
    const RunScale& scale = *state.scale();
    state.setVisible(scale.begin(first), scale.begin(last + Step(1)));
  }
  if (arguments.select.empty()) return {};
  HW_TRY(tensor, plannedTensor(*state.run(), arguments.select));
  const auto stays = staysOf(*state.run(), tensor);
  if (!stays.empty()) state.select(stays.front());
  return {};
}

}  // namespace hw
