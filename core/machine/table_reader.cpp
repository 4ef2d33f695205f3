#include "core/machine/table_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/text.h"

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

}  // namespace

std::string TableReader::name(const char* key) {
  std::string text = string(key);
  if (text.empty()) missing(key);
  what_ += " '" + printable(text) + "'";
  return text;
}

std::string TableReader::string(const char* key) {
  const toml::node* node = find(key);
  return node == nullptr ? std::string() : stringOf(*node, key);
}

std::optional<Bytes> TableReader::size(const char* key) {
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

std::int64_t TableReader::bandwidth(const char* key, std::int64_t fallback) {
  const toml::node* node = find(key);
  if (node == nullptr) return fallback;
  const std::string text = stringOf(*node, key);
  const bool perSecond = text.ends_with("/s");
  const Result<Bytes> bytes = parseSize(text.substr(0, text.size() - (perSecond ? 2 : 0)));
  if (!perSecond || !bytes || *bytes == Bytes()) expected(*node, key, "a rate such as \"4GB/s\"");
  return bytes->count();
}

SimTime TableReader::time(const char* key, SimTime fallback) {
  const toml::node* node = find(key);
  if (node == nullptr) return fallback;
  const auto value = scaled(stringOf(*node, key), kTimes);
  if (!value || *value > 1e12) expected(*node, key, "a time up to 1000ms such as \"64ns\"");
  return SimTime(std::llround(*value));
}

std::int64_t TableReader::frequency(const char* key) {
  const toml::node* node = find(key);
  if (node == nullptr) missing(key);
  const auto value = scaled(stringOf(*node, key), kFrequencies);
  if (!value || *value < 1 || *value > 1e12) {
    expected(*node, key, "a clock from 1Hz to 1000GHz such as \"500MHz\"");
  }
  return std::llround(*value);
}

double TableReader::number(const char* key, double fallback, double least) {
  const toml::node* node = find(key);
  if (node == nullptr) return fallback;
  const auto value = node->is_number() ? node->value<double>() : std::nullopt;
  if (!value || !std::isfinite(*value) || *value < least || *value > 1e15) {
    expected(*node, key, fmt::format("a number from {} to 1e15", least));
  }
  return *value;
}

std::uint32_t TableReader::count(const char* key) {
  const toml::node* node = find(key);
  if (node == nullptr) return 1;
  const auto value = node->is_integer() ? node->value<std::int64_t>() : std::nullopt;
  if (!value || *value < 1 || *value > 65536)
    expected(*node, key, "a whole number from 1 to 65536");
  return static_cast<std::uint32_t>(*value);
}

std::size_t TableReader::word(const char* key, std::span<const std::string_view> words,
                              std::size_t fallback) {
  const toml::node* node = find(key);
  if (node == nullptr) return fallback;
  const auto found = std::ranges::find(words, stringOf(*node, key));
  if (found == words.end()) {
    expected(*node, key, fmt::format("one of \"{}\"", fmt::join(words, "\", \"")));
  }
  return static_cast<std::size_t>(found - words.begin());
}

std::vector<std::string> TableReader::strings(const char* key, std::string_view example) {
  const toml::node* node = find(key);
  if (node == nullptr) missing(key);
  const toml::array* array = node->as_array();
  if (array == nullptr) expected(*node, key, example);
  std::vector<std::string> texts;
  for (const toml::node& element : *array) texts.push_back(stringOf(element, key));
  return texts;
}

std::vector<const toml::table*> TableReader::tables(const char* key) {
  if (!has(key)) missing(key);
  return anyTables(key);
}

std::vector<const toml::table*> TableReader::anyTables(const char* key) {
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

void TableReader::finish() const {
  for (const auto& [key, value] : table_) {
    const std::string word(key.str());
    if (std::ranges::find(known_, word) != known_.end()) continue;
    const auto closest = closestWord(word, known_);
    refuse(fmt::format("{}: unknown key '{}'{}", what_, printable(word),
                       closest ? fmt::format(", did you mean '{}'?", *closest) : ""),
           key.source());
  }
}

void TableReader::reject(const std::string& message) const {
  refuse(what_ + ": " + message, table_.source());
}

const toml::node* TableReader::find(const char* key) {
  known_.emplace_back(key);
  return table_.get(key);
}

void TableReader::missing(const char* key) const {
  refuse(fmt::format("{}: '{}' is missing", what_, key), table_.source());
}

void TableReader::expected(const toml::node& node, const char* key,
                           std::string_view expectation) const {
  refuse(fmt::format("{}: {}: expected {}", what_, key, expectation), node.source());
}

std::string TableReader::stringOf(const toml::node& node, const char* key) const {
  const auto* text = node.as_string();
  if (text == nullptr) expected(node, key, "text in quotes");
  return text->get();
}

}  // namespace hw
