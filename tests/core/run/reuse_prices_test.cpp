#include "core/run/reuse_prices.h"

#include <algorithm>
#include <map>

#include "core/plan/constraint_use.h"
#include "core/plan/metrics.h"
#include "core/plan/validate.h"
#include "core/run/run.h"
#include "tests/support/machine_draw.h"
#include "tests/support/must.h"
#include "tests/support/rounds.h"

using namespace hw;
using namespace hw::literals;

namespace {

/// The plan of a run with bytes of its own for every stay.
Plan withoutReuse(const Run& run) {
  Plan plan = run.plan;
  plan.story.clear();
  IdMap<PoolId, Bytes> tops(run.problem.pools.size());
  for (const StayId id : run.problem.stays.keys()) {
    const Stay& stay = run.problem.stays[id];
    Bytes& top = tops[plan.addresses[id]->pool];
    plan.addresses[id]->offset = alignUp(top, stay.alignment);
    top = plan.addresses[id]->offset + stay.size;
  }
  return plan;
}

std::map<StayPair, std::int64_t> waitsWithoutReuse(const Run& run) {
  RunRequest request = run.request;
  request.l2 = request.l3 = {.kind = PoolSize::Kind::unbounded};
  const auto apart = replanned(run, withoutReuse(run), request);
  std::map<StayId, std::pair<SimTime, SimTime>> touched;
  const ActivityList& list = apart->timing.activities;
  for (const ActivityId id : list.activities.keys()) {
    const ActivityTime& time = apart->timing.times[id];
    for (const Access& access : list.activities[id].accesses) {
      const auto [at, first] = touched.try_emplace(access.stay, time.start, time.end);
      at->second.first = std::min(at->second.first, time.start);
      at->second.second = std::max(at->second.second, time.end);
    }
  }
  std::map<StayPair, std::int64_t> waits;
  for (const auto& [a, times] : touched) {
    for (const auto& [b, later] : touched) {
      const Stay& one = run.problem.stays[a];
      const Stay& other = run.problem.stays[b];
      if (run.problem.poolOf(a) != run.problem.poolOf(b)) continue;
      if (one.steps.end > other.steps.begin || times.second <= later.first) continue;
      waits[{std::min(a, b), std::max(a, b)}] = (times.second - later.first).count();
    }
  }
  return waits;
}

}  // namespace

TEST_CASE("prices of reuse are the waits that it would make", "[constraints][latency][property]") {
  int priced = 0;
  int saved = 0;
  const auto rounds = test::rounds(120);
  for (std::uint64_t seed = 1; seed <= rounds; ++seed) {
    CAPTURE(seed);
    test::MachineDraw draw(seed);
    const auto model = test::modelOf(draw.graph());
    RunRequest request = draw.request();
    request.allocator = AllocatorChoice::parse("best:for=penalty,moves=300,nodes=300").value();
    const auto run = execute(model, request, {});
    if (!run) continue;
    REQUIRE(validate((*run)->problem, (*run)->plan).empty());
    const auto& penalties = (*run)->problem.constraints.penalties;
    if (penalties.empty()) continue;
    ++priced;
    const auto waits = waitsWithoutReuse(**run);
    CHECK(penalties.size() == waits.size());
    for (const ReusePenalty& each : penalties) {
      CAPTURE(each.pair.a.index(), each.pair.b.index());
      REQUIRE(waits.contains(each.pair));
      CHECK(waits.at(each.pair) == each.cost);
    }
    request.allocator = AllocatorChoice::parse("best").value();
    const auto lowest = test::must(execute(model, request, {}));
    if (lowest->plan.addresses.size() != (*run)->plan.addresses.size() || !fits(**run)) continue;
    const std::int64_t before = penaltyOf((*run)->problem, lowest->plan);
    const std::int64_t after = penaltyOf((*run)->problem, (*run)->plan);
    if (after < before) ++saved;
  }
  CHECK(priced >= test::atLeast(12));
  CHECK(saved >= test::atLeast(2));
}
