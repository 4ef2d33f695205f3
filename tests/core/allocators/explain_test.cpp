#include "core/insight/explain.h"

#include <catch2/catch.hpp>

#include "core/allocators/search_report.h"
#include "core/machine/platforms.h"
#include "tests/support/graphs.h"
#include "tests/support/methods.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

namespace hw::test {
namespace {

/// "free block @0 of 4: too small, 6 bytes too small; frontier @20: chosen, …": one candidate a
/// line.
std::string drawn(const Decision& decision) {
  std::string text;
  for (const Candidate& candidate : decision.candidates) {
    text += text.empty() ? "" : "\n";
    text += candidate.kind;
    if (candidate.address) text += " @" + std::to_string(candidate.address->offset.count());
    if (candidate.room) text += " of " + std::to_string(candidate.room->count());
    text += ": " + std::string(verdictName(candidate.verdict)) + ", " + candidate.reason;
  }
  return text;
}

std::string accountOf(const Run& run, const std::string& tensor) {
  const auto stays = staysOf(run, tensorOf(run.graph(), tensor));
  REQUIRE(stays.size() == 1);
  const PlaceExplanation found = explainPlace(run, stays[0]);
  REQUIRE_FALSE(found.decision.fromPlan);
  return drawn(found.decision);
}

std::shared_ptr<const Run> worked(Graph graph, const std::string& allocator) {
  return runGraph(std::move(graph), {.allocator = allocator});
}

}  // namespace

TEST_CASE("free-list tells of the blocks it looked at: chain", "[explain]") {
  // Step 1: x has left [0, 4). Step 2: t0 has joined it. Step 3: t1 has joined what t2 left.
  const auto run = worked(chainGraph(), "free-list");
  CHECK(accountOf(*run, "x") == "frontier @0: chosen, memory never used before");
  CHECK(accountOf(*run, "t1") ==
        "free block @0 of 4: too small, 6 bytes too small\n"
        "frontier @20: chosen, memory never used before");
  CHECK(accountOf(*run, "t2") ==
        "free block @0 of 20: chosen, cut: 15 bytes stay free above\n"
        "frontier @30: less good, free blocks come before memory never used");
  CHECK(accountOf(*run, "y") ==
        "free block @5 of 25: chosen, cut: 23 bytes stay free above\n"
        "frontier @30: less good, free blocks come before memory never used");
}

TEST_CASE("free-list tells by how much every block was too small: residual and inception",
          "[explain]") {
  CHECK(accountOf(*worked(residualGraph(), "free-list"), "d") ==
        "free block @0 of 12: too small, 20 bytes too small\n"
        "free block @44 of 16: too small, 16 bytes too small\n"
        "frontier @92: chosen, memory never used before");
  const auto run = worked(inceptionGraph(), "free-list");
  CHECK(accountOf(*run, "w") ==
        "free block @16 of 8: too small, 56 bytes too small\n"
        "free block @40 of 56: too small, 8 bytes too small\n"
        "frontier @128: chosen, memory never used before");
  // The walls of the hole of 56 bytes are v below and r above.
  const auto stays = staysOf(*run, tensorOf(run->graph(), "w"));
  const Decision decision = explainPlace(*run, stays[0]).decision;
  REQUIRE(decision.candidates[1].because.size() == 2);
  CHECK(run->stayName(decision.candidates[1].because[0]) == "v");
  CHECK(run->stayName(decision.candidates[1].because[1]) == "r");
}

TEST_CASE("free-list tells of extension, threshold, fit and capacity", "[explain]") {
  // Free: 2 at the bottom, 4 at the frontier; 10 wanted.
  const Problem extend = problemOf({{2, 0, 1}, {3, 0, 2}, {4, 0, 1}, {10, 1, 2}});
  const auto decide = [](const Problem& problem, const std::string& allocator, std::size_t stay) {
    const auto made = AllocatorChoice::parse(allocator)->make();
    return drawn(made->explain(problem, *made->plan(problem, {}), StayId(stay)));
  };
  CHECK(decide(extend, "free-list", 3) ==
        "free block @0 of 2: too small, 8 bytes too small\n"
        "free block @5 of 4: chosen, extended by 6 bytes\n"
        "frontier @9: less good, free blocks come before memory never used");
  CHECK(decide(extend, "free-list:threshold=10", 3) ==
        "free block @0 of 2: not allowed, the tensor is not above the threshold of 10 bytes: it "
        "may not cut a free block\n"
        "free block @5 of 4: not allowed, the tensor is not above the threshold of 10 bytes: it "
        "may not cut a free block\n"
        "frontier @9: chosen, memory never used before");
  // Free: 20 and 8, with 3 wanted.
  const Problem split = problemOf({{8, 0, 1}, {1, 0, 2}, {20, 0, 1}, {1, 0, 2}, {3, 1, 2}});
  CHECK(decide(split, "free-list", 4) ==
        "free block @0 of 8: less good, not the largest: the largest is taken, 20 bytes\n"
        "free block @9 of 20: chosen, cut: 17 bytes stay free above\n"
        "frontier @30: less good, free blocks come before memory never used");
  CHECK(decide(split, "free-list:pick=best", 4) ==
        "free block @0 of 8: chosen, cut: 5 bytes stay free above\n"
        "free block @9 of 20: less good, a looser fit: the tightest is taken, 8 bytes\n"
        "frontier @30: less good, free blocks come before memory never used");
  Problem full = extend;
  full.pools[PoolId(0)].capacity = Bytes(12);
  CHECK(decide(full, "free-list", 3) ==
        "free block @0 of 2: too small, 8 bytes too small\n"
        "free block @5 of 4: over capacity, 6 bytes too small, and no room to grow: it would end "
        "3 bytes above the capacity of 12 bytes\n"
        "frontier @9 of 3: over capacity, would end 7 bytes above the capacity of 12 bytes");
}

TEST_CASE("block-id tells of the idle list: inception", "[explain]") {
  // After the concat p, v's and r's blocks fall idle in input order: 1, 3, 0.
  const auto run = worked(inceptionGraph(), "block-id");
  CHECK(accountOf(*run, "y") ==
        "idle block 1 @0 of 16: chosen, 12 bytes to spare\n"
        "idle block 3 @0 of 32: less good, 28 bytes to spare; fell idle later\n"
        "idle block 0 @0 of 48: less good, 44 bytes to spare; fell idle later\n"
        "new block 4: not allowed, only when no block is idle");
  CHECK(accountOf(*run, "w") ==
        "idle block 2 @0 of 24: chosen, expanded by 40 bytes\n"
        "new block 4: not allowed, only when no block is idle");
  CHECK(accountOf(*run, "s") == "new block 0 @0: chosen, created with 48 bytes");
}

TEST_CASE("two-sided tells what either side would have let go", "[explain]") {
  const auto run = worked(chainGraph(), "two-sided");
  CHECK(accountOf(*run, "y") ==
        "right side @16: chosen, pushed without a choice\n"
        "left side @14: not allowed, final tensors go on the right");
  // Inception: v on the right lets w, current and alone on the left, go.
  CHECK(accountOf(*worked(inceptionGraph(), "two-sided"), "v") ==
        "right side @112: chosen, lets 64 bytes go at once; the boundary grows by 16 bytes\n"
        "left side: less good, lets 0 bytes go at once; the boundary grows by 16 bytes");
}

TEST_CASE("placement-search tells where its best sequence left the priorities", "[explain]") {
  const auto run = worked(inceptionGraph(), "placement-search");
  CHECK(run->plan.footprint(PoolId(0)) == Bytes(128));
  CHECK(accountOf(*run, "w").find("chosen, leads to an area of 128 bytes") != std::string::npos);
}

TEST_CASE("offline planners tell of the gaps between neighbours", "[explain]") {
  //  a 20 |--|      e may lie below b, between b and d, or above d.
  //  b  5 |-----|
  //  c 10 |--|
  //  d  5 |-----|
  //  e  8    |--|
  const Problem problem = problemOf({{20, 0, 2}, {5, 0, 4}, {10, 0, 2}, {5, 0, 4}, {8, 2, 4}});
  const auto decide = [&](const std::string& allocator) {
    const auto made = AllocatorChoice::parse(allocator)->make();
    return made->explain(problem, *made->plan(problem, {}), StayId(4));
  };
  const Decision best = decide("in-order");
  CHECK(best.when == "placed 5th of 5, as they are produced");
  CHECK(best.decided == "the tightest gap, the lowest of equals");
  CHECK(drawn(best) ==
        "gap @0 of 20: less good, a looser fit: 12 bytes to spare\n"
        "gap @25 of 10: chosen, 2 bytes to spare\n"
        "above all neighbours @40: less good, gaps come first");
  CHECK(drawn(decide("in-order:fit=first")) ==
        "gap @0 of 20: chosen, 12 bytes to spare\n"
        "gap @25 of 10: less good, large enough, but higher: 2 bytes to spare\n"
        "above all neighbours @40: less good, gaps come first");
  CHECK(best.candidates[1].because == std::vector{StayId(1), StayId(3)});
}

TEST_CASE("best tells which packing won", "[explain][property]") {
  const auto best = AllocatorChoice::parse("best")->make();
  for (const std::uint64_t seed : test::Seeds(30)) {
    const Problem problem = randomProblem(seed);
    const Plan plan = best->plan(problem, {}).value();
    const std::string winner = searchHistories(plan).front().samples.back().winner;
    for (const StayId stay : problem.stays.keys()) {
      const Decision decision = best->explain(problem, plan, stay);
      INFO("seed " << seed << ": " << decision.decided << "; " << decision.when);
      CHECK_FALSE(decision.fromPlan);
      CHECK(decision.when.find("'" + winner + "' made the lowest packing") != std::string::npos);
    }
  }
}

TEST_CASE("a plan tells what is below a stay and what the next lower place lacked", "[explain]") {
  //  c  6    [19, 25)
  //  b  5    [14, 19)
  //          [10, 14)  too small for c
  //  a 10    [0, 10)
  const Problem problem = problemOf({{10, 0, 2}, {5, 0, 2}, {6, 0, 2}});
  const Decision decision = judgeDecision(problem, planAt(problem, {0, 14, 19}), StayId(2));
  CHECK(decision.decided ==
        "every lower gap is too small while it lives; bounded below by what is live in steps 0 to "
        "1; the next lower place, at 10, would have needed 2 bytes more");
}

TEST_CASE("shared objects tell who is idle, busy or the wrong size", "[explain]") {
  const Problem problem = problemOf({{20, 0, 1}, {8, 0, 1}, {6, 0, 2}, {5, 1, 2}});
  const auto made = AllocatorChoice::parse("shared-objects")->make();
  CHECK(drawn(made->explain(problem, *made->plan(problem, {}), StayId(3))) ==
        "object 0 @0 of 20: less good, 15 bytes to spare\n"
        "object 1 @0 of 8: chosen, 3 bytes to spare\n"
        "object 2 @0 of 6: taken, in use during its life");
}

TEST_CASE("where memory is managed by unit, the block is explained, then what is inside it",
          "[explain]") {
  auto request = workedRequest("partition");
  request.platform = *findPlatform("two-devices");
  const auto run = mustRun(sample("two_devices"), request);
  for (const StayId id : run->problem.stays.keys()) {
    INFO(run->stayName(id));
    const PlaceExplanation found = explainPlace(*run, id);
    CHECK_FALSE(found.block.empty());
    REQUIRE(found.decision.chosen() != nullptr);
    Address at = *found.decision.chosen()->address;
    if (found.inside) at.offset += found.inside->chosen()->address->offset;
    CHECK(at.pool == run->plan.addresses[id]->pool);
    CHECK(at.offset == *run->plan.flatOffset(id));
  }
  const auto d = staysOf(*run, tensorOf(run->graph(), "d"));
  REQUIRE(d.size() == 1);
  CHECK(explainPlace(*run, d[0]).inside.has_value());
}

TEST_CASE("what was spilled says what the faster pool held, the rest that there was room",
          "[explain]") {
  const auto run = runGraph(inceptionGraph(), {.allocator = "greedy-by-size", .l2 = 100});
  REQUIRE(run->plan.footprint(PoolId(1)) > Bytes());
  for (const StayId id : run->problem.stays.keys()) {
    const bool spilled = run->plan.addresses[id]->pool == PoolId(1);
    const std::string why = explainPlace(*run, id).residency;
    INFO(run->stayName(id) << ": " << why);
    CHECK((why.find("it was moved to L3") == 0) == spilled);
    CHECK((why.find("it was given to L2") == 0) == !spilled);
  }
}

TEST_CASE("an alias is explained by the op that makes it one, refused sharing by its reason",
          "[explain]") {
  const auto model = sample("zero_copy");
  auto request = workedRequest("free-list");
  request.alias = AliasRules();
  const auto run = mustRun(model, request);
  std::size_t aliases = 0;
  for (const TensorId tensor : run->graph().tensors.keys()) {
    if (!run->storage.slots[tensor]) continue;
    const AliasExplanation found = explainAlias(*run, tensor);
    const Slot& slot = *run->storage.slots[tensor];
    CHECK(found.root == run->storage.buffers[slot.buffer].root);
    CHECK(found.offset == slot.offset);
    CHECK(found.reason.empty() == (found.root == tensor));
    CHECK(found.reason != "it shares storage with what it is made from");
    aliases += found.root == tensor ? 0 : 1;
  }
  CHECK(aliases > 0);
  REQUIRE_FALSE(run->storage.copies.empty());
  const CopyNote& copy = run->storage.copies.front();
  if (run->storage.slots[copy.tensor]) {
    const auto refused = explainAlias(*run, copy.tensor).refused;
    REQUIRE_FALSE(refused.empty());
    CHECK(refused.front().find(copy.reason) != std::string::npos);
  }
}

}  // namespace hw::test
