#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/json.h"
#include "core/base/quantity.h"

namespace hw {

/// A value of a document and its place, such as "tensors[3].shape". What is not as it should be is
/// refused (refusal.h), with its place.
struct JsonNode {
  const ParsedJson& value;
  std::string where{};

  [[noreturn]] void expected(std::string_view what) const;

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
