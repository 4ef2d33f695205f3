#pragma once

#include <fmt/format.h>
#include <toml++/toml.h>

#include "core/base/refusal.h"
#include "core/base/toml_check.h"

/// For those who read TOML; slow to compile, so for .cpp files only.
namespace hw {

inline std::string tomlPlace(const toml::source_region& source) {
  return fmt::format("line {}, column {}", source.begin.line, source.begin.column);
}

[[noreturn]] inline void refuse(std::string message, const toml::source_region& source) {
  refuse(std::move(message), tomlPlace(source));
}

/// What `read` makes of the document, or why it is none, or why `read` refused. Nothing beyond
/// kTomlLimits reaches the parser: its tables are destroyed level by level, on the stack.
template <class Read>
auto readToml(std::string_view text, const Read& read) {
  return unlessRefused([&] {
    if (auto within = TomlCheck(text, kTomlLimits).run(); !within)
      throw Refusal{std::move(within).error()};
    try {
      return read(toml::parse(text));
    } catch (const toml::parse_error& error) {
      refuse(fmt::format("not TOML: {}", error.description()), tomlPlace(error.source()));
    }
  });
}

}  // namespace hw
