#pragma once

#include <fmt/format.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/document_limits.h"
#include "core/base/quantity.h"
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

/// A list of what `of` makes of each item.
template <class Items, class Of>
Json jsonList(const Items& items, const Of& of) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(of(item));
  return list;
}

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

/// A value of a document and its place, such as "tensors[3].shape". What is not as it should be is
/// refused (result.h), with its place.
struct JsonNode {
  const ParsedJson& value;
  std::string where{};

  [[noreturn]] void expected(std::string_view what) const;
  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> message, Args&&... args) const {
    hw::refuse(fmt::format(message, std::forward<Args>(args)...), where);
  }

  const std::string& text() const;
  bool flag() const;
  /// A whole number from 0 to `most`.
  std::int64_t count(std::int64_t most) const;
  /// The same value, which has to be an object.
  const JsonNode& object() const;
  /// Calls `visit` with each element.
  template <class Visit>
  void forEach(const Visit& visit) const {
    if (!value.is_array()) expected("an array");
    for (std::size_t i = 0; i < value.size(); ++i) visit(element(i));
  }

  // Members of an object. One that is null is not there.
  std::optional<JsonNode> find(const char* key) const;
  std::string text(const char* key) const;  ///< Empty when it is not there.
  std::optional<std::int64_t> count(const char* key, std::int64_t most) const;
  std::optional<Bytes> bytes(const char* key) const;
  std::optional<Step> step(const char* key) const;
  template <class Visit>
  void forEach(const char* key, const Visit& visit) const {
    if (const auto list = find(key)) list->forEach(visit);
  }

 private:
  JsonNode element(std::size_t index) const;
};

/// The long lists of a document, which are read from its text whenever somebody wants to see them:
/// what they take in memory is their longest element.
struct JsonLists {
  std::string_view text{};                   ///< Parsed without the elements of
  std::span<const std::string_view> keys{};  ///< these lists.

  /// Calls `visit` with each element of a list of `object`, in time linear in `text`.
  void forEach(const JsonNode& object, const char* key,
               const std::function<void(const JsonNode&)>& visit) const;
};

}  // namespace hw
