#include "core/plan/problem.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace hw {

std::span<const Overlay> Problem::overlaysOf(StayId stay) const {
  // Clang 14 cannot use the subrange that std::ranges::equal_range returns.
  const auto first = std::ranges::lower_bound(overlays, stay, {}, &Overlay::stay);
  return {first, std::ranges::upper_bound(first, overlays.end(), stay, {}, &Overlay::stay)};
}

const Overlap* Problem::overlapOf(StayId over) const {
  const auto found = std::ranges::lower_bound(overlaps, over, {}, &Overlap::over);
  return found != overlaps.end() && found->over == over ? &*found : nullptr;
}

Apart Problem::apart(const Overlap& overlap) const {
  Apart apart{.below = stays[overlap.over].size, .above = stays[overlap.under].size};
  if (overlap.up) apart.below = std::min(apart.below, *overlap.up);
  if (overlap.down) apart.above = std::min(apart.above, *overlap.down);
  return apart;
}

std::vector<Interval<Step>> Problem::gapsOf(StayId stay) const {
  std::vector<Interval<Step>> found;
  for (auto gap = std::ranges::lower_bound(gaps, stay, {}, &Gap::stay);
       gap != gaps.end() && gap->stay == stay; ++gap) {
    found.push_back(gap->steps);
  }
  return found;
}

std::vector<Interval<Step>> Problem::liveSteps(StayId stay) const {
  std::vector<Interval<Step>> live;
  Step begin = stays[stay].steps.begin;
  for (const Interval<Step>& gap : gapsOf(stay)) {
    if (begin < gap.begin) live.push_back({begin, gap.begin});
    begin = gap.end;
  }
  if (begin < stays[stay].steps.end) live.push_back({begin, stays[stay].steps.end});
  return live;
}

std::optional<Bytes> commonAlignment(const Problem& problem) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  std::int64_t multiple = 1;
  for (const Stay& stay : problem.stays) {
    const std::int64_t alignment = stay.alignment.count();
    const auto product = checkedMul(multiple / std::gcd(multiple, alignment), alignment);
    if (!product || *product > kMost) return std::nullopt;
    multiple = *product;
  }
  return Bytes(multiple);
}

namespace {

void addOnce(std::vector<StayId>& stays, StayId id) {
  if (id && std::ranges::find(stays, id) == stays.end()) stays.push_back(id);
}

std::vector<StepUses> listOf(std::map<Step, StepUses> uses) {
  std::vector<StepUses> list;
  list.reserve(uses.size());
  for (auto& [step, use] : uses) {
    use.step = step;
    list.push_back(std::move(use));
  }
  return list;
}

/// A stay that residency chose may be there before and after the ops that touch it.
std::vector<StepUses> usesWithMoves(const Problem& problem) {
  std::map<Step, StepUses> uses;
  for (const StepUses& use : problem.uses) uses[use.step] = use;
  for (const Move& move : problem.moves) {
    addOnce(uses[move.step].reads, move.from);
    addOnce(uses[move.step].writes, move.to);
  }
  for (const StayId id : problem.stays.keys()) {
    addOnce(uses[problem.stays[id].steps.end - Step(1)].reads, id);
  }
  return listOf(std::move(uses));
}

}  // namespace

std::vector<StepUses> usesOf(const Problem& problem) {
  if (!problem.moves.empty()) return usesWithMoves(problem);
  if (!problem.uses.empty()) return problem.uses;
  std::map<Step, StepUses> uses;
  for (const StayId id : problem.stays.keys()) {
    const Interval<Step> steps = problem.stays[id].steps;
    uses[steps.begin].writes.push_back(id);
    if (steps.length() > Step(1)) uses[steps.end - Step(1)].reads.push_back(id);
  }
  return listOf(std::move(uses));
}

bool isStore(const Problem& problem, const Move& move) {
  if (!move.from || !move.to) return !move.to;
  const auto level = [&](StayId stay) { return problem.pools[problem.poolOf(stay)].level; };
  return level(move.from) < level(move.to);
}

}  // namespace hw
