// The front in the studio, and peak against latency beside a comparison: dots that open plans.
#include <QDockWidget>
#include <QSignalSpy>
#include <QTest>
#include <catch2/catch.hpp>

#include "app/gui/studio.h"
#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "core/report/compare/compare_report.h"
#include "tests/gui/native_support.h"
#include "tests/widgets/patience.h"
#include "widgets/compare/front_panel.h"

using namespace hw;
using namespace hw::test;

namespace {

std::shared_ptr<const Model> frontModel() {
  return std::make_shared<const Model>(openModel("samples:squeezenet", {}).value());
}

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
  return QTest::qWaitFor([&] { return !panel.job()->isRunning(); }, test::kPatience);
}

}  // namespace

TEST_CASE("the front panel says what to do before there is a front", "[charts][front]") {
  ViewState state;
  FrontPanel panel(&state);
  panel.resize(800, 300);
  panel.show();
  CHECK_FALSE(panel.startButton()->isEnabled());
  CHECK(panel.startButton()->toolTip().contains(QStringLiteral("Open a model")));
  CHECK(panel.chart()->emptyText().startsWith(QStringLiteral("Open a model")));
  CHECK(panel.chart()->ids().empty());
  state.setRun(execute(frontModel(), frontRequest(), {}).value());
  CHECK(panel.startButton()->isEnabled());
  CHECK(panel.chart()->emptyText().startsWith(QStringLiteral("Press Draw")));
}

TEST_CASE("a front without an answer says why", "[charts][front]") {
  ViewState state;
  FrontPanel panel(&state);
  panel.show();
  state.setRun(execute(frontModel(), frontRequest("a100"), {}).value());
  REQUIRE(state.run()->timing.activities.sequential());
  panel.setOptions(quickFront(1));
  panel.start();
  REQUIRE(ends(panel));
  CHECK(panel.front() == nullptr);
  CHECK(panel.chart()->emptyText().contains(QStringLiteral("one thing follows the other")));
  CHECK(panel.startButton()->isEnabled());
}

TEST_CASE("a front is drawn while it grows, and a click on a dot opens its plan",
          "[charts][front]") {
  Settings none;
  Studio window(&none);
  window.resize(1400, 900);
  window.show();
  const auto run = execute(frontModel(), frontRequest(), {}).value();
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
  CHECK(panel.stopButton()->isVisible());
  REQUIRE(ends(panel));
  CHECK_FALSE(panel.stopButton()->isVisible());
  REQUIRE(panel.front());
  const auto front = panel.front();
  CHECK(seen >= 1);
  REQUIRE(front->found.size() >= 2);
  REQUIRE(front->allocators.size() == 3);
  CHECK_FALSE(panel.startButton()->isEnabled());  // It is complete.
  CHECK(panel.chart()->ids().size() == front->found.size() + 3);

  const auto clickOn = [&](const std::string& id) {
    const auto before = window.state()->run();
    const QRectF dot = panel.chart()->dotRect(id);
    REQUIRE_FALSE(dot.isEmpty());
    QTest::mouseClick(panel.chart(), Qt::LeftButton, {}, dot.center().toPoint());
    REQUIRE(QTest::qWaitFor([&] { return window.state()->run() != before; }, test::kPatience));
    return window.state()->run();
  };
  // The last of the search lies by itself: as little latency as there is.
  const std::size_t last = front->found.size() - 1;
  const auto fast = clickOn("found-" + std::to_string(last));
  CHECK(fast->timing.makespan == front->found[last].latency);
  CHECK(fast->plan.footprint(PoolId(0)) == front->found[last].peak);
  CHECK(fast->problem.pools[PoolId(0)].capacity == front->found[last].capacity);
  CHECK(window.request().allocator.text() == "best:for=latency");
  CHECK(panel.front() == front);
  CHECK(panel.chart()->marked() == "found-" + std::to_string(last));
  const auto wide = clickOn("other-2");
  CHECK(wide == front->allocators[2].run);
  CHECK(wide->request.allocator.text() == "none");
  CHECK(panel.chart()->marked() == "other-2");

  // Keys go from dot to dot, and Enter opens.
  panel.chart()->setFocus();
  QTest::mouseMove(panel.chart(), QPoint(2, 2));
  QTest::keyClick(panel.chart(), Qt::Key_Right);
  CHECK(panel.chart()->current() == panel.chart()->ids().front());
  QTest::keyClick(panel.chart(), Qt::Key_Left);
  CHECK(panel.chart()->current() == panel.chart()->ids().front());
  QTest::keyClick(panel.chart(), Qt::Key_Return);
  REQUIRE(QTest::qWaitFor([&] { return window.state()->run() != wide; }, test::kPatience));

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
  state.setRun(execute(frontModel(), frontRequest(), {}).value());
  FrontOptions options = quickFront(12);
  options.nodes = 20'000;
  panel.setOptions(options);
  QObject::connect(panel.job(), &Job::progressed, &panel, [&] {
    if (panel.front() && !panel.front()->found.empty()) panel.stopButton()->click();
  });
  panel.start();
  REQUIRE(ends(panel));
  REQUIRE(panel.front());
  CHECK_FALSE(panel.front()->found.empty());
  CHECK(panel.front()->found.size() < 12);
  CHECK(panel.startButton()->isEnabled());
  CHECK(panel.note().contains(QStringLiteral("stopped")));
}

TEST_CASE("a dot of peak against latency opens its row", "[charts][compare][front]") {
  Settings none;
  Studio window(&none);
  window.resize(1400, 900);
  window.show();
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
  for (const std::string& id : charts.dots()->ids()) {
    CAPTURE(id);
    const int row = std::stoi(id.substr(5));
    Q_EMIT charts.dots()->picked(QString::fromStdString(id));
    const auto wanted = compare.model()->row(row)->run;
    REQUIRE(QTest::qWaitFor([&] { return charts.dots()->marked() == id; }, test::kPatience));
    CHECK(window.state()->run()->timing.makespan == wanted->timing.makespan);
    CHECK(window.state()->run()->plan.footprint(PoolId(0)) == wanted->plan.footprint(PoolId(0)));
    CHECK(compare.table()->currentRow() == row);
  }
  charts.figureBox()->setCurrentIndex(0);
  CHECK(charts.chart()->isVisible());
  CHECK_FALSE(charts.dots()->isVisible());
}
