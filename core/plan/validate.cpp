#include "core/plan/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/plan/audit.h"
#include "core/plan/constraint_audit.h"
#include "core/plan/constraint_use.h"
#include "core/plan/life_edges.h"

namespace hw {
namespace {

/// Judges one plan. Nothing in it is trusted: ids may point nowhere, sums may leave 64 bits.
class Validator {
 public:
  Validator(const Problem& problem, const Plan& plan, std::size_t limit)
      : problem_(problem), plan_(plan), limit_(limit) {}

  std::vector<Violation> run() {
    layOutRegions();
    const bool sound = auditProblem();
    for (const StayId id : problem_.stays.keys()) {
      if (sound && auditAddress(id)) placed_.push_back(id);
    }
    if (sound) auditSharedBytes();
    auditStatus();
    return std::move(found_);
  }

 private:
  struct Range {
    PoolId pool{};
    RegionId region{};
    Bytes begin{};
    Bytes end{};
    StayId stay{};
    friend auto operator<=>(const Range&, const Range&) = default;
  };

  bool full() const { return found_.size() >= limit_; }

  void report(std::string message, StayId a = {}, StayId b = {}) {
    if (!full()) found_.push_back({std::move(message), a, b});
  }

  void layOutRegions();
  bool auditProblem();
  bool auditStay(StayId id);
  bool auditGaps();
  bool auditSharing();
  bool auditAddress(StayId id);
  bool auditPlace(StayId id, const Address& address);
  bool auditOffset(StayId id, const Address& address);
  LifeEdges edges() const;
  void auditSharedBytes();
  void auditOverlaps();
  void enter(StayId id);
  bool takesOver(StayId id);
  void makeWay(StayId id);
  void leave(StayId id);
  void clash(StayId a, StayId b);
  void auditStatus();
  bool claimsToFit() const {
    return plan_.status == PlanStatus::optimal || plan_.status == PlanStatus::complete;
  }
  Range rangeOf(StayId id) const {
    const Address& at = *plan_.addresses[id];
    return {at.pool, at.region, at.offset, at.offset + problem_.stays[id].size, id};
  }
  static bool sameRegion(const Range& a, const Range& b) {
    return a.pool == b.pool && a.region == b.region;
  }

  const Problem& problem_;
  const Plan& plan_;
  std::size_t limit_;
  std::vector<Violation> found_;
  std::vector<StayId> placed_;                    ///< Those whose address makes sense at all.
  IdMap<PoolId, IdMap<RegionId, Bytes>> starts_;  ///< Of each region in its pool; one past at end.
  std::set<Range> live_;                          ///< Disjoint, by region.
  std::set<StayId> leftOut_;                      ///< Live, but overlapping something in `live_`.
  /// The stay that takes over the bytes of a live stay when that ends, by the stay they still
  /// belong to.
  std::map<StayId, StayId> heirs_;
  /// The bytes that live stays still have to themselves while others are written over the rest of
  /// them.
  std::map<StayId, std::vector<Range>> rests_;
  std::set<std::pair<StayId, StayId>> clashes_;  ///< Pairs reported already.
};

/// Finds where every region starts when they are laid one after the other. Sums stop at kMaxBytes.
void Validator::layOutRegions() {
  for (const PoolId pool : plan_.regions.keys()) {
    IdMap<RegionId, Bytes> starts;
    Bytes at;
    bool broken = false;
    for (const Bytes size : plan_.regions[pool]) {
      starts.add(at);
      broken |= size < Bytes() || size > kMaxBytes - at;
      if (!broken) at += size;
    }
    starts.add(at);
    starts_.add(std::move(starts));
    if (broken)
      report(fmt::format("pool {}: region sizes are negative or too large", pool.index()));
    if (!problem_.pools.contains(pool) && !plan_.regions[pool].empty()) {
      report(fmt::format("the plan uses pool {}, the problem has {}", pool.index(),
                         problem_.pools.size()));
    }
  }
}

bool Validator::auditStay(StayId id) {
  const Stay& stay = problem_.stays[id];
  const auto malformed = [&](const char* what) {
    report(fmt::format("stay {} is malformed: {}", id.index(), what), id);
    return false;
  };
  if (stay.size <= Bytes() || stay.size > kMaxBytes) return malformed("size out of range");
  if (stay.alignment <= Bytes()) return malformed("alignment is not positive");
  if (stay.steps.empty() || stay.steps.begin < Step()) return malformed("it lives for no step");
  if (stay.steps.end > problem_.steps) return malformed("it outlives the schedule");
  if (stay.pool && !problem_.pools.contains(stay.pool)) return malformed("no such pool");
  return true;
}

bool Validator::auditGaps() {
  const Gap* before = nullptr;
  for (const Gap& gap : problem_.gaps) {
    const bool inside = problem_.stays.contains(gap.stay) && !gap.steps.empty() &&
                        problem_.stays[gap.stay].steps.begin <= gap.steps.begin &&
                        gap.steps.end <= problem_.stays[gap.stay].steps.end;
    const bool ordered = !before || before->stay < gap.stay ||
                         (before->stay == gap.stay && before->steps.end <= gap.steps.begin);
    if (!inside || !ordered) {
      report(fmt::format("gap [{}, {}) of stay {} is outside it or out of order",
                         gap.steps.begin.count(), gap.steps.end.count(), gap.stay.index()),
             gap.stay);
      return false;
    }
    before = &gap;
  }
  return true;
}

bool Validator::auditSharing() {
  std::vector<Violation> found = auditPermissions(problem_);
  for (Violation& each : auditConstraints(problem_)) found.push_back(std::move(each));
  for (Violation& each : found) report(std::move(each.message), each.a, each.b);
  return found.empty();
}

/// False when the problem itself makes no sense, so that no plan of it can be judged.
bool Validator::auditProblem() {
  bool sound = auditGaps() && auditSharing();
  if (problem_.steps > kMaxStep + Step(1)) {
    report(fmt::format("the schedule has {} steps, more than {}", problem_.steps.count(),
                       kMaxStep.count() + 1));
    sound = false;
  }
  if (problem_.pools.empty() && !problem_.stays.empty()) {
    report("the problem has no pool");
    sound = false;
  }
  for (const StayId id : problem_.stays.keys()) sound = auditStay(id) && sound;
  if (plan_.addresses.size() != problem_.stays.size()) {
    report(fmt::format("the plan has {} addresses for {} stays", plan_.addresses.size(),
                       problem_.stays.size()));
    sound = false;
  }
  if (sound && !problem_.moves.empty()) {
    for (Violation& found : auditMoves(problem_, limit_)) report(std::move(found.message), found.a);
  }
  return sound;
}

/// True when `id` has an address inside memory, so that it can be compared with others.
bool Validator::auditAddress(StayId id) {
  const auto& address = plan_.addresses[id];
  if (!address) {
    if (claimsToFit()) {
      report(fmt::format("stay {} has no address, yet the plan says {}", id.index(),
                         statusName(plan_.status)),
             id);
    }
    return false;
  }
  return auditPlace(id, *address) && auditOffset(id, *address);
}

bool Validator::auditPlace(StayId id, const Address& address) {
  const Stay& stay = problem_.stays[id];
  if (!address.pool || !problem_.pools.contains(address.pool)) {
    report(fmt::format("stay {} is in a pool that does not exist", id.index()), id);
    return false;
  }
  if (!plan_.regions.contains(address.pool) ||
      !plan_.regions[address.pool].contains(address.region)) {
    report(fmt::format("stay {} is in a region that does not exist", id.index()), id);
    return false;
  }
  if (stay.pool && stay.pool != address.pool) {
    report(fmt::format("stay {} belongs in pool {}, but is in pool {}", id.index(),
                       stay.pool.index(), address.pool.index()),
           id);
  }
  return true;
}

bool Validator::auditOffset(StayId id, const Address& address) {
  const Stay& stay = problem_.stays[id];
  const Bytes region = plan_.regions[address.pool][address.region];
  if (address.offset < Bytes() || address.offset > kMaxBytes - stay.size) {
    report(fmt::format("stay {} has offset {}, outside any memory", id.index(),
                       groupDigits(address.offset.count())),
           id);
    return false;
  }
  if (address.offset + stay.size > region) {
    report(
        fmt::format("stay {} ends at {}, outside its region of {} bytes", id.index(),
                    groupDigits((address.offset + stay.size).count()), groupDigits(region.count())),
        id);
  }
  // The flat offset is what exports hand out, so it is the one that must be aligned.
  const Bytes flat = starts_[address.pool][address.region] + address.offset;
  if (!isAligned(flat, stay.alignment)) {
    report(fmt::format("stay {} at {} is not a multiple of {}", id.index(),
                       groupDigits(flat.count()), groupDigits(stay.alignment.count())),
           id);
  }
  if (stay.pinned && *stay.pinned != flat) {
    report(fmt::format("stay {} is pinned to {}, but is at {}", id.index(),
                       groupDigits(stay.pinned->count()), groupDigits(flat.count())),
           id);
  }
  return true;
}

LifeEdges Validator::edges() const {
  LifeEdges edges;
  edges.reserve(placed_.size());
  for (const StayId id : placed_) {
    const auto item = static_cast<std::uint32_t>(id.index());
    if (problem_.gaps.empty()) {
      edges.add(problem_.stays[id].steps, item);
      continue;
    }
    for (const Interval<Step>& live : problem_.liveSteps(id)) edges.add(live, item);
  }
  return edges;
}

void Validator::auditSharedBytes() {
  if (isConstrained(problem_)) {
    const auto name = [](StayId id) { return fmt::format("stay {}", id.index()); };
    for (Violation& each : auditConstrainedPlan(problem_, plan_, placed_, starts_, name)) {
      report(std::move(each.message), each.a, each.b);
    }
    // Then several may have the same bytes at once, and every pair has been looked at.
    if (letsShare(problem_)) return;
  }
  auditOverlaps();
}

/// Sweeps over the steps of all regions at once. Only the two neighbours of a range that comes live
/// can clash with it, because those in `live_` are disjoint; one that clashes stays out.
void Validator::auditOverlaps() {
  LifeEdges collected = edges();
  for (const LifeEdge& edge : collected.sorted()) {
    if (full()) return;
    edge.begins() ? enter(StayId(edge.item)) : leave(StayId(edge.item));
  }
}

/// True when `id` is written over an input that ends with this step, as the problem permits: it
/// begins where that begins, is not larger, and nobody else does the same.
bool Validator::takesOver(StayId id) {
  const auto chances = problem_.overlaysOf(id);
  if (chances.empty()) return false;
  const Range range = rangeOf(id);
  const auto there = live_.lower_bound({range.pool, range.region, range.begin, Bytes(), StayId(0)});
  if (there == live_.end() || !sameRegion(*there, range)) return false;
  if (there->begin != range.begin || there->end < range.end) return false;
  const bool permitted = std::ranges::any_of(
      chances, [&](const Overlay& chance) { return chance.over == there->stay; });
  return permitted && heirs_.emplace(there->stay, id).second;
}

/// The input that `id` is made of gives up the bytes that they share, if they begin as far apart as
/// the problem asks for; if not, they will be found to clash.
void Validator::makeWay(StayId id) {
  const Overlap* overlap = problem_.overlapOf(id);
  if (!overlap || !plan_.addresses[overlap->under]) return;
  const Range input = rangeOf(overlap->under);
  const Range output = rangeOf(id);
  const bool apart = input.end <= output.begin || output.end <= input.begin;
  if (!sameRegion(input, output) || apart) return;
  const bool forwards = overlap->up && output.begin + *overlap->up <= input.begin;
  const bool backwards = overlap->down && output.begin >= input.begin + *overlap->down;
  if ((!forwards && !backwards) || live_.erase(input) == 0) return;
  Range below = input;
  Range above = input;
  below.end = output.begin;
  above.begin = output.end;
  for (const Range& part : {below, above}) {
    if (part.begin < part.end) rests_[input.stay].push_back(part);
  }
  live_.insert(rests_[input.stay].begin(), rests_[input.stay].end());
}

void Validator::enter(StayId id) {
  if (takesOver(id)) return;
  makeWay(id);
  const Range range = rangeOf(id);
  const auto above = live_.lower_bound({range.pool, range.region, range.begin, Bytes(), StayId(0)});
  bool clashes = false;
  if (above != live_.end() && sameRegion(*above, range) && above->begin < range.end) {
    clash(above->stay, id);
    clashes = true;
  }
  if (above != live_.begin()) {
    const Range& below = *std::prev(above);
    if (sameRegion(below, range) && below.end > range.begin) {
      clash(below.stay, id);
      clashes = true;
    }
  }
  if (clashes) {
    leftOut_.insert(id);
  } else {
    live_.insert(above, range);
  }
}

void Validator::leave(StayId id) {
  if (leftOut_.erase(id) > 0) return;
  // It took over from another and leaves in the same step: it never became live on its own.
  if (std::erase_if(heirs_, [&](const auto& heir) { return heir.second == id; }) > 0) return;
  if (const auto rest = rests_.find(id); rest != rests_.end()) {
    for (const Range& part : rest->second) live_.erase(part);
    rests_.erase(rest);
    return;
  }
  live_.erase(rangeOf(id));
  if (const auto heir = heirs_.find(id); heir != heirs_.end()) {
    live_.insert(rangeOf(heir->second));
    heirs_.erase(heir);
  }
}

void Validator::clash(StayId a, StayId b) {
  if (!clashes_.insert(std::minmax(a, b)).second) return;
  const Range first = rangeOf(a);
  const Range second = rangeOf(b);
  report(fmt::format("stays {} [{}, {}) and {} [{}, {}) share bytes and steps", a.index(),
                     groupDigits(first.begin.count()), groupDigits(first.end.count()), b.index(),
                     groupDigits(second.begin.count()), groupDigits(second.end.count())),
         a, b);
}

void Validator::auditStatus() {
  bool fits = placed_.size() == problem_.stays.size();
  for (const PoolId pool : problem_.pools.keys()) {
    const auto& capacity = problem_.pools[pool].capacity;
    if (!capacity || !starts_.contains(pool)) continue;
    const Bytes footprint = starts_[pool][RegionId(starts_[pool].size() - 1)];
    if (footprint <= *capacity) continue;
    fits = false;
    if (claimsToFit()) {
      report(fmt::format("pool {} needs {} bytes and has {}, yet the plan says {}", pool.index(),
                         groupDigits(footprint.count()), groupDigits(capacity->count()),
                         statusName(plan_.status)));
    }
  }
  if (claimsToFit() && plan_.outOfMemory) {
    report(fmt::format("the plan ran out of memory, yet says {}", statusName(plan_.status)));
  }
  const bool claimsNotToFit =
      plan_.status == PlanStatus::overBudget || plan_.status == PlanStatus::infeasible;
  if (claimsNotToFit && fits && found_.empty()) {
    report(fmt::format("everything fits, yet the plan says {}", statusName(plan_.status)));
  }
}

}  // namespace

std::vector<Violation> validate(const Problem& problem, const Plan& plan, std::size_t limit) {
  return Validator(problem, plan, limit).run();
}

}  // namespace hw
