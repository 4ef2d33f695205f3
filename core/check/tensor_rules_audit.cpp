#include "core/check/tensor_rules_audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "core/base/text.h"

namespace hw {
namespace {

using PlacesOf = std::map<TensorId, std::vector<TensorPlace>>;

class RuleJudge {
 public:
  RuleJudge(const TensorNames& names, const Storage& storage,
            const std::vector<TensorPlace>& places)
      : names_(names), storage_(storage) {
    for (const TensorPlace& place : places) places_[place.tensor].push_back(place);
  }

  void judge(const TensorRules::Pair& pair) {
    const std::string both = fmt::format("{} and {}", quoted(pair.a), quoted(pair.b));
    const auto meeting = firstMeeting(pair.a, pair.b);
    if (pair.rule == PairRule::apart && meeting) {
      found_.broken.push_back(fmt::format("{} are apart, and share bytes from {} on in {}", both,
                                          groupDigits(meeting->bytes.begin.count()),
                                          printable(meeting->pool, 40)));
    } else if (pair.rule == PairRule::together && !beginTogether(pair)) {
      found_.broken.push_back(both + " have to begin together, and do not");
    } else if (pair.rule == PairRule::penalty && meeting && !inOneBuffer(pair)) {
      constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
      found_.penalty = pair.cost > kMost - found_.penalty ? kMost : found_.penalty + pair.cost;
    }
  }

  void judge(const TensorRules::Allowed& allowed) {
    for (const TensorPlace& place : of(allowed.tensor)) {
      if (std::ranges::find(allowed.memories, place.pool) != allowed.memories.end()) continue;
      found_.broken.push_back(
          fmt::format("{} may not lie in {}", quoted(allowed.tensor), printable(place.pool, 40)));
    }
  }

  void judge(const TensorRules::Pin& pin) {
    for (const TensorPlace& place : of(pin.tensor)) {
      if (place.bytes.begin == pin.offset) continue;
      found_.broken.push_back(
          fmt::format("{} begins at {}, and is pinned to {}", quoted(pin.tensor),
                      groupDigits(place.bytes.begin.count()), groupDigits(pin.offset.count())));
    }
  }

  void judge(const TensorRules::Reserved& reserved) {
    const std::vector<Interval<Bytes>> ranges = mergedRanges(reserved.ranges);
    for (const auto& [tensor, places] : places_) {
      for (const TensorPlace& place : places) {
        if (place.pool != reserved.memory) continue;
        const auto next =
            std::ranges::upper_bound(ranges, place.bytes.begin, {}, &Interval<Bytes>::end);
        if (next == ranges.end() || !next->overlaps(place.bytes)) continue;
        found_.broken.push_back(fmt::format("{} lies on bytes of {} that are reserved",
                                            quoted(tensor), printable(place.pool, 40)));
      }
    }
  }

  TensorRulesCheck found() && { return std::move(found_); }

 private:
  std::string quoted(TensorId id) const { return "'" + printable(names_.of(id), 80) + "'"; }

  const std::vector<TensorPlace>& of(TensorId tensor) const {
    static const std::vector<TensorPlace> kNone;
    const auto found = places_.find(tensor);
    return found == places_.end() ? kNone : found->second;
  }

  /// The bytes of one memory that both have, at whatever steps.
  std::optional<TensorPlace> firstMeeting(TensorId a, TensorId b) const {
    for (const TensorPlace& one : of(a)) {
      for (const TensorPlace& other : of(b)) {
        if (one.pool != other.pool || !one.bytes.overlaps(other.bytes)) continue;
        return TensorPlace{a,
                           one.pool,
                           {std::max(one.bytes.begin, other.bytes.begin),
                            std::min(one.bytes.end, other.bytes.end)}};
      }
    }
    return {};
  }

  bool beginTogether(const TensorRules::Pair& pair) const {
    for (const TensorPlace& one : of(pair.a)) {
      for (const TensorPlace& other : of(pair.b)) {
        if (one.bytes.begin != other.bytes.begin) return false;
      }
    }
    return true;
  }

  bool inOneBuffer(const TensorRules::Pair& pair) const {
    const BufferId buffer = storage_.bufferOf(pair.a);
    return buffer && buffer == storage_.bufferOf(pair.b);
  }

  const TensorNames& names_;
  const Storage& storage_;
  PlacesOf places_;
  TensorRulesCheck found_;
};

}  // namespace

TensorRulesCheck checkTensorRules(const TensorRules& rules, const TensorNames& names,
                                  const Storage& storage, const std::vector<TensorPlace>& places) {
  RuleJudge judge(names, storage, places);
  for (const auto& each : rules.pairs) judge.judge(each);
  for (const auto& each : rules.allowed) judge.judge(each);
  for (const auto& each : rules.pins) judge.judge(each);
  for (const auto& each : rules.reserved) judge.judge(each);
  return std::move(judge).found();
}

TensorPermits::TensorPermits(const TensorRules& rules, const Storage& storage) {
  for (const auto& pair : rules.pairs) {
    const BufferId a = storage.bufferOf(pair.a);
    const BufferId b = storage.bufferOf(pair.b);
    if (!a || !b) continue;
    if (pair.rule == PairRule::exclusive) exclusive_.emplace(std::min(a, b), std::max(a, b));
    if (pair.rule != PairRule::together) continue;
    const BufferId first = firstOf(a);
    const BufferId second = firstOf(b);
    const BufferId least = std::min(first, second);
    for (const BufferId id : {a, b, first, second}) {
      if (id != least) under_[id] = least;
    }
  }
}

BufferId TensorPermits::firstOf(BufferId buffer) const {
  for (auto at = under_.find(buffer); at != under_.end(); at = under_.find(buffer)) {
    buffer = at->second;
  }
  return buffer;
}

bool TensorPermits::mayShare(BufferId a, BufferId b) const {
  return exclusive_.contains({std::min(a, b), std::max(a, b)}) || firstOf(a) == firstOf(b);
}

}  // namespace hw
