// What if an operator ran elsewhere: dragged in the schedule, or moved by keys.
#include <QDragEnterEvent>
#include <QMimeData>
#include <QSignalSpy>

#include "tests/gui/native_support.h"

using namespace hw;
using test::action;
using test::openAndWait;
using test::settle;

namespace {

/// Drops the op of row `from` on the upper or lower half of row `to`; whether it was taken.
bool drop(SchedulePanel& panel, int from, int to, bool upper) {
  const auto run = panel.model()->rowCount();
  REQUIRE(std::max(from, to) < run);
  QMimeData data;
  const QString format =
      QStringLiteral("application/x-highwater-op-%1").arg(QCoreApplication::applicationPid());
  data.setData(format, QByteArray::number(from));
  const QRect row = panel.visualRect(panel.model()->index(to, 1));
  const QPoint at(row.center().x(), upper ? row.top() + 2 : row.bottom() - 2);
  QDragEnterEvent enter(at, Qt::MoveAction, &data, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(panel.viewport(), &enter);
  CHECK(enter.isAccepted());
  QDragMoveEvent over(at, Qt::MoveAction, &data, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(panel.viewport(), &over);
  QDropEvent event(at, Qt::MoveAction, &data, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(panel.viewport(), &event);
  CHECK(over.isAccepted() == event.isAccepted());
  return event.isAccepted();
}

std::vector<std::size_t> order(const Studio& window) {
  std::vector<std::size_t> ops;
  const Schedule& schedule = const_cast<Studio&>(window).state()->run()->schedule;
  for (Step step; step < schedule.steps(); step += Step(1)) {
    ops.push_back(schedule.opAt(step).index());
  }
  return ops;
}

/// The first op that does not need the one before it.
std::size_t freeOp(const Graph& graph) {
  const Precedence needs = precedenceOf(graph);
  for (const OpId op : graph.ops.keys()) {
    if (op == OpId(0)) continue;
    const auto& before = needs.before[op];
    if (std::ranges::find(before, OpId(op.index() - 1)) == before.end()) return op.index();
  }
  FAIL("no operator of the sample can move");
  return 0;
}

struct Shown {
  explicit Shown(const char* sample) {
    window.resize(1280, 900);
    window.show();
    openAndWait(window, QLatin1String(sample));
    first = order(window);
    REQUIRE(std::ranges::is_sorted(first));
  }

  Settings none{};
  Studio window{&none};
  std::vector<std::size_t> first{};  ///< The ops in the order of the model.
};

}  // namespace

TEST_CASE("keys move the same operator on and on, and back", "[native][order]") {
  Shown shown("samples:resnet50");
  Studio& window = shown.window;
  window.activateWindow();
  REQUIRE(QTest::qWaitForWindowActive(&window));
  const Precedence needs = precedenceOf(window.state()->run()->graph());
  // One that may run two steps earlier.
  const auto isFree = [&](std::size_t op, std::size_t before) {
    const auto& all = needs.before[OpId(op)];
    return std::ranges::find(all, OpId(op - before)) == all.end();
  };
  std::size_t op = 2;
  while (!isFree(op, 1) || !isFree(op, 2)) ++op;
  const auto stepOf = [&] { return window.state()->run()->schedule.stepOf[OpId(op)].count(); };
  window.state()->setStep(Step(static_cast<std::int64_t>(op)));
  for (const int moved : {1, 2, 1, 0}) {
    CAPTURE(moved);
    const bool earlier = stepOf() > static_cast<std::int64_t>(op) - moved;
    QTest::keyClick(window.schedule(), earlier ? Qt::Key_Up : Qt::Key_Down, Qt::AltModifier);
    settle(window);
    CHECK(stepOf() == static_cast<std::int64_t>(op) - moved);
    CHECK(window.state()->selectedOp() == OpId(op));
    CHECK(window.state()->step().count() == stepOf());
  }
}

TEST_CASE("an operator dropped elsewhere runs there, and that can be undone", "[native][order]") {
  Shown shown("samples:inception");
  Studio& window = shown.window;
  const auto& first = shown.first;
  const std::size_t free = freeOp(window.state()->run()->graph());
  SchedulePanel& panel = *window.schedule();
  const int row = static_cast<int>(free);
  CHECK(drop(panel, row, row - 1, true));
  settle(window);
  const auto changed = order(window);
  CHECK(changed[free - 1] == free);
  CHECK(changed[free] == free - 1);
  CHECK(window.request().moves.size() == 1);
  CHECK(window.state()->run()->schedule.steps().count() == static_cast<std::int64_t>(first.size()));

  action(window, "undo")->trigger();
  settle(window);
  CHECK(order(window) == first);
}

TEST_CASE("an operator is not taken where it may not run", "[native][order]") {
  Shown shown("samples:chain");
  Studio& window = shown.window;
  const auto& first = shown.first;
  CHECK_FALSE(drop(*window.schedule(), 2, 1, true));
  CHECK_FALSE(drop(*window.schedule(), 1, 1, true));
  window.state()->setStep(Step(1));
  action(window, "runEarlier")->trigger();
  CHECK(window.messages()->text().contains(QStringLiteral("cannot run earlier")));
  CHECK_FALSE(window.job()->isRunning());
  CHECK(order(window) == first);
  action(window, "modelOrder")->trigger();
  CHECK(window.messages()->text().contains(QStringLiteral("order of the model")));
}

TEST_CASE("keys move the chosen operator one step", "[native][order]") {
  Shown shown("samples:inception");
  Studio& window = shown.window;
  const std::size_t op = freeOp(window.state()->run()->graph());
  window.state()->setStep(Step(static_cast<std::int64_t>(op)));
  action(window, "runEarlier")->trigger();
  settle(window);
  CHECK(order(window)[op - 1] == op);
  action(window, "modelOrder")->trigger();
  settle(window);
  CHECK(order(window) == shown.first);
}
