#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "core/base/text.h"
#include "core/machine/platforms.h"
#include "core/rewrite/batches.h"
#include "core/run/options.h"
#include "core/storage/aliasing.h"

namespace hw {
namespace {

using Texts = std::vector<std::string>;
using Words = std::span<const std::string_view>;

constexpr std::string_view kSharing[] = {"views", "none", "all", "always"};
constexpr std::string_view kBodies[] = {"closed", "steps"};
constexpr std::string_view kFuse[] = {"quantized", "none", "all"};
constexpr std::string_view kOverlap[] = {"kernels", "none"};
constexpr std::string_view kLayouts[] = {"given", "nhwc"};
constexpr std::string_view kRecompute[] = {"cheap", "none"};
constexpr std::string_view kTileTo[] = {"least", "256KiB"};
constexpr std::string_view kExtraWork[] = {"10%", "0%", "25%"};
constexpr std::string_view kAlignments[] = {"default", "1",   "2",   "4",   "8",    "16",   "32",
                                            "64",      "128", "256", "512", "1KiB", "2KiB", "4KiB"};
/// In the order of PoolSize::Kind.
constexpr std::string_view kPoolSizes[] = {"platform", "unlimited", "512KiB"};

/// A refusal of what somebody wrote.
tl::unexpected<Error> badOption(std::string message) {
  return fail(ErrorCode::invalidArgument, std::move(message));
}

Result<std::size_t> wordIndex(std::string_view text, std::span<const std::string_view> words) {
  const auto found = std::ranges::find(words, text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  const auto closest = closestWord(text, {words.begin(), words.end()});
  return badOption(fmt::format("'{}' is not one of {}{}", printable(text, 80),
                               fmt::join(words, ", "),
                               closest ? fmt::format("; did you mean '{}'?", *closest) : ""));
}

template <class T>
Result<void> keep(Result<T> value, T& place) {
  if (!value) return tl::unexpected(value.error());
  place = *std::move(value);
  return {};
}

template <const auto& table>
Words wordsOf() {
  return table;
}

/// Reads and prints a member that is one of some words, by its place among them; of two words the
/// second is true.
template <auto member, auto words>
Result<void> readWord(const std::string& text, RunRequest& request) {
  HW_TRY(index, wordIndex(text, words()));
  auto& value = request.*member;
  value = static_cast<std::remove_reference_t<decltype(value)>>(index);
  return {};
}
template <auto member, auto words>
Texts wordText(const RunRequest& request) {
  return {std::string(words()[static_cast<std::size_t>(request.*member)])};
}

/// The same of two words the first of which is true.
template <auto member, const auto& words>
Result<void> readFirst(const std::string& text, RunRequest& request) {
  HW_TRY(index, wordIndex(text, words));
  request.*member = index == 0;
  return {};
}
template <auto member, const auto& words>
Texts firstText(const RunRequest& request) {
  return {std::string(words[request.*member ? 0 : 1])};
}

Texts unlessEmpty(const std::string& text) { return text.empty() ? Texts{} : Texts{text}; }

Result<std::uint64_t> parseCount(std::string_view text) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec == std::errc() && read.ptr == end) return number;
  return badOption(fmt::format("'{}' is not a whole number from 0", printable(text, 80)));
}

Result<double> parseSeconds(std::string_view text) {
  constexpr double kMost = 1e9;
  const auto number = parseNumber(text);
  if (number && *number >= 0 && *number <= kMost) return *number;
  return badOption(fmt::format("'{}' is not a number from 0 to {}", printable(text, 80), kMost));
}

Result<PoolSize> parsePoolSize(std::string_view text) {
  if (text == kPoolSizes[0]) return PoolSize();
  if (text == kPoolSizes[1]) return PoolSize{.kind = PoolSize::Kind::unbounded};
  if (text == "assumed") return PoolSize{.kind = PoolSize::Kind::unbounded, .assumed = true};
  const auto bytes = parseSize(text);
  if (!bytes) return badOption(bytes.error().message + ", or unlimited");
  return PoolSize{.kind = PoolSize::Kind::bytes, .bytes = *bytes};
}

Texts poolText(const PoolSize& size) {
  if (size.assumed) return {"assumed"};
  if (size.kind == PoolSize::Kind::bytes) return {sizeWord(size.bytes)};
  return {std::string(kPoolSizes[static_cast<std::size_t>(size.kind)])};
}

Result<std::optional<Bytes>> parseAlignment(std::string_view text) {
  if (text == "default") return std::nullopt;
  const auto bytes = parseSize(text);
  if (bytes && isAlignment(*bytes)) return *bytes;
  return badOption(fmt::format("'{}' is not an alignment; expected a power of two up to 1GiB",
                               printable(text, 80)));
}

Result<void> addDimension(const std::string& text, ImportOptions& import) {
  const std::size_t equals = text.rfind('=');
  const auto value =
      equals == std::string::npos ? std::nullopt : parseInteger(text.substr(equals + 1));
  if (!value || *value < 0 || equals == 0) {
    return badOption(fmt::format("'{}' is not a dimension; expected NAME=VALUE, such as batch=1",
                                 printable(text, 80)));
  }
  import.dimensions[text.substr(0, equals)] = *value;
  return {};
}

Texts dimensionTexts(const RunRequest& request) {
  Texts texts;
  for (const auto& [name, value] : request.import.dimensions) {
    texts.push_back(fmt::format("{}={}", name, value));
  }
  return texts;
}

Result<WeightChoice> parseWeights(std::string_view text) {
  constexpr std::int64_t kMost = 1'000'000;
  constexpr std::string_view kAhead = "prefetch=";
  // An older spelling, in saved sessions and command lines of the studio.
  if (text == "streamed") return WeightChoice{};
  if (text.starts_with(kAhead)) {
    const auto ahead = parseInteger(text.substr(kAhead.size()));
    if (ahead && *ahead >= 0 && *ahead <= kMost) {
      return WeightChoice{.rule = WeightRule::prefetch, .ahead = *ahead};
    }
    return badOption(fmt::format("'{}': expected a whole number of steps from 0 to {} after '{}'",
                                 printable(text, 80), kMost, kAhead));
  }
  HW_TRY(index, wordIndex(text, kWeightRuleNames));
  return WeightChoice{.rule = static_cast<WeightRule>(index)};
}

/// Reads a whole number from 1 to `most`.
template <auto member, int most>
Result<void> readNumber(const std::string& text, RunRequest& request) {
  const auto number = parseInteger(text);
  if (!number || *number < 1 || *number > most) {
    return badOption(
        fmt::format("'{}' is not a whole number from 1 to {}", printable(text, 80), most));
  }
  request.*member = static_cast<int>(*number);
  return {};
}

Texts weightsText(const RunRequest& request) {
  const auto& [rule, ahead] = request.weights;
  const std::string_view name = kWeightRuleNames[static_cast<std::size_t>(rule)];
  const bool plain = rule != WeightRule::prefetch || ahead == WeightChoice().ahead;
  return {plain ? std::string(name) : fmt::format("{}={}", name, ahead)};
}

std::span<const std::string_view> residencyNames() {
  static const auto names = [] {
    std::vector<std::string_view> all;
    for (const ResidencyInfo& info : residencyCatalog()) all.push_back(info.name);
    return all;
  }();
  return names;
}

Result<void> readMoves(const std::string& texts, RunRequest& request) {
  for (const std::string_view text : splitText(texts, ' ')) {
    const auto move = parseMove(text);
    if (!move) return badOption(move.error().text());
    request.moves.push_back(*move);
  }
  return {};
}

Texts movesText(const RunRequest& request) {
  Texts texts;
  for (const OpMove& move : request.moves) texts.push_back(moveText(move));
  return texts;
}

Result<void> readTileTo(const std::string& text, RunRequest& request) {
  if (text == kTileTo[0]) {
    request.tileTo = {};
    return {};
  }
  const auto bytes = parseSize(text);
  if (!bytes) return badOption(bytes.error().message + ", or least");
  request.tileTo = *bytes;
  return {};
}

Texts tileToText(const RunRequest& request) {
  if (request.tileTo == Bytes()) return {std::string(kTileTo[0])};
  return {sizeWord(request.tileTo)};
}

Result<void> readExtraWork(const std::string& text, RunRequest& request) {
  constexpr double kMost = 1000;
  const bool percent = text.ends_with('%');
  const auto number = parseNumber(std::string_view(text).substr(0, text.size() - percent));
  if (!percent || !number || !(*number >= 0 && *number <= kMost)) {
    return badOption(fmt::format("'{}' is not a share of the work, such as 10%, up to {}%",
                                 printable(text, 80), kMost));
  }
  request.extraWork = *number / 100;
  return {};
}

Texts extraWorkText(const RunRequest& request) {
  // As it was typed, or nearly: no digits that come of dividing by 100.
  return {fmt::format("{:.10g}%", request.extraWork * 100)};
}

Result<AllocatorChoice> allocatorOf(const std::string& text) {
  auto choice = AllocatorChoice::parse(text);
  if (!choice) return badOption(choice.error().text());
  return choice;
}

}  // namespace

std::span<const RunOption> runOptions() {
  using enum OptionGroup;
  static const RunOption kOptions[] = {
      {.name = "model",
       .label = "model",
       .group = model,
       .type = "MODEL",
       .help = "a model file, - for standard input, or samples:NAME",
       .parse = [](const std::string& text, RunRequest& r) -> Result<void> {
         r.model = text;
         return {};
       },
       .print = [](const RunRequest& r) { return unlessEmpty(r.model); }},
      {.name = "dim",
       .formerly = "dimensions",
       .label = "dimensions",
       .group = import,
       .repeats = true,
       .type = "NAME=VALUE",
       .help = "binds a free dimension, or an input of one number; may be repeated",
       .parse = [](const std::string& text, RunRequest& r) { return addDimension(text, r.import); },
       .print = dimensionTexts},
      {.name = "bodies",
       .label = "bodies",
       .group = import,
       .type = "HOW",
       .help = "branches and loops as steps, or closed: one step each",
       .standard = "steps",
       .choices = kBodies,
       .parse = [](const std::string& text, RunRequest& r) -> Result<void> {
         HW_TRY(index, wordIndex(text, kBodies));
         r.import.closedBodies = index == 0;
         return {};
       },
       .print =
           [](const RunRequest& r) {
             return Texts{std::string(kBodies[r.import.closedBodies ? 0 : 1])};
           }},
      {.name = "fuse",
       .label = "fused operators",
       .group = import,
       .type = "WHAT",
       .help = "operators that run as one: quantized: those between DequantizeLinear and "
               "QuantizeLinear work on quantised tensors; pads: with the convolution behind them; "
               "activations: with the operator before them; pools: with the convolution before "
               "them; several with commas between, all, none, or as a runtime does: tflm, ort, st",
       .standard = fusionCatalog().front().name,
       .examples = kFuse,
       .parse = [](const std::string& text,
                   RunRequest& r) { return keep(parseFusions(text), r.import.fuse); },
       .print = [](const RunRequest& r) { return Texts{fusionsText(r.import.fuse)}; }},
      {.name = "weight-bytes",
       .label = "bytes of weights",
       .group = import,
       .type = "FILE",
       .help =
           "CSV, operator,bytes: what the weights of operators, by name or number, take as they "
           "are stored for the machine, such as encoded, wherever they move",
       .parse = [](const std::string& text, RunRequest& r) -> Result<void> {
         r.import.weightBytes = text;
         return {};
       },
       .print = [](const RunRequest& r) { return unlessEmpty(r.import.weightBytes); }},
      {.name = "subgraph",
       .label = "subgraph",
       .group = import,
       .type = "NAME",
       .help = "part of a TFLite file: a signature, a subgraph's name or number; of a bundle: "
               "MODEL[:NAME]",
       .parse = [](const std::string& text, RunRequest& r) -> Result<void> {
         r.import.subgraph = text;
         return {};
       },
       .print = [](const RunRequest& r) { return unlessEmpty(r.import.subgraph); }},
      {.name = "allocator",
       .label = "allocator",
       .letter = 'a',
       .group = allocator,
       .type = "NAME[:K=V,...]",
       .help = "how to plan; see 'highwater list allocators'",
       .standard = kDefaultAllocator,
       .parse = [](const std::string& text,
                   RunRequest& r) { return keep(allocatorOf(text), r.allocator); },
       .print =
           [](const RunRequest& r) {
             return r.allocator.info ? Texts{r.allocator.text()} : Texts{};
           }},
      {.name = "platform",
       .formerly = "platforms",
       .label = "platform",
       .group = machine,
       .axis = true,
       .type = "NAME|FILE",
       .help =
           "the machine: a preset, a TOML file or one of Vela, DORY or ST (vela.ini:SYSTEM,MODE); "
           "where nothing is simulated, memories are unlimited without it",
       .standard = "generic-npu",
       .parse = [](const std::string& text,
                   RunRequest& r) { return keep(openPlatform(text), r.platform); },
       .print = [](const RunRequest& r) { return unlessEmpty(platformText(r.platform)); }},
      {.name = "l2",
       .label = "L2 size",
       .group = machine,
       .axis = true,
       .type = "SIZE",
       .help =
           "what may be planned of L2: 4096, 512KiB, 1.5MiB, unlimited, or platform: what it has",
       .examples = kPoolSizes,
       .parse = [](const std::string& text,
                   RunRequest& r) { return keep(parsePoolSize(text), r.l2); },
       .print = [](const RunRequest& r) { return poolText(r.l2); }},
      {.name = "l3",
       .label = "L3 size",
       .group = machine,
       .axis = true,
       .type = "SIZE",
       .help = "what may be planned of L3; assumed: unlimited, but a planning problem does without",
       .parse = [](const std::string& text,
                   RunRequest& r) { return keep(parsePoolSize(text), r.l3); },
       .print = [](const RunRequest& r) { return poolText(r.l3); }},
      {.name = "align",
       .label = "alignment",
       .group = storage,
       .axis = true,
       .type = "N",
       .help = "alignment of every address: 16, 4KiB (default 64; in a planning problem its own)",
       .examples = kAlignments,
       .parse = [](const std::string& text,
                   RunRequest& r) { return keep(parseAlignment(text), r.alignment); },
       .print =
           [](const RunRequest& r) {
             return Texts{r.alignment ? sizeWord(*r.alignment) : "default"};
           }},
      {.name = "alias",
       .label = "sharing",
       .group = storage,
       .axis = true,
       .type = "RULES",
       .help = "who shares memory: none, views, all, or a list of reshape, concat, split, in-place"
               "; always: views as published, even where that raises the lower bound",
       .standard = "views",
       .examples = kSharing,
       .parse = [](auto& text, auto& r) { return keep(parseAlias(text), r.alias); },
       .print = [](const RunRequest& r) { return Texts{aliasText(r.alias)}; }},
      {.name = "overlap",
       .label = "overlap",
       .group = storage,
       .axis = true,
       .type = "HOW",
       .help =
           "kernels: an output may overlap the input that it is made of row by row, as the "
           "kernels of the platform's units allow, and buffers in parts each other while no byte "
           "is needed of both; none: each has bytes of its own",
       .standard = "none",
       .choices = kOverlap,
       .parse = readFirst<&RunRequest::overlap, kOverlap>,
       .print = firstText<&RunRequest::overlap, kOverlap>},
      {.name = "inputs",
       .label = "inputs",
       .group = storage,
       .axis = true,
       .type = "WHERE",
       .help = "where graph inputs live: arena, external, or loaded: in the arena too, into which "
               "they come from the far memory when the run begins; near: there from the start, by "
               "rules that move buffers, too, where there is room; rows: in the arena, into which "
               "they come row by row when they are read, as from a camera",
       .standard = "arena",
       .choices = kInputPlaceNames,
       .parse = readWord<&RunRequest::inputs, wordsOf<kInputPlaceNames>>,
       .print = wordText<&RunRequest::inputs, wordsOf<kInputPlaceNames>>},
      {.name = "outputs",
       .label = "outputs",
       .group = storage,
       .axis = true,
       .type = "WHERE",
       .help = "where graph outputs live: arena, external, or stored: in the arena too, from which "
               "they go to the far memory after the last operator that touches them; near: rules "
               "that move buffers may leave them there, too",
       .standard = "arena",
       .choices = kOutputPlaceNames,
       .parse = readWord<&RunRequest::outputs, wordsOf<kOutputPlaceNames>>,
       .print = wordText<&RunRequest::outputs, wordsOf<kOutputPlaceNames>>},
      {.name = "weights",
       .label = "weights",
       .group = storage,
       .axis = true,
       .type = "HOW",
       .help =
           "stream: from L3 whenever an operator runs; prefetch or prefetch=K: loaded into L2 K "
           "steps earlier, one if not said, where there is room; resident: loaded into L2 "
           "once, for the whole run; free: they take no bytes and no time",
       .standard = "stream",
       .examples = kWeightRuleNames,
       .parse = [](const std::string& text,
                   RunRequest& r) { return keep(parseWeights(text), r.weights); },
       .print = weightsText},
      {.name = "layout",
       .label = "layout",
       .group = order,
       .axis = true,
       .type = "HOW",
       .help = "how images are held: given, as the model has them, or nhwc: with channels last, as "
               "many runtimes store them; Transposes between the two fold away, others are added "
               "where something needs a tensor as it was",
       .standard = "given",
       .choices = kLayouts,
       .parse = readWord<&RunRequest::channelsLast, wordsOf<kLayouts>>,
       .print = wordText<&RunRequest::channelsLast, wordsOf<kLayouts>>},
      {.name = "order",
       .label = "order",
       .group = order,
       .axis = true,
       .type = "HOW",
       .help =
           "in which order operators run: given, least-peak: with the fewest bytes live at once, "
           "depth-first, breadth-first",
       .standard = "given",
       .choices = opOrderNames(),
       .parse = readWord<&RunRequest::order, opOrderNames>,
       .print = wordText<&RunRequest::order, opOrderNames>},
      {.name = "recompute",
       .label = "recompute",
       .group = order,
       .axis = true,
       .type = "WHAT",
       .help = "cheap: operators run again instead of keeping what they made, where that leaves "
               "fewer bytes live and takes no more than --extra-work; none: each runs once",
       .standard = "none",
       .choices = kRecompute,
       .parse = readFirst<&RunRequest::recompute, kRecompute>,
       .print = firstText<&RunRequest::recompute, kRecompute>},
      {.name = "tile",
       .label = "parts",
       .group = order,
       .axis = true,
       .type = "HOW",
       .help = "runs operators in parts, so that the fewest bytes are live at once: off, or lines: "
               "runs of them go row by row, with room for the rows that are still needed; "
               "stripes: in columns, too; patches: in boxes; channels: some channels at a time, "
               "with weights read once; any: whatever is best",
       .standard = "off",
       .choices = tileRuleNames(),
       .parse = readWord<&RunRequest::tile, tileRuleNames>,
       .print = wordText<&RunRequest::tile, tileRuleNames>},
      {.name = "tile-to",
       .label = "parts down to",
       .group = order,
       .axis = true,
       .type = "SIZE",
       .help = "runs in parts for no fewer live bytes than that, with the least effort",
       .standard = "least",
       .examples = kTileTo,
       .parse = readTileTo,
       .print = tileToText},
      {.name = "extra-work",
       .label = "extra work",
       .group = order,
       .axis = true,
       .type = "SHARE",
       .help =
           "how much of all work may be done more than once: by --recompute, and by parts that are "
           "stripes or patches",
       .standard = "10%",
       .examples = kExtraWork,
       .parse = readExtraWork,
       .print = extraWorkText},
      {.name = "move",
       .formerly = "moves",
       .label = "moves",
       .group = order,
       .repeats = true,
       .type = "OP:before|after:OP",
       .help =
           "changes that order: runs one operator, by number, next to another and takes along what "
           "has to come; may be repeated",
       .parse = readMoves,
       .print = movesText},
      {.name = "batches",
       .label = "inferences",
       .group = order,
       .axis = true,
       .type = "N",
       .help = "inferences one behind the other over one memory, on weights that they share: each "
               "begins as soon as its units and bytes are free",
       .standard = "1",
       .parse = readNumber<&RunRequest::batches, int{kMostBatches}>,
       .print = [](const RunRequest& r) { return Texts{std::to_string(r.batches)}; }},
      {.name = "residency",
       .label = "residency",
       .group = order,
       .type = "RULE",
       .help = "who lives in which memory, and when: whole-life, or a rule by which buffers move: "
               "layer, lru, belady, cost, exact; best: the fastest of them; best:for=traffic",
       .standard = "whole-life",
       .choices = residencyNames(),
       .parse = readWord<&RunRequest::residency, residencyNames>,
       .print = wordText<&RunRequest::residency, residencyNames>},
      {.name = "seed",
       .formerly = "seeds",
       .label = "seed",
       .group = search,
       .axis = true,
       .type = "N",
       .help = "for allocators that draw random numbers",
       .standard = "1",
       .parse = [](const std::string& text,
                   RunRequest& r) { return keep(parseCount(text), r.seed); },
       .print = [](const RunRequest& r) { return Texts{std::to_string(r.seed)}; }},
      {.name = "threads",
       .label = "threads",
       .group = effort,
       .type = "N",
       .help = "to work with at a time (default: one a processor)",
       .parse = readNumber<&RunRequest::threads, 1024>,
       .print = [](const RunRequest& r) { return Texts{std::to_string(r.threads)}; }},
      {.name = "time-limit",
       .formerly = "timeLimit",
       .label = "time limit",
       .group = search,
       .type = "SECONDS",
       .help = "for allocators that search; 0: none",
       .standard = "0",
       .parse = [](const std::string& text,
                   RunRequest& r) { return keep(parseSeconds(text), r.timeLimit); },
       .print = [](const RunRequest& r) { return Texts{fmt::format("{}", r.timeLimit)}; }},
  };
  return kOptions;
}

}  // namespace hw
