// Searches keep to their budgets. Time is a clock of our own, which moves when it is looked at: so
// nothing here depends on how fast the machine is.
#include <fmt/format.h>

#include "core/allocators/best.h"
#include "core/allocators/catalog.h"
#include "core/plan/validate.h"
#include "core/run/planner.h"
#include "tests/support/counting_clock.h"
#include "tests/support/methods.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"
#include "tests/support/synthetic_problems.h"

using namespace hw;

namespace {

Result<Plan> planWith(const std::string& allocator, const Problem& problem,
                      const PlanContext& context) {
  return AllocatorChoice::parse(allocator)->make()->plan(problem, context);
}

}  // namespace

TEST_CASE("searches stop within a tenth of their time", "[budget]") {
  const std::string name =
      GENERATE("hill-climb:stuck=1000000000,tries=1000000000",
               "annealed-stack:stuck=1000000000,tries=1000000000", "placement-search:sequences=0");
  const bool asOption = GENERATE(false, true);
  CAPTURE(name, asOption);
  test::CountingClock time;
  const Problem problem = test::tileProblem(300, 1);
  PlanContext context{.nodeBudget = 1'000'000'000, .clock = time.clock()};
  if (!asOption) context.timeLimit = 2;
  const auto plan = test::must(planWith(name + (asOption ? ",seconds=2" : ""), problem, context));
  CHECK(validate(problem, plan).empty());
  CHECK(plan.status == PlanStatus::complete);  // Else the search had no need of its time.
  CHECK(time.seconds >= 2.0);
  CHECK(time.seconds <= 2.2);
}

TEST_CASE("a search looks at the clock often, however large the problem", "[budget]") {
  // 20,000 stays, and a clock on which a look takes a second: one look a sequence would be too few.
  const std::string name = GENERATE("hill-climb", "annealed-stack", "placement-search");
  CAPTURE(name);
  const Problem problem = test::tileProblem(20'000, 1);
  int looks = 0;
  PlanContext context{.timeLimit = 100, .clock = [&] { return static_cast<double>(++looks); }};
  const auto plan = test::must(planWith(name, problem, context));
  CHECK(looks >= 100);
  CHECK(looks <= 110);
}

TEST_CASE("pools share one budget", "[budget]") {
  Problem problem = test::tileProblem(200, 1);
  problem.pools.add({.name = "L3"});
  for (const StayId id : problem.stays.keys()) problem.stays[id].pool = PoolId(id.index() % 2);
  test::CountingClock time;
  PlanContext context{.nodeBudget = 1'000'000'000, .timeLimit = 1, .clock = time.clock()};
  const std::string name = GENERATE("hill-climb:stuck=1000000000", "placement-search:sequences=0");
  REQUIRE(planWith(name, problem, context));
  CHECK(time.seconds <= 1.1);
}

TEST_CASE("rounds of spilling share one budget", "[budget]") {
  // A capacity that fragmentation overshoots again and again.
  Problem problem = test::tileProblem(400, 3);
  problem.pools[PoolId(0)].capacity = Bytes(30 << 20);
  problem.pools.add({.name = "L3"});
  test::CountingClock time;
  const auto choice = AllocatorChoice::parse("placement-search:sequences=0");
  const auto plan = test::must(planProblem(
      problem, {.allocator = *choice,
                .settings = {.nodeBudget = 1'000'000'000, .timeLimit = 3, .clock = time.clock()},
                .traffic = [](const Problem& asked) {
                  return IdMap<StayId, Bytes>(asked.stays.size(), Bytes(100));
                }}));
  CHECK(validate(plan.problem, plan.plan).empty());
  CHECK(plan.plan.footprint(PoolId(0)) <= Bytes(30 << 20));
  CHECK(time.seconds > 0.5);
  CHECK(time.seconds <= 3.3);
}

TEST_CASE("counted budgets cover all rounds as well", "[budget]") {
  Problem problem = test::tileProblem(400, 3);
  problem.pools[PoolId(0)].capacity = Bytes(30 << 20);
  problem.pools.add({.name = "L3"});
  SearchUse use;
  const auto choice = AllocatorChoice::parse("placement-search:sequences=0,seconds=0");
  PlanContext settings{.nodeBudget = 100'000};
  settings.use = &use;
  const auto plan = test::must(planProblem(
      problem, {.allocator = *choice, .settings = settings, .traffic = [](const Problem& asked) {
                  return IdMap<StayId, Bytes>(asked.stays.size(), Bytes(100));
                }}));
  // Beyond the budget every round still needs one sequence for each pool.
  CHECK(use.nodes >= 100'000);
  CHECK(use.nodes <= 110'000 + 17 * 400);
}

TEST_CASE("the solvers' counted budgets cover all rounds of spilling", "[budget]") {
  struct Case {
    std::string allocator;
    std::int64_t nodes;
    std::int64_t tries;
  };
  const auto [allocator, nodes, tries] = GENERATE(values<Case>({
      {"exact:nodes=20000,seconds=0", 20'000, 0},
      {"fast:moves=50000", 0, 50'000},
      {"best:nodes=20000,moves=50000", 20'000, 50'000},
  }));
  CAPTURE(allocator);
  Problem problem = test::tileProblem(400, 3);
  problem.pools[PoolId(0)].capacity = Bytes(30 << 20);
  problem.pools.add({.name = "L3"});
  SearchUse use{.share = 0.125};
  PlanContext settings;
  settings.use = &use;
  const auto choice = AllocatorChoice::parse(allocator);
  const auto plan = test::must(planProblem(
      problem, {.allocator = *choice, .settings = settings, .traffic = [](const Problem& asked) {
                  return IdMap<StayId, Bytes>(asked.stays.size(), Bytes(100));
                }}));
  CHECK(validate(plan.problem, plan.plan).empty());
  CHECK(plan.plan.footprint(PoolId(0)) <= Bytes(30 << 20));
  // Beyond the budget, every round still packs each pool once and looks at some nodes.
  CHECK(use.nodes + use.tries > 0);
  CHECK(use.nodes <= nodes + 40 * 100);
  CHECK(use.tries <= tries + 40 * 400);
}

TEST_CASE("budgets above a million are taken as they are", "[budget]") {
  PlanContext context;
  std::int64_t looks = 0;
  context.hasten = [&](const Problem&, const PlanContext&, const HasteLimits& limits, Plan&) {
    looks = limits.looks;
  };
  REQUIRE(planWith("best:for=latency,nodes=5000000", test::tileProblem(3, 1), context));
  CHECK(looks == 5'000'000 * kLooksOfANode);

  SearchUse use;
  context = {};
  context.use = &use;
  const Problem hard = generateProblem("spirals:buffers=300,steps=100,heights=64,seed=6").problem;
  REQUIRE(planWith("fast:moves=1200000", hard, context));
  CHECK(use.tries > 1'190'000);
  CHECK(use.tries <= 1'200'000 + 300);
}

TEST_CASE("best with more moves and nodes is never higher", "[budget][best]") {
  struct Budget {
    int moves = 0;
    int nodes = 0;
  };
  const Problem problem = generateProblem("spirals:buffers=200,out=8,seed=4").problem;
  Bytes before = kMaxBytes;
  constexpr Budget kBudgets[] = {
      {1'000, 100}, {20'000, 2'000}, {150'000, 20'000}, {300'000, 40'000}, {600'000, 80'000}};
  for (const Budget& each : kBudgets) {
    CAPTURE(each.moves, each.nodes);
    const auto plan = test::must(
        planWith(fmt::format("best:moves={},nodes={}", each.moves, each.nodes), problem, {}));
    CHECK(plan.footprint(PoolId(0)) <= before);
    before = plan.footprint(PoolId(0));
  }
}
