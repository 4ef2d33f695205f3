#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "tests/support/methods.h"
#include "tests/support/printers.h"

using namespace hw;

namespace {

/// On the usual machine, made to do one thing after the other.
std::shared_ptr<const Run> runOf(const std::shared_ptr<const Model>& model,
                                 const std::string& allocator) {
  Platform platform = platformCatalog().front();
  for (DeviceSpec& device : platform.devices) device.issue = Issue::sequential;
  return test::mustRun(model, test::requestOn(platform, allocator));
}

}  // namespace

TEST_CASE("every sample runs, and its run adds up", "[sim][samples]") {
  for (const SampleInfo& info : sampleCatalog()) {
    const auto model = test::sample(info.name);
    for (const std::string allocator : {"free-list", "greedy-by-size"}) {
      CAPTURE(info.name, allocator);
      const auto run = runOf(model, allocator);
      const Timing& timing = run->timing;
      CHECK(run->trace.events() == run->plan.story);
      CHECK(timing.ops.size() == run->graph().ops.size());
      CHECK(timing.digest == runOf(model, allocator)->timing.digest);
      SimTime sum;
      IdMap<PoolId, Bytes> traffic(timing.traffic.size());
      Bytes moved;
      for (const OpTiming& op : timing.ops) {
        sum += op.time.length();
        Bytes byPool;
        for (const PoolId pool : op.moved.keys()) {
          traffic[pool] += op.moved[pool];
          byPool += op.moved[pool];
        }
        CHECK(op.inputs + op.weights + op.outputs == byPool);
      }
      CHECK(timing.makespan == sum);
      for (const PoolId pool : traffic.keys()) {
        CHECK(traffic[pool] == timing.traffic[pool].total());
        moved += traffic[pool];
        // What the trace shows is what the plan's metrics say.
        const auto usage = run->trace.usage(pool, 0, run->trace.size());
        CHECK(usage.high <= run->plan.footprint(pool));
      }
      if (!timing.ops.empty()) CHECK(moved >= timing.compulsory);
    }
  }
}
