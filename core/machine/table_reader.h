#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/quantity.h"
#include "core/base/toml.h"

namespace hw {

/// One table of a platform's file: takes its values by key, and knows which keys there may be.
/// Everything it refuses is said with the table, the key and the place.
class TableReader {
 public:
  /// `what` names the table in messages: "device.pool 'L2'".
  TableReader(const toml::table& table, std::string what) : table_(table), what_(std::move(what)) {}

  /// The table's name, which it has from then on in messages too.
  std::string name(const char* key = "name");
  /// Empty when not said.
  std::string string(const char* key);
  std::optional<Bytes> size(const char* key);
  /// Bytes per second, `fallback` when not said.
  std::int64_t bandwidth(const char* key, std::int64_t fallback = 0);
  SimTime time(const char* key, SimTime fallback);
  /// Hz; has to be said.
  std::int64_t frequency(const char* key);
  double number(const char* key, double fallback, double least);
  /// From 1 to 65536; 1 when not said.
  std::uint32_t count(const char* key);
  /// Which of `words` it is; `fallback` when not said.
  std::size_t word(const char* key, std::span<const std::string_view> words, std::size_t fallback);
  /// A list of texts, which has to be there; `example` shows one.
  std::vector<std::string> strings(const char* key, std::string_view example);
  /// The tables of `[[key]]`; at least one.
  std::vector<const toml::table*> tables(const char* key);
  /// The same, none when nothing is said.
  std::vector<const toml::table*> anyTables(const char* key);
  bool has(const char* key) { return find(key) != nullptr; }

  /// Refuses every key that nobody asked for.
  void finish() const;
  [[noreturn]] void reject(const std::string& message) const;

 private:
  const toml::node* find(const char* key);
  [[noreturn]] void missing(const char* key) const;
  [[noreturn]] void expected(const toml::node& node, const char* key,
                             std::string_view expectation) const;
  std::string stringOf(const toml::node& node, const char* key) const;

  const toml::table& table_;
  std::string what_;
  std::vector<std::string> known_;
};

}  // namespace hw
