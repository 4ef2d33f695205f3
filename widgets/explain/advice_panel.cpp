#include "widgets/explain/advice_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QVBoxLayout>
#include <algorithm>
#include <new>

#include "core/report/explain/advice_report.h"
#include "widgets/base/list_page.h"
#include "widgets/text/run_text.h"

namespace hw {
namespace {

constexpr int kWidestChange = 420;

QString plainText(const std::string& text) { return QString::fromStdString(text); }

/// What the change costs besides memory, before and after.
QString priceTip(const Run& base, const Run& run) {
  const RunFigures before = figuresOf(base);
  const RunFigures after = figuresOf(run);
  if (!before.latency || !after.latency) return AdvicePanel::tr("Nothing is simulated here");
  return AdvicePanel::tr(
             "Latency %1, then %2\nMoved by memories beyond the first %3, then %4\n"
             "Spilled %5, then %6")
      .arg(timeText(*before.latency), timeText(*after.latency),
           sizeText(farTraffic(base).value_or(Bytes())),
           sizeText(farTraffic(run).value_or(Bytes())), sizeText(before.spilled.value_or(Bytes())),
           sizeText(after.spilled.value_or(Bytes())));
}

/// On a very large model memory may run out. What was proved by then is lost with the stack, so the
/// answer is an empty report that says it was stopped.
AdviceReport adviceOrNothing(const std::shared_ptr<const Run>& run, const RunContext& context) {
  try {
    return advise(run, {}, context);
  } catch (const std::bad_alloc&) {
    return {.base = run, .stopped = true};
  }
}

}  // namespace

AdvicePanel::AdvicePanel(ViewState* state, QWidget* parent)
    : QWidget(parent),
      state_(state),
      stack_(new QStackedWidget(this)),
      empty_(new QLabel(this)),
      table_(new QTableWidget(this)),
      start_(new QPushButton(tr("Look for advice"), this)),
      stop_(new QPushButton(tr("Stop"), this)),
      below_(new QPushButton(tr("Show below"), this)),
      apply_(new QPushButton(tr("Apply"), this)),
      progress_(new QProgressBar(this)),
      note_(new QLabel(this)) {
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setWordWrap(true);
  empty_->setMargin(12);
  buildTable();
  stack_->addWidget(empty_);
  stack_->addWidget(table_);
  stack_->setMinimumSize(80, 0);
  setMinimumSize(320, 110);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(buildHead());
  layout->addWidget(stack_, 1);
  connect(state, &ViewState::runChanged, this, &AdvicePanel::showRun);
  connect(&job_, &Job::started, this, &AdvicePanel::refresh);
  connect(&job_, &Job::progressed, this, [this](double fraction, const QString& what) {
    progress_->setValue(qRound(fraction * progress_->maximum()));
    note_->setText(what);
  });
  refresh();
}

void AdvicePanel::buildTable() {
  table_->setObjectName(QStringLiteral("adviceTable"));
  table_->setAccessibleName(tr("Advice, the largest saving first"));
  table_->setColumnCount(kColumns);
  dressTable(table_, 6);
  table_->setHorizontalHeaderLabels(
      {tr("Saves"), tr("Leaves"), tr("Latency"), tr("Traffic"), tr("Change"), tr("Why")});
  table_->horizontalHeaderItem(traffic)->setToolTip(
      tr("What memories beyond the first read and write"));
  for (const int column : {change, why}) {
    table_->horizontalHeaderItem(column)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  }
  table_->setEditTriggers(QTableView::NoEditTriggers);
  table_->setTabKeyNavigation(false);
  table_->horizontalHeader()->setStretchLastSection(true);
  connect(table_, &QTableWidget::itemSelectionChanged, this, &AdvicePanel::refresh);
  connect(table_, &QTableWidget::activated, this, &AdvicePanel::apply);
}

QWidget* AdvicePanel::buildHead() {
  start_->setObjectName(QStringLiteral("adviceStart"));
  stop_->setObjectName(QStringLiteral("adviceStop"));
  stop_->setToolTip(tr("Keeps what is proved"));
  below_->setObjectName(QStringLiteral("adviceBelow"));
  apply_->setObjectName(QStringLiteral("adviceApply"));
  progress_->setAccessibleName(tr("Progress of the advice"));
  progress_->setMaximum(1000);
  progress_->setMaximumWidth(160);
  progress_->setTextVisible(false);
  note_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  note_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  auto* head = new QWidget(this);
  auto* row = new QHBoxLayout(head);
  row->setContentsMargins(4, 4, 4, 4);
  row->addWidget(start_);
  row->addWidget(stop_);
  row->addWidget(progress_);
  row->addWidget(note_, 1);
  row->addWidget(below_);
  row->addWidget(apply_);
  connect(start_, &QPushButton::clicked, this, &AdvicePanel::look);
  connect(stop_, &QPushButton::clicked, &job_, &Job::stop);
  connect(apply_, &QPushButton::clicked, this, &AdvicePanel::apply);
  connect(below_, &QPushButton::clicked, this, [this] {
    if (const Advice* advice = chosen()) Q_EMIT belowWanted(advice->run);
  });
  return head;
}

void AdvicePanel::look() {
  const auto run = state_->run();
  if (!run || job_.isRunning()) return;
  report_ = nullptr;
  progress_->setValue(0);
  job_.start(
      [run](const JobContext& context) {
        return std::make_shared<const AdviceReport>(adviceOrNothing(run, context));
      },
      [this](const std::shared_ptr<const AdviceReport>& report) -> JobEnd {
        setReport(report);
        return {report->stopped ? JobState::stopped : JobState::done,
                tr("%1 of %2 changes help").arg(report->found.size()).arg(report->tried)};
      });
}

void AdvicePanel::setReport(std::shared_ptr<const AdviceReport> report) {
  report_ = std::move(report);
  fillTable();
  refresh();
}

/// Advice is about one run: about another it may be wrong.
void AdvicePanel::showRun() {
  const auto run = state_->run();
  job_.abandon();
  if (report_ && report_->base != run) report_ = nullptr;
  refresh();
}

void AdvicePanel::fillTable() {
  const QSignalBlocker quiet(table_);
  table_->setRowCount(0);
  if (!report_) return;
  const Run& base = *report_->base;
  for (const Advice& advice : report_->found) {
    const int row = table_->rowCount();
    table_->insertRow(row);
    const QString saved = advice.makesFit ? tr("it fits") : sizeText(advice.saved);
    const Bytes left = footprintOf(*advice.run);
    const QString options = plainText([&] {
      std::string text;
      for (const std::string& each : adviceOptions(base, advice)) text += each + " ";
      return text;
    }());
    const std::pair<QString, QString> cells[] = {
        {saved, advice.makesFit ? saved : exactText(advice.saved)},
        {sizeText(left), exactText(left)},
        {plainText(latencyChange(base, *advice.run)), priceTip(base, *advice.run)},
        {plainText(trafficChange(base, *advice.run)), priceTip(base, *advice.run)},
        {plainText(adviceText(base, advice)), options.trimmed()},
        {plainText(adviceDetail(base, advice)), plainText(adviceDetail(base, advice))}};
    for (int column = 0; column < kColumns; ++column) {
      auto* item = new QTableWidgetItem(cells[column].first);
      item->setToolTip(cells[column].second);
      if (column < change) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
      table_->setItem(row, column, item);
    }
  }
  table_->resizeColumnsToContents();
  table_->setColumnWidth(change, std::min(kWidestChange, table_->columnWidth(change) + 12));
  if (table_->rowCount() > 0) table_->selectRow(0);
}

const Advice* AdvicePanel::chosen() const {
  const auto rows = table_->selectionModel()->selectedRows();
  if (!report_ || rows.isEmpty()) return nullptr;
  return &report_->found[static_cast<std::size_t>(rows.front().row())];
}

void AdvicePanel::apply() {
  const Advice* advice = chosen();
  if (!advice) return;
  // The run on show changes, and with it this report: what is told has to outlive it.
  const auto kept = report_;
  Q_EMIT applyWanted(advice->request, plainText(adviceText(*kept->base, *advice)));
}

QString AdvicePanel::emptyText() const {
  return stack_->currentIndex() == 0 ? empty_->text() : QString();
}

void AdvicePanel::refresh() {
  const auto run = state_->run();
  const bool busy = job_.isRunning();
  const bool any = report_ && !report_->found.empty();
  start_->setEnabled(run && !busy);
  start_->setToolTip(!run   ? tr("Open a model first")
                     : busy ? tr("It is being looked for")
                            : tr("Plans and simulates what might make the memory smaller"));
  stop_->setVisible(busy);
  progress_->setVisible(busy);
  stack_->setCurrentIndex(any ? 1 : 0);
  const Advice* advice = any ? chosen() : nullptr;
  for (QPushButton* button : {below_, apply_}) button->setEnabled(advice != nullptr);
  const QString none = any ? tr("Choose a row first") : tr("There is no advice yet");
  apply_->setToolTip(advice ? tr("Plans with this change; Edit > Undo takes it back") : none);
  below_->setToolTip(advice ? tr("Shows its plan below the present one, in lock-step") : none);
  empty_->setText(!run   ? tr("Open a model: what would make its memory smaller is told here.")
                  : busy ? tr("Planning and simulating\u2026 Stop keeps what is proved.")
                  : report_
                      ? tr("Nothing helps: %1.").arg(plainText(adviceSummary(*report_)))
                      : tr("Press Look for advice: other orders, sharing, methods and "
                           "alignments are planned and simulated, and what helps is listed."));
  if (busy) return;
  note_->setText(
      any ? tr("Now %1; %2")
                .arg(sizeText(footprintOf(*report_->base)), plainText(adviceSummary(*report_)))
          : QString());
  note_->setToolTip(note_->text());
}

}  // namespace hw
