#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/base/document_limits.h"
#include "core/base/result.h"

namespace hw {

/// JSON whose keys keep the order they were given in: equal runs give equal bytes.
using Json = nlohmann::ordered_json;

/// JSON that came from outside. Its keys are sorted: looking one up, or adding one to an object
/// with a million of them, stays cheap.
using ParsedJson = nlohmann::json;

/// `json` on one line. Invalid UTF-8 becomes U+FFFD, NaN and infinities become null.
std::string jsonLine(const Json& json);
std::string jsonLine(const ParsedJson& json);

/// An object for files that people also read: one key a line, and one element a line in arrays of
/// objects. Ends with a newline.
std::string jsonDocument(const Json& object);

/// Parses a whole text within `limits`; no object has a key twice. Errors say what was expected and
/// where: the line, or the object or array, such as "tensors[3].shape".
Result<ParsedJson> parseJson(std::string_view text, const DocumentLimits& limits = kJsonLimits);

}  // namespace hw
