#include "app/cli/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/memory/platforms.h"
#include "core/run/samples.h"

namespace hw::cli {
namespace {

Outcome<Platform> readPlatformFile(const std::string& path) {
  const auto text = readFile(path);
  if (!text) return failure(text.error(), path);
  auto platform = parsePlatform(*text);
  if (!platform) {
    // Whatever is wrong in a file is bad input, also what would be a bad option elsewhere.
    return failure(ExitCode::badInput, path, platform.error().text());
  }
  return std::move(*platform);
}

}  // namespace

Outcome<Platform> parsePlatformName(const std::string& option, const std::string& text) {
  const bool file = text.ends_with(".toml") || text.find('/') != std::string::npos || text == "-";
  if (file) return readPlatformFile(text);
  auto platform = findPlatform(text);
  if (!platform) return failure(ExitCode::badUsage, option, platform.error().text());
  return std::move(*platform);
}

DimensionOptions::DimensionOptions(Arguments& arguments) {
  arguments.option("--dim", dimensions_,
                   {.help = "binds a free dimension, or an input of one number; may be repeated",
                    .type = "NAME=VALUE"});
  arguments.option("--bodies", bodies_,
                   {.help = "branches and loops as steps (default), or closed: one step each",
                    .type = "HOW",
                    .choices = {"steps", "closed"}});
  arguments.option("--subgraph", subgraph_,
                   {.help = "part of a TFLite file: a signature, a subgraph's name or number; of a "
                            "bundle: MODEL[:NAME]",
                    .type = "NAME"});
}

Outcome<ImportOptions> parseDimensions(const std::string& option,
                                       const std::vector<std::string>& texts) {
  ImportOptions options;
  for (const std::string& text : texts) {
    const std::size_t equals = text.rfind('=');
    const auto value =
        equals == std::string::npos ? std::nullopt : parseInteger(text.substr(equals + 1));
    if (!value || *value < 0 || equals == 0) {
      return failure(
          ExitCode::badUsage, option,
          fmt::format("'{}' is not a dimension; expected NAME=VALUE, such as batch=1", text));
    }
    options.dimensions[text.substr(0, equals)] = *value;
  }
  return options;
}

Outcome<ImportOptions> DimensionOptions::importOptions() const {
  auto options = parseDimensions("--dim", dimensions_);
  if (!options) return options;
  options->closedBodies = bodies_ == "closed";
  options->subgraph = subgraph_;
  return options;
}

Outcome<std::shared_ptr<const Model>> openNamed(const std::string& name,
                                                const ImportOptions& options) {
  auto model = openModel(name, options);
  if (!model) return failure(model.error(), name);
  return std::make_shared<const Model>(std::move(*model));
}

ModelOptions::ModelOptions(Arguments& arguments) : dimensions_(arguments) {
  arguments.positional("MODEL", name_,
                       {.help = "a model file, - for standard input, or samples:NAME"});
}

Outcome<std::shared_ptr<const Model>> ModelOptions::open() const {
  const auto options = dimensions_.importOptions();
  if (!options) return tl::unexpected(options.error());
  return openNamed(name_, *options);
}

Outcome<Model> ModelOptions::read() const {
  const auto options = dimensions_.importOptions();
  if (!options) return tl::unexpected(options.error());
  auto model = openModel(name_, *options);
  if (!model) return failure(model.error(), name_);
  return std::move(*model);
}

ModelsOptions::ModelsOptions(Arguments& arguments) : dimensions_(arguments) {
  arguments.positional("MODEL", names_,
                       {.help = "model files, - for standard input, or samples:NAME; one or more"});
}

StorageArguments::StorageArguments(Arguments& arguments) {
  const std::vector<std::string> places = {"arena", "external"};
  arguments.option(
      "--align", alignment_,
      {.help = "alignment of every address (default 64; in a planning problem its own)",
       .type = "N"});
  arguments.option("--alias", alias_,
                   {.help = "who shares memory: none, views (default), all, or a list of "
                            "reshape, concat, split, in-place",
                    .type = "RULES"});
  arguments.option("--inputs", inputs_,
                   {.help = "where graph inputs live: arena (default) or external",
                    .type = "WHERE",
                    .choices = places});
  arguments.option("--outputs", outputs_,
                   {.help = "where graph outputs live: arena (default) or external",
                    .type = "WHERE",
                    .choices = places});
}

Outcome<AliasRules> parseAlias(const std::string& option, const std::string& text) {
  if (text.empty() || text == "views") return AliasRules();
  if (text == "all") return AliasRules::all();
  AliasRules rules = AliasRules::none();
  if (text == "none") return rules;
  for (const std::string_view word : splitText(text, ',')) {
    if (word == "reshape") {
      rules.reshape = true;
    } else if (word == "concat") {
      rules.concat = true;
    } else if (word == "split") {
      rules.split = true;
    } else if (word == "in-place") {
      rules.inPlace = true;
    } else {
      const auto closest =
          closestWord(word, {"none", "views", "all", "reshape", "concat", "split", "in-place"});
      return failure(
          ExitCode::badUsage, option,
          fmt::format("'{}' is not a rule; expected none, views, all, or a list of "
                      "reshape, concat, split, in-place{}",
                      word, closest ? fmt::format("; did you mean '{}'?", *closest) : ""));
    }
  }
  return rules;
}

Outcome<std::optional<Bytes>> parseAlignment(const std::string& option, const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto bytes = parseSize(text);
  const std::int64_t count = bytes ? bytes->count() : 0;
  if (count < 1 || (count & (count - 1)) != 0 || count > (1 << 30)) {
    return failure(
        ExitCode::badUsage, option,
        fmt::format("'{}' is not an alignment; expected a power of two up to 1GiB", text));
  }
  return *bytes;
}

Outcome<PoolSize> parsePoolSize(const std::string& option, const std::string& text,
                                PoolSize fallback) {
  if (text.empty()) return fallback;
  if (text == "unlimited") return PoolSize{.kind = PoolSize::Kind::unbounded};
  const auto bytes = parseSize(text);
  if (!bytes) return failure(ExitCode::badUsage, option, bytes.error().message + ", or unlimited");
  return PoolSize{.kind = PoolSize::Kind::bytes, .bytes = *bytes};
}

Outcome<std::vector<OpMove>> parseMoves(const std::string& option,
                                        const std::vector<std::string>& texts) {
  std::vector<OpMove> moves;
  for (const std::string& text : texts) {
    const auto move = parseMove(text);
    if (!move) return failure(ExitCode::badUsage, option, move.error().text());
    moves.push_back(*move);
  }
  return moves;
}

Outcome<AliasRules> StorageArguments::alias() const { return parseAlias("--alias", alias_); }

Outcome<std::optional<Bytes>> StorageArguments::alignment() const {
  return parseAlignment("--align", alignment_);
}

MachineArguments::MachineArguments(Arguments& arguments, DefaultMachine machine)
    : machine_(machine) {
  const bool planning = machine == DefaultMachine::unlimited;
  arguments.option("--platform", platform_,
                   {.help = planning ? "whose memories bound the plan: a preset or a TOML file "
                                       "(default: unlimited memories)"
                                     : "the machine: a preset or a TOML file (default generic-npu)",
                    .type = "NAME|FILE"});
  arguments.option(
      "--l2", l2_,
      {.help = "what may be planned of L2: 4096, 512KiB, 1.5MiB, unlimited", .type = "SIZE"});
  arguments.option("--l3", l3_, {.help = "what may be planned of L3", .type = "SIZE"});
  if (planning) return;
  arguments.option(
      "--weights", weights_,
      {.help = "stream (default): from L3 whenever an operator runs; resident: already "
               "where they are needed",
       .type = "HOW",
       .choices = {"stream", "resident"}});
}

Outcome<PoolSize> MachineArguments::poolSize(const std::string& option,
                                             const std::string& text) const {
  const bool unlimited = platform_.empty() && machine_ == DefaultMachine::unlimited;
  return parsePoolSize(option, text,
                       {.kind = unlimited ? PoolSize::Kind::unbounded : PoolSize::Kind::platform});
}

Outcome<void> MachineArguments::apply(RunConfig& config) const {
  if (platform_.empty()) {
    config.platform = platformCatalog().front();
  } else {
    auto platform = parsePlatformName("--platform", platform_);
    if (!platform) return tl::unexpected(platform.error());
    config.platform = std::move(*platform);
  }
  const auto l2 = poolSize("--l2", l2_);
  if (!l2) return tl::unexpected(l2.error());
  const auto l3 = poolSize("--l3", l3_);
  if (!l3) return tl::unexpected(l3.error());
  config.l2 = *l2;
  config.l3 = *l3;
  config.streamWeights = weights_ != "resident";
  return {};
}

void unlimitedMachine(RunConfig& config) {
  config.platform = platformCatalog().front();
  config.l2 = {.kind = PoolSize::Kind::unbounded};
  config.l3 = {.kind = PoolSize::Kind::unbounded};
}

RunArguments::RunArguments(Arguments& arguments, DefaultMachine machine)
    : storage_(arguments), machine_(arguments, machine) {
  constexpr int kMostThreads = 1024;
  threads_ = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  arguments.option("--move", moves_,
                   {.help = "changes the order: runs one operator, by number, next to another and "
                            "takes along what has to come; may be repeated",
                    .type = "OP:before|after:OP"});
  arguments.number("--seed", seed_,
                   {.help = "for allocators that draw random numbers (default 1)", .type = "N"});
  arguments.number("--threads", threads_, 1, kMostThreads,
                   {.help = "to work with at a time (default: one a processor)", .type = "N"});
  arguments.number("--time-limit", timeLimit_,
                   {.help = "for allocators that search (default: none)", .type = "SECONDS"});
}

Outcome<RunConfig> RunArguments::config() const {
  RunConfig config{.planInputs = storage_.planInputs(),
                   .planOutputs = storage_.planOutputs(),
                   .seed = seed_,
                   .threads = threads_,
                   .timeLimit = timeLimit_};
  const auto alias = storage_.alias();
  if (!alias) return tl::unexpected(alias.error());
  config.alias = *alias;
  const auto alignment = storage_.alignment();
  if (!alignment) return tl::unexpected(alignment.error());
  config.alignment = *alignment;
  auto moves = parseMoves("--move", moves_);
  if (!moves) return tl::unexpected(moves.error());
  config.moves = std::move(*moves);
  if (auto applied = machine_.apply(config); !applied) return tl::unexpected(applied.error());
  return config;
}

AllocatorOption::AllocatorOption(Arguments& arguments) {
  arguments.option("-a,--allocator", text_,
                   {.help = fmt::format("how to plan (default {}); see 'highwater list allocators'",
                                        kDefaultAllocator),
                    .type = "NAME[:K=V,...]"});
}

Outcome<AllocatorChoice> AllocatorOption::choice() const {
  return parseAllocator("--allocator", text_.empty() ? std::string(kDefaultAllocator) : text_);
}

Outcome<AllocatorChoice> parseAllocator(const std::string& option, const std::string& text) {
  auto choice = AllocatorChoice::parse(text);
  if (!choice) return failure(ExitCode::badUsage, option, choice.error().text());
  return std::move(*choice);
}

Outcome<std::vector<AllocatorChoice>> parseAllocators(const std::string& option,
                                                      const std::string& list) {
  std::vector<std::string> texts;
  if (list.empty() || list == "all") {
    for (const AllocatorInfo& info : allocatorCatalog()) texts.emplace_back(info.name);
  } else {
    for (const std::string_view part : splitText(list, ',')) {
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
    auto choice = parseAllocator(option, text);
    if (!choice) return tl::unexpected(choice.error());
    parsed.push_back(std::move(*choice));
  }
  return parsed;
}

}  // namespace hw::cli
