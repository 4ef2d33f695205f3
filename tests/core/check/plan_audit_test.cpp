#include "core/check/plan_audit.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <sstream>

#include "core/check/audit_model.h"
#include "core/check/replay.h"
#include "core/import/importer.h"
#include "core/machine/platforms.h"
#include "core/plan_file/plan_reader.h"
#include "core/plan_file/plan_writer.h"
#include "core/plan_file/tensor_names.h"
#include "core/storage/aliasing.h"
#include "tests/support/graphs.h"
#include "tests/support/image_graphs.h"
#include "tests/support/methods.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

namespace hw {
namespace {

std::vector<std::string> messages(const Audit& audit) {
  std::vector<std::string> texts;
  for (const Finding& finding : audit.findings) texts.push_back(finding.message);
  return texts;
}

/// What the plan of `run` reads like after a trip through a file.
PlanDocument throughFile(const Run& run, void (*write)(const Run&, std::ostream&)) {
  std::ostringstream file;
  write(run, file);
  return readPlan(file.str()).value();
}

AliasRules rulesOf(std::int64_t bits) {
  return {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0, (bits & 16) != 0};
}

/// Every pair of placements of different tensors that meet, aliases of one buffer apart: by looking
/// at all pairs.
bool anyOverlap(const PlanDocument& plan) {
  std::map<std::string, std::string> roots;
  for (const Placement& placement : plan.placements) {
    roots[placement.tensor] = placement.aliasOf.empty() ? placement.tensor : placement.aliasOf;
  }
  for (const Placement& a : plan.placements) {
    for (const Placement& b : plan.placements) {
      if (roots[a.tensor] == roots[b.tensor] || a.pool != b.pool) continue;
      const bool inTime = a.first <= b.last && b.first <= a.last;
      const bool inSpace = a.offset < b.offset + *b.size && b.offset < a.offset + *a.size;
      if (inTime && inSpace) return true;
    }
  }
  return false;
}

bool mentionsSharing(const Audit& audit) {
  return std::ranges::any_of(messages(audit), [](const std::string& message) {
    return message.find(" share bytes ") != std::string::npos;
  });
}

}  // namespace

TEST_CASE("of operators in parts a plan lists parts of tensors that never are there as a whole",
          "[audit][tile]") {
  std::size_t moved = 0;
  for (const std::uint64_t seed : test::Seeds(40)) {
    test::RunOptions options{.alignment = 1};
    options.tile = TileRule::lines;
    const auto run = test::runGraph(test::randomImages(seed, 2 + seed % 6), options);
    PlanDocument plan = throughFile(*run, writePlanJson);
    const Audit audit = auditPlan(run->model, plan, {});
    CHECK(messages(audit) == std::vector<std::string>());
    CHECK(audit.run != nullptr);
    // A part that lies elsewhere than the others say is found.
    const auto part = std::ranges::find_if(plan.placements, [](const Placement& placement) {
      return !placement.aliasOf.empty() && placement.tensor.find("[r1]") != std::string::npos;
    });
    if (part == plan.placements.end()) continue;
    part->offset += Bytes(1);
    CHECK_FALSE(messages(auditPlan(run->model, plan, {})).empty());
    ++moved;
  }
  CHECK(moved > test::rounds(5));
}

TEST_CASE("our own plans pass the audit, as JSON and as CSV", "[audit][property]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{40}));
  test::Dice dice(seed);
  const test::RunOptions options{.allocator = dice.chance(50) ? "greedy-by-size" : "free-list",
                                 .alignment = std::int64_t{1} << dice.roll(0, 6),
                                 .alias = rulesOf(dice.roll(0, 31)),
                                 .l2 = dice.chance(40) ? 4096 : -1};
  CAPTURE(seed, options.allocator, options.alignment, aliasText(options.alias));
  const auto run = test::runGraph(test::randomGraph(seed, 5 + seed), options);
  REQUIRE_FALSE(run->plan.outOfMemory);

  const Audit json = auditPlan(run->model, throughFile(*run, writePlanJson), {});
  CHECK(messages(json) == std::vector<std::string>());
  CHECK(json.run != nullptr);
  const Audit csv = auditPlan(run->model, throughFile(*run, writePlanCsv), {});
  CHECK(messages(csv) == std::vector<std::string>());
}

TEST_CASE("plans of bare problems pass the audit, gaps included", "[audit][property]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{25}));
  CAPTURE(seed);
  const Problem problem =
      test::randomProblem(seed, {.stays = 30, .alignedPercent = 30, .gapPercent = 30});
  const auto run = test::runProblem(problem);
  for (auto* write : {writePlanJson, writePlanCsv}) {
    const Audit audit = auditPlan(run->model, throughFile(*run, write), {});
    CHECK(messages(audit) == std::vector<std::string>());
    CHECK(audit.tensors == problem.stays.size());
  }
}

TEST_CASE("a placement that is moved is found out exactly when it hits another",
          "[audit][property]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{60}));
  CAPTURE(seed);
  test::Dice dice(seed);
  const auto run = test::runGraph(test::randomGraph(seed, 12));
  PlanDocument plan = describePlan(*run);
  plan.pools.clear();  // Peaks are not the point here.
  plan.lowerBound.reset();
  const auto last = static_cast<std::int64_t>(plan.placements.size()) - 1;
  Placement& moved = plan.placements[static_cast<std::size_t>(dice.roll(0, last))];
  moved.offset = Bytes(dice.roll(0, run->plan.footprint(PoolId(0)).count()));
  CAPTURE(moved.tensor, moved.offset);
  CHECK(mentionsSharing(auditPlan(run->model, plan, {})) == anyOverlap(plan));
}

TEST_CASE("what is missing, too small or gone too early is found", "[audit]") {
  const auto run = test::runGraph(test::residualGraph());
  PlanDocument plan = describePlan(*run);
  const auto placement = [&](const std::string& tensor) -> Placement& {
    return *std::ranges::find(plan.placements, tensor, &Placement::tensor);
  };
  const auto findings = [&] { return messages(auditPlan(run->model, plan, {})); };
  REQUIRE(findings().empty());

  SECTION("missing") {
    std::erase_if(plan.placements, [](const Placement& p) { return p.tensor == "b"; });
    CHECK(findings() ==
          std::vector<std::string>{"'b' has no place; it needs 16 bytes in steps 1-2"});
  }
  SECTION("too small") {
    placement("b").size = Bytes(15);
    CHECK(findings() == std::vector<std::string>{"'b' is given 15 bytes; the model says 16"});
  }
  SECTION("rounded up to the alignment is fine, more is not") {
    plan.alignment = Bytes(1);
    placement("b").size = Bytes(17);
    CHECK(findings().front() == "'b' is given 17 bytes; the model says 16");
  }
  SECTION("gone too early") {
    placement("a").last = Step(2);
    CHECK(findings() ==
          std::vector<std::string>{"'a' is needed in steps 0-3, but has no place in step 3"});
  }
  SECTION("two places at once") {
    Placement again = placement("y");
    again.offset += Bytes(200);
    plan.placements.push_back(again);
    plan.pools.clear();
    CHECK(findings() == std::vector<std::string>{"'y' has two places at once in step 4"});
  }
  SECTION("an alias that is none") {
    placement("d").aliasOf = "a";
    CHECK(findings().front() ==
          "'d' is an alias of 'a', but the model does not let them share memory");
  }
  SECTION("aliases in a circle") {
    placement("d").aliasOf = "a";
    placement("a").aliasOf = "d";
    CHECK(findings().front() == "'a' is an alias of 'd', and so on without end");
  }
  SECTION("a capacity from outside") {
    const Audit audit = auditPlan(run->model, plan, {.capacities = {{"L2", Bytes(90)}}});
    CHECK(messages(audit) ==
          std::vector<std::string>{"L2 needs 96 bytes, 6 more than its capacity of 90"});
  }
}

TEST_CASE("a slice may be left to others until it is written", "[audit]") {
  // p and q are slices of w. r uses the bytes of q before there is a q.
  //
  //   step   0   1   2   3
  //   p      x---------x        w  0..8
  //   r      x---x              w  8..16, of another group
  //   q              x-x        w  8..16
  const std::vector<Holding> holdings = {
      {.owner = 0, .group = 1, .bytes = {Bytes(0), Bytes(8)}, .steps = {Step(0), Step(4)}},
      {.owner = 1, .group = 2, .bytes = {Bytes(8), Bytes(16)}, .steps = {Step(0), Step(2)}},
      {.owner = 2, .group = 1, .bytes = {Bytes(8), Bytes(16)}, .steps = {Step(2), Step(4)}},
      {.owner = 3, .group = 1, .bytes = {Bytes(0), Bytes(16)}, .steps = {Step(3), Step(4)}}};
  const HoldingCheck check = checkHoldings(holdings, 1);
  CHECK(check.conflicts.empty());
  CHECK(check.peakLive == Bytes(16));
}

TEST_CASE("holdings conflict exactly when two groups share a byte in a step", "[audit][property]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{200}));
  CAPTURE(seed);
  test::Dice dice(seed);
  std::vector<Holding> holdings;
  const std::int64_t count = dice.roll(1, 7);
  for (std::int64_t i = 0; i < count; ++i) {
    const Bytes offset(dice.roll(0, 20));
    const Step begin(dice.roll(0, 8));
    holdings.push_back({.owner = static_cast<std::size_t>(i),
                        .group = static_cast<std::size_t>(dice.roll(0, 3)),
                        .pool = static_cast<std::size_t>(dice.roll(0, 1)),
                        .bytes = {offset, offset + Bytes(dice.roll(0, 6))},
                        .steps = {begin, begin + Step(dice.roll(0, 4))}});
  }
  bool clash = false;
  std::int64_t peak = 0;
  for (Step step; step < Step(14); step += Step(1)) {
    std::map<std::pair<std::size_t, Bytes>, std::size_t> holders;
    for (const Holding& holding : holdings) {
      if (!holding.steps.contains(step)) continue;
      for (Bytes byte = holding.bytes.begin; byte < holding.bytes.end; byte += Bytes(1)) {
        const auto [holder, fresh] = holders.emplace(std::pair(holding.pool, byte), holding.group);
        clash |= !fresh && holder->second != holding.group;
      }
    }
    peak = std::max(peak, static_cast<std::int64_t>(holders.size()));
  }
  const HoldingCheck check = checkHoldings(holdings, 2);
  CHECK(!check.conflicts.empty() == clash);
  if (!clash) CHECK(check.peakLive == Bytes(peak));
}

TEST_CASE("plans whose buffers move pass after a trip through a file, and not without a move",
          "[audit][residency]") {
  int broken = 0;
  for (const std::uint64_t seed : test::Seeds(40)) {
    const auto run = test::runGraph(test::randomGraph(seed, 25),
                                    {.alias = rulesOf(static_cast<std::int64_t>(seed % 32)),
                                     .l2 = 150,
                                     .residency = ResidencyRule::lru});
    for (const auto write : {writePlanJson, writePlanCsv}) {
      CAPTURE(write == writePlanCsv);
      PlanDocument plan = throughFile(*run, write);
      CHECK(plan.moves.size() == run->problem.moves.size());
      CHECK(messages(auditPlan(run->model, plan, {})).empty());
      if (plan.moves.size() < 2) continue;
      plan.moves.pop_back();
      CHECK_FALSE(messages(auditPlan(run->model, plan, {})).empty());
      ++broken;
    }
  }
  CHECK(broken > test::atLeast(40));
}

TEST_CASE("a move that names nothing the plan has is a finding", "[audit][residency]") {
  const auto run =
      test::runGraph(test::residualGraph(), {.l2 = 64, .residency = ResidencyRule::lru});
  const auto told = [&](const StatedMove& move) {
    PlanDocument plan = throughFile(*run, writePlanJson);
    plan.moves.push_back(move);
    return messages(auditPlan(run->model, plan, {}));
  };
  CHECK(told({.tensor = "nobody", .from = "L3", .to = "L2"}) ==
        std::vector<std::string>{"'nobody' is moved from 'L3' to 'L2' in step 0; expected a tensor "
                                 "that has a place, and two pools"});
  CHECK(told({.tensor = "a", .from = "L3", .to = "L2", .step = Step(3)}) ==
        std::vector<std::string>{
            "'a' is moved in step 3, but has no place at one end of the move then"});
}

// A file does not say which device runs an op: a place that was not filled on one of them goes
// unnoticed while another has the bytes as near.
TEST_CASE("plans of several devices whose buffers move pass after a trip through a file",
          "[audit][residency][partition]") {
  std::size_t moves = 0;
  std::size_t broken = 0;
  std::size_t noticed = 0;
  for (const std::uint64_t seed : test::Seeds(20)) {
    const auto model = test::modelOf(test::randomGraph(seed, 25));
    RunRequest request{.allocator = AllocatorChoice::parse("partition").value(),
                       .platform = findPlatform("two-clusters").value(),
                       .l2 = {PoolSize::Kind::bytes, Bytes(150)},
                       .alignment = Bytes(1)};
    request.residency = ResidencyRule::belady;
    const auto run = execute(model, request, {}).value();
    for (const auto write : {writePlanJson, writePlanCsv}) {
      CAPTURE(write == writePlanCsv);
      PlanDocument plan = throughFile(*run, write);
      CHECK(messages(auditPlan(run->model, plan, {})).empty());
      if (plan.moves.size() < 2) continue;
      plan.moves.pop_back();
      ++broken;
      noticed += messages(auditPlan(run->model, plan, {})).empty() ? 0 : 1;
    }
    moves += run->problem.moves.size();
  }
  CHECK(moves > test::atLeast(100));
  CHECK(broken > test::atLeast(30));
  CHECK(noticed * 10 >= broken * 9);
}

// In L2 of 64 bytes a goes to L3 after step 1; add reads it there at step 3, and c in L2.
TEST_CASE("an op that stays leave without its operand is named with it", "[audit][residency]") {
  const auto run =
      test::runGraph(test::residualGraph(), {.l2 = 64, .residency = ResidencyRule::lru});
  const auto [tensor, pool] = GENERATE(table<std::string, std::string>({{"a", "L3"}, {"c", "L2"}}));
  PlanDocument plan = throughFile(*run, writePlanJson);
  CHECK(messages(auditPlan(run->model, plan, {})).empty());
  for (Placement& each : plan.placements) {
    if (each.tensor == tensor && each.pool == pool) each.last = Step(2);
  }
  CHECK(messages(auditPlan(run->model, plan, {})) ==
        std::vector<std::string>{"in step 3, op 'add': '" + tensor + "' is in no memory"});
}

TEST_CASE("offsets that came with a problem are held against its lives", "[audit][csv]") {
  const auto audited = [](const char* rows) {
    const auto model = std::make_shared<const Model>(
        importModel(std::string("id,lower,upper,size,offset\n") + rows, "p.csv", {}).value());
    return auditPlan(model, embeddedPlan(*model).value(), {});
  };
  const Audit clash = audited("result1,1,4,8,0\ninner,2,4,8,0\n");
  CHECK(messages(clash) ==
        std::vector<std::string>{"'result1' and 'inner' share bytes 0-7 of L2 in "
                                 "steps 2-3 (8 bytes)"});
  // Written while the other is read for the last time.
  const Audit rows = audited("conv2,1,3,21904,8192\nconv3,2,4,5476,4096\n");
  CHECK(messages(rows).empty());
  REQUIRE(rows.remarks.size() == 1);
  CHECK(rows.remarks[0] ==
        "legal if one is made row by row of the other: 'conv2' and 'conv3' share bytes 8192-9571 "
        "of L2 in step 2 (1,380 bytes)");
  CHECK(messages(audited("a,1,2,8,0\nb,1,2,1,7\n")) ==
        std::vector<std::string>{"'a' and 'b' share bytes 7-7 of L2 in step 1 (1 byte)"});
}

}  // namespace hw
