#include <QTest>
#include <catch2/catch.hpp>

#include "app/gui/studio.h"
#include "tests/gui/native_support.h"
#include "tests/widgets/support.h"
#include "widgets/frame/status_line.h"
#include "widgets/histogram/histogram_view.h"
#include "widgets/map/map_raster.h"
#include "widgets/panels/metrics_panel.h"

using namespace hw;
using namespace hw::test;

namespace {

void dragWithCtrl(QWidget* view, const QPoint& from, const QPoint& to) {
  QTest::mousePress(view, Qt::LeftButton, Qt::ControlModifier, from);
  for (const QPoint& at : {(from + to) / 2, to}) {
    QMouseEvent move(QEvent::MouseMove, at, view->mapToGlobal(at), Qt::NoButton, Qt::LeftButton,
                     Qt::ControlModifier);
    QApplication::sendEvent(view, &move);
  }
  QTest::mouseRelease(view, Qt::LeftButton, Qt::ControlModifier, to);
}

}  // namespace

TEST_CASE("every buffer is in the bin of its power of two", "[histogram]") {
  const auto seed = GENERATE(1U, 2U, 3U, 4U);
  const auto run = test::randomRun(seed, 300, 40);
  const SizeHistogram histogram = sizeHistogram(*run, {});
  std::int64_t counted = 0;
  for (const SizeHistogram::Bin& bin : histogram.bins) {
    std::int64_t expected = 0;
    std::int64_t bytes = 0;
    for (const Stay& stay : run->problem.stays) {
      const bool inside = stay.size.count() >= std::int64_t{1} << bin.power &&
                          stay.size.count() < std::int64_t{1} << (bin.power + 1);
      expected += inside;
      bytes += inside ? stay.size.count() : 0;
    }
    CHECK(bin.total(false) == expected);
    CHECK(bin.total(true) == bytes);
    counted += expected;
  }
  CHECK(counted == static_cast<std::int64_t>(run->problem.stays.size()));
  CHECK(histogram.bins.front().total(false) > 0);
  CHECK(histogram.bins.back().total(false) > 0);
  CHECK(sizeHistogram(*run, Interval<Step>{Step(3), Step(4)}).most(false) < histogram.most(false));
}

TEST_CASE("a click picks out a size everywhere, a second one ends it", "[histogram]") {
  // a 4, b 6, c 3, d 10: powers 1 (c), 2 (a, b), 3 (d)
  ViewState state;
  state.setRun(test::smallRun());
  HistogramView view(&state);
  view.resize(320, 180);
  view.show();
  REQUIRE(view.histogram().bins.size() == 3);
  QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, view.binRect(1).center());
  REQUIRE(state.filter());
  CHECK(state.filter()->kept == std::vector<bool>{true, true, false, false});
  CHECK(state.filter()->title.find("4 B") != std::string::npos);
  QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, view.binRect(1).center());
  CHECK_FALSE(state.filter());
}

TEST_CASE("dragging takes in several bins, keys do too", "[histogram]") {
  ViewState state;
  state.setRun(test::smallRun());
  HistogramView view(&state);
  view.resize(320, 180);
  view.show();
  QTest::mousePress(view.viewport(), Qt::LeftButton, {}, view.binRect(2).center());
  QTest::mouseMove(view.viewport(), view.binRect(1).center());
  QTest::mouseRelease(view.viewport(), Qt::LeftButton, {}, view.binRect(1).center());
  REQUIRE(state.filter());
  CHECK(state.filter()->count == 3);
  state.setFilter(nullptr);

  QTest::keyClick(&view, Qt::Key_Right);
  CHECK_FALSE(state.filter());
  QTest::keyClick(&view, Qt::Key_Left);
  QTest::keyClick(&view, Qt::Key_Return);
  REQUIRE(state.filter());
  const std::size_t one = state.filter()->count;
  QTest::keyClick(&view, Qt::Key_Right, Qt::ShiftModifier);
  CHECK(state.filter()->count > one);
  QTest::keyClick(&view, Qt::Key_B);
  CHECK(view.showsBytes());
}

TEST_CASE("what a filter does not keep is drawn pale", "[histogram]") {
  const auto run = test::makeRun({{"a", 100, 0, 4}, {"b", 100, 0, 4}});
  const BlockStore blocks = BlockStore::ofPool(*run, PoolId(0));
  MapRequest request{
      .window = {0, 4, 0, 200}, .size = QSize(40, 40), .colors = MapColors::of(Palette::light())};
  request.filter = makeFilter("b", {false, true});
  const MapRaster raster = rasterize(blocks, request);
  const auto kind = static_cast<std::size_t>(BlockClass::elements);
  CHECK(raster.past.pixel(20, 30) == request.colors.pale[kind].fill);
  CHECK(raster.past.pixel(20, 10) == request.colors.past[kind].fill);
  CHECK(raster.blockAt(20, 30).has_value());
}

TEST_CASE("another run drops what was picked out", "[histogram]") {
  ViewState state;
  state.setRun(test::smallRun());
  HistogramView view(&state);
  view.pick(0, 1);
  REQUIRE(state.filter());
  state.setRun(test::randomRun(9, 20, 10));
  CHECK_FALSE(state.filter());
}

TEST_CASE("Esc drops the selection, the filter and the marked steps", "[histogram]") {
  test::Opened window(QStringLiteral("samples:mobilenet_v2"), {1280, 800});
  auto* view = window.findChild<HistogramView*>();
  REQUIRE(view);
  view->pick(0, 0);
  window.state()->markSteps(Interval<Step>{Step(2), Step(9)});
  CHECK(window.state()->filter());
  QTest::keyClick(&window, Qt::Key_Escape);
  CHECK_FALSE(window.state()->filter());
  CHECK_FALSE(window.state()->markedSteps());
}

TEST_CASE("zooming to a range and restricting statistics to it are two things", "[range]") {
  test::Opened window({}, {1280, 800});
  CHECK_FALSE(action(window, "zoomToRange")->isEnabled());
  openAndWait(window, QStringLiteral("samples:mobilenet_v2"));
  CHECK_FALSE(action(window, "zoomToRange")->isEnabled());
  CHECK(action(window, "zoomToRange")->toolTip().contains(QStringLiteral("Ctrl")));
  auto* chip = window.findChild<RangeChip*>();
  REQUIRE(chip);
  CHECK_FALSE(chip->isVisible());

  PeakChart* chart = window.chart();
  const QRect plot = chart->plotRect();
  const Step before = window.state()->step();
  dragWithCtrl(chart, {plot.left() + plot.width() / 4, plot.center().y()},
               {plot.left() + plot.width() / 2, plot.center().y()});
  const auto marked = window.state()->markedSteps();
  REQUIRE(marked);
  CHECK(window.state()->step() == before);
  const auto all = static_cast<double>(window.state()->steps().count());
  CHECK(std::abs(static_cast<double>(marked->begin.count()) - all / 4) <= 2);
  CHECK(std::abs(static_cast<double>(marked->end.count()) - all / 2) <= 2);

  action(window, "zoomToRange")->trigger();
  CHECK(window.state()->visibleBegin() == Approx(static_cast<double>(marked->begin.count())));
  CHECK(window.state()->visibleEnd() == Approx(static_cast<double>(marked->end.count())));
  CHECK_FALSE(window.state()->statisticsRange());

  const QString peak = window.findChild<MetricsPanel*>()->item(0, 1)->text();
  action(window, "restrictStatistics")->trigger();
  CHECK(window.state()->statisticsRange() == marked);
  CHECK(chip->isVisible());
  CHECK(chip->text().contains(QString::number(marked->begin.count())));
  CHECK(window.findChild<MetricsPanel*>()->item(0, 0)->text() == QStringLiteral("Steps"));
  QTest::mouseClick(chip->closeButton(), Qt::LeftButton);
  CHECK_FALSE(window.state()->statisticsRange());
  CHECK_FALSE(chip->isVisible());
  CHECK(window.findChild<MetricsPanel*>()->item(0, 1)->text() == peak);
}

TEST_CASE("without marked steps statistics are restricted to what is on screen", "[range]") {
  test::Opened window(QStringLiteral("samples:mobilenet_v2"), {1280, 800});
  action(window, "restrictStatistics")->trigger();
  CHECK_FALSE(window.state()->statisticsRange());
  CHECK(window.messages()->isVisible());
  window.state()->setVisible(3.5, 10.2);
  action(window, "restrictStatistics")->trigger();
  CHECK(window.state()->statisticsRange() == Interval<Step>{Step(3), Step(11)});
  action(window, "wholeStatistics")->trigger();
  CHECK_FALSE(window.state()->statisticsRange());
}

TEST_CASE("maps mark steps too, and a plain drag still pans", "[range]") {
  test::Opened window(QStringLiteral("samples:mobilenet_v2"), {1280, 800});
  MapView* map = window.maps().front();
  const QRect plot = map->plotArea();
  dragWithCtrl(map, plot.center(), plot.center() + QPoint(80, 0));
  REQUIRE(window.state()->markedSteps());
  const auto marked = window.state()->markedSteps();
  QTest::mouseClick(map, Qt::LeftButton, Qt::ControlModifier, plot.center());
  CHECK_FALSE(window.state()->markedSteps());
  CHECK(marked);
}

TEST_CASE("the chart pans with Shift and with the middle button", "[range]") {
  ViewState state;
  state.setRun(test::randomRun(4, 200, 100));
  state.setVisible(20, 60);
  PeakChart chart(&state, PoolId(0));
  chart.resize(600, 160);
  chart.show();
  const QPoint from = chart.plotRect().center();
  const auto moved = GENERATE(std::pair(Qt::LeftButton, Qt::KeyboardModifiers(Qt::ShiftModifier)),
                              std::pair(Qt::MiddleButton, Qt::KeyboardModifiers()));
  const Step step = state.step();
  QTest::mousePress(&chart, moved.first, moved.second, from);
  const QPoint to = from - QPoint(chart.plotRect().width() / 4, 0);
  QMouseEvent move(QEvent::MouseMove, to, chart.mapToGlobal(to), Qt::NoButton, moved.first,
                   moved.second);
  QApplication::sendEvent(&chart, &move);
  QTest::mouseRelease(&chart, moved.first, moved.second, to);
  CHECK(state.visibleBegin() == Approx(30).margin(1));
  CHECK(state.visibleEnd() == Approx(70).margin(1));
  CHECK(state.step() == step);
}
