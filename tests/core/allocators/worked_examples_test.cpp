// The worked examples of the five published methods: bytes, alignment 1, no aliases.

#include "core/machine/platforms.h"
#include "tests/support/methods.h"
#include "tests/support/must.h"

using namespace hw;
using namespace hw::test;

namespace {

struct Worked {
  const char* sample;
  const char* allocator;
  std::int64_t footprint;
  const char* offsets;
};

// Block ids: offset of a block = sum of the capacities before it.
constexpr Worked kWorked[] = {
    {"chain", "block-id", 26, "t0 0 t1 16 t2 0 y 16"},
    {"residual", "block-id", 96, "a 0 b 32 c 64 d 32 y 0"},
    {"inception", "block-id", 160, "s 0 p 48 q 64 r 128 u 64 v 0 w 64 y 48"},
    {"chain", "two-sided", 26, "x 16 t0 0 t1 16 t2 11 y 16"},
    {"residual", "two-sided", 96, "x 20 a 32 b 16 c 64 d 0 y 32"},
    {"inception", "two-sided", 160, "x 40 s 112 p 64 q 40 r 80 u 56 v 112 w 0 y 64"},
    {"chain", "free-list", 30, "x 0 t0 4 t1 20 t2 0 y 5"},
    {"residual", "free-list", 124, "x 0 a 12 b 44 c 60 d 92 y 0"},
    {"inception", "free-list", 192, "x 0 s 24 p 0 q 72 r 96 u 16 v 24 w 128 y 0"},
};

}  // namespace

TEST_CASE("the published methods give the addresses of their worked examples", "[methods]") {
  for (const Worked& worked : kWorked) {
    CAPTURE(worked.sample, worked.allocator);
    const auto run = mustRun(sample(worked.sample), workedRequest(worked.allocator));
    CHECK(run->plan.footprint(PoolId(0)).count() == worked.footprint);
    CHECK(offsets(*run) == worked.offsets);
  }
}

TEST_CASE("placement search improves inception from 192 to 128 bytes", "[methods]") {
  struct Expectation {
    const char* sample;
    std::int64_t first;
    std::int64_t best;
  };
  for (const auto& [name, first, best] :
       {Expectation{"chain", 26, 26}, {"residual", 96, 96}, {"inception", 192, 128}}) {
    CAPTURE(name);
    const auto initial =
        mustRun(sample(name), workedRequest("placement-search:sequences=1,seconds=0"));
    CHECK(initial->plan.footprint(PoolId(0)).count() == first);
    const auto searched = mustRun(sample(name), workedRequest("placement-search:seconds=0"));
    CHECK(searched->plan.footprint(PoolId(0)).count() == best);
    CHECK(searched->plan.status == PlanStatus::optimal);
  }
}

TEST_CASE("free-list on the chain, event by event", "[methods]") {
  const auto run = mustRun(sample("chain"), workedRequest("free-list"));
  CHECK(happenings(*run) ==
        "0 fresh x [0,4); 0 fresh t0 [4,20); 0 release x [0,4); "
        "1 fresh t1 [20,30); 1 release t0 [4,20); 1 merge t0 [0,20); "
        "2 split t2 [0,5); 2 release t1 [20,30); 2 merge t1 [5,30); "
        "3 split y [5,7); 3 release t2 [0,5)");
}

TEST_CASE("two devices: sub-functions, units, use counts and both pools", "[methods]") {
  RunRequest request = workedRequest("partition");
  request.platform = *findPlatform("two-devices");
  const auto run = mustRun(sample("two_devices"), request);
  const Partition& partition = run->partition;

  REQUIRE(partition.subFunctions.size() == 2);
  CHECK(partition.subFunctions[0].ops.size() == 3);
  CHECK(partition.subFunctions[1].ops.size() == 2);
  REQUIRE(partition.units.size() == 4);
  CHECK(partition.units[3].ops.size() == 2);

  std::string counts;
  for (const UnitBlock& block : partition.blocks) {
    const Residence& first = partition.residences[block.residences.front()];
    counts += displayName(run->graph(), run->storage.buffers[first.buffer].root) +
              (block.device == 0 ? " on A " : " on B ") + std::to_string(block.useCount()) + ", ";
  }
  CHECK(counts == "x on A 1, a on A 1, b on A 2, c on A 1, b on B 1, c on B 1, d on B 1, ");

  // Pools: A/L2, A/L3, B/L2, B/L3.
  CHECK(run->plan.footprint(PoolId(0)) == Bytes(30));
  CHECK(run->plan.footprint(PoolId(2)) == Bytes(20));
  CHECK(run->metrics.pools[PoolId(0)].lowerBound == Bytes(26));
  CHECK(run->problem.pools[PoolId(2)].name == "B/L2");
  CHECK(offsets(*run) == "x 0 a 4 b 20 c 0 b 0 c 10 d 15 y 18");
  CHECK(run->timing.transfers.size() == 2);
}

TEST_CASE("an op that no device supports is named", "[methods]") {
  RunRequest request = workedRequest("partition");
  request.platform = *findPlatform("two-devices");
  request.platform.devices[1].ops = {"Add"};
  CHECK(test::mustFail(execute(sample("two_devices"), request, {}))
            .message.find("'softmax' of type 'Softmax'") != std::string::npos);
}
