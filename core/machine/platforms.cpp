#include "core/machine/platforms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "core/base/check.h"
#include "core/base/text.h"
#include "core/base/toml.h"
#include "core/files/file.h"
#include "core/machine/preset_texts.h"

namespace hw {
namespace {

/// A unit of time or frequency, worth `scale` of the base unit.
struct Scale {
  std::string_view unit;
  double scale;
};
constexpr std::array kTimes = {Scale{"ps", 1}, Scale{"ns", 1e3}, Scale{"us", 1e6},
                               Scale{"ms", 1e9}};
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

/// One table of the file: takes its values by key, and knows which keys there may be.
class Reader {
 public:
  /// `what` names the table in messages: "device.pool 'L2'".
  Reader(const toml::table& table, std::string what) : table_(table), what_(std::move(what)) {}

  std::string name() {
    std::string text = string("name");
    if (text.empty()) missing("name");
    what_ += " '" + printable(text) + "'";
    return text;
  }

  std::string string(const char* key) {
    const toml::node* node = find(key);
    if (node == nullptr) return {};
    return stringOf(*node, key);
  }

  std::optional<Bytes> size(const char* key) {
    const toml::node* node = find(key);
    if (node == nullptr) return std::nullopt;
    const std::string text =
        node->is_integer() ? std::to_string(**node->as_integer()) : stringOf(*node, key);
    const Result<Bytes> bytes = parseSize(text);
    if (!bytes) refuse(fmt::format("{}: {}: {}", what_, key, bytes.error().message), at(*node));
    return *bytes;
  }

  /// Bytes per second, 0 when not said.
  std::int64_t bandwidth(const char* key) {
    const toml::node* node = find(key);
    if (node == nullptr) return 0;
    const std::string text = stringOf(*node, key);
    const bool perSecond = text.ends_with("/s");
    const Result<Bytes> bytes = parseSize(text.substr(0, text.size() - (perSecond ? 2 : 0)));
    if (!perSecond || !bytes || *bytes == Bytes()) expected(*node, key, "a rate such as \"4GB/s\"");
    return bytes->count();
  }

  SimTime time(const char* key, SimTime fallback) {
    const toml::node* node = find(key);
    if (node == nullptr) return fallback;
    const auto value = scaled(stringOf(*node, key), kTimes);
    if (!value || *value > 1e12) expected(*node, key, "a time up to 1000ms such as \"64ns\"");
    return SimTime(std::llround(*value));
  }

  std::int64_t frequency(const char* key) {
    const toml::node* node = find(key);
    if (node == nullptr) missing(key);
    const auto value = scaled(stringOf(*node, key), kFrequencies);
    if (!value || *value < 1 || *value > 1e12) {
      expected(*node, key, "a clock from 1Hz to 1000GHz such as \"500MHz\"");
    }
    return std::llround(*value);
  }

  double number(const char* key, double fallback, double least) {
    const toml::node* node = find(key);
    if (node == nullptr) return fallback;
    const auto value = node->is_number() ? node->value<double>() : std::nullopt;
    if (!value || !std::isfinite(*value) || *value < least || *value > 1e15) {
      expected(*node, key, fmt::format("a number from {} to 1e15", least));
    }
    return *value;
  }

  std::vector<std::string> strings(const char* key) {
    const toml::node* node = find(key);
    if (node == nullptr) missing(key);
    const toml::array* array = node->as_array();
    if (array == nullptr) expected(*node, key, "a list of op types such as [\"Conv\"]");
    std::vector<std::string> texts;
    for (const toml::node& element : *array) texts.push_back(stringOf(element, key));
    return texts;
  }

  /// The tables of `[[key]]`; at least one.
  std::vector<const toml::table*> tables(const char* key) {
    const toml::node* node = find(key);
    if (node == nullptr) missing(key);
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

  const std::string& what() const { return what_; }

 private:
  const toml::node* find(const char* key) {
    known_.emplace_back(key);
    return table_.get(key);
  }

  static const toml::source_region& at(const toml::node& node) { return node.source(); }

  [[noreturn]] void missing(const char* key) const {
    refuse(fmt::format("{}: '{}' is missing", what_, key), table_.source());
  }

  [[noreturn]] void expected(const toml::node& node, const char* key,
                             std::string_view expectation) const {
    refuse(fmt::format("{}: {}: expected {}", what_, key, expectation), at(node));
  }

  std::string stringOf(const toml::node& node, const char* key) const {
    const auto* text = node.as_string();
    if (text == nullptr) expected(node, key, "text in quotes");
    return text->get();
  }

  const toml::table& table_;
  std::string what_;
  std::vector<std::string> known_;
};

PoolSpec readPool(const toml::table& table) {
  Reader reader(table, "device.pool");
  PoolSpec pool;
  pool.name = reader.name();
  pool.capacity = reader.size("capacity");
  pool.reserved = reader.size("reserved").value_or(Bytes());
  pool.alignment = reader.size("alignment").value_or(Bytes(1));
  pool.readBandwidth = reader.bandwidth("read");
  pool.writeBandwidth = reader.bandwidth("write");
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

UnitSpec readUnit(const toml::table& table) {
  Reader reader(table, "device.unit");
  UnitSpec unit;
  unit.name = reader.name();
  unit.ops = reader.strings("ops");
  unit.clock = reader.frequency("clock");
  unit.macsPerCycle = reader.number("macs_per_cycle", 1, 1e-6);
  unit.elementsPerCycle = reader.number("elements_per_cycle", 1, 1e-6);
  reader.finish();
  return unit;
}

/// Refuses a second part of the same name.
template <class Parts>
void checkNames(const Reader& reader, const Parts& parts) {
  std::set<std::string> names;
  for (const auto& part : parts) {
    if (!names.insert(part.name).second) {
      reader.reject(fmt::format("'{}' is there twice", printable(part.name)));
    }
  }
}

DeviceSpec readDevice(const toml::table& table) {
  Reader reader(table, "device");
  DeviceSpec device;
  device.name = reader.name();
  device.ops = reader.strings("ops");
  for (const toml::table* pool : reader.tables("pool")) device.pools.push_back(readPool(*pool));
  for (const toml::table* unit : reader.tables("unit")) device.units.push_back(readUnit(*unit));
  reader.finish();
  checkNames(reader, device.pools);
  checkNames(reader, device.units);
  return device;
}

Platform readPlatform(const toml::table& table) {
  Reader reader(table, "platform");
  Platform platform;
  platform.name = reader.name();
  platform.source = reader.string("source");
  platform.summary = reader.string("summary");
  for (const toml::table* device : reader.tables("device")) {
    platform.devices.push_back(readDevice(*device));
  }
  reader.finish();
  checkNames(reader, platform.devices);
  // Memory events have eight bits for the pool.
  std::size_t pools = 0;
  for (const DeviceSpec& device : platform.devices) pools += device.pools.size();
  if (pools > 255) reader.reject(fmt::format("{} pools, at most 255 can be simulated", pools));
  return platform;
}

}  // namespace

Result<Platform> parsePlatform(std::string_view toml) { return readToml(toml, readPlatform); }

const std::vector<Platform>& platformCatalog() {
  static const std::vector<Platform> catalog = [] {
    std::vector<Platform> platforms;
    for (const std::string_view text : presetTexts()) {
      Result<Platform> platform = parsePlatform(text);
      check(platform.has_value(), "every preset to be a platform");
      platforms.push_back(std::move(*platform));
    }
    return platforms;
  }();
  return catalog;
}

Result<Platform> findPlatform(std::string_view name) {
  std::vector<std::string> names;
  for (const Platform& platform : platformCatalog()) {
    if (platform.name == name) return platform;
    names.push_back(platform.name);
  }
  const auto closest = closestWord(name, names);
  return fail(ErrorCode::invalidArgument,
              fmt::format("no platform '{}'; {}", printable(name),
                          closest ? fmt::format("did you mean '{}'?", *closest)
                                  : fmt::format("there are {}", fmt::join(names, ", "))));
}

bool isPlatformFile(std::string_view text) {
  return text.ends_with(".toml") || text.find('/') != std::string_view::npos || text == "-";
}

Result<Platform> openPlatform(const std::string& nameOrFile) {
  if (!isPlatformFile(nameOrFile)) return findPlatform(nameOrFile);
  // Whatever is wrong in a file is bad input, also what would be a bad option elsewhere.
  const auto about = [&](ErrorCode code, const Error& error) {
    return fail(code, printable(nameOrFile) + ": " + error.message, error.where);
  };
  const auto toml = readFile(nameOrFile);
  if (!toml) return about(ErrorCode::unreadable, toml.error());
  auto platform = parsePlatform(*toml);
  if (!platform) return about(ErrorCode::malformed, platform.error());
  platform->file = nameOrFile;
  return platform;
}

const std::string& platformText(const Platform& platform) {
  return platform.file.empty() ? platform.name : platform.file;
}

}  // namespace hw
