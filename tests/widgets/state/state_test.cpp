// One axis for all views: steps or simulated time.

#include <QSignalSpy>
#include <QTest>
#include <catch2/catch.hpp>

#include "tests/widgets/patience.h"
#include "tests/widgets/support.h"
#include "widgets/below/lock_step.h"
#include "widgets/charts/peak_chart.h"
#include "widgets/map/map_view.h"
#include "widgets/map/minimap.h"
#include "widgets/markers/markers.h"
#include "widgets/state/view_state.h"
#include "widgets/transport/player.h"

using namespace hw::literals;
using namespace hw;

TEST_CASE("a step is visited with its allocations made and its releases to come", "[shell]") {
  const auto run = test::smallRun();
  ViewState state;
  state.setRun(run);
  for (Step step(0); step < state.steps(); step += Step(1)) {
    CAPTURE(step.count());
    state.setStep(step);
    CHECK(state.step() == step);
    const MemoryState memory = run->trace.stateAfter(state.moment());
    Bytes live;
    for (const Stay& stay : run->problem.stays) {
      if (stay.steps.contains(step)) live += stay.size;
    }
    CHECK(memory[PoolId(0)].inUse() == live);
  }
}

TEST_CASE("every step can be visited, also one without events", "[shell]") {
  const auto run = test::makeRun({{"a", 4, 0, 5}, {"b", 2, 4, 5}});
  ViewState state;
  state.setRun(run);
  for (int step = 0; step < 5; ++step) {
    state.setStep(Step(step));
    CHECK(state.step() == Step(step));
  }
  state.setStep(Step(100));
  CHECK(state.step() == Step(4));
  state.setStep(Step(-3));
  CHECK(state.step() == Step(0));
}

TEST_CASE("moments never leave the trace", "[shell]") {
  ViewState state;
  state.setMoment(3);
  CHECK(state.moment() == 0);
  const auto run = test::randomRun(11, 30, 12);
  state.setRun(run);
  QSignalSpy moved(&state, &ViewState::momentChanged);
  state.setMoment(run->trace.size() + 100);
  CHECK(state.moment() == run->trace.size());
  state.setMoment(run->trace.size());
  CHECK(moved.size() == 1);
}

TEST_CASE("what is selected stays selected when the same model is planned anew", "[shell]") {
  const auto run = test::smallRun();
  auto again = std::make_shared<Run>(*run);
  ViewState state;
  state.setRun(run);
  state.select(StayId(2));
  state.setRun(again);
  CHECK(state.selected() == StayId(2));

  state.setRun(test::smallRun());  // Another model, though it looks alike.
  CHECK_FALSE(state.selected());
}

TEST_CASE("the visible steps stay inside the run and never become a point", "[shell]") {
  ViewState state;
  state.setRun(test::randomRun(5, 20, 40));
  const auto all = static_cast<double>(state.steps().count());
  state.setVisible(-10, 1e9);
  CHECK(state.visibleBegin() == 0);
  CHECK(state.visibleEnd() == all);
  state.setVisible(7, 7);
  CHECK(state.visibleEnd() - state.visibleBegin() == Approx(0.25));
  state.setVisible(all - 1, all + 4);
  CHECK(state.visibleEnd() == all);
  CHECK(state.visibleEnd() - state.visibleBegin() == Approx(5));
}

TEST_CASE("with time as the axis the same things stay on show", "[shell][time]") {
  const auto run = test::movedRun("squeezenet");
  ViewState state;
  state.setRun(run);
  state.setStep(Step(20));
  state.setVisible(10, 30);
  QSignalSpy changed(&state, &ViewState::axisChanged);
  state.setAxis(AxisUnit::time);
  REQUIRE(changed.size() == 1);
  const RunScale& scale = *state.scale();
  CHECK(state.length() == onAxis(run->timing.makespan));
  CHECK(state.visibleBegin() == Approx(scale.begin(Step(10))));
  CHECK(state.visibleEnd() == Approx(scale.begin(Step(30))));
  CHECK(state.step() == Step(20));
  CHECK(playheadOf(state) == onAxis(state.time()));
  state.setAxis(AxisUnit::step);
  CHECK(state.visibleBegin() == Approx(10));
  CHECK(state.visibleEnd() == Approx(30));
  CHECK(state.step() == Step(20));
}

TEST_CASE("moments and times go together", "[shell][time]") {
  const auto run = test::movedRun("squeezenet");
  ViewState state;
  state.setRun(run);
  state.setAxis(AxisUnit::time);
  for (int part = 0; part <= 50; ++part) {
    const SimTime time(run->timing.makespan.count() / 50 * part);
    state.setTime(time);
    CHECK(state.time() == time);
    CHECK(playheadOf(state) == onAxis(time));
    CHECK(state.moment() == run->trace.indexAt(time));
    CHECK(state.step() == state.scale()->stepAt(onAxis(time)));
  }
  for (Step step; step < state.steps(); step += Step(1)) {
    state.setStep(step);
    const SimTime now = state.time();
    if (state.moment() > 0) CHECK(now >= run->trace.timeOf(state.moment() - 1));
    if (state.moment() < run->trace.size()) CHECK(now <= run->trace.timeOf(state.moment()));
  }
  state.setTime(run->timing.makespan + SimTime(5));
  CHECK(state.time() == run->timing.makespan);
}

TEST_CASE("what nobody times stays over the steps, and the wish is kept", "[shell][time]") {
  ViewState state;
  state.setAxis(AxisUnit::time);
  state.setRun(test::smallRun());
  CHECK(state.axis() == AxisUnit::step);
  CHECK(state.wantedAxis() == AxisUnit::time);
  state.setRun(test::movedRun("resnet8"));
  CHECK(state.axis() == AxisUnit::time);
}

TEST_CASE("map, chart, minimap and markers follow the axis", "[shell][time]") {
  const auto run = test::movedRun("squeezenet");
  ViewState state;
  MapView map(&state, PoolId(0));
  PeakChart chart(&state, PoolId(0));
  Minimap minimap(&state, PoolId(0));
  MarkerSet markers(&state);
  for (QWidget* widget : {static_cast<QWidget*>(&map), static_cast<QWidget*>(&chart),
                          static_cast<QWidget*>(&minimap)}) {
    widget->resize(900, 200);
    widget->show();
  }
  state.setRun(run);
  state.setStep(Step(25));
  const int marker = markers.add();
  REQUIRE(state.marks().size() == 1);
  state.setAxis(AxisUnit::time);
  CHECK(map.blocks().unit() == AxisUnit::time);
  CHECK(chart.scene()->unit == AxisUnit::time);
  CHECK(state.marks().front() == Approx(onAxis(state.time())));
  CHECK(markers.positionOf(*std::as_const(markers).find(marker)) == state.marks().front());
  // A click on the chart goes to that time, and all have the same pixel for it.
  const QRect plot = chart.plotRect();
  QTest::mouseClick(&chart, Qt::LeftButton, {}, plot.center());
  const double wanted = (plot.center().x() - plot.left()) * state.length() / plot.width();
  CHECK(onAxis(state.time()) == Approx(wanted).margin(state.length() / plot.width()));
  map.grab();
  const auto live = map.pictureScene();
  CHECK(live.at == AxisPlace(state.time().count()));
  // The whole run is under the brush of the minimap.
  CHECK(minimap.brushRect().width() == Approx(minimap.trackRect().width()).margin(1));
  state.setVisible(state.length() / 4, state.length() / 2);
  CHECK(minimap.brushRect().width() == Approx(minimap.trackRect().width() / 4).margin(2));
  state.markSteps(Interval<Step>{Step(10), Step(20)});
  CHECK(nowOf(state).marked->begin == state.scale()->begin(Step(10)));
  CHECK(nowOf(state).marked->end == state.scale()->begin(Step(20)));
}

TEST_CASE("two plans in lock-step share the time", "[shell][time]") {
  const auto first = test::movedRun("squeezenet");
  const auto second = test::movedRun("squeezenet", "none");
  ViewState a;
  ViewState b;
  LockStep step(&a, &b);
  a.setRun(first);
  step.setB(second);
  a.setAxis(AxisUnit::time);
  CHECK(b.axis() == AxisUnit::time);
  a.setTime(SimTime(first->timing.makespan.count() / 3));
  CHECK(b.time() == a.time());
  CHECK(b.moment() == second->trace.indexAt(a.time()));
}

TEST_CASE("in time a run plays by simulated time per second", "[shell][time]") {
  const auto run = test::movedRun("squeezenet");
  ViewState state;
  Player player(&state);
  state.setRun(run);
  state.setAxis(AxisUnit::time);
  const SimTime pace = player.timePerSecond();
  CHECK(pace > SimTime());
  CHECK(pace.count() * 10 <= run->timing.makespan.count());
  CHECK(pace.count() * 60 >= run->timing.makespan.count());
  player.setSpeed(4);
  CHECK(player.timePerSecond() == pace * 4);
  player.setSpeed(64);
  player.play(true);
  REQUIRE(test::comes([&] { return !player.isPlaying(); }));
  CHECK(state.moment() == run->trace.size());
  player.play(false);
  REQUIRE(test::comes([&] { return !player.isPlaying(); }));
  CHECK(state.moment() == 0);
}
