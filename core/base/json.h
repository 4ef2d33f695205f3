#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace hw {

/// JSON whose keys keep the order they were given in: equal runs give equal bytes.
using Json = nlohmann::ordered_json;

/// `json` on one line. Invalid UTF-8 becomes U+FFFD, NaN and infinities become null.
std::string jsonLine(const Json& json);

/// An object for files that people also read: one key a line, and one element a line in arrays of
/// objects. Ends with a newline.
std::string jsonDocument(const Json& object);

/// Parses a whole text; errors say what was expected and at which line and column.
Result<Json> parseJson(std::string_view text);

}  // namespace hw
