// What somebody finds who does not see the window: every control of every place has a name and a
// role, and what is painted can be read as a table.

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QScrollBar>
#include <QTest>
#include <catch2/catch.hpp>

#include "app/gui/studio.h"
#include "core/picture/map_scene.h"
#include "tests/gui/native_support.h"
#include "widgets/plot/spoken_plot.h"

using namespace hw;

namespace {

/// A part of another control, which speaks for it.
bool isPart(const QWidget* widget) {
  const QWidget* parent = widget->parentWidget();
  if (!parent || widget->objectName().startsWith(QLatin1String("qt_"))) return true;
  for (const char* whole :
       {"QAbstractSpinBox", "QComboBox", "QTabBar", "QHeaderView", "QLineEdit"}) {
    if (parent->inherits(whole)) return true;
  }
  return widget->inherits("QToolBarExtension") || widget->inherits("QTableCornerButton") ||
         widget->inherits("QHeaderView") || widget->inherits("QScrollBar");
}

bool isControl(const QWidget* widget) {
  return qobject_cast<const QAbstractButton*>(widget) || qobject_cast<const QComboBox*>(widget) ||
         qobject_cast<const QAbstractSpinBox*>(widget) || qobject_cast<const QLineEdit*>(widget) ||
         qobject_cast<const QAbstractItemView*>(widget) ||
         qobject_cast<const QAbstractSlider*>(widget) || dynamic_cast<const SpokenPlot*>(widget);
}

/// Checks all that is on show; returns how many controls that were.
int checkControls(QWidget& window) {
  int controls = 0;
  for (QWidget* widget : window.findChildren<QWidget*>()) {
    if (!widget->isVisible() || !isControl(widget) || isPart(widget)) continue;
    ++controls;
    INFO(widget->metaObject()->className()
         << " '" << widget->objectName().toStdString() << "' in "
         << widget->parentWidget()->metaObject()->className() << " '"
         << widget->parentWidget()->objectName().toStdString() << "'");
    QAccessibleInterface* spoken = QAccessible::queryAccessibleInterface(widget);
    REQUIRE(spoken);
    CHECK(spoken->role() != QAccessible::NoRole);
    CHECK(spoken->role() != QAccessible::Client);
    CHECK_FALSE(spoken->text(QAccessible::Name).trimmed().isEmpty());
  }
  return controls;
}

/// The texts of a plot, read through the interface of tables, and through that of children.
std::vector<QStringList> read(QWidget* plot) {
  QAccessibleInterface* spoken = QAccessible::queryAccessibleInterface(plot);
  REQUIRE(spoken);
  CHECK(spoken->role() == QAccessible::Table);
  QAccessibleTableInterface* table = spoken->tableInterface();
  REQUIRE(table);
  std::vector<QStringList> rows(static_cast<std::size_t>(table->rowCount()));
  const int columns = table->columnCount();
  CHECK(spoken->childCount() == table->rowCount() * columns);
  for (int row = 0; row < static_cast<int>(rows.size()); ++row) {
    for (int column = 0; column < columns; ++column) {
      QAccessibleInterface* cell = table->cellAt(row, column);
      REQUIRE(cell);
      CHECK(cell == spoken->child(row * columns + column));
      CHECK(spoken->indexOfChild(cell) == row * columns + column);
      CHECK(cell->role() == QAccessible::Cell);
      CHECK_FALSE(table->columnDescription(column).isEmpty());
      rows[static_cast<std::size_t>(row)].append(cell->text(QAccessible::Name));
    }
  }
  CHECK(table->cellAt(static_cast<int>(rows.size()), 0) == nullptr);
  CHECK(table->cellAt(-1, 0) == nullptr);
  return rows;
}

}  // namespace

TEST_CASE("every control of every place has a name and a role", "[access]") {
  test::Opened window(test::kMobilenet, {1600, 1000});
  CHECK(checkControls(window) > 20);
  for (const PlaceInfo& place : placeTable()) {
    INFO(place.id.toStdString());
    window.command(QStringLiteral("place:") + place.id)->trigger();
    QTest::qWait(20);
    CHECK(checkControls(window) > 10);
    for (const PlaceInfo::Column& column : place.columns) {
      for (const QString& panel : column.tabs + column.more) {
        INFO(panel.toStdString());
        window.showPanel(panel);
        QTest::qWait(5);
        checkControls(window);
      }
    }
  }
  window.command(QStringLiteral("home"))->trigger();
  CHECK(checkControls(window) > 5);
}

TEST_CASE("plots can be read as tables of what they show", "[access]") {
  test::Opened window(test::kMobilenet, {1600, 1000});
  ViewState& state = *window.state();
  const Run& run = *state.run();
  MapView* map = window.maps().front();
  state.showAll();
  std::vector<QStringList> rows = read(map);
  CHECK(rows.size() == std::min(PlotRows::kMost, map->blocks().size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK(rows[i].front().toStdString() == blockName(run, map->blocks().stay(i)));
  }
  // Zoomed in, only what is on screen is told.
  state.setVisible(0, 3);
  const std::vector<QStringList> few = read(map);
  CHECK(few.size() < rows.size());
  CHECK_FALSE(few.empty());
  state.showAll();
  state.goToPeak();
  const std::vector<QStringList> now = read(window.findChild<MemoryNow*>());
  std::size_t live = 0;
  for (const StayId stay : run.problem.stays.keys()) {
    const QString name = QString::fromStdString(blockName(run, stay));
    const bool told =
        std::ranges::any_of(now, [&](const QStringList& row) { return row[1] == name; });
    if (run.problem.stays[stay].steps.contains(state.step())) {
      CHECK(told);
      ++live;
    }
  }
  CHECK(live > 0);
  // The greatest of the chart's rows is the live peak, at the step where it is.
  const std::vector<QStringList> curve = read(window.chart());
  const QString peak = sizeText(run.metrics.pools[PoolId(0)].peakLive);
  CHECK(std::ranges::any_of(curve, [&](const QStringList& row) { return row[1] == peak; }));
}
