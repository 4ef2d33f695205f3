// Places: which panels each has, how columns become drawers, and the cards of questions.

#include <QApplication>
#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QSet>
#include <QTabBar>
#include <QTest>
#include <QToolButton>
#include <catch2/catch.hpp>
#include <limits>

#include "app/gui/output/report_file.h"
#include "app/gui/output/report_preview.h"
#include "app/gui/studio.h"
#include "core/report/run/run_report.h"
#include "tests/gui/native_support.h"
#include "tests/widgets/patience.h"
#include "widgets/explain/inspector.h"
#include "widgets/explain/shrink_panel.h"
#include "widgets/markers/markers.h"
#include "widgets/text/run_text.h"
#include "widgets/what_if/what_if_panel.h"

using namespace hw;

TEST_CASE("every panel is in a place, and every panel of a place is there", "[shell]") {
  test::Opened window;
  const QStringList panels = window.places()->panels();
  for (const PlaceInfo& place : placeTable()) {
    for (const PlaceInfo::Column& column : place.columns) {
      for (const QString& name : column.tabs + column.more) {
        INFO(place.id.toStdString() << ' ' << name.toStdString());
        CHECK(panels.contains(name));
        // One column whatever the place, or else it would have to move.
        for (const PlaceInfo& other : placeTable()) {
          for (std::size_t i = 0; i < kPlaceColumns; ++i) {
            const bool same =
                &other.columns[i] - other.columns.data() == &column - place.columns.data();
            const bool has =
                other.columns[i].tabs.contains(name) || other.columns[i].more.contains(name);
            CHECK((same || !has));
          }
        }
      }
    }
  }
  CHECK(QSet<QString>(panels.begin(), panels.end()).size() == panels.size());
}

TEST_CASE("places have keys, and each keeps what it shows", "[shell]") {
  test::Opened window(QStringLiteral("samples:resnet8"), {1400, 900});
  const Places& places = *window.places();
  const auto go = [&](Qt::Key key) {
    window.maps().front()->setFocus();
    QTest::keyClick(&window, key);
    return places.place().id.toStdString();
  };
  CHECK(places.place().id == QStringLiteral("explore"));
  CHECK(places.isShown(QStringLiteral("schedule")));
  window.showPanel(QStringLiteral("events"));
  CHECK(go(Qt::Key_2) == "compare");
  CHECK(places.isShown(QStringLiteral("compare")));
  CHECK_FALSE(places.isShown(QStringLiteral("events")));
  CHECK(window.playerRow()->isVisible());
  CHECK(go(Qt::Key_3) == "improve");
  CHECK(go(Qt::Key_4) == "study");
  CHECK_FALSE(window.maps().front()->isVisible());
  CHECK_FALSE(window.playerRow()->isVisible());
  CHECK(go(Qt::Key_5) == "report");
  CHECK(places.isShown(QStringLiteral("preview")));
  CHECK(go(Qt::Key_1) == "explore");
  CHECK(places.isShown(QStringLiteral("events")));
  CHECK(window.maps().front()->isVisible());
  test::part<QAction>(window, "home")->trigger();
  CHECK(window.welcome()->isVisible());
  CHECK(go(Qt::Key_1) == "explore");
  CHECK_FALSE(window.welcome()->isVisible());
}

TEST_CASE("the place of reports has the command that writes this one", "[shell]") {
  test::Opened window(QStringLiteral("samples:resnet8"), {1400, 900});
  auto* page = test::part<QWidget>(window, "reportPage");
  auto* line = page->findChild<QLineEdit*>();
  CHECK(line->text() == QStringLiteral("highwater report samples:resnet8 -o report.html"));
  RunRequest request = window.request();
  request.alignment = Bytes(16);
  window.planWith(request);
  REQUIRE(test::comes([&] { return line->text().contains(QStringLiteral("--align 16")); }));
  window.state()->setAxis(AxisUnit::time);
  CHECK(line->text().contains(QStringLiteral("--axis time")));
}

TEST_CASE("a panel of the menu gets a tab with a cross", "[shell]") {
  test::Opened window(QStringLiteral("samples:resnet8"), {1400, 900});
  const Places& places = *window.places();
  auto* deck = test::part<Deck>(window, "centreColumn");
  CHECK(deck->isHidden());
  window.showPanel(QStringLiteral("method"));
  CHECK(places.isShown(QStringLiteral("method")));
  window.showPanel(QStringLiteral("search"));  // In place of the one before.
  CHECK(places.isShown(QStringLiteral("search")));
  auto* tabs = deck->findChild<QTabBar*>();
  REQUIRE(tabs->count() == 1);
  qobject_cast<QToolButton*>(tabs->tabButton(0, QTabBar::RightSide))->click();
  CHECK(deck->isHidden());
}

TEST_CASE("columns leave the maps half the width, and are drawers in narrow windows", "[shell]") {
  const auto [width, height, beside] =
      GENERATE(table<int, int, bool>({{1920, 1080, true}, {1366, 768, true}, {1024, 700, false}}));
  CAPTURE(width, height);
  test::Opened window(QStringLiteral("samples:inception_v3"), {width, height});
  const Places& places = *window.places();
  CHECK(window.size() == QSize(width, height));
  CHECK(places.isShown(QStringLiteral("schedule")) == beside);
  CHECK(places.isShown(QStringLiteral("inspector")) == beside);
  const int room = window.maps().front()->width();
  CHECK(room * 2 >= width);
  CHECK(window.maps().front()->height() >= 200);
  // Somebody who wants a column has it in any window; a drawer takes no room from the views.
  window.maps().front()->setFocus();
  QTest::keyClick(&window, Qt::Key_I);
  CHECK(places.isShown(QStringLiteral("inspector")) != beside);
  QTest::keyClick(&window, Qt::Key_O);
  CHECK(places.isShown(QStringLiteral("schedule")) != beside);
  CHECK_FALSE(places.isShown(QStringLiteral("inspector")));
  if (!beside) CHECK(window.maps().front()->width() == room);
}

TEST_CASE("the rail of a narrow window opens one drawer at a time", "[shell]") {
  test::Opened window(QStringLiteral("samples:resnet8"), {1024, 700});
  const Places& places = *window.places();
  const auto press = [&](const char* name) { test::part<QToolButton>(window, name)->click(); };
  press("rail:events");
  CHECK(places.isShown(QStringLiteral("events")));
  press("rail:run");
  CHECK(places.isShown(QStringLiteral("run")));
  CHECK_FALSE(places.isShown(QStringLiteral("events")));
  press("rail:run");
  CHECK_FALSE(places.isShown(QStringLiteral("run")));
  press("rail:schedule");
  auto* drawer = test::part<Deck>(window, "leftColumn");
  REQUIRE(drawer->isVisible());
  QTest::keyClick(&window, Qt::Key_Escape);
  CHECK(drawer->isHidden());
  window.resize(1500, 900);
  QTest::qWait(10);
  CHECK(places.isShown(QStringLiteral("schedule")));
  CHECK(places.isShown(QStringLiteral("run")));
  CHECK_FALSE(test::part<QWidget>(window, "rail")->isVisible());
}

TEST_CASE("every question of Improve has a card that asks it and keeps its answer", "[shell]") {
  test::Opened window(QStringLiteral("samples:resnet8"), {1500, 900});
  test::part<QAction>(window, "place:improve")->trigger();
  const Places& places = *window.places();
  CHECK_FALSE(window.chart()->isVisible());
  const std::string name = GENERATE("shrink", "capacity", "front", "whatIf");
  CAPTURE(name);
  auto* card = test::part<FigureCard>(window, ("question:" + name).c_str());
  REQUIRE(card->isVisible());
  CHECK(card->accessibleName().startsWith(card->figure().label));
  const QString before = card->figure().value;
  card->click();
  CHECK(places.isShown(QString::fromStdString(name)));
  CHECK(card->isChecked());
  // One layout for all: list, chart over the maps, inspector.
  const auto place = [&](const QWidget* of) {
    return QRect(of->mapTo(&window, QPoint()), of->size());
  };
  const QRect list = place(places.panel(QString::fromStdString(name)));
  const auto* chart = test::part<Deck>(window, "centreColumn")
                          ->content(QString::fromStdString(name) + QStringLiteral(":above"));
  REQUIRE(chart->isVisible());
  CHECK(list.right() < place(chart).left());
  CHECK(place(chart).bottom() < place(window.maps().front()).top());
  CHECK(place(chart).right() < place(window.findChild<Inspector*>()).left());
  if (name == "whatIf") {
    window.findChild<WhatIfPanel*>()->slider(QStringLiteral("macs"))->setValue(-8);
  }
  CHECK(test::comes([&] { return card->figure().value != before; }));
  // What computes at half the speed makes no network faster.
  if (name == "whatIf") CHECK(card->figure().value.startsWith(QLatin1Char('+')));
  test::part<QAction>(window, "place:explore")->trigger();
  CHECK_FALSE(card->isVisible());
  CHECK(window.chart()->isVisible());
}

TEST_CASE("every place fits the smallest window", "[shell]") {
  test::Opened window(QStringLiteral("samples:resnet8"), {760, 520});
  for (const PlaceInfo& place : placeTable()) {
    CAPTURE(place.id.toStdString());
    window.places()->go(place.id);
    QTest::qWait(10);
    CHECK(window.minimumSizeHint().height() <= 520);
    CHECK(window.minimumSizeHint().width() <= 760);
    if (!place.hasCards) continue;
    window.places()->closeDrawer();
    CHECK_FALSE(window.places()->isShown(QStringLiteral("shrink")));
    test::part<FigureCard>(window, "question:shrink")->click();
    CHECK(window.places()->isShown(QStringLiteral("shrink")));
  }
}

TEST_CASE("the answer to how small is the smallest plan that is as fast", "[shell]") {
  test::Opened window(QStringLiteral("samples:resnet8"), {1500, 900});
  auto* card = test::part<FigureCard>(window, "question:shrink");
  card->click();
  REQUIRE(test::comes([&] { return !window.shrink()->job()->isRunning(); }));
  const ShrinkFront& front = *window.shrink()->findings().front;
  REQUIRE(card->figure().mark);
  const ShrinkPoint& told = front.points[*card->figure().mark];
  const auto slower = [&](const ShrinkPoint& point) {
    return static_cast<double>(point.latency.count()) /
           static_cast<double>(front.plain.latency.count());
  };
  for (const ShrinkPoint& point : front.points) {
    if (slower(point) < 1.005) CHECK(told.peak <= point.peak);
  }
  CHECK(card->figure().value.contains(QStringLiteral("same latency")) ==
        (std::abs(slower(told) - 1) < 0.005));
}

TEST_CASE("the place of reports shows the pages that the file will have", "[shell]") {
  test::Opened window(QStringLiteral("samples:resnet8"), {1400, 900});
  test::part<QAction>(window, "place:report")->trigger();
  auto* preview = window.findChild<ReportPreview*>();
  REQUIRE(preview->isVisible());
  REQUIRE(test::comes([&] { return preview->pageCount() > 0; }));
  const auto& run = window.state()->run();
  const auto pagesOf = [&](const Comparison* comparison) {
    const ReportParts parts{.comparison = comparison};
    const RunReport report =
        makeReport(*run, comparison, commandForReport(run->request, "pdf", parts), AxisUnit::step);
    return static_cast<int>(reportPdf(*run, report).count("/Type /Page\n"));
  };
  CHECK(preview->pageCount() == pagesOf(nullptr));
  CHECK(preview->pages().size() ==
        static_cast<std::size_t>(std::min(preview->pageCount(), ReportPreview::kMostPages)));
  // A small picture of each page leads there.
  for (int page = 0; page < static_cast<int>(preview->pages().size()); ++page) {
    const QRect small = preview->thumbnail(page);
    CHECK(preview->viewport()->rect().contains(small));
    if (page > 0) CHECK(small.top() > preview->thumbnail(page - 1).bottom());
    QTest::mouseClick(preview->viewport(), Qt::LeftButton, {}, small.center());
    const bool last =
        preview->verticalScrollBar()->value() == preview->verticalScrollBar()->maximum();
    CHECK((preview->currentPage() == page || last));
  }
  const QImage plain = preview->pages().back();
  auto* compared = test::part<QCheckBox>(window, "reportCompared");
  CHECK_FALSE(compared->isEnabled());
  window.comparison()->setComparison(std::make_shared<const Comparison>(
      compareAllocators(run->model, run->request, parseAllocators("best,none").value(), {})));
  CHECK(compared->isEnabled());
  auto* line = test::part<QWidget>(window, "reportPage")->findChild<QLineEdit*>();
  CHECK(line->text().contains(QStringLiteral("--compare")));
  REQUIRE(test::comes([&] { return preview->pages().back() != plain; }));
  CHECK(preview->pageCount() == pagesOf(window.comparison()->comparison().get()));
  compared->click();
  CHECK_FALSE(line->text().contains(QStringLiteral("--compare")));
  REQUIRE(test::comes([&] { return preview->pages().back() == plain; }));
}

TEST_CASE("marked steps have their figures in the status line", "[shell]") {
  test::Opened window(QStringLiteral("samples:resnet8"), {1500, 900});
  auto* band = test::part<QLabel>(window, "bandFigures");
  CHECK_FALSE(band->isVisible());
  const Run& run = *window.state()->run();
  const Step peak = run.metrics.pools[PoolId(0)].peakStep;
  window.state()->markSteps(Interval<Step>{peak, peak + Step(1)});
  CHECK(band->isVisible());
  const QString most = sizeText(run.metrics.pools[PoolId(0)].peakLive);
  CHECK(band->text().count(most) == 3);  // Least, most and mean of one step.
  window.state()->markSteps(Interval<Step>{Step(0), window.state()->steps()});
  CHECK(band->text().contains(most));
  CHECK(band->toolTip().contains(QStringLiteral("Mean utilisation")));
  window.state()->markSteps({});
  CHECK_FALSE(band->isVisible());
}

TEST_CASE("the slowest operators are marked, the slowest first", "[shell]") {
  test::Opened window(QStringLiteral("samples:resnet8"), {1500, 900});
  test::part<QAction>(window, "markSlowest")->trigger();
  const auto& ops = window.state()->run()->timing.ops;
  const auto& markers = window.findChild<MarkerSet*>()->all();
  REQUIRE(markers.size() == 8);
  SimTime before = SimTime(std::numeric_limits<std::int64_t>::max());
  std::size_t slower = 0;
  for (const Marker& marker : markers) {
    const SimTime time = ops[static_cast<std::size_t>(marker.point.step.count())].time.length();
    CHECK(time <= before);
    CHECK(marker.name.startsWith(timeText(time)));
    before = time;
  }
  for (const OpTiming& op : ops) slower += op.time.length() > before ? 1 : 0;
  CHECK(slower < 8);
}

TEST_CASE("F6 goes round all regions, each with a widget that takes the keys", "[shell]") {
  test::Opened window(QStringLiteral("samples:resnet8"), {1500, 900});
  window.activateWindow();
  REQUIRE(QTest::qWaitForWindowActive(&window));
  window.maps().front()->setFocus();
  const auto* ring = window.findChild<QWidget*>(QStringLiteral("regionRing"));
  CHECK_FALSE(ring->isVisible());
  const QStringList expected{QStringLiteral("rightColumn"), QStringLiteral("playerRow"),
                             QStringLiteral("topBar"), QStringLiteral("leftColumn"),
                             QStringLiteral("views")};
  for (const QString& name : expected) {
    QTest::keyClick(&window, Qt::Key_F6);
    const QWidget* focus = QApplication::focusWidget();
    REQUIRE(focus);
    INFO(name.toStdString() << ' ' << focus->objectName().toStdString());
    const auto* region = window.findChild<QWidget*>(name);
    CHECK(region->isAncestorOf(focus));
    CHECK(ring->isVisible());
    CHECK(ring->geometry().contains(QRect(region->mapTo(&window, QPoint()), region->size())));
  }
  window.topBar()->findChild<QToolButton*>(QStringLiteral("fileButton"))->setFocus();
  CHECK_FALSE(ring->isVisible());
}
