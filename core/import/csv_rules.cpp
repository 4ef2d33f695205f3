#include "core/import/csv_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/text.h"

namespace hw {
namespace {

constexpr std::size_t kMostCsvPools = 255;
constexpr std::size_t kMostClockThreads = 64;
constexpr std::size_t kMostClockRows = 20'000;
constexpr std::int64_t kMostClock = std::int64_t{1} << 40;

constexpr std::string_view ruleTitle(RuleColumn column) {
  return kRuleColumns[static_cast<std::size_t>(column)];
}

/// "name:12": a word in two at its last colon; without one, all is the first.
std::pair<std::string_view, std::string_view> atColon(std::string_view word) {
  const std::size_t at = word.rfind(':');
  if (at == std::string_view::npos) return {word, {}};
  return {word.substr(0, at), word.substr(at + 1)};
}

}  // namespace

Result<void> CsvRules::readHeader(bool hasSteps) {
  for (std::size_t i = 0; i < kRuleColumns.size(); ++i) any_ |= table_.has(first_ + i);
  const bool conflicts = has(RuleColumn::conflicts);
  // Beside steps these are columns of somebody else's.
  clocks_ = !hasSteps && !conflicts && (has(RuleColumn::begin) || has(RuleColumn::end));
  ownTime_ = !hasSteps;
  if (conflicts && hasSteps) {
    return fail(ErrorCode::malformed,
                "there are columns 'conflicts' and 'lower' or 'upper'; expected one or the other",
                table_.where());
  }
  if (clocks_ && !(has(RuleColumn::begin) && has(RuleColumn::end))) {
    return fail(ErrorCode::malformed, "one of the columns 'begin' and 'end' is missing",
                table_.where());
  }
  return {};
}

Result<void> CsvRules::readRow(TensorId tensor, bool takesBytes, Problem& problem) {
  if (!any_) return {};
  stayOf_.add(takesBytes ? StayId(problem.stays.size() - 1) : StayId());
  if (tensor == TensorId(0)) HW_DO(readPools(problem));
  if (!takesBytes) return {};
  for (std::size_t rule = 0; rule < kPairRules.size(); ++rule) {
    const std::string_view text = field(static_cast<RuleColumn>(rule));
    if (text.empty()) continue;
    words_.push_back({static_cast<PairRule>(rule), tensor, table_.line(), std::string(text)});
  }
  if (clocks_) HW_DO(readClocks());
  HW_DO(readAllowed(stayOf_[tensor], problem));
  return readPin(stayOf_[tensor], problem);
}

Result<PoolId> CsvRules::poolNamed(std::string_view word, Problem& problem) {
  const auto name = csvWordText(word);
  if (!name || name->empty()) {
    return table_.refuse(
        fmt::format("names pool '{}'; expected a name, with %20 for a blank and "
                    "%25 for a percent sign",
                    printable(word, 40)));
  }
  const auto known = poolOf_.find(*name);
  if (known != poolOf_.end()) return known->second;
  if (problem.ownPools) {
    return table_.refuse(
        fmt::format("names pool '{}'; expected one of column 'pools'", printable(*name, 40)));
  }
  if (problem.pools.size() == kMostCsvPools) {
    return table_.refuse(fmt::format("names a pool beyond {}", kMostCsvPools));
  }
  const PoolId added = problem.pools.add({.name = *name});
  poolOf_.emplace(*name, added);
  return added;
}

Result<void> CsvRules::readPools(Problem& problem) {
  const auto words = csvWords(field(RuleColumn::pools));
  const bool own = !words.empty();
  if (own) problem.pools = {};
  for (const PoolId pool : problem.pools.keys()) poolOf_.emplace(problem.pools[pool].name, pool);
  for (const std::string_view word : words) {
    const auto [name, size] = atColon(word);
    const std::size_t before = problem.pools.size();
    HW_TRY(pool, poolNamed(name, problem));
    const auto capacity = parseInteger(size);
    const bool sane =
        size.data() == nullptr || (capacity && *capacity >= 0 && *capacity <= kMaxBytes.count());
    if (pool.index() != before || !sane) {
      return table_.refuse(
          fmt::format("has pool '{}'; expected a new name, or one with bytes from "
                      "0 to {}, such as L1:65536",
                      printable(word, 40), kMaxBytes.count()));
    }
    if (capacity) problem.pools[pool].capacity = Bytes(*capacity);
  }
  problem.ownPools = own;
  return readReserved(problem);
}

Result<void> CsvRules::readReserved(Problem& problem) {
  std::map<PoolId, std::vector<Interval<Bytes>>> ranges;
  for (const std::string_view word : csvWords(field(RuleColumn::reserved))) {
    auto [name, range] = atColon(word);
    if (range.data() == nullptr) std::swap(name, range);
    const auto ends = splitText(range, '-');
    const auto begin = parseInteger(ends[0]);
    const auto end = ends.size() == 2 ? parseInteger(ends[1]) : std::nullopt;
    std::optional<PoolId> known(PoolId(0));
    if (name.data() != nullptr && problem.ownPools) {
      known = knownPool(csvWordText(name).value_or(""));
    } else if (name.data() != nullptr) {
      HW_TRY(named, poolNamed(name, problem));
      known = named;
    }
    if (!known || !begin || !end || *begin < 0 || *begin >= *end || *end > kMaxBytes.count()) {
      return table_.refuse(
          fmt::format("has reserved '{}'; expected a pool and bytes a-b with a < "
                      "b, such as L1:0-64",
                      printable(word, 40)));
    }
    ranges[*known].push_back({Bytes(*begin), Bytes(*end)});
  }
  for (auto& [pool, stated] : ranges) {
    problem.pools[pool].reserved = mergedRanges(std::move(stated));
  }
  return {};
}

std::optional<PoolId> CsvRules::knownPool(const std::string& name) const {
  const auto known = poolOf_.find(name);
  return known == poolOf_.end() ? std::nullopt : std::optional(known->second);
}

Result<void> CsvRules::readAllowed(StayId stay, Problem& problem) {
  std::vector<PoolId> pools;
  for (const std::string_view word : csvWords(field(RuleColumn::allowed))) {
    HW_TRY(pool, poolNamed(word, problem));
    pools.push_back(pool);
  }
  std::ranges::sort(pools);
  pools.erase(std::unique(pools.begin(), pools.end()), pools.end());
  if (pools.empty()) return {};
  if (pools.size() == 1) {
    problem.stays[stay].pool = pools.front();
    return {};
  }
  problem.constraints.allowed.resize(problem.stays.size());
  problem.constraints.allowed[stay] = std::move(pools);
  return {};
}

Result<void> CsvRules::readPin(StayId id, Problem& problem) {
  if (field(RuleColumn::pinned).empty()) return {};
  Stay& stay = problem.stays[id];
  const std::size_t column = first_ + static_cast<std::size_t>(RuleColumn::pinned);
  HW_TRY(offset, table_.number(column, 0, (kMaxBytes - stay.size).count()));
  if (*offset % stay.alignment.count() != 0) {
    return table_.refuse(fmt::format("is pinned to {}; expected a multiple of its alignment {}",
                                     *offset, stay.alignment.count()));
  }
  if (!stay.pool) freePins_.push_back({id, table_.line()});
  stay.pinned = Bytes(*offset);
  return {};
}

Result<std::vector<std::int64_t>> CsvRules::readClock(RuleColumn column) {
  std::vector<std::int64_t> clock;
  bool sane = true;
  for (const std::string_view part : splitText(field(column), '.')) {
    const auto count = parseInteger(part);
    sane = sane && count && *count >= 0 && *count <= kMostClock && clock.size() < kMostClockThreads;
    if (!sane) break;
    clock.push_back(*count);
  }
  if (threads_ == 0) threads_ = clock.size();
  if (sane && clock.size() == threads_) return clock;
  return table_.refuse(fmt::format(
      "has {} '{}'; expected a clock of numbers from 0 to 2^40 such as 3.0.2, one for each of at "
      "most {} threads, as many in all rows",
      ruleTitle(column), printable(field(column), 40), kMostClockThreads));
}

Result<void> CsvRules::readClocks() {
  HW_TRY(begin, readClock(RuleColumn::begin));
  HW_TRY(end, readClock(RuleColumn::end));
  bool less = false;
  bool more = false;
  for (std::size_t i = 0; i < begin.size(); ++i) {
    less |= begin[i] < end[i];
    more |= begin[i] > end[i];
  }
  if (!less || more) {
    return table_.refuse(fmt::format(
        "has begin {} and end {}; expected an end that is nowhere less, and somewhere more",
        printable(field(RuleColumn::begin), 40), printable(field(RuleColumn::end), 40)));
  }
  if (lives_.size() == kMostClockRows) {
    return table_.refuse(fmt::format("is one of more than {} with clocks", kMostClockRows));
  }
  lives_.add({std::move(begin), std::move(end)});
  return {};
}

Result<void> CsvRules::addClocks(StatedRules& rules) const {
  if (!clocks_) return {};
  const auto conflicts = conflictsOf(lives_, kMostRulePairs);
  if (!conflicts) {
    return fail(ErrorCode::unsupported, fmt::format("the clocks come to more than {} conflicts",
                                                    groupDigits(kMostRulePairs)));
  }
  for (const StayPair& pair : *conflicts) rules.add(PairRule::conflict, pair.a, pair.b, 0);
  return {};
}

Result<void> CsvRules::addWord(std::string_view word, const Words& words,
                               StatedRules& rules) const {
  const bool priced = words.rule == PairRule::penalty;
  const auto [id, cost] = priced ? atColon(word) : std::pair(word, std::string_view());
  const auto price = priced ? parseInteger(cost) : std::optional<std::int64_t>(0);
  const auto name = csvWordText(id);
  const auto found = name ? byName_.find(*name) : byName_.end();
  const bool sane = price && *price >= 0 && *price <= kMostPenalty;
  if (!sane || found == byName_.end() || found->second == words.tensor) {
    return fail(ErrorCode::malformed,
                fmt::format("buffer '{}' has {} '{}'; expected the id of another row{}",
                            printable((*tensors_)[words.tensor].name, 80),
                            kPairRules[static_cast<std::size_t>(words.rule)], printable(word, 80),
                            priced ? " and a cost, such as b1:3" : ""),
                fmt::format("line {}", words.line));
  }
  const StayId other = stayOf_[found->second];
  if (other) rules.add(words.rule, stayOf_[words.tensor], other, words.line, *price);
  return {};
}

Result<std::vector<std::string>> CsvRules::apply(const IdMap<TensorId, Tensor>& tensors,
                                                 Problem& problem) && {
  if (!any_) return std::vector<std::string>();
  if (problem.pools.size() > 1 && !freePins_.empty()) {
    const Stay& stay = problem.stays[freePins_.front().stay];
    return fail(ErrorCode::malformed,
                fmt::format("buffer '{}' is pinned; expected one pool in column 'allowed'",
                            printable(tensors[TensorId(stay.buffer.index())].name, 80)),
                fmt::format("line {}", freePins_.front().line));
  }
  tensors_ = &tensors;
  auto& allowed = problem.constraints.allowed;
  if (!allowed.empty()) allowed.resize(problem.stays.size());
  if (!words_.empty()) {
    for (const TensorId id : tensors.keys()) byName_.emplace(tensors[id].name, id);
  }
  StatedRules rules(
      problem,
      [&](StayId id) {
        return printable(tensors[TensorId(problem.stays[id].buffer.index())].name, 80);
      },
      [](PairRule, std::size_t line) { return fmt::format("line {}", line); });
  for (const Words& words : words_) {
    for (const std::string_view word : csvWords(words.text)) HW_DO(addWord(word, words, rules));
  }
  HW_DO(addClocks(rules));
  if (ownTime_) rules.timeByConflicts(clocks_ ? orderOf(lives_) : std::vector<StayId>());
  return std::move(rules).apply();
}

}  // namespace hw
