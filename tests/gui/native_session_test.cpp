// What comes back the next time: session, perspectives; and files that change on disk.
#include <QDockWidget>
#include <QFile>
#include <QFileSystemWatcher>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>

#include "app/gui/features/desk/perspectives.h"
#include "app/gui/features/moving/marker_feature.h"
#include "app/gui/features/scenario/file_watch.h"
#include "app/gui/features/scenario/session.h"
#include "tests/gui/native_support.h"
#include "tests/widgets/patience.h"

using namespace hw;
using test::action;
using test::openAndWait;
using test::settle;
using test::storeIn;

namespace {

const QString kSample = QStringLiteral("samples:inception");

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
    openAndWait(window, kSample);
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
  const auto& markers = window.findChild<MarkerFeature*>()->markers()->all();
  REQUIRE(markers.size() == 1);
  CHECK(markers[0].point.step == Step(3));
  REQUIRE(QTest::qWaitFor([&] { return window.belowState()->run() != nullptr; }, test::kPatience));
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
    REQUIRE(QTest::qWaitFor([&] { return watch->isVisible(); }, test::kPatience));
    CHECK(watch->text().contains(path));
    CHECK(window.state()->run()->model == before);
    QTest::mouseClick(watch->findChild<QPushButton*>(QStringLiteral("reloadModel")),
                      Qt::LeftButton);
    settle(window);
    CHECK(window.state()->run()->model->name == "a chain that was edited");
    CHECK(watch->isHidden());
  }
  SECTION("always") {
    watch->setMode(FileWatch::Mode::always);
    change(path);
    REQUIRE(QTest::qWaitFor(
        [&] { return window.state()->run()->model->name == "a chain that was edited"; },
        test::kPatience));
    CHECK(watch->isHidden());
  }
  SECTION("off") {
    watch->setMode(FileWatch::Mode::off);
    QFileSystemWatcher other({path});
    QSignalSpy changed(&other, &QFileSystemWatcher::fileChanged);
    change(path);
    REQUIRE(QTest::qWaitFor([&] { return !changed.isEmpty(); }, test::kPatience));
    QCoreApplication::processEvents();
    CHECK_FALSE(test::isWaiting(*watch));
    CHECK(watch->isHidden());
    CHECK(window.state()->run()->model == before);
  }
  SECTION("planning again is no reading: the bar stays") {
    change(path);
    REQUIRE(QTest::qWaitFor([&] { return watch->isVisible(); }, test::kPatience));
    action(window, "planAgain")->trigger();
    settle(window);
    CHECK(watch->isVisible());
  }
}

TEST_CASE("perspectives arrange the panels, and one's own are kept", "[native]") {
  QTemporaryDir folder;
  Settings settings(storeIn(folder));
  Studio window(&settings);
  window.resize(1400, 900);
  window.show();
  const auto shown = [&](const char* name) {
    return !window.findChild<QDockWidget*>(QString::fromLatin1(name))->isHidden();
  };
  action(window, "perspectiveReport")->trigger();
  CHECK(shown("metrics"));
  CHECK_FALSE(shown("events"));
  action(window, "perspectiveStep")->trigger();
  CHECK(shown("events"));
  CHECK_FALSE(shown("compare"));
  action(window, "perspectiveCompare")->trigger();
  CHECK(shown("compare"));

  auto* perspectives = window.findChild<Perspectives*>();
  const QString name = QStringLiteral("mine/\u00e4 & yours");
  CHECK_FALSE(action(window, "deletePerspective")->isEnabled());
  window.findChild<QDockWidget*>(QStringLiteral("schedule"))->show();
  perspectives->save(name);
  CHECK(perspectives->own() == QStringList{name});
  action(window, "perspectiveReport")->trigger();
  CHECK_FALSE(shown("schedule"));
  CHECK(perspectives->show(name));
  CHECK(shown("schedule"));
  CHECK(shown("compare"));
  perspectives->remove(name);
  CHECK(perspectives->own().isEmpty());
  CHECK_FALSE(perspectives->show(name));
}
