#include "widgets/find/search_index.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "core/base/text.h"
#include "core/picture/block_store.h"

namespace hw {

namespace {

// The quality of a match decides first, so the kinds of match are further apart than what is
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

namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

std::optional<std::int64_t> readHex(std::string_view text) {
  if (!text.starts_with("0x") || text.size() < 3) return {};
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return {};
  return value;
}

/// "step 12" and "#12".
std::optional<std::int64_t> readStep(std::string_view text) {
  if (text.starts_with("step ")) return parseInteger(trimText(text.substr(5)));
  if (text.starts_with("#")) return parseInteger(trimText(text.substr(1)));
  return {};
}

struct SizeRange {
  Bytes least{};
  Bytes most = kMaxBytes;
};

/// "> 64KiB", "4KiB..1MiB"; nothing when `text` is no comparison, an error when it is a broken one.
std::optional<Result<SizeRange>> readSizes(std::string_view text) {
  const auto sized = [](std::string_view part) { return parseSize(trimText(part)); };
  if (const auto dots = text.find(".."); dots != std::string_view::npos && dots > 0 &&
                                         std::isdigit(static_cast<unsigned char>(text[0]))) {
    HW_TRY(least, sized(text.substr(0, dots)));
    HW_TRY(most, sized(text.substr(dots + 2)));
    return SizeRange{least, most};
  }
  const auto is = [&](std::string_view sign) { return text.starts_with(sign); };
  if (!is(">") && !is("<") && !is("=")) return {};
  const bool equal = text.size() > 1 && text[1] == '=';
  HW_TRY(bytes, sized(text.substr(equal ? 2 : 1)));
  if (is("=")) return SizeRange{bytes, bytes};
  if (is(">")) return SizeRange{equal ? bytes : bytes + Bytes(1), kMaxBytes};
  return SizeRange{Bytes(), equal ? bytes : bytes - Bytes(1)};
}

}  // namespace

SearchIndex::SearchIndex(std::shared_ptr<const Run> run) : run_(std::move(run)) {
  const Problem& problem = run_->problem;
  places_.resize(problem.stays.size());
  const auto offsets = run_->plan.flatOffsets();
  for (const StayId stay : offsets.keys()) {
    if (!offsets[stay]) continue;
    places_[stay.index()] = {*offsets[stay], *offsets[stay] + problem.stays[stay].size};
  }
  addTensors();
  addOps();
}

void SearchIndex::addName(Named named, std::string_view name, std::string_view type) {
  named.first = static_cast<std::uint32_t>(text_.size());
  named.length = static_cast<std::uint32_t>(name.size());
  named.type = static_cast<std::uint32_t>(type.size());
  std::ranges::transform(name, std::back_inserter(text_), lower);
  std::ranges::transform(type, std::back_inserter(text_), lower);
  names_.push_back(named);
}

void SearchIndex::addTensors() {
  const Graph& graph = run_->graph();
  IdMap<BufferId, StayId> stays(graph.tensors.size());  // There are no more buffers.
  for (const StayId stay : run_->problem.stays.keys()) {
    StayId& first = stays[run_->problem.stays[stay].buffer];
    if (!first) first = stay;
  }
  for (const TensorId tensor : graph.tensors.keys()) {
    if (graph.tensors[tensor].constant) continue;
    const BufferId buffer = run_->storage.bufferOf(tensor);
    addName({.tensor = tensor, .stay = buffer ? stays[buffer] : StayId()},
            displayName(graph, tensor));
  }
}

void SearchIndex::addOps() {
  for (const OpId op : run_->graph().ops.keys()) {
    addName({.op = op}, displayName(run_->graph(), op), run_->graph().ops[op].type);
  }
}

SearchResult SearchIndex::find(std::string_view query) const {
  SearchResult result;
  result.stays.assign(run_->problem.stays.size(), false);
  std::string pattern(trimText(query));
  std::ranges::transform(pattern, pattern.begin(), lower);
  if (pattern.empty()) return result;
  if (const auto sizes = readSizes(trimText(query))) {
    if (!*sizes) {
      result.error = sizes->error().text();
    } else {
      addBySize(result, (*sizes)->least, (*sizes)->most);
    }
    finish(result);
    return result;
  }
  if (const auto address = readHex(pattern)) addByAddress(result, Bytes(*address));
  if (const auto step = readStep(pattern)) addStep(result, *step);
  if (const auto number = parseInteger(pattern); number && *number >= 0) {
    addStep(result, *number);
    addByAddress(result, Bytes(*number));
  }
  addByName(result, pattern);
  finish(result);
  return result;
}

void SearchIndex::addBySize(SearchResult& result, Bytes least, Bytes most) const {
  const Problem& problem = run_->problem;
  for (const StayId stay : problem.stays.keys()) {
    const Bytes size = problem.stays[stay].size;
    if (size < least || size > most) continue;
    result.hits.push_back({.stay = stay, .tensor = run_->stayTensor(stay)});
    result.stays[stay.index()] = true;
  }
  std::ranges::stable_sort(result.hits, std::greater{},
                           [&](const SearchHit& hit) { return problem.stays[hit.stay].size; });
}

void SearchIndex::addByAddress(SearchResult& result, Bytes address) const {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (address < places_[i].begin || address >= places_[i].end) continue;
    const StayId stay(i);
    result.hits.push_back({.kind = SearchHit::Kind::address,
                           .stay = stay,
                           .step = run_->problem.stays[stay].steps.begin,
                           .score = 20'000});
    result.stays[i] = true;
  }
  std::ranges::stable_sort(result.hits, {},
                           [](const SearchHit& hit) { return std::pair(-hit.score, hit.step); });
}

void SearchIndex::addStep(SearchResult& result, std::int64_t step) const {
  const Step last = std::max(run_->problem.steps, run_->schedule.steps());
  if (step < 0 || Step(step) >= last) return;
  result.hits.push_back({.kind = SearchHit::Kind::step, .step = Step(step), .score = 30'000});
}

void SearchIndex::addByName(SearchResult& result, std::string_view pattern) const {
  const std::string_view text = text_;
  const auto score = [&](const Named& named, bool loose) {
    auto best = fuzzyScore(pattern, text.substr(named.first, named.length), loose);
    if (named.type == 0) return best;
    const auto type =
        fuzzyScore(pattern, text.substr(named.first + named.length, named.type), false);
    // A type says less than a name: half as good.
    if (type && (!best || *type / 2 > *best)) best = *type / 2;
    return best;
  };
  for (const bool loose : {false, true}) {
    const std::size_t before = result.hits.size();
    for (const Named& named : names_) {
      const auto points = score(named, loose);
      if (!points) continue;
      SearchHit hit{.stay = named.stay, .tensor = named.tensor, .op = named.op, .score = *points};
      if (named.op) {
        hit.kind = SearchHit::Kind::op;
        if (run_->schedule.stepOf.contains(named.op)) hit.step = run_->schedule.stepOf[named.op];
      }
      if (named.stay) result.stays[named.stay.index()] = true;
      result.hits.push_back(hit);
    }
    // Far-fetched matches only where there are no plain ones, and not for single letters.
    if (result.hits.size() > before || pattern.size() < 2) break;
  }
}

void SearchIndex::finish(SearchResult& result) const {
  result.found = result.hits.size();
  std::ranges::stable_sort(result.hits, std::greater{}, &SearchHit::score);
  if (result.hits.size() > kMostHits) result.hits.resize(kMostHits);
}

}  // namespace hw
