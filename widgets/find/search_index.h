#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/run/run.h"

namespace hw {

/// The quality of a match of a pattern in a text, and its places.
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

/// Something that was searched for and found.
struct SearchHit {
  enum class Kind : std::uint8_t { tensor, op, address, step } kind = Kind::tensor;
  StayId stay{};      ///< Of a tensor (none: not planned) or an address.
  TensorId tensor{};  ///< Of a tensor; none in a planning problem.
  OpId op{};
  Step step{};    ///< Of a step or an op; of an address, the first it is taken at.
  int score = 0;  ///< Higher is better.
};

/// The hits of a search.
struct SearchResult {
  std::vector<SearchHit> hits{};  ///< Best first, at most `kMostHits`.
  std::size_t found = 0;          ///< All of them.
  std::vector<bool> stays{};      ///< Every stay found, for a filter.
  std::string error{};            ///< Why the query means nothing; empty when it does.
};

/// Everything in a run that can be found, made ready once so that a search takes milliseconds.
/// Immutable: may be built and asked on any thread.
class SearchIndex {
 public:
  static constexpr std::size_t kMostHits = 500;

  explicit SearchIndex(std::shared_ptr<const Run> run);

  /// The meaning of `query`: `>64KiB`, `<= 1MiB`, `=4096`, `4KiB..64KiB` sizes; `0x1000` an
  /// address; `4096` an address and a step; `step 12` or `#12` a step; anything else a part of the
  /// name of a tensor or op, or the type of an op. O(names).
  SearchResult find(std::string_view query) const;

  const Run& run() const { return *run_; }

 private:
  struct Named {
    TensorId tensor{};
    OpId op{};
    StayId stay{};
    std::uint32_t first = 0;  ///< Into `text_`.
    std::uint32_t length = 0;
    std::uint32_t type = 0;  ///< Length of the op's type behind the name.
  };

  void addTensors();
  void addOps();
  void addName(Named named, std::string_view name, std::string_view type = {});
  void addBySize(SearchResult& result, Bytes least, Bytes most) const;
  void addByAddress(SearchResult& result, Bytes address) const;
  void addStep(SearchResult& result, std::int64_t step) const;
  void addByName(SearchResult& result, std::string_view pattern) const;
  void finish(SearchResult& result) const;

  std::shared_ptr<const Run> run_;
  std::vector<Named> names_;
  std::string text_;                     ///< All names, in lower case.
  std::vector<Interval<Bytes>> places_;  ///< By stay, flat; empty when not placed.
};

}  // namespace hw
