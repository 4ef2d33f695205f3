#include "core/plan/fragmentation_curve.h"

#include <catch2/catch.hpp>

#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "core/run/run.h"

using namespace hw;

TEST_CASE("a fragmentation curve has the mean, the peak and the holes of the metrics",
          "[plan][metrics]") {
  const auto model = std::make_shared<const Model>(openModel("samples:mobilenet_v2", {}).value());
  const char* allocator = GENERATE("greedy-by-size", "free-list", "none", "two-sided");
  INFO(allocator);
  RunRequest request;
  request.allocator = AllocatorChoice::parse(allocator).value();
  request.platform = platformCatalog().front();
  request.l2 = {.kind = PoolSize::Kind::bytes, .bytes = Bytes(GENERATE(1 << 20, 8 << 20))};
  const auto run = execute(model, request, {}).value();
  for (const PoolId pool : run->problem.pools.keys()) {
    INFO(pool.index());
    const auto curve = fragmentationCurve(run->problem, run->plan, pool);
    const PoolMetrics& metrics = run->metrics.pools[pool];
    double weighted = 0;
    std::int64_t busy = 0;
    Bytes most;
    for (std::size_t i = 0; i < curve.size(); ++i) {
      if (i > 0) CHECK(curve[i - 1].step < curve[i].step);
      CHECK(curve[i].ratio() >= 0);
      CHECK(curve[i].ratio() < 1);
      most = std::max(most, curve[i].live);
      if (i + 1 == curve.size()) {
        CHECK(curve[i].live == Bytes());  // In the end all is released.
      } else if (curve[i].live > Bytes()) {
        const auto steps = (curve[i + 1].step - curve[i].step).count();
        weighted += curve[i].ratio() * static_cast<double>(steps);
        busy += steps;
      }
    }
    CHECK(most == metrics.peakLive);
    const double mean = busy > 0 ? weighted / static_cast<double>(busy) : 0;
    CHECK(mean == Approx(metrics.averageFragmentation));
  }
}
