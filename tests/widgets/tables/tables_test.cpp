#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QHeaderView>
#include <QTemporaryDir>
#include <QTest>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/gui/studio.h"
#include "core/base/csv.h"
#include "tests/gui/native_support.h"
#include "tests/widgets/patience.h"
#include "tests/widgets/support.h"
#include "widgets/tables/table_panel.h"
#include "widgets/tables/table_source.h"

using namespace hw;

namespace {

std::shared_ptr<const TableSource> blocks(const std::shared_ptr<const Run>& run) {
  return makeTable(run, TableKind::blocks, 0);
}

std::size_t columnOf(const TableSource& source, const char* key) {
  for (std::size_t i = 0; i < source.columns.size(); ++i) {
    if (source.columns[i].key == key) return i;
  }
  FAIL("no column " << key);
  return 0;
}

/// Names of the rows that a filter keeps.
std::string kept(const TableSource& source, const char* text) {
  const auto filter = TableFilter::parse(QString::fromUtf8(text), source);
  if (!filter) return "error: " + filter.error().text();
  std::string names;
  for (const std::uint32_t row : arrangeRows(source, {.filter = *filter}, [] { return false; })) {
    names += source.exact(row, columnOf(source, "tensor")).toStdString();
  }
  return names;
}

struct ShownTable {
  ViewState state;
  TablePanel panel{&state};
  explicit ShownTable(std::shared_ptr<const Run> run) {
    state.setRun(std::move(run));
    panel.resize(900, 300);
    panel.show();
  }
  std::string cell(int row, const char* key) {
    const auto& source = panel.model()->source();
    return source->exact(panel.model()->sourceRow(row), columnOf(*source, key)).toStdString();
  }
  std::string names() {
    std::string names;
    for (int row = 0; row < panel.model()->rowCount(); ++row) names += cell(row, "tensor");
    return names;
  }
};

}  // namespace

TEST_CASE("expressions and words filter rows", "[tables]") {
  // a 4 bytes in step 0, b 6 in 0 and 1, c 3 in 1, d 10 in 2
  const auto run = test::smallRun();
  const auto source = blocks(run);
  CHECK(kept(*source, "") == "abcd");
  CHECK(kept(*source, "size > 4") == "bd");
  CHECK(kept(*source, "size>=4 size<10") == "ab");
  CHECK(kept(*source, "size = 3") == "c");
  CHECK(kept(*source, "size != 3B") == "abd");
  CHECK(kept(*source, "first <= 0") == "ab");
  CHECK(kept(*source, "tensor ~ B") == "b");
  CHECK(kept(*source, "tensor = b") == "b");
  CHECK(kept(*source, "pool = l2 last > 1") == "d");
  CHECK(kept(*source, "offset >= 0x4") == "b");
  CHECK(kept(*source, "b") == "b");
  CHECK(kept(*source, "\"b\"") == "b");
  CHECK(kept(*source, "zzz").empty());
}

TEST_CASE("a filter that means nothing says what there is", "[tables]") {
  const auto source = blocks(test::smallRun());
  const std::string unknown = kept(*source, "siz > 4");
  CHECK(unknown.find("siz") != std::string::npos);
  CHECK(unknown.find("size") != std::string::npos);
  CHECK(kept(*source, "size > lots").find("lots") != std::string::npos);
  CHECK(kept(*source, "tensor > b").find("text") != std::string::npos);
}

TEST_CASE("every table of a run says what the run says", "[tables]") {
  const auto run = test::timed(*test::randomRun(3, 40, 20));
  const auto block = blocks(run);
  REQUIRE(block->rows == run->problem.stays.size());
  for (const StayId stay : run->problem.stays.keys()) {
    const std::size_t row = stay.index();
    CHECK(block->columns[columnOf(*block, "size")].value(row).whole() ==
          run->problem.stays[stay].size.count());
    CHECK(block->columns[columnOf(*block, "offset")].value(row).whole() ==
          run->plan.flatOffset(stay)->count());
    CHECK(block->columns[columnOf(*block, "first")].value(row).whole() ==
          run->problem.stays[stay].steps.begin.count());
  }
  // An op starts and ends.
  CHECK(makeTable(run, TableKind::events, 0)->rows ==
        run->timeline.size() + 2 * run->schedule.order.size());
  CHECK(makeTable(run, TableKind::ops, 0)->rows == run->schedule.order.size());
  for (const std::size_t moment : {std::size_t{0}, run->trace.size() / 2, run->trace.size()}) {
    const auto free = makeTable(run, TableKind::freeList, moment);
    std::int64_t bytes = 0;
    for (std::size_t row = 0; row < free->rows; ++row) {
      bytes += free->columns[columnOf(*free, "size")].value(row).whole().value();
    }
    const ChunkMap memory = run->trace.stateAfter(moment)[PoolId(0)];
    CHECK(bytes == (memory.footprint() - memory.inUse()).count());
  }
}

TEST_CASE("headers sort, by value and not by text, and back", "[tables]") {
  ShownTable shown(test::smallRun());
  shown.panel.choose(TableKind::blocks);
  const auto size = static_cast<int>(columnOf(*shown.panel.model()->source(), "size"));
  shown.panel.view()->sortByColumn(size, Qt::AscendingOrder);
  CHECK(shown.names() == "cabd");
  shown.panel.view()->sortByColumn(size, Qt::DescendingOrder);
  CHECK(shown.names() == "dbac");
  shown.panel.filterLine()->setText(QStringLiteral("size < 10"));
  CHECK(shown.names() == "bac");
  CHECK(shown.panel.countText() == QStringLiteral("3 of 4 rows"));
  shown.panel.filterLine()->setText(QStringLiteral("size <"));
  shown.panel.filterLine()->setText(QStringLiteral("size < x"));
  CHECK(shown.panel.errorText().contains(QStringLiteral("x")));
  CHECK(shown.names() == "");
}

TEST_CASE("rows without a value come last, whichever way a column is sorted", "[tables]") {
  auto source = std::make_shared<TableSource>();
  source->run = test::smallRun();
  source->rows = 3;
  source->columns.push_back({"size", "size", ColumnKind::bytes,
                             [](std::size_t row) { return row == 1 ? Value() : Value(row); }});
  const auto order = [&](bool descending) {
    return arrangeRows(*source, {.sortColumn = 0, .descending = descending}, [] { return false; });
  };
  CHECK(order(false) == std::vector<std::uint32_t>{0, 2, 1});
  CHECK(order(true) == std::vector<std::uint32_t>{2, 0, 1});
}

TEST_CASE("the table of events says what the file of events says", "[tables]") {
  const auto run = test::timed(*test::randomRun(3, 40, 20));
  const auto source = makeTable(run, TableKind::events, 0);
  std::ostringstream file;
  writeEvents(*run, EventsFormat::csv, file);
  const auto lines = csvLines(file.str());
  REQUIRE(lines.size() == source->rows + 1);
  // In the first column the file has places in its order, the table the numbers of the transport.
  CHECK(source->columns[0].key == "number");
  for (std::size_t column = 1; column < source->columns.size(); ++column) {
    CHECK(lines[0].fields[column] == source->columns[column].key);
    if (!isNumber(source->columns[column].kind)) continue;  // Words are put for people.
    for (std::size_t row = 0; row < source->rows; ++row) {
      REQUIRE(lines[row + 1].fields[column] == source->exact(row, column).toStdString());
    }
  }
}

TEST_CASE("rows and selection are linked both ways", "[tables]") {
  ShownTable shown(test::smallRun());
  shown.panel.choose(TableKind::blocks);
  shown.state.select(StayId(2));
  CHECK(shown.panel.view()->currentIndex().row() == 2);
  const QModelIndex second = shown.panel.model()->index(1, 0);
  QTest::mouseClick(shown.panel.view()->viewport(), Qt::LeftButton, {},
                    shown.panel.view()->visualRect(second).center());
  CHECK(shown.state.selected() == StayId(1));
  shown.panel.choose(TableKind::ops);
  shown.state.select({});
  shown.state.selectOp(OpId(2));
  CHECK(shown.panel.view()->currentIndex().row() == 2);
}

TEST_CASE("what is picked out and the statistics' range narrow the table", "[tables]") {
  ShownTable shown(test::smallRun());
  shown.panel.choose(TableKind::blocks);
  shown.state.setFilter(makeFilter("odd", {false, true, false, true}));
  CHECK(shown.names() == "bd");
  shown.state.setFilter(nullptr);
  shown.state.restrictStatistics(Interval<Step>{Step(1), Step(2)});
  CHECK(shown.names() == "bc");
  shown.state.restrictStatistics({});
  CHECK(shown.names() == "abcd");
}

TEST_CASE("the free list follows the moment", "[tables]") {
  ShownTable shown(test::smallRun());
  shown.panel.choose(TableKind::freeList);
  shown.state.setStep(Step(1));
  REQUIRE(test::comes([&] { return shown.panel.model()->rowCount() == 1; }));
  CHECK(shown.cell(0, "size") == "1");
  CHECK(shown.cell(0, "above") == "b");
}

TEST_CASE("rows are copied and exported exactly as shown", "[tables]") {
  ShownTable shown(
      test::makeRun({{"a,\"1\"", 4'096, 0, 1}, {"=cmd", 6, 0, 2}, {"\x1b[31m", 3, 1, 2}}));
  shown.panel.choose(TableKind::blocks);
  shown.panel.view()->selectRow(1);
  QTest::keyClick(shown.panel.view(), Qt::Key_C, Qt::ControlModifier);
  const QStringList lines = QApplication::clipboard()->text().split(QLatin1Char('\n'));
  REQUIRE(lines.size() == 3);
  CHECK(lines[1].startsWith(QStringLiteral("=cmd\t")));

  QTemporaryDir folder;
  const QString csv = folder.filePath(QStringLiteral("rows.csv"));
  const auto& source = *shown.panel.model()->source();
  REQUIRE(writeTable(source, shown.panel.rows(), csv));
  QFile file(csv);
  REQUIRE(file.open(QIODevice::ReadOnly));
  const std::string text = file.readAll().toStdString();
  const auto read = csvLines(text);
  REQUIRE(read.size() == 4);
  CHECK(read[0].fields[columnOf(source, "size")] == "size");
  CHECK(read[1].fields[columnOf(source, "tensor")] == "a,\"1\"");
  CHECK(read[1].fields[columnOf(source, "size")] == "4096");
  CHECK(text.find('\x1b') == std::string::npos);

  const auto json = nlohmann::json::parse(tableJson(source, shown.panel.rows()).toStdString());
  REQUIRE(json.size() == 3);
  CHECK(json[1]["size"] == 6);
  CHECK(json[0]["tensor"] == "a,\"1\"");

  const auto refused = writeTable(source, {}, folder.filePath(QStringLiteral("rows.txt")));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().text().find("rows.txt") != std::string::npos);
}

TEST_CASE("a million rows are arranged by a worker, and stay usable meanwhile", "[tables]") {
  auto source = std::make_shared<TableSource>();
  source->run = test::smallRun();
  source->rows = 1'000'000;
  source->columns.push_back(
      {"size", "size", ColumnKind::bytes, [](std::size_t row) { return row * 7'919 % 1'000'003; }});
  TableModel model;
  model.setSource(source);
  model.sort(0, Qt::DescendingOrder);
  CHECK(model.isArranging());  // Not here and now, that is.
  REQUIRE(test::comes([&] { return !model.isArranging() && model.rowCount() > 0; }));
  REQUIRE(model.rowCount() == 1'000'000);
  for (int row = 1; row < 1'000'000; row += 997) {
    REQUIRE(source->columns[0].value(model.sourceRow(row - 1)) >=
            source->columns[0].value(model.sourceRow(row)));
  }
}

TEST_CASE("the window shows tables by command", "[tables]") {
  test::Opened window({}, {1280, 800});
  auto* panel = window.findChild<TablePanel*>();
  REQUIRE(panel);
  CHECK_FALSE(panel->chooser()->isEnabled());
  window.openModel(QStringLiteral("samples:mobilenet_v2"));
  REQUIRE(test::comes([&] { return !window.job()->isRunning(); }));
  test::part<QAction>(window, "tableTensors")->trigger();
  CHECK(panel->isVisible());
  CHECK(panel->filterLine()->hasFocus());
  CHECK(test::comes([&] { return panel->model()->rowCount() > 50; }));
  for (int table = 0; table < panel->chooser()->count(); ++table) {
    panel->chooser()->setCurrentIndex(table);
    const auto& model = *panel->model();
    for (int row = 0; row < std::min(20, model.rowCount()); ++row) {
      for (int column = 0; column < model.columnCount(); ++column) {
        model.index(row, column).data();
      }
    }
    CHECK(model.columnCount() > 0);
  }
}
