// The Shrink panel: a front to click, steps with what they save, and why there are none.
#include "widgets/explain/shrink_panel.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <catch2/catch.hpp>

#include "app/gui/studio.h"
#include "core/import/samples.h"
#include "core/report/explain/front_report.h"
#include "core/run/options.h"
#include "tests/gui/native_support.h"
#include "tests/widgets/patience.h"

using namespace hw;
using namespace hw::test;

namespace {

bool shrinkEnds(ShrinkPanel& panel) {
  return QTest::qWaitFor([&] { return !panel.job()->isRunning(); }, test::kPatience);
}

std::shared_ptr<const Run> shrinkRunOf(const std::string& sample,
                                       RunRequest request = defaultRequest()) {
  request.model = sample;
  const auto model = std::make_shared<const Model>(openModel(sample, {}).value());
  return execute(model, request, {}).value();
}

ShrinkOptions quickShrink() {
  ShrinkOptions options;
  options.sizes = 2;
  options.extraMacs = 0;
  return options;
}

const ShrinkStep* shrinkStepCalled(const ShrinkPanel& panel, const char* what) {
  const auto found = std::ranges::find(panel.steps(), QString::fromLatin1(what), &ShrinkStep::what);
  return found == panel.steps().end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("a model that cannot shrink says so, and why, step by step", "[shrink]") {
  ViewState state;
  ShrinkPanel panel(&state);
  panel.resize(900, 300);
  panel.show();
  CHECK(panel.chart()->emptyText().startsWith(QStringLiteral("Open a model")));
  state.setRun(shrinkRunOf("samples:chain"));
  CHECK(panel.chart()->emptyText().startsWith(QStringLiteral("Press Shrink")));
  panel.look();
  REQUIRE(shrinkEnds(panel));
  REQUIRE(panel.findings().front);
  CHECK_FALSE(panel.findings().front->shrinks());
  CHECK(panel.note().contains(QStringLiteral("nothing is smaller")));
  CHECK(panel.chart()->ids().size() >= 1);  // The plan as it is.
  for (const ShrinkStep& step : panel.steps()) {
    CAPTURE(step.what.toStdString());
    if (step.what.startsWith(QStringLiteral("as it is"))) continue;
    CHECK((step.saved > Bytes() || !step.why.isEmpty()));
  }
  CHECK_FALSE(panel.startButton()->isEnabled());
  CHECK(panel.startButton()->toolTip().contains(QStringLiteral("All is found")));
}

TEST_CASE("a planning problem has no operators to rewrite, but may have a better method",
          "[shrink]") {
  ViewState state;
  ShrinkPanel panel(&state);
  panel.resize(900, 300);
  panel.show();
  const QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("rectangles.csv"));
  QFile file(path);
  REQUIRE(file.open(QIODevice::WriteOnly));
  file.write("id,lower,upper,size\na,0,2,16\nb,1,3,8\nc,2,4,16\n");
  file.close();
  RunRequest request = defaultRequest();
  request.allocator = AllocatorChoice::parse("none").value();
  state.setRun(shrinkRunOf(path.toStdString(), request));
  panel.look();
  REQUIRE(shrinkEnds(panel));
  CHECK_FALSE(panel.findings().front);
  CHECK(panel.chart()->emptyText().contains(QStringLiteral("no operators")));
  REQUIRE(panel.findings().advice);
  REQUIRE_FALSE(panel.steps().empty());
  CHECK(panel.steps().back().leaves == Bytes(24));
}

TEST_CASE("the front grows, bounds stand beside it, and a click opens a plan above the first",
          "[shrink]") {
  Settings none;
  Studio window(&none);
  window.resize(1500, 950);
  window.show();
  openAndWait(window, QStringLiteral("samples:mobilenet_v2_int8"));
  ShrinkPanel& panel = *window.shrink();
  panel.setOptions(quickShrink());
  const auto first = window.state()->run();
  std::size_t grew = 0;
  QObject::connect(panel.job(), &Job::progressed, &panel, [&] {
    if (panel.findings().front) grew = std::max(grew, panel.findings().front->points.size());
  });
  action(window, "shrink")->trigger();
  CHECK(panel.isVisible());
  CHECK(panel.stopButton()->isVisible());
  REQUIRE(shrinkEnds(panel));
  CHECK(grew >= 1);
  REQUIRE(panel.findings().front);
  const ShrinkFront& front = *panel.findings().front;
  REQUIRE(front.points.size() >= 2);
  // The plan as it is stands beside the front, unless nothing that is smaller is as fast.
  const auto plain = std::ranges::find(front.points, front.plain.run, &ShrinkPoint::run);
  const std::string asItIs = plain == front.points.end()
                                 ? "other-0"
                                 : "found-" + std::to_string(plain - front.points.begin());
  CHECK(panel.chart()->marked() == asItIs);
  // Every rewrite has a row with its bound, and every plan of the front has one.
  for (const ShrinkTrial& trial : front.trials) {
    const ShrinkStep* step = shrinkStepCalled(panel, shrinkStepText(trial).c_str());
    REQUIRE(step);
    CHECK(step->bound == trial.bound);
    CHECK((step->run != nullptr) == trial.peak.has_value());
    if (trial.peak) CHECK(step->saved == front.plain.peak - *trial.peak);
  }
  for (const ShrinkPoint& point : front.points) {
    CHECK(std::ranges::count(panel.steps(), point.run, &ShrinkStep::run) == 1);
  }
  const auto tried = [](const ShrinkStep& step) { return step.run != nullptr; };
  CHECK(std::ranges::is_partitioned(panel.steps(), tried));
  CHECK(front.points.front().peak ==
        std::ranges::find_if(panel.steps().rbegin(), panel.steps().rend(), tried)->leaves);

  const QRectF dot = panel.chart()->dotRect("found-0");
  REQUIRE_FALSE(dot.isEmpty());
  QTest::mouseClick(panel.chart(), Qt::LeftButton, {}, dot.center().toPoint());
  REQUIRE(QTest::qWaitFor([&] { return window.state()->run() != first; }, test::kPatience));
  settle(window);
  const auto shrunk = window.state()->run();
  CHECK(footprintOf(*shrunk) == front.points.front().peak);
  CHECK(sameBut(window.request(), first->request,
                {"alias", "tile", "order", "tile-to", "extra-work"}));
  CHECK(panel.chart()->marked() == "found-0");
  CHECK_FALSE(panel.openButton()->isEnabled());
  CHECK(window.belowState()->run() == first);
  CHECK(panel.findings().front);  // It is about this model still.
  // Both go through the run together.
  window.state()->goToPeak();
  const std::string now =
      displayName(shrunk->graph(), shrunk->schedule.opAt(window.state()->step()));
  const std::string before =
      displayName(first->graph(), first->schedule.opAt(window.belowState()->step()));
  CHECK(now.substr(0, now.find('[')) == before);

  // Keys go from dot to dot, Enter opens; Undo takes it back.
  panel.chart()->setFocus();
  QTest::keyClick(panel.chart(), Qt::Key_Right);
  CHECK_FALSE(panel.chart()->current().empty());
  action(window, "undo")->trigger();
  settle(window);
  CHECK(footprintOf(*window.state()->run()) == footprintOf(*first));
  CHECK(panel.chart()->marked() == asItIs);
  openAndWait(window, QStringLiteral("samples:chain"));
  CHECK_FALSE(panel.findings().front);
  CHECK(panel.steps().empty());
}
