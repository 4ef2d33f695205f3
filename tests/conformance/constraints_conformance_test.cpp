// Random problems with every constraint go through every allocator: each heeds what it says that it
// heeds, or refuses.

#include <algorithm>
#include <map>
#include <optional>

#include "core/allocators/abilities.h"
#include "core/allocators/heap.h"
#include "core/memory/chunk_map.h"
#include "core/plan/constraint_use.h"
#include "core/plan/metrics.h"
#include "core/plan/validate.h"
#include "tests/conformance/subjects.h"
#include "tests/support/constrained_problems.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

using namespace hw;

namespace {

constexpr std::uint64_t kProblems = 10'000;

test::ConstrainedShape constrainedShape(std::uint64_t seed) {
  return {.stays = 2 + seed % 13,
          .pools = 1 + seed % 3,
          .maxSize = seed % 7 == 0 ? 400 : 40,
          .pins = seed % 4 == 0,
          .gaps = seed % 3 == 0,
          .percent = seed % 5 == 0 ? 40 : 15};
}

/// The bytes of a pool that somebody has at a step, byte by byte.
std::int64_t unionAt(const Problem& problem, const Plan& plan, PoolId pool, Step step) {
  std::map<std::int64_t, bool> bytes;
  for (const StayId id : problem.stays.keys()) {
    if (plan.addresses[id]->pool != pool) continue;
    const auto lives = problem.liveSteps(id);
    if (std::ranges::none_of(lives, [&](const auto& live) { return live.contains(step); }))
      continue;
    const std::int64_t begin = plan.flatOffset(id)->count();
    for (std::int64_t at = begin; at < begin + problem.stays[id].size.count(); ++at) {
      bytes[at] = true;
    }
  }
  return static_cast<std::int64_t>(bytes.size());
}

/// The story has at every step as many bytes with an owner as the plan, and so have its figures.
void checkStory(const Problem& problem, const Plan& plan) {
  IdMap<PoolId, ChunkMap> chunks(problem.pools.size());
  IdMap<PoolId, std::int64_t> most(problem.pools.size(), 0);
  auto event = plan.story.begin();
  for (Step step; step < problem.steps; step += Step(1)) {
    // What ends with a step is given back behind all that begins with it.
    while (event != plan.story.end() &&
           (event->step < step.count() ||
            (event->step == step.count() && event->kind != EventKind::free))) {
      chunks[event->poolId()].apply(*event++);
    }
    for (const PoolId pool : problem.pools.keys()) {
      const std::int64_t taken = unionAt(problem, plan, pool, step);
      REQUIRE(chunks[pool].inUse().count() == taken);
      most[pool] = std::max(most[pool], taken);
    }
  }
  const PlanMetrics metrics = measure(problem, plan);
  for (const PoolId pool : problem.pools.keys()) {
    REQUIRE(metrics.pools[pool].peakLive.count() == most[pool]);
    REQUIRE(metrics.pools[pool].lowerBound <= metrics.pools[pool].peak);
  }
}

/// The least peak and the least penalty within a capacity over all plans of one pool.
struct Brute {
  std::optional<std::int64_t> peak{};
  std::optional<std::int64_t> cost{};
};

/// Tries every offset of every stay below the capacity.
void tryAll(const Problem& problem, std::int64_t capacity, Plan& plan, StayId id, Brute& best) {
  if (id.index() == problem.stays.size()) {
    if (!test::brokenRules(problem, plan).empty()) return;
    std::int64_t top = 0;
    for (const StayId each : problem.stays.keys()) {
      top = std::max(top, (plan.addresses[each]->offset + problem.stays[each].size).count());
    }
    const std::int64_t cost = test::naivePenalty(problem, plan);
    best.peak = std::min(top, best.peak.value_or(top));
    best.cost = std::min(cost, best.cost.value_or(cost));
    return;
  }
  const std::int64_t size = problem.stays[id].size.count();
  for (std::int64_t at = 0; at + size <= capacity; at += problem.stays[id].alignment.count()) {
    plan.addresses[id] = Address{PoolId(0), RegionId(0), Bytes(at)};
    tryAll(problem, capacity, plan, StayId(id.index() + 1), best);
  }
}

Brute bruteForce(const Problem& problem, std::int64_t capacity) {
  Plan plan{.addresses = IdMap<StayId, std::optional<Address>>(problem.stays.size())};
  plan.regions.add(IdMap<RegionId, Bytes>({Bytes(capacity)}));
  Brute best;
  tryAll(problem, capacity, plan, StayId(0), best);
  return best;
}

}  // namespace

TEST_CASE("optima and bounds are those of trying everything", "[conformance][constraints]") {
  int impossible = 0;
  int paying = 0;
  for (const std::uint64_t seed : test::Seeds(300)) {
    Problem problem = test::constrainedProblem(
        seed, {.stays = 2 + seed % 4, .maxSize = 4, .gaps = seed % 3 == 0, .percent = 25});
    const std::int64_t capacity = 5 + static_cast<std::int64_t>(seed % 5);
    problem.pools[PoolId(0)].capacity = Bytes(capacity);
    const Brute best = bruteForce(problem, capacity);
    const auto cheap =
        test::must(AllocatorChoice::parse("best:for=penalty")->make()->plan(problem, {}));
    REQUIRE((cheap.status == PlanStatus::infeasible) == !best.cost);
    impossible += best.cost ? 0 : 1;
    if (!best.cost) continue;
    REQUIRE(penaltyOf(problem, cheap) == *best.cost);
    REQUIRE(cheap.penaltyBound == *best.cost);
    paying += *best.cost > 0 ? 1 : 0;
    for (const char* name : {"exact", "best"}) {
      const auto low = test::must(AllocatorChoice::parse(name)->make()->plan(problem, {}));
      REQUIRE(low.footprint(PoolId(0)).count() == *best.peak);
      REQUIRE(lowerBound(problem, PoolId(0)).count() <= *best.peak);
    }
  }
  CHECK(impossible >= test::atLeast(10));
  CHECK(paying >= test::atLeast(20));
}

TEST_CASE("every allocator heeds constraints or refuses them", "[conformance][constraints]") {
  const std::size_t count = allocatorCatalog().size();
  std::map<std::string_view, std::pair<int, int>> answers;  // Asked, planned.
  for (const std::uint64_t seed : test::Seeds(kProblems)) {
    const auto subject = test::subject(seed % count);
    CAPTURE(subject.info->name);
    const Problem problem = test::constrainedProblem(seed, constrainedShape(seed));
    const auto plan = subject.allocator->plan(problem, test::quickContext());
    auto& [asked, planned] = answers[subject.info->name];
    ++asked;
    if (!plan) {
      REQUIRE(plan.error().code == ErrorCode::unsupported);
      continue;
    }
    ++planned;
    REQUIRE(test::brokenRules(problem, *plan).empty());
    REQUIRE(validate(problem, *plan).empty());
    REQUIRE(penaltyOf(problem, *plan) == test::naivePenalty(problem, *plan));
    // Online methods keep what a gap would let others have.
    if (seed % 4 == 0 && problem.gaps.empty()) checkStory(problem, *plan);
  }
  for (const std::string_view name :
       {"best", "exact", "fast", "greedy-by-size", "greedy-by-breadth", "in-order", "stacked",
        "size-length", "keep-best"}) {
    CAPTURE(name);
    CHECK(answers[name].first > 0);
    CHECK(answers[name].first == answers[name].second);
  }
}

TEST_CASE("the abilities of the catalogue are those that plans show",
          "[conformance][constraints]") {
  for (const std::string_view name : {"best", "exact", "fast", "greedy-by-size", "keep-best"}) {
    CAPTURE(name);
    const AllocatorAbilities abilities = abilitiesOf(**findAllocator(name));
    for (const AbilityRow& row : kAbilityRows) {
      CAPTURE(row.name);
      CHECK(abilities.*row.ability != Ability::refused);
    }
    CHECK((abilities.penalties == Ability::used) == (name == "best"));
  }
  const AllocatorAbilities online = abilitiesOf(**findAllocator("free-list"));
  CHECK(online.apart == Ability::refused);
  CHECK(online.together == Ability::refused);
  CHECK(online.reserved == Ability::refused);
  CHECK(online.allowed == Ability::used);
  CHECK(online.exclusive == Ability::ignored);
}
