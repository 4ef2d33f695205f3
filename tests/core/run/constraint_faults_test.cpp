// Faults that readers of the constraints found, each as the smallest problem that shows it.

#include <sstream>
#include <string>

#include "core/check/plan_audit.h"
#include "core/import/importer.h"
#include "core/plan/constraint_use.h"
#include "core/plan/metrics.h"
#include "core/plan/validate.h"
#include "core/plan_file/plan_writer.h"
#include "core/run/options.h"
#include "core/run/run.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"

using namespace hw;
using namespace hw::literals;

namespace {

std::shared_ptr<const Model> faultModel(const std::string& text) {
  auto model = test::must(importModel(text, "fault.csv", {}));
  return std::make_shared<const Model>(std::move(model));
}

Result<std::shared_ptr<const Run>> faultRun(const std::string& text, const std::string& allocator,
                                            std::optional<Bytes> capacity = {}) {
  RunRequest request = planningRequest();
  request.allocator = AllocatorChoice::parse(allocator).value();
  if (capacity) request.l2 = {.kind = PoolSize::Kind::bytes, .bytes = *capacity};
  return execute(faultModel(text), request, {});
}

std::int64_t faultCost(const std::string& text, const std::string& allocator,
                       std::optional<Bytes> capacity = {}) {
  const auto run = test::must(faultRun(text, allocator, capacity));
  REQUIRE(validate(run->problem, run->plan).empty());
  return penaltyOf(run->problem, run->plan);
}

std::string faultMessage(const std::string& text, const std::string& allocator) {
  return test::mustFail(faultRun(text, allocator)).text();
}

}  // namespace

// Banks A and B: a and b lie in one each at one offset; both pay where c, of A, or d, of B, are.
TEST_CASE("both members of a group pay, each in its own bank", "[constraints]") {
  const std::string text =
      "id,lower,upper,size,together,penalty,allowed,pools\n"
      "a,0,2,8,b,c:3,A,A:12 B:12\nb,0,2,8,,d:5,B,\n"
      "c,2,4,8,d,,A,\nd,2,4,8,,,B,\n";
  CHECK(faultCost(text, "best:for=penalty") == 8);
  CHECK(faultCost(text, "exact") == 8);
  const auto run = faultRun(text, "best:for=penalty");
  CHECK((*run)->plan.penaltyBound == 8);
}

TEST_CASE("nothing is proved where pools of a group differ", "[constraints]") {
  const std::string text =
      "id,lower,upper,size,together,penalty,allowed,pools,reserved\n"
      "a,0,2,8,b,c:1,A,A:24 B:16,B:0-8\nb,0,2,8,,,B,,\nc,2,4,8,,,A,,\n";
  const auto run = test::must(faultRun(text, "best:for=penalty"));
  CHECK(validate(run->problem, run->plan).empty());
  CHECK(run->plan.status == PlanStatus::complete);
  CHECK(run->plan.penaltyBound == 0);
}

TEST_CASE("pins that pay are counted where nobody else need pay", "[constraints]") {
  const std::string text =
      "id,lower,upper,size,pinned,penalty\n"
      "a,0,2,8,0,b:7\nb,2,4,8,4,\nc,0,4,8,,b:1\n";
  CHECK(faultCost(text, "best:for=penalty") == 7);
  CHECK((*faultRun(text, "best:for=penalty"))->plan.penaltyBound == 7);
}

TEST_CASE("a pin that its group's alignment forbids is refused", "[constraints]") {
  const std::string message = faultMessage(
      "id,lower,upper,size,alignment,pinned,together\n"
      "a,0,2,8,4,12,b\nb,2,4,8,8,,\n",
      "best");
  CHECK(message.find("pinned to 12, which is not a multiple of 8") != std::string::npos);
}

TEST_CASE("a pool in which nothing is free has no plan", "[constraints]") {
  const std::string message = faultMessage(
      "id,lower,upper,size,pools,reserved\na,0,2,8,A,A:0-1152921504606846976\nb,1,3,8,,\n",
      "greedy-by-size");
  CHECK(message.find("no plan was found for A") != std::string::npos);
}

TEST_CASE("a search of no moves still has a plan", "[constraints]") {
  const std::string text = "id,lower,upper,size,penalty\na,0,2,8,b:1\nb,2,4,8,\nc,1,3,8,\n";
  CHECK(faultCost(text, "best:for=penalty,moves=1", 16_B) == 1);
  CHECK(faultCost(text, "best:for=penalty", 24_B) == 0);
}

TEST_CASE("stays with a pool and stays without plan together", "[constraints]") {
  const auto run = test::must(faultRun(
      "id,lower,upper,size,allowed,pools\na,0,2,8,A,A:16 B:64\nb,0,2,8,,\nc,0,2,16,,\n", "best"));
  CHECK(validate(run->problem, run->plan).empty());
  CHECK(fits(*run));
}

TEST_CASE("a pool that the machine lacks is named beside those that there are", "[constraints]") {
  const std::string message =
      faultMessage("id,lower,upper,size,allowed\na,0,2,8,UB\nb,0,2,8,\n", "best");
  CHECK(message.find("UB") != std::string::npos);
  CHECK(message.find("L2") != std::string::npos);
}

// With `exclusive` every pair of places is looked at by the rules of the problem.
TEST_CASE("two places of one buffer are found beside constraints", "[constraints][audit]") {
  const auto model =
      faultModel("id,lower,upper,size,exclusive,gaps\na,0,4,8,b,1-3\nb,0,4,8,,\nc,0,4,8,,\n");
  const auto run = test::must(execute(model, planningRequest(), {}));
  const PlanDocument sound = describePlan(*run);
  CHECK(auditPlan(model, sound, {}).findings.empty());
  const auto audited = [&](Step first, Step last) {
    PlanDocument plan = sound;
    std::erase_if(plan.placements, [](const Placement& each) { return each.tensor == "a"; });
    for (Placement each : sound.placements) {
      if (each.tensor != "a") continue;
      plan.placements.push_back(each);
      if (*each.first != first) continue;
      each.offset += 64_B;
      each.last = last;
      if (first > Step()) plan.placements.pop_back();
      plan.placements.push_back(each);
    }
    std::string text;
    for (const Finding& finding : auditPlan(model, plan, {}).findings) text += finding.message;
    return text;
  };
  CHECK(audited(Step(0), Step(0)).find("two places at once in step 0") != std::string::npos);
  CHECK(audited(Step(3), Step(3)).find("'a' has two addresses") != std::string::npos);
}

TEST_CASE("groups over several pools are not written for dsa-solver", "[constraints][dsa]") {
  const auto written = [](const std::string& text) {
    std::ostringstream out;
    return writeDsaProblem(*faultModel(text), {}, out);
  };
  const std::string head = "id,lower,upper,size,together,allowed,pools\n";
  CHECK(written(head + "a,0,2,8,b,A,A:12 B:12\nb,0,2,8,,A B,\n"));
  CHECK(test::mustFail(written(head + "a,0,2,8,b,A,A:12 B:12\nb,0,2,8,,B,\n"))
            .text()
            .find("stays 0 and 1") != std::string::npos);
}
