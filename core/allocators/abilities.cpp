#include "core/allocators/abilities.h"

#include <algorithm>

#include "core/plan/constraint_use.h"

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

/// Two that live one after the other. 8 bytes would do, and 16 are needed.
Ability askForApart(const Allocator& allocator) {
  Problem problem = problemOf({stay(8, 0, 1), stay(8, 1, 2)});
  problem.constraints.apart = {{StayId(0), StayId(1)}};
  return allocator.plan(problem, {}) ? Ability::used : Ability::refused;
}

/// The first and the third at one address, although the second leaves room for one of them only.
Ability askForTogether(const Allocator& allocator) {
  Problem problem = problemOf({stay(8, 0, 1), stay(8, 0, 2), stay(8, 2, 3)});
  problem.constraints.together = {{StayId(0), StayId(2)}};
  return allocator.plan(problem, {}) ? Ability::used : Ability::refused;
}

/// Both live all the time, and never at once: 8 bytes will do.
Ability askForExclusive(const Allocator& allocator) {
  Problem problem = problemOf({stay(8, 0, 2), stay(8, 0, 2)});
  problem.constraints.exclusive = {{StayId(0), StayId(1)}};
  const auto plan = allocator.plan(problem, {});
  if (!plan) return Ability::refused;
  return plan->footprint(PoolId(0)) == Bytes(8) ? Ability::used : Ability::ignored;
}

/// The second pool alone, although the first has room.
Ability askForAllowed(const Allocator& allocator) {
  Problem problem = problemOf({stay(8, 0, 2)});
  problem.pools.add({.name = "L3", .level = 1});
  problem.constraints.allowed.add({PoolId(1)});
  return allocator.plan(problem, {}) ? Ability::used : Ability::refused;
}

/// Not in the first 8 bytes.
Ability askForReserved(const Allocator& allocator) {
  Problem problem = problemOf({stay(8, 0, 2)});
  problem.pools[PoolId(0)].reserved = {{Bytes(0), Bytes(8)}};
  return allocator.plan(problem, {}) ? Ability::used : Ability::refused;
}

/// Two could share bytes, for a price, and there is room for both.
Ability askForPenalties(const AllocatorInfo& info) {
  const auto aim = std::ranges::find(info.params, "for", &ParamSpec::name);
  const bool told =
      aim != info.params.end() && std::ranges::find(aim->choices, "penalty") != aim->choices.end();
  if (!told) return Ability::ignored;
  const auto choice = AllocatorChoice::parse(std::string(info.name) + ":for=penalty");
  Problem problem = problemOf({stay(8, 0, 1), stay(8, 1, 2)});
  problem.pools[PoolId(0)].capacity = Bytes(16);
  problem.constraints.penalties = {{{StayId(0), StayId(1)}, 1}};
  const auto plan = choice ? choice->make()->plan(problem, {}) : tl::unexpected(choice.error());
  if (!plan) return Ability::refused;
  return penaltyOf(problem, *plan) == 0 ? Ability::used : Ability::ignored;
}

}  // namespace

AllocatorAbilities abilitiesOf(const AllocatorInfo& info) {
  const auto allocator = AllocatorChoice{.info = &info}.make();
  return {.pins = askForPins(*allocator),
          .gaps = askForGaps(*allocator),
          .apart = askForApart(*allocator),
          .together = askForTogether(*allocator),
          .exclusive = askForExclusive(*allocator),
          .allowed = askForAllowed(*allocator),
          .reserved = askForReserved(*allocator),
          .penalties = askForPenalties(info)};
}

}  // namespace hw
