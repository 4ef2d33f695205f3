#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "core/run/run.h"
#include "tests/support/printers.h"

using namespace hw;

namespace {

std::shared_ptr<const Model> sample(const std::string& name) {
  Result<Model> model = openModel("samples:" + name, {});
  REQUIRE(model);
  return std::make_shared<const Model>(std::move(*model));
}

/// On the usual machine, made to do one thing after the other.
std::shared_ptr<const Run> runOf(const std::shared_ptr<const Model>& model,
                                 const std::string& allocator) {
  RunRequest request{.allocator = AllocatorChoice::parse(allocator).value(),
                     .platform = platformCatalog().front()};
  for (DeviceSpec& device : request.platform.devices) device.issue = Issue::sequential;
  return execute(model, request, {}).value();
}

}  // namespace

TEST_CASE("every sample runs, and its run adds up", "[sim][samples]") {
  for (const SampleInfo& info : sampleCatalog()) {
    const auto model = sample(info.name);
    for (const std::string allocator : {"free-list", "greedy-by-size"}) {
      CAPTURE(info.name, allocator);
      const auto run = runOf(model, allocator);
      const Timing& timing = run->timing;
      CHECK(run->trace.events() == run->plan.story);
      CHECK(timing.ops.size() == run->graph().ops.size());
      CHECK(timing.digest == runOf(model, allocator)->timing.digest);
      SimTime sum;
      IdMap<PoolId, Traffic> traffic(timing.traffic.size());
      Bytes moved;
      for (const OpTiming& op : timing.ops) {
        sum += op.time.length();
        for (const PoolId pool : op.traffic.keys()) traffic[pool] += op.traffic[pool];
      }
      CHECK(timing.makespan == sum);
      for (const PoolId pool : traffic.keys()) {
        CHECK(traffic[pool].total() == timing.traffic[pool].total());
        moved += traffic[pool].total();
        // What the trace shows is what the plan's metrics say.
        const auto usage = run->trace.usage(pool, 0, run->trace.size());
        CHECK(usage.high <= run->plan.footprint(pool));
      }
      if (!timing.ops.empty()) CHECK(moved >= timing.compulsory);
    }
  }
}
