#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>

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
  std::string_view label{};  ///< What people call it in a form; empty: the name.
  std::string_view unit{};   ///< What is counted or measured: "placements", "s".
};

/// The parameter for the time of a search.
constexpr ParamSpec secondsParam(std::string_view fallback) {
  return {.name = "seconds",
          .type = ParamType::number,
          .summary = "time limit; 0: none, so that runs repeat",
          .fallback = fallback,
          .label = "time limit",
          .unit = "s"};
}

/// A value as its type has it; choices are texts.
using ParamValue = std::variant<Bytes, std::int64_t, double, bool, std::string>;

/// The value of `text` for `spec`, or an error that says why it is none.
Result<ParamValue> parseParam(const ParamSpec& spec, std::string_view text);
/// The text that `parseParam` reads as `value`.
std::string paramText(const ParamValue& value);

/// Parameters by name, as given by the user, read once. What is absent has its default.
class Params {
 public:
  /// Reads "key=value,key=value" against `specs`: unknown keys, repeated keys and bad values are
  /// errors that name the key and what it takes.
  static Result<Params> parse(std::string_view text, std::span<const ParamSpec> specs);

  /// Checks one value and sets it.
  Result<void> set(const ParamSpec& spec, std::string_view text);

  /// The value that was set, or the default. The next ones are the same for a known type.
  ParamValue value(const ParamSpec& spec) const;
  Bytes size(const ParamSpec& spec) const { return std::get<Bytes>(value(spec)); }
  std::int64_t integer(const ParamSpec& spec) const { return std::get<std::int64_t>(value(spec)); }
  double number(const ParamSpec& spec) const { return std::get<double>(value(spec)); }
  bool flag(const ParamSpec& spec) const { return std::get<bool>(value(spec)); }
  /// Of a choice or a text.
  std::string text(const ParamSpec& spec) const { return std::get<std::string>(value(spec)); }

  /// The values that were set, in name order.
  const std::map<std::string, ParamValue>& values() const { return values_; }

  friend bool operator==(const Params&, const Params&) = default;

 private:
  std::map<std::string, ParamValue> values_;
};

/// "name:key=value,key=value": what was set, behind the name of what takes it.
std::string choiceText(std::string_view name, const Params& params);

}  // namespace hw
