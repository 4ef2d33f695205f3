#include "app/gui/arguments.h"

#include <CLI/CLI.hpp>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/memory/platforms.h"

namespace hw {

namespace {

/// The options as typed.
struct Typed {
  std::string model{};
  std::vector<std::string> dimensions{};
  std::string allocator{};
  std::string platform{};
  std::string l2{};
  std::string l3{};
  std::string alignment{};
  std::vector<std::string> moves{};
  std::string alias{"views"};
  std::string inputs{"arena"};
  std::string outputs{"arena"};
  std::string weights{"streamed"};
  std::string subgraph{};
  std::string bodies{"steps"};
  std::uint64_t seed = 1;
  double timeLimit = 0;
  std::string theme{};
  std::string exportFile{};
  std::string report{};
  std::string view{"window"};
  std::string size{};
  std::string preset{"screen"};
  int scale = 1;
  std::string footer{};
  bool compare = false;
  std::string step{"peak"};
  std::string range{};
  std::string select{};
  std::vector<std::string> below{};
  std::string panel{};
};

void declareRunOptions(CLI::App& app, Typed& typed) {
  app.add_option("MODEL", typed.model, "a model file, - for standard input, or samples:NAME");
  app.add_option("--dim", typed.dimensions, "binds a free dimension; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_option("--subgraph", typed.subgraph,
                 "part of a TFLite file: a signature, a subgraph's name or number; of a bundle "
                 "MODEL[:SUBGRAPH]")
      ->type_name("NAME");
  app.add_option("--bodies", typed.bodies, "control flow as steps, or as one step each")
      ->check(CLI::IsMember({"steps", "closed"}));
  app.add_option("-a,--allocator", typed.allocator, "how to plan")
      ->type_name("NAME[:key=value,...]");
  app.add_option("--platform", typed.platform, "the machine")->type_name("NAME|FILE");
  app.add_option("--l2", typed.l2, "what may be planned of L2: 512KiB, unlimited")
      ->type_name("SIZE");
  app.add_option("--l3", typed.l3, "what may be planned of L3")->type_name("SIZE");
  app.add_option("--align", typed.alignment, "of every address (default 64)")->type_name("N");
  app.add_option("--move", typed.moves, "runs one operator next to another; may be repeated")
      ->type_name("OP:before|after:OP")
      ->allow_extra_args(false);
  app.add_option("--alias", typed.alias, "what may share storage")
      ->check(CLI::IsMember({"none", "views", "all"}));
  app.add_option("--inputs", typed.inputs, "where graph inputs live")
      ->check(CLI::IsMember({"arena", "external"}));
  app.add_option("--outputs", typed.outputs, "where graph outputs live")
      ->check(CLI::IsMember({"arena", "external"}));
  app.add_option("--weights", typed.weights, "weights cost traffic, or nothing")
      ->check(CLI::IsMember({"streamed", "resident"}));
  app.add_option("--seed", typed.seed, "for allocators that draw random numbers");
  app.add_option("--time-limit", typed.timeLimit, "seconds, for allocators that search")
      ->check(CLI::NonNegativeNumber);
}

void declarePictureOptions(CLI::App& app, Typed& typed) {
  app.add_option("--theme", typed.theme, "colours")
      ->check(CLI::IsMember({"light", "dark", "system"}));
  app.add_option("--export", typed.exportFile, "writes a picture and exits; needs no display")
      ->type_name("FILE.png|FILE.svg|FILE.pdf");
  app.add_option("--view", typed.view, "what the picture shows")
      ->check(
          CLI::IsMember({"window", "views", "map", "chart", "now", "lanes", "compare", "report"}));
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
  app.add_flag("--compare", typed.compare, "compares the usual allocators first, for a report");
  app.add_option("--step", typed.step, "the step to go to (in a picture by default the peak)")
      ->type_name("N|peak");
  app.add_option("--range", typed.range, "the steps to show, first and last (default all)")
      ->type_name("A:B");
  app.add_option("--select", typed.select, "the tensor to select")->type_name("TENSOR");
  app.add_option("--below", typed.below,
                 "whose plan the picture has below the first one; may be repeated")
      ->type_name("NAME[:key=value,...]")
      ->allow_extra_args(false);
  app.add_option("--panel", typed.panel,
                 "the panel that the picture has in front: inspector, compare, capacity, \u2026")
      ->type_name("NAME");
}

tl::unexpected<Error> refuse(const std::string& message) {
  return fail(ErrorCode::invalidArgument, message);
}

Result<PoolSize> poolSize(const std::string& option, const std::string& text) {
  if (text.empty()) return PoolSize{};
  if (text == "unlimited") return PoolSize{.kind = PoolSize::Kind::unbounded};
  const auto bytes = parseSize(text);
  if (!bytes) return refuse(option + ": " + bytes.error().text());
  return PoolSize{.kind = PoolSize::Kind::bytes, .bytes = *bytes};
}

Result<ImportOptions> importOptions(const Typed& typed) {
  ImportOptions options;
  for (const std::string& text : typed.dimensions) {
    const auto equals = text.rfind('=');
    const auto value = equals == std::string::npos
                           ? std::nullopt
                           : parseInteger(std::string_view(text).substr(equals + 1));
    if (!value || *value < 0 || equals == 0) {
      return refuse("--dim: '" + printable(text) + "' is not NAME=VALUE with a value of 0 or more");
    }
    options.dimensions[text.substr(0, equals)] = *value;
  }
  options.subgraph = typed.subgraph;
  options.closedBodies = typed.bodies == "closed";
  return options;
}

Result<void> setMachine(const Typed& typed, RunConfig& config) {
  if (!typed.platform.empty()) {
    auto platform = openPlatform(typed.platform);
    if (!platform) return tl::unexpected(platform.error());
    config.platform = *std::move(platform);
  }
  const auto l2 = poolSize("--l2", typed.l2);
  if (!l2) return tl::unexpected(l2.error());
  config.l2 = *l2;
  const auto l3 = poolSize("--l3", typed.l3);
  if (!l3) return tl::unexpected(l3.error());
  config.l3 = *l3;
  return {};
}

Result<RunConfig> runConfig(const Typed& typed) {
  RunConfig config = defaultConfig();
  if (!typed.allocator.empty()) {
    auto choice = AllocatorChoice::parse(typed.allocator);
    if (!choice) return refuse("--allocator: " + choice.error().text());
    config.allocator = *std::move(choice);
  }
  if (auto machine = setMachine(typed, config); !machine) return tl::unexpected(machine.error());
  if (!typed.alignment.empty()) {
    const auto number = parseInteger(typed.alignment);
    if (!number || *number < 1 || (*number & (*number - 1)) != 0 || *number > (1 << 30)) {
      return refuse("--align: '" + printable(typed.alignment) +
                    "' is not a power of two up to 1 GiB");
    }
    config.alignment = Bytes(*number);
  }
  for (const std::string& text : typed.moves) {
    const auto move = parseMove(text);
    if (!move) return refuse("--move: " + move.error().text());
    config.moves.push_back(*move);
  }
  if (typed.alias == "none") config.alias = AliasRules::none();
  if (typed.alias == "all") config.alias = AliasRules::all();
  config.planInputs = typed.inputs == "arena";
  config.planOutputs = typed.outputs == "arena";
  config.streamWeights = typed.weights == "streamed";
  config.seed = typed.seed;
  config.timeLimit = typed.timeLimit;
  return config;
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
  arguments.compare = typed.compare || style.kind == PictureKind::compare;
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

Result<void> setPicture(const Typed& typed, StudioArguments& arguments) {
  if (!typed.size.empty()) {
    const auto size = pictureSize(typed.size);
    if (!size) return tl::unexpected(size.error());
    arguments.size = *size;
    arguments.sizeGiven = true;
  }
  if (typed.step != "peak") {
    const auto step = parseInteger(typed.step);
    if (!step || *step < 0) {
      return refuse("--step: '" + printable(typed.step) + "' is neither a step nor peak");
    }
    arguments.step = Step(*step);
  }
  auto range = stepRange(typed.range);
  if (!range) return tl::unexpected(range.error());
  arguments.range = *range;
  arguments.select = typed.select;
  for (const std::string& name : typed.below) {
    auto choice = AllocatorChoice::parse(name);
    if (!choice) return refuse("--below: " + choice.error().text());
    arguments.below.push_back(std::move(*choice));
  }
  arguments.panel = QString::fromStdString(typed.panel);
  arguments.exportFile = QString::fromStdString(typed.exportFile);
  if (auto style = setStyle(typed, arguments); !style) return style;
  if (!typed.exportFile.empty() && typed.model.empty()) return refuse("--export needs a MODEL");
  if (!typed.report.empty() && typed.model.empty()) return refuse("--report needs a MODEL");
  return {};
}

Result<StudioArguments> understand(const Typed& typed) {
  StudioArguments arguments;
  arguments.request.model = typed.model;
  auto import = importOptions(typed);
  if (!import) return tl::unexpected(import.error());
  arguments.request.import = *std::move(import);
  auto config = runConfig(typed);
  if (!config) return tl::unexpected(config.error());
  arguments.request.config = *std::move(config);
  arguments.allocatorGiven = !typed.allocator.empty();
  arguments.platformGiven = !typed.platform.empty();
  if (typed.theme == "light") arguments.theme = ThemeChoice::light;
  if (typed.theme == "dark") arguments.theme = ThemeChoice::dark;
  if (typed.theme == "system") arguments.theme = ThemeChoice::system;
  if (auto picture = setPicture(typed, arguments); !picture) {
    return tl::unexpected(picture.error());
  }
  return arguments;
}

}  // namespace

RunConfig defaultConfig() {
  RunConfig config;
  // The studio is for watching: the online method is the one with most to see.
  config.allocator.info = findAllocator(kDefaultAllocator).value();
  config.platform = platformCatalog().front();
  return config;
}

Result<Platform> openPlatform(const std::string& nameOrFile) {
  auto preset = findPlatform(nameOrFile);
  const bool isFile = nameOrFile.find_first_of("./") != std::string::npos;
  if (preset || !isFile) return preset;
  const auto toml = readFile(nameOrFile);
  if (!toml) return tl::unexpected(toml.error());
  auto platform = parsePlatform(*toml);
  if (!platform) {
    const Error& error = platform.error();
    return fail(error.code, printable(nameOrFile) + ": " + error.message, error.where);
  }
  return platform;
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

}  // namespace hw
