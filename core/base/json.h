#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <span>
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

/// A long list of a document, whose elements are looked at one by one and not kept.
struct JsonList {
  std::string path;  ///< Its keys from the top, such as "tiling.original.ops".
  std::function<void(const ParsedJson& element, std::size_t index)> visit;
};

/// The same without the elements of all lists whose key is among `lists`, in objects alone: the
/// document has them empty.
Result<ParsedJson> parseJson(std::string_view text, std::span<const std::string_view> lists);

/// Reads `text`, which has been parsed with the same `lists`, up to the end of `list`, and visits
/// its elements in order. What a visit throws comes through.
void visitJsonList(std::string_view text, std::span<const std::string_view> lists,
                   const JsonList& list);

}  // namespace hw
