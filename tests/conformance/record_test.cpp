// What methods record of their lists while they plan: it plays to the end and back, and its end is
// the plan.

#include <algorithm>
#include <map>
#include <set>

#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "core/memory/chunk_map.h"
#include "core/plan/method_record.h"
#include "tests/conformance/subjects.h"
#include "tests/support/methods.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

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

/// The lists after each tick, from the changes alone: what a player has to show.
std::vector<MethodState> playedByHand(const MethodRecord& record) {
  std::vector<MethodState> states = {MethodState(record.lists.size())};
  std::size_t next = 0;
  for (const MethodTick& tick : record.ticks) {
    MethodState state = states.back();
    for (; next < tick.changes; ++next) {
      const MethodChange& change = record.changes[next];
      std::vector<MethodRow>& rows = state[change.list];
      std::vector<MethodRow> after(rows.begin(), rows.begin() + change.at);
      if (!change.after.empty()) {
        REQUIRE(change.after.size() == record.lists[change.list].columns.size());
        after.push_back(change.after);
      }
      std::size_t rest = change.at;
      if (!change.before.empty()) {
        REQUIRE(rows[change.at] == change.before);
        ++rest;
      }
      after.insert(after.end(), rows.begin() + static_cast<std::ptrdiff_t>(rest), rows.end());
      rows = std::move(after);
    }
    states.push_back(std::move(state));
  }
  REQUIRE(next == record.changes.size());
  return states;
}

/// To the end and back; on the way back every state is the one of the way there.
void playBothWays(const MethodRecord& record) {
  const std::vector<MethodState> states = playedByHand(record);
  MethodPlayer player(record);
  for (std::size_t tick = 0; tick <= record.ticks.size(); ++tick) {
    player.seek(tick);
    REQUIRE(player.state() == states[tick]);
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

/// The same of a long record, whose states are compared now and then.
void playByStops(const MethodRecord& record) {
  constexpr std::size_t kStops = 32;
  std::map<std::size_t, MethodState> states;
  MethodPlayer player(record);
  for (std::size_t stop = 0; stop <= kStops; ++stop) {
    const std::size_t tick = record.ticks.size() * stop / kStops;
    player.seek(tick);
    states[tick] = player.state();
  }
  for (auto state = states.rbegin(); state != states.rend(); ++state) {
    player.seek(state->first);
    REQUIRE(player.state() == state->second);
  }
  CHECK(rowsOf(player.state()) == 0);
  player.seek(record.ticks.size());
  CHECK(player.state() == states.rbegin()->second);
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
  const auto choice = test::must(AllocatorChoice::parse(allocator));
  return test::must(choice.make()->plan(problem, recording()));
}

}  // namespace

TEST_CASE("records play to the end and back, and change no plan", "[conformance][record]") {
  const auto index = GENERATE(range(std::size_t{0}, allocatorCatalog().size()));
  const auto subject = test::subject(index);
  CAPTURE(subject.info->name);
  for (const std::uint64_t seed : test::Seeds(40)) {
    const Problem problem = recordProblem(seed, 1 + seed % 2);
    const auto plain = subject.allocator->plan(problem, test::quickContext());
    const auto told = subject.allocator->plan(problem, recording());
    REQUIRE(plain.has_value() == told.has_value());
    if (!plain) continue;
    CHECK(plain->records.empty());
    CHECK(plain->addresses == told->addresses);
    CHECK(plain->story == told->story);
    CHECK_FALSE(told->records.empty());
    for (const MethodRecord& record : told->records) playBothWays(record);
  }
}

TEST_CASE("records of samples play to the end and back", "[conformance][record]") {
  // A plug-in is no sample's, and no sample brings a plan of its own: both have tests of their own.
  const std::set<std::string_view> others{"plugin", "embedded"};
  std::vector<std::string> names = {"placement-search:sequences=20",
                                    "hill-climb:tries=50",
                                    "annealed-stack:tries=50",
                                    "fast:moves=2000",
                                    "exact:nodes=2000",
                                    "best:moves=2000,nodes=2000"};
  for (const AllocatorInfo& info : allocatorCatalog()) {
    const auto named = [&](const std::string& name) { return name.starts_with(info.name); };
    if (others.contains(info.name) || std::ranges::any_of(names, named)) continue;
    names.emplace_back(info.name);
  }
  std::uint64_t number = 0;
  for (const SampleInfo& sample : sampleCatalog()) {
    if (!test::isTried(number++)) continue;
    const auto opened = test::must(openModel("samples:" + sample.name, {}));
    const auto model = std::make_shared<const Model>(opened);
    for (const std::string& name : names) {
      CAPTURE(name, sample.name);
      RunRequest request = test::workedRequest(name);
      if (name == "partition") request.platform = *findPlatform("two-devices");
      const auto run = test::must(execute(model, request, {.simulate = false, .record = true}));
      REQUIRE_FALSE(run->plan.records.empty());
      for (const MethodRecord& record : run->plan.records) {
        if (record.ticks.size() <= 200) {
          playBothWays(record);
        } else {
          playByStops(record);
        }
      }
    }
  }
}

TEST_CASE("block ids: the lists at the end are the tables of the plan", "[conformance][record]") {
  for (const std::uint64_t seed : test::Seeds(60)) {
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
  for (const std::uint64_t seed : test::Seeds(60)) {
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
  for (const std::uint64_t seed : test::Seeds(60)) {
    const Problem problem = recordProblem(seed, 1);
    const Plan plan = recordedPlan("two-sided", problem);
    REQUIRE(plan.records.size() == 1);
    Bytes sum;
    for (const MethodRow& row : rowsAtEnd(plan.records[0], "boundaries")) {
      sum += std::get<Bytes>(row[1]);
    }
    CHECK(sum == plan.footprint(PoolId(0)));
    CHECK(rowsAtEnd(plan.records[0], "parked").empty());
    CHECK(rowsAtEnd(plan.records[0], "left stack").empty());
    CHECK(rowsAtEnd(plan.records[0], "right stack").empty());
  }
}

TEST_CASE("placement search: the last best area is the arena", "[conformance][record]") {
  for (const std::uint64_t seed : test::Seeds(60)) {
    const Problem problem = recordProblem(seed, 1);
    const Plan plan = recordedPlan("placement-search:sequences=50", problem);
    REQUIRE(plan.records.size() == 1);
    if (plan.records[0].truncated) continue;
    const auto best = rowsAtEnd(plan.records[0], "best");
    REQUIRE_FALSE(best.empty());
    CHECK(std::get<Bytes>(best.back()[1]) == plan.footprint(PoolId(0)));
  }
}

TEST_CASE("orders: what is placed at the end is the plan", "[conformance][record]") {
  const std::string name =
      GENERATE("greedy-by-size", "in-order", "greedy-by-breadth", "stacked", "size-length",
               "keep-best", "hill-climb:tries=50", "none", "idle-longest");
  CAPTURE(name);
  for (const std::uint64_t seed : test::Seeds(40)) {
    const Problem problem = recordProblem(seed, 1);
    const Plan plan = recordedPlan(name, problem);
    REQUIRE(plan.records.size() == 1);
    CHECK(rowsAtEnd(plan.records[0], "to place").empty());
    const auto placed = rowsAtEnd(plan.records[0], "placed");
    REQUIRE(placed.size() == problem.stays.size());
    for (const MethodRow& row : placed) {
      const auto id = std::get<StayId>(row[0]);
      CHECK(std::get<Bytes>(row[1]) == plan.addresses[id]->offset);
      CHECK(std::get<Bytes>(row[2]) == plan.addresses[id]->offset + problem.stays[id].size);
    }
    CHECK(std::get<Bytes>(rowsAtEnd(plan.records[0], "height")[0][1]) == plan.footprint(PoolId(0)));
  }
}

TEST_CASE("shared objects: the lists at the end are the regions of the plan",
          "[conformance][record]") {
  const std::string name = GENERATE("shared-objects", "shared-objects:order=in-order");
  CAPTURE(name);
  for (const std::uint64_t seed : test::Seeds(40)) {
    const Problem problem = recordProblem(seed, 1);
    const Plan plan = recordedPlan(name, problem);
    REQUIRE(plan.records.size() == 1);
    CHECK(rowsAtEnd(plan.records[0], "to assign").empty());
    const auto objects = rowsAtEnd(plan.records[0], "objects " + problem.pools[PoolId(0)].name);
    Bytes sum;
    for (const MethodRow& row : objects) sum += std::get<Bytes>(row[1]);
    CHECK(sum == plan.footprint(PoolId(0)));
    const auto mapping = rowsAtEnd(plan.records[0], "mapping table");
    REQUIRE(mapping.size() == problem.stays.size());
    for (const MethodRow& row : mapping) {
      const auto& address = plan.addresses[std::get<StayId>(row[0])];
      CHECK(address->region.index() == static_cast<std::size_t>(std::get<std::int64_t>(row[2])));
    }
  }
}

TEST_CASE("idle-longest: the place that is taken is one of those that were looked at",
          "[conformance][record]") {
  for (const std::uint64_t seed : test::Seeds(40)) {
    const Problem problem = recordProblem(seed, 1);
    const Plan plan = recordedPlan("idle-longest", problem);
    const MethodRecord& record = plan.records.at(0);
    const auto list = static_cast<std::size_t>(
        std::ranges::find(record.lists, "candidates", &MethodList::name) - record.lists.begin());
    MethodPlayer player(record);
    std::size_t placed = 0;
    for (std::size_t tick = 0; tick < record.ticks.size(); ++tick) {
      player.seek(tick + 1);
      const StayId stay = record.ticks[tick].stay;
      if (!stay) continue;
      ++placed;
      std::size_t chosen = 0;
      for (const MethodRow& row : player.state()[list]) {
        if (row[2] != MethodCell(std::string("chosen"))) continue;
        ++chosen;
        CHECK(std::get<Bytes>(row[1]) == plan.addresses[stay]->offset);
      }
      CHECK(chosen == 1);
    }
    CHECK(placed == problem.stays.size());
  }
}

TEST_CASE("searches: the last plan found is the arena", "[conformance][record]") {
  const std::string name =
      GENERATE("fast:moves=2000", "exact:nodes=2000", "best:moves=2000,nodes=2000");
  CAPTURE(name);
  for (const std::uint64_t seed : test::Seeds(20)) {
    const Problem problem = recordProblem(seed, 1);
    const Plan plan = recordedPlan(name, problem);
    REQUIRE(plan.records.size() == 1);
    const auto found = rowsAtEnd(plan.records[0], "found");
    REQUIRE_FALSE(found.empty());
    CHECK(std::get<Bytes>(found.back()[0]) == plan.footprint(PoolId(0)));
    for (std::size_t i = 1; i < found.size(); ++i) {
      CHECK(std::get<Bytes>(found[i][0]) < std::get<Bytes>(found[i - 1][0]));
    }
  }
}

TEST_CASE("block ids: a block that grows says so, one that is taken too", "[conformance][record]") {
  for (const std::uint64_t seed : test::Seeds(40)) {
    const Problem problem = recordProblem(seed, 1);
    const MethodRecord record = recordedPlan("block-id", problem).records.at(0);
    // Capacity by block, from the takes alone: a new block is as large as its first tenant.
    std::map<std::int64_t, Bytes> capacity;
    std::size_t takes = 0;
    std::size_t grown = 0;
    std::size_t expected = 0;
    for (std::size_t at = 0; at < record.ticks.size(); ++at) {
      grown += record.ticks[at].what.find(" grows from ") != std::string::npos ? 1 : 0;
      for (const MethodChange& change : record.changesOf(at)) {
        if (record.lists[change.list].name != "mapping table") continue;
        ++takes;
        const Bytes size = problem.stays[std::get<StayId>(change.after[0])].size;
        Bytes& block =
            capacity.try_emplace(std::get<std::int64_t>(change.after[2]), size).first->second;
        expected += size > block ? 1 : 0;
        block = std::max(block, size);
      }
    }
    CHECK(takes == problem.stays.size());
    CHECK(grown == expected);
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
