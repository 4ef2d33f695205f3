#include "widgets/compare/compare_table.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QMenu>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "core/base/json.h"
#include "core/files/file.h"
#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "tests/gui/native_support.h"
#include "tests/widgets/compare/compare_support.h"
#include "tests/widgets/patience.h"
#include "widgets/base/bar_delegate.h"
#include "widgets/compare/compare_panel.h"

using namespace hw::test;
using namespace hw;

TEST_CASE("the comparison panel says what to do first", "[shell][compare]") {
  ViewState state;
  ComparePanel panel(&state);
  panel.show();
  CHECK(panel.emptyText().contains(QStringLiteral("Open a model")));
  CHECK_FALSE(test::button(panel, "start")->isEnabled());
  state.setRun(planned("greedy-by-size"));
  CHECK(panel.emptyText().contains(QStringLiteral("Compare")));
  CHECK(test::button(panel, "start")->isEnabled());
  tickOnly(*panel.allocators(), {});
  CHECK_FALSE(test::button(panel, "start")->isEnabled());
  CHECK(test::button(panel, "start")->toolTip().contains(QStringLiteral("Tick")));
}

TEST_CASE("what is ticked is compared in the background, with the command line's figures",
          "[shell][compare]") {
  ViewState state;
  ComparePanel panel(&state);
  panel.resize(1000, 300);
  panel.show();
  state.setRun(planned("greedy-by-size"));
  const std::vector<const char*> names = {"none", "greedy-by-size", "free-list:pick=best"};
  tickOnly(*panel.allocators(), names);
  QTest::mouseClick(test::button(panel, "start"), Qt::LeftButton);
  CHECK(panel.job()->isRunning());
  CHECK(test::button(panel, "stop")->isVisible());
  REQUIRE(test::comes([&] { return !panel.job()->isRunning(); }));
  CHECK_FALSE(test::button(panel, "stop")->isVisible());
  const auto expected = compared(*state.run(), names);
  REQUIRE(panel.comparison());
  REQUIRE(panel.comparison()->rows.size() == expected->rows.size());
  for (const ComparisonRow& row : expected->rows) {
    const auto same = std::ranges::find_if(panel.comparison()->rows, [&](const auto& other) {
      return other.allocator.text() == row.allocator.text();
    });
    REQUIRE(same != panel.comparison()->rows.end());
    CHECK(same->peak() == row.peak());
    CHECK(same->figures.reuse == row.figures.reuse);
    CHECK(same->best == row.best);
  }
}

TEST_CASE("figures sort by value, and rows without one stay last", "[shell][compare]") {
  ViewState state;
  ComparePanel panel(&state);
  panel.resize(1000, 300);
  panel.show();
  state.setRun(planned("greedy-by-size"));
  auto comparison =
      std::make_shared<Comparison>(*compared(*state.run(), {"none", "greedy-by-size", "in-order"}));
  comparison->rows.push_back({.allocator = AllocatorChoice::parse("stacked").value(),
                              .error = Error{ErrorCode::unsupported, "it cannot", {}}});
  panel.setComparison(comparison);
  for (const auto direction : {Qt::AscendingOrder, Qt::DescendingOrder}) {
    panel.table()->sortByColumn(CompareModel::peak, direction);
    const QStringList allocators = columnTexts(*panel.table(), CompareModel::allocator);
    CHECK(allocators.back() == QStringLiteral("stacked"));
    const int largest = direction == Qt::AscendingOrder ? 2 : 0;
    CHECK(allocators[largest] == QStringLiteral("none"));
    CHECK(columnTexts(*panel.table(), CompareModel::verdict)
              .back()
              .contains(QStringLiteral("it cannot")));
  }
  // The best are marked in words, not by colour alone; nothing longer than the largest.
  for (int row = 0; row < 4; ++row) {
    const QModelIndex index = panel.table()->model()->index(row, CompareModel::peak);
    const bool best = index.data(BarDelegate::kBestRole).toBool();
    CHECK(columnTexts(*panel.table(), CompareModel::allocator)[row].startsWith(QChar(0x2605)) ==
          best);
    CHECK(columnTexts(*panel.table(), CompareModel::verdict)[row].contains(
              QStringLiteral("smallest")) == best);
  }
  const auto bar = [&](int row) {
    return panel.table()->model()->index(row, CompareModel::peak).data(BarDelegate::kShareRole);
  };
  CHECK(bar(0).toDouble() == 1.0);
  CHECK(bar(1).toDouble() < 1.0);
  CHECK_FALSE(bar(3).isValid());
}

TEST_CASE("a click asks for the row's plan, one in its map cell for it below", "[shell][compare]") {
  ViewState state;
  ComparePanel panel(&state);
  panel.resize(1000, 300);
  panel.show();
  state.setRun(planned("greedy-by-size"));
  panel.setComparison(compared(*state.run(), {"none", "greedy-by-size"}));
  // Planned apart from the one on show, but the same plan.
  CHECK(panel.comparison()->rows[0].run != state.run());
  CHECK(panel.model()->rowOfA() == 0);
  std::shared_ptr<const Run> opened;
  std::shared_ptr<const Run> below;
  QObject::connect(&panel, &ComparePanel::runWanted, [&](const auto& run) { opened = run; });
  QObject::connect(&panel, &ComparePanel::belowWanted, [&](const auto& run) { below = run; });
  panel.table()->sortByColumn(CompareModel::allocator, Qt::DescendingOrder);
  click(panel, 0, CompareModel::peak);
  REQUIRE(opened);
  CHECK(opened->request.allocator.text() == "none");
  state.setRun(opened);
  CHECK(columnTexts(*panel.table(), CompareModel::shown).front() == QStringLiteral("A"));
  click(panel, 1, CompareModel::shown);
  REQUIRE(below);
  CHECK(below->request.allocator.text() == "greedy-by-size");
  panel.setBelow({below});
  CHECK(columnTexts(*panel.table(), CompareModel::shown).back() == QStringLiteral("B"));
  std::shared_ptr<const Run> closed;
  QObject::connect(&panel, &ComparePanel::closeWanted, [&](const auto& run) { closed = run; });
  click(panel, 1, CompareModel::shown);
  CHECK(closed == below);
}

TEST_CASE("what plans are ranked by comes first, in the table and as bars", "[shell][compare]") {
  ViewState state;
  ComparePanel panel(&state);
  panel.show();
  const auto run = planned("greedy-by-size");
  RunRequest unbounded = run->request;
  unbounded.l2.kind = PoolSize::Kind::unbounded;
  const auto other = execute(run->model, unbounded, {}).value();
  for (const auto& each : {run, other, run}) {
    state.setRun(each);
    panel.setComparison(compared(*each, {"none", "greedy-by-size"}));
    const auto by = panel.comparison()->by;
    CHECK(by == (each == other ? Ranking::peak : Ranking::latency));
    const int first = by == Ranking::latency ? CompareModel::latency : CompareModel::peak;
    CHECK(panel.table()->horizontalHeader()->visualIndex(first) == CompareModel::shown + 1);
    CHECK(panel.charts()->figureBox()->currentText() == panel.model()->title(first));
  }
}

TEST_CASE("a comparison goes with its model, and says when settings changed", "[shell][compare]") {
  ViewState state;
  ComparePanel panel(&state);
  panel.show();
  const auto run = planned("greedy-by-size");
  state.setRun(run);
  panel.setComparison(compared(*run, {"none", "greedy-by-size"}));
  CHECK(panel.note().startsWith(QStringLiteral("Best by ")));
  // The card has the peak of L2.
  CHECK(panel.note().contains(QStringLiteral("lower bound of all memories")));
  CHECK(panel.model()->title(CompareModel::peak) == QStringLiteral("Total peak"));
  RunRequest other = run->request;
  other.l2 = {.kind = PoolSize::Kind::bytes, .bytes = Bytes(1 << 20)};
  state.setRun(execute(run->model, other, {}).value());
  CHECK(panel.note().startsWith(QStringLiteral("Made with other settings")));
  CHECK(panel.comparison());
  // Another model, though it is equal.
  state.setRun(execute(std::make_shared<const Model>(*run->model), run->request, {}).value());
  CHECK_FALSE(panel.comparison());
  CHECK_FALSE(panel.emptyText().isEmpty());
}

TEST_CASE("a stopped comparison keeps what is done; an abandoned one never reports",
          "[shell][compare]") {
  Job job(QStringLiteral("Comparing"), Job::Stopping::reports);
  std::shared_ptr<const Comparison> last;
  int reports = 0;
  const auto accept = [&](Comparison made) {
    last = std::make_shared<const Comparison>(std::move(made));
    ++reports;
    return JobEnd();
  };
  const auto model = sampleModel("inception");
  std::atomic<bool> one = false;
  const auto work = [model, &one](const RunContext& context) {
    // The first row is done before anybody stops; the second waits for it.
    Comparison done = compareAllocators(model, requestBy("none"), choices({"none"}), context);
    one = true;
    while (!context.stop.stop_requested()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    Comparison rest = compareAllocators(model, requestBy("none"), choices({"in-order"}), context);
    done.rows.push_back(rest.rows.front());
    return done;
  };
  job.start(work, accept);
  REQUIRE(test::comes([&] { return one.load(); }));
  job.stop();
  REQUIRE(test::comes([&] { return !job.isRunning(); }));
  REQUIRE(last);
  CHECK(last->rows.front().run);
  CHECK(last->rows.back().stopped());

  job.start(work, accept);
  job.abandon();
  CHECK_FALSE(job.isRunning());
  REQUIRE(test::comes([&] { return !job.hasThreads(); }));
  CHECK(reports == 1);
}

TEST_CASE("variants with parameters are added, bad ones are named", "[shell][compare]") {
  AllocatorList list;
  list.show();
  const int before = list.list()->count();
  CHECK(before == static_cast<int>(allocatorCatalog().size()));
  CHECK(std::ranges::any_of(list.choices(), [](const AllocatorChoice& choice) {
    return choice.info->name == kDefaultAllocator;
  }));
  QTest::keyClicks(list.variantEdit(), QStringLiteral("free-list:pick=worse"));
  QTest::keyClick(list.variantEdit(), Qt::Key_Return);
  CHECK(list.list()->count() == before);
  const auto* error = part<QLabel>(list, "allocatorError");
  CHECK(error->isVisible());
  CHECK(error->text().contains(QStringLiteral("pick")));
  list.variantEdit()->clear();
  QTest::keyClicks(list.variantEdit(), QStringLiteral("free-list:pick=best"));
  QTest::keyClick(list.variantEdit(), Qt::Key_Return);
  CHECK(error->isHidden());
  CHECK(list.list()->count() == before + 1);
  CHECK(list.choices().back().text() == "free-list:pick=best");
  list.chooseAll();
  CHECK(list.choices().size() == static_cast<std::size_t>(before + 1));
}

TEST_CASE("what follows the model's own plan is offered where there is one", "[shell][compare]") {
  AllocatorList list;
  const auto embedded = [&] {
    return std::ranges::any_of(list.choices(), [](const AllocatorChoice& choice) {
      return choice.info->name == "embedded";
    });
  };
  Graph graph;
  graph.tensors.add({});
  QSignalSpy changed(&list, &AllocatorList::changed);
  list.offerFor(graph);
  CHECK(changed.size() == 1);
  list.chooseAll();
  CHECK_FALSE(embedded());
  CHECK(list.choices().size() + 1 == allocatorCatalog().size());
  graph.tensors[TensorId(0)].plannedOffset = Bytes(64);
  list.offerFor(graph);
  CHECK(embedded());

  ViewState state;
  ComparePanel panel(&state);
  panel.allocators()->chooseAll();
  state.setRun(planned("greedy-by-size"));
  CHECK(panel.allocators()->choices().size() + 1 == allocatorCatalog().size());
}

TEST_CASE("the comparison is written as CSV and as JSON", "[shell][compare]") {
  ViewState state;
  ComparePanel panel(&state);
  state.setRun(planned("greedy-by-size"));
  panel.setComparison(compared(*state.run(), {"none", "greedy-by-size"}));
  QTemporaryDir folder;
  const QString csv = folder.filePath(QStringLiteral("table.csv"));
  const QString json = folder.filePath(QStringLiteral("table.json"));
  REQUIRE(panel.writeTo(csv, "samples:inception"));
  REQUIRE(panel.writeTo(json, "samples:inception"));
  const std::string table = readFile(csv.toStdString()).value();
  CHECK(std::ranges::count(table, '\n') == 3);
  CHECK(table.starts_with("model,allocator,status"));
  CHECK(table.find("\nsamples:inception,greedy-by-size,complete,true,") != std::string::npos);
  const Json read = Json::parse(readFile(json.toStdString()).value());
  CHECK(read["model"]["file"] == "samples:inception");
  CHECK(read["rows"].size() == 2);
  CHECK_FALSE(panel.writeTo(folder.filePath(QStringLiteral("none/table.csv")), "x"));
}

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
  test::part<QAction>(*menu, "platform")->trigger();
  test::part<QAction>(*menu, "gap")->trigger();
  CHECK_FALSE(panel.table()->isColumnHidden(CompareModel::platform));
  CHECK(panel.table()->isColumnHidden(CompareModel::gap));
  CHECK_FALSE(test::part<QAction>(*menu, "allocator")->isEnabled());
  panel.setComparison(compared(*state.run(), {"none", "in-order"}));
  CHECK(panel.table()->isColumnHidden(CompareModel::gap));  // A choice outlasts a comparison.
}

TEST_CASE("platforms are compared with the capacities of their own", "[shell][compare]") {
  ViewState state;
  ComparePanel panel(&state);
  panel.resize(1000, 300);
  panel.show();
  RunRequest request = requestBy("greedy-by-size");
  request.l2 = {.kind = PoolSize::Kind::bytes, .bytes = Bytes(4096)};
  state.setRun(execute(test::sampleModel("mobilenet_v2"), request, {}).value());
  auto* choice = part<QComboBox>(panel, "compareChoice");
  choice->setCurrentIndex(static_cast<int>(ComparePanel::Choice::platforms));
  CHECK(panel.requests().size() == platformCatalog().size());
  choice->setCurrentIndex(static_cast<int>(ComparePanel::Choice::both));
  tickOnly(*panel.allocators(), {"greedy-by-size", "none"});
  for (int i = 2; i < panel.platforms()->count(); ++i) {
    panel.platforms()->item(i)->setCheckState(Qt::Unchecked);
  }
  REQUIRE(panel.requests().size() == 4);
  QTest::mouseClick(test::button(panel, "start"), Qt::LeftButton);
  REQUIRE(test::comes([&] { return panel.comparison() != nullptr; }));
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
  RunRequest request = requestBy("greedy-by-size");
  request.l2 = {.kind = PoolSize::Kind::bytes, .bytes = Bytes(128)};
  request.l3 = {.kind = PoolSize::Kind::bytes, .bytes = Bytes(64)};
  request.alignment = Bytes(1);
  state.setRun(execute(sampleModel("inception"), request, {}).value());
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
