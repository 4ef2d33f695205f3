// Two peaks, each with its step, and what all memories come to together.
// A schedule dealt out to devices says which operators are dispatched and managed together.

#include <catch2/catch.hpp>
#include <set>

#include "core/base/text.h"
#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "core/run/figures.h"
#include "core/run/options.h"
#include "tests/widgets/method/method_support.h"
#include "widgets/panels/metrics_panel.h"
#include "widgets/panels/schedule_panel.h"
#include "widgets/text/run_text.h"

using namespace hw::test;
using namespace hw;

namespace {

std::shared_ptr<const Run> spilledRun() {
  RunRequest request = requestBy("greedy-by-size");
  request.l2 = {.kind = PoolSize::Kind::bytes, .bytes = Bytes(32 * 1024)};
  return sampleRun("resnet8", request);
}

QString cell(const MetricsPanel& panel, const QString& name, int column) {
  for (int row = 0; row < panel.rowCount(); ++row) {
    if (panel.item(row, 0)->text() == name) return panel.item(row, column)->text();
  }
  return {};
}

}  // namespace

TEST_CASE("metrics tell two peaks apart and have a total over memories", "[metrics]") {
  ViewState state;
  MetricsPanel panel(&state);
  const auto run = spilledRun();
  REQUIRE(run->metrics.pools[PoolId(1)].stays > 0);
  state.setRun(run);
  const PoolMetrics& l2 = run->metrics.pools[PoolId(0)];
  CHECK(cell(panel, QStringLiteral("Highest address"), 1) == sizeText(l2.peak));
  CHECK(cell(panel, QStringLiteral("Highest at step"), 1) ==
        QString::number(l2.atTop.step.count()));
  CHECK(cell(panel, QStringLiteral("Live peak"), 1) == sizeText(l2.peakLive));
  CHECK(cell(panel, QStringLiteral("Live peak at step"), 1) ==
        QString::number(l2.peakStep.count()));
  REQUIRE(panel.columnCount() == 4);
  CHECK(panel.horizontalHeaderItem(3)->text() == QStringLiteral("All"));
  CHECK(cell(panel, QStringLiteral("Highest address"), 3) == sizeText(figuresOf(*run).peak()));
  CHECK(cell(panel, QStringLiteral("Live peak"), 3) == sizeText(run->metrics.lowerBound));
  CHECK(cell(panel, QStringLiteral("Above live peak"), 3) ==
        QString::fromStdString(formatPercent(run->metrics.gap())));
}

TEST_CASE("names of figures are never squeezed out by many memories", "[metrics]") {
  ViewState state;
  MetricsPanel panel(&state);
  state.setRun(spilledRun());
  for (const int width : {700, 320, 160, 60, 700}) {
    CAPTURE(width);
    panel.resize(width, 400);
    panel.show();
    CHECK(panel.columnWidth(0) >= panel.fontMetrics().averageCharWidth() * 14);
    // Figures are whole.
    for (int column = 1; column < panel.columnCount(); ++column) {
      for (int row = 0; row < panel.rowCount(); ++row) {
        const auto* figure = panel.item(row, column);
        if (!figure || panel.isColumnHidden(column) || panel.columnSpan(row, 1) > 1) continue;
        CHECK(panel.columnWidth(column) >= panel.fontMetrics().horizontalAdvance(figure->text()));
      }
    }
  }
}

TEST_CASE("metrics have a row for what a platform keeps of its memories", "[metrics]") {
  RunRequest request = defaultRequest();
  request.allocator = AllocatorChoice::parse("greedy-by-size").value();
  ViewState state;
  MetricsPanel panel(&state);
  const auto model = test::sampleModel("resnet8");
  state.setRun(execute(model, request, {}).value());
  CHECK(cell(panel, QStringLiteral("Reserved"), 1).isEmpty());
  request.platform = *findPlatform("esp32-s3");
  const auto run = execute(model, request, {}).value();
  REQUIRE(reservedBytes(*run, PoolId(0)) > Bytes());
  state.setRun(run);
  CHECK(cell(panel, QStringLiteral("Reserved"), 1) == sizeText(reservedBytes(*run, PoolId(0))));
}

TEST_CASE("the schedule names units, and where they and sub-functions begin", "[schedule]") {
  const auto run = figure("two_devices", "partition", false);
  const UnitRows rows(*run);
  // conv1 | relu | conv2 on A, then add and softmax on B.
  QStringList names;
  std::vector<UnitRows::Begin> begins;
  for (int row = 0; row < 5; ++row) {
    names.append(rows.name(row));
    begins.push_back(rows.begin(row));
  }
  CHECK(names.join(QLatin1Char(' ')) == QStringLiteral("A/mac A/vec A/mac B/cpu B/cpu"));
  using enum UnitRows::Begin;
  CHECK(begins == std::vector{subFunction, unit, unit, subFunction, none});
  CHECK(rows.device(0) != rows.device(3));
  CHECK(rows.device(3) == rows.device(4));
  CHECK(rows.toolTip(4).contains(QStringLiteral("sub-function 1, dispatched to B: steps 3 to 4")));
  CHECK(rows.toolTip(1).contains(QStringLiteral("execution unit 1, on vec: steps 1 to 1")));
  CHECK(rows.name(5).isEmpty());
  CHECK(rows.name(-1).isEmpty());
}

TEST_CASE("scopes stand above their operators, whose names leave them out", "[schedule]") {
  ViewState state;
  SchedulePanel panel(&state);
  state.setRun(test::sampleRun("inception_v3"));
  const Graph& graph = state.run()->graph();
  const auto* model = panel.model();
  const int usual = panel.rowHeight(0) / 2;  // The first row of all has a heading.
  QString scope;
  int headings = 0;
  for (int row = 0; row < model->rowCount(); ++row) {
    const QModelIndex index = model->index(row, ScheduleModel::kOp);
    const QString heading = index.data(ScheduleModel::kHeadingRole).toString();
    CAPTURE(row, heading.toStdString());
    CHECK(panel.rowHeight(row) == (heading.isEmpty() ? usual : 2 * usual));
    if (!heading.isEmpty()) {
      CHECK(heading != scope);
      scope = heading;
      ++headings;
    }
    const OpId op = state.run()->schedule.opAt(Step(row));
    const QString whole = QString::fromStdString(graph.ops[op].name);
    const QString leaf = index.data(ScheduleModel::kLeafRole).toString();
    const bool scoped = whole.contains(QLatin1Char('.'));
    CHECK(scoped == (scope != QStringLiteral("without a scope")));
    CHECK(leaf == (scoped ? whole.mid(scope.size() + 1) : whole));
    CHECK((!scoped || whole.startsWith(scope + QLatin1Char('.'))));
    CHECK(index.data().toString() == whole);
  }
  CHECK(headings > 10);
  // A planning problem has no operators, and so no scopes.
  state.setRun(test::randomRun(3, 20, 12));
  CHECK(panel.model()->index(0, ScheduleModel::kOp).data(ScheduleModel::kHeadingRole).toString() ==
        QString());
}

TEST_CASE("the column of units is there where there are any", "[schedule]") {
  ViewState state;
  SchedulePanel panel(&state);
  panel.resize(400, 300);
  CHECK(panel.isColumnHidden(ScheduleModel::kUnit));
  state.setRun(figure("two_devices", "partition", false));
  CHECK_FALSE(panel.isColumnHidden(ScheduleModel::kUnit));
  CHECK(panel.model()->index(3, ScheduleModel::kUnit).data().toString() == QStringLiteral("B/cpu"));
  state.setRun(figure("two_devices", "free-list", false));
  CHECK(panel.isColumnHidden(ScheduleModel::kUnit));
}

TEST_CASE("a narrow list of operators drops bars first, then sizes", "[schedule]") {
  ViewState state;
  SchedulePanel panel(&state);
  panel.show();
  state.setRun(test::sampleRun("squeezenet"));
  // By width of the list, from the widest on: the width of the column, 0 where it is hidden.
  std::vector<int> sizes;
  for (int width = 600; width > 60; width -= 10) {
    panel.resize(width, 300);
    const bool hidden = panel.isColumnHidden(ScheduleModel::kLive);
    sizes.push_back(hidden ? 0 : panel.columnWidth(ScheduleModel::kLive));
    const int name = panel.columnWidth(ScheduleModel::kOp);
    CHECK((hidden || name >= 13 * panel.fontMetrics().averageCharWidth()));
  }
  CHECK(std::ranges::is_sorted(sizes, std::greater()));
  CHECK(std::set<int>(sizes.begin(), sizes.end()).size() == 3);
}
