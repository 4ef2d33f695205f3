#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace hw {

/// How well a pattern matches a text, and where.
struct FuzzyMatch {
  int score = 0;                  ///< Higher is better; comparable for one pattern only.
  std::vector<std::size_t> at{};  ///< The bytes of the text that matched, ascending.
};

/// Matches `pattern` in `text`, both in lower case: the whole text best, then at its start, then at
/// the start of a word, then anywhere, then letter by letter in order with anything between. Of
/// equals the shorter text. Nothing when not even that. An empty pattern matches all alike. O(n).
std::optional<FuzzyMatch> fuzzyMatch(std::string_view pattern, std::string_view text);

/// The same without places, for going through many texts: `subsequence` false leaves out the letter
/// by letter matches.
std::optional<int> fuzzyScore(std::string_view pattern, std::string_view text, bool subsequence);

}  // namespace hw
