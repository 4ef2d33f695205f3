// Every allocator in the catalogue gets these for free, and so will the next one.

#include <algorithm>
#include <set>

#include "core/allocators/abilities.h"
#include "core/check/replay.h"
#include "core/memory/chunk_map.h"
#include "core/plan/metrics.h"
#include "core/plan/validate.h"
#include "core/solver/order_search.h"
#include "core/solver/orders.h"
#include "tests/conformance/subjects.h"
#include "tests/support/graphs.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

using namespace hw;
using namespace hw::literals;
using test::quickContext;

namespace {

constexpr std::uint64_t kSeeds = 60;

/// From a few long-lived stays to many short ones; sizes from all alike to all different.
test::ProblemShape shapeOf(std::uint64_t seed) {
  test::Dice dice(seed ^ 0x5EED);
  return {.stays = static_cast<std::size_t>(dice.roll(1, seed % 10 == 0 ? 120 : 25)),
          .steps = dice.roll(1, 40),
          .maxSize = dice.chance(20) ? 4 : dice.roll(10, 1'000),
          .maxLength = dice.roll(1, 20)};
}

std::size_t catalogSize() { return allocatorCatalog().size(); }

Plan planned(const test::Subject& subject, const Problem& problem) {
  return test::must(subject.allocator->plan(problem, quickContext()));
}

/// As the allocator rounds them.
Bytes sumOfSizes(const test::Subject& subject, const Problem& problem) {
  const Bytes granule = subject.info->granule;
  Bytes sum;
  for (const Stay& stay : problem.stays) sum += alignUp(stay.size, granule);
  return sum;
}

}  // namespace

TEST_CASE("every allocator plans validly, between the bound and no reuse", "[conformance]") {
  const auto subject = test::subject(GENERATE(range(std::size_t{0}, catalogSize())));
  CAPTURE(subject.info->name);
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    CAPTURE(seed);
    const Problem problem = test::randomProblem(seed, shapeOf(seed));
    const Plan plan = planned(subject, problem);
    REQUIRE(validate(problem, plan).empty());
    REQUIRE((plan.status == PlanStatus::complete || plan.status == PlanStatus::optimal));
    const Bytes bound = lowerBound(problem);
    REQUIRE(plan.footprint() >= bound);
    REQUIRE(plan.footprint() <= sumOfSizes(subject, problem));
    if (problem.stays.size() < 15) REQUIRE(test::naiveClashes(problem, plan).empty());
  }
}

TEST_CASE("every allocator keeps alignments, whatever they are", "[conformance]") {
  const auto subject = test::subject(GENERATE(range(std::size_t{0}, catalogSize())));
  CAPTURE(subject.info->name);
  for (std::uint64_t seed = 1; seed <= kSeeds / 2; ++seed) {
    CAPTURE(seed);
    test::ProblemShape shape = shapeOf(seed);
    shape.alignedPercent = 60;
    shape.pools = 1 + seed % 3;
    shape.assignedPercent = 60;
    const Problem problem = test::randomProblem(seed, shape);
    const Plan plan = planned(subject, problem);
    REQUIRE(validate(problem, plan).empty());
  }
}

TEST_CASE("every allocator honours gaps, or wastes them, but never clashes", "[conformance]") {
  const auto subject = test::subject(GENERATE(range(std::size_t{0}, catalogSize())));
  CAPTURE(subject.info->name);
  for (std::uint64_t seed = 1; seed <= kSeeds / 2; ++seed) {
    CAPTURE(seed);
    test::ProblemShape shape = shapeOf(seed);
    shape.gapPercent = 60;
    const Problem problem = test::randomProblem(seed, shape);
    const Plan plan = planned(subject, problem);
    REQUIRE(validate(problem, plan).empty());
    REQUIRE(plan.footprint() >= lowerBound(problem));
    REQUIRE(plan.footprint() <= sumOfSizes(subject, problem));
  }
}

TEST_CASE("every allocator keeps pins or refuses them by name", "[conformance]") {
  const auto subject = test::subject(GENERATE(range(std::size_t{0}, catalogSize())));
  CAPTURE(subject.info->name);
  const bool keeps = abilitiesOf(*subject.info).pins == Ability::used;
  int pinned = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds / 2; ++seed) {
    CAPTURE(seed);
    test::ProblemShape shape = shapeOf(seed);
    shape.pinnedPercent = 20;
    shape.gapPercent = 20;
    const Problem problem = test::randomProblem(seed, shape);
    const bool hasPins = std::ranges::any_of(
        problem.stays, [](const Stay& stay) { return stay.pinned.has_value(); });
    const auto plan = subject.allocator->plan(problem, quickContext());
    REQUIRE(plan.has_value() == (keeps || !hasPins));
    pinned += hasPins ? 1 : 0;
    if (plan) {
      REQUIRE(validate(problem, *plan).empty());
    } else {
      REQUIRE(plan.error().code == ErrorCode::unsupported);
      // A partition refuses in the name of the allocator it is told to use.
      const auto* who = subject.info->name == "partition" ? "free-list" : subject.info->name.data();
      REQUIRE(plan.error().message.find(who) != std::string::npos);
      REQUIRE(plan.error().message.find("pin") != std::string::npos);
    }
  }
  CHECK(pinned > 20);
}

TEST_CASE("pins that cannot all be kept are an error", "[conformance]") {
  const auto subject = test::subject(GENERATE(range(std::size_t{0}, catalogSize())));
  CAPTURE(subject.info->name);
  Problem problem = test::problemOf({{10, 0, 2}, {10, 1, 2}, {4, 0, 2}});
  problem.stays[StayId(0)].pinned = 0_B;
  SECTION("two on the same bytes") { problem.stays[StayId(1)].pinned = 5_B; }
  SECTION("misaligned") {
    problem.stays[StayId(1)].pinned = 13_B;
    problem.stays[StayId(1)].alignment = 4_B;
  }
  SECTION("negative") { problem.stays[StayId(1)].pinned = Bytes(-10); }
  const auto plan = test::mustFail(subject.allocator->plan(problem, quickContext()));
  CHECK((plan.code == ErrorCode::invalidArgument || plan.code == ErrorCode::unsupported));
  CHECK(plan.message.find("pin") != std::string::npos);
}

TEST_CASE("pins beyond the capacity are kept, in a plan that does not fit", "[conformance]") {
  const auto subject = test::subject(GENERATE(range(std::size_t{0}, catalogSize())));
  CAPTURE(subject.info->name);
  Problem problem = test::problemOf({{10, 0, 2}, {10, 1, 2}, {4, 0, 2}});
  problem.stays[StayId(1)].pinned = 95_B;
  problem.pools[PoolId(0)].capacity = 100_B;
  const auto plan = subject.allocator->plan(problem, quickContext());
  if (!plan) {
    CHECK(plan.error().code == ErrorCode::unsupported);
    return;
  }
  CHECK(plan->status == PlanStatus::overBudget);
  CHECK_FALSE(fits(problem, *plan));
  CHECK(plan->flatOffset(StayId(1)) == 95_B);
  CHECK(plan->footprint() >= 105_B);
  for (const auto& address : plan->addresses) CHECK(address.has_value());
}

TEST_CASE("every allocator gives the same bytes for the same input", "[conformance]") {
  const std::size_t index = GENERATE(range(std::size_t{0}, catalogSize()));
  const auto subject = test::subject(index);
  CAPTURE(subject.info->name);
  for (const std::uint64_t seed : test::Seeds(30)) {
    const Problem problem = test::randomProblem(seed, shapeOf(seed));
    const Plan once = planned(subject, problem);
    const Plan again = planned(test::subject(index), problem);
    REQUIRE(once.addresses == again.addresses);
    REQUIRE(once.regions == again.regions);
    REQUIRE(once.story == again.story);
    REQUIRE(once.status == again.status);
    REQUIRE(once.notes == again.notes);
  }
}

TEST_CASE("every allocator plans trivial problems", "[conformance]") {
  const auto subject = test::subject(GENERATE(range(std::size_t{0}, catalogSize())));
  CAPTURE(subject.info->name);
  CHECK(planned(subject, test::problemOf({})).footprint() == 0_B);
  CHECK(planned(subject, test::problemOf({{7, 0, 1}})).footprint() == 7_B);
  // All at once: nothing can be shared. One after the other: everything can.
  const Bytes all =
      planned(subject, test::problemOf({{3, 0, 1}, {4, 0, 1}, {5, 0, 1}})).footprint();
  CHECK(all == (subject.info->granule == 1_B ? 12_B : subject.info->granule * 2 + 5_B));
  const Bytes apart = planned(subject, test::problemOf({{9, 0, 1}, {9, 1, 2}})).footprint();
  CHECK(apart == (subject.info->name == "none" ? 18_B : 9_B));
}

TEST_CASE("an allocator that says optimal is right", "[conformance]") {
  const auto subject = test::subject(GENERATE(range(std::size_t{0}, catalogSize())));
  CAPTURE(subject.info->name);
  for (const std::uint64_t seed : test::Seeds(25)) {
    const Problem problem =
        test::randomProblem(seed, {.stays = 5, .steps = 6, .maxSize = 20, .maxLength = 4});
    const Plan plan = planned(subject, problem);
    const Bytes best = test::bruteForcePeak(problem);
    REQUIRE(plan.footprint() >= best);
    if (plan.status == PlanStatus::optimal) REQUIRE(plan.footprint() == best);
  }
}

TEST_CASE("an allocator that is told to stop stops, or is done at once", "[conformance]") {
  const auto subject = test::subject(GENERATE(range(std::size_t{0}, catalogSize())));
  CAPTURE(subject.info->name);
  std::stop_source source;
  source.request_stop();
  PlanContext context = quickContext();
  context.stop = source.get_token();
  const Problem problem = test::randomProblem(3, {.stays = 3'000, .steps = 500});
  SearchUse use;
  context.use = &use;
  const auto plan = subject.allocator->plan(problem, context);
  // One pass over the stays: over before anybody could ask.
  const std::set<std::string_view> atOnce{"free-list", "block-id", "caching", "partition", "none"};
  if (atOnce.contains(subject.info->name)) {
    REQUIRE(plan);
    CHECK(plan->addresses == planned(subject, problem).addresses);
  } else if (plan) {
    // A search hands out the plan that it starts from, and looks no further.
    REQUIRE(subject.info->isSearch);
    CHECK(validate(problem, *plan).empty());
    CHECK(use.tries <= 1);
    CHECK(use.nodes <= static_cast<std::int64_t>(problem.stays.size()));
  } else {
    CHECK(plan.error().code == ErrorCode::stopped);
  }
}

TEST_CASE("searches ask for the wish to stop while they place their first order", "[conformance]") {
  const Problem problem = test::randomProblem(5, {.stays = 2'000, .steps = 200});
  int asked = 0;
  const auto found = searchOrders(problem, PoolId(0), sizeOrder(problem, PoolId(0)),
                                  {.stopped = [&] { return ++asked == 3; }});
  CHECK(found.stopped);
  CHECK(found.offsets.empty());
  CHECK(asked == 3);
  CHECK(found.tries == 0);
  Placer placer(problem, PoolId(0));
  std::size_t looks = 0;
  CHECK(placeInOrder(placer, problem, sizeOrder(problem, PoolId(0)), FitRule::best, [&] {
    ++looks;
    return false;
  }));
  CHECK(looks == problem.stays.size() / kPlacementsBetweenLooks);
}

TEST_CASE("every allocator's runs survive the byte-level replay", "[conformance][replay]") {
  const auto subject = test::subject(GENERATE(range(std::size_t{0}, catalogSize())));
  CAPTURE(subject.info->name);
  for (const std::uint64_t seed : test::Seeds(30)) {
    const std::int64_t l2 = seed % 3 == 0 ? 200 : -1;
    const auto run =
        test::runGraph(test::randomGraph(seed, 4 + seed),
                       {.allocator = subject.text,
                        .alignment = seed % 2 == 0 ? 1 : 16,
                        .alias = {seed % 2 == 0, seed % 3 > 0, seed % 5 > 0, seed % 7 > 2},
                        .l2 = l2});
    REQUIRE(validate(run->problem, run->plan).empty());
    const auto found = replayBytes(*run, Bytes(1 << 24));
    if (!found.empty()) FAIL(found[0].message);
  }
}
