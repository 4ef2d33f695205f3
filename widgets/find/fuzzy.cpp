#include "widgets/find/fuzzy.h"

#include <algorithm>
#include <cctype>

namespace hw {
namespace {

// How well something matches decides first, so the kinds of match are further apart than what is
// added within one (below `kBand`): any whole match beats any prefix, and so on.
constexpr int kWhole = 5'000;
constexpr int kPrefix = 4'000;
constexpr int kWordStart = 3'000;
constexpr int kInside = 2'000;
constexpr int kLoose = 0;
constexpr int kBand = 999;

bool isLetter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

bool startsWord(std::string_view text, std::size_t at) {
  return at == 0 || !isLetter(text[at - 1]) ||
         (std::isdigit(static_cast<unsigned char>(text[at])) != 0) !=
             (std::isdigit(static_cast<unsigned char>(text[at - 1])) != 0);
}

/// Of two names that match alike the shorter one has less in it that was not asked for.
int closeness(std::size_t length) {
  return kBand - static_cast<int>(std::min<std::size_t>(length, 998));
}

/// The place of the best occurrence: one that starts a word, else the first.
std::optional<std::size_t> occurrence(std::string_view pattern, std::string_view text) {
  const std::size_t first = text.find(pattern);
  if (first == std::string_view::npos) return {};
  for (std::size_t at = first; at != std::string_view::npos; at = text.find(pattern, at + 1)) {
    if (startsWord(text, at)) return at;
  }
  return first;
}

/// Letters in order; each prefers a word's start or the place right after the one before.
std::optional<FuzzyMatch> greedyMatch(std::string_view pattern, std::string_view text) {
  FuzzyMatch match;
  int bonus = 0;
  std::size_t at = 0;
  for (const char c : pattern) {
    if (c == ' ') continue;
    std::size_t next = text.find(c, at);
    if (next == std::string_view::npos) return {};
    const bool adjacent = !match.at.empty() && next == match.at.back() + 1;
    if (!adjacent && !startsWord(text, next)) {
      for (std::size_t later = text.find(c, next + 1); later != std::string_view::npos;
           later = text.find(c, later + 1)) {
        if (!startsWord(text, later)) continue;
        next = later;
        break;
      }
    }
    bonus += adjacent ? 12 : startsWord(text, next) ? 10 : 0;
    match.at.push_back(next);
    at = next + 1;
  }
  const auto spread = match.at.empty() ? 0 : match.at.back() - match.at.front();
  match.score =
      kLoose +
      std::clamp(
          400 + bonus * 4 - static_cast<int>(std::min<std::size_t>(spread + text.size() / 4, 400)),
          1, kBand);
  return match;
}

/// Preferring the starts of words can skip the only place where a later letter still follows. When
/// that happens, the first occurrence of each letter is taken, which finds a match if there is one.
std::optional<FuzzyMatch> looseMatch(std::string_view pattern, std::string_view text) {
  if (auto greedy = greedyMatch(pattern, text)) return greedy;
  FuzzyMatch plain{1, {}};
  std::size_t at = 0;
  for (const char c : pattern) {
    if (c == ' ') continue;
    at = text.find(c, at);
    if (at == std::string_view::npos) return {};
    plain.at.push_back(at++);
  }
  return plain;
}

}  // namespace

std::optional<int> fuzzyScore(std::string_view pattern, std::string_view text, bool subsequence) {
  if (pattern.empty()) return closeness(text.size());
  if (const auto at = occurrence(pattern, text)) {
    if (pattern.size() == text.size()) return kWhole;
    const int band = *at == 0 ? kPrefix : startsWord(text, *at) ? kWordStart : kInside;
    return band + closeness(text.size());
  }
  if (!subsequence) return {};
  const auto loose = looseMatch(pattern, text);
  return loose ? std::optional(loose->score) : std::nullopt;
}

std::optional<FuzzyMatch> fuzzyMatch(std::string_view pattern, std::string_view text) {
  if (const auto score = fuzzyScore(pattern, text, false)) {
    FuzzyMatch match{*score, {}};
    const auto at = occurrence(pattern, text);
    for (std::size_t i = 0; at && i < pattern.size(); ++i) match.at.push_back(*at + i);
    return match;
  }
  return looseMatch(pattern, text);
}

}  // namespace hw
