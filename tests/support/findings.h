#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace hw::test {

/// What the first finding of a judge says (`Violation`, `Corruption`); empty: there is none.
template <class Finding>
std::string firstOf(const std::vector<Finding>& found) {
  return found.empty() ? "" : found.front().message;
}

/// True if one of `texts` has `words` in it.
inline bool oneHas(const std::vector<std::string>& texts, std::string_view words) {
  return std::ranges::any_of(
      texts, [&](const std::string& text) { return text.find(words) != std::string::npos; });
}

/// How often `word` is in `text`.
inline std::size_t countOf(std::string_view text, std::string_view word) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string_view::npos;
       at += word.size()) {
    ++count;
  }
  return count;
}

}  // namespace hw::test
