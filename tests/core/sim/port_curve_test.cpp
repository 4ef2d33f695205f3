#include "core/sim/port_curve.h"

#include <catch2/catch.hpp>

#include "core/machine/platforms.h"
#include "tests/support/graphs.h"
#include "tests/support/machine_draw.h"
#include "tests/support/methods.h"
#include "tests/support/nanoseconds.h"
#include "tests/support/rounds.h"
#include "tests/support/timed_program.h"

using namespace hw;
using hw::test::ns;

namespace {

/// Units of their own for as many activities as there are, and a port of a byte a nanosecond, or
/// one that takes no time.
ActivityList sideBySide(const std::vector<Activity>& activities, std::int64_t bandwidth) {
  ActivityList list;
  list.ports = {{"L2", bandwidth, bandwidth}};
  list.devices = {{"npu", Issue::parallel}};
  for (Activity activity : activities) {
    activity.engine = static_cast<std::uint32_t>(list.engines.size());
    list.engines.push_back({"unit"});
    list.activities.add(std::move(activity));
  }
  return list;
}

Activity computing(Bytes bytes, SimTime time) {
  return {.compute = time, .ports = {{0, bytes, {}}}};
}

std::vector<PortCurve> curvesOf(const ActivityList& list) {
  return portCurves(list, execute(list, hazardsOf(list), list.contention).times);
}

/// Bytes of an activity at a port, by the fields alone.
Bytes bytesAt(const ActivityList& list, const Activity& activity, std::uint32_t port) {
  Bytes sum;
  for (const PortUse& use : activity.ports) {
    if (use.port == port) sum += use.read + use.written;
  }
  const bool own = activity.engine != Activity::kNoEngine &&
                   port == list.ports.size() + activity.engine &&
                   list.engines[activity.engine].bandwidth > 0;
  return own && activity.kind != ActivityKind::compute ? sum + activity.bytes : sum;
}

/// Bytes that a curve has moved by a time.
double movedBy(const PortCurve& curve, SimTime time) {
  double sum = 0;
  for (const PortStep& step : curve.steps) {
    if (step.begin >= time) break;
    const SimTime part = std::min(time, step.end) - step.begin;
    sum += step.bytesPerSecond() * part.real() * 1e-12;
  }
  return sum;
}

double number(Bytes bytes) { return bytes.real(); }

/// Checks that steps lie one behind the other and that nothing of the traffic is lost.
void checkSteps(const PortCurve& curve, Contention contention) {
  Wide parts = 0;
  SimTime before;
  for (const PortStep& step : curve.steps) {
    REQUIRE(before <= step.begin);
    REQUIRE(step.begin < step.end);
    REQUIRE(step.parts > 0);
    before = step.end;
    parts += step.parts;
  }
  REQUIRE(parts == Wide{(curve.bytes - curve.atOnce).count()} * kPartsPerByte);
  if (contention != Contention::none && curve.roof > 0) {
    REQUIRE(*curve.ofRoof(curve.peak()) < 1.001);
  }
}

/// Checks that by a time what is over has gone through the port, and nothing that has not begun;
/// without contention every flow is even.
void checkMoved(const ActivityList& list, const IdMap<ActivityId, ActivityTime>& times,
                const PortCurve& curve, SimTime now) {
  double over = 0;
  double begun = 0;
  double even = 0;
  for (const ActivityId id : times.keys()) {
    const SimTime begin = times[id].start + list.activities[id].fixed;
    const double bytes = number(bytesAt(list, list.activities[id], curve.port));
    if (times[id].flow == SimTime() || begin >= now) continue;
    if (times[id].end <= now) over += bytes;
    begun += bytes;
    const auto past = (now - begin).real();
    even += bytes * std::min(1.0, past / times[id].flow.real());
  }
  const double moved = movedBy(curve, now);
  const double slack = 1e-6 * (1 + begun);
  REQUIRE(moved >= over - slack);
  REQUIRE(moved <= begun + slack);
  if (list.contention == Contention::none) REQUIRE(std::abs(moved - even) <= slack);
}

/// Checks that there is a curve of every port in use, and that it says what the times allow.
void checkCurves(const ActivityList& list, const IdMap<ActivityId, ActivityTime>& times) {
  const std::vector<PortCurve> curves = portCurves(list, times);
  std::size_t used = 0;
  for (std::uint32_t port = 0; port < list.ports.size() + list.engines.size(); ++port) {
    Bytes all;
    for (const Activity& activity : list.activities) all += bytesAt(list, activity, port);
    if (all == Bytes()) continue;
    REQUIRE(used < curves.size());
    const PortCurve& curve = curves[used++];
    REQUIRE(curve.port == port);
    REQUIRE(curve.bytes == all);
    checkSteps(curve, list.contention);
    for (const ActivityTime& time : times) checkMoved(list, times, curve, time.end);
  }
  CHECK(used == curves.size());
}

}  // namespace

TEST_CASE("a port moves what those that share it move", "[sim][ports]") {
  // The second asks for half of the port: together they ask for half as much again as there is.
  const ActivityList list =
      sideBySide({computing(Bytes(40), ns(40)), computing(Bytes(40), ns(80))}, 1'000'000'000);
  const std::vector<PortCurve> curves = curvesOf(list);
  REQUIRE(curves.size() == 1);
  const PortCurve& curve = curves.front();
  CHECK(curve.bytes == Bytes(80));
  CHECK(curve.roof == 1'000'000'000);
  REQUIRE(curve.steps.size() == 2);
  CHECK(curve.steps[0].begin == ns(0));
  CHECK(curve.steps[0].end == ns(60));
  CHECK(curve.steps[1].end == ns(100));
  CHECK(curve.steps[0].bytes() == Approx(60));
  CHECK(curve.steps[1].bytesPerSecond() == Approx(0.5e9));
  CHECK(curve.peak() == Approx(1e9));
  CHECK(curve.mean(ns(100)) == Approx(0.8e9));
  CHECK(*curve.ofRoof(curve.mean(ns(100))) == Approx(0.8));
  const auto times = execute(list, hazardsOf(list), list.contention).times;
  CHECK(flowsAt(list, times, 0, ns(59)) == std::vector{ActivityId(0), ActivityId(1)});
  CHECK(flowsAt(list, times, 0, ns(60)) == std::vector{ActivityId(1)});
  CHECK(flowsAt(list, times, 0, ns(100)).empty());
}

TEST_CASE("a port that takes no time has no roof", "[sim][ports]") {
  const std::vector<PortCurve> curves =
      curvesOf(sideBySide({computing(Bytes(40), ns(40)), computing(Bytes(8), ns(0))}, 0));
  REQUIRE(curves.size() == 1);
  CHECK(curves[0].roof == 0);
  CHECK_FALSE(curves[0].ofRoof(1).has_value());
  CHECK(curves[0].bytes == Bytes(48));
  CHECK(curves[0].atOnce == Bytes(8));
  REQUIRE(curves[0].steps.size() == 1);
  CHECK(curves[0].steps[0].bytes() == Approx(40));
}

TEST_CASE("curves end where times are cut off", "[sim][ports]") {
  ActivityList list = sideBySide({computing(Bytes(1'000'000'000'000), ns(1))}, 1);
  Activity late = computing(Bytes(5), ns(1));
  late.engine = 0;
  list.activities.add(late);
  const std::vector<PortCurve> curves = curvesOf(list);
  REQUIRE(curves.size() == 1);
  REQUIRE(curves[0].steps.size() == 1);
  CHECK(curves[0].steps[0].end == kMaxTime);
  CHECK(curves[0].atOnce == Bytes(5));
}

TEST_CASE("what a port moves over time is its traffic, whatever runs", "[sim][ports]") {
  for (const std::uint64_t seed : test::Seeds(300)) {
    test::TimedProgram program = test::randomTimedProgram(seed, {});
    const ActivityList list =
        program.at(test::offsetsBy(seed % 2 == 0 ? "fast" : "greedy-by-size", program.problem));
    checkCurves(list, execute(list, hazardsOf(list), list.contention).times);
  }
}

TEST_CASE("what a port moves over time is its traffic on drawn machines", "[sim][ports]") {
  for (const std::uint64_t seed : test::Seeds(100)) {
    test::MachineDraw draw(seed);
    const auto model = test::modelOf(draw.graph());
    RunRequest request = draw.request();
    request.allocator = AllocatorChoice::parse("greedy-by-size").value();
    const auto run = test::mustRun(model, request);
    checkCurves(run->timing.activities, run->timing.times);
  }
}
