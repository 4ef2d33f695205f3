// The front in the studio, and peak against latency beside a comparison: dots that open plans.

#include <QMenu>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <catch2/catch.hpp>
#include <set>

#include "app/gui/studio.h"
#include "core/import/samples.h"
#include "core/insight/moment.h"
#include "core/machine/platforms.h"
#include "core/plan/fragmentation_curve.h"
#include "core/report/compare/compare_report.h"
#include "tests/gui/native_support.h"
#include "tests/widgets/patience.h"
#include "tests/widgets/support.h"
#include "widgets/compare/capacity_panel.h"
#include "widgets/compare/compare_charts.h"
#include "widgets/compare/fragmentation_panel.h"
#include "widgets/compare/front_panel.h"

using namespace hw::test;
using namespace hw;

namespace {

std::shared_ptr<const Model> comparedModel() { return test::sampleModel("mobilenet_v2"); }

std::shared_ptr<const Comparison> compared(const std::shared_ptr<const Model>& model,
                                           const std::vector<const char*>& names) {
  std::vector<AllocatorChoice> choices;
  for (const char* name : names) choices.push_back(AllocatorChoice::parse(name).value());
  RunRequest request = requestBy("none");
  request.l2 = {.kind = PoolSize::Kind::unbounded};
  return std::make_shared<const Comparison>(compareAllocators(model, request, choices, {}));
}

void settle() { QTest::qWait(30); }

std::shared_ptr<const Run> plannedBy(const std::shared_ptr<const Model>& model,
                                     const char* allocator) {
  return execute(model, requestBy(allocator), {}).value();
}

std::shared_ptr<const Model> unet() { return test::sampleModel("unet"); }

std::shared_ptr<const Model> frontModel() { return test::sampleModel("squeezenet"); }

RunRequest frontRequest(const char* platform = "ethos-u85-512") {
  RunRequest request = defaultRequest();
  request.model = "samples:squeezenet";
  request.platform = openPlatform(platform).value();
  request.weights = {.rule = WeightRule::prefetch};
  return request;
}

FrontOptions quickFront(std::size_t points) {
  return {.points = points, .nodes = 200, .choices = parseAllocators("best,in-order,none").value()};
}

bool ends(FrontPanel& panel) {
  return test::comes([&] { return !panel.job()->isRunning(); });
}

}  // namespace

TEST_CASE("bars are as long as their figures, and lines as far as the bounds",
          "[charts][compare]") {
  CompareModel model;
  CompareCharts charts(&model);
  charts.resize(700, 220);
  charts.show();
  CHECK_FALSE(charts.emptyText().isEmpty());
  CHECK_FALSE(charts.figureBox()->isEnabled());
  model.setComparison(compared(comparedModel(), {"none", "greedy-by-size", "in-order"}));
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
  test::Opened window({}, {1280, 800});
  const auto model = comparedModel();
  RunRequest request = requestBy("greedy-by-size");
  request.model = "samples:mobilenet_v2";
  window.show(request, {.run = execute(model, request, {}).value(), .violations = {}});
  window.comparison()->setComparison(compared(model, {"none", "greedy-by-size", "in-order"}));
  test::part<QAction>(window, "compareBars")->trigger();
  settle();
  // In the panel of the comparison, beside its table.
  CompareCharts* charts = window.comparison()->charts();
  REQUIRE(charts->isVisible());
  REQUIRE(window.comparison()->table()->isVisible());
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
  REQUIRE(test::comes([&] { return !chart.isBusy() && !chart.points(0).isEmpty(); }));
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
  const auto model = comparedModel();
  ViewState state;
  CompareModel table;
  FragmentationPanel panel(&state, &table);
  panel.resize(900, 200);
  panel.show();
  CHECK(panel.chart()->entries().empty());
  const auto a = plannedBy(model, "greedy-by-size");
  const auto b = plannedBy(model, "in-order");
  state.setRun(a);
  panel.setBelow({b});
  REQUIRE(panel.chart()->entries().size() == 2);
  CHECK(panel.chart()->entries()[1].name.startsWith(QStringLiteral("B: in-order")));
  table.setComparison(compared(model, {"none", "in-order", "two-sided"}));
  table.setShown(a, {b});
  part<QComboBox>(panel, "fragmentationRuns")->setCurrentIndex(1);
  CHECK(panel.chart()->entries().size() == 4);  // A is in no row of it.
  REQUIRE(test::comes([&] { return !panel.chart()->points(3).isEmpty(); }));
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
  const auto model = comparedModel();
  RunRequest request = requestBy("greedy-by-size");
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
  test::Opened window({}, {1280, 800});
  const auto model = comparedModel();
  RunRequest request = requestBy("greedy-by-size");
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
  auto* rows = test::part<QToolButton>(window, "compareRow");
  Q_EMIT rows->menu()->aboutToShow();
  QAction* autopsyAction = rows->menu()->findChild<QAction*>(QStringLiteral("rowAutopsy"));
  REQUIRE(autopsyAction->isEnabled());
  autopsyAction->trigger();
  REQUIRE(test::comes([&] { return window.state()->selected() == why->stay; }));
  CHECK(window.state()->run() == failed->rows.front().run);
  CHECK(window.state()->step() == why->step);
  CHECK(window.places()->isShown(QStringLiteral("problems")));
}

TEST_CASE("the capacity panel says what to do before there is a curve", "[charts][capacity]") {
  ViewState state;
  CapacityPanel panel(&state);
  panel.show();
  CHECK_FALSE(test::button(panel, "start")->isEnabled());
  CHECK(test::button(panel, "start")->toolTip().contains(QStringLiteral("Open a model")));
  CHECK_FALSE(panel.slider()->isEnabled());
  CHECK_FALSE(test::button(panel, "capacityPlan")->isEnabled());
  CHECK_FALSE(test::button(panel, "capacityPlan")->toolTip().isEmpty());
}

TEST_CASE("a sweep draws its curve while it goes, and is kept", "[charts][capacity]") {
  const auto model = unet();
  ViewState state;
  CapacityPanel panel(&state);
  panel.resize(900, 220);
  panel.show();
  const auto run = plannedBy(model, "greedy-by-size");
  state.setRun(run);
  std::set<std::size_t> seen;  // Points come one by one.
  QObject::connect(panel.job(), &Job::progressed, &panel,
                   [&] { seen.insert(panel.chart()->points().size()); });
  QTest::mouseClick(test::button(panel, "start"), Qt::LeftButton);
  CHECK(panel.job()->isRunning());
  CHECK(test::button(panel, "stop")->isVisible());
  REQUIRE(test::comes([&] { return !panel.job()->isRunning(); }));
  CHECK_FALSE(test::button(panel, "stop")->isVisible());
  REQUIRE(panel.chart()->points().size() > 8);
  CHECK(seen.size() > 4);
  const auto expected =
      sweepCapacities(model, run->request, {.points = panel.chart()->points().size()}, {}).value();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(panel.chart()->points()[i].capacity == expected[i].capacity);
    CHECK(panel.chart()->points()[i].farTraffic == expected[i].farTraffic);
  }
  // Stairs that hold each value until the next capacity that was tried.
  const auto curve = panel.chart()->curve();
  for (qsizetype i = 1; i < curve.size(); ++i) {
    CHECK((curve[i].x() == curve[i - 1].x() || curve[i].y() == curve[i - 1].y()));
  }
  CHECK_FALSE(test::button(panel, "start")->isEnabled());

  state.setRun(plannedBy(model, "free-list"));
  CHECK(panel.chart()->points().empty());
  CHECK(test::button(panel, "start")->isEnabled());
  state.setRun(plannedBy(model, "greedy-by-size"));  // Known already.
  CHECK(panel.chart()->points().size() == expected.size());
  CHECK_FALSE(test::button(panel, "start")->isEnabled());
  state.setRun(plannedBy(comparedModel(), "greedy-by-size"));  // Another model.
  CHECK(panel.chart()->points().empty());
}

TEST_CASE("a stopped sweep can be made again", "[charts][capacity]") {
  ViewState state;
  CapacityPanel panel(&state);
  panel.resize(900, 220);
  panel.show();
  state.setRun(plannedBy(unet(), "greedy-by-size"));
  QObject::connect(panel.job(), &Job::progressed, &panel, [&] {
    if (!panel.chart()->points().empty()) test::button(panel, "stop")->click();
  });
  panel.start();
  REQUIRE(test::comes([&] { return !panel.job()->isRunning(); }));
  CHECK(panel.chart()->points().size() >= 1);
  CHECK(test::button(panel, "start")->isEnabled());
}

TEST_CASE("the slider picks a capacity, the button plans with it", "[charts][capacity]") {
  test::Opened window({}, {1280, 800});
  const auto model = unet();
  const auto run = plannedBy(model, "greedy-by-size");
  window.show(run->request, {.run = run, .violations = {}});
  auto* panel = window.findChild<CapacityPanel*>();
  test::part<QAction>(window, "sweepCapacity")->trigger();
  CHECK(panel->isVisible());
  REQUIRE(test::comes([&] { return !panel->job()->isRunning(); }));
  // It stands exactly at what is plannedBy with, so that its figures are those of the plan.
  CHECK(panel->capacity() == run->problem.pools[PoolId(0)].capacity);
  const auto& points = panel->chart()->points();
  const auto plannedBy = std::ranges::find(points, panel->capacity(), &CapacityPoint::capacity);
  REQUIRE(plannedBy != points.end());
  CHECK(plannedBy->figures.latency == run->timing.makespan);
  const QRect plot = panel->chart()->plotRect();
  QTest::mouseClick(panel->chart()->viewport(), Qt::LeftButton, {}, plot.center());
  const Bytes half = panel->capacity();
  const auto most = static_cast<double>(panel->chart()->most().count());
  CHECK(static_cast<double>(half.count()) == Approx(most / 2).epsilon(0.02));
  CHECK(panel->note().startsWith(QStringLiteral("L2 of ")));
  panel->slider()->setFocus();
  QTest::keyClick(panel->slider(), Qt::Key_Left);
  const Bytes chosen = panel->capacity();
  CHECK(chosen < half);
  QTest::mouseClick(test::button(*panel, "capacityPlan"), Qt::LeftButton);
  REQUIRE(test::comes([&] { return window.state()->run() != run; }));
  CHECK(window.state()->run()->problem.pools[PoolId(0)].capacity == chosen);
  CHECK(window.state()->run()->plan.footprint(PoolId(0)) <= chosen);
  CHECK(panel->chart()->points().size() > 8);  // The curve is still known.
  // The mark "as planned" is the plan, not the nearest capacity that was swept.
  CHECK(panel->capacity() == chosen);
  const auto& now = panel->chart()->points();
  const auto own = std::ranges::find(now, chosen, &CapacityPoint::capacity);
  REQUIRE(own != now.end());
  CHECK(own->figures.latency == window.state()->run()->timing.makespan);
  CHECK(own->figures.spilled == figuresOf(*window.state()->run()).spilled);
}

TEST_CASE("the front panel says what to do before there is a front", "[charts][front]") {
  ViewState state;
  FrontPanel panel(&state);
  panel.resize(800, 300);
  panel.show();
  CHECK_FALSE(test::button(panel, "start")->isEnabled());
  CHECK(test::button(panel, "start")->toolTip().contains(QStringLiteral("Open a model")));
  CHECK(panel.chart()->emptyText().startsWith(QStringLiteral("Open a model")));
  CHECK(panel.chart()->ids().empty());
  state.setRun(sampleRun("squeezenet", frontRequest()));
  CHECK(test::button(panel, "start")->isEnabled());
  CHECK(panel.chart()->emptyText().startsWith(QStringLiteral("Press Draw")));
}

TEST_CASE("a front without an answer says why", "[charts][front]") {
  ViewState state;
  FrontPanel panel(&state);
  panel.show();
  state.setRun(sampleRun("squeezenet", frontRequest("a100")));
  REQUIRE(state.run()->timing.activities.sequential());
  panel.setOptions(quickFront(1));
  panel.start();
  REQUIRE(ends(panel));
  CHECK(panel.front() == nullptr);
  CHECK(panel.chart()->emptyText().contains(QStringLiteral("one thing follows the other")));
  CHECK(test::button(panel, "start")->isEnabled());
}

TEST_CASE("a front is drawn while it grows, and a click on a dot opens its plan",
          "[charts][front]") {
  test::Opened window({}, {1400, 900});
  const auto run = sampleRun("squeezenet", frontRequest());
  window.show(run->request, {.run = run, .violations = {}});
  FrontPanel& panel = *window.front();
  panel.setOptions(quickFront(3));
  std::size_t seen = 0;  // Points come one by one.
  QObject::connect(panel.job(), &Job::progressed, &panel, [&] {
    if (panel.front()) seen = std::max(seen, panel.front()->found.size());
  });
  action(window, "front")->trigger();
  REQUIRE(panel.isVisible());
  CHECK(panel.job()->isRunning());
  CHECK(test::button(panel, "stop")->isVisible());
  REQUIRE(ends(panel));
  CHECK_FALSE(test::button(panel, "stop")->isVisible());
  REQUIRE(panel.front());
  const auto front = panel.front();
  CHECK(seen >= 1);
  REQUIRE(front->found.size() >= 2);
  REQUIRE(front->allocators.size() == 3);
  CHECK_FALSE(test::button(panel, "start")->isEnabled());  // It is complete.
  CHECK(panel.chart()->ids().size() == front->found.size() + 3);

  const auto clickOn = [&](std::size_t id) {
    const auto before = window.state()->run();
    const QRectF dot = panel.chart()->dotRect(static_cast<int>(id));
    REQUIRE_FALSE(dot.isEmpty());
    QTest::mouseClick(panel.chart(), Qt::LeftButton, {}, dot.center().toPoint());
    REQUIRE(test::comes([&] { return window.state()->run() != before; }));
    return window.state()->run();
  };
  // The last of the search lies by itself: as little latency as there is.
  const std::size_t last = front->found.size() - 1;
  const auto fast = clickOn(last);
  CHECK(fast->timing.makespan == front->found[last].latency);
  CHECK(fast->plan.footprint(PoolId(0)) == front->found[last].peak);
  CHECK(fast->problem.pools[PoolId(0)].capacity == front->found[last].capacity);
  CHECK(window.request().allocator.text() == "best:for=latency");
  CHECK(panel.front() == front);
  CHECK(panel.chart()->marked() == static_cast<int>(last));
  const auto wide = clickOn(front->found.size() + 2);
  CHECK(wide == front->allocators[2].run);
  CHECK(wide->request.allocator.text() == "none");
  CHECK(panel.chart()->marked() == static_cast<int>(front->found.size()) + 2);

  // Keys go from dot to dot, and Enter opens.
  panel.chart()->setFocus();
  QTest::mouseMove(panel.chart(), QPoint(2, 2));
  QTest::keyClick(panel.chart(), Qt::Key_Right);
  CHECK(panel.chart()->current() == panel.chart()->ids().front());
  QTest::keyClick(panel.chart(), Qt::Key_Left);
  CHECK(panel.chart()->current() == panel.chart()->ids().front());
  QTest::keyClick(panel.chart(), Qt::Key_Return);
  REQUIRE(test::comes([&] { return window.state()->run() != wide; }));

  // Another model: what was known says nothing about it.
  openAndWait(window, QStringLiteral("samples:chain"));
  CHECK(panel.front() == nullptr);
  CHECK(panel.chart()->ids().empty());
}

TEST_CASE("a front that is stopped keeps what it has, and can be drawn again", "[charts][front]") {
  ViewState state;
  FrontPanel panel(&state);
  panel.resize(800, 300);
  panel.show();
  state.setRun(sampleRun("squeezenet", frontRequest()));
  FrontOptions options = quickFront(12);
  options.nodes = 20'000;
  panel.setOptions(options);
  QObject::connect(panel.job(), &Job::progressed, &panel, [&] {
    if (panel.front() && !panel.front()->found.empty()) test::button(panel, "stop")->click();
  });
  panel.start();
  REQUIRE(ends(panel));
  REQUIRE(panel.front());
  CHECK_FALSE(panel.front()->found.empty());
  CHECK(panel.front()->found.size() < 12);
  CHECK(test::button(panel, "start")->isEnabled());
  CHECK(panel.note().contains(QStringLiteral("stopped")));
}

TEST_CASE("a dot of peak against latency opens its row", "[charts][compare][front]") {
  test::Opened window({}, {1400, 900});
  const auto model = frontModel();
  const auto run = execute(model, frontRequest(), {}).value();
  window.show(run->request, {.run = run, .violations = {}});
  action(window, "compareBars")->trigger();
  ComparePanel& compare = *window.comparison();
  compare.setComparison(std::make_shared<const Comparison>(compareAllocators(
      model, run->request, parseAllocators("best,in-order,two-sided,none").value(), {})));
  CompareCharts& charts = *compare.charts();
  charts.figureBox()->setCurrentIndex(charts.figureBox()->count() - 1);
  REQUIRE(charts.dots()->isVisible());
  CHECK_FALSE(charts.chart()->isVisible());
  const ParetoScene scene = paretoScene(*compare.comparison());
  REQUIRE(scene.points.size() == 4);
  for (const int id : charts.dots()->ids()) {
    CAPTURE(id);
    const int row = static_cast<int>(scene.points[static_cast<std::size_t>(id)].row);
    Q_EMIT charts.dots()->picked(id);
    const auto wanted = compare.model()->row(row)->run;
    REQUIRE(test::comes([&] { return charts.dots()->marked() == id; }));
    CHECK(window.state()->run()->timing.makespan == wanted->timing.makespan);
    CHECK(window.state()->run()->plan.footprint(PoolId(0)) == wanted->plan.footprint(PoolId(0)));
    CHECK(compare.table()->currentRow() == row);
  }
  charts.figureBox()->setCurrentIndex(0);
  CHECK(charts.chart()->isVisible());
  CHECK_FALSE(charts.dots()->isVisible());
}
