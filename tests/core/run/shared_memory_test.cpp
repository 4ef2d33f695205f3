#include <catch2/catch.hpp>

#include "core/check/replay.h"
#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "core/plan/validate.h"
#include "core/run/run.h"
#include "tests/support/graphs.h"
#include "tests/support/methods.h"

using namespace hw;

namespace {

/// The two devices of the sample, whose L3 is one: A's own memory holds `capacity`.
Platform cluster(const std::string& capacity) {
  const std::string device = R"(
pool = [{name = "L2", capacity = ")" +
                             capacity + R"(", bandwidth = "32GB/s"},
        {use = "L3"}]
unit = [{name = "unit", ops = ["*"], clock = "1GHz"}]
)";
  return parsePlatform(R"(name = "cluster"
[[memory]]
name = "L3"
bandwidth = "8GB/s"
[[device]]
name = "A"
ops = ["Conv", "Relu"]
)" + device + R"([[device]]
name = "B"
ops = ["*"]
)" + device)
      .value();
}

std::shared_ptr<const Run> planned(const std::string& capacity) {
  RunRequest request = test::requestOn(cluster(capacity), "partition");
  request.alignment = Bytes(1);
  return test::mustRun(test::sample("two_devices"), request);
}

}  // namespace

TEST_CASE("what lies in a memory that devices share is not copied", "[partition][machine]") {
  const auto apart = planned("1KiB");
  CHECK(apart->problem.pools.size() == 3);
  CHECK(apart->partition.transfers.size() == 2);

  const auto together = planned("1");  // Nothing fits: all lives in L3.
  CHECK(together->partition.transfers.empty());
  CHECK(together->timing.transfers.empty());
  CHECK(validate(together->problem, together->plan).empty());
  CHECK(replayBytes(*together, Bytes(1 << 20)).empty());
  CHECK(together->problem.stays.size() == together->storage.buffers.size());
  // Both devices have bytes of their own in it.
  CHECK(together->plan.footprint(PoolId(1)) == Bytes(35));
  CHECK(together->plan.regions[PoolId(1)].size() == 2);
}

TEST_CASE("why nothing moves is said", "[residency][partition]") {
  const auto noteOf = [](const std::string& allocator, const Platform& platform) {
    const auto model = test::modelOf(test::residualGraph());
    RunRequest request{.allocator = AllocatorChoice::parse(allocator).value(),
                       .platform = platform,
                       .alias = AliasRules::none()};
    request.residency = ResidencyRule::lru;
    const auto run = execute(model, request, {}).value();
    CHECK(run->problem.moves.empty());
    for (const std::string& note : run->notes) {
      if (note.starts_with("every buffer stays where it is: ")) return note.substr(32);
    }
    return std::string("nothing is said");
  };
  Platform lopsided = findPlatform("two-devices").value();
  lopsided.devices[1].pools.resize(1);
  CHECK(noteOf("partition", lopsided) == "a device of platform 'two-devices' has one memory");
  CHECK(noteOf("embedded", findPlatform("generic-npu").value()) ==
        "the model's own plan gives each one place for its whole life");
  Platform small = findPlatform("generic-npu").value();
  small.devices[0].pools.resize(1);
  small.devices[0].dma.clear();
  CHECK(noteOf("greedy-by-size", small) == "device 'npu' of platform 'generic-npu' has one memory");
}
