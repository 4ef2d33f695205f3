#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/quantity.h"
#include "core/base/result.h"

namespace hw {

enum class ParamType : std::uint8_t { size, integer, number, choice, flag, text };

/// A parameter that an allocator understands: enough to check a command line, to print help and to
/// make a form field.
struct ParamSpec {
  std::string_view name;
  ParamType type = ParamType::integer;
  std::string_view summary;
  std::string_view fallback;                    ///< The default, as text.
  std::span<const std::string_view> choices{};  ///< For ParamType::choice.
  double least = 0;                             ///< For integer and number.
  double most = 1e18;
};

/// Parameter values by name, as given by the user. What is absent takes its default.
class Params {
 public:
  /// Reads "key=value,key=value" against `specs`: unknown keys, repeated keys and bad values are
  /// errors that name the key and what it takes.
  static Result<Params> parse(std::string_view text, std::span<const ParamSpec> specs);

  /// Checks one value and sets it.
  Result<void> set(const ParamSpec& spec, std::string_view value);

  Bytes size(const ParamSpec& spec) const;
  std::int64_t integer(const ParamSpec& spec) const;
  double number(const ParamSpec& spec) const;
  std::string choice(const ParamSpec& spec) const;
  bool flag(const ParamSpec& spec) const;
  std::string text(const ParamSpec& spec) const;

  /// What was set, in name order.
  const std::map<std::string, std::string>& values() const { return values_; }

  friend bool operator==(const Params&, const Params&) = default;

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace hw
