#include <QTest>
#include <catch2/catch.hpp>

#include "tests/widgets/support.h"
#include "widgets/canvas/map_view.h"
#include "widgets/charts/peak_chart.h"

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

TEST_CASE("Qt Charts puts the steps where our axes say", "[chart]") {
  Shown shown(test::smallRun());
  const QRect plot = shown.chart.plotRect();
  const QPointF corner = shown.chart.chart()->mapToPosition({0, 0});
  const QPointF end = shown.chart.chart()->mapToPosition({3, 0});
  CHECK(corner.x() == Approx(plot.left()).margin(1));
  CHECK(end.x() == Approx(plot.left() + plot.width()).margin(1));
  CHECK(corner.y() == Approx(plot.top() + plot.height()).margin(1));
}

TEST_CASE("a click on the chart moves everyone to that step", "[chart]") {
  Shown shown(test::smallRun());
  const QRect plot = shown.chart.plotRect();
  for (const std::int64_t step : {2, 0, 1}) {
    const int x = plot.left() + static_cast<int>((double(step) + 0.4) * plot.width() / 3);
    QTest::mouseClick(shown.chart.viewport(), Qt::LeftButton, {}, {x, plot.center().y()});
    CHECK(shown.state.step() == Step(step));
  }
}

TEST_CASE("the chart follows the visible steps and never slopes", "[chart]") {
  const auto run = test::randomRun(9, 200, 120);
  Shown shown(run);
  shown.state.setVisible(30.5, 60.25);
  for (const auto& points : {shown.chart.livePoints(), shown.chart.highWaterPoints()}) {
    REQUIRE(points.size() >= 2);
    CHECK(points.front().x() == 30.5);
    CHECK(points.back().x() == 60.25);
    bool slope = false;
    for (qsizetype i = 1; i < points.size(); ++i) {
      slope |= points[i].x() != points[i - 1].x() && points[i].y() != points[i - 1].y();
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
  const QList<QPointF> points = shown.chart.livePoints();
  CHECK(points.size() <= 4'000);
  const auto peak = std::ranges::max_element(points, {}, [](const QPointF& p) { return p.y(); });
  CHECK(peak->y() == 900);
  CHECK(peak->x() == Approx(1'234).margin(4));
}

TEST_CASE("an empty chart stands a click", "[chart]") {
  ViewState state;
  PeakChart chart(&state, PoolId(0));
  chart.resize(300, 120);
  CHECK_FALSE(chart.grab().isNull());
  QTest::mouseClick(chart.viewport(), Qt::LeftButton, {}, {150, 60});
  CHECK(state.moment() == 0);
}
