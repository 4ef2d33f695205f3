#include <QDockWidget>
#include <QSignalSpy>
#include <QTest>
#include <catch2/catch.hpp>

#include "app/gui/features/desk/export_feature.h"
#include "app/gui/features/moving/transport_feature.h"
#include "tests/gui/native_support.h"
#include "tests/widgets/patience.h"
#include "widgets/compare/capacity_panel.h"
#include "widgets/compare/compare_panel.h"
#include "widgets/explain/shrink_panel.h"
#include "widgets/panels/jobs_panel.h"

using namespace hw;
using namespace hw::test;

namespace {

using State = JobEntry::State;

bool waitUntilQuiet(const JobBoard& board) {
  return QTest::qWaitFor([&] { return board.runningCount() == 0; }, test::kPatience);
}

/// The newest job of that name.
const JobEntry* newest(const JobBoard& board, const char* name) {
  for (const JobEntry& job : board.jobs()) {
    if (job.name == QLatin1String(name)) return &job;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("a board knows what is at work, and remembers what was", "[native]") {
  JobBoard board;
  const QSignalSpy changed(&board, &JobBoard::changed);
  int stops = 0;
  const quint64 first = board.begin(QStringLiteral("one"), [&] { ++stops; });
  const quint64 second = board.begin(QStringLiteral("two"), {});
  CHECK(first != second);
  CHECK(board.runningCount() == 2);
  CHECK(board.jobs().front().id == second);
  board.progress(first, 7, QStringLiteral("beyond"));
  CHECK(board.jobs()[1].fraction == 1);
  board.stop(first);
  board.stop(second);  // Cannot be stopped: nothing happens.
  CHECK(stops == 1);
  board.end(first, State::stopped, {});
  board.end(first, State::done, QStringLiteral("late"));  // It is over already.
  CHECK(board.jobs()[1].state == State::stopped);
  board.progress(first, 0.5, {});
  CHECK(board.jobs()[1].fraction == 1);
  CHECK(changed.count() == 3);
  board.clearFinished();
  REQUIRE(board.jobs().size() == 1);
  CHECK(board.jobs().front().id == second);
  for (int i = 0; i < 200; ++i) board.end(board.begin({}, {}), State::done, {});
  CHECK(board.jobs().size() <= JobBoard::kMostFinished + 2);
  CHECK(board.runningCount() == 1);
}

TEST_CASE("a job is on the board from its start to its end", "[native]") {
  JobBoard board;
  Job job(QStringLiteral("counting"), Job::Stopping::reports);
  board.watch(&job);
  const auto work = [](const JobContext& context) {
    context.progress(0.5, "halfway");
    while (!context.stop.stop_requested()) QTest::qSleep(1);
    return 7;
  };
  const auto accept = [](int count) { return JobEnd{JobState::stopped, QString::number(count)}; };
  job.start(work, accept);
  REQUIRE(QTest::qWaitFor([&] { return board.jobs().front().fraction == 0.5; }, test::kPatience));
  job.start(work, accept);  // A newer one takes its place, and is alone in reporting.
  REQUIRE(board.jobs().size() == 2);
  CHECK(board.jobs()[1].state == State::stopped);
  CHECK(board.jobs()[1].what == QStringLiteral("a newer one took its place"));
  board.stopAll();
  CHECK(board.runningCount() == 1);  // It is asked to stop, and tells what it has.
  REQUIRE(waitUntilQuiet(board));
  CHECK(board.jobs()[0].what == QStringLiteral("7"));
  CHECK(board.jobs()[1].what == QStringLiteral("a newer one took its place"));
  job.start(work, accept);
  job.abandon();
  CHECK(board.jobs()[0].state == State::stopped);
  Job deaf(QStringLiteral("writing"), Job::Stopping::impossible);
  board.watch(&deaf);
  deaf.start([](const JobContext& context) { return context.stop.stop_requested(); },
             [](bool stopped) { return JobEnd{stopped ? State::failed : State::done}; });
  board.stopAll();
  REQUIRE(waitUntilQuiet(board));
  CHECK(board.jobs()[0].state == State::done);
}

TEST_CASE("the jobs panel stops the chosen job and forgets what is over", "[native]") {
  JobBoard board;
  JobsPanel panel(&board);
  panel.resize(700, 200);
  panel.show();
  CHECK(panel.emptyText().contains(QStringLiteral("Nothing has run yet")));
  bool stopped = false;
  quint64 id = 0;
  id = board.begin(QStringLiteral("slow"), [&] {
    stopped = true;
    board.end(id, State::stopped, QStringLiteral("three rows"));
  });
  board.progress(id, 0.42, QStringLiteral("row 3"));
  CHECK(panel.emptyText().isEmpty());
  CHECK(panel.table()->item(0, 2)->text() == QStringLiteral("42 %"));
  CHECK(panel.table()->item(0, 5)->text() == QStringLiteral("row 3"));
  CHECK_FALSE(panel.clearButton()->isEnabled());
  CHECK(panel.clearButton()->toolTip() == QStringLiteral("None is over"));
  REQUIRE(panel.stopButton()->isEnabled());
  panel.grab();
  QTest::mouseClick(panel.stopButton(), Qt::LeftButton);
  CHECK(stopped);
  CHECK(panel.table()->item(0, 1)->text() == QStringLiteral("stopped"));
  CHECK_FALSE(panel.stopButton()->isEnabled());
  QTest::mouseClick(panel.clearButton(), Qt::LeftButton);
  CHECK(panel.table()->rowCount() == 0);
  CHECK_FALSE(panel.emptyText().isEmpty());
  // By keyboard.
  id = board.begin(QStringLiteral("again"), [&] { board.end(id, State::stopped, {}); });
  panel.activateWindow();
  panel.table()->setFocus();
  REQUIRE(QTest::qWaitForWindowActive(&panel));
  QTest::keyClick(panel.table(), Qt::Key_Delete);
  CHECK(board.runningCount() == 0);
}

TEST_CASE("everything the studio computes beside the window is on the board", "[native]") {
  QTemporaryDir folder;
  Settings none;
  Studio window(&none);
  window.resize(1400, 900);
  window.show();
  JobBoard& board = *window.jobs();
  openAndWait(window, QStringLiteral("samples:inception"));
  REQUIRE(waitUntilQuiet(board));
  REQUIRE(newest(board, "Planning"));
  CHECK(newest(board, "Planning")->state == State::done);
  CHECK(newest(board, "Planning")->what.contains(QStringLiteral("inception")));

  window.openModel(QStringLiteral("/nowhere/at/all.onnx"));
  REQUIRE(waitUntilQuiet(board));
  CHECK(newest(board, "Planning")->state == State::failed);
  CHECK_FALSE(newest(board, "Planning")->what.isEmpty());

  action(window, "compare")->trigger();
  REQUIRE(newest(board, "Comparing"));
  CHECK(window.findChild<QDockWidget*>(QStringLiteral("jobs"))->windowTitle() ==
        QStringLiteral("Jobs (1)"));
  CHECK(action(window, "stopJobs")->isEnabled());
  REQUIRE(waitUntilQuiet(board));
  CHECK(newest(board, "Comparing")->state == State::done);
  CHECK(newest(board, "Comparing")->what.endsWith(QStringLiteral("rows")));
  CHECK_FALSE(action(window, "stopJobs")->isEnabled());
  CHECK(action(window, "stopJobs")->toolTip() == QStringLiteral("Nothing is running"));

  window.findChild<CapacityPanel*>()->sweep();
  action(window, "shrink")->trigger();
  REQUIRE(newest(board, "Shrinking"));
  REQUIRE(newest(board, "Sweeping the capacity"));
  REQUIRE(waitUntilQuiet(board));
  CHECK(newest(board, "Sweeping the capacity")->state == State::done);
  CHECK(newest(board, "Shrinking")->state == State::done);

  auto* until = window.findChild<TransportFeature*>()->until();
  until->start({.condition = StopCondition{}, .forwards = true});
  REQUIRE(newest(board, "Running until"));
  REQUIRE(waitUntilQuiet(board));

  const QString file = folder.filePath(QStringLiteral("report.json"));
  window.findChild<ExportFeature*>()->writeReportTo(file);
  REQUIRE(waitUntilQuiet(board));
  REQUIRE(newest(board, "Writing a report"));
  CHECK(newest(board, "Writing a report")->what == file);
  window.findChild<ExportFeature*>()->writeReportTo(folder.filePath(QStringLiteral("no/re.json")));
  REQUIRE(waitUntilQuiet(board));
  CHECK(newest(board, "Writing a report")->state == State::failed);
}

TEST_CASE("all jobs can be stopped at once, and say that they were", "[native]") {
  Settings none;
  Studio window(&none);
  window.show();
  JobBoard& board = *window.jobs();
  openAndWait(window, QStringLiteral("samples:densenet121"));
  action(window, "shrink")->trigger();
  const auto run = window.state()->run();
  window.comparison()->job()->start(
      [](const JobContext& context) {
        while (!context.stop.stop_requested()) QTest::qSleep(1);
        return 3;
      },
      [](int rows) {
        return JobEnd{JobState::stopped, QString::number(rows)};
      });
  CHECK(board.runningCount() == 2);
  action(window, "stopJobs")->trigger();
  REQUIRE(waitUntilQuiet(board));
  CHECK(newest(board, "Comparing")->state == State::stopped);
  CHECK(newest(board, "Shrinking")->state == State::stopped);
}
