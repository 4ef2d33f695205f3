#include "widgets/panels/metrics_panel.h"

#include <QHeaderView>
#include <QPromise>
#include <QThreadPool>
#include <functional>

#include "core/base/text.h"
#include "core/plan/measure_range.h"
#include "widgets/panels/run_text.h"

namespace hw {

namespace {

/// Ranges of runs with up to this many stays are measured at once.
constexpr std::size_t kAtOnce = 20'000;

QString percentText(double ratio) { return QStringLiteral("%1 %").arg(ratio * 100, 0, 'f', 1); }

QString gapText(double ratio) { return QString::fromStdString(formatPercent(ratio)); }

QString viewText(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

}  // namespace

MetricsPanel::MetricsPanel(ViewState* state, QWidget* parent)
    : QTableWidget(parent), state_(state) {
  setAccessibleName(tr("Metrics"));
  setFrameShape(QFrame::NoFrame);
  setShowGrid(false);
  setAlternatingRowColors(true);
  setEditTriggers(NoEditTriggers);
  setSelectionBehavior(SelectRows);
  setSelectionMode(SingleSelection);
  setWordWrap(false);
  verticalHeader()->hide();
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 5);
  horizontalHeader()->setHighlightSections(false);
  connect(state, &ViewState::runChanged, this, &MetricsPanel::measure);
  connect(state, &ViewState::statisticsRangeChanged, this, &MetricsPanel::measure);
  connect(&worker_, &QFutureWatcherBase::finished, this, [this] {
    if (worker_.isCanceled() || worker_.future().resultCount() == 0) return;
    figures_ = worker_.result();
    refresh();
  });
  measure();
}

MetricsPanel::~MetricsPanel() { worker_.cancel(); }

/// A range of a large run is measured by a worker; until it is done the old figures stay.
void MetricsPanel::measure() {
  worker_.cancel();
  const auto run = state_->run();
  const auto range = state_->statisticsRange();
  if (!run || !range) {
    figures_ = run ? run->metrics : PlanMetrics();
    return refresh();
  }
  if (run->problem.stays.size() <= kAtOnce) {
    figures_ = measureRange(run->problem, run->plan, *range);
    return refresh();
  }
  auto promise = std::make_shared<QPromise<PlanMetrics>>();
  worker_.setFuture(promise->future());
  promise->start();
  QThreadPool::globalInstance()->start([promise, run, range] {
    promise->addResult(measureRange(run->problem, run->plan, *range));
    promise->finish();
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
  const auto range = state_->statisticsRange();
  setColumnCount(1 + static_cast<int>(figures_.pools.size()));
  QStringList titles = {tr("Figure")};
  for (const PoolMetrics& pool : figures_.pools) titles.append(poolText(*run, pool.pool));
  setHorizontalHeaderLabels(titles);
  horizontalHeaderItem(0)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  for (int column = 1; column < columnCount(); ++column) {
    horizontalHeaderItem(column)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    // Of many memories, those that nothing lives in would only take room.
    const PoolId pool(static_cast<std::size_t>(column) - 1);
    setColumnHidden(column, columnCount() > 3 && figures_.pools[pool].stays == 0);
  }
  horizontalHeader()->show();
  horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  horizontalHeader()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  if (range) {
    const auto number = [](Step step) { return QString::fromStdString(groupDigits(step.count())); };
    addRow(tr("Steps"), {tr("%1\u2013%2").arg(number(range->begin), number(range->end - Step(1)))},
           tr("Statistics are restricted to these steps; the mark in the status line ends that"));
    if (columnCount() > 2) setSpan(0, 1, 1, columnCount() - 1);
  }
  addPoolRows();
  addRunRows(*run);
}

void MetricsPanel::addPoolRows() {
  const auto row = [&](const QString& name, const QString& toolTip,
                       const std::function<QString(const PoolMetrics&)>& text) {
    QStringList values;
    for (const PoolMetrics& pool : figures_.pools) {
      values.append(pool.stays == 0 ? QStringLiteral("\u2013") : text(pool));
    }
    addRow(name, values, toolTip);
  };
  using Pool = const PoolMetrics&;
  row(tr("Peak"), tr("What must be reserved; in a range, one past the highest byte in use"),
      [](Pool p) { return sizeText(p.peak); });
  row(tr("Lower bound"), tr("No plan of these buffers can be smaller"),
      [](Pool p) { return sizeText(p.lowerBound); });
  row(tr("Gap"), tr("Peak above the lower bound"), [](Pool p) { return gapText(p.gap()); });
  row(tr("Fragmentation"), tr("At the peak: 1 - largest hole / all holes"),
      [](Pool p) { return percentText(p.atPeak.ratio()); });
  row(tr("Average fragm."), tr("The same, averaged over all steps"),
      [](Pool p) { return percentText(p.averageFragmentation); });
  row(tr("Peak step"), tr("The first step with most bytes live"),
      [](Pool p) { return QString::number(p.peakStep.count()); });
  row(tr("Largest hole"), tr("At any step"), [](Pool p) { return sizeText(p.largestHole); });
  row(tr("Without reuse"), tr("The sum of all sizes"), [](Pool p) { return sizeText(p.sum); });
  row(tr("Buffers"), tr("How many live there"), [](Pool p) { return QString::number(p.stays); });
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
