// Edits of the scenario with undo and redo, and advice that becomes one.
#include <QDockWidget>
#include <QPushButton>
#include <QUndoView>

#include "app/gui/features/scenario/scenario_history.h"
#include "tests/gui/native_support.h"
#include "tests/widgets/patience.h"
#include "widgets/explain/shrink_panel.h"
#include "widgets/text/run_text.h"

using namespace hw;
using test::action;
using test::openAndWait;
using test::settle;

namespace {

const QString kSample = QStringLiteral("samples:inception");

QString allocatorOf(Studio& window) {
  return QString::fromStdString(window.state()->run()->request.allocator.text());
}

void plan(Studio& window, const char* allocator) {
  RunRequest request = window.request();
  request.allocator = *AllocatorChoice::parse(allocator);
  window.planWith(request);
  settle(window);
}

}  // namespace

TEST_CASE("an edit of the scenario is taken back and made again", "[native]") {
  Settings none;
  Studio window(&none);
  window.show();
  openAndWait(window, kSample);
  auto* history = window.findChild<ScenarioHistory*>();
  REQUIRE(history);
  CHECK_FALSE(action(window, "undo")->isEnabled());
  plan(window, "greedy-by-size");
  plan(window, "free-list:pick=best");
  REQUIRE(history->stack()->count() == 2);
  CHECK(history->stack()->text(0).contains(QStringLiteral("greedy-by-size")));

  QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier);
  settle(window);
  CHECK(allocatorOf(window) == QStringLiteral("greedy-by-size"));
  CHECK(history->stack()->index() == 1);
  CHECK(window.runForm()->allocatorBox()->currentText() == QStringLiteral("greedy-by-size"));
  QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
  settle(window);
  CHECK(allocatorOf(window) == QStringLiteral("free-list:pick=best"));
  CHECK(history->stack()->count() == 2);

  SECTION("the list goes back to any of them") {
    action(window, "showHistory")->trigger();
    auto* view = window.findChild<QUndoView*>(QStringLiteral("historyList"));
    REQUIRE(view);
    CHECK(view->model()->rowCount() == 3);
    view->setCurrentIndex(view->model()->index(0, 0));
    settle(window);
    CHECK(history->stack()->index() == 0);
    CHECK(allocatorOf(window) == QStringLiteral("best"));
  }
  SECTION("another edit forgets what was taken back") {
    action(window, "undo")->trigger();
    settle(window);
    plan(window, "none");
    CHECK(history->stack()->count() == 2);
    CHECK_FALSE(action(window, "redo")->isEnabled());
  }
  SECTION("another model begins anew") {
    openAndWait(window, QStringLiteral("samples:chain"));
    CHECK(history->stack()->count() == 0);
  }
}

TEST_CASE("an edit that is cancelled on the way back leaves the history where it was", "[native]") {
  Settings none;
  Studio window(&none);
  openAndWait(window, kSample);
  plan(window, "none");
  auto* stack = window.findChild<ScenarioHistory*>()->stack();
  stack->undo();
  CHECK(stack->index() == 0);
  window.job()->stop();
  CHECK(stack->index() == 1);
  settle(window);
  CHECK(allocatorOf(window) == QStringLiteral("none"));
}

TEST_CASE("a step that shrinks is looked for, opened above the plan of before, and taken back",
          "[native][shrink]") {
  Settings none;
  Studio window(&none);
  window.resize(1600, 960);
  window.show();
  auto* panel = window.shrink();
  CHECK_FALSE(panel->startButton()->isEnabled());
  CHECK(panel->chart()->emptyText().contains(QStringLiteral("Open a model")));
  openAndWait(window, kSample);
  plan(window, "none");
  CHECK(panel->chart()->emptyText().contains(QStringLiteral("Press Shrink")));
  CHECK_FALSE(panel->openButton()->isEnabled());
  const auto first = window.state()->run();
  const Bytes before = footprintOf(*first);

  QTest::keyClick(&window, Qt::Key_E, Qt::ControlModifier);
  CHECK(panel->job()->isRunning());
  REQUIRE(QTest::qWaitFor([&] { return !panel->job()->isRunning(); }, test::kPatience));
  REQUIRE(panel->table()->rowCount() > 0);
  CHECK(panel->chart()->emptyText().isEmpty());
  CHECK(window.findChild<QDockWidget*>(QStringLiteral("shrink"))->isVisible());
  // Another method is among what helps, and the last row that was tried is the smallest.
  const auto& steps = panel->steps();
  const auto method = std::ranges::find_if(steps, [](const ShrinkStep& step) {
    return step.what.startsWith(QStringLiteral("plan with"));
  });
  REQUIRE(method != steps.end());
  CHECK(method->saved > Bytes());
  panel->table()->selectRow(static_cast<int>(method - steps.begin()));
  const Bytes promised = method->leaves;
  const QString what = method->what;
  CHECK(panel->openButton()->isEnabled());
  QTest::mouseClick(panel->belowButton(), Qt::LeftButton);
  REQUIRE(window.belowState()->run());
  CHECK(footprintOf(*window.belowState()->run()) == promised);
  action(window, "closeBelow")->trigger();

  QTest::mouseClick(panel->openButton(), Qt::LeftButton);
  settle(window);
  CHECK(footprintOf(*window.state()->run()) == promised);
  CHECK(promised < before);
  REQUIRE(window.belowState()->run());
  CHECK(window.belowState()->run() == first);
  auto* stack = window.findChild<ScenarioHistory*>()->stack();
  CHECK(stack->undoText() == what);
  // A bar says what came of it, with the ways on.
  CHECK(window.messages()->isVisible());
  CHECK(window.messages()->text().startsWith(
      QStringLiteral("%1 \u2192 %2, latency ")
          .arg(sizeText(before), sizeText(footprintOf(*window.state()->run())))));
  const auto press = [&](const QString& text) {
    for (auto* button : window.messages()->findChildren<QPushButton*>()) {
      if (button->isVisible() && button->text() == text) return button->click();
    }
    FAIL("no such button");
  };
  press(QStringLiteral("Close below"));
  CHECK_FALSE(window.belowState()->run());
  CHECK_FALSE(window.messages()->isVisible());
  action(window, "undo")->trigger();
  settle(window);
  CHECK(footprintOf(*window.state()->run()) == before);
  CHECK(panel->table()->rowCount() > 0);  // It was about this plan.
}

TEST_CASE("what a step set belongs to its model, and what somebody chose to the next one, too",
          "[native][shrink]") {
  Settings none;
  Studio window(&none);
  const QString other = QStringLiteral("samples:resnet8");
  openAndWait(window, kSample);
  const RunRequest plain = window.request();
  RunRequest step = plain;
  step.tile = TileRule::lines;
  step.alias = AliasRules::all();
  window.keepToModel(plain, step);
  window.planWith(step);
  settle(window);
  REQUIRE(window.state()->run()->request.tile == TileRule::lines);
  RunRequest chosen = step;
  chosen.order = OpOrder::leastPeak;
  window.planWith(chosen);
  settle(window);
  openAndWait(window, other);
  CHECK(window.request().tile == TileRule::off);
  CHECK(textsOf(window.request())["alias"] == textsOf(plain)["alias"]);
  CHECK(window.request().order == OpOrder::leastPeak);
  CHECK_FALSE(window.state()->run()->rewritten);

  // Two steps, and between them somebody chose another way to cut.
  const RunRequest now = window.request();
  RunRequest first = now;
  first.tile = TileRule::lines;
  first.alias = AliasRules::all();
  window.keepToModel(now, first);
  RunRequest between = first;
  between.tile = TileRule::patches;
  RunRequest second = between;
  second.tile = TileRule::any;
  window.keepToModel(between, second);
  window.planWith(second);
  settle(window);
  openAndWait(window, kSample);
  CHECK(window.request().tile == TileRule::patches);
  CHECK(textsOf(window.request())["alias"] == textsOf(plain)["alias"]);
  // All that was about models that are gone.
  openAndWait(window, other);
  CHECK(window.request().tile == TileRule::patches);
}

TEST_CASE("looking for what shrinks stops when asked to, and keeps what is found",
          "[native][shrink]") {
  Settings none;
  Studio window(&none);
  window.show();
  openAndWait(window, QStringLiteral("samples:mobilenet_v2"));
  auto* panel = window.shrink();
  QObject::connect(panel->job(), &Job::progressed, panel, [&] {
    if (panel->findings().front) panel->stopButton()->click();
  });
  panel->look();
  REQUIRE(QTest::qWaitFor([&] { return !panel->job()->isRunning(); }, test::kPatience));
  REQUIRE(panel->findings().front);
  CHECK(panel->findings().front->plain.run);
  CHECK(panel->note().contains(QStringLiteral("stopped")));
  CHECK(panel->startButton()->isEnabled());
  CHECK_FALSE(panel->steps().empty());
}
