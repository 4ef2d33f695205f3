// What methods record of their lists while they plan: it plays to the end and back, and its end is
// the plan.

#include <algorithm>

#include "core/import/samples.h"
#include "core/memory/chunk_map.h"
#include "core/plan/method_record.h"
#include "tests/conformance/subjects.h"
#include "tests/support/methods.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"

using namespace hw;
using namespace hw::literals;

namespace {

Problem recordProblem(std::uint64_t seed, std::size_t pools) {
  return test::randomProblem(seed,
                             {.stays = 5 + seed % 30, .steps = 20, .maxSize = 60, .pools = pools});
}

PlanContext recording() {
  PlanContext context = test::quickContext();
  context.record = true;
  return context;
}

std::size_t rowsOf(const MethodState& state) {
  std::size_t rows = 0;
  for (const auto& list : state) rows += list.size();
  return rows;
}

/// To the end and back; on the way back every state is the one of the way there.
void playBothWays(const MethodRecord& record) {
  MethodPlayer player(record);
  std::vector<MethodState> states = {player.state()};
  for (std::size_t tick = 1; tick <= record.ticks.size(); ++tick) {
    player.seek(tick);
    states.push_back(player.state());
  }
  for (std::size_t tick = record.ticks.size(); tick-- > 0;) {
    player.seek(tick);
    REQUIRE(player.state() == states[tick]);
  }
  CHECK(rowsOf(player.state()) == 0);
  player.seek(record.ticks.size());
  CHECK(player.state() == states.back());
  // Something happens at every tick but those that only say something.
  for (const MethodTick& tick : record.ticks) REQUIRE_FALSE(tick.what.empty());
}

/// The rows of the list called `name` when all is done.
std::vector<MethodRow> rowsAtEnd(const MethodRecord& record, const std::string& name) {
  MethodPlayer player(record);
  player.seek(record.ticks.size());
  const auto list = std::ranges::find(record.lists, name, &MethodList::name);
  REQUIRE(list != record.lists.end());
  return player.state()[static_cast<std::size_t>(list - record.lists.begin())];
}

Plan recordedPlan(const std::string& allocator, const Problem& problem) {
  const auto choice = AllocatorChoice::parse(allocator);
  REQUIRE(choice);
  auto plan = choice->make()->plan(problem, recording());
  REQUIRE(plan);
  return *std::move(plan);
}

}  // namespace

TEST_CASE("records play to the end and back, and change no plan", "[conformance][record]") {
  const auto index = GENERATE(range(std::size_t{0}, allocatorCatalog().size()));
  const auto subject = test::subject(index);
  CAPTURE(subject.info->name);
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    const Problem problem = recordProblem(seed, 1 + seed % 2);
    const auto plain = subject.allocator->plan(problem, test::quickContext());
    const auto told = subject.allocator->plan(problem, recording());
    REQUIRE(plain.has_value() == told.has_value());
    if (!plain) continue;
    CHECK(plain->records.empty());
    CHECK(plain->addresses == told->addresses);
    CHECK(plain->story == told->story);
    for (const MethodRecord& record : told->records) playBothWays(record);
  }
}

TEST_CASE("records of samples play to the end and back", "[conformance][record]") {
  for (const char* name : {"block-id", "two-sided", "free-list", "placement-search:sequences=20"}) {
    for (const SampleInfo& sample : sampleCatalog()) {
      CAPTURE(name, sample.name);
      const auto model = openModel("samples:" + sample.name, {});
      REQUIRE(model);
      const auto run = execute(std::make_shared<const Model>(*model), test::workedRequest(name),
                               {.simulate = false, .record = true});
      REQUIRE(run);
      REQUIRE_FALSE((*run)->plan.records.empty());
      // Of the large ones a look at both ends is enough.
      for (const MethodRecord& record : (*run)->plan.records) {
        if (record.ticks.size() <= 200) playBothWays(record);
        MethodPlayer player(record);
        player.seek(record.ticks.size());
        player.seek(0);
        CHECK(rowsOf(player.state()) == 0);
      }
    }
  }
}

TEST_CASE("block ids: the lists at the end are the tables of the plan", "[conformance][record]") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    const Problem problem = recordProblem(seed, 1);
    const Plan plan = recordedPlan("block-id", problem);
    REQUIRE(plan.records.size() == 1);
    const auto capacity = std::ranges::find(plan.tables, "capacity", &MethodTable::name);
    const auto general =
        rowsAtEnd(plan.records[0], "general list " + problem.pools[PoolId(0)].name);
    REQUIRE(general.size() == capacity->rows.size());
    for (std::size_t i = 0; i < general.size(); ++i) {
      CHECK(general[i][0] == capacity->rows[i][1]);
      CHECK(general[i][1] == capacity->rows[i][2]);
    }
    for (const MethodRow& row : rowsAtEnd(plan.records[0], "mapping table")) {
      const auto& address = plan.addresses[std::get<StayId>(row[0])];
      CHECK(address->region.index() == static_cast<std::size_t>(std::get<std::int64_t>(row[2])));
    }
  }
}

TEST_CASE("free list: the lists at the end are the memory of the story", "[conformance][record]") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    const Problem problem = recordProblem(seed, 1);
    const Plan plan = recordedPlan("free-list", problem);
    REQUIRE(plan.records.size() == 1);
    ChunkMap memory;
    for (const MemoryEvent& event : plan.story) memory.apply(event);
    std::vector<MethodRow> holes;
    std::size_t used = 0;
    for (const Chunk& chunk : memory.chunks(RegionId(0))) {
      if (chunk.isFree()) holes.push_back({chunk.offset, chunk.size});
      used += chunk.isFree() ? 0 : 1;
    }
    const std::string& pool = problem.pools[PoolId(0)].name;
    CHECK(rowsAtEnd(plan.records[0], "free list " + pool) == holes);
    CHECK(rowsAtEnd(plan.records[0], "allocated list " + pool).size() == used);
  }
}

TEST_CASE("two sides: the boundaries at the end are the arena", "[conformance][record]") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    const Problem problem = recordProblem(seed, 1);
    const Plan plan = recordedPlan("two-sided", problem);
    REQUIRE(plan.records.size() == 1);
    Bytes sum;
    for (const MethodRow& row : rowsAtEnd(plan.records[0], "boundaries")) {
      sum += std::get<Bytes>(row[1]);
    }
    CHECK(sum == plan.footprint(PoolId(0)));
    CHECK(rowsAtEnd(plan.records[0], "left stack").empty());
    CHECK(rowsAtEnd(plan.records[0], "right stack").empty());
  }
}

TEST_CASE("placement search: the last best area is the arena", "[conformance][record]") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    const Problem problem = recordProblem(seed, 1);
    const Plan plan = recordedPlan("placement-search:sequences=50", problem);
    REQUIRE(plan.records.size() == 1);
    if (plan.records[0].truncated) continue;
    const auto best = rowsAtEnd(plan.records[0], "best");
    REQUIRE_FALSE(best.empty());
    CHECK(std::get<Bytes>(best.back()[1]) == plan.footprint(PoolId(0)));
  }
}

TEST_CASE("a stack that was full is told from a budget that ran out", "[placement-search]") {
  const auto run = [](const std::string& allocator) {
    return test::mustRun(test::sample("inception"), test::workedRequest(allocator));
  };
  const auto says = [&](const std::string& allocator, const std::string& words) {
    const auto made = run(allocator);
    return std::ranges::any_of(made->plan.notes, [&](const std::string& note) {
      return note.find(words) != std::string::npos;
    });
  };
  CHECK(says("placement-search:stack=1", "the stack was full"));
  CHECK(says("placement-search:sequences=1", "the budget ran out"));
}
