#include <QDockWidget>
#include <QFile>
#include <QMimeData>
#include <QSignalSpy>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "app/gui/request/dimensions_dialog.h"
#include "app/gui/studio.h"
#include "tests/widgets/patience.h"
#include "widgets/base/theme.h"
#include "widgets/explain/inspector.h"
#include "widgets/panels/event_panel.h"

using namespace hw;

namespace {

QAction* action(Studio& window, const char* name) {
  return window.findChild<QAction*>(QString::fromLatin1(name));
}

/// Opens a model and waits until it is on show, or refused.
void openAndWait(Studio& window, const QString& name) {
  window.openModel(name);
  REQUIRE(QTest::qWaitFor([&] { return !window.job()->isRunning(); }, test::kPatience));
}

std::unique_ptr<QSettings> storeIn(const QTemporaryDir& folder) {
  return std::make_unique<QSettings>(folder.filePath(QStringLiteral("studio.ini")),
                                     QSettings::IniFormat);
}

const QString kSample = QStringLiteral("samples:mobilenet_v2");

}  // namespace

TEST_CASE("a model opens in the background and everything shows it", "[shell]") {
  Settings none;
  Studio window(&none);
  window.resize(1280, 720);
  window.show();
  CHECK_FALSE(action(window, "exportMap")->isEnabled());
  openAndWait(window, kSample);
  REQUIRE(window.state()->run());
  CHECK(window.schedule()->model()->rowCount() == window.state()->steps().count());
  CHECK(window.findChild<EventPanel*>()->model()->rowCount() > 0);
  CHECK(action(window, "exportMap")->isEnabled());
  CHECK(window.windowTitle().contains(QStringLiteral("mobilenet")));
  CHECK(window.findChild<StatusLine*>()->text().contains(QStringLiteral("plan valid")));
}

TEST_CASE("a bad file is named with the reason, and the run on show stays", "[shell]") {
  QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("broken.onnx"));
  QFile file(path);
  REQUIRE(file.open(QIODevice::WriteOnly));
  file.write("this is no model at all");
  file.close();
  Settings none;
  Studio window(&none);
  window.show();
  openAndWait(window, kSample);
  const auto before = window.state()->run();
  const QString missing = folder.filePath(QStringLiteral("missing.onnx"));
  const QString names[] = {path, missing, QStringLiteral("samples:nothing")};
  const QString bad = names[GENERATE(0, 1, 2)];
  openAndWait(window, bad);
  CHECK(window.state()->run() == before);
  CHECK(window.messages()->isVisible());
  CHECK(window.messages()->text().contains(bad));
  CHECK(window.messages()->text().contains(QStringLiteral("stays")));
  QTest::keyClick(&window, Qt::Key_Escape);
  CHECK_FALSE(window.messages()->isVisible());
}

TEST_CASE("another allocator is planned at once, at the same step", "[shell]") {
  Settings none;
  Studio window(&none);
  window.show();
  openAndWait(window, kSample);
  window.state()->setStep(Step(20));
  const auto before = window.state()->run();
  QComboBox* box = window.runForm()->allocatorBox();
  box->setCurrentText(QStringLiteral("none"));
  REQUIRE(QTest::qWaitFor([&] { return window.state()->run() != before; }, test::kPatience));
  CHECK(window.state()->run()->request.allocator.info->name == "none");
  CHECK(window.state()->step() == Step(20));
}

TEST_CASE("a cancelled job reports nothing and leaves the run alone", "[shell]") {
  PlanJob job;
  QSignalSpy finished(&job, &PlanJob::finished);
  QSignalSpy ended(&job, &Job::ended);
  std::atomic<bool> gone = false;
  job.start([&gone](const RunContext& context) -> Result<std::shared_ptr<const Run>> {
    while (!context.stop.stop_requested()) {
      context.progress(0.5, "working");
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    gone = true;
    return fail(ErrorCode::stopped, "stopped");
  });
  QSignalSpy progressed(&job, &Job::progressed);
  CHECK(progressed.wait(test::kPatience));
  job.stop();
  CHECK_FALSE(job.isRunning());
  REQUIRE(ended.size() == 1);
  CHECK(ended.front().front().value<JobEnd>().state == JobState::stopped);
  CHECK(QTest::qWaitFor([&] { return !job.hasThreads(); }, test::kPatience));
  CHECK(gone.load());
  CHECK(finished.isEmpty());
}

TEST_CASE("only the newest job reports", "[shell]") {
  PlanJob job;
  QSignalSpy finished(&job, &PlanJob::finished);
  QSemaphore gate;
  const auto failing = [&gate](const std::string& text, bool waits) {
    return [&gate, text, waits](const RunContext&) -> Result<std::shared_ptr<const Run>> {
      if (waits) gate.acquire();
      return fail(ErrorCode::malformed, text);
    };
  };
  std::vector<std::string> reports;
  QObject::connect(&job, &PlanJob::finished, &job, [&](const PlanOutcome& outcome) {
    reports.push_back(outcome.run.error().message);
  });
  job.start(failing("stale", true));
  job.start(failing("fresh", false));
  CHECK(finished.wait(test::kPatience));
  gate.release();
  CHECK(QTest::qWaitFor([&] { return !job.hasThreads(); }, test::kPatience));
  CHECK(reports == std::vector<std::string>{"fresh"});
}

TEST_CASE("keys drive the window whatever has the focus, but not against it", "[shell]") {
  Settings none;
  Studio window(&none);
  window.show();
  window.activateWindow();
  REQUIRE(QTest::qWaitForWindowActive(&window));
  openAndWait(window, kSample);
  window.schedule()->setFocus();
  QTest::keyClick(window.schedule(), Qt::Key_Right);
  CHECK(window.state()->step() == Step(1));
  QTest::keyClick(window.schedule(), Qt::Key_Right, Qt::ControlModifier);
  CHECK(window.state()->step() == Step(11));
  QTest::keyClick(window.schedule(), Qt::Key_Left);
  CHECK(window.state()->step() == Step(10));
  QTest::keyClick(window.schedule(), Qt::Key_End);
  CHECK(window.player()->eventIndex() == window.player()->eventCount());
  QTest::keyClick(window.schedule(), Qt::Key_Home);
  CHECK(window.state()->moment() == 0);
  QTest::keyClick(window.schedule(), Qt::Key_Period);
  CHECK(window.player()->eventIndex() == 1);
  QTest::keyClick(window.schedule(), Qt::Key_Comma);
  CHECK(window.player()->eventIndex() == 0);
  QTest::keyClick(window.schedule(), Qt::Key_P);
  CHECK(window.state()->step() == window.state()->run()->metrics.pools[PoolId(0)].peakStep);
  QTest::keyClick(window.schedule(), Qt::Key_Space);
  CHECK(window.player()->isPlaying());
  QTest::keyClick(window.schedule(), Qt::Key_Space);
  CHECK_FALSE(window.player()->isPlaying());

  QCheckBox* box = window.findChild<EventPanel*>()->filter(EventClass::merge);
  box->setFocus();
  QTest::keyClick(box, Qt::Key_Space);
  CHECK_FALSE(box->isChecked());
  CHECK_FALSE(window.player()->isPlaying());
}

TEST_CASE("one selection for the whole window; Esc drops it", "[shell]") {
  Settings none;
  Studio window(&none);
  window.resize(1600, 960);
  window.show();
  openAndWait(window, kSample);
  window.player()->goToPeak();
  QCoreApplication::processEvents();
  MapView* map = window.maps().front();
  const QRect plot = map->plotArea();
  StayId hit;
  QPoint at;
  for (int y = plot.bottom(); y > plot.top() && !hit; y -= 3) {
    at = QPoint(plot.left() + plot.width() / 8, y);
    hit = map->stayAt(at);
  }
  REQUIRE(hit);
  QTest::mouseClick(map, Qt::LeftButton, {}, at);
  CHECK(window.state()->selected() == hit);
  const auto* inspector = window.findChild<Inspector*>();
  CHECK(inspector->toPlainText().contains(QStringLiteral("Why here")));
  QTest::keyClick(&window, Qt::Key_F);
  CHECK(window.state()->visibleEnd() - window.state()->visibleBegin() <
        static_cast<double>(window.state()->steps().count()));
  QTest::keyClick(&window, Qt::Key_0);
  CHECK(window.state()->visibleEnd() == static_cast<double>(window.state()->steps().count()));
  QTest::keyClick(&window, Qt::Key_Escape);
  CHECK_FALSE(window.state()->selected());
}

TEST_CASE("the layout comes back as it was left, and can be reset", "[shell]") {
  QTemporaryDir folder;
  {
    Settings settings(storeIn(folder));
    Studio window(&settings);
    window.resize(1300, 900);
    window.show();
    window.findChild<QDockWidget*>(QStringLiteral("schedule"))->hide();
    window.close();
  }
  Settings settings(storeIn(folder));
  Studio window(&settings);
  window.show();
  auto* schedule = window.findChild<QDockWidget*>(QStringLiteral("schedule"));
  CHECK(schedule->isHidden());
  window.resetLayout();
  CHECK_FALSE(schedule->isHidden());
}

TEST_CASE("tabs of panels keep whole names, however narrow the window", "[shell]") {
  Settings none;
  Studio window(&none);
  window.resize(900, 700);
  window.show();
  window.resetLayout();
  QTest::qWait(20);
  int seen = 0;
  for (const auto* tabs : window.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
    if (!tabs->isVisible() || tabs->count() == 0) continue;
    ++seen;
    CHECK(tabs->elideMode() == Qt::ElideNone);
    CHECK(tabs->usesScrollButtons());
  }
  CHECK(seen > 1);
}

TEST_CASE("every dock and bar has a name, so that layouts can be kept", "[shell]") {
  Settings none;
  Studio window(&none);
  for (const QDockWidget* dock : window.findChildren<QDockWidget*>()) {
    CHECK_FALSE(dock->objectName().isEmpty());
  }
  for (const QToolBar* bar : window.findChildren<QToolBar*>()) {
    CHECK_FALSE(bar->objectName().isEmpty());
  }
}

TEST_CASE("recent models: latest first, each once, ten at most", "[shell]") {
  QTemporaryDir folder;
  Settings settings(storeIn(folder));
  for (int i = 0; i < 14; ++i) settings.addRecentModel(QString::number(i % 12));
  CHECK(settings.recentModels().size() == 10);
  CHECK(settings.recentModels().front() == QStringLiteral("1"));
  CHECK(settings.recentModels().count(QStringLiteral("0")) == 1);
}

TEST_CASE("the theme is chosen from the menu and readable in both", "[shell]") {
  QTemporaryDir folder;
  Settings settings(storeIn(folder));
  Studio window(&settings);
  for (const char* name : {"themeDark", "themeLight"}) {
    CAPTURE(name);
    action(window, name)->trigger();
    const QPalette palette = QApplication::palette();
    const int contrast = palette.color(QPalette::PlaceholderText).lightness() -
                         palette.color(QPalette::Base).lightness();
    CHECK(std::abs(contrast) > 60);
    const QImage icon = glyphIcon(Glyph::play).pixmap(24, 24).toImage();
    CHECK(std::abs(icon.pixelColor(10, 12).lightness() -
                   palette.color(QPalette::Window).lightness()) > 120);
  }
  CHECK(settings.theme() == ThemeChoice::light);
  Theme::apply(Theme::light());
}

TEST_CASE("a dropped file opens", "[shell]") {
  Settings none;
  Studio window(&none);
  window.show();
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(QStringLiteral(HIGHWATER_SOURCE_DIR) +
                                    QStringLiteral("/sample_graphs/chain.graph.json"))});
  QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(&window, &enter);
  CHECK(enter.isAccepted());
  QDropEvent drop(QPointF(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(&window, &drop);
  REQUIRE(QTest::qWaitFor([&] { return window.state()->run() != nullptr; }, test::kPatience));
  CHECK(window.windowTitle().contains(QStringLiteral("chain")));
}

TEST_CASE("free dimensions are offered by name and read back", "[shell]") {
  Graph graph;
  graph.notes = {"free dimension batch of input 'x' taken as 1; --dim batch=VALUE binds it",
                 "something else"};
  Model model;
  model.graph = std::make_shared<const Graph>(graph);
  DimensionsDialog dialog(model, {{"length", 7}});
  CHECK(dialog.table()->item(0, 0)->text() == QStringLiteral("length"));
  CHECK(dialog.table()->item(1, 0)->text() == QStringLiteral("batch"));
  CHECK(dialog.table()->item(0, 2)->text() == QStringLiteral("7"));
  CHECK(dialog.table()->item(1, 2)->text() == QStringLiteral("1"));
  dialog.table()->item(1, 1)->setText(QStringLiteral("4"));
  CHECK(dialog.dimensions() == std::map<std::string, std::int64_t>{{"batch", 4}, {"length", 7}});
}
