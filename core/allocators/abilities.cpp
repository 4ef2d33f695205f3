#include "core/allocators/abilities.h"

namespace hw {
namespace {

Stay stay(std::int64_t size, std::int64_t begin, std::int64_t end) {
  return {.steps = {Step(begin), Step(end)}, .size = Bytes(size)};
}

Problem problemOf(std::initializer_list<Stay> stays) {
  Problem problem;
  problem.pools.add({.name = "L2"});
  for (Stay each : stays) {
    each.buffer = BufferId(problem.stays.size());
    problem.steps = std::max(problem.steps, each.steps.end);
    problem.stays.add(each);
  }
  return problem;
}

/// Both live all the time; the first has to be at 24.
Ability askForPins(const Allocator& allocator) {
  Problem problem = problemOf({stay(8, 0, 2), stay(8, 0, 2)});
  problem.stays[StayId(0)].pinned = Bytes(24);
  const auto plan = allocator.plan(problem, {});
  return plan ? Ability::used : Ability::refused;
}

/// The first is not needed at steps 1 and 2, which is when the second lives: 8 bytes will do.
Ability askForGaps(const Allocator& allocator) {
  Problem problem = problemOf({stay(8, 0, 4), stay(8, 1, 3)});
  problem.gaps.push_back({StayId(0), {Step(1), Step(3)}});
  const auto plan = allocator.plan(problem, {});
  if (!plan) return Ability::refused;
  return plan->footprint(PoolId(0)) == Bytes(8) ? Ability::used : Ability::ignored;
}

}  // namespace

AllocatorAbilities abilitiesOf(const AllocatorInfo& info) {
  const auto allocator = AllocatorChoice{.info = &info}.make();
  return {.pins = askForPins(*allocator), .gaps = askForGaps(*allocator)};
}

}  // namespace hw
