#include "core/base/json.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace hw {
namespace {

bool isTable(const Json& value) {
  return value.is_array() && !value.empty() &&
         std::ranges::all_of(value, [](const Json& row) { return row.is_object(); });
}

std::string position(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t lineStart = before.rfind('\n');
  const std::size_t column =
      lineStart == std::string_view::npos ? before.size() : before.size() - lineStart - 1;
  return fmt::format("line {}, column {}", line, std::max<std::size_t>(column, 1));
}

/// What the library says, from `mark` on.
std::string notJson(std::string_view reason, std::string_view mark) {
  const auto at = reason.find(mark);
  return "not valid JSON: " +
         printable(reason.substr(at == std::string_view::npos ? 0 : at + mark.size()));
}

}  // namespace

std::string jsonLine(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string jsonLine(const ParsedJson& json) {
  return json.dump(-1, ' ', false, ParsedJson::error_handler_t::replace);
}

std::string jsonDocument(const Json& object) {
  std::string text = "{";
  bool first = true;
  for (const auto& [key, value] : object.items()) {
    text += first ? "\n  " : ",\n  ";
    first = false;
    text += jsonLine(Json(key)) + ": ";
    if (!isTable(value)) {
      text += jsonLine(value);
      continue;
    }
    for (std::size_t i = 0; i < value.size(); ++i) {
      text += (i == 0 ? "[\n    " : ",\n    ") + jsonLine(value[i]);
    }
    text += "\n  ]";
  }
  return text + "\n}\n";
}

Result<ParsedJson> parseJson(std::string_view text) {
  constexpr int kMostLevels = 64;
  bool tooDeep = false;
  // What lies too deep is not kept: printing or destroying it would take as deep a stack.
  const auto keep = [&](int depth, ParsedJson::parse_event_t, ParsedJson&) {
    tooDeep |= depth > kMostLevels;
    return depth <= kMostLevels;
  };
  try {
    ParsedJson json = ParsedJson::parse(text.begin(), text.end(), keep);
    if (tooDeep) {
      return fail(ErrorCode::malformed,
                  fmt::format("JSON nested more than {} levels deep", kMostLevels));
    }
    return json;
  } catch (const ParsedJson::parse_error& error) {
    // The library's text is "[json.exception…] parse error at line 1, column 2: syntax error …".
    return fail(ErrorCode::malformed, notJson(error.what(), ": "), position(text, error.byte));
  } catch (const ParsedJson::exception& error) {
    return fail(ErrorCode::malformed, notJson(error.what(), "] "));
  }
}

}  // namespace hw
