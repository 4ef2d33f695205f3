#include "core/study/capacity_sweep.h"

#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "tests/support/methods.h"
#include "tests/support/must.h"

using namespace hw;

namespace {

RunRequest configOf(const char* allocator) {
  RunRequest request;
  request.allocator = AllocatorChoice::parse(allocator).value();
  request.platform = platformCatalog().front();
  return request;
}

CapacityPoint point(std::int64_t capacity, std::int64_t traffic, std::int64_t spilled = 0) {
  CapacityPoint made{
      .capacity = Bytes(capacity), .figures = {.fits = true}, .farTraffic = Bytes(traffic)};
  made.figures.whole = true;
  made.figures.spilled = Bytes(spilled);
  return made;
}

}  // namespace

TEST_CASE("a sweep's points are what runs with that capacity come to", "[run][sweep]") {
  const auto model = test::sample("unet");
  const char* allocator = GENERATE("greedy-by-size", "free-list");
  INFO(allocator);
  const RunRequest request = configOf(allocator);
  std::size_t reported = 0;
  const SweepOptions options{.points = 17, .report = [&](const CapacityPoint&) { ++reported; }};
  const auto points = sweepCapacities(model, request, options, {}).value();
  CHECK(points.size() == 17);
  CHECK(reported == points.size());
  bool planned = false;
  for (std::size_t i = 0; i < points.size(); ++i) {
    INFO(points[i].capacity.count());
    if (i > 0) CHECK(points[i - 1].capacity < points[i].capacity);
    const bool own = points[i].capacity == request.platform.devices.front().pools.front().target();
    CHECK((own || points[i].capacity.count() % kCapacityGrain.count() == 0));
    planned = planned || own;
    RunRequest one = request;
    one.l2 = {.kind = PoolSize::Kind::bytes, .bytes = points[i].capacity};
    const auto run = execute(model, one, {}).value();
    CHECK(points[i].figures.latency == run->timing.makespan);
    CHECK(points[i].farTraffic == run->timing.traffic[PoolId(1)].total());
    if (points[i].figures.fits) CHECK(run->plan.footprint(PoolId(0)) <= points[i].capacity);
  }
  CHECK(planned);
  // The last is what is needed for everything.
  RunRequest unlimited = request;
  unlimited.l2 = {.kind = PoolSize::Kind::unbounded};
  const auto whole = execute(model, unlimited, {}).value();
  CHECK(points.back().capacity == alignUp(whole->plan.footprint(PoolId(0)), kCapacityGrain));
  CHECK(points.back().fitsInL2());
  REQUIRE(fitsFrom(points));
  for (const CapacityPoint& each : points) {
    if (each.capacity >= *fitsFrom(points)) CHECK(each.fitsInL2());
  }
}

TEST_CASE("a stopped sweep keeps what it has, and one that never began fails", "[run][sweep]") {
  const auto model = test::sample("unet");
  std::stop_source stop;
  std::size_t seen = 0;
  const SweepOptions options{.points = 20, .report = [&](const CapacityPoint&) {
                               if (++seen == 3) stop.request_stop();
                             }};
  const RunContext context{.stop = stop.get_token(), .progress = {}};
  const auto points =
      test::must(sweepCapacities(model, configOf("greedy-by-size"), options, context));
  CHECK(points.size() == 3);
  CHECK_FALSE(sweepCapacities(model, configOf("greedy-by-size"), options, context));
}

TEST_CASE("the knee is where the curve bends most, and a straight line has none", "[run][sweep]") {
  CHECK(kneeOf({point(64, 100, 9), point(128, 20, 9), point(192, 10, 9), point(256, 0)}) ==
        Bytes(128));
  CHECK_FALSE(kneeOf({point(64, 90, 9), point(128, 60, 9), point(192, 30, 9), point(256, 0)}));
  CHECK_FALSE(kneeOf({point(64, 5), point(128, 5), point(192, 5)}));
  CHECK_FALSE(kneeOf({}));
  // A plan that got worse with more memory makes no second bend: less would still fit.
  CHECK(kneeOf({point(64, 100, 9), point(128, 10, 9), point(192, 40, 9), point(256, 0)}) ==
        Bytes(128));
}

TEST_CASE("everything fits from the last capacity that spills on", "[run][sweep]") {
  CHECK(fitsFrom({point(64, 9, 9), point(128, 0), point(192, 3, 3), point(256, 0)}) == Bytes(256));
  CHECK(fitsFrom({point(64, 0), point(128, 0)}) == Bytes(64));
  CHECK_FALSE(fitsFrom({point(64, 1, 1)}));
  CapacityPoint none = point(64, 0);
  none.figures.fits = false;
  CHECK_FALSE(fitsFrom({none}));
}
