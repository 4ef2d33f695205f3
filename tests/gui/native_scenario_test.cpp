// Edits of the scenario with undo and redo, and advice that becomes one.
#include <QDockWidget>
#include <QPushButton>
#include <QUndoView>

#include "app/gui/features/scenario/scenario_history.h"
#include "tests/gui/native_support.h"
#include "widgets/explain/advice_panel.h"
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

TEST_CASE("advice is looked for, applied, and taken back", "[native]") {
  Settings none;
  Studio window(&none);
  window.resize(1600, 960);
  window.show();
  auto* panel = window.findChild<AdvicePanel*>();
  REQUIRE(panel);
  CHECK_FALSE(panel->startButton()->isEnabled());
  CHECK(panel->emptyText().contains(QStringLiteral("Open a model")));
  openAndWait(window, kSample);
  plan(window, "none");
  CHECK(panel->emptyText().contains(QStringLiteral("Look for advice")));
  CHECK_FALSE(panel->applyButton()->isEnabled());
  const Bytes before = footprintOf(*window.state()->run());

  QTest::keyClick(&window, Qt::Key_E, Qt::ControlModifier);
  CHECK(panel->job()->isRunning());
  REQUIRE(QTest::qWaitFor([&] { return !panel->job()->isRunning(); }, 60'000));
  REQUIRE(panel->table()->rowCount() > 0);
  CHECK(panel->emptyText().isEmpty());
  CHECK(panel->applyButton()->isEnabled());
  CHECK(window.findChild<QDockWidget*>(QStringLiteral("advice"))->isVisible());
  const QString promised = panel->table()->item(0, AdvicePanel::leaves)->toolTip();
  const QString change = panel->table()->item(0, AdvicePanel::change)->text();

  // What it costs stands beside what it saves.
  for (const int column : {AdvicePanel::latency, AdvicePanel::traffic}) {
    const QString cost = panel->table()->item(0, column)->text();
    CHECK((cost == QStringLiteral("same") || cost.endsWith(QLatin1Char('%'))));
  }

  QTest::mouseClick(panel->belowButton(), Qt::LeftButton);
  REQUIRE(window.belowState()->run());
  CHECK(exactText(footprintOf(*window.belowState()->run())) == promised);

  QTest::mouseClick(panel->applyButton(), Qt::LeftButton);
  settle(window);
  CHECK(exactText(footprintOf(*window.state()->run())) == promised);
  CHECK(footprintOf(*window.state()->run()) < before);
  auto* stack = window.findChild<ScenarioHistory*>()->stack();
  CHECK(stack->undoText() == change);
  CHECK(panel->table()->rowCount() > 0);
  CHECK_FALSE(panel->emptyText().isEmpty());  // It was about the run before.
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
  action(window, "closeBelow")->trigger();
  press(QStringLiteral("Show below"));
  REQUIRE(window.belowState()->run());
  CHECK(footprintOf(*window.belowState()->run()) == before);
  CHECK_FALSE(window.messages()->isVisible());
  action(window, "undo")->trigger();
  settle(window);
  CHECK(footprintOf(*window.state()->run()) == before);

  panel->look();
  REQUIRE(QTest::qWaitFor([&] { return !panel->job()->isRunning(); }, 60'000));
  QTest::mouseClick(panel->applyButton(), Qt::LeftButton);
  settle(window);
  REQUIRE(footprintOf(*window.state()->run()) < before);
  press(QStringLiteral("Undo"));
  settle(window);
  CHECK(footprintOf(*window.state()->run()) == before);
  CHECK_FALSE(window.messages()->isVisible());
}

TEST_CASE("looking for advice stops when asked to", "[native]") {
  Settings none;
  Studio window(&none);
  window.show();
  openAndWait(window, QStringLiteral("samples:mobilenet_v2"));
  auto* panel = window.findChild<AdvicePanel*>();
  panel->look();
  panel->job()->stop();
  REQUIRE(QTest::qWaitFor([&] { return !panel->job()->isRunning(); }, 60'000));
  const bool said = panel->note().contains(QStringLiteral("stopped")) ||
                    panel->emptyText().contains(QStringLiteral("stopped"));
  CHECK(said);
}
