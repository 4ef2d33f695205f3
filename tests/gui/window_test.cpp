// The look of a window: the first time, when it is small, after things below it have gone.
// Small things that each went wrong once.

#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMimeData>
#include <QMouseEvent>
#include <QScreen>
#include <QSignalSpy>
#include <QSplitter>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTextDocument>
#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "app/gui/features/scenario/session.h"
#include "app/gui/request/dimensions_dialog.h"
#include "app/gui/studio.h"
#include "tests/gui/native_support.h"
#include "tests/widgets/patience.h"
#include "widgets/base/theme.h"
#include "widgets/compare/compare_panel.h"
#include "widgets/compare/compare_table.h"
#include "widgets/explain/inspector.h"
#include "widgets/find/search_box.h"
#include "widgets/panels/event_panel.h"

using namespace hw::test;
using namespace hw;

namespace {

/// Opens a model and waits until it is on show, or refused.
void openOrRefuse(Studio& window, const QString& name) {
  window.openModel(name);
  REQUIRE(test::comes([&] { return !window.job()->isRunning(); }));
}

/// The plan on show, made by another allocator.
std::shared_ptr<const Run> otherPlan(Studio& window) {
  RunRequest request = window.request();
  request.allocator = *AllocatorChoice::parse("in-order");
  return *execute(window.state()->run()->model, request, {});
}

const QString kResnet8 = QStringLiteral("samples:resnet8");

}  // namespace

TEST_CASE("a model opens in the background and everything shows it", "[shell]") {
  test::Opened window({}, {1280, 720});
  CHECK_FALSE(action(window, "exportMap")->isEnabled());
  openOrRefuse(window, kMobilenet);
  REQUIRE(window.state()->run());
  CHECK(window.schedule()->model()->rowCount() == window.state()->steps().count());
  CHECK(window.findChild<EventPanel*>()->model()->rowCount() > 0);
  CHECK(action(window, "exportMap")->isEnabled());
  CHECK(window.windowTitle().contains(QStringLiteral("mobilenet")));
  CHECK(window.findChild<StatusLine*>()->text().contains(QStringLiteral("plan valid")));
}

TEST_CASE("a bad file is named with the reason, and the run on show stays", "[shell]") {
  QTemporaryDir folder;
  const QString path = inFolder(folder, "broken.onnx", "this is no model at all");
  test::Opened window(kMobilenet);
  const auto before = window.state()->run();
  const QString missing = folder.filePath(QStringLiteral("missing.onnx"));
  const QString names[] = {path, missing, QStringLiteral("samples:nothing")};
  const QString bad = names[GENERATE(0, 1, 2)];
  openOrRefuse(window, bad);
  CHECK(window.state()->run() == before);
  CHECK(window.messages()->isVisible());
  CHECK(window.messages()->text().contains(bad));
  CHECK(window.messages()->text().contains(QStringLiteral("stays")));
  QTest::keyClick(&window, Qt::Key_Escape);
  CHECK_FALSE(window.messages()->isVisible());
}

TEST_CASE("another allocator is planned at once, at the same step", "[shell]") {
  test::Opened window(kMobilenet);
  window.state()->setStep(Step(20));
  const auto before = window.state()->run();
  test::part<QToolButton>(window, "pill:allocator")->click();
  QTableWidget* values = window.settingChoice()->table();
  const auto none = values->findItems(QStringLiteral("none"), Qt::MatchExactly);
  REQUIRE(none.size() == 1);
  Q_EMIT values->itemActivated(none.front());
  REQUIRE(test::comes([&] { return window.state()->run() != before; }));
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
  CHECK(test::comes([&] { return !job.hasThreads(); }));
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
  CHECK(test::comes([&] { return !job.hasThreads(); }));
  CHECK(reports == std::vector<std::string>{"fresh"});
}

TEST_CASE("keys drive the window whatever has the focus, but not against it", "[shell]") {
  test::Opened window;
  window.activateWindow();
  REQUIRE(QTest::qWaitForWindowActive(&window));
  openOrRefuse(window, kMobilenet);
  window.schedule()->setFocus();
  // A model opens at its peak.
  CHECK(window.state()->step() == window.state()->run()->metrics.pools[PoolId(0)].peakStep);
  QTest::keyClick(window.schedule(), Qt::Key_Home);
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
  test::Opened window(kMobilenet, {1600, 960});
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
    openOrRefuse(window, QStringLiteral("samples:chain"));
    window.showPanel(QStringLiteral("graph"));
    window.showPanel(QStringLiteral("front"));
    window.showPanel(QStringLiteral("problems"));
    window.close();
  }
  Settings settings(storeIn(folder));
  Studio window(&settings);
  window.show();
  openOrRefuse(window, QStringLiteral("samples:chain"));
  const Places& places = *window.places();
  CHECK(places.place().id == QStringLiteral("improve"));
  CHECK(places.isShown(QStringLiteral("front")));
  CHECK(places.isShown(QStringLiteral("problems")));
  test::part<QAction>(window, "place:explore")->trigger();
  CHECK(places.isShown(QStringLiteral("graph")));
  window.resetLayout();
  CHECK(places.isShown(QStringLiteral("schedule")));
  CHECK(places.isShown(QStringLiteral("inspector")));
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
  test::Opened window;
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(QStringLiteral(HIGHWATER_SOURCE_DIR) +
                                    QStringLiteral("/sample_graphs/chain.graph.json"))});
  QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(&window, &enter);
  CHECK(enter.isAccepted());
  QDropEvent drop(QPointF(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(&window, &drop);
  REQUIRE(test::comes([&] { return window.state()->run() != nullptr; }));
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

TEST_CASE("a value that is not a size is named, and the table of sizes stays open", "[shell]") {
  Model model;
  model.graph = std::make_shared<const Graph>();
  DimensionsDialog dialog(model, {{"length", 7}});
  dialog.show();
  auto* wrong = dialog.findChild<QLabel*>(QStringLiteral("dimensionsWrong"));
  for (const char* text : {"64x", "-5", "9999999999999999999999"}) {
    dialog.table()->item(0, 1)->setText(QString::fromLatin1(text));
    dialog.accept();
    CHECK(dialog.isVisible());
    CHECK(wrong->text().startsWith(QStringLiteral("length: %1").arg(QString::fromLatin1(text))));
  }
  dialog.table()->item(0, 1)->setText(QStringLiteral("64"));
  dialog.accept();
  CHECK_FALSE(dialog.isVisible());
  CHECK(dialog.dimensions().at("length") == 64);
}

TEST_CASE("digits that go from place to place are never typed into a field", "[shell]") {
  test::Opened window(QStringLiteral("samples:resnet8"), {1400, 900});
  for (const int first : {1, 2, 3, 4, 5}) {
    for (const int second : {1, 2, 3, 4, 5}) {
      for (const int place : {first, second}) {
        const auto key = static_cast<Qt::Key>(Qt::Key_0 + place);
        QWidget* focus = QApplication::focusWidget();
        QTest::keyClick(focus != nullptr ? focus : &window, key);
        CAPTURE(first, second);
        CHECK(window.places()->place().id == placeTable()[static_cast<std::size_t>(place - 1)].id);
      }
    }
  }
  CHECK(test::part<SearchBox>(window, "search")->text().isEmpty());
}

TEST_CASE("letters reach the lists of dialogs while nothing is open", "[shell]") {
  test::Opened window;
  QDialog dialog(&window);
  QListWidget list(&dialog);
  list.addItems({QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("open")});
  dialog.show();
  list.setFocus();
  // A letter of a command that cannot be had now: in a dialog it is a letter.
  QTest::keyClick(&list, Qt::Key_B);
  REQUIRE(list.currentItem());
  CHECK(list.currentItem()->text() == QStringLiteral("b"));
}

TEST_CASE("the status line shows whole figures or none", "[shell]") {
  const int width = GENERATE(760, 900, 1100, 1600);
  test::Opened window(QStringLiteral("samples:inception_v3"), {width, 620});
  const auto fields = test::part<QWidget>(window, "statusLine")->findChildren<QLabel*>();
  const auto isWhole = [](const QLabel* field) {
    const bool shown = field->isVisible() && !field->text().isEmpty();
    return !shown || field->width() >= field->sizeHint().width();
  };
  CAPTURE(width);
  CHECK(test::comes([&] { return std::ranges::all_of(fields, isWhole); }));
  CHECK(std::ranges::any_of(fields, [](const QLabel* field) {
    return field->isVisible() && field->text() == QStringLiteral("Step 111");
  }));
}

TEST_CASE("the first window is no larger than the screen", "[shell]") {
  Settings none;
  Studio window(&none);
  const QSize screen = window.screen()->availableSize();
  window.resizeOnScreen(screen + QSize(400, 200));
  window.show();
  QTest::qWait(10);
  CHECK(window.frameGeometry().width() <= screen.width());
  CHECK(window.frameGeometry().height() <= screen.height());
  window.resizeOnScreen({screen.width() - 100, screen.height() - 100});
  CHECK(window.size() == QSize(screen.width() - 100, screen.height() - 100));
}

TEST_CASE("in the smallest window nothing lies over anything else", "[shell]") {
  test::Opened window(QStringLiteral("samples:inception_v3"), {700, 450});
  QTest::qWait(20);
  CHECK(window.width() == 700);
  CHECK(window.height() == 450);
  std::vector<std::pair<std::string, QRect>> parts;
  const auto add = [&](const QWidget* part, const QString& name) {
    if (!part->isVisible() || part->visibleRegion().isEmpty()) return;
    parts.emplace_back(name.toStdString(), QRect(part->mapTo(&window, QPoint()), part->size()));
    CHECK(window.rect().contains(parts.back().second));
  };
  add(window.topBar(), QStringLiteral("top bar"));
  add(window.playerRow(), QStringLiteral("player"));
  add(window.views()->parentWidget(), QStringLiteral("views"));
  for (const auto* deck : window.findChildren<Deck*>()) add(deck, deck->objectName());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      CAPTURE(parts[i].first, parts[j].first);
      CHECK_FALSE(parts[i].second.intersects(parts[j].second));
    }
  }
  // Inside the column, too: each view as high as it needs to be, or else it scrolls.
  for (int i = 0; i < window.views()->count(); ++i) {
    const QWidget* view = window.views()->widget(i);
    CAPTURE(i);
    if (!view->isHidden()) CHECK(view->height() >= view->minimumSizeHint().height());
  }
}

TEST_CASE("views have their heights back when nothing is below any more, and the note goes",
          "[shell]") {
  test::Opened window(QStringLiteral("samples:resnet8"), {1280, 720});
  QTest::qWait(20);
  const QList<int> before = window.views()->sizes();
  window.showBelow(otherPlan(window));
  QTest::qWait(20);
  CHECK(window.views()->sizes() != before);
  action(window, "firstDivergence")->trigger();
  REQUIRE(test::comes([&] { return window.messages()->isVisible(); }));
  action(window, "closeBelow")->trigger();
  QTest::qWait(20);
  CHECK_FALSE(window.messages()->isVisible());
  CHECK(window.views()->sizes() == before);
}

TEST_CASE("resetting the layout divides what panels hold side by side as at first", "[shell]") {
  test::Opened window({}, {1400, 1000});
  auto* split = window.findChild<ComparePanel*>()->findChild<QSplitter*>();
  action(window, "compareBars")->trigger();
  split->setSizes({1000, 0});
  REQUIRE(split->sizes().back() == 0);
  action(window, "resetLayout")->trigger();
  CHECK(split->sizes().back() > 0);
  CHECK(split->sizes().front() >= split->sizes().back());
}

TEST_CASE("resetting the layout gives the views their heights back", "[shell]") {
  test::Opened window(QStringLiteral("samples:resnet8"), {1400, 1000});
  action(window, "resetLayout")->trigger();
  QTest::qWait(20);
  const QList<int> proper = window.views()->sizes();
  CHECK(window.chart()->height() == window.chart()->sizeHint().height());
  QList<int> skewed(proper.size(), 0);
  skewed[window.views()->indexOf(window.chart())] = 1000;
  window.views()->setSizes(skewed);
  QTest::qWait(20);
  REQUIRE(window.views()->sizes() != proper);
  action(window, "resetLayout")->trigger();
  QTest::qWait(20);
  CHECK(window.views()->sizes() == proper);
}

TEST_CASE("planning again leaves the moment where it is, within its step", "[shell]") {
  test::Opened window(kResnet8);
  const std::size_t all = window.state()->run()->trace.size();
  for (const std::size_t moment : {std::size_t{0}, std::size_t{1}, std::size_t{7}, all}) {
    CAPTURE(moment);
    window.state()->setMoment(moment);
    const Step step = window.state()->step();
    const auto before = window.state()->run();
    action(window, "planAgain")->trigger();
    settle(window);
    REQUIRE(window.state()->run() != before);
    CHECK(window.state()->moment() == moment);
    CHECK(window.state()->step() == step);
  }
}

TEST_CASE("a session comes back at the event where it was left", "[shell]") {
  QTemporaryDir folder;
  std::size_t left = 0;
  {
    Settings settings(storeIn(folder));
    Studio window(&settings);
    window.show();
    openOrRefuse(window, kResnet8);
    window.player()->goToEnd();
    left = window.state()->moment();
    window.close();
  }
  Settings settings(storeIn(folder));
  Studio window(&settings);
  window.show();
  window.session()->restore();
  settle(window);
  REQUIRE(window.state()->run());
  CHECK(window.state()->moment() == left);
}

TEST_CASE("sample cards get their pictures after a start that failed", "[shell]") {
  test::Opened window;
  window.openModel(QStringLiteral("no such model"));
  settle(window);
  REQUIRE(window.welcome()->isVisible());
  CHECK(test::comes([&] { return window.welcome()->hasCard(QStringLiteral("chain")); }));
}

TEST_CASE("the key of a command that cannot be had now does not look for a row", "[shell]") {
  test::Opened window({}, {1400, 1000});
  window.activateWindow();
  REQUIRE(QTest::qWaitForWindowActive(&window));
  openOrRefuse(window, kResnet8);
  action(window, "compare")->trigger();
  ComparePanel* panel = window.comparison();
  REQUIRE(test::comes([&] { return !panel->job()->isRunning(); }));
  CompareTable* table = panel->table();
  table->setFocus();
  REQUIRE_FALSE(action(window, "closeBelow")->isEnabled());
  for (int row = 0; row < table->model()->rowCount(); ++row) {
    table->setCurrentIndex(table->model()->index(row, 0));
    QTest::keyClick(table, Qt::Key_B, Qt::ShiftModifier);
    CHECK(table->currentIndex().row() == row);
  }
}

TEST_CASE("the table of plans shows peaks beside latencies in a column of any width", "[shell]") {
  const int width = GENERATE(1220, 1366, 1600, 1920);
  test::Opened window(QStringLiteral("samples:resnet8"), {width, 900});
  action(window, "compare")->trigger();
  REQUIRE(test::comes([&] { return !window.comparison()->job()->isRunning(); }));
  const CompareTable* table = window.comparison()->table();
  CAPTURE(width);
  for (const int column : {CompareModel::allocator, CompareModel::peak, CompareModel::latency}) {
    CHECK_FALSE(table->isColumnHidden(column));
    const int right = table->columnViewportPosition(column) + table->columnWidth(column);
    CHECK(right <= table->viewport()->width() + 1);
  }
}

TEST_CASE("a picture of all views is as high as the views need", "[shell]") {
  test::Opened window(kResnet8);
  const auto heightOf = [&](PicturePreset preset) {
    return window.picture({.kind = PictureKind::views, .preset = preset}, {800, 900}).size.height();
  };
  // Chart, two maps at most and memory now need more than the 300 of a column.
  CHECK(heightOf(PicturePreset::column) > 300);
  CHECK(heightOf(PicturePreset::screen) == 900);
  const int alone = heightOf(PicturePreset::column);
  RunRequest request = window.request();
  request.allocator = *AllocatorChoice::parse("in-order");
  window.showBelow(*execute(window.state()->run()->model, request, {}));
  CHECK(heightOf(PicturePreset::column) >= alone + 100);
}

TEST_CASE("the status line forgets what the pointer is no longer over", "[shell]") {
  test::Opened window(kResnet8, {1280, 720});
  MapView* map = window.maps().front();
  const auto tells = [&] {
    return window.statusLine()->text().contains(QStringLiteral("address 0x"));
  };
  QTest::qWait(20);
  const QPoint at = map->plotArea().center();
  QMouseEvent move(QEvent::MouseMove, at, map->mapToGlobal(at), Qt::NoButton, Qt::NoButton, {});
  QApplication::sendEvent(map, &move);
  map->setAttribute(Qt::WA_UnderMouse);
  QCursor::setPos(map->mapToGlobal(at));
  REQUIRE(tells());
  SECTION("it left") {
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(map, &leave);
    CHECK_FALSE(tells());
  }
  SECTION("the map is gone") {
    map->hide();
    CHECK_FALSE(tells());
  }
  SECTION("the map has moved on under it") {
    const QString before = window.statusLine()->text();
    window.state()->setVisible(4, 6);
    CHECK(window.statusLine()->text() != before);
  }
}

TEST_CASE("what ends the studio is the last entry of its menu", "[shell]") {
  Settings none;
  Studio window(&none);
  const auto entries = window.menu(MenuKind::file)->actions();
  REQUIRE(entries.size() > 3);
  CHECK(entries.back()->objectName() == QStringLiteral("quit"));
  CHECK(entries[entries.size() - 2]->isSeparator());
  CHECK_FALSE(entries[entries.size() - 3]->isSeparator());
}
