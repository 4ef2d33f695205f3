// Lives made up for lists of conflicts: they say the conflicts, no more and no less.

#include "core/plan/virtual_time.h"

#include <set>

#include "core/plan/constraint_use.h"
#include "core/plan/validate.h"
#include "tests/support/must.h"
#include "tests/support/problems.h"

namespace hw {
namespace {

Problem problemAfter(const VirtualTime& time, std::size_t stays) {
  Problem problem;
  problem.pools.add({.name = "L2"});
  for (std::size_t i = 0; i < stays; ++i) {
    problem.stays.add({.buffer = BufferId(i), .size = Bytes(1)});
  }
  time.applyTo(problem);
  return problem;
}

bool isSoundInTime(const Problem& problem) {
  Plan nothing;
  nothing.status = PlanStatus::stopped;
  nothing.addresses.resize(problem.stays.size());
  return validate(problem, nothing).empty();
}

std::vector<StayPair> drawnConflicts(test::Dice& dice, std::size_t stays, int percent) {
  std::vector<StayPair> pairs;
  for (std::size_t a = 0; a < stays; ++a) {
    for (std::size_t b = a + 1; b < stays; ++b) {
      if (dice.chance(percent)) pairs.push_back({StayId(a), StayId(b)});
    }
  }
  return pairs;
}

}  // namespace

TEST_CASE("lives made up for conflicts say just these", "[plan][virtual-time]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{60}));
  CAPTURE(seed);
  test::Dice dice(seed);
  const auto stays = static_cast<std::size_t>(dice.roll(0, 40));
  const auto pairs = drawnConflicts(dice, stays, static_cast<int>(dice.roll(0, 100)));
  std::vector<StayPair> stated = pairs;
  stated.insert(stated.end(), pairs.begin(), pairs.end());  // Twice is the same.
  dice.shuffle(stated);
  const Problem problem = problemAfter(virtualTimeOf(stays, stated), stays);
  CHECK(isSoundInTime(problem));
  CHECK(problem.constraints.virtualTime);
  CHECK(problem.constraints.exclusive.empty());
  CHECK(conflictsOf(problem) == pairs);
}

TEST_CASE("conflicts of intervals take no pair that is apart", "[plan][virtual-time]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{60}));
  CAPTURE(seed);
  const Problem real =
      test::randomProblem(seed, {.stays = 60, .steps = 50, .maxLength = 3 + int(seed % 20)});
  const auto pairs = conflictsOf(real);
  const VirtualTime time = virtualTimeOf(real.stays.size(), pairs);
  CHECK(time.apart.empty());
  CHECK(conflictsOf(problemAfter(time, real.stays.size())) == pairs);
}

TEST_CASE("a path of four in a circle needs one pair that is apart", "[plan][virtual-time]") {
  const auto pair = [](std::size_t a, std::size_t b) { return StayPair{StayId(a), StayId(b)}; };
  const VirtualTime time = virtualTimeOf(4, {pair(0, 1), pair(1, 2), pair(2, 3), pair(0, 3)});
  CHECK(time.apart.size() == 1);
}

TEST_CASE("of many conflicts, most are overlaps and it does not take long",
          "[plan][virtual-time]") {
  const Problem real = test::randomProblem(5, {.stays = 20'000, .steps = 4'000, .maxLength = 20});
  const auto pairs = conflictsOf(real);
  CHECK(virtualTimeOf(real.stays.size(), pairs).apart.size() <= pairs.size() / 20);
}

TEST_CASE("vector clocks say who ends before whom begins", "[plan][virtual-time]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{40}));
  CAPTURE(seed);
  test::Dice dice(seed);
  const auto threads = static_cast<std::size_t>(dice.roll(1, 4));
  const auto stays = static_cast<std::size_t>(dice.roll(1, 30));
  IdMap<StayId, ClockLife> lives(stays);
  std::set<StayPair> expected;
  for (ClockLife& life : lives) {
    for (std::size_t i = 0; i < threads; ++i) {
      life.begin.push_back(dice.roll(0, 12));
      life.end.push_back(life.begin.back() + dice.roll(i == 0 ? 1 : 0, 4));
    }
  }
  const auto before = [&](StayId a, StayId b) {
    bool ordered = true;
    for (std::size_t i = 0; i < threads; ++i) {
      ordered = ordered && lives[a].end[i] <= lives[b].begin[i];
    }
    return ordered;
  };
  for (const StayId a : lives.keys()) {
    for (const StayId b : lives.keys()) {
      if (a < b && !before(a, b) && !before(b, a)) expected.insert({a, b});
    }
  }
  const auto conflicts = test::must(conflictsOf(lives, stays * stays));
  CHECK(std::set(conflicts.begin(), conflicts.end()) == expected);
  const VirtualTime time = virtualTimeIn(orderOf(lives), conflicts);
  if (threads == 1) CHECK(time.apart.empty());
  CHECK(conflictsOf(problemAfter(time, stays)) == conflicts);
  for (const StayId a : lives.keys()) {
    for (const StayId b : lives.keys()) {
      if (before(a, b)) CHECK(time.lives[a].end <= time.lives[b].begin);
    }
  }
  if (!conflicts.empty()) CHECK_FALSE(conflictsOf(lives, conflicts.size() - 1));
}

}  // namespace hw
