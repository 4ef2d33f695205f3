#include <algorithm>
#include <string>

#include "core/allocators/catalog.h"
#include "core/trace/timeline.h"
#include "core/trace/trace.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"

using namespace hw;

namespace {

/// Checks one entry against a byte by byte record of who was where.
class Witness {
 public:
  explicit Witness(std::size_t pools) : pools_(pools) {}

  void see(const TimelineEntry& entry) {
    switch (entry.happening) {
      case Happening::fresh:
        REQUIRE_FALSE(everUsed(entry));
        REQUIRE(entry.freeBefore == Bytes(0));
        return take(entry);
      case Happening::reuse:
        REQUIRE(everUsed(entry));
        REQUIRE(entry.freeBefore == entry.size);
        return take(entry);
      case Happening::split:
        REQUIRE(everUsed(entry));
        REQUIRE(entry.freeBefore > entry.size);
        return take(entry);
      case Happening::extend:
        REQUIRE(entry.offset < frontier(entry));
        REQUIRE(entry.offset + entry.size > frontier(entry));
        return take(entry);
      case Happening::release:
        REQUIRE(ownedBy(entry, entry.stay));
        return setOwner(entry, StayId());
      case Happening::merge:
        REQUIRE(ownedBy(entry, StayId()));
        return;
    }
  }

 private:
  struct Cell {
    StayId owner{};
    StayId former{};
  };
  using Region = std::vector<Cell>;

  Region& region(const TimelineEntry& entry) {
    auto& regions = pools_[entry.pool];
    if (!regions.contains(entry.region)) regions.resize(entry.region.index() + 1);
    return regions[entry.region];
  }
  Bytes frontier(const TimelineEntry& entry) {
    return Bytes(static_cast<std::int64_t>(region(entry).size()));
  }
  Cell& cell(const TimelineEntry& entry, std::int64_t at) {
    return region(entry).at(static_cast<std::size_t>(entry.offset.count() + at));
  }

  bool everUsed(const TimelineEntry& entry) {
    for (Bytes at; at < entry.size && entry.offset + at < frontier(entry); at += Bytes(1)) {
      if (cell(entry, at.count()).former) return true;
    }
    return false;
  }
  bool ownedBy(const TimelineEntry& entry, StayId owner) {
    for (std::int64_t at = 0; at < entry.size.count(); ++at) {
      if (cell(entry, at).owner != owner) return false;
    }
    return true;
  }
  void setOwner(const TimelineEntry& entry, StayId owner) {
    for (std::int64_t at = 0; at < entry.size.count(); ++at) {
      cell(entry, at).owner = owner;
      if (owner) cell(entry, at).former = owner;
    }
  }

  void take(const TimelineEntry& entry) {
    Region& cells = region(entry);
    const auto end = static_cast<std::size_t>((entry.offset + entry.size).count());
    if (cells.size() < end) cells.resize(end);
    REQUIRE(cell(entry, 0).former == entry.formerTenant);
    REQUIRE(ownedBy(entry, StayId()));
    setOwner(entry, entry.stay);
  }

  IdMap<PoolId, IdMap<RegionId, Region>> pools_;
};

}  // namespace

TEST_CASE("what is said of every allocator's story is true", "[timeline][property]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{5}));
  const Problem problem = hw::test::randomProblem(seed, {.stays = 40});
  for (const AllocatorInfo& info : allocatorCatalog()) {
    CAPTURE(seed, info.name);
    // Some searches stop by the clock; here any plan of theirs will do.
    const bool timed =
        std::ranges::find(info.params, "seconds", &ParamSpec::name) != info.params.end();
    const auto choice =
        test::must(AllocatorChoice::parse(std::string(info.name) + (timed ? ":seconds=0.02" : "")));
    const auto plan = test::must(choice.make()->plan(problem, {.nodeBudget = 200}));
    const auto entries = describe(plan.story, problem.pools.size());
    Witness witness(problem.pools.size());
    std::size_t covered = 0;
    for (const TimelineEntry& entry : entries) {
      REQUIRE(entry.firstEvent == covered);
      REQUIRE_FALSE(detailText(entry, {}).empty());
      covered = entry.lastEvent;
      witness.see(entry);
    }
    REQUIRE(covered == plan.story.size());

    // The trace holds the story, whatever is asked of it.
    Trace::Builder builder(problem.pools.size());
    for (const MemoryEvent& event : plan.story) builder.add(SimTime(event.step), event);
    const Trace trace = std::move(builder).finish();
    MemoryState state(problem.pools.size());
    for (std::size_t i = 0; i < plan.story.size(); ++i) {
      state[plan.story[i].poolId()].apply(plan.story[i]);
      REQUIRE(trace.stateAfter(i + 1) == state);
    }
    for (std::size_t i = plan.story.size(); i-- > 0;) {
      state[plan.story[i].poolId()].revert(plan.story[i]);
    }
    REQUIRE(state == MemoryState(problem.pools.size()));
  }
}
