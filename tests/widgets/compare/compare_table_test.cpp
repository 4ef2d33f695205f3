#include "widgets/compare/compare_table.h"

#include <QApplication>
#include <QClipboard>
#include <QMenu>
#include <QTemporaryDir>
#include <QTest>
#include <catch2/catch.hpp>

#include "core/files/file.h"
#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "tests/widgets/compare/compare_support.h"
#include "tests/widgets/patience.h"
#include "widgets/compare/compare_panel.h"

using namespace hw;
using namespace hw::test;

TEST_CASE("keys of the table open a row, tick it and copy all", "[shell][compare]") {
  ViewState state;
  ComparePanel panel(&state);
  panel.resize(1000, 300);
  panel.show();
  state.setRun(planned("greedy-by-size"));
  panel.setComparison(compared(*state.run(), {"none", "greedy-by-size", "in-order"}));
  std::vector<std::shared_ptr<const Run>> below;
  std::shared_ptr<const Run> opened;
  QObject::connect(&panel, &ComparePanel::runWanted, [&](const auto& run) { opened = run; });
  QObject::connect(&panel, &ComparePanel::belowWanted, [&](const auto& run) {
    below.push_back(run);
    panel.setBelow(below);
  });
  const auto rowOf = [&](const char* name) {
    return static_cast<int>(
        std::ranges::find_if(panel.comparison()->rows,
                             [&](const auto& row) { return row.allocator.text() == name; }) -
        panel.comparison()->rows.begin());
  };
  for (const char* name : {"none", "in-order"}) {
    panel.table()->goTo(rowOf(name));
    QTest::keyClick(panel.table(), Qt::Key_Space);
  }
  REQUIRE(below.size() == 2);
  CHECK(panel.model()->below(rowOf("none")) == below[0]);
  CHECK(panel.model()->index(rowOf("in-order"), CompareModel::shown).data().toString() ==
        QStringLiteral("C"));
  const auto tick = panel.model()->index(rowOf("none"), CompareModel::shown);
  CHECK(tick.data(Qt::CheckStateRole).toInt() == Qt::Checked);
  CHECK_FALSE(panel.otherRun());  // All are on show.
  panel.table()->goTo(rowOf("greedy-by-size"));
  QTest::keyClick(panel.table(), Qt::Key_Space);
  CHECK(below.size() == 2);  // A is not below itself.
  QTest::keyClick(panel.table(), Qt::Key_Return);
  CHECK_FALSE(opened);
  panel.table()->goTo(rowOf("in-order"));
  QTest::keyClick(panel.table(), Qt::Key_Return);
  CHECK(opened == panel.comparison()->rows[static_cast<std::size_t>(rowOf("in-order"))].run);

  panel.table()->sortByColumn(CompareModel::peak, Qt::DescendingOrder);
  QTest::keyClick(panel.table(), Qt::Key_C, Qt::ControlModifier);
  const QStringList lines = QApplication::clipboard()->text().split('\n', Qt::SkipEmptyParts);
  REQUIRE(lines.size() == 4);
  CHECK(lines[0].startsWith(QStringLiteral("allocator,map,latency_ps,peak,gap,verdict")));
  const auto& largest = panel.comparison()->rows[static_cast<std::size_t>(rowOf("none"))];
  CHECK(lines[1].startsWith(QStringLiteral("none,B,%1,%2,")
                                .arg(largest.figures.latency->count())
                                .arg(largest.peak().count())));
}

TEST_CASE("columns are chosen by the user, and every one says what it is", "[shell][compare]") {
  ViewState state;
  ComparePanel panel(&state);
  state.setRun(planned("greedy-by-size"));
  panel.setComparison(compared(*state.run(), {"none", "greedy-by-size"}));
  CHECK(panel.table()->isColumnHidden(CompareModel::platform));
  for (int column = 0; column < CompareModel::kColumns; ++column) {
    INFO(column);
    const auto& info = panel.model()->columnOf(column);
    CHECK_FALSE(info.title.empty());
    CHECK(info.meaning.size() > 15);
    CHECK_FALSE(info.key.empty());
    const auto tip = panel.model()->headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString();
    CHECK(tip.startsWith(QString::fromStdString(info.meaning)));
    CHECK(tip.contains(QString::fromStdString(info.key)));
  }
  const std::unique_ptr<QMenu> menu(panel.table()->columnMenu(&panel));
  menu->findChild<QAction*>(QStringLiteral("platform"))->trigger();
  menu->findChild<QAction*>(QStringLiteral("gap"))->trigger();
  CHECK_FALSE(panel.table()->isColumnHidden(CompareModel::platform));
  CHECK(panel.table()->isColumnHidden(CompareModel::gap));
  CHECK_FALSE(menu->findChild<QAction*>(QStringLiteral("allocator"))->isEnabled());
  panel.setComparison(compared(*state.run(), {"none", "in-order"}));
  CHECK(panel.table()->isColumnHidden(CompareModel::gap));  // A choice outlasts a comparison.
}

TEST_CASE("platforms are compared with the capacities of their own", "[shell][compare]") {
  ViewState state;
  ComparePanel panel(&state);
  panel.resize(1000, 300);
  panel.show();
  RunRequest request = configOf("greedy-by-size");
  request.l2 = {.kind = PoolSize::Kind::bytes, .bytes = Bytes(4096)};
  state.setRun(execute(std::make_shared<const Model>(openModel("samples:mobilenet_v2", {}).value()),
                       request, {})
                   .value());
  panel.choiceBox()->setCurrentIndex(static_cast<int>(ComparePanel::Choice::platforms));
  CHECK(panel.requests().size() == platformCatalog().size());
  panel.choiceBox()->setCurrentIndex(static_cast<int>(ComparePanel::Choice::both));
  tickOnly(*panel.allocators(), {"greedy-by-size", "none"});
  for (int i = 2; i < panel.platforms()->count(); ++i) {
    panel.platforms()->item(i)->setCheckState(Qt::Unchecked);
  }
  REQUIRE(panel.requests().size() == 4);
  QTest::mouseClick(panel.compareButton(), Qt::LeftButton);
  REQUIRE(QTest::qWaitFor([&] { return panel.comparison() != nullptr; }, test::kPatience));
  CHECK_FALSE(panel.table()->isColumnHidden(CompareModel::platform));
  CHECK_FALSE(panel.table()->isColumnHidden(CompareModel::capacity));
  std::optional<SimTime> least;
  bool differ = false;
  for (const ComparisonRow& row : panel.comparison()->rows) {
    REQUIRE(row.run);
    CHECK(row.run->request.platform.name == row.platform);
    const auto target = row.run->request.platform.devices.front().pools.front().target();
    CHECK(row.run->problem.pools[PoolId(0)].capacity == target);
    // Each is what a run of its own comes to.
    CHECK(row.figures.latency ==
          figuresOf(*execute(state.run()->model, row.run->request, {}).value()).latency);
    if (!row.fits()) continue;
    differ = differ || (least && *least != *row.figures.latency);
    least = std::min(least.value_or(*row.figures.latency), *row.figures.latency);
  }
  for (int row = 0; row < panel.model()->rowCount(); ++row) {
    const ComparisonRow& one = *panel.model()->row(row);
    const bool fastest = differ && one.fits() && one.figures.latency == least;
    CHECK(panel.model()->isFastest(row) == fastest);
  }
  QTemporaryDir folder;
  const QString csv = folder.filePath(QStringLiteral("table.csv"));
  REQUIRE(panel.writeTo(csv, "x"));
  const std::string table = readFile(csv.toStdString()).value();
  CHECK(table.starts_with("platform,model,allocator"));
  CHECK(table.find("\nethos-u55-256,x,") != std::string::npos);
}

TEST_CASE("a row whose plan does not fit leads to what was in its way", "[shell][compare]") {
  ViewState state;
  ComparePanel panel(&state);
  panel.resize(1200, 300);
  panel.show();
  RunRequest request = configOf("greedy-by-size");
  request.l2 = {.kind = PoolSize::Kind::bytes, .bytes = Bytes(128)};
  request.l3 = {.kind = PoolSize::Kind::bytes, .bytes = Bytes(64)};
  request.alignment = Bytes(1);
  state.setRun(execute(sampleModel(), request, {}).value());
  panel.setComparison(compared(*state.run(), {"greedy-by-size", "none"}));
  std::shared_ptr<const Run> opened;
  std::shared_ptr<const Run> asked;
  QObject::connect(&panel, &ComparePanel::runWanted, [&](const auto& run) { opened = run; });
  QObject::connect(&panel, &ComparePanel::autopsyWanted, [&](const auto& run) { asked = run; });
  int failed = -1;
  for (int row = 0; row < panel.model()->rowCount(); ++row) {
    if (!panel.model()->row(row)->fits() && row != panel.model()->rowOfA()) failed = row;
  }
  REQUIRE(failed >= 0);
  for (int row = 0; row < panel.table()->model()->rowCount(); ++row) {
    if (panel.table()->rowOf(panel.table()->model()->index(row, 0)) != failed) continue;
    click(panel, row, CompareModel::verdict);
  }
  REQUIRE(asked);
  CHECK(asked == panel.model()->row(failed)->run);
  CHECK(opened == asked);
}
