#include <QMenu>
#include <QTest>
#include <catch2/catch.hpp>

#include "app/gui/studio.h"
#include "tests/gui/native_support.h"
#include "tests/widgets/patience.h"
#include "widgets/find/command_palette.h"
#include "widgets/find/search_box.h"
#include "widgets/graph/graph_panel.h"

using namespace hw;
using namespace hw::test;

namespace {

CommandPalette* openPalette(Studio& window) {
  window.findChild<QAction*>(QStringLiteral("commandPalette"))->trigger();
  auto* palette = window.findChild<CommandPalette*>();
  REQUIRE(palette);
  REQUIRE(palette->isVisible());
  return palette;
}

/// Names keep the menu they are from: "Simulate: Plan again".
int rowCalled(const PaletteModel& model, const QString& text) {
  for (int row = 0; row < model.rowCount(); ++row) {
    const QString& name = model.entry(row).text;
    if (name == text || name.endsWith(QStringLiteral(": ") + text)) return row;
  }
  return -1;
}

}  // namespace

TEST_CASE("the palette has every command of the window, and says why not", "[find]") {
  Settings none;
  Studio window(&none);
  window.show();
  CommandPalette* palette = openPalette(window);
  for (const QAction* action : window.findChildren<QAction*>()) {
    const QString name = action->objectName();
    const bool command = !name.isEmpty() && !name.startsWith(QLatin1String("qt_")) &&
                         !action->isSeparator() && !action->menu() && !action->text().isEmpty();
    if (!command || name == QLatin1String("commandPalette")) continue;
    QString text = action->text();
    text.remove(QLatin1Char('&')).remove(QChar(0x2026));
    CAPTURE(text.toStdString());
    CHECK(rowCalled(*palette->model(), text) >= 0);
  }
  CHECK(rowCalled(*palette->model(), QStringLiteral("Simulate: Plan again")) >= 0);
  CHECK(rowCalled(*palette->model(), QStringLiteral("Perspectives: Compare")) >= 0);
  const int focus = rowCalled(*palette->model(), QStringLiteral("Fit all"));
  REQUIRE(focus >= 0);
  CHECK(palette->model()->entry(focus).disabled == QStringLiteral("Open a model first"));
  CHECK(palette->model()->entry(focus).keys == QStringLiteral("0"));
  QTest::keyClick(palette->line(), Qt::Key_Escape);
  CHECK_FALSE(palette->isVisible());
}

TEST_CASE("typing narrows the palette; Enter does what is chosen", "[find]") {
  Settings none;
  Studio window(&none);
  window.resize(1280, 800);
  window.show();
  openAndWait(window, QStringLiteral("samples:mobilenet_v2"));
  CommandPalette* palette = openPalette(window);
  QTest::keyClicks(palette->line(), QStringLiteral("go peak"));
  REQUIRE(palette->model()->rowCount() > 0);
  CHECK(palette->model()->entry(0).text == QStringLiteral("Simulate: Go to the peak"));
  QTest::keyClick(palette->line(), Qt::Key_Return);
  CHECK_FALSE(palette->isVisible());
  CHECK(window.state()->step() == window.state()->run()->metrics.pools[PoolId(0)].peakStep);

  openPalette(window);
  QTest::keyClicks(palette->line(), QStringLiteral("plan again none"));
  REQUIRE(palette->model()->rowCount() > 0);
  CHECK(palette->model()->entry(0).text == QStringLiteral("Plan: again with none"));
  const auto before = window.state()->run();
  QTest::keyClick(palette->line(), Qt::Key_Return);
  REQUIRE(QTest::qWaitFor([&] { return window.state()->run() != before; }, test::kPatience));
  CHECK(window.state()->run()->request.allocator.info->name == "none");

  openPalette(window);
  QTest::keyClicks(palette->line(), QStringLiteral("sample"));
  CHECK(palette->model()->entry(0).text.startsWith(QStringLiteral("Open")));
  QTest::keyClicks(palette->line(), QStringLiteral(" qqqq"));
  CHECK(palette->model()->rowCount() == 0);
  QTest::keyClick(palette->line(), Qt::Key_Return);
  CHECK(palette->isVisible());
}

TEST_CASE("what cannot be done now is not done", "[find]") {
  Settings none;
  Studio window(&none);
  window.show();
  CommandPalette* palette = openPalette(window);
  QTest::keyClicks(palette->line(), QStringLiteral("fit all"));
  REQUIRE(palette->model()->rowCount() > 0);
  CHECK_FALSE(palette->model()->entry(0).disabled.isEmpty());
  QTest::keyClick(palette->line(), Qt::Key_Return);
  CHECK(palette->isVisible());
}

TEST_CASE("found in the box, shown everywhere", "[find]") {
  Settings none;
  Studio window(&none);
  window.resize(1280, 800);
  window.show();
  window.activateWindow();
  REQUIRE(QTest::qWaitForWindowActive(&window));
  openAndWait(window, QStringLiteral("samples:mobilenet_v2"));
  const auto run = window.state()->run();
  auto* box = window.findChild<SearchBox*>();
  REQUIRE(box);
  QTest::keyClick(&window, Qt::Key_F, Qt::ControlModifier);
  CHECK(box->hasFocus());
  const OpId op = run->schedule.opAt(Step(30));
  box->setText(QString::fromStdString(displayName(run->graph(), op)));
  REQUIRE(QTest::qWaitFor([&] { return box->result().found > 0; }, test::kPatience));
  int row = 0;
  while (box->result().hits[static_cast<std::size_t>(row)].op != op) ++row;
  window.state()->setVisible(0, 5);
  for (int i = 0; i < row; ++i) QTest::keyClick(box, Qt::Key_Down);
  QTest::keyClick(box, Qt::Key_Return);
  CHECK(window.state()->selectedOp() == op);
  CHECK(window.state()->step() == Step(30));
  CHECK(window.state()->visibleBegin() <= 30);
  CHECK(window.state()->visibleEnd() >= 31);
  QTest::keyClick(&window, Qt::Key_Escape);

  const StayId last(run->problem.stays.size() - 1);
  window.state()->setVisible(0, 5);
  box->setText(QString::fromStdString(run->stayName(last)));
  REQUIRE(QTest::qWaitFor([&] { return box->result().found > 0; }, test::kPatience));
  QTest::keyClick(&window, Qt::Key_F3);
  REQUIRE(window.state()->selected());
  const Interval<Step> steps = run->problem.stays[window.state()->selected()].steps;
  CHECK(steps.contains(window.state()->step()));
  CHECK(window.state()->visibleEnd() > static_cast<double>(steps.begin.count()));
}
