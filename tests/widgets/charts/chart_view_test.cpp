#include <QTest>
#include <catch2/catch.hpp>

#include "tests/widgets/support.h"
#include "widgets/charts/peak_chart.h"
#include "widgets/map/map_view.h"

using namespace hw;
using namespace hw::literals;

namespace {

struct Shown {
  explicit Shown(std::shared_ptr<const Run> run) : chart(&state, PoolId(0)) {
    state.setRun(std::move(run));
    chart.resize(640, 160);
    chart.show();
    chart.grab();
  }

  ViewState state;
  PeakChart chart;
};

}  // namespace

TEST_CASE("the chart's plot lies above the map's, pixel for pixel", "[chart]") {
  const int width = GENERATE(600, 1283);
  Shown shown(test::smallRun());
  MapView map(&shown.state, PoolId(0));
  map.resize(width, 300);
  shown.chart.resize(width, 140);
  CHECK(shown.chart.plotRect().left() == map.plotArea().left());
  CHECK(shown.chart.plotRect().width() == map.plotArea().width());
}

TEST_CASE("a click on the chart moves everyone to that step", "[chart]") {
  Shown shown(test::smallRun());
  const QRect plot = shown.chart.plotRect();
  for (const std::int64_t step : {2, 0, 1}) {
    const int x = plot.left() + static_cast<int>((double(step) + 0.4) * plot.width() / 3);
    QTest::mouseClick(&shown.chart, Qt::LeftButton, {}, {x, plot.center().y()});
    CHECK(shown.state.step() == Step(step));
  }
}

TEST_CASE("the chart follows the visible steps and never slopes", "[chart]") {
  const auto run = test::randomRun(9, 200, 120);
  Shown shown(run);
  shown.state.setVisible(30.5, 60.25);
  const ChartScene scene = shown.chart.scene().value();
  CHECK(scene.window.begin == 30.5);
  CHECK(scene.window.end == 60.25);
  for (const StairCurve* curve : {&scene.curves->live, &scene.curves->highWater}) {
    const auto points = curve->stairs(30.5, 60.25, kMostPoints);
    REQUIRE(points.size() >= 2);
    bool slope = false;
    for (std::size_t i = 1; i < points.size(); ++i) {
      slope |= points[i].x != points[i - 1].x && points[i].y != points[i - 1].y;
    }
    CHECK_FALSE(slope);
  }
}

TEST_CASE("a chart of very many steps keeps its peak within 4,000 points", "[chart]") {
  std::vector<test::Piece> pieces;
  for (std::int64_t step = 0; step < 3'000; ++step) {
    pieces.push_back({"t", step == 1'234 ? 900 : 1 + step % 7, step, step + 1});
  }
  Shown shown(test::makeRun(pieces));
  const auto points = shown.chart.scene()->curves->live.stairs(0, 3'000, kMostPoints);
  CHECK(points.size() <= kMostPoints);
  const auto peak = std::ranges::max_element(points, {}, &Point::y);
  CHECK(peak->y == 900);
  CHECK(peak->x == Approx(1'234).margin(4));
}

TEST_CASE("an empty chart stands a click", "[chart]") {
  ViewState state;
  PeakChart chart(&state, PoolId(0));
  chart.resize(300, 120);
  CHECK_FALSE(chart.grab().isNull());
  QTest::mouseClick(&chart, Qt::LeftButton, {}, {150, 60});
  CHECK(state.moment() == 0);
}
