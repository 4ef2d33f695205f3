#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/text.h"

namespace hw {

/// The most that a document of one format may hold. What reads such documents (readToml, parseJson,
/// parseYaml, CsvReader, IniFile) refuses more than that before anything is made of it, so that
/// nobody behind them recurses deeper or holds more.
struct DocumentLimits {
  std::string_view format{};  ///< As messages have it: "TOML".
  std::size_t bytes = 0;
  std::size_t depth = 0;   ///< Levels of tables, objects and arrays within each other.
  std::size_t values = 0;  ///< Keys and elements of all levels; of CSV, fields of one line.
  std::size_t text = 0;    ///< Bytes of one key, string or field.
};

// The table in docs/formats/README.md says the same; a test compares them.
inline constexpr DocumentLimits kTomlLimits{"TOML", std::size_t{16} << 20, 16, 1'000'000, 65'536};
inline constexpr DocumentLimits kJsonLimits{"JSON", std::size_t{2} << 30, 64, 100'000'000,
                                            std::size_t{16} << 20};
inline constexpr DocumentLimits kCsvLimits{"CSV", std::size_t{4} << 30, 1, 10'000,
                                           std::size_t{16} << 20};
inline constexpr DocumentLimits kIniLimits{"INI", std::size_t{16} << 20, 2, 1'000'000, 65'536};
inline constexpr DocumentLimits kYamlLimits{"YAML", std::size_t{1} << 20, 16, 100'000, 65'536};

// The error for a document that is beyond its limits, at `where`.
inline tl::unexpected<Error> tooDeep(const DocumentLimits& limits, std::string where) {
  return fail(ErrorCode::malformed,
              fmt::format("{} nested more than {} levels deep", limits.format, limits.depth),
              std::move(where));
}

inline tl::unexpected<Error> tooManyValues(const DocumentLimits& limits, std::string where) {
  return fail(ErrorCode::malformed,
              fmt::format("{} with more than {} values{}", limits.format,
                          groupDigits(limits.values), limits.depth == 1 ? " in a line" : ""),
              std::move(where));
}

inline tl::unexpected<Error> tooLongText(const DocumentLimits& limits, std::string where) {
  return fail(
      ErrorCode::malformed,
      fmt::format("{} with a text of more than {} bytes", limits.format, groupDigits(limits.text)),
      std::move(where));
}

/// Fails for a document of more bytes than may be.
inline Result<void> checkSize(const DocumentLimits& limits, std::size_t bytes) {
  if (bytes <= limits.bytes) return {};
  return fail(ErrorCode::malformed,
              fmt::format("{} of {} bytes; at most {} are read", limits.format, groupDigits(bytes),
                          groupDigits(limits.bytes)));
}

/// "line 3, column 8": where the byte with that index is.
inline std::string placeInText(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t lineStart = before.rfind('\n');
  const std::size_t column =
      lineStart == std::string_view::npos ? before.size() : before.size() - lineStart - 1;
  return fmt::format("line {}, column {}", line, std::max<std::size_t>(column, 1));
}

}  // namespace hw
