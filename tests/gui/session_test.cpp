// The things that come back the next time: session, and files that change on disk.

#include "app/gui/features/scenario/session.h"

#include <QFile>
#include <QFileSystemWatcher>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <catch2/catch.hpp>

#include "app/gui/features/desk/export_feature.h"
#include "app/gui/features/scenario/file_watch.h"
#include "tests/gui/native_support.h"
#include "tests/widgets/patience.h"
#include "widgets/compare/capacity_panel.h"
#include "widgets/compare/compare_panel.h"
#include "widgets/explain/shrink_panel.h"
#include "widgets/markers/markers.h"
#include "widgets/panels/jobs_panel.h"
#include "widgets/transport/until_form.h"

using namespace hw::test;
using namespace hw;

namespace {

QString copyOfChain(const QTemporaryDir& folder) {
  const QString path = folder.filePath(QStringLiteral("chain.json"));
  QFile::copy(
      QStringLiteral(HIGHWATER_SOURCE_DIR) + QStringLiteral("/sample_graphs/chain.graph.json"),
      path);
  QFile(path).setPermissions(QFile::ReadOwner | QFile::WriteOwner);
  return path;
}

/// Rewrites the file with one name changed.
void change(const QString& path) {
  QFile file(path);
  REQUIRE(file.open(QIODevice::ReadWrite));
  QByteArray text = file.readAll();
  text.replace("\"chain\"", "\"a chain that was edited\"");
  file.resize(0);
  file.seek(0);
  file.write(text);
}

using State = JobEntry::State;

bool waitUntilQuiet(const JobBoard& board) {
  return test::comes([&] { return board.runningCount() == 0; });
}

/// The newest job of that name.
const JobEntry* newest(const JobBoard& board, const char* name) {
  for (const JobEntry& job : board.jobs()) {
    if (job.name == QLatin1String(name)) return &job;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("the columns that were chosen for the comparison come back", "[native]") {
  QTemporaryDir folder;
  const int latency = CompareModel::latency;
  const int verdict = CompareModel::verdict;
  {
    Settings settings(storeIn(folder));
    Studio window(&settings);
    CompareTable* table = window.comparison()->table();
    CHECK(table->wantedColumns().isEmpty());
    table->setColumnWanted(latency, true);
    const std::unique_ptr<QMenu> menu(table->columnMenu(&window));
    menu->actions().at(verdict)->setChecked(false);
  }
  {
    Settings settings(storeIn(folder));
    Studio window(&settings);
    CompareTable* table = window.comparison()->table();
    CHECK_FALSE(table->isColumnHidden(latency));
    CHECK(table->isColumnHidden(verdict));
    // The last entry gives up all choices, and that is kept too.
    const std::unique_ptr<QMenu> menu(table->columnMenu(&window));
    menu->actions().last()->trigger();
  }
  Settings settings(storeIn(folder));
  Studio window(&settings);
  CHECK(window.comparison()->table()->wantedColumns().isEmpty());
  window.comparison()->table()->setWantedColumns(QStringLiteral("nonsense=yes allocator=no x"));
  CHECK_FALSE(window.comparison()->table()->isColumnHidden(CompareModel::allocator));
}

TEST_CASE("the session comes back: model, settings, step, range, selection, plan below",
          "[native]") {
  QTemporaryDir folder;
  {
    Settings settings(storeIn(folder));
    Studio window(&settings);
    window.show();
    openAndWait(window, kInception);
    RunRequest request = window.request();
    request.allocator = *AllocatorChoice::parse("greedy-by-size");
    request.alignment = Bytes(16);
    window.planWith(request);
    settle(window);
    request.allocator = *AllocatorChoice::parse("none");
    window.showBelow(*execute(window.state()->run()->model, request, {}));
    window.state()->setStep(Step(3));
    action(window, "addMarker")->trigger();
    window.state()->setVisible(1, 5);
    window.state()->select(StayId(2));
    window.close();
  }
  Settings settings(storeIn(folder));
  Studio window(&settings);
  window.show();
  window.findChild<Session*>()->restore();
  settle(window);
  const auto run = window.state()->run();
  REQUIRE(run);
  CHECK(run->request.allocator.text() == "greedy-by-size");
  CHECK(run->sharing.alignment == Bytes(16));
  CHECK(window.state()->step() == Step(3));
  CHECK(window.state()->visibleBegin() == Approx(1));
  CHECK(window.state()->visibleEnd() == Approx(5));
  CHECK(window.state()->selected() == StayId(2));
  const auto& markers = window.findChild<MarkerSet*>()->all();
  REQUIRE(markers.size() == 1);
  CHECK(markers[0].point.step == Step(3));
  REQUIRE(test::comes([&] { return window.belowState()->run() != nullptr; }));
  CHECK(window.belowState()->run()->request.allocator.text() == "none");
}

TEST_CASE("a session comes back with time as its axis, and with what of it was on show",
          "[native][time]") {
  QTemporaryDir folder;
  double begin = 0;
  double end = 0;
  {
    Settings settings(storeIn(folder));
    Studio window(&settings);
    window.show();
    openAndWait(window, QStringLiteral("samples:resnet8"));
    action(window, "timeAxis")->trigger();
    ViewState& state = *window.state();
    REQUIRE(state.axis() == AxisUnit::time);
    begin = state.length() / 4;
    end = state.length() / 2;
    state.setVisible(begin, end);
    window.close();
  }
  Settings settings(storeIn(folder));
  Studio window(&settings);
  window.show();
  window.findChild<Session*>()->restore();
  settle(window);
  CHECK(action(window, "timeAxis")->isChecked());
  CHECK(window.state()->axis() == AxisUnit::time);
  CHECK(window.state()->visibleBegin() == Approx(begin));
  CHECK(window.state()->visibleEnd() == Approx(end));
}

TEST_CASE("a session is not restored when that is off, when it crashed, when the file is gone",
          "[native]") {
  QTemporaryDir folder;
  const QString path = copyOfChain(folder);
  {
    Settings settings(storeIn(folder));
    Studio window(&settings);
    openAndWait(window, path);
    window.close();
  }
  Settings settings(storeIn(folder));
  Studio window(&settings);
  auto* session = window.findChild<Session*>();
  SECTION("off") {
    setRestoresSession(settings, false);
    session->restore();
    CHECK_FALSE(window.job()->isRunning());
  }
  SECTION("crashed while it was being opened") {
    settings.setValue(QStringLiteral("session/opening"), true);
    session->restore();
    CHECK_FALSE(window.job()->isRunning());
    CHECK(window.messages()->text().contains(path));
    session->restore();  // The time after that it may.
    CHECK(window.job()->isRunning());
    settle(window);
    CHECK_FALSE(settings.value(QStringLiteral("session/opening"), false).toBool());
  }
  SECTION("gone") {
    QFile::remove(path);
    session->restore();
    CHECK_FALSE(window.job()->isRunning());
    CHECK(window.messages()->text().contains(QStringLiteral("gone")));
  }
}

TEST_CASE("a model that changes on disk is offered anew", "[native]") {
  QTemporaryDir folder;
  const QString path = copyOfChain(folder);
  Settings settings(storeIn(folder));
  Studio window(&settings);
  window.show();
  openAndWait(window, path);
  auto* watch = window.findChild<FileWatch*>();
  REQUIRE(watch);
  CHECK(watch->isHidden());
  const auto before = window.state()->run()->model;

  SECTION("asked, and reloaded") {
    change(path);
    REQUIRE(test::comes([&] { return watch->isVisible(); }));
    CHECK(watch->text().contains(path));
    CHECK(window.state()->run()->model == before);
    QTest::mouseClick(test::part<QPushButton>(*watch, "reloadModel"), Qt::LeftButton);
    settle(window);
    CHECK(window.state()->run()->model->name == "a chain that was edited");
    CHECK(watch->isHidden());
  }
  SECTION("always") {
    watch->setMode(FileWatch::Mode::always);
    change(path);
    REQUIRE(test::comes(
        [&] { return window.state()->run()->model->name == "a chain that was edited"; }));
    CHECK(watch->isHidden());
  }
  SECTION("off") {
    watch->setMode(FileWatch::Mode::off);
    QFileSystemWatcher other({path});
    QSignalSpy changed(&other, &QFileSystemWatcher::fileChanged);
    change(path);
    REQUIRE(test::comes([&] { return !changed.isEmpty(); }));
    QCoreApplication::processEvents();
    CHECK_FALSE(test::isWaiting(*watch));
    CHECK(watch->isHidden());
    CHECK(window.state()->run()->model == before);
  }
  SECTION("planning again is no reading: the bar stays") {
    change(path);
    REQUIRE(test::comes([&] { return watch->isVisible(); }));
    action(window, "planAgain")->trigger();
    settle(window);
    CHECK(watch->isVisible());
  }
}

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
  REQUIRE(test::comes([&] { return board.jobs().front().fraction == 0.5; }));
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
  test::Opened window({}, {1400, 900});
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
  CHECK(window.places()->title(QStringLiteral("jobs")) == QStringLiteral("Jobs (1)"));
  CHECK(action(window, "stopJobs")->isEnabled());
  REQUIRE(waitUntilQuiet(board));
  CHECK(newest(board, "Comparing")->state == State::done);
  CHECK(newest(board, "Comparing")->what.endsWith(QStringLiteral("rows")));
  CHECK_FALSE(action(window, "stopJobs")->isEnabled());
  CHECK(action(window, "stopJobs")->toolTip() == QStringLiteral("Nothing is running"));

  window.findChild<CapacityPanel*>()->start();
  action(window, "shrink")->trigger();
  REQUIRE(newest(board, "Shrinking"));
  REQUIRE(newest(board, "Sweeping the capacity"));
  REQUIRE(waitUntilQuiet(board));
  CHECK(newest(board, "Sweeping the capacity")->state == State::done);
  CHECK(newest(board, "Shrinking")->state == State::done);

  auto* until = window.findChild<RunUntil*>();
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
  test::Opened window;
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
