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

}  // namespace

std::string jsonLine(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
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

Result<Json> parseJson(std::string_view text) {
  try {
    return Json::parse(text.begin(), text.end());
  } catch (const Json::parse_error& error) {
    // The library's text is "[json.exception…] parse error at line 1, column 2: syntax error …".
    std::string_view reason = error.what();
    if (const auto colon = reason.find(": "); colon != std::string_view::npos) {
      reason.remove_prefix(colon + 2);
    }
    return fail(ErrorCode::malformed, "not valid JSON: " + printable(reason),
                position(text, error.byte));
  } catch (const Json::exception& error) {
    return fail(ErrorCode::malformed, "not valid JSON: " + printable(error.what()));
  }
}

}  // namespace hw
