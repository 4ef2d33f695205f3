// What single ticks of a record say, held against what the plan's story and its lists say.

#include <algorithm>
#include <set>

#include "core/import/samples.h"
#include "core/plan/method_record.h"
#include "core/trace/timeline.h"
#include "tests/conformance/subjects.h"
#include "tests/support/methods.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

using namespace hw;

namespace {

Plan toldPlan(const std::string& allocator, const Problem& problem) {
  PlanContext context = test::quickContext();
  context.record = true;
  const auto choice = test::must(AllocatorChoice::parse(allocator));
  return test::must(choice.make()->plan(problem, context));
}

/// A near memory that is too small for all, so that some of it spills.
Problem spillingProblem(std::uint64_t seed) {
  Problem problem =
      test::randomProblem(seed, {.stays = 10 + seed % 30, .steps = 20, .maxSize = 60, .pools = 2});
  for (Stay& stay : problem.stays) stay.pool = {};
  problem.pools[PoolId(0)].capacity = Bytes(100);
  problem.pools[PoolId(1)].capacity = std::nullopt;
  return problem;
}

/// What the tick's words say of how memory was taken.
std::string_view wayOf(std::string_view what) {
  for (const std::string_view way :
       {"reuses", "splits off", "extends the tail to", "takes fresh"}) {
    if (what.find(way) != std::string_view::npos) return way;
  }
  return {};
}

std::string_view wayOf(Happening happening) {
  switch (happening) {
    case Happening::fresh:
      return "takes fresh";
    case Happening::reuse:
      return "reuses";
    case Happening::split:
      return "splits off";
    case Happening::extend:
      return "extends the tail to";
    case Happening::release:
    case Happening::merge:
      break;
  }
  return {};
}

std::size_t listNamed(const MethodRecord& record, std::string_view start) {
  const auto at = std::ranges::find_if(
      record.lists, [&](const MethodList& list) { return list.name.starts_with(start); });
  REQUIRE(at != record.lists.end());
  return static_cast<std::size_t>(at - record.lists.begin());
}

}  // namespace

TEST_CASE("free list: ticks tell of splits, extensions, spills and joins as the story does",
          "[conformance][record]") {
  std::set<std::string_view> seen;
  std::size_t spilled = 0;
  std::size_t joined = 0;
  for (const std::uint64_t seed : test::Seeds(60)) {
    const Problem problem = spillingProblem(seed);
    const Plan plan = toldPlan("free-list", problem);
    if (plan.outOfMemory) continue;
    IdMap<StayId, const TimelineEntry*> takes(problem.stays.size());
    std::set<StayId> merged;
    const auto timeline = describe(plan.story, problem.pools.size());
    for (const TimelineEntry& entry : timeline) {
      if (!wayOf(entry.happening).empty()) takes[entry.stay] = &entry;
      if (entry.happening == Happening::merge) merged.insert(entry.stay);
    }
    const MethodRecord& record = plan.records.at(0);
    for (const MethodTick& tick : record.ticks) {
      if (!tick.stay) continue;
      INFO(tick.what);
      if (tick.what.starts_with("is released")) {
        const bool joins = tick.what.find("joins") != std::string::npos;
        CHECK(joins == merged.contains(tick.stay));
        joined += joins ? 1 : 0;
        continue;
      }
      const bool spills = tick.what.starts_with("spills");
      CHECK(spills == (takes[tick.stay]->pool == PoolId(1)));
      CHECK(wayOf(tick.what) == wayOf(takes[tick.stay]->happening));
      seen.insert(wayOf(tick.what));
      spilled += spills ? 1 : 0;
    }
  }
  CHECK(seen.size() == 4);
  CHECK(spilled > 0);
  CHECK(joined > 0);
}

TEST_CASE("free list: the search ends with the block that is taken, the others say why not",
          "[conformance][record]") {
  const std::string name = GENERATE("free-list", "free-list:threshold=20");
  std::size_t small = 0;
  for (const std::uint64_t seed : test::Seeds(40)) {
    CAPTURE(name);
    const Problem problem =
        test::randomProblem(seed, {.stays = 5 + seed % 30, .steps = 20, .maxSize = 60, .pools = 1});
    const Plan plan = toldPlan(name, problem);
    const MethodRecord& record = plan.records.at(0);
    const std::size_t search = listNamed(record, "search ");
    MethodPlayer player(record);
    for (std::size_t tick = 0; tick < record.ticks.size(); ++tick) {
      player.seek(tick + 1);
      const StayId stay = record.ticks[tick].stay;
      if (wayOf(record.ticks[tick].what).empty()) continue;
      std::size_t chosen = 0;
      for (const MethodRow& row : player.state()[search]) {
        CHECK_FALSE(std::get<std::string>(row[3]).empty());
        small += std::get<std::string>(row[3]).find("threshold of 20") != std::string::npos ? 1 : 0;
        if (row[2] != MethodCell(std::string("chosen"))) continue;
        ++chosen;
        // Of what is extended the row is where it begins.
        CHECK(std::get<Bytes>(row[1]) == plan.addresses[stay]->offset);
      }
      CHECK(chosen == 1);
    }
  }
  CHECK((small > 0) == (name != "free-list"));
}

TEST_CASE("two sides: the walk goes from the last operator to the first", "[conformance][record]") {
  for (const char* sample : {"chain", "residual", "inception", "resnet8", "zero_copy"}) {
    CAPTURE(sample);
    const auto run = test::must(execute(test::sample(sample), test::workedRequest("two-sided"),
                                        {.simulate = false, .record = true}));
    const MethodRecord& record = run->plan.records.at(0);
    const std::size_t current = listNamed(record, "current");
    std::size_t seen = 0;
    std::int64_t last = run->problem.steps.count();
    for (const MethodChange& change : record.changes) {
      if (change.list != current || change.after.empty()) continue;
      ++seen;
      const auto step = std::get<std::int64_t>(change.after[1]);
      CHECK(step <= last);
      last = step;
    }
    // Graph inputs have no operator whose inputs could get places.
    const auto& stays = run->problem.stays;
    const auto made = std::ranges::count_if(stays.keys().toVector(), [&](StayId id) {
      return bool(run->graph().tensors[run->stayTensor(id)].producer);
    });
    CHECK(seen == static_cast<std::size_t>(made));
    CHECK(last == 0);
  }
}

TEST_CASE("placement search: alternatives come off the top of the stack", "[conformance][record]") {
  std::size_t pops = 0;
  for (const std::uint64_t seed : test::Seeds(40)) {
    const Problem problem =
        test::randomProblem(seed, {.stays = 5 + seed % 20, .steps = 12, .maxSize = 60, .pools = 1});
    const Plan plan = toldPlan("placement-search:seconds=0,sequences=50", problem);
    const MethodRecord& record = plan.records.at(0);
    const std::size_t stack = listNamed(record, "stack");
    const std::size_t counts = listNamed(record, "counts");
    REQUIRE(record.lists[stack].kind == MethodList::Kind::stack);
    // What is taken off is taken by the next sequence, or is pruned.
    MethodRow off;
    std::size_t rows = 0;
    for (std::size_t tick = 0; tick < record.ticks.size(); ++tick) {
      bool pruned = false;
      for (const MethodChange& change : record.changesOf(tick)) {
        pruned |= change.list == counts && change.after[0] == MethodCell(std::string("pruned"));
        if (change.list != stack) continue;
        if (change.before.empty()) {
          CHECK(change.at == rows++);
        } else {
          CHECK(change.at == --rows);
          off = change.before;
          ++pops;
        }
      }
      const std::string& what = record.ticks[tick].what;
      if (what.starts_with("an alternative off the stack")) {
        CHECK(record.ticks[tick].stay == std::get<StayId>(off[0]));
        CHECK(what.find(std::get<std::string>(off[1]) + " at " +
                        std::to_string(std::get<Bytes>(off[2]).count())) != std::string::npos);
      }
      if (what.starts_with("comes off the stack")) CHECK(pruned);
    }
  }
  CHECK(pops > 0);
}
