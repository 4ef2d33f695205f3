#include "core/import/tensor_rules.h"

#include <fmt/format.h>

#include <sstream>

#include "core/check/plan_audit.h"
#include "core/import/importer.h"
#include "core/insight/advice.h"
#include "core/plan/constraint_use.h"
#include "core/plan/metrics.h"
#include "core/plan/validate.h"
#include "core/plan_file/plan_writer.h"
#include "core/report/model/graph_writer.h"
#include "core/run/options.h"
#include "core/run/run.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

using namespace hw;
using namespace hw::literals;

namespace {

/// A chain of operators whose tensors are called t0, t1, …, each of so many times 64 bytes.
std::string chainText(const std::vector<int>& sizes, const std::string& constraints) {
  std::string tensors;
  std::string ops;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    tensors +=
        fmt::format(R"({}{{"name": "t{}", "bytes": {}}})", i == 0 ? "" : ", ", i, 64 * sizes[i]);
    if (i == 0) continue;
    ops += fmt::format(R"({}{{"type": "Relu", "inputs": ["t{}"], "outputs": ["t{}"]}})",
                       i == 1 ? "" : ", ", i - 1, i);
  }
  return fmt::format(
      R"({{"format": "highwater-graph", "version": 1, "name": "chain", "tensors": [{}], )"
      R"("inputs": ["t0"], "outputs": ["t{}"], "ops": [{}], "constraints": {{{}}}}})",
      tensors, sizes.size() - 1, ops, constraints);
}

std::shared_ptr<const Model> ruledChain(const std::vector<int>& sizes,
                                        const std::string& constraints) {
  auto model = test::must(importModel(chainText(sizes, constraints), "chain.graph.json", {}));
  return std::make_shared<const Model>(std::move(model));
}

Result<std::shared_ptr<const Run>> runOf(const std::shared_ptr<const Model>& model,
                                         const std::string& allocator = "best") {
  RunRequest request = planningRequest();
  request.allocator = AllocatorChoice::parse(allocator).value();
  return execute(model, request, {});
}

Bytes offsetOf(const Run& run, std::size_t tensor) {
  return *run.plan.flatOffset(StayId(run.storage.bufferOf(TensorId(tensor)).index()));
}

std::string rulesRefusal(const std::string& constraints) {
  return test::mustFail(importModel(chainText({1, 1, 1}, constraints), "chain.graph.json", {}))
      .text();
}

/// The findings on the plan of a chain without constraints, as one for the chain with them.
std::string findingsWith(const std::string& constraints) {
  const std::vector<int> sizes{1, 1, 1, 1};
  const auto bare = ruledChain(sizes, "");
  const auto run = test::must(runOf(bare, "greedy-by-size"));
  std::string text;
  for (const Finding& finding :
       auditPlan(ruledChain(sizes, constraints), describePlan(*run), {}).findings) {
    text += finding.message + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("rules about the tensors of a graph are kept and audited", "[import][constraints]") {
  const auto model = ruledChain(
      {1, 2, 1, 1, 1},
      R"("apart": [["t0", "t2"]], "penalty": [["t1", "t3", 3]], "reserved": {"L2": [[0, 64]]},
         "pinned": {"t4": 128}, "allowed": {"t1": ["L2"]})");
  const auto run = test::must(runOf(model, "best:for=penalty"));
  CHECK(validate(run->problem, run->plan).empty());
  CHECK(offsetOf(*run, 0) != offsetOf(*run, 2));
  CHECK(offsetOf(*run, 4) == 128_B);
  CHECK(penaltyOf(run->problem, run->plan) == 0);
  for (std::size_t i = 0; i < 5; ++i) CHECK(offsetOf(*run, i) >= 64_B);
  CHECK(auditPlan(model, describePlan(*run), {}).findings.empty());
}

TEST_CASE("tensors together and exclusive ones share bytes while both live",
          "[import][constraints]") {
  const auto together =
      test::must(runOf(ruledChain({1, 1, 1}, R"("together": [["t0", "t1", "t2"]])")));
  for (std::size_t i = 1; i < 3; ++i) CHECK(offsetOf(*together, i) == offsetOf(*together, 0));
  const auto exclusive = ruledChain({1, 1, 1}, R"("exclusive": [["t0", "t1"], ["t1", "t2"]])");
  const auto run = test::must(runOf(exclusive));
  CHECK(run->plan.footprint(PoolId(0)) == 64_B);
  const Audit audit = auditPlan(exclusive, describePlan(*run), {});
  CHECK(audit.findings.empty());
  CHECK_FALSE(audit.remarks.empty());
}

TEST_CASE("a plan that breaks a rule about tensors is found out", "[audit][constraints]") {
  CHECK(findingsWith("").empty());
  CHECK(findingsWith(R"("apart": [["t0", "t2"]])")
            .find("'t0' and 't2' are apart, and share bytes from 0 on in L2") != std::string::npos);
  CHECK(findingsWith(R"("together": [["t0", "t1"]])").find("have to begin together") !=
        std::string::npos);
  CHECK(findingsWith(R"("pinned": {"t3": 128})").find("pinned to 128") != std::string::npos);
  CHECK(findingsWith(R"("allowed": {"t1": ["L3"]})").find("'t1' may not lie in L2") !=
        std::string::npos);
  CHECK(findingsWith(R"("reserved": {"L2": [[8, 9]]})").find("that are reserved") !=
        std::string::npos);
}

// t1, which may share the bytes of t0, would be the only one to be found beside t0.
TEST_CASE("a clash that is permitted hides no other", "[audit][constraints]") {
  const auto model = ruledChain({1, 2, 1}, R"("exclusive": [["t0", "t1"]])");
  const auto run = test::must(runOf(model, "greedy-by-size"));
  PlanDocument plan = describePlan(*run);
  for (Placement& each : plan.placements) each.offset = each.tensor == "t2" ? 64_B : 0_B;
  const Audit audit = auditPlan(model, plan, {});
  REQUIRE(audit.findings.size() == 1);
  CHECK(audit.findings[0].message.find("'t2'") != std::string::npos);
}

TEST_CASE("an empty object of rules asks for nothing", "[import][constraints]") {
  const auto model = test::must(importModel(chainText({1, 1}, ""), "chain.graph.json", {}));
  CHECK(model.rules == nullptr);
}

TEST_CASE("reserved bytes of a far memory go into a CSV and back", "[import][constraints][csv]") {
  const auto model = ruledChain({1, 1}, R"("reserved": {"L3": [[0, 64]]})");
  std::ostringstream csv;
  REQUIRE(writeProblemCsv(*model, {.alias = AliasRules::none(), .alignment = Bytes(1)}, csv));
  const auto back = test::must(importModel(csv.str(), "chain.csv", {}));
  REQUIRE(back.problem->pools.size() == 2);
  CHECK(back.problem->pools[PoolId(1)].reserved.size() == 1);
}

TEST_CASE("rules about tensors are written as they were read", "[import][constraints]") {
  const auto model =
      ruledChain({1, 2, 1, 1}, R"("apart": [["t0", "t2"]], "together": [["t1", "t3"]],
         "penalty": [["t0", "t3", 7]], "allowed": {"t1": ["L2", "L3"]}, "pinned": {"t0": 64},
         "reserved": {"L2": [[0, 32], [32, 64]]})");
  std::ostringstream once;
  writeGraphJson(*model, once);
  auto back = test::must(importModel(once.str(), "back.graph.json", {}));
  back.sha256 = model->sha256;
  std::ostringstream twice;
  writeGraphJson(back, twice);
  CHECK(once.str() == twice.str());
}

TEST_CASE("a graph with rules becomes a problem with the same constraints",
          "[import][constraints][csv]") {
  const auto model =
      ruledChain({1, 2, 1, 1}, R"("apart": [["t0", "t2"]], "penalty": [["t1", "t3", 7]],
         "reserved": {"L2": [[0, 64]]}, "pinned": {"t3": 64})");
  std::ostringstream csv;
  REQUIRE(writeProblemCsv(*model, {.alias = AliasRules::none(), .alignment = Bytes(1)}, csv));
  const auto problem = test::must(importModel(csv.str(), "chain.csv", {}));
  const Constraints& rules = problem.problem->constraints;
  CHECK(rules.apart == std::vector{StayPair{StayId(0), StayId(2)}});
  REQUIRE(rules.penalties.size() == 1);
  CHECK(rules.penalties[0].cost == 7);
  CHECK(problem.problem->stays[StayId(3)].pinned == 64_B);
  CHECK(problem.problem->pools[PoolId(0)].reserved.size() == 1);
}

TEST_CASE("bad rules about tensors are refused with their place", "[import][constraints]") {
  const auto has = [](const std::string& text, const std::string& part) {
    INFO(text);
    return text.find(part) != std::string::npos;
  };
  CHECK(has(rulesRefusal(R"("apart": [["t0", "zz"]])"), "constraints.apart[0][1]"));
  CHECK(has(rulesRefusal(R"("apart": [["t0", "t0"]])"), "paired with itself"));
  CHECK(has(rulesRefusal(R"("apart": [["t0"]])"), "two tensors"));
  CHECK(has(rulesRefusal(R"("penalty": [["t0", "t2"]])"), "two tensors and a cost"));
  CHECK(has(rulesRefusal(R"("penalty": [["t0", "t2", -1]])"), "constraints.penalty[0][2]"));
  CHECK(has(rulesRefusal(R"("reserved": {"L2": [[8, 8]]})"), "bytes [begin, end)"));
  CHECK(has(rulesRefusal(R"("near": {"t0": 1})"), "expected apart, together"));
  const auto run = runOf(ruledChain({1, 1}, R"("allowed": {"t0": ["UB"]})"));
  REQUIRE_FALSE(run);
  CHECK(has(run.error().text(), "there is no memory 'UB'; those of the run are L2"));
  CHECK(has(test::mustFail(runOf(ruledChain({1, 1}, R"("pinned": {"t0": 3})"))).text(),
            "a multiple of its alignment 64"));
}

TEST_CASE("rules about tensors refuse runs that rewrite or move", "[constraints]") {
  const auto model = ruledChain({1, 2, 1, 1}, R"("apart": [["t0", "t2"]])");
  const auto refuses = [&](const std::function<void(RunRequest&)>& change) {
    RunRequest request = planningRequest();
    change(request);
    return !execute(model, request, {});
  };
  CHECK(refuses([](RunRequest& request) { request.residency = ResidencyRule::lru; }));
  CHECK(refuses([](RunRequest& request) { request.inputs = InputPlace::loaded; }));
  CHECK(refuses([](RunRequest& request) {
    request.allocator = AllocatorChoice::parse("partition").value();
  }));
  CHECK_FALSE(refuses([](RunRequest& request) { request.order = OpOrder::leastPeak; }));
}

TEST_CASE("advice leaves out rules about tensors", "[advice][constraints]") {
  const auto model = ruledChain({4, 4, 4, 4}, R"("apart": [["t0", "t2"]])");
  const auto run = test::must(runOf(model));
  const AdviceReport report = advise(run, {}, {});
  CHECK(std::ranges::any_of(report.found, [](const Advice& each) {
    return each.without == "'t0' and 't2' apart" && each.saved == 256_B;
  }));
}

TEST_CASE("random rules about tensors hold in every plan", "[constraints][property]") {
  const auto rounds = test::rounds(60);
  for (std::uint64_t seed = 1; seed <= rounds; ++seed) {
    CAPTURE(seed);
    test::Dice dice(seed);
    std::vector<int> sizes;
    for (std::int64_t i = dice.roll(4, 10); i > 0; --i) {
      sizes.push_back(static_cast<int>(dice.roll(1, 6)));
    }
    std::string apart;
    std::string penalties;
    for (std::size_t a = 0; a < sizes.size(); ++a) {
      for (std::size_t b = a + 2; b < sizes.size(); ++b) {
        if (dice.chance(20))
          apart += fmt::format(R"({}["t{}", "t{}"])", apart.empty() ? "" : ",", a, b);
        else if (dice.chance(30)) {
          penalties += fmt::format(R"({}["t{}", "t{}", {}])", penalties.empty() ? "" : ",", a, b,
                                   dice.roll(1, 9));
        }
      }
    }
    const auto model =
        ruledChain(sizes, fmt::format(R"("apart": [{}], "penalty": [{}])", apart, penalties));
    for (const char* allocator :
         {"best", "greedy-by-size", "best:for=penalty,moves=500,nodes=500"}) {
      const auto run = test::must(runOf(model, allocator));
      REQUIRE(validate(run->problem, run->plan).empty());
      REQUIRE(auditPlan(model, describePlan(*run), {}).findings.empty());
    }
  }
}
