#include <QSignalSpy>
#include <QTest>
#include <catch2/catch.hpp>
#include <set>

#include "app/gui/studio.h"
#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "tests/widgets/patience.h"
#include "widgets/compare/capacity_panel.h"

using namespace hw;

namespace {

std::shared_ptr<const Run> planned(const std::shared_ptr<const Model>& model,
                                   const char* allocator) {
  RunRequest request;
  request.allocator = AllocatorChoice::parse(allocator).value();
  request.platform = platformCatalog().front();
  return execute(model, request, {}).value();
}

std::shared_ptr<const Model> sampleModel() {
  return std::make_shared<const Model>(openModel("samples:unet", {}).value());
}

}  // namespace

TEST_CASE("the capacity panel says what to do before there is a curve", "[charts][capacity]") {
  ViewState state;
  CapacityPanel panel(&state);
  panel.show();
  CHECK_FALSE(panel.sweepButton()->isEnabled());
  CHECK(panel.sweepButton()->toolTip().contains(QStringLiteral("Open a model")));
  CHECK_FALSE(panel.slider()->isEnabled());
  CHECK_FALSE(panel.planButton()->isEnabled());
  CHECK_FALSE(panel.planButton()->toolTip().isEmpty());
}

TEST_CASE("a sweep draws its curve while it goes, and is kept", "[charts][capacity]") {
  const auto model = sampleModel();
  ViewState state;
  CapacityPanel panel(&state);
  panel.resize(900, 220);
  panel.show();
  const auto run = planned(model, "greedy-by-size");
  state.setRun(run);
  std::set<std::size_t> seen;  // Points come one by one.
  QObject::connect(panel.job(), &Job::progressed, &panel,
                   [&] { seen.insert(panel.chart()->points().size()); });
  QTest::mouseClick(panel.sweepButton(), Qt::LeftButton);
  CHECK(panel.job()->isRunning());
  CHECK(panel.stopButton()->isVisible());
  REQUIRE(QTest::qWaitFor([&] { return !panel.job()->isRunning(); }, test::kPatience));
  CHECK_FALSE(panel.stopButton()->isVisible());
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
  CHECK_FALSE(panel.sweepButton()->isEnabled());

  state.setRun(planned(model, "free-list"));
  CHECK(panel.chart()->points().empty());
  CHECK(panel.sweepButton()->isEnabled());
  state.setRun(planned(model, "greedy-by-size"));  // Known already.
  CHECK(panel.chart()->points().size() == expected.size());
  CHECK_FALSE(panel.sweepButton()->isEnabled());
  state.setRun(planned(sampleModel(), "greedy-by-size"));  // Another model.
  CHECK(panel.chart()->points().empty());
}

TEST_CASE("a stopped sweep can be made again", "[charts][capacity]") {
  ViewState state;
  CapacityPanel panel(&state);
  panel.resize(900, 220);
  panel.show();
  state.setRun(planned(sampleModel(), "greedy-by-size"));
  QObject::connect(panel.job(), &Job::progressed, &panel, [&] {
    if (!panel.chart()->points().empty()) panel.stopButton()->click();
  });
  panel.sweep();
  REQUIRE(QTest::qWaitFor([&] { return !panel.job()->isRunning(); }, test::kPatience));
  CHECK(panel.chart()->points().size() >= 1);
  CHECK(panel.sweepButton()->isEnabled());
}

TEST_CASE("the slider picks a capacity, the button plans with it", "[charts][capacity]") {
  Settings none;
  Studio window(&none);
  window.resize(1280, 800);
  window.show();
  const auto model = sampleModel();
  RunRequest request;
  request.model = "samples:unet";
  const auto run = planned(model, "greedy-by-size");
  request = run->request;
  window.show(request, {.run = run, .violations = {}});
  auto* panel = window.findChild<CapacityPanel*>();
  window.findChild<QAction*>(QStringLiteral("sweepCapacity"))->trigger();
  CHECK(panel->isVisible());
  REQUIRE(QTest::qWaitFor([&] { return !panel->job()->isRunning(); }, test::kPatience));
  // It stands exactly at what is planned with, so that its figures are those of the plan.
  CHECK(panel->capacity() == run->problem.pools[PoolId(0)].capacity);
  const auto& points = panel->chart()->points();
  const auto planned = std::ranges::find(points, panel->capacity(), &CapacityPoint::capacity);
  REQUIRE(planned != points.end());
  CHECK(planned->figures.latency == run->timing.makespan);
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
  QTest::mouseClick(panel->planButton(), Qt::LeftButton);
  REQUIRE(QTest::qWaitFor([&] { return window.state()->run() != run; }, test::kPatience));
  CHECK(window.state()->run()->problem.pools[PoolId(0)].capacity == chosen);
  CHECK(window.state()->run()->plan.footprint(PoolId(0)) <= chosen);
  CHECK(panel->chart()->points().size() > 8);  // The curve is still known.
  // What is marked as planned is the plan, not the nearest capacity that was swept.
  CHECK(panel->capacity() == chosen);
  const auto& now = panel->chart()->points();
  const auto own = std::ranges::find(now, chosen, &CapacityPoint::capacity);
  REQUIRE(own != now.end());
  CHECK(own->figures.latency == window.state()->run()->timing.makespan);
  CHECK(own->figures.spilled == figuresOf(*window.state()->run()).spilled);
}
