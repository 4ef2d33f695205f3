#include "core/machine/platforms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "core/base/quantity.h"
#include "core/base/text.h"
#include "core/base/toml.h"
#include "core/files/file.h"
#include "core/machine/cost/cost_models.h"
#include "core/machine/foreign/machine_formats.h"
#include "core/machine/tuning.h"

namespace hw {
namespace {

/// A unit of time or frequency, worth `scale` of the base unit.
struct Scale {
  std::string_view unit;
  double scale;
};
constexpr std::array kTimes = {Scale{"ps", 1}, Scale{"ns", 1e3}, Scale{"us", 1e6},
                               Scale{"\u00b5s", 1e6}, Scale{"ms", 1e9}};
constexpr std::array kFrequencies = {Scale{"Hz", 1}, Scale{"kHz", 1e3}, Scale{"MHz", 1e6},
                                     Scale{"GHz", 1e9}};

/// "1.5us" in the base unit; nothing when it is not a number and one of the units.
std::optional<double> scaled(std::string_view text, std::span<const Scale> scales) {
  const std::string_view whole = trimText(text);
  const std::size_t digits = std::min(whole.find_first_not_of("0123456789."), whole.size());
  const std::string_view unit = trimText(whole.substr(digits));
  const auto scale = std::ranges::find(scales, unit, &Scale::unit);
  const auto number = parseNumber(whole.substr(0, digits));
  if (!number || scale == scales.end()) return std::nullopt;
  return *number * scale->scale;
}

/// One table of a platform's file: takes its values by key, and knows which keys there may be.
/// Everything it refuses is said with the table, the key and the place.
class TableReader {
 public:
  /// `what` names the table in messages: "device.pool 'L2'".
  TableReader(const toml::table& table, std::string what) : table_(table), what_(std::move(what)) {}

  /// The table's name, which it has from then on in messages too.
  std::string name(std::string_view key = "name") {
    std::string text = string(key);
    if (text.empty()) missing(key);
    what_ += " '" + printable(text) + "'";
    return text;
  }

  /// Empty when not said.
  std::string string(std::string_view key) {
    const toml::node* node = find(key);
    return node == nullptr ? std::string() : stringOf(*node, key);
  }

  std::optional<Bytes> size(std::string_view key) {
    const toml::node* node = find(key);
    if (node == nullptr) return std::nullopt;
    const std::string text =
        node->is_integer() ? std::to_string(**node->as_integer()) : stringOf(*node, key);
    const Result<Bytes> bytes = parseSize(text);
    if (!bytes) {
      refuse(fmt::format("{}: {}: {}", what_, key, bytes.error().message), node->source());
    }
    return *bytes;
  }

  /// Bytes per second, `fallback` when not said.
  std::int64_t bandwidth(std::string_view key, std::int64_t fallback = 0) {
    const toml::node* node = find(key);
    if (node == nullptr) return fallback;
    const std::string text = stringOf(*node, key);
    const bool perSecond = text.ends_with("/s");
    const Result<Bytes> bytes = parseSize(text.substr(0, text.size() - (perSecond ? 2 : 0)));
    if (!perSecond || !bytes || *bytes == Bytes()) expected(*node, key, "a rate such as \"4GB/s\"");
    return bytes->count();
  }

  SimTime time(std::string_view key, SimTime fallback) {
    const toml::node* node = find(key);
    if (node == nullptr) return fallback;
    const auto value = scaled(stringOf(*node, key), kTimes);
    if (!value || *value > 1e12) expected(*node, key, "a time up to 1000ms such as \"64ns\"");
    return SimTime(std::llround(*value));
  }

  /// Hz; has to be said.
  std::int64_t frequency(std::string_view key) {
    const toml::node* node = find(key);
    if (node == nullptr) missing(key);
    const auto value = scaled(stringOf(*node, key), kFrequencies);
    if (!value || *value < 1 || *value > 1e12) {
      expected(*node, key, "a clock from 1Hz to 1000GHz such as \"500MHz\"");
    }
    return std::llround(*value);
  }

  double number(std::string_view key, double fallback, double least) {
    const toml::node* node = find(key);
    if (node == nullptr) return fallback;
    const auto value = node->is_number() ? node->value<double>() : std::nullopt;
    if (!value || !std::isfinite(*value) || *value < least || *value > 1e15) {
      expected(*node, key, fmt::format("a number from {} to 1e15", least));
    }
    return *value;
  }

  /// From 1 to 65536; 1 when not said.
  std::uint32_t count(std::string_view key) {
    const toml::node* node = find(key);
    return node == nullptr ? 1 : wholeNumber(*node, key);
  }

  /// Which of `words` it is; `fallback` when not said.
  std::size_t word(std::string_view key, std::span<const std::string_view> words,
                   std::size_t fallback) {
    const toml::node* node = find(key);
    if (node == nullptr) return fallback;
    const std::string text = stringOf(*node, key);
    const auto found = std::ranges::find(words, text);
    if (found == words.end()) {
      const auto closest = closestWord(text, {words.begin(), words.end()});
      expected(*node, key,
               fmt::format("one of \"{}\"{}", fmt::join(words, "\", \""),
                           closest ? fmt::format(", did you mean \"{}\"?", *closest) : ""));
    }
    return static_cast<std::size_t>(found - words.begin());
  }

  /// A table of some loops, `{ K = 32, C = 32 }`: a number for each, 1 where it is not named.
  Loops loops(std::string_view key) {
    Loops loops;
    const toml::node* node = find(key);
    if (node == nullptr) return loops;
    const toml::table* table = node->as_table();
    if (table == nullptr || table->empty()) {
      expected(*node, key, "a table of loops such as { K = 32, C = 32 }");
    }
    for (const auto& [name, value] : *table) {
      const auto loop = std::ranges::find(kLoopNames, name.str());
      if (loop == kLoopNames.end()) {
        expected(value, key,
                 fmt::format("loops of {}, found '{}'", fmt::join(kLoopNames, ", "),
                             printable(name.str(), 40)));
      }
      loops.sizes[static_cast<std::size_t>(loop - kLoopNames.begin())] =
          wholeNumber(value, fmt::format("{}.{}", key, name.str()));
    }
    return loops;
  }

  /// Laws by class, `{ pooling = { call = 300, element = 2 } }`; none where a class is not named.
  CostTable laws(std::string_view key) {
    CostTable laws;
    const toml::node* node = find(key);
    if (node == nullptr) return laws;
    if (node->as_table() == nullptr || node->as_table()->empty()) {
      expected(*node, key, "a table of classes such as { product = { call = 1200, mac = 0.5 } }");
    }
    TableReader classes(*node->as_table(), fmt::format("{}: {}", what_, key));
    for (std::size_t i = 0; i < laws.size(); ++i) {
      laws[i] = classes.law(kCostClassNames[i], countedKey(static_cast<CostClass>(i)));
    }
    classes.finish();
    return laws;
  }

  /// A list of texts, which has to be there; `example` shows one.
  std::vector<std::string> strings(std::string_view key, std::string_view example) {
    const toml::node* node = find(key);
    if (node == nullptr) missing(key);
    const toml::array* array = node->as_array();
    if (array == nullptr) expected(*node, key, example);
    std::vector<std::string> texts;
    for (const toml::node& element : *array) texts.push_back(stringOf(element, key));
    return texts;
  }

  /// The tables of `[[key]]`; at least one.
  std::vector<const toml::table*> tables(std::string_view key) {
    require(key);
    return anyTables(key);
  }

  /// The same, none when nothing is said.
  std::vector<const toml::table*> anyTables(std::string_view key) {
    const toml::node* node = find(key);
    if (node == nullptr) return {};
    const toml::array* array = node->as_array();
    constexpr std::string_view kTables = "tables, each under its own [[...]] heading";
    if (array == nullptr || array->empty()) expected(*node, key, kTables);
    std::vector<const toml::table*> found;
    for (const toml::node& element : *array) {
      const toml::table* table = element.as_table();
      if (table == nullptr) expected(element, key, kTables);
      found.push_back(table);
    }
    return found;
  }

  bool has(std::string_view key) { return find(key) != nullptr; }
  void require(std::string_view key) {
    if (!has(key)) missing(key);
  }

  /// Refuses every key that nobody asked for.
  void finish() const {
    for (const auto& [key, value] : table_) {
      const std::string word(key.str());
      if (std::ranges::find(known_, word) != known_.end()) continue;
      const auto closest = closestWord(word, known_);
      refuse(fmt::format("{}: unknown key '{}'{}", what_, printable(word),
                         closest ? fmt::format(", did you mean '{}'?", *closest) : ""),
             key.source());
    }
  }

  [[noreturn]] void reject(const std::string& message) const {
    refuse(what_ + ": " + message, table_.source());
  }

 private:
  std::optional<CostLaw> law(std::string_view key, std::string_view each) {
    const toml::node* node = find(key);
    if (node == nullptr) return std::nullopt;
    if (node->as_table() == nullptr || node->as_table()->empty()) {
      expected(*node, key, fmt::format("a table such as {{ call = 1200, {} = 0.5 }}", each));
    }
    TableReader law(*node->as_table(), fmt::format("{}: {}", what_, key));
    const CostLaw read{law.number("call", 0, 0), law.number(each, 0, 0)};
    law.finish();
    return read;
  }

  std::uint32_t wholeNumber(const toml::node& node, std::string_view key) const {
    const auto value = node.is_integer() ? node.value<std::int64_t>() : std::nullopt;
    if (!value || *value < 1 || *value > 65536) {
      expected(node, key, "a whole number from 1 to 65536");
    }
    return static_cast<std::uint32_t>(*value);
  }

  const toml::node* find(std::string_view key) {
    known_.emplace_back(key);
    return table_.get(key);
  }

  [[noreturn]] void missing(std::string_view key) const {
    refuse(fmt::format("{}: '{}' is missing", what_, key), table_.source());
  }

  [[noreturn]] void expected(const toml::node& node, std::string_view key,
                             std::string_view expectation) const {
    refuse(fmt::format("{}: {}: expected {}", what_, key, expectation), node.source());
  }

  std::string stringOf(const toml::node& node, std::string_view key) const {
    const auto* text = node.as_string();
    if (text == nullptr) expected(node, key, "text in quotes");
    return text->get();
  }

  const toml::table& table_;
  std::string what_;
  std::vector<std::string> known_;
};

constexpr std::string_view kMacsKey = "macs_per_cycle";
constexpr std::string_view kOpTypes = "a list of op types such as [\"Conv\"]";

/// The abilities of a memory, wherever it is declared; `reader` has its name already.
PoolSpec readMemory(TableReader& reader, std::string name, bool shared) {
  constexpr std::array<std::string_view, 2> kDuplex = {"half", "full"};
  PoolSpec pool;
  pool.name = std::move(name);
  pool.shared = shared;
  pool.capacity = reader.size("capacity");
  pool.reserved = reader.size("reserved").value_or(Bytes());
  pool.alignment = reader.size("alignment").value_or(Bytes(1));
  const std::int64_t bandwidth = reader.bandwidth("bandwidth");
  pool.readBandwidth = reader.bandwidth("read", bandwidth);
  pool.writeBandwidth = reader.bandwidth("write", bandwidth);
  pool.fullDuplex = reader.word("duplex", kDuplex, 0) == 1;
  const SimTime latency = reader.time("latency", SimTime());
  pool.readLatency = reader.time("read_latency", latency);
  pool.writeLatency = reader.time("write_latency", latency);
  pool.burst = reader.size("burst").value_or(Bytes(1));
  pool.picojoulesPerByte = reader.number("pj_per_byte", 0, 0);
  reader.finish();
  if (!isAlignment(pool.alignment)) {
    reader.reject(
        fmt::format("alignment {} is not a power of two up to 1 GiB", pool.alignment.count()));
  }
  if (pool.burst < Bytes(1) || pool.burst > Bytes(1 << 30)) {
    reader.reject("burst has to be from 1 byte to 1 GiB");
  }
  if (pool.capacity && pool.reserved > *pool.capacity) {
    reader.reject(fmt::format("{} bytes are reserved, more than the capacity of {}",
                              pool.reserved.count(), pool.capacity->count()));
  }
  return pool;
}

/// A pool of the device's own, or one of the platform's `memories`. `devices`: all of their names.
PoolSpec readPool(const toml::table& table, const std::vector<PoolSpec>& memories,
                  const std::vector<std::string>& devices) {
  TableReader reader(table, "device.pool");
  if (!reader.has("use")) return readMemory(reader, reader.name(), false);
  const std::string name = reader.name("use");
  reader.finish();
  const auto memory = std::ranges::find(memories, name, &PoolSpec::name);
  if (memory != memories.end()) return *memory;
  if (std::ranges::find(devices, name) != devices.end()) {
    reader.reject(
        "that is a device, and devices use memories, not each other, so that none can wait for "
        "itself; what several of them use is a [[memory]]");
  }
  std::vector<std::string> names;
  names.reserve(memories.size());
  for (const PoolSpec& known : memories) names.push_back(known.name);
  const auto closest = closestWord(name, names);
  reader.reject(fmt::format("the platform has no [[memory]] of that name{}",
                            closest ? fmt::format(", did you mean '{}'?", *closest) : ""));
}

KernelWays readKernels(TableReader& reader) {
  constexpr const char* kKey = "kernels";
  KernelWays ways;
  if (!reader.has(kKey)) return ways;
  for (const std::string& text : reader.strings(kKey, R"(["forward", "reverse"])")) {
    if (text != kKernelWays[0] && text != kKernelWays[1]) {
      reader.reject(fmt::format("kernels run 'forward' or 'reverse', not '{}'", printable(text)));
    }
    (text == kKernelWays[0] ? ways.forward : ways.reverse) = true;
  }
  return ways;
}

/// The parameters of the unit's cost model; where that is an array, it says how many
/// multiply-accumulates there are.
void readCost(TableReader& reader, UnitSpec& unit) {
  std::vector<std::string_view> names;
  for (const CostModel& model : costModels()) names.push_back(model.name);
  unit.cost.model = reader.word("cycles", names, 0);
  const CostModel& model = costModel(unit);
  for (const CostParam& param : model.params) {
    if (param.required) reader.require(param.key);
    const auto read = [&]<class Value>(Value CostSpec::*member) {
      if constexpr (std::is_same_v<Value, std::int64_t>) {
        unit.cost.*member = reader.count(param.key);
      } else if constexpr (std::is_same_v<Value, double>) {
        unit.cost.*member = reader.number(param.key, unit.cost.*member, 1e-6);
      } else if constexpr (std::is_same_v<Value, Dataflow>) {
        unit.cost.*member = static_cast<Dataflow>(reader.word(param.key, kDataflowNames, 0));
      } else if constexpr (std::is_same_v<Value, Loops>) {
        unit.cost.*member = reader.loops(param.key);
      } else {
        unit.cost.*member = reader.laws(param.key);
      }
    };
    std::visit(read, param.member);
  }
  if (const std::string problem = macsProblem(unit); !problem.empty()) {
    reader.reject(fmt::format("{}: {}", kMacsKey, problem));
  }
  if (model.peak == nullptr) return;
  if (reader.has(kMacsKey)) {
    reader.reject(fmt::format("{} is the size of the array with cycles = \"{}\", leave it out",
                              kMacsKey, model.name));
  }
  unit.macsPerCycle = model.peak(unit.cost);
  if (unit.macsPerCycle > 1e15) reader.reject("an array of more than 1e15 places");
}

UnitSpec readUnit(const toml::table& table) {
  TableReader reader(table, "device.unit");
  UnitSpec unit;
  unit.name = reader.name();
  unit.ops = reader.strings("ops", kOpTypes);
  unit.clock = reader.frequency("clock");
  unit.macsPerCycle = reader.number(kMacsKey, 1, 1e-6);
  unit.elementsPerCycle = reader.number("elements_per_cycle", 1, 1e-6);
  unit.elements = static_cast<ElementCount>(reader.word("elements", kElementCountNames, 0));
  readCost(reader, unit);
  unit.count = reader.count("count");
  unit.kernels = readKernels(reader);
  reader.finish();
  return unit;
}

/// Refuses a second part of the same name.
template <class... Parts>
void checkNames(const TableReader& reader, const Parts&... parts) {
  std::set<std::string> names;
  const auto check = [&](const auto& list) {
    for (const auto& part : list) {
      if (!names.insert(part.name).second) {
        reader.reject(fmt::format("'{}' is there twice", printable(part.name)));
      }
    }
  };
  (check(parts), ...);
}

/// Everything but its DMA engines, which may speak of devices further down.
DeviceSpec readDevice(const toml::table& table, const std::vector<PoolSpec>& memories,
                      const std::vector<std::string>& devices) {
  TableReader reader(table, "device");
  DeviceSpec device;
  device.name = reader.name();
  device.ops = reader.strings("ops", kOpTypes);
  for (const toml::table* pool : reader.tables("pool")) {
    device.pools.push_back(readPool(*pool, memories, devices));
  }
  for (const toml::table* unit : reader.tables("unit")) device.units.push_back(readUnit(*unit));
  const Issue usual = reader.has("dma") ? Issue::parallel : Issue::sequential;
  device.issue =
      static_cast<Issue>(reader.word("issue", kIssueNames, static_cast<std::size_t>(usual)));
  reader.finish();
  checkNames(reader, device.pools);
  return device;
}

/// The pool that `text` names: one of the device itself, or "device.pool".
std::optional<DmaSpec::Place> findPlace(const Platform& platform, std::uint32_t own,
                                        std::string_view text) {
  const auto in = [&](std::size_t device, std::string_view name) -> std::optional<DmaSpec::Place> {
    const auto& pools = platform.devices[device].pools;
    const auto pool = std::ranges::find(pools, name, &PoolSpec::name);
    if (pool == pools.end()) return std::nullopt;
    return DmaSpec::Place{static_cast<std::uint32_t>(device),
                          static_cast<std::uint32_t>(pool - pools.begin())};
  };
  if (const auto place = in(own, text)) return place;
  for (std::size_t device = 0; device < platform.devices.size(); ++device) {
    const std::string prefix = platform.devices[device].name + ".";
    if (!text.starts_with(prefix)) continue;
    if (const auto place = in(device, text.substr(prefix.size()))) return place;
  }
  return std::nullopt;
}

DmaSpec::Pair readPair(const TableReader& reader, const Platform& platform, std::uint32_t own,
                       const std::string& text) {
  const auto place = [&](std::string_view part) {
    const auto found = findPlace(platform, own, trimText(part));
    if (found) return *found;
    reader.reject(fmt::format("moves: '{}': there is no pool '{}'", printable(text),
                              printable(std::string(trimText(part)))));
  };
  const std::size_t arrow = text.find('>');
  if (arrow == std::string::npos) {
    reader.reject(
        fmt::format("moves: '{}': expected two pools such as \"L3>L2\"", printable(text)));
  }
  const std::string_view whole = text;
  const DmaSpec::Pair pair{place(whole.substr(0, arrow)), place(whole.substr(arrow + 1))};
  const PoolSpec& from = platform.devices[pair.from.device].pools[pair.from.pool];
  const PoolSpec& to = platform.devices[pair.to.device].pools[pair.to.pool];
  const bool same = pair.from.device == pair.to.device || (from.shared && to.shared);
  if (same && from.name == to.name) {
    reader.reject(fmt::format("moves: '{}': from a pool to itself", printable(text)));
  }
  return pair;
}

DmaSpec readDma(const toml::table& table, const Platform& platform, std::uint32_t device) {
  TableReader reader(table, "device.dma");
  DmaSpec dma;
  dma.name = reader.name();
  const auto pairs = reader.strings("moves", "a list of pairs of pools such as [\"L3>L2\"]");
  dma.channels = reader.count("channels");
  dma.bandwidth = reader.bandwidth("bandwidth");
  dma.setup = reader.time("setup", SimTime());
  reader.finish();
  for (const std::string& pair : pairs) {
    dma.moves.push_back(readPair(reader, platform, device, pair));
  }
  if (dma.moves.empty()) reader.reject("moves: the engine serves no pair of pools");
  return dma;
}

/// A pool without a bandwidth takes no time and is no port; where contention is asked for, that is
/// more likely a mistake.
void checkContention(const TableReader& reader, const Platform& platform) {
  if (platform.contention == Contention::none) return;
  for (const DeviceSpec& device : platform.devices) {
    for (const PoolSpec& pool : device.pools) {
      if (pool.readBandwidth > 0 && pool.writeBandwidth > 0) continue;
      reader.reject(fmt::format(
          "contention \"{}\" needs bandwidths: pool '{}' of device '{}' has none to {}",
          kContentionNames[static_cast<std::size_t>(platform.contention)], printable(pool.name),
          printable(device.name), pool.readBandwidth > 0 ? "write" : "read"));
    }
  }
}

std::vector<PoolSpec> readMemories(TableReader& reader) {
  std::vector<PoolSpec> memories;
  for (const toml::table* table : reader.anyTables("memory")) {
    TableReader memory(*table, "memory");
    memories.push_back(readMemory(memory, memory.name(), true));
  }
  checkNames(reader, memories);
  return memories;
}

/// Memory events have eight bits for the pool.
void checkPools(const TableReader& reader, const Platform& platform,
                const std::vector<PoolSpec>& memories) {
  const MachinePools machine = machinePools(platform, platform.devices.size());
  const std::size_t pools = machine.pools.size();
  if (pools > 255) reader.reject(fmt::format("{} pools, at most 255 can be simulated", pools));
  for (const PoolSpec& memory : memories) {
    const bool used = std::ranges::any_of(machine.pools, [&](const MachinePools::Pool& pool) {
      return pool.spec->shared && pool.spec->name == memory.name;
    });
    if (!used) reader.reject(fmt::format("no device uses the memory '{}'", printable(memory.name)));
  }
}

Platform readPlatform(const toml::table& table) {
  TableReader reader(table, "platform");
  Platform platform;
  platform.name = reader.name();
  platform.source = reader.string("source");
  platform.summary = reader.string("summary");
  platform.contention = static_cast<Contention>(reader.word("contention", kContentionNames, 0));
  const std::vector<PoolSpec> memories = readMemories(reader);
  const auto devices = reader.tables("device");
  std::vector<std::string> names;
  names.reserve(devices.size());
  for (const toml::table* device : devices) names.push_back(TableReader(*device, "device").name());
  for (const toml::table* device : devices) {
    platform.devices.push_back(readDevice(*device, memories, names));
  }
  reader.finish();
  checkNames(reader, platform.devices);
  for (std::uint32_t i = 0; i < devices.size(); ++i) {
    TableReader device(*devices[i], "device");
    DeviceSpec& spec = platform.devices[i];
    spec.name = device.name();
    for (const toml::table* dma : device.anyTables("dma")) {
      spec.dma.push_back(readDma(*dma, platform, i));
    }
    checkNames(device, spec.units, spec.dma);
  }
  checkPools(reader, platform, memories);
  if (reader.has("contention")) checkContention(reader, platform);
  return platform;
}

/// A file, and which of its machines.
struct ChosenFile {
  std::string file{};
  std::string choice{};
};

bool endsLikeFile(std::string_view text) {
  constexpr std::array<std::string_view, 4> kEndings = {".toml", ".ini", ".json", ".mpool"};
  return text == "-" ||
         std::ranges::any_of(kEndings, [&](auto ending) { return text.ends_with(ending); });
}

/// A path may have a colon too; a choice has no slash, and stands behind what ends like a file.
ChosenFile splitMachine(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const bool says = colon != std::string::npos && text.find('/', colon) == std::string::npos &&
                    endsLikeFile(std::string_view(text).substr(0, colon));
  if (!says) return {text, {}};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

Result<Platform> openUntuned(const std::string& nameOrFile) {
  if (!isPlatformFile(nameOrFile)) return findPlatform(nameOrFile);
  const auto about = [&](ErrorCode code, const Error& error) {
    return fail(code, printable(nameOrFile) + ": " + error.message, error.where);
  };
  const ChosenFile chosen = splitMachine(nameOrFile);
  const auto bytes = readFile(chosen.file);
  if (!bytes) return about(ErrorCode::unreadable, bytes.error());
  auto platform = readPlatformFile(*bytes, chosen.choice);
  if (!platform) return about(platform.error().code, platform.error());
  platform->file = nameOrFile;
  return platform;
}

}  // namespace

Result<Platform> parsePlatform(std::string_view toml) { return readToml(toml, readPlatform); }

Result<Platform> readPlatformFile(std::string_view bytes, std::string_view choice) {
  bytes = withoutByteOrderMark(bytes);
  for (const MachineFormat& format : machineFormats()) {
    if (format.accepts(bytes)) return format.read(bytes, choice);
  }
  if (!choice.empty()) {
    return fail(ErrorCode::invalidArgument,
                fmt::format("a platform in TOML is one machine, of which '{}' cannot be chosen",
                            printable(choice, 80)));
  }
  return parsePlatform(bytes);
}

bool isPlatformFile(std::string_view text) {
  return text.find('/') != std::string_view::npos ||
         endsLikeFile(splitMachine(std::string(text)).file);
}

std::string platformFile(const std::string& text) {
  const std::string name = splitTuning(text).base;
  return isPlatformFile(name) ? splitMachine(name).file : std::string();
}

Result<Platform> openPlatform(const std::string& text) {
  const TunedName name = splitTuning(text);
  HW_TRY(platform, openUntuned(name.base));
  if (name.tuning.empty()) return platform;
  const auto about = [&](const Error& error) {
    return fail(error.code, printable(text, 80) + ": " + error.message);
  };
  const auto tuning = parseTuning(name.tuning);
  if (!tuning) return about(tuning.error());
  auto result = tuned(platform, *tuning);
  if (!result) return about(result.error());
  return result;
}

const std::string& platformText(const Platform& platform) {
  return platform.file.empty() ? platform.name : platform.file;
}

std::string platformLabel(const Platform& platform) {
  if (platform.file.empty() || !isPreset(platform.name)) return platform.name;
  return platform.name + " (" + platform.file.substr(platform.file.rfind('/') + 1) + ")";
}

}  // namespace hw
