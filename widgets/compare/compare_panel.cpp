#include "widgets/compare/compare_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QThread>
#include <QVBoxLayout>
#include <algorithm>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/report/compare_report.h"
#include "widgets/compare/bar_delegate.h"
#include "widgets/panels/run_text.h"

namespace hw {
namespace {

constexpr int kListWidth = 210;
/// The verdict of a row that failed may be long; it starts no wider than this.
constexpr int kWidestColumn = 240;

}  // namespace

ComparePanel::ComparePanel(ViewState* state, QWidget* parent)
    : QWidget(parent),
      state_(state),
      allocators_(new AllocatorList(this)),
      stack_(new QStackedWidget(this)),
      empty_(new QLabel(this)),
      table_(new QTableView(this)),
      model_(new CompareModel(this)),
      order_(new CompareOrder(this)),
      compare_(new QPushButton(tr("&Compare"), this)),
      stop_(new QPushButton(tr("&Stop"), this)),
      export_(new QPushButton(tr("&Export\u2026"), this)),
      progress_(new QProgressBar(this)),
      note_(new QLabel(this)) {
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setWordWrap(true);
  empty_->setMargin(12);
  buildTable();
  stack_->addWidget(empty_);
  stack_->addWidget(table_);
  allocators_->setFixedWidth(kListWidth);
  // A panel that nobody looks at must not keep the window from being small.
  stack_->setMinimumSize(80, 0);
  setMinimumSize(320, 110);
  auto* right = new QVBoxLayout;
  right->setContentsMargins(0, 0, 0, 0);
  right->setSpacing(0);
  right->addWidget(buildHead());
  right->addWidget(stack_, 1);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(allocators_);
  layout->addLayout(right, 1);
  const auto again = [this] { refresh(); };
  connect(state, &ViewState::runChanged, this, &ComparePanel::showRun);
  connect(allocators_, &AllocatorList::changed, this, again);
  connect(&job_, &CompareJob::started, this, again);
  connect(&job_, &CompareJob::abandoned, this, again);
  connect(&job_, &CompareJob::finished, this, &ComparePanel::finish);
  connect(&job_, &CompareJob::progressed, this, [this](double fraction, const QString& what) {
    progress_->setValue(qRound(fraction * progress_->maximum()));
    note_->setText(what);
  });
  refresh();
}

void ComparePanel::buildTable() {
  order_->setSourceModel(model_);
  table_->setModel(order_);
  table_->setObjectName(QStringLiteral("compareTable"));
  table_->setAccessibleName(tr("Comparison of allocators"));
  table_->setSelectionBehavior(QTableView::SelectRows);
  table_->setSelectionMode(QTableView::SingleSelection);
  table_->setShowGrid(false);
  table_->setWordWrap(false);
  table_->setAlternatingRowColors(true);
  table_->setFrameShape(QFrame::NoFrame);
  table_->setMinimumHeight(3 * fontMetrics().height());
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  table_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
  table_->horizontalHeader()->setHighlightSections(false);
  // Who has no plan should say so without scrolling.
  table_->horizontalHeader()->moveSection(CompareModel::verdict, CompareModel::gap + 1);
  table_->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
  table_->setSortingEnabled(true);
  auto* bars = new BarDelegate(table_);
  table_->setItemDelegateForColumn(CompareModel::peak, bars);
  table_->setItemDelegateForColumn(CompareModel::gap, bars);
  connect(table_, &QTableView::clicked, this, &ComparePanel::clicked);
  connect(table_, &QTableView::activated, this, [this](const QModelIndex& index) {
    const ComparisonRow* row = rowAt(index);
    if (row && row->run && !isOnShow(index)) Q_EMIT runWanted(row->run);
  });
}

QWidget* ComparePanel::buildHead() {
  compare_->setObjectName(QStringLiteral("compareStart"));
  stop_->setObjectName(QStringLiteral("compareStop"));
  stop_->setToolTip(tr("Keeps the rows that are done"));
  export_->setObjectName(QStringLiteral("compareExport"));
  progress_->setAccessibleName(tr("Progress of the comparison"));
  progress_->setMaximum(1000);
  progress_->setMaximumWidth(160);
  progress_->setTextVisible(false);
  note_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  note_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  auto* head = new QWidget(this);
  auto* row = new QHBoxLayout(head);
  row->setContentsMargins(4, 4, 4, 4);
  row->addWidget(compare_);
  row->addWidget(stop_);
  row->addWidget(progress_);
  row->addWidget(note_, 1);
  row->addWidget(export_);
  connect(compare_, &QPushButton::clicked, this, &ComparePanel::compare);
  connect(stop_, &QPushButton::clicked, &job_, &CompareJob::stop);
  connect(export_, &QPushButton::clicked, this, &ComparePanel::exportWanted);
  return head;
}

void ComparePanel::compare() {
  const auto run = state_->run();
  const auto choices = allocators_->choices();
  if (!run || choices.empty()) return;
  RunConfig config = run->config;
  config.threads = std::max(1, QThread::idealThreadCount());
  compared_ = run->model;
  progress_->setValue(0);
  job_.start([model = run->model, config, choices](const RunContext& context) {
    return compareAllocators(model, config, choices, context);
  });
}

void ComparePanel::finish(std::shared_ptr<const Comparison> comparison) {
  setComparison(std::move(comparison));
}

void ComparePanel::setComparison(std::shared_ptr<const Comparison> comparison) {
  comparison_ = std::move(comparison);
  compared_ = comparison_ ? comparison_->model : nullptr;
  model_->setComparison(comparison_);
  for (int column = 0; column < CompareModel::kColumns; ++column) {
    table_->setColumnHidden(column, model_->isIdle(column));
  }
  table_->resizeColumnsToContents();
  for (int column = 0; column < CompareModel::kColumns; ++column) {
    if (table_->isColumnHidden(column)) continue;
    table_->setColumnWidth(column, std::min(kWidestColumn, table_->columnWidth(column) + 8));
  }
  refresh();
  goToShown();
  Q_EMIT comparisonChanged();
}

void ComparePanel::setBelow(std::shared_ptr<const Run> run) {
  below_ = std::move(run);
  refresh();
}

/// A comparison of another model says nothing about the one on show.
void ComparePanel::showRun() {
  const auto run = state_->run();
  if (compared_ && (!run || run->model != compared_)) {
    job_.abandon();
    setComparison(nullptr);
  }
  refresh();
  goToShown();
}

void ComparePanel::refresh() {
  const auto run = state_->run();
  const bool busy = job_.isRunning();
  const bool ticked = !allocators_->choices().empty();
  compare_->setEnabled(run && ticked && !busy);
  compare_->setToolTip(!run      ? tr("Open a model first")
                       : busy    ? tr("A comparison is under way")
                       : !ticked ? tr("Tick an allocator on the left first")
                                 : tr("Plans the model by everything that is ticked"));
  stop_->setVisible(busy);
  progress_->setVisible(busy);
  export_->setEnabled(comparison_ != nullptr);
  export_->setToolTip(comparison_ ? tr("Write the table as CSV or JSON")
                                  : tr("There is nothing to export yet"));
  stack_->setCurrentIndex(comparison_ ? 1 : 0);
  empty_->setText(!run      ? tr("Open a model: its allocators are compared here.")
                  : busy    ? tr("Planning\u2026 The table appears when all rows are done; Stop "
                                    "keeps those that are.")
                  : !ticked ? tr("Tick allocators on the left, then press Compare.")
                            : tr("Press Compare to plan this model by everything that is ticked "
                                 "on the left."));
  model_->setShown(run, below_);
  if (!busy) note_->setText(noteText());
  note_->setToolTip(note_->text());
}

/// The row of the plan on show becomes the current one.
void ComparePanel::goToShown() {
  const int row = model_->rowOfA();
  if (row >= 0) {
    table_->setCurrentIndex(order_->mapFromSource(model_->index(row, 0)));
  } else {
    table_->clearSelection();
  }
}

QString ComparePanel::noteText() const {
  if (!comparison_) return {};
  const auto& rows = comparison_->rows;
  QStringList parts;
  const auto planned = [](const ComparisonRow& row) { return row.run != nullptr; };
  const auto first = std::ranges::find_if(rows, planned);
  const auto run = state_->run();
  if (run && first != rows.end() && !sameSettings(run->config, first->run->config)) {
    parts.append(tr("Made with other settings than the plan on show: compare again"));
  }
  const auto best = std::ranges::find_if(rows, &ComparisonRow::best);
  if (best == rows.end()) {
    parts.append(tr("No allocator found a plan that fits"));
  } else {
    parts.append(tr("Best: %1; lower bound %2")
                     .arg(sizeText(best->peak()), sizeText(comparison_->lowerBound)));
  }
  if (comparison_->stopped() > 0) {
    parts.append(tr("%n row(s) stopped", nullptr, static_cast<int>(comparison_->stopped())));
  }
  return parts.join(QStringLiteral("; "));
}

QString ComparePanel::emptyText() const {
  return stack_->currentIndex() == 0 ? empty_->text() : QString();
}

const ComparisonRow* ComparePanel::rowAt(const QModelIndex& index) const {
  return index.isValid() ? model_->row(order_->mapToSource(index).row()) : nullptr;
}

bool ComparePanel::isOnShow(const QModelIndex& index) const {
  return order_->mapToSource(index).row() == model_->rowOfA();
}

std::shared_ptr<const Run> ComparePanel::otherRun() const {
  const QModelIndex current = table_->currentIndex();
  const ComparisonRow* row = rowAt(current);
  if (row != nullptr && row->run && !isOnShow(current)) return row->run;
  for (int other = 0; other < model_->rowCount(); ++other) {
    if (other != model_->rowOfA() && model_->row(other)->run) return model_->row(other)->run;
  }
  return nullptr;
}

void ComparePanel::clicked(const QModelIndex& index) {
  const ComparisonRow* row = rowAt(index);
  if (row == nullptr || !row->run) return;
  if (index.column() != CompareModel::shown) {
    if (!isOnShow(index)) Q_EMIT runWanted(row->run);
  } else if (!isOnShow(index)) {
    Q_EMIT belowWanted(row->run == below_ ? nullptr : row->run);
  }
}

Result<void> ComparePanel::writeTo(const QString& file, const std::string& model) const {
  const bool json = file.endsWith(QLatin1String(".json"), Qt::CaseInsensitive);
  return writeFile(file.toStdString(),
                   json ? jsonDocument(comparisonJson(*comparison_, model))
                        : comparisonCsvHeader() + comparisonCsv(*comparison_, model));
}

}  // namespace hw
