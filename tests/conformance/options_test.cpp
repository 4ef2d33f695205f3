// Every option of every allocator changes what it says it changes. An option that is new to the
// catalogue fails here until it has its line.

#include <algorithm>
#include <string>
#include <vector>

#include "core/allocators/catalog.h"
#include "core/families/family.h"
#include "tests/support/counting_clock.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"
#include "tests/support/synthetic_problems.h"

using namespace hw;

namespace {

enum class Change {
  addresses,  ///< Of some stay, in some problem.
  work,       ///< How much was tried, which the notes tell.
};

struct OptionLine {
  const char* allocator;
  const char* option;
  const char* one;  ///< Values, and whatever keeps other budgets out of the way.
  const char* other;
  Change change;
};

constexpr OptionLine kLines[] = {
    {"greedy-by-size", "fit", "fit=best", "fit=first", Change::addresses},
    {"embedded", "fit", "fit=best", "fit=first", Change::addresses},
    {"free-list", "threshold", "threshold=0", "threshold=100", Change::addresses},
    {"free-list", "pick", "pick=largest", "pick=best", Change::addresses},
    {"block-id", "pick", "pick=fifo", "pick=lifo", Change::addresses},
    {"block-id", "pick", "pick=fifo", "pick=best", Change::addresses},
    {"caching", "split", "split=0", "split=1024", Change::addresses},
    {"caching", "expandable", "split=1024,expandable=false", "split=1024,expandable=true",
     Change::addresses},
    {"two-sided", "recycle", "recycle=all", "recycle=lifetime-one", Change::addresses},
    {"partition", "allocator", "allocator=free-list", "allocator=greedy-by-size",
     Change::addresses},
    {"placement-search", "stack", "seconds=0,stack=0", "seconds=0,stack=1", Change::work},
    {"placement-search", "sequences", "seconds=0,sequences=1", "seconds=0,sequences=0",
     Change::work},
    {"placement-search", "seconds", "sequences=0,seconds=0", "sequences=0,seconds=0.000000001",
     Change::work},
    {"shared-objects", "order", "order=size", "order=in-order", Change::addresses},
    {"in-order", "fit", "fit=best", "fit=first", Change::addresses},
    {"hill-climb", "tries", "seconds=0,tries=1", "seconds=0,tries=40", Change::work},
    {"hill-climb", "stuck", "seconds=0,tries=400,stuck=1", "seconds=0,tries=400,stuck=100",
     Change::work},
    {"hill-climb", "seconds", "tries=100,seconds=0", "tries=100,seconds=0.000000001", Change::work},
    {"stacked", "order", "order=size", "order=conflicts", Change::addresses},
    {"annealed-stack", "tries", "seconds=0,tries=1", "seconds=0,tries=40", Change::work},
    {"annealed-stack", "stuck", "seconds=0,tries=400,stuck=1", "seconds=0,tries=400,stuck=100",
     Change::work},
    {"annealed-stack", "seconds", "tries=100,seconds=0", "tries=100,seconds=0.000000001",
     Change::work},
    {"exact", "capacity", "seconds=0,nodes=2000", "seconds=0,nodes=2000,capacity=1", Change::work},
    {"exact", "conflict", "seconds=0,nodes=2000,capacity=32MiB",
     "seconds=0,nodes=2000,capacity=32MiB,conflict=true", Change::work},
    {"exact", "nodes", "seconds=0,nodes=1", "seconds=0,nodes=5000", Change::work},
    {"exact", "seconds", "nodes=5000,seconds=0", "nodes=5000,seconds=0.000000001", Change::work},
    {"fast", "moves", "moves=1", "moves=20000", Change::work},
    {"fast", "seconds", "moves=20000,seconds=0", "moves=20000,seconds=0.000000001", Change::work},
    {"best", "moves", "nodes=0,moves=1", "nodes=0,moves=200000", Change::work},
    {"best", "nodes", "moves=1,nodes=0", "moves=1,nodes=5000", Change::work},
    {"best", "for", "moves=1,nodes=0,for=peak", "moves=1,nodes=0,for=latency", Change::work},
    {"best", "seconds", "moves=1,nodes=0,seconds=0", "moves=1,nodes=0,seconds=2", Change::work},
};

Plan planned(const std::string& allocator, const Problem& problem) {
  const auto choice = test::must(AllocatorChoice::parse(allocator));
  test::CountingClock time;
  return test::must(choice.make()->plan(problem, {.nodeBudget = 100'000, .clock = time.clock()}));
}

/// Crowded enough that a search does not meet the bound at once.
std::vector<Problem> problemsFor(Change change) {
  std::vector<Problem> problems;
  if (change == Change::work) {
    // Cut from a pool that is not full any more: nobody puts it together again at once.
    return {test::tileProblem(60, 1), generateProblem("spirals:buffers=90,out=20,seed=2").problem};
  }
  for (const std::uint64_t seed : test::Seeds(40)) {
    problems.push_back(test::randomProblem(seed, {.stays = 25, .steps = 20, .maxSize = 300}));
  }
  return problems;
}

}  // namespace

TEST_CASE("every option changes what it says", "[options]") {
  for (const OptionLine& line : kLines) {
    CAPTURE(line.allocator, line.one, line.other);
    bool differs = false;
    for (const Problem& problem : problemsFor(line.change)) {
      const Plan one = planned(std::string(line.allocator) + ":" + line.one, problem);
      const Plan other = planned(std::string(line.allocator) + ":" + line.other, problem);
      differs |= line.change == Change::addresses
                     ? one.addresses != other.addresses
                     : one.notes != other.notes || one.status != other.status;
      if (differs) break;
    }
    CHECK(differs);
  }
}

TEST_CASE("no option is forgotten, and none is made up", "[options]") {
  for (const AllocatorInfo& info : allocatorCatalog()) {
    for (const ParamSpec& spec : info.params) {
      CAPTURE(info.name, spec.name);
      CHECK(std::ranges::any_of(kLines, [&](const OptionLine& line) {
        return line.allocator == info.name && line.option == spec.name;
      }));
    }
  }
  for (const OptionLine& line : kLines) {
    const auto info = findAllocator(line.allocator);
    REQUIRE(info);
    CAPTURE(line.allocator, line.option);
    CHECK(std::ranges::any_of((*info)->params,
                              [&](const ParamSpec& spec) { return spec.name == line.option; }));
  }
}
