// Small things that each went wrong once.
#include <QMenu>
#include <QMouseEvent>
#include <QTextDocument>

#include "app/gui/features/scenario/session.h"
#include "tests/gui/native_support.h"
#include "tests/widgets/patience.h"
#include "widgets/compare/compare_table.h"

using namespace hw;
using namespace hw::test;

namespace {

const QString kResnet8 = QStringLiteral("samples:resnet8");

}  // namespace

TEST_CASE("planning again leaves the moment where it is, within its step", "[shell]") {
  Settings none;
  Studio window(&none);
  window.show();
  openAndWait(window, kResnet8);
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
    openAndWait(window, kResnet8);
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
  Settings none;
  Studio window(&none);
  window.show();
  window.openModel(QStringLiteral("no such model"));
  settle(window);
  REQUIRE(window.welcome()->isVisible());
  CHECK(QTest::qWaitFor([&] { return window.welcome()->hasCard(QStringLiteral("chain")); },
                        test::kPatience));
}

TEST_CASE("the key of a command that cannot be had now does not look for a row", "[shell]") {
  Settings none;
  Studio window(&none);
  window.resize(1400, 1000);
  window.show();
  window.activateWindow();
  REQUIRE(QTest::qWaitForWindowActive(&window));
  openAndWait(window, kResnet8);
  action(window, "compare")->trigger();
  ComparePanel* panel = window.comparison();
  REQUIRE(QTest::qWaitFor([&] { return !panel->job()->isRunning(); }, test::kPatience));
  CompareTable* table = panel->table();
  table->setFocus();
  REQUIRE_FALSE(action(window, "closeBelow")->isEnabled());
  for (int row = 0; row < table->model()->rowCount(); ++row) {
    table->setCurrentIndex(table->model()->index(row, 0));
    QTest::keyClick(table, Qt::Key_B, Qt::ShiftModifier);
    CHECK(table->currentIndex().row() == row);
  }
}

TEST_CASE("a picture of all views is as high as the views need", "[shell]") {
  Settings none;
  Studio window(&none);
  window.show();
  openAndWait(window, kResnet8);
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
  Settings none;
  Studio window(&none);
  window.resize(1280, 720);
  window.show();
  openAndWait(window, kResnet8);
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
