#include "core/import/ai8x/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "core/base/text.h"

namespace hw {
namespace {

constexpr std::int64_t kMostAi8xSide = 4096;
constexpr std::int64_t kMostAi8xChannels = 65'536;
constexpr std::int64_t kMostAi8xGap = 64;
constexpr std::int64_t kMostAi8xWindow = 64;
constexpr std::int64_t kMostAi8xOffset = std::int64_t{1} << 24;
constexpr std::size_t kMostAi8xLayers = 1024;
constexpr std::size_t kAi8xInput = 0;

/// An input as the sample data of the tools have it.
struct Ai8xKnownInput {
  std::string_view dataset;  ///< Letters and digits, in lower case.
  std::int64_t channels;
  std::int64_t rows;
  std::int64_t columns;
};
constexpr std::array kAi8xKnownInputs = {
    Ai8xKnownInput{"aisegment352", 48, 88, 88},
    Ai8xKnownInput{"aisegment352reduced", 48, 48, 48},
    Ai8xKnownInput{"camvids352c3", 48, 88, 88},
    Ai8xKnownInput{"camvids352c3reduced", 48, 48, 48},
    Ai8xKnownInput{"catsvsdogs", 3, 128, 128},
    Ai8xKnownInput{"cifar10", 3, 32, 32},
    Ai8xKnownInput{"cifar100", 3, 32, 32},
    Ai8xKnownInput{"dotprodtest", 64, 1, 1},
    Ai8xKnownInput{"faceid", 3, 160, 120},
    Ai8xKnownInput{"fashionmnist", 1, 28, 28},
    Ai8xKnownInput{"imagenet", 3, 112, 112},
    Ai8xKnownInput{"kinetics400", 96, 60, 60},
    Ai8xKnownInput{"kws20", 128, 128, 1},
    Ai8xKnownInput{"mnist", 1, 28, 28},
    Ai8xKnownInput{"pascalvoc20072012256320augmented", 3, 256, 320},
    Ai8xKnownInput{"qrcode160120kptsext", 3, 120, 160},
    Ai8xKnownInput{"samplemotordatalimerick", 256, 3, 1},
    Ai8xKnownInput{"speechcom", 1, 64, 64},
    Ai8xKnownInput{"svhn74", 3, 74, 74},
    Ai8xKnownInput{"vggface2facedetection", 3, 224, 168},
    Ai8xKnownInput{"vggface2faceid", 3, 112, 112}};

std::string ai8xLowered(std::string_view text, bool lettersOnly) {
  std::string low;
  for (const char each : text) {
    const bool upper = each >= 'A' && each <= 'Z';
    const char letter = upper ? static_cast<char>(each - 'A' + 'a') : each;
    const bool kept = (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
    if (kept || !lettersOnly) low += letter;
  }
  return low;
}

struct Ai8xSides {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
};

/// A number for both sides, or a list of two.
Ai8xSides ai8xSides(const JsonNode& node, const char* key, std::int64_t standard,
                    std::int64_t most) {
  const auto value = node.find(key);
  if (!value) return {standard, standard};
  if (!value->value.is_array()) return {value->count(most), value->count(most)};
  std::vector<std::int64_t> sides;
  value->forEach([&](const JsonNode& each) { sides.push_back(each.count(most)); });
  if (sides.size() != 2) value->expected("a number, or a list of two");
  return {sides[0], sides[1]};
}

/// Processors by bit: a number, or a text in hexadecimal with dots or underscores.
std::uint64_t ai8xProcessors(const JsonNode& node) {
  std::uint64_t bits = 0;
  if (node.value.is_number_unsigned()) {
    bits = node.value.get<std::uint64_t>();
  } else if (node.value.is_string()) {
    std::string digits = node.text();
    std::erase_if(digits, [](char each) { return each == '.' || each == '_'; });
    if (digits.starts_with("0x")) digits.erase(0, 2);
    const char* end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, bits, 16);
    if (read.ec != std::errc() || read.ptr != end) bits = 0;
  }
  if (bits == 0) node.expected("processors, one or more of 64, such as 0xffff");
  return bits;
}

enum class Ai8xOp : std::uint8_t { none, conv1d, conv2d, transposed, linear };

struct Ai8xLayer {
  const JsonNode* node = nullptr;
  Ai8xOp op{};
  std::int64_t sequence = 0;
  std::string name{};  ///< As others call it; empty: by its sequence alone.
  std::uint64_t processors = 0;
  std::vector<std::size_t> reads{};
  bool elementwise = false;
};

Ai8xOp ai8xOp(const JsonNode& node, bool& elementwise) {
  static constexpr std::pair<std::string_view, Ai8xOp> kNames[] = {
      {"conv1d", Ai8xOp::conv1d},
      {"conv2d", Ai8xOp::conv2d},
      {"convtranspose2d", Ai8xOp::transposed},
      {"linear", Ai8xOp::linear},
      {"fc", Ai8xOp::linear},
      {"mlp", Ai8xOp::linear},
      {"none", Ai8xOp::none},
      {"passthrough", Ai8xOp::none}};
  static constexpr std::string_view kElementwise[] = {
      "add", "sub", "or", "bitwiseor", "bitwise_or", "xor", "bitwisexor", "bitwise_xor"};
  elementwise = node.find("eltwise").has_value();
  for (const char* key : {"operation", "op", "operator", "convolution"}) {
    const auto value = node.find(key);
    if (!value) continue;
    const std::string text = ai8xLowered(value->text(), false);
    for (const auto& [name, op] : kNames) {
      if (name == text) return op;
    }
    if (std::ranges::find(kElementwise, text) == std::end(kElementwise)) {
      value->expected("an operation, such as conv2d, passthrough or add");
    }
    elementwise = true;
    return Ai8xOp::none;
  }
  return Ai8xOp::conv2d;
}

Ai8xSides ai8xKernel(const JsonNode& node, Ai8xOp op) {
  if (op == Ai8xOp::none || op == Ai8xOp::linear) return {1, 1};
  const auto value = node.find("kernel_size");
  if (!value) return op == Ai8xOp::conv1d ? Ai8xSides{9, 1} : Ai8xSides{3, 3};
  if (!value->value.is_string()) return {value->count(kMostAi8xWindow), 1};
  const auto ends = splitText(value->text(), 'x');
  const auto rows = parseInteger(ends[0]);
  const auto columns = ends.size() == 2 ? parseInteger(ends[1]) : std::optional<std::int64_t>(1);
  const auto sane = [](const auto& side) { return side && *side >= 1 && *side <= kMostAi8xWindow; };
  if (ends.size() > 2 || !sane(rows) || !sane(columns)) value->expected("a kernel, such as 3x3");
  return {*rows, *columns};
}

/// One side behind pooling and the operation of a layer; nothing is left of it: 0 or less.
struct Ai8xSideRule {
  std::int64_t pool = 1, poolStride = 1, poolDilation = 1;
  std::int64_t kernel = 1, stride = 1, dilation = 1, pad = 0, outputPad = 0;
  bool transposed = false;

  std::int64_t behind(std::int64_t side) const {
    const std::int64_t reach = side + poolStride - pool - poolDilation + 1;
    const std::int64_t pooled = reach < 0 ? 0 : reach / poolStride;
    const std::int64_t window = dilation * (kernel - 1);
    if (transposed) return (pooled - 1) * stride - 2 * pad + window + outputPad + 1;
    const std::int64_t free = pooled - window - 1 + 2 * pad;
    return free < 0 ? 0 : free / stride + 1;
  }
};

class Ai8xReader {
 public:
  Ai8xReader(const ParsedJson& document, const ImportOptions& options)
      : root_{document}, options_(options) {}

  Ai8xNetwork read() {
    network_.arch = root_.object().text("arch");
    readNodes();
    if (nodes_.empty()) refuse("there are no layers; expected one or more", "layers");
    network_.maps.emplace_back();
    readBuffers();
    for (const JsonNode& node : nodes_) readLayer(node);
    std::ranges::stable_sort(layers_, {}, &Ai8xLayer::sequence);
    nameLayers();
    readInput(layers_.front());
    for (std::size_t at = 0; at < layers_.size(); ++at) addStep(at);
    noteAssumptions();
    setMemory();
    return std::move(network_);
  }

 private:
  std::optional<std::int64_t> given(const std::string& name, std::int64_t most) const {
    const auto found = options_.dimensions.find(name);
    if (found == options_.dimensions.end()) return std::nullopt;
    if (found->second < 1 || found->second > most) {
      refuse(fmt::format("--dim {}={}: expected a number from 1 to {}", printable(name, 40),
                         found->second, most));
    }
    return found->second;
  }

  void readNodes() {
    root_.forEach("layers", [&](const JsonNode& node) {
      if (nodes_.size() == kMostAi8xLayers) {
        refuse(fmt::format("there are more than {} layers", kMostAi8xLayers), node.where,
               ErrorCode::unsupported);
      }
      nodes_.push_back(node);
    });
  }

  std::string freeName(std::string name) {
    while (!names_.insert(name).second) name += "'";
    return name;
  }

  void readBuffers() {
    root_.forEach("data_buffer", [&](const JsonNode& node) {
      Ai8xMap map{.name = freeName(node.object().text("name")), .where = node.where};
      const auto processors = node.find("processors");
      if (!processors) node.refuse("the field 'processors' is missing");
      map.processors = ai8xProcessors(*processors);
      map.channels = node.count("channels", kMostAi8xChannels).value_or(0);
      map.offset = Bytes(node.count("offset", kMostAi8xOffset).value_or(0));
      const Ai8xSides sides = dimOf(node, "dim").value_or(Ai8xSides{0, 0});
      map.rows = sides.rows;
      map.columns = sides.columns;
      map.always = true;
      check(map);
      mapOf_[ai8xLowered(map.name, false)] = network_.maps.size();
      if (network_.maps.size() > kMostAi8xLayers) node.refuse("there are too many buffers");
      network_.maps.push_back(std::move(map));
    });
  }

  /// [rows, columns], or the length of what has one side.
  static std::optional<Ai8xSides> dimOf(const JsonNode& node, const char* key) {
    const auto value = node.find(key);
    if (!value) return std::nullopt;
    if (value->value.is_array() && value->value.size() == 1) return Ai8xSides{onlyOf(*value), 1};
    if (!value->value.is_array()) return Ai8xSides{value->count(kMostAi8xSide), 1};
    return ai8xSides(node, key, 1, kMostAi8xSide);
  }

  static std::int64_t onlyOf(const JsonNode& list) {
    std::int64_t count = 0;
    list.forEach([&](const JsonNode& each) { count = each.count(kMostAi8xSide); });
    return count;
  }

  void readLayer(const JsonNode& node) {
    Ai8xLayer layer{.node = &node.object()};
    layer.op = ai8xOp(node, layer.elementwise);
    const std::int64_t next = layers_.empty() ? 0 : layers_.back().sequence + 1;
    layer.sequence = node.count("sequence", kMostAi8xSide).value_or(next);
    layer.name = node.text("name");
    const auto processors = node.find("processors");
    if (!processors) node.refuse("the field 'processors' is missing");
    layer.processors = ai8xProcessors(*processors);
    layers_.push_back(std::move(layer));
  }

  /// A map for each layer, which others call by its name or its number.
  void nameLayers() {
    firstMap_ = network_.maps.size();
    for (std::size_t at = 0; at < layers_.size(); ++at) {
      const Ai8xLayer& layer = layers_[at];
      const bool twice = !bySequence_.emplace(layer.sequence, firstMap_ + at).second;
      const std::string low = ai8xLowered(layer.name, false);
      const bool again = !low.empty() && !mapOf_.emplace(low, firstMap_ + at).second;
      if (twice || again) {
        refuse(fmt::format("layer {} is there twice",
                           twice ? std::to_string(layer.sequence) : "'" + printable(low, 40) + "'"),
               layer.node->where);
      }
      const std::string name =
          layer.name.empty() ? fmt::format("layer {}", layer.sequence) : layer.name;
      network_.maps.push_back({.name = freeName(name), .where = layer.node->where});
    }
  }

  /// Ai8xSides and channels come from options, from the first layer, or from sample data.
  void readInput(const Ai8xLayer& first) {
    Ai8xMap& map = network_.maps[kAi8xInput];
    map.name = freeName("input");
    map.where = first.node->where;
    map.processors = first.processors;
    map.offset = Bytes(first.node->count("in_offset", kMostAi8xOffset).value_or(0));
    const std::string format = ai8xLowered(first.node->text("data_format"), false);
    map.planar = format == "chw" || format == "big";
    const std::string dataset = root_.text("dataset");
    const auto known =
        std::ranges::find(kAi8xKnownInputs, ai8xLowered(dataset, true), &Ai8xKnownInput::dataset);
    const bool isKnown = known != kAi8xKnownInputs.end();
    const auto rows = given("height", kMostAi8xSide);
    const auto sides = dimOf(*first.node, "in_dim");
    if (!rows && !sides && !isKnown) {
      refuse(
          fmt::format("the file does not say how large the input is (data set '{}'); expected "
                      "--dim height=ROWS --dim width=COLUMNS, of sound --dim height=LENGTH",
                      printable(dataset, 40)));
    }
    map.rows = rows ? *rows : sides ? sides->rows : known->rows;
    map.columns = rows    ? given("width", kMostAi8xSide).value_or(1)
                  : sides ? sides->columns
                          : known->columns;
    map.channels = std::popcount(map.processors);
    if (isKnown && !rows) map.channels = known->channels;
    map.channels = first.node->count("in_channels", kMostAi8xChannels).value_or(map.channels);
    map.channels = given("channels", kMostAi8xChannels).value_or(map.channels);
    check(map);
    network_.notes.push_back(fmt::format(
        "the input has {} channels of {} x {}{}", map.channels, map.rows, map.columns,
        rows || sides ? ""
                      : fmt::format(", as samples of data set '{}' have; --dim height=, width= "
                                    "and channels= say otherwise",
                                    printable(dataset, 40))));
  }

  void check(const Ai8xMap& map) const {
    if (map.rows >= 1 && map.columns >= 1 && map.rows <= kMostAi8xSide &&
        map.columns <= kMostAi8xSide && map.channels >= 1) {
      return;
    }
    refuse(fmt::format("'{}' has {} channels of {} x {}; expected 1 or more, and sides of 1 to {}",
                       printable(map.name, 40), map.channels, map.rows, map.columns, kMostAi8xSide),
           map.where);
  }

  /// A map that a layer names: by name, by number, or -1 for the input.
  std::size_t mapNamed(const JsonNode& node, std::size_t before) const {
    std::optional<std::size_t> map;
    if (node.value.is_string()) {
      const auto found = mapOf_.find(ai8xLowered(node.text(), false));
      if (found != mapOf_.end()) map = found->second;
      if (ai8xLowered(node.text(), false) == "input") map = kAi8xInput;
    } else if (node.value == -1) {
      map = kAi8xInput;
    } else {
      const auto found = bySequence_.find(node.count(kMostAi8xSide));
      if (found != bySequence_.end()) map = found->second;
    }
    if (!map || *map >= before) node.expected("a layer before this one, or input");
    return *map;
  }

  void findReads(std::size_t at) {
    Ai8xLayer& layer = layers_[at];
    const auto inputs = layer.node->find("in_sequences");
    if (!inputs) {
      layer.reads = {at == 0 ? kAi8xInput : network_.steps[at - 1].writes};
    } else if (inputs->value.is_array()) {
      inputs->forEach(
          [&](const JsonNode& each) { layer.reads.push_back(mapNamed(each, firstMap_ + at)); });
    } else {
      layer.reads = {mapNamed(*inputs, firstMap_ + at)};
    }
    if (layer.reads.empty()) inputs->expected("one layer or more");
  }

  Ai8xSides behind(const Ai8xLayer& layer, Ai8xSides in) const {
    const JsonNode& node = *layer.node;
    const bool oneSide =
        layer.op == Ai8xOp::conv1d || (layer.op == Ai8xOp::none && in.columns == 1);
    const bool pools = node.find("max_pool") || node.find("avg_pool");
    const bool convolves = layer.op != Ai8xOp::none && layer.op != Ai8xOp::linear;
    const char* key = node.find("max_pool") ? "max_pool" : "avg_pool";
    const Ai8xSides pool = ai8xSides(node, key, 1, kMostAi8xWindow);
    const Ai8xSides step = ai8xSides(node, "pool_stride", 1, kMostAi8xWindow);
    const Ai8xSides reach = ai8xSides(node, "pool_dilation", 1, kMostAi8xWindow);
    const Ai8xSides kernel = ai8xKernel(node, layer.op);
    const Ai8xSides stride = ai8xSides(node, "stride", 1, kMostAi8xWindow);
    const Ai8xSides dilation = ai8xSides(node, "dilation", 1, kMostAi8xWindow);
    Ai8xSideRule rows, columns;
    rows.transposed = columns.transposed = layer.op == Ai8xOp::transposed;
    const std::int64_t pad = node.count("pad", kMostAi8xWindow).value_or(1);
    for (auto [rule, side] :
         {std::pair(&rows, &Ai8xSides::rows), std::pair(&columns, &Ai8xSides::columns)}) {
      if (pools) rule->pool = pool.*side;
      if (pools) rule->poolStride = std::max<std::int64_t>(step.*side, 1);
      if (pools) rule->poolDilation = reach.*side;
      rule->kernel = kernel.*side;
      rule->stride = rule->transposed ? 2 : std::max<std::int64_t>(stride.*side, 1);
      rule->dilation = dilation.*side;
      rule->pad = convolves ? pad : 0;
      rule->outputPad = node.count("output_pad", kMostAi8xWindow).value_or(1);
    }
    const Ai8xSides out = {rows.behind(in.rows), oneSide ? 1 : columns.behind(in.columns)};
    const bool flat = node.find("flatten") && node.find("flatten")->flag();
    return flat && out.rows > 0 && out.columns > 0 ? Ai8xSides{1, 1} : out;
  }

  /// The weights say how many channels a convolution makes: taken are as many as there are
  /// processors to read them.
  std::int64_t channelsOf(const Ai8xLayer& layer, const Ai8xMap& map) {
    const JsonNode& node = *layer.node;
    if (const auto told = given(map.name + ".channels", kMostAi8xChannels)) return *told;
    if (const auto told = node.count("out_channels", kMostAi8xChannels)) return *told;
    std::int64_t read = 0;
    for (const std::size_t each : layer.reads) {
      read = layer.elementwise ? network_.maps[each].channels : read + network_.maps[each].channels;
    }
    read = node.count("in_channels", kMostAi8xChannels).value_or(read);
    const auto groups = std::max(node.count("groups", kMostAi8xChannels).value_or(1),
                                 node.count("conv_groups", kMostAi8xChannels).value_or(1));
    if (layer.op == Ai8xOp::none || groups > 1) return std::min(read, kMostAi8xChannels);
    ++guessed_;
    return std::popcount(map.processors);
  }

  std::uint64_t readersOf(std::size_t at) {
    if (const auto own = layers_[at].node->find("output_processors")) return ai8xProcessors(*own);
    if (at + 1 < layers_.size()) return layers_[at + 1].processors;
    if (const auto map = root_.find("output_map")) return ai8xProcessors(*map);
    const auto channels =
        given(network_.maps[firstMap_ + at].name + ".channels", kMostAi8xChannels);
    lastGuessed_ = !channels;
    const std::int64_t count = std::min<std::int64_t>(channels.value_or(4), 64);
    return count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
  }

  void addStep(std::size_t at) {
    findReads(at);
    const Ai8xLayer& layer = layers_[at];
    const JsonNode& node = *layer.node;
    const auto streams = node.find("streaming");
    Ai8xStep step{
        .reads = layer.reads, .writes = firstMap_ + at, .streaming = streams && streams->flag()};
    for (const std::size_t each : layer.reads) network_.maps[each].streamed |= step.streaming;
    noteReads(layer);
    Ai8xMap& map = network_.maps[firstMap_ + at];
    const Ai8xMap& read = network_.maps[layer.reads.front()];
    const Ai8xSides in = dimOf(node, "in_dim").value_or(Ai8xSides{read.rows, read.columns});
    const Ai8xSides out = behind(layer, in);
    map.rows = out.rows;
    map.columns = out.columns;
    map.processors = readersOf(at);
    map.channels = channelsOf(layer, map);
    map.widths = node.count("output_width", 32).value_or(8) == 32 ? 4 : 1;
    map.gap = node.count("write_gap", kMostAi8xGap).value_or(0);
    map.offset = Bytes(node.count("out_offset", kMostAi8xOffset).value_or(0));
    map.output = node.find("output") && node.find("output")->flag();
    check(map);
    const bool inserts = node.find("buffer_insert") || node.find("buffer_shift");
    if (inserts && firstMap_ > kAi8xInput + 1) step.writes = kAi8xInput + 1;
    const auto next = node.find("next_sequence");
    jumps_ =
        jumps_ || (next && at + 1 < layers_.size() && next->value != layers_[at + 1].sequence &&
                   next->value != layers_[at + 1].name);
    network_.steps.push_back(std::move(step));
  }

  /// A layer that looks where none of what it reads lies.
  void noteReads(const Ai8xLayer& layer) {
    const auto offset = layer.node->count("in_offset", kMostAi8xOffset);
    if (!offset) return;
    const auto holds = [&](std::size_t each) {
      const Ai8xMap& map = network_.maps[each];
      return map.streamed ||
             (map.offset <= Bytes(*offset) && Bytes(*offset) < map.offset + map.size());
    };
    if (std::ranges::any_of(layer.reads, holds)) return;
    const Ai8xMap& first = network_.maps[layer.reads.front()];
    if (++astray_ > 1) return;
    firstAstray_ = fmt::format("{} reads at {}, and '{}' lies at {}", layer.node->where, *offset,
                               printable(first.name, 40), first.offset.count());
  }

  void noteAssumptions() {
    auto& notes = network_.notes;
    if (guessed_ > 0) {
      notes.push_back(fmt::format(
          "the weights say how many channels {} of {} layers make: taken are as many as processors "
          "read them; --dim LAYER.channels=COUNT says otherwise",
          guessed_, layers_.size()));
    }
    if (lastGuessed_) {
      notes.emplace_back("the last layer writes to memory 0 alone, as far as this file says");
    }
    if (astray_ > 0) {
      notes.push_back(fmt::format("in_offset is not where the input lies, of {} of {} layers: {}",
                                  astray_, layers_.size(), firstAstray_));
    }
    if (jumps_) notes.emplace_back("layers run in the order of the file, whatever comes next");
    const auto streamed = std::ranges::count_if(network_.maps, &Ai8xMap::streamed);
    if (streamed == 0) return;
    notes.push_back(fmt::format(
        "{} maps are read as a stream, some rows at a time, and have no place here", streamed));
  }

  /// The larger chip's where the name of the network or an offset says so.
  void setMemory() {
    constexpr std::int64_t kSmall = 32'768;
    constexpr std::int64_t kLarge = 81'920;
    bool large = ai8xLowered(network_.arch, false).starts_with("ai87");
    for (const Ai8xMap& map : network_.maps) large = large || map.offset >= Bytes(kSmall);
    const auto told = given("memory", kMostAi8xOffset);
    network_.memory = Bytes(told.value_or(large ? kLarge : kSmall));
    if (told) return;
    network_.notes.push_back(fmt::format(
        "memories have {} bytes each, as those of {}; --dim memory=BYTES says otherwise",
        groupDigits(network_.memory.count()), large ? "MAX78002" : "MAX78000"));
  }

  JsonNode root_;
  const ImportOptions& options_;
  Ai8xNetwork network_;
  std::vector<JsonNode> nodes_;
  std::vector<Ai8xLayer> layers_;
  std::unordered_map<std::string, std::size_t> mapOf_;  ///< By name, in lower case.
  std::map<std::int64_t, std::size_t> bySequence_;
  std::unordered_set<std::string> names_;
  std::size_t firstMap_ = 0;  ///< Of layers.
  std::size_t guessed_ = 0;
  std::size_t astray_ = 0;
  std::string firstAstray_;
  bool lastGuessed_ = false;
  bool jumps_ = false;
};

}  // namespace

std::uint32_t Ai8xMap::memories() const {
  constexpr int kShared = 4;
  std::uint32_t memories = 0;
  for (int processor = 0; processor < 64; ++processor) {
    if ((processors >> processor & 1U) != 0) memories |= 1U << (processor / kShared);
  }
  return memories;
}

Bytes Ai8xMap::pitch() const {
  const std::int64_t count = std::popcount(processors);
  const std::int64_t passes = (channels + count - 1) / count;
  return Bytes(4 * passes * widths * (1 + gap));
}

Bytes Ai8xMap::size() const {
  const std::int64_t pixels = rows * columns;
  const std::int64_t count = std::popcount(processors);
  const std::int64_t passes = (channels + count - 1) / count;
  if (planar) return Bytes((pixels * passes + 3) / 4 * 4);
  return pitch() * (pixels - 1) + Bytes(4 * passes * widths);
}

Ai8xNetwork readAi8xNetwork(const ParsedJson& document, const ImportOptions& options) {
  return Ai8xReader(document, options).read();
}

}  // namespace hw
