#include "widgets/panels/metrics_panel.h"

#include <QHeaderView>
#include <algorithm>

#include "core/base/text.h"
#include "core/picture/plot.h"
#include "core/plan/measure_range.h"
#include "core/plan_file/plan_document.h"
#include "core/report/text/text_table.h"
#include "core/run/figures.h"
#include "widgets/base/panel_parts.h"
#include "widgets/tables/table_source.h"
#include "widgets/text/run_text.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

/// Ranges of runs with up to this many stays are measured at once.
constexpr std::size_t kAtOnce = 20'000;

/// Of a figure's name, where figures need the room.
constexpr int kLeastLetters = 14;

}  // namespace

MetricsPanel::MetricsPanel(ViewState* state, QWidget* parent)
    : QTableWidget(parent), state_(state) {
  setAccessibleName(tr("Metrics"));
  dressTable(this, 5);
  setEditTriggers(NoEditTriggers);
  connect(state, &ViewState::runChanged, this, &MetricsPanel::measure);
  connect(state, &ViewState::statisticsRangeChanged, this, &MetricsPanel::measure);
  measure();
}

/// A range of a large run is measured by a worker; until it is done the old figures stay.
void MetricsPanel::measure() {
  measuring_.drop();
  const auto run = state_->run();
  const auto range = state_->statisticsRange();
  if (!run || !range) {
    figures_ = run ? run->metrics : PlanMetrics();
    return refresh();
  }
  measuring_.start(
      run->problem.stays.size() <= kAtOnce,
      [run, range] { return measureRange(run->problem, run->plan, *range); },
      [this](PlanMetrics figures) {
        figures_ = std::move(figures);
        refresh();
      });
}

void MetricsPanel::refresh() {
  clear();
  clearSpans();
  setRowCount(0);
  const auto run = state_->run();
  if (!run) {
    setColumnCount(1);
    horizontalHeader()->hide();
    horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    addRow(tr("Open a model to see its figures"), {}, {});
    return;
  }
  nameColumns(*run);
  if (const auto range = state_->statisticsRange()) {
    const auto number = [](Step step) { return QString::fromStdString(groupDigits(step.count())); };
    addRow(tr("Steps"), {tr("%1\u2013%2").arg(number(range->begin), number(range->end - Step(1)))},
           tr("Statistics are restricted to these steps; the mark in the status line ends that"));
    if (columnCount() > 2) setSpan(0, 1, 1, columnCount() - 1);
  }
  addCapacityRow(*run);
  addReservedRow(*run);
  addPoolRows();
  addRunRows(*run);
  fitNames();
}

void MetricsPanel::nameColumns(const Run& run) {
  QStringList titles = {tr("Figure")};
  for (const PoolMetrics& pool : figures_.pools) titles.append(poolText(run, pool.pool));
  if (usedPools(run).size() > 1) titles.append(tr("All"));
  setColumnCount(static_cast<int>(titles.size()));
  setHorizontalHeaderLabels(titles);
  horizontalHeaderItem(0)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  for (int column = 1; column < columnCount(); ++column) {
    horizontalHeaderItem(column)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    // Of many memories, those that nothing lives in would only take room.
    const PoolId pool(static_cast<std::size_t>(column) - 1);
    const bool empty = figures_.pools.contains(pool) && figures_.pools[pool].stays == 0;
    setColumnHidden(column, figures_.pools.size() > 2 && empty);
  }
  horizontalHeader()->show();
  // Names may be cut, since they have tool tips, but not to nothing; figures may not.
  horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
}

/// Names have what figures leave, at the least so much that they can be told from one another: then
/// the last figures are scrolled to.
void MetricsPanel::fitNames() {
  if (columnCount() < 2) return;
  int figures = 0;
  for (int column = 1; column < columnCount(); ++column) {
    if (isColumnHidden(column)) continue;
    figures += std::max(sizeHintForColumn(column), horizontalHeader()->sectionSizeHint(column));
  }
  const int least = fontMetrics().averageCharWidth() * kLeastLetters;
  const bool tight = viewport()->width() - figures < least;
  horizontalHeader()->setSectionResizeMode(0, tight ? QHeaderView::Fixed : QHeaderView::Stretch);
  if (tight) horizontalHeader()->resizeSection(0, least);
  // A figure of the whole run lies over all columns: its near end must be in sight.
  const auto end = tight ? Qt::AlignLeft : Qt::AlignRight;
  for (int row = 0; row < rowCount(); ++row) {
    if (columnSpan(row, 1) > 1) item(row, 1)->setTextAlignment(end | Qt::AlignVCenter);
  }
}

void MetricsPanel::resizeEvent(QResizeEvent* event) {
  QTableWidget::resizeEvent(event);
  fitNames();
}

/// The limits that all other figures are for.
void MetricsPanel::addCapacityRow(const Run& run) {
  QStringList values;
  for (const ProblemPool& pool : run.problem.pools) {
    values.append(pool.capacity ? sizeText(*pool.capacity) : tr("unlimited"));
  }
  addRow(tr("Capacity"), values,
         tr("How much of the memory may be planned: the plan and its "
            "latency are those for these limits"));
}

/// The bytes that the platform keeps for itself, where it keeps any.
void MetricsPanel::addReservedRow(const Run& run) {
  QStringList values;
  Bytes all;
  for (const PoolId pool : figures_.pools.keys()) {
    const Bytes reserved = reservedBytes(run, pool);
    values.append(sizeText(reserved));
    all += reserved;
  }
  if (all == Bytes()) return;
  if (columnCount() > 1 + values.size()) values.append(sizeText(all));
  addRow(tr("Reserved"), values, tr("What the platform keeps of the memory: it is not planned"));
}

void MetricsPanel::addPoolRows() {
  const std::vector<std::string> ofAll = {"peak", "peak_live",    "peak_step",
                                          "gap",  "sum_of_sizes", "buffers"};
  const PoolMetrics total = figures_.total();
  const bool totals = columnCount() > 1 + static_cast<int>(figures_.pools.size());
  for (const Column<PoolMetrics>& column :
       pick(poolColumns(),
            {"peak", "footprint_step", "peak_live", "peak_step", "gap", "fragmentation_at_peak",
             "fragmentation_average", "kept_at_peak", "largest_hole", "sum_of_sizes", "buffers"})) {
    const bool kept = std::ranges::any_of(
        figures_.pools, [](const PoolMetrics& pool) { return pool.atPeak.kept > Bytes(); });
    if (column.key == "kept_at_peak" && !kept) continue;
    const auto text = [&](const PoolMetrics& pool, bool has) {
      const Value value = pool.stays > 0 && has ? column.value(pool) : Value();
      return column.kind == ColumnKind::bytes && !value.isNone()
                 ? sizeText(Bytes(*value.whole()))
                 : QString::fromStdString(cellText(value, column.kind, 40, "\u2013"));
    };
    QStringList values;
    for (const PoolMetrics& pool : figures_.pools) values.append(text(pool, true));
    const bool adds = std::ranges::find(ofAll, column.key) != ofAll.end();
    if (totals) values.append(text(total, adds));
    addRow(titleText(column.title), values, QString::fromStdString(column.meaning));
    if (!totals) continue;
    item(rowCount() - 1, columnCount() - 1)
        ->setToolTip(adds ? tr("Of all memories together: highest addresses add up, and the live "
                               "peak is the most bytes live in all at one step")
                          : tr("Each memory has its own"));
  }
}

void MetricsPanel::addRunRows(const Run& run) {
  const auto row = [this](const QString& name, const QString& value, const QString& toolTip) {
    addRow(name, {value}, toolTip);
    if (columnCount() > 2) setSpan(rowCount() - 1, 1, 1, columnCount() - 1);
  };
  // Time is of the whole run whatever the range: the machine runs all of it.
  row(tr("Status"), viewText(statusName(run.plan.status)), tr("How good the plan is"));
  row(tr("Reuse"), percentText(figures_.reuse),
      tr("Share of the bytes that lie where others were before"));
  if (run.timing.makespan > SimTime()) {
    row(tr("Latency"), timeText(run.timing.makespan), tr("Simulated time of the whole run"));
  }
  if (run.planSeconds <= 0) return;
  row(tr("Planning"), tr("%1 ms").arg(run.planSeconds * 1000, 0, 'f', 1),
      tr("Wall time of the allocator"));
}

void MetricsPanel::addRow(const QString& name, const QStringList& values, const QString& toolTip) {
  const int row = rowCount();
  insertRow(row);
  setItem(row, 0, new QTableWidgetItem(name));
  for (int column = 0; column < values.size(); ++column) {
    auto* value = new QTableWidgetItem(values[column]);
    value->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    setItem(row, column + 1, value);
  }
  for (int column = 0; column <= values.size(); ++column) item(row, column)->setToolTip(toolTip);
}

}  // namespace hw
