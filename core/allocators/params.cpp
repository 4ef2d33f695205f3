#include "core/allocators/params.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/base/text.h"

namespace hw {
namespace {

tl::unexpected<Error> badParam(std::string message) {
  return fail(ErrorCode::invalidArgument, std::move(message));
}

tl::unexpected<Error> outOfRange(const ParamSpec& spec, std::string_view what) {
  return badParam(fmt::format("expected {} between {} and {}", what, spec.least, spec.most));
}

bool inRange(const ParamSpec& spec, double number) {
  return number >= spec.least && number <= spec.most;
}

std::string knownNames(std::span<const ParamSpec> specs) {
  if (specs.empty()) return "it takes none";
  std::vector<std::string_view> names;
  for (const ParamSpec& spec : specs) names.push_back(spec.name);
  return fmt::format("it takes {}", fmt::join(names, ", "));
}

}  // namespace

Result<ParamValue> parseParam(const ParamSpec& spec, std::string_view text) {
  switch (spec.type) {
    case ParamType::size: {
      const auto size = parseSize(text);
      if (!size) return badParam(size.error().message);
      return *size;
    }
    case ParamType::integer: {
      const auto number = parseInteger(text);
      if (!number || !inRange(spec, static_cast<double>(*number))) {
        return outOfRange(spec, "a whole number");
      }
      return *number;
    }
    case ParamType::number: {
      const auto number = parseNumber(text);
      if (!number || !inRange(spec, *number)) return outOfRange(spec, "a number");
      return *number;
    }
    case ParamType::choice:
      if (std::ranges::find(spec.choices, text) == spec.choices.end()) {
        return badParam(fmt::format("expected one of {}", fmt::join(spec.choices, ", ")));
      }
      break;
    case ParamType::flag:
      if (text != "true" && text != "false") return badParam("expected true or false");
      return text == "true";
    case ParamType::text:
      break;
  }
  return std::string(text);
}

std::string paramText(const ParamValue& value) {
  if (const auto* size = std::get_if<Bytes>(&value)) return sizeWord(*size);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  return std::get<std::string>(value);
}

Result<Params> Params::parse(std::string_view text, std::span<const ParamSpec> specs) {
  Params params;
  if (trimText(text).empty()) return params;
  for (const std::string_view pair : splitText(text, ',')) {
    const std::size_t equals = pair.find('=');
    const std::string_view key = trimText(pair.substr(0, equals));
    const auto spec = std::ranges::find(specs, key, &ParamSpec::name);
    if (spec == specs.end()) {
      return badParam(
          fmt::format("there is no parameter '{}'; {}", printable(key), knownNames(specs)));
    }
    if (params.values_.contains(std::string(key))) {
      return badParam(fmt::format("parameter '{}' is given twice", key));
    }
    // A bare flag name switches it on.
    const bool bare = equals == std::string_view::npos;
    if (bare && spec->type != ParamType::flag) {
      return badParam(fmt::format("parameter '{}' needs a value", key));
    }
    const std::string_view value = bare ? "true" : trimText(pair.substr(equals + 1));
    HW_DO(params.set(*spec, value));
  }
  return params;
}

Result<void> Params::set(const ParamSpec& spec, std::string_view text) {
  auto value = parseParam(spec, text);
  if (!value) {
    return badParam(fmt::format("parameter '{}' cannot be '{}': {}", spec.name, printable(text),
                                value.error().message));
  }
  values_[std::string(spec.name)] = *std::move(value);
  return {};
}

ParamValue Params::value(const ParamSpec& spec) const {
  const auto found = values_.find(std::string(spec.name));
  if (found != values_.end()) return found->second;
  auto fallback = parseParam(spec, spec.fallback);
  check(fallback.has_value(), "the default of a parameter");
  return *std::move(fallback);
}

std::string choiceText(std::string_view name, const Params& params) {
  std::string written(name);
  char separator = ':';
  for (const auto& [key, value] : params.values()) {
    written += fmt::format("{}{}={}", separator, key, paramText(value));
    separator = ',';
  }
  return written;
}

}  // namespace hw
