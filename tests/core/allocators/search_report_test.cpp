#include "core/allocators/search_report.h"

#include "core/allocators/catalog.h"
#include "tests/support/must.h"
#include "tests/support/problems.h"

using namespace hw;

namespace {

struct Told {
  std::string pool;
  ExactProgress now;
};

}  // namespace

TEST_CASE("searches tell where they stand, and the plan remembers it", "[search]") {
  const std::string name = GENERATE("best", "exact", "fast");
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    CAPTURE(name, seed);
    const Problem problem = test::randomProblem(seed, {.stays = 40, .steps = 24, .maxLength = 16});
    std::vector<Told> told;
    const PlanContext context{.seed = seed,
                              .nodeBudget = 20'000,
                              .search = [&](const std::string& pool, const ExactProgress& now) {
                                told.push_back({pool, now});
                              }};
    const auto plan = test::must(AllocatorChoice::parse(name)->make()->plan(problem, context));
    const auto histories = searchHistories(plan);
    REQUIRE(histories.size() == 1);
    const SearchHistory& history = histories.front();
    REQUIRE_FALSE(history.samples.empty());
    REQUIRE_FALSE(told.empty());
    CHECK(told.back().now.incumbent == history.samples.back().incumbent);
    CHECK(history.samples.back().incumbent == plan.footprint(PoolId(0)));
    for (const Told& each : told) CHECK(each.pool == problem.pools[PoolId(0)].name);
    for (std::size_t i = 1; i < history.samples.size(); ++i) {
      const ExactProgress& before = history.samples[i - 1];
      const ExactProgress& after = history.samples[i];
      CHECK(after.seconds >= before.seconds);
      CHECK(after.incumbent <= before.incumbent);
      CHECK(after.bound >= before.bound);
      CHECK(after.bound <= after.incumbent);
      CHECK(after.nodes >= before.nodes);
    }
  }
}

TEST_CASE("what a table says of a search is what it was told", "[search]") {
  const std::vector<ExactProgress> samples = {{.seconds = 0.000125,
                                               .incumbent = Bytes(900),
                                               .bound = Bytes(500),
                                               .nodes = 7,
                                               .winner = "start"},
                                              {.seconds = 1.5,
                                               .incumbent = Bytes(600),
                                               .bound = Bytes(600),
                                               .nodes = 1'000'000,
                                               .winner = "size, length"}};
  Plan plan;
  plan.tables.push_back({.name = "mapping", .columns = {"a"}, .rows = {{std::int64_t{1}}}});
  plan.tables.push_back(progressTable(samples, "L2"));
  const auto histories = searchHistories(plan);
  REQUIRE(histories.size() == 1);
  CHECK(histories.front().pool == "L2");
  REQUIRE(histories.front().samples.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    const ExactProgress& found = histories.front().samples[i];
    CHECK(found.seconds == Approx(samples[i].seconds));
    CHECK(found.incumbent == samples[i].incumbent);
    CHECK(found.bound == samples[i].bound);
    CHECK(found.nodes == samples[i].nodes);
    CHECK(found.winner == samples[i].winner);
  }
  CHECK(searchHistories(Plan()).empty());
}

TEST_CASE("a table that only has the name of a progress table is none", "[search]") {
  Plan plan;
  plan.tables.push_back(
      {.name = "progress L2", .columns = {"a", "b"}, .rows = {{std::int64_t{1}, Bytes(2)}}});
  CHECK(searchHistories(plan).empty());
}
