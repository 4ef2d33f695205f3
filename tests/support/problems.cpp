#include "tests/support/problems.h"

#include <algorithm>
#include <array>

namespace hw::test {
namespace {

Interval<Step> randomSteps(Dice& dice, const ProblemShape& shape) {
  const std::int64_t begin = dice.roll(0, shape.steps - 1);
  std::int64_t end = begin + dice.roll(1, shape.maxLength);
  if (dice.chance(10)) end = shape.steps;
  return {Step(begin), Step(std::min(end, shape.steps))};
}

/// Gaps leave the first and the last step of a stay alone, as an idle buffer's would.
void addGaps(Dice& dice, Problem& problem, StayId id) {
  const Interval<Step> steps = problem.stays[id].steps;
  std::int64_t from = steps.begin.count() + 1;
  const std::int64_t last = steps.end.count() - 1;
  const std::int64_t wanted = dice.roll(1, 2);
  for (std::int64_t i = 0; i < wanted && from < last; ++i) {
    const std::int64_t begin = dice.roll(from, last - 1);
    const std::int64_t end = dice.roll(begin + 1, last);
    problem.gaps.push_back({id, {Step(begin), Step(end)}});
    from = end + 1;
  }
}

bool shareSteps(const Problem& problem, StayId a, StayId b) {
  for (const Interval<Step>& one : problem.liveSteps(a)) {
    for (const Interval<Step>& other : problem.liveSteps(b)) {
      if (one.overlaps(other)) return true;
    }
  }
  return false;
}

/// The lowest offset at which `id` clashes with none of `placed`.
Bytes lowestFit(const Problem& problem, const std::vector<StayId>& placed,
                const IdMap<StayId, Bytes>& offsets, StayId id) {
  const Stay& stay = problem.stays[id];
  Bytes at;
  for (bool moved = true; moved;) {
    moved = false;
    for (const StayId other : placed) {
      const Interval<Bytes> there{offsets[other], offsets[other] + problem.stays[other].size};
      if (!there.overlaps({at, at + stay.size}) || !shareSteps(problem, id, other)) continue;
      at = alignUp(there.end, stay.alignment);
      moved = true;
    }
  }
  return at;
}

}  // namespace

Problem randomProblem(std::uint64_t seed, const ProblemShape& shape) {
  Dice dice(seed);
  Problem problem;
  problem.steps = Step(shape.steps);
  for (std::size_t i = 0; i < shape.pools; ++i)
    problem.pools.add({.name = "P" + std::to_string(i)});
  constexpr std::array<Bytes, 6> alignments = {Bytes(2),  Bytes(3),  Bytes(4),
                                               Bytes(12), Bytes(16), Bytes(64)};
  Bytes pin;
  for (std::size_t i = 0; i < shape.stays; ++i) {
    Stay stay;
    stay.buffer = BufferId(i);
    stay.steps = randomSteps(dice, shape);
    stay.size = Bytes(dice.roll(1, shape.maxSize));
    if (dice.chance(shape.alignedPercent))
      stay.alignment = alignments[static_cast<std::size_t>(dice.roll(0, 5))];
    if (dice.chance(shape.assignedPercent)) {
      stay.pool = PoolId(
          static_cast<std::size_t>(dice.roll(0, static_cast<std::int64_t>(shape.pools) - 1)));
    }
    if (dice.chance(shape.pinnedPercent)) {
      stay.pinned = alignUp(pin, stay.alignment);
      pin = *stay.pinned + stay.size;
    }
    const StayId id = problem.stays.add(stay);
    if (dice.chance(shape.gapPercent)) addGaps(dice, problem, id);
  }
  return problem;
}

Problem problemOf(std::initializer_list<DrawnStay> stays) {
  Problem problem;
  problem.pools.add({.name = "L2"});
  for (const DrawnStay& drawn : stays) {
    Stay stay;
    stay.buffer = BufferId(problem.stays.size());
    stay.steps = {Step(drawn.begin), Step(drawn.end)};
    stay.size = Bytes(drawn.size);
    stay.alignment = Bytes(drawn.alignment);
    problem.steps = std::max(problem.steps, stay.steps.end);
    problem.stays.add(stay);
  }
  return problem;
}

Plan planAt(const Problem& problem, const std::vector<std::int64_t>& offsets) {
  Plan plan;
  Bytes top;
  for (const StayId id : problem.stays.keys()) {
    const std::int64_t offset = offsets.at(id.index());
    if (offset < 0) {
      plan.addresses.add(std::nullopt);
      continue;
    }
    plan.addresses.add(Address{PoolId(0), RegionId(0), Bytes(offset)});
    top = std::max(top, Bytes(offset) + problem.stays[id].size);
  }
  plan.regions.add({top});
  return plan;
}

Plan stackedPlan(const Problem& problem) {
  Plan plan;
  IdMap<PoolId, Bytes> tops(problem.pools.size());
  for (const StayId id : problem.stays.keys()) {
    const PoolId pool = problem.poolOf(id);
    const Bytes offset = alignUp(tops[pool], problem.stays[id].alignment);
    plan.addresses.add(Address{pool, RegionId(0), offset});
    tops[pool] = offset + problem.stays[id].size;
  }
  for (const PoolId pool : problem.pools.keys()) plan.regions.add({tops[pool]});
  return plan;
}

Bytes bruteForcePeak(const Problem& problem) {
  // In any plan, push everything down as far as it goes, lowest first: that is the lowest fit of
  // its own order by offset, so the best order gives the best plan.
  std::vector<StayId> order = problem.stays.keys().toVector();
  Bytes best = kMaxBytes;
  do {
    std::vector<StayId> placed;
    IdMap<StayId, Bytes> offsets(problem.stays.size());
    Bytes top;
    for (const StayId id : order) {
      offsets[id] = lowestFit(problem, placed, offsets, id);
      placed.push_back(id);
      top = std::max(top, offsets[id] + problem.stays[id].size);
    }
    best = std::min(best, top);
  } while (std::ranges::next_permutation(order).found);
  return problem.stays.empty() ? Bytes() : best;
}

std::vector<std::pair<StayId, StayId>> naiveClashes(const Problem& problem, const Plan& plan) {
  std::vector<std::pair<StayId, StayId>> clashes;
  const auto holds = [&](StayId id, std::int64_t step) {
    for (const Interval<Step>& live : problem.liveSteps(id)) {
      if (live.contains(Step(step))) return true;
    }
    return false;
  };
  for (const StayId a : problem.stays.keys()) {
    for (std::size_t i = a.index() + 1; i < problem.stays.size(); ++i) {
      const StayId b(i);
      const auto& one = plan.addresses[a];
      const auto& other = plan.addresses[b];
      if (!one || !other || one->pool != other->pool || one->region != other->region) continue;
      const Bytes low = std::max(one->offset, other->offset);
      const Bytes high =
          std::min(one->offset + problem.stays[a].size, other->offset + problem.stays[b].size);
      bool clash = false;
      for (std::int64_t step = 0; step < problem.steps.count() && low < high; ++step) {
        clash = clash || (holds(a, step) && holds(b, step));
      }
      if (clash) clashes.emplace_back(a, b);
    }
  }
  return clashes;
}

}  // namespace hw::test
