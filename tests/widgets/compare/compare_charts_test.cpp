#include "widgets/compare/compare_charts.h"

#include <QDockWidget>
#include <QMenu>
#include <QTest>
#include <QToolButton>
#include <catch2/catch.hpp>

#include "app/gui/studio.h"
#include "core/import/samples.h"
#include "core/insight/moment.h"
#include "core/machine/platforms.h"
#include "core/plan/fragmentation_curve.h"
#include "tests/widgets/patience.h"
#include "tests/widgets/support.h"
#include "widgets/compare/fragmentation_panel.h"

using namespace hw;

namespace {

RunRequest requestOf(const char* allocator) {
  RunRequest request;
  request.allocator = AllocatorChoice::parse(allocator).value();
  request.platform = platformCatalog().front();
  return request;
}

std::shared_ptr<const Model> sampleModel() {
  return std::make_shared<const Model>(openModel("samples:mobilenet_v2", {}).value());
}

std::shared_ptr<const Comparison> compared(const std::shared_ptr<const Model>& model,
                                           const std::vector<const char*>& names) {
  std::vector<AllocatorChoice> choices;
  for (const char* name : names) choices.push_back(AllocatorChoice::parse(name).value());
  RunRequest request = requestOf("none");
  request.l2 = {.kind = PoolSize::Kind::unbounded};
  return std::make_shared<const Comparison>(compareAllocators(model, request, choices, {}));
}

void settle() { QTest::qWait(30); }

}  // namespace

TEST_CASE("bars are as long as their figures, and lines as far as the bounds",
          "[charts][compare]") {
  CompareModel model;
  CompareCharts charts(&model);
  charts.resize(700, 220);
  charts.show();
  CHECK_FALSE(charts.emptyText().isEmpty());
  CHECK_FALSE(charts.figureBox()->isEnabled());
  model.setComparison(compared(sampleModel(), {"none", "greedy-by-size", "in-order"}));
  settle();
  CHECK(charts.emptyText().isEmpty());
  BarChart* chart = charts.chart();
  REQUIRE(chart->bars().size() == 3);
  for (int i = 0; i < 3; ++i) {
    const ComparisonRow& row = *model.row(i);
    const Bar& bar = chart->bars()[static_cast<std::size_t>(i)];
    CHECK(bar.value == static_cast<double>(row.peak().count()));
    CHECK(bar.mark == static_cast<double>(row.figures.lowerBound.count()));
    CHECK((bar.kind == Bar::Kind::best) == row.best);
    const double share = chart->barRect(i).width() / chart->barRect(2).width();
    CHECK(share == Approx(*bar.value / *chart->bars()[2].value).margin(0.01));
  }
  charts.figureBox()->setCurrentIndex(1);
  for (int i = 0; i < 3; ++i) {
    const Bar& bar = chart->bars()[static_cast<std::size_t>(i)];
    CHECK(bar.value == model.row(i)->figures.gap);
    CHECK_FALSE(bar.mark);
  }
}

TEST_CASE("what is drawn of a bar is where it says", "[charts][compare]") {
  BarChart chart;
  chart.resize(500, 120);
  chart.show();
  chart.setBars({{.name = QStringLiteral("long"), .value = 100, .text = QStringLiteral("100 B")},
                 {.name = QStringLiteral("short"), .value = 20, .text = QStringLiteral("20 B")},
                 {.name = QStringLiteral("none"), .text = QStringLiteral("failed")}});
  settle();
  QImage image(chart.size(), QImage::Format_RGB32);
  chart.QWidget::render(&image);
  const auto colorAt = [&](const QPointF& at) { return image.pixelColor(at.toPoint()); };
  const QColor plot = Theme::current().plot;
  for (const int index : {0, 1}) {
    const QRectF bar = chart.barRect(index);
    CHECK(colorAt({bar.left() + 3, bar.center().y()}) != plot);
    CHECK(colorAt({bar.right() - 3, bar.center().y()}) != plot);
  }
  // Beside the short one and its figure is nothing.
  CHECK(colorAt({chart.barRect(0).right() - 4, chart.barRect(1).center().y()}) == plot);
  CHECK(chart.barRect(2).isEmpty());
}

TEST_CASE("a bar chooses its row, by pointer and by keys", "[charts][compare]") {
  Settings none;
  Studio window(&none);
  window.resize(1280, 800);
  window.show();
  const auto model = sampleModel();
  RunRequest request = requestOf("greedy-by-size");
  request.model = "samples:mobilenet_v2";
  window.show(request, {.run = execute(model, request, {}).value(), .violations = {}});
  window.comparison()->setComparison(compared(model, {"none", "greedy-by-size", "in-order"}));
  window.findChild<QAction*>(QStringLiteral("compareBars"))->trigger();
  settle();
  // In the panel of the comparison, beside its table.
  CompareCharts* charts = window.comparison()->charts();
  REQUIRE(charts->isVisible());
  REQUIRE(window.comparison()->table()->isVisible());
  CHECK(window.findChild<QDockWidget*>(QStringLiteral("compareBars")) == nullptr);
  BarChart* chart = charts->chart();
  QTest::mouseClick(chart->viewport(), Qt::LeftButton, {}, chart->barRect(1).center().toPoint());
  CHECK(window.comparison()->table()->currentRow() == 1);
  QTest::keyClick(chart, Qt::Key_Down);
  CHECK(window.comparison()->table()->currentRow() == 2);
  CHECK(chart->current() == 2);
  window.comparison()->table()->goTo(0);
  CHECK(chart->current() == 0);
}

TEST_CASE("fragmentation is drawn step by step, and keeps its peak when there are many",
          "[charts][compare]") {
  constexpr std::uint64_t kSeed = 11;
  INFO("seed " << kSeed);
  const auto run = test::randomRun(kSeed, 12'000, 9'000);
  ViewState state;
  state.setRun(run);
  FragmentationChart chart(&state);
  chart.resize(900, 200);
  chart.show();
  chart.setEntries({{QStringLiteral("A"), run}});
  REQUIRE(QTest::qWaitFor([&] { return !chart.isBusy() && !chart.points(0).isEmpty(); },
                          test::kPatience));
  const auto points = chart.points(0);
  CHECK(static_cast<std::size_t>(points.size()) <= kMostPoints);
  double most = 0;
  for (const Fragmentation& now : fragmentationCurve(run->problem, run->plan, PoolId(0))) {
    most = std::max(most, now.ratio());
  }
  double drawn = 0;
  for (qsizetype i = 0; i < points.size(); ++i) {
    drawn = std::max(drawn, points[i].y());
    if (i == 0) continue;
    const bool level = points[i].y() == points[i - 1].y();
    CHECK((level || points[i].x() == points[i - 1].x()));  // Stairs: nothing is a slope.
  }
  CHECK(drawn == Approx(most).margin(1e-6));
  state.setVisible(100, 110);
  CHECK(chart.points(0).front().x() == 100);
  CHECK(chart.points(0).back().x() == 110);
}

TEST_CASE("the fragmentation panel draws what is on show, or all that fit", "[charts][compare]") {
  const auto model = sampleModel();
  ViewState state;
  CompareModel table;
  FragmentationPanel panel(&state, &table);
  panel.resize(900, 200);
  panel.show();
  CHECK(panel.chart()->entries().empty());
  const auto a = execute(model, requestOf("greedy-by-size"), {}).value();
  const auto b = execute(model, requestOf("in-order"), {}).value();
  state.setRun(a);
  panel.setBelow({b});
  REQUIRE(panel.chart()->entries().size() == 2);
  CHECK(panel.chart()->entries()[1].name.startsWith(QStringLiteral("B: in-order")));
  table.setComparison(compared(model, {"none", "in-order", "two-sided"}));
  table.setShown(a, {b});
  panel.whichBox()->setCurrentIndex(1);
  CHECK(panel.chart()->entries().size() == 4);  // A is in no row of it.
  REQUIRE(QTest::qWaitFor([&] { return !panel.chart()->points(3).isEmpty(); }, test::kPatience));
  QTest::mouseClick(panel.chart()->viewport(), Qt::LeftButton, {},
                    panel.chart()->viewport()->rect().center());
  CHECK(state.step() > Step(0));
}

TEST_CASE("styles of compared runs differ in colour and in dashes", "[charts][compare]") {
  for (const Palette* palette : {&Palette::light(), &Palette::dark()}) {
    for (std::size_t i = 0; i < kSeriesInks; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        CHECK((*palette)[seriesStroke(i).ink] != (*palette)[seriesStroke(j).ink]);
        CHECK(seriesStroke(i).dashes != seriesStroke(j).dashes);
      }
    }
  }
}

TEST_CASE("the peak chart has the high water of every plan on show, on one scale",
          "[charts][compare]") {
  const auto model = sampleModel();
  RunRequest request = requestOf("greedy-by-size");
  request.l2 = {.kind = PoolSize::Kind::unbounded};
  ViewState state;
  PeakChart chart(&state, PoolId(0));
  chart.resize(900, 200);
  chart.show();
  state.setRun(execute(model, request, {}).value());
  request.allocator = AllocatorChoice::parse("none").value();
  const auto other = execute(model, request, {}).value();
  chart.setCompared({other});
  const ChartScene scene = chart.scene().value();
  REQUIRE(scene.others.size() == 1);
  const Bytes top = scene.others.front()->peak()->value;
  CHECK(top == other->plan.footprint(PoolId(0)));
  CHECK(scene.window.highByte >= static_cast<double>(top.count()));
  chart.setCompared({});
  CHECK(chart.scene()->others.empty());
}

TEST_CASE("from a row that failed to the tensor that found no room", "[shell][compare]") {
  Settings none;
  Studio window(&none);
  window.resize(1280, 800);
  window.show();
  const auto model = sampleModel();
  RunRequest request = requestOf("greedy-by-size");
  request.model = "samples:mobilenet_v2";
  window.show(request, {.run = execute(model, request, {}).value(), .violations = {}});
  request.l2 = {.kind = PoolSize::Kind::bytes, .bytes = Bytes(64 << 10)};
  request.l3 = {.kind = PoolSize::Kind::bytes, .bytes = Bytes(64 << 10)};
  auto failed = std::make_shared<Comparison>(
      compareAllocators(model, request, {AllocatorChoice::parse("free-list").value()}, {}));
  REQUIRE_FALSE(failed->rows.front().fits());
  REQUIRE(failed->rows.front().run);
  const auto why = autopsy(failed->rows.front().run->problem, failed->rows.front().run->plan);
  REQUIRE(why);
  window.comparison()->setComparison(failed);
  window.comparison()->table()->goTo(0);
  auto* rows = window.findChild<QToolButton*>(QStringLiteral("compareRow"));
  Q_EMIT rows->menu()->aboutToShow();
  QAction* autopsyAction = rows->menu()->findChild<QAction*>(QStringLiteral("rowAutopsy"));
  REQUIRE(autopsyAction->isEnabled());
  autopsyAction->trigger();
  REQUIRE(
      QTest::qWaitFor([&] { return window.state()->selected() == why->stay; }, test::kPatience));
  CHECK(window.state()->run() == failed->rows.front().run);
  CHECK(window.state()->step() == why->step);
  CHECK(window.findChild<QDockWidget*>(QStringLiteral("problems"))->isVisible());
}
