// Plans of several devices, in the blocks of `partition`, whose views share inside a device.

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <sstream>

#include "core/check/plan_audit.h"
#include "core/check/replay.h"
#include "core/machine/platforms.h"
#include "core/plan_file/plan_reader.h"
#include "core/plan_file/plan_writer.h"
#include "tests/support/graphs.h"
#include "tests/support/methods.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

using namespace hw;

namespace {

/// A preset under a name of its own, whose devices run other ops: no plan file says which.
Platform twoDevicesFor(std::vector<std::string> ops) {
  Platform platform = findPlatform("two-devices").value();
  platform.name = "of-this-test";
  REQUIRE(platform.devices.size() == 2);
  platform.devices[0].ops = std::move(ops);
  platform.devices[1].ops = {"*"};
  for (DeviceSpec& device : platform.devices) {
    for (auto& unit : device.units) unit.ops = {"*"};
  }
  return platform;
}

std::shared_ptr<const Run> blocksOf(Graph graph, const Platform& platform,
                                    const AliasRules& alias) {
  RunRequest request = test::workedRequest("partition");
  request.platform = platform;
  request.alias = alias;
  auto model = std::make_shared<Model>();
  model->graph = std::make_shared<const Graph>(std::move(graph));
  return test::mustRun(model, request);
}

PlanDocument rereadAs(const Run& run, void (*write)(const Run&, std::ostream&)) {
  std::ostringstream file;
  write(run, file);
  return readPlan(file.str()).value();
}

std::vector<std::string> toldOf(const Audit& audit) {
  std::vector<std::string> texts;
  for (const Finding& finding : audit.findings) texts.push_back(finding.message);
  return texts;
}

const std::vector<std::vector<std::string>> kOpsOfA = {
    {"Relu", "Concat", "Split", "Reshape", "Flatten", "Identity"},
    {"Relu", "Concat", "Add"},
    {"Split", "Conv"},
    {"Reshape", "Flatten"},
    {"Concat"}};

}  // namespace

TEST_CASE("plans in the blocks of two devices pass the audit, as JSON and as CSV",
          "[audit][partition][property]") {
  std::size_t shared = 0;
  for (std::uint64_t seed = 1; seed <= test::rounds(150); ++seed) {
    const Platform platform = twoDevicesFor(kOpsOfA[seed % kOpsOfA.size()]);
    const AliasRules alias = seed % 3 == 0 ? AliasRules::all() : AliasRules();
    const auto run = blocksOf(test::randomGraph(seed, 4 + seed % 40), platform, alias);
    for (const Buffer& buffer : run->storage.buffers) shared += buffer.tensors.size() > 1 ? 1 : 0;
    for (auto* write : {writePlanJson, writePlanCsv}) {
      CAPTURE(seed, write == writePlanCsv);
      const PlanDocument plan = rereadAs(*run, write);
      const Audit audit = auditPlan(run->model, plan, {});
      CHECK(toldOf(audit) == std::vector<std::string>());
      REQUIRE(audit.run);
      CHECK(replayBytes(*audit.run, Bytes(1 << 20)).empty());
      CHECK(toldOf(auditPlan(run->model, plan, {.platform = platform})).empty());
    }
  }
  CHECK(shared > 0);
}

TEST_CASE("a buffer of two devices that is not listed, or lies on another, is found",
          "[audit][partition][mutation]") {
  std::size_t moved = 0;
  for (std::uint64_t seed = 1; seed <= test::rounds(60); ++seed) {
    const auto run = blocksOf(test::randomGraph(seed, 4 + seed % 40),
                              twoDevicesFor(kOpsOfA[seed % kOpsOfA.size()]), {});
    const PlanDocument plan = rereadAs(*run, writePlanCsv);
    test::Dice dice(seed);
    const auto last = static_cast<std::int64_t>(plan.placements.size()) - 1;
    const auto chosen = static_cast<std::size_t>(dice.roll(0, last));
    CAPTURE(seed, plan.placements[chosen].tensor);
    PlanDocument without = plan;
    std::erase_if(without.placements, [&](const Placement& placement) {
      return placement.tensor == plan.placements[chosen].tensor;
    });
    CHECK_FALSE(toldOf(auditPlan(run->model, without, {})).empty());

    // Onto the bytes of another that is there at the same time.
    PlanDocument onto = plan;
    Placement& victim = onto.placements[chosen];
    const auto other = std::ranges::find_if(plan.placements, [&](const Placement& placement) {
      return placement.tensor != victim.tensor && placement.pool == victim.pool &&
             placement.first <= victim.last && victim.first <= placement.last;
    });
    if (other == plan.placements.end()) continue;
    victim.offset = other->offset;
    CHECK_FALSE(toldOf(auditPlan(run->model, onto, {})).empty());
    ++moved;
  }
  CHECK(moved > test::rounds(60) / 3);
}
