#include "widgets/panels/jobs_panel.h"

#include <QHeaderView>
#include <QPainter>
#include <QShortcut>
#include <QStyledItemDelegate>
#include <algorithm>

#include "widgets/base/panel_parts.h"
#include "widgets/base/theme.h"

namespace hw {

namespace {

enum JobColumn { jobName, state, done, took, started, what, jobColumns };

constexpr int kFractionRole = Qt::UserRole + 1;
constexpr int kTickMilliseconds = 500;

/// A bar behind the text, as long as the job is done.
class ProgressDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    QStyledItemDelegate::paint(painter, option, index);
    const double fraction = index.data(kFractionRole).toDouble();
    QColor color = Theme::current().highWater;
    color.setAlpha(90);
    QRectF bar = QRectF(option.rect).adjusted(2, 3, -2, -3);
    bar.setWidth(bar.width() * fraction);
    painter->fillRect(bar, color);
  }
};

QString stateText(JobEntry::State state) {
  switch (state) {
    case JobEntry::State::running:
      return JobsPanel::tr("running");
    case JobEntry::State::done:
      return JobsPanel::tr("done");
    case JobEntry::State::stopped:
      return JobsPanel::tr("stopped");
    case JobEntry::State::failed:
      return JobsPanel::tr("failed");
  }
  return {};
}

QString tookText(qint64 milliseconds) {
  return milliseconds < 1000 ? JobsPanel::tr("%1 ms").arg(milliseconds)
                             : JobsPanel::tr("%1 s").arg(double(milliseconds) / 1000, 0, 'f', 1);
}

}  // namespace

JobsPanel::JobsPanel(JobBoard* board, QWidget* parent)
    : QWidget(parent),
      board_(board),
      stack_(new QStackedWidget(this)),
      empty_(new QLabel(this)),
      table_(new QTableWidget(0, jobColumns, this)),
      stop_(new QPushButton(tr("Stop"), this)),
      clear_(new QPushButton(tr("Forget those that are over"), this)) {
  build();
  connect(board, &JobBoard::changed, this, &JobsPanel::showJobs);
  connect(board, &JobBoard::progressed, this, &JobsPanel::showProgress);
  connect(&clock_, &QTimer::timeout, board, &JobBoard::tick);
  connect(table_, &QTableWidget::itemSelectionChanged, this, &JobsPanel::updateButtons);
  connect(stop_, &QPushButton::clicked, this, [this] { board_->stop(chosen()); });
  connect(clear_, &QPushButton::clicked, board, &JobBoard::clearFinished);
  auto* key = new QShortcut(QKeySequence(Qt::Key_Delete), table_);
  key->setContext(Qt::WidgetShortcut);
  connect(key, &QShortcut::activated, this, [this] { board_->stop(chosen()); });
  clock_.setInterval(kTickMilliseconds);
  showJobs();
}

void JobsPanel::build() {
  table_->setObjectName(QStringLiteral("jobTable"));
  table_->setAccessibleName(tr("Jobs"));
  table_->setHorizontalHeaderLabels(
      {tr("Job"), tr("State"), tr("Done"), tr("Took"), tr("Started"), tr("What")});
  table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table_->setItemDelegateForColumn(done, new ProgressDelegate(table_));
  table_->horizontalHeader()->setStretchLastSection(true);
  for (int column = 0; column < jobColumns; ++column) {
    const bool number = column == done || column == took || column == started;
    table_->horizontalHeaderItem(column)->setTextAlignment(
        Qt::AlignVCenter | (number ? Qt::AlignRight : Qt::AlignLeft));
  }
  const int letter = fontMetrics().averageCharWidth();
  for (const auto& [column, letters] :
       {std::pair(jobName, 26), std::pair(state, 10), std::pair(done, 10), std::pair(took, 10),
        std::pair(started, 12)}) {
    table_->setColumnWidth(column, letters * letter);
  }
  empty_->setText(
      tr("Nothing has run yet. Planning, comparing, sweeping, advice, searching for a moment and "
         "writing reports are listed here while they run, and can be stopped."));
  fillListPanel(this, stack_, empty_, table_, {stop_, clear_});
}

QString JobsPanel::emptyText() const {
  return stack_->currentIndex() == 0 ? empty_->text() : QString();
}

quint64 JobsPanel::chosen() const {
  const auto rows = table_->selectionModel()->selectedRows();
  return rows.isEmpty() ? 0 : rows.front().data(Qt::UserRole).toULongLong();
}

/// The chosen job stays so while it runs; otherwise the newest that runs is chosen.
void JobsPanel::showJobs() {
  const quint64 before = chosen();
  const auto& jobs = board_->jobs();
  table_->setRowCount(static_cast<int>(jobs.size()));
  int select = -1;
  for (int row = 0; row < table_->rowCount(); ++row) {
    const JobEntry& job = jobs[static_cast<std::size_t>(row)];
    for (int column = 0; column < jobColumns; ++column) {
      if (!table_->item(row, column)) table_->setItem(row, column, new QTableWidgetItem);
    }
    table_->item(row, jobName)->setText(job.name);
    table_->item(row, jobName)->setData(Qt::UserRole, job.id);
    table_->item(row, state)->setText(stateText(job.state));
    table_->item(row, started)->setText(job.started.time().toString(QStringLiteral("HH:mm:ss")));
    for (const JobColumn column : {done, took, started}) {
      table_->item(row, column)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    }
    const bool runs = job.state == JobEntry::State::running;
    if (runs && (select < 0 || job.id == before)) select = row;
  }
  table_->clearSelection();
  table_->setCurrentItem(nullptr);
  if (select >= 0) {
    table_->selectRow(select);
  } else {
    table_->scrollToTop();
  }
  stack_->setCurrentIndex(jobs.empty() ? 0 : 1);
  if (board_->runningCount() > 0) {
    if (!clock_.isActive()) clock_.start();
  } else {
    clock_.stop();
  }
  showProgress();
  updateButtons();
}

void JobsPanel::showProgress() {
  const auto& jobs = board_->jobs();
  const int rows = std::min(table_->rowCount(), static_cast<int>(jobs.size()));
  for (int row = 0; row < rows; ++row) {
    const JobEntry& job = jobs[static_cast<std::size_t>(row)];
    const bool known = job.fraction > 0 || job.state != JobEntry::State::running;
    table_->item(row, done)->setText(known ? tr("%1 %").arg(qRound(job.fraction * 100))
                                           : QStringLiteral("\u2026"));
    table_->item(row, done)->setData(kFractionRole, job.fraction);
    table_->item(row, took)->setText(tookText(job.milliseconds));
    table_->item(row, what)->setText(job.what);
    table_->item(row, what)->setToolTip(job.what);
  }
}

void JobsPanel::updateButtons() {
  const quint64 id = chosen();
  const auto& jobs = board_->jobs();
  const auto job = std::ranges::find(jobs, id, &JobEntry::id);
  const bool runs = job != jobs.end() && job->state == JobEntry::State::running;
  stop_->setEnabled(runs && job->stop);
  stop_->setToolTip(stop_->isEnabled() ? tr("Stops the chosen job (Delete); what it has is kept")
                    : runs             ? tr("This one cannot be stopped")
                                       : tr("Choose a job that runs"));
  const bool finished = static_cast<int>(jobs.size()) > board_->runningCount();
  clear_->setEnabled(finished);
  clear_->setToolTip(finished ? QString() : tr("None is over"));
}

}  // namespace hw
