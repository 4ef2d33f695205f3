#include "core/allocators/params.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/text.h"

namespace hw {
namespace {

std::string rangeText(const ParamSpec& spec) {
  return fmt::format("between {} and {}", spec.least, spec.most);
}

/// Why `value` does not suit `spec`; nothing when it does.
std::optional<std::string> whyWrong(const ParamSpec& spec, std::string_view value) {
  switch (spec.type) {
    case ParamType::size: {
      const auto size = parseSize(value);
      return size ? std::nullopt : std::optional(size.error().message);
    }
    case ParamType::integer: {
      const auto number = parseInteger(value);
      const bool good = number && static_cast<double>(*number) >= spec.least &&
                        static_cast<double>(*number) <= spec.most;
      if (good) return std::nullopt;
      return "expected a whole number " + rangeText(spec);
    }
    case ParamType::number: {
      const auto number = parseNumber(value);
      if (number && *number >= spec.least && *number <= spec.most) return std::nullopt;
      return "expected a number " + rangeText(spec);
    }
    case ParamType::choice:
      if (std::ranges::find(spec.choices, value) != spec.choices.end()) return std::nullopt;
      return fmt::format("expected one of {}", fmt::join(spec.choices, ", "));
    case ParamType::flag:
      if (value == "true" || value == "false") return std::nullopt;
      return "expected true or false";
    case ParamType::text:
      return std::nullopt;
  }
  return std::nullopt;
}

std::string knownNames(std::span<const ParamSpec> specs) {
  if (specs.empty()) return "it takes none";
  std::vector<std::string_view> names;
  for (const ParamSpec& spec : specs) names.push_back(spec.name);
  return fmt::format("it takes {}", fmt::join(names, ", "));
}

}  // namespace

Result<Params> Params::parse(std::string_view text, std::span<const ParamSpec> specs) {
  Params params;
  if (trimText(text).empty()) return params;
  for (const std::string_view pair : splitText(text, ',')) {
    const std::size_t equals = pair.find('=');
    const std::string_view key = trimText(pair.substr(0, equals));
    const auto spec = std::ranges::find(specs, key, &ParamSpec::name);
    if (spec == specs.end()) {
      return fail(ErrorCode::invalidArgument,
                  fmt::format("there is no parameter '{}'; {}", printable(key), knownNames(specs)));
    }
    if (params.values_.contains(std::string(key))) {
      return fail(ErrorCode::invalidArgument, fmt::format("parameter '{}' is given twice", key));
    }
    // A bare flag name switches it on.
    const bool bare = equals == std::string_view::npos;
    if (bare && spec->type != ParamType::flag) {
      return fail(ErrorCode::invalidArgument, fmt::format("parameter '{}' needs a value", key));
    }
    const std::string_view value = bare ? "true" : trimText(pair.substr(equals + 1));
    if (auto done = params.set(*spec, value); !done) return tl::unexpected(done.error());
  }
  return params;
}

Result<void> Params::set(const ParamSpec& spec, std::string_view value) {
  if (const auto why = whyWrong(spec, value)) {
    return fail(ErrorCode::invalidArgument, fmt::format("parameter '{}' cannot be '{}': {}",
                                                        spec.name, printable(value), *why));
  }
  values_[std::string(spec.name)] = std::string(value);
  return {};
}

std::string Params::text(const ParamSpec& spec) const {
  const auto found = values_.find(std::string(spec.name));
  return found == values_.end() ? std::string(spec.fallback) : found->second;
}

Bytes Params::size(const ParamSpec& spec) const { return parseSize(text(spec)).value_or(Bytes()); }

std::int64_t Params::integer(const ParamSpec& spec) const {
  return parseInteger(text(spec)).value_or(0);
}

double Params::number(const ParamSpec& spec) const { return parseNumber(text(spec)).value_or(0); }

std::string Params::choice(const ParamSpec& spec) const { return text(spec); }

bool Params::flag(const ParamSpec& spec) const { return text(spec) == "true"; }

}  // namespace hw
