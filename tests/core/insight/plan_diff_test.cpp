#include "core/insight/plan_diff.h"

#include <fmt/format.h>

#include <sstream>

#include "core/base/csv.h"
#include "core/plan_file/plan_reader.h"
#include "core/plan_file/plan_story.h"
#include "core/plan_file/plan_writer.h"
#include "core/report/compare/diff_report.h"
#include "tests/support/graphs.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

namespace hw {
namespace {

using namespace hw::literals;

Placement at(const std::string& tensor, std::int64_t offset, std::int64_t size, std::int64_t first,
             std::int64_t last) {
  return {.tensor = tensor,
          .pool = "L2",
          .offset = Bytes(offset),
          .size = Bytes(size),
          .first = Step(first),
          .last = Step(last)};
}

DiffSide sideOf(std::vector<Placement> placements) {
  DiffSide side{.name = "drawn", .plan = {.placements = std::move(placements)}};
  auto events = memoryEvents(side.plan);
  if (events) side.events = *events;
  if (!events) side.noEvents = events.error();
  return side;
}

DiffSide sideOf(const Run& run) {
  return {.name = "run", .plan = describePlan(run), .events = memoryEvents(run)};
}

/// Through the file and back, with its events told from the addresses.
DiffSide fileOf(const Run& run) {
  std::ostringstream out;
  writePlanJson(run, out);
  DiffSide side{.name = "file", .plan = readPlan(out.str()).value()};
  auto events = test::must(memoryEvents(side.plan));
  side.events = events;
  return side;
}

/// "b moved, c resized".
std::string draw(const PlanDiff& diff) {
  std::string text;
  for (const TensorChange& change : diff.changes) {
    text += (text.empty() ? "" : ", ") + change.either().tensor + " " +
            std::string(changeName(change.change));
  }
  return text;
}

}  // namespace

TEST_CASE("two plans differ by what moved, changed, came and went", "[diff]") {
  // step     0     1     2          step     0     1     2
  //  c  5          |-----|  [15,20)  c  5          |-----|  [10,15)
  //  b  5    |-----------|  [10,15)  e  2          |-----|  [5,7)
  //  d  3    |-----|        [15,18)  b  5    |-----|        [10,15)
  //  a 10    |-----|        [0,10)   a 10    |-----|        [0,10)
  const DiffSide a = sideOf(
      {at("a", 0, 10, 0, 0), at("b", 10, 5, 0, 1), at("c", 15, 5, 1, 1), at("d", 15, 3, 0, 0)});
  const DiffSide b = sideOf(
      {at("a", 0, 10, 0, 0), at("b", 10, 5, 0, 0), at("c", 10, 5, 1, 1), at("e", 5, 2, 1, 1)});
  const PlanDiff diff = diffPlans(a, b);
  CHECK(draw(diff) == "b resized, d only-in-a, c moved, e only-in-b");
  CHECK(diff.same == 1);
  CHECK_FALSE(diff.equal());
  REQUIRE(diff.pools.size() == 1);
  CHECK(diff.pools[0].peakA == 20_B);
  // A has d, b and c, and a; B has e, b and c, and a. Two steps lives b of A alone.
  const auto classes = [](const std::vector<DiffClass>& all) {
    std::string text;
    for (const DiffClass& each : all) {
      text += fmt::format("{} {}: {} {} {} {}; ", each.pool, each.power, each.countA, each.countB,
                          each.bytesA.count(), each.bytesB.count());
    }
    return text;
  };
  CHECK(classes(diff.sizes) == "L2 1: 1 1 3 2; L2 2: 2 2 10 10; L2 3: 1 1 10 10; ");
  CHECK(classes(diff.lifetimes) == "L2 0: 3 4 18 22; L2 1: 1 0 5 0; ");
  CHECK(diff.pools[0].peakB == 15_B);
  // Both begin with a and b; then A makes room for d, and B gives a back.
  REQUIRE(diff.firstEvents);
  REQUIRE(diff.firstEvents->a);
  CHECK(diff.firstEvents->a->tensor == "d");
  CHECK(diff.firstEvents->a->event == "fresh");
  CHECK(diff.firstEvents->a->seq == 2);
  REQUIRE(diff.firstEvents->b);
  CHECK(diff.firstEvents->b->tensor == "a");
  CHECK(diff.firstEvents->b->event == "release");
}

TEST_CASE("a residency more is only in one plan", "[diff]") {
  const DiffSide once = sideOf({at("a", 0, 10, 0, 0)});
  const DiffSide twice = sideOf({at("a", 20, 10, 4, 5), at("a", 0, 10, 0, 0)});
  CHECK(draw(diffPlans(once, twice)) == "a only-in-b");
  CHECK(draw(diffPlans(twice, once)) == "a only-in-a");
  CHECK(diffPlans(twice, twice).equal());
}

TEST_CASE("a story that ends earlier differs by what is missing", "[diff]") {
  const PlanDiff diff = diffPlans(sideOf({at("a", 0, 10, 0, 0)}),
                                  sideOf({at("a", 0, 10, 0, 0), at("b", 0, 10, 1, 1)}));
  REQUIRE(diff.firstEvents);
  CHECK_FALSE(diff.firstEvents->a);
  REQUIRE(diff.firstEvents->b);
  CHECK(diff.firstEvents->b->tensor == "b");
  CHECK(diff.firstEvents->b->event == "reuse");
}

TEST_CASE("a plan that tells no story says why, and is compared all the same", "[diff]") {
  const DiffSide good = sideOf({at("a", 0, 10, 0, 1), at("b", 10, 10, 0, 1)});
  const DiffSide clash = sideOf({at("a", 0, 10, 0, 1), at("b", 5, 10, 0, 1)});
  DiffSide vague = sideOf({at("a", 0, 10, 0, 1)});
  vague.plan.placements[0].first = std::nullopt;
  CHECK(test::mustFail(memoryEvents(vague.plan)).message ==
        "the plan does not say size and steps of 'a'");
  const PlanDiff diff = diffPlans(good, clash);
  CHECK(draw(diff) == "b moved");
  CHECK_FALSE(diff.firstEvents);
  REQUIRE(diff.notes.size() == 1);
  CHECK(diff.notes[0].find("the plan is not valid in itself: 'a' and 'b' share bytes in the same "
                           "step") != std::string::npos);
}

TEST_CASE("aliases that bite their tails do not hang the story", "[diff]") {
  PlanDocument plan{.placements = {at("a", 0, 4, 0, 0), at("b", 0, 4, 0, 0)}};
  plan.placements[0].aliasOf = "b";
  plan.placements[1].aliasOf = "a";
  // Each stands for itself then, and both are on the same bytes.
  CHECK(test::mustFail(memoryEvents(plan)).message.find("the plan is not valid in itself") !=
        std::string::npos);
}

TEST_CASE("a file of a plan is the plan", "[diff][property]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{40}));
  const std::string allocator = GENERATE("greedy-by-size", "free-list", "block-id");
  CAPTURE(seed, allocator);
  const auto run = test::runGraph(
      test::randomGraph(seed, 5 + seed),
      {.allocator = allocator, .alignment = seed % 2 == 0 ? 64 : 1, .alias = AliasRules()});
  const DiffSide file = fileOf(*run);
  CHECK(diffPlans(sideOf(*run), file).changes.empty());
  const PlanDiff same = diffPlans(file, file);
  CHECK(same.equal());
  CHECK_FALSE(same.firstEvents);
  // One buffer a holding: as many begin as the run has stays with an address.
  const auto begins = [](Happening happening) {
    return happening != Happening::release && happening != Happening::merge;
  };
  const auto told = std::ranges::count_if(file.events, [](const EventRow& row) {
    return row.event != "release" && row.event != "merge";
  });
  const auto planned = describe(run->plan.story, run->problem.pools.size());
  CHECK(told == std::ranges::count_if(planned, begins, &TimelineEntry::happening));
}

TEST_CASE("swapping the plans swaps what is said of them", "[diff][property]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{30}));
  CAPTURE(seed);
  const Graph graph = test::randomGraph(seed, 20);
  const auto first = test::runGraph(graph, {.allocator = "greedy-by-size"});
  const auto second = test::runGraph(graph, {.allocator = "free-list", .l2 = 300});
  const DiffSide a = sideOf(*first);
  const DiffSide b = sideOf(*second);
  const PlanDiff ab = diffPlans(a, b);
  const PlanDiff ba = diffPlans(b, a);
  CHECK(ab.same == ba.same);
  CHECK(ab.count(PlanChange::moved) == ba.count(PlanChange::moved));
  CHECK(ab.count(PlanChange::onlyInA) == ba.count(PlanChange::onlyInB));
  CHECK(ab.firstEvents.has_value() == ba.firstEvents.has_value());
  if (ab.firstEvents && ab.firstEvents->a) {
    REQUIRE(ba.firstEvents->b);
    CHECK(ab.firstEvents->a->seq == ba.firstEvents->b->seq);
  }
}

TEST_CASE("the CSV of a difference survives hostile names", "[diff]") {
  const std::string hostile = "a,\"b\"\n\rc";
  DiffReport report{.a = sideOf({at(hostile, 0, 10, 0, 0)}),
                    .b = sideOf({at(hostile, 5, 10, 0, 0)})};
  report.diff = diffPlans(report.a, report.b);
  const auto lines = csvLines(diffCsv(report));
  REQUIRE(lines.size() == 2);
  REQUIRE(lines[1].fields.size() == lines[0].fields.size());
  CHECK(lines[1].fields[1] == hostile);
  CHECK(lines[0].fields[9] == "offset_b");
  CHECK(lines[1].fields[9] == "5");
  CHECK(diffText(report, {}).find('\r') == std::string::npos);
  CHECK(diffJson(report)["changes"][0]["tensor"] == hostile);
}

TEST_CASE("a plan whose buffers move is the same from a file, stay for stay",
          "[diff][residency][property]") {
  std::size_t moved = 0;
  for (const std::uint64_t seed : test::Seeds(30)) {
    const Graph graph = test::randomGraph(seed, 25);
    const auto run = test::runGraph(graph, {.l2 = 150, .residency = ResidencyRule::belady});
    const auto other = test::runGraph(graph, {.l2 = 150, .residency = ResidencyRule::layer});
    const DiffSide file = fileOf(*run);
    const DiffSide second = fileOf(*other);
    const PlanDiff same = diffPlans(file, {.name = "run", .plan = describePlan(*run)});
    CHECK(same.changes.empty());
    const PlanDiff one = diffPlans(file, second);
    const PlanDiff back = diffPlans(second, file);
    CHECK(one.same == back.same);
    CHECK(one.count(PlanChange::onlyInA) == back.count(PlanChange::onlyInB));
    CHECK(one.count(PlanChange::moved) == back.count(PlanChange::moved));
    moved += run->problem.moves.size();
  }
  CHECK(moved > test::atLeast(50));
}

// With lru in 64 bytes a is in L2 at steps 0 and 1 and in L3 from 1 to 3.
TEST_CASE("a stay that is missing is told as that, and the others stay as they are",
          "[diff][residency]") {
  const auto run =
      test::runGraph(test::residualGraph(), {.l2 = 64, .residency = ResidencyRule::lru});
  const DiffSide all = fileOf(*run);
  DiffSide fewer = all;
  std::erase_if(fewer.plan.placements,
                [](const Placement& each) { return each.tensor == "a" && each.pool == "L2"; });
  const PlanDiff diff = diffPlans(all, fewer);
  REQUIRE(diff.changes.size() == 1);
  CHECK(diff.changes[0].change == PlanChange::onlyInA);
  CHECK(diff.changes[0].a->pool == "L2");
  // Its places are all a's.
  for (const EventRow& row : all.events) CHECK(row.tensor.find('#') == std::string::npos);
}

}  // namespace hw
