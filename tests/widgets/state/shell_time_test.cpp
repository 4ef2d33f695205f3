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
#include "widgets/markers/marker_set.h"
#include "widgets/transport/player.h"

using namespace hw;

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
  REQUIRE(QTest::qWaitFor([&] { return !player.isPlaying(); }, test::kPatience));
  CHECK(state.moment() == run->trace.size());
  player.play(false);
  REQUIRE(QTest::qWaitFor([&] { return !player.isPlaying(); }, test::kPatience));
  CHECK(state.moment() == 0);
}
