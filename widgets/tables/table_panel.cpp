#include "widgets/tables/table_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QVBoxLayout>
#include <algorithm>

#include "core/base/text.h"
#include "widgets/base/panel_parts.h"
#include "widgets/base/theme.h"
#include "widgets/text/text.h"

namespace hw {
namespace {

constexpr int kRefreshEvery = 120;  ///< Milliseconds; the free list while playing.
constexpr int kFirstMethod = 6;     ///< Entries of the chooser before the method's own tables.

}  // namespace

TablePanel::TablePanel(ViewState* state, QWidget* parent)
    : QWidget(parent),
      state_(state),
      chooser_(new QComboBox(this)),
      filter_(new QLineEdit(this)),
      count_(new QLabel(this)),
      error_(new QLabel(this)),
      export_(new QToolButton(this)),
      view_(new QTableView(this)),
      model_(new TableModel(this)) {
  auto* head = new QWidget(this);
  buildHead(head);
  buildView();
  error_->setContentsMargins(8, 0, 8, 3);
  error_->setWordWrap(true);
  error_->setTextFormat(Qt::PlainText);
  error_->hide();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(head);
  layout->addWidget(error_);
  layout->addWidget(view_, 1);
  refresh_.setSingleShot(true);
  refresh_.setInterval(kRefreshEvery);
  connect(&refresh_, &QTimer::timeout, this, &TablePanel::showTable);
  connect(state, &ViewState::runChanged, this, &TablePanel::showRun);
  connect(state, &ViewState::axisChanged, this, [this] {
    if (chooser_->currentIndex() == static_cast<int>(TableKind::events)) showTable();
  });
  connect(state, &ViewState::momentChanged, this, [this] {
    if (isFreeList() && !refresh_.isActive()) refresh_.start();
  });
  connect(state, &ViewState::filterChanged, this, &TablePanel::arrange);
  connect(state, &ViewState::statisticsRangeChanged, this, &TablePanel::arrange);
  connect(state, &ViewState::selectionChanged, this, &TablePanel::followSelection);
  new SeenWatch(this, [this] { catchUp(); });
  showRun();
}

void TablePanel::buildHead(QWidget* head) {
  chooser_->setAccessibleName(tr("Table"));
  chooser_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  filter_->setAccessibleName(tr("Filter"));
  filter_->setClearButtonEnabled(true);
  filter_->setPlaceholderText(
      tr("Filter: words, or size > 64KiB, first <= 10, pool = L2, "
         "tensor ~ conv"));
  count_->setTextFormat(Qt::PlainText);
  export_->setText(tr("Export\u2026"));
  export_->setToolTip(tr("Writes the rows on show, in this order, as CSV or JSON"));
  auto* line = new QHBoxLayout(head);
  line->setContentsMargins(8, 3, 8, 3);
  line->setSpacing(8);
  line->addWidget(chooser_);
  line->addWidget(filter_, 1);
  line->addWidget(count_);
  line->addWidget(export_);
  connect(chooser_, &QComboBox::currentIndexChanged, this, [this] {
    {
      const QSignalBlocker quiet(filter_);
      filter_->clear();
    }
    model_->arrange({});
    view_->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    showTable();
  });
  connect(filter_, &QLineEdit::textChanged, this, &TablePanel::arrange);
  connect(export_, &QToolButton::clicked, this, &TablePanel::exportWanted);
}

void TablePanel::buildView() {
  view_->setObjectName(QStringLiteral("tableTwin"));
  view_->setAccessibleName(tr("Table"));
  view_->setModel(model_);
  dressResultTable(view_);
  view_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  view_->setSortingEnabled(true);
  view_->installEventFilter(this);
  connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& current) { chooseRow(current); });
  connect(view_, &QTableView::doubleClicked, this, [this](const QModelIndex& index) {
    const auto& source = model_->source();
    if (source->steps) state_->setStep(source->steps(model_->sourceRow(index.row())).begin);
  });
  connect(model_, &TableModel::arranged, this, [this] {
    showCount();
    followSelection();
  });
}

bool TablePanel::isFreeList() const {
  return chooser_->currentIndex() == static_cast<int>(TableKind::freeList);
}

void TablePanel::choose(TableKind kind) { chooser_->setCurrentIndex(static_cast<int>(kind)); }

void TablePanel::showRun() {
  const auto run = state_->run();
  {
    const QSignalBlocker quiet(chooser_);
    const QString before = chooser_->currentText();
    chooser_->clear();
    chooser_->addItems({tr("Tensors"), tr("Blocks"), tr("Events"), tr("Free list now"),
                        tr("Operators"), tr("Late frees")});
    if (run) {
      for (const MethodTable& table : run->plan.tables) {
        chooser_->addItem(
            tr("Allocator: %1").arg(QString::fromStdString(printable(table.name, 60))));
      }
    }
    chooser_->setCurrentIndex(std::max(0, chooser_->findText(before)));
  }
  const bool any = run != nullptr;
  for (QWidget* widget : {static_cast<QWidget*>(chooser_), static_cast<QWidget*>(filter_),
                          static_cast<QWidget*>(export_)}) {
    widget->setEnabled(any);
  }
  stale_ = true;
  showTable();
}

void TablePanel::catchUp() {
  if (stale_) showTable();
  if (std::exchange(behind_, false)) followSelection();
}

/// Looked up when somebody looks.
void TablePanel::showTable() {
  const auto run = state_->run();
  stale_ = true;
  if (!run) {
    model_->setSource(nullptr);
    count_->setText(tr("Open a model to see its tables"));
    stale_ = false;
    return;
  }
  if (!isSeen(this)) return;
  stale_ = false;
  const int index = std::max(0, chooser_->currentIndex());
  const auto source =
      index < kFirstMethod
          ? makeTable(run, static_cast<TableKind>(index), state_->moment(),
                      state_->events()->isByStep())
          : methodTable(run,
                        {run, &run->plan.tables[static_cast<std::size_t>(index - kFirstMethod)]});
  const bool sameColumns = model_->source() && model_->source()->run == run && isFreeList() &&
                           model_->source()->columns.size() == source->columns.size();
  following_ = true;
  model_->setSource(source);
  arrange();
  if (!sameColumns) fitColumns(view_);
  following_ = false;
  followSelection();
}

void TablePanel::arrange() {
  const auto& source = model_->source();
  if (!source) return;
  const auto filter = TableFilter::parse(filter_->text(), *source);
  error_->setVisible(!filter);
  if (!filter) {
    error_->setText(QString::fromStdString(filter.error().text()));
    QPalette palette = error_->palette();
    palette.setColor(QPalette::WindowText, Theme::current().accent);
    error_->setPalette(palette);
    return;
  }
  Arrangement wanted = model_->arrangement();
  wanted.filter = *filter;
  wanted.picked = state_->filter();
  wanted.range = state_->statisticsRange();
  const bool following = std::exchange(following_, true);
  model_->arrange(std::move(wanted));
  following_ = following;
  showCount();
}

void TablePanel::showCount() {
  const auto& source = model_->source();
  if (!source) return;
  const QString shown = grouped(static_cast<std::size_t>(model_->rowCount()));
  QString text = model_->isArranging() ? tr("sorting\u2026")
                 : static_cast<std::size_t>(model_->rowCount()) == source->rows
                     ? tr("%1 rows").arg(shown)
                     : tr("%1 of %2 rows").arg(shown, grouped(source->rows));
  QStringList why;
  if (state_->filter() && source->stay)
    why << tr("picked out: %1").arg(viewText(state_->filter()->title));
  if (const auto range = state_->statisticsRange(); range && source->steps) {
    why << tr("steps %1\u2013%2")
               .arg(grouped(range->begin.count()), grouped(range->end.count() - 1));
  }
  count_->setText(text);
  count_->setToolTip(why.join(QLatin1Char('\n')).toHtmlEscaped());
}

void TablePanel::chooseRow(const QModelIndex& index) {
  if (following_ || !index.isValid() || !model_->source()) return;
  following_ = true;
  const std::size_t row = model_->sourceRow(index.row());
  const StayId stay = model_->source()->stayOf(row);
  const OpId op = model_->source()->opOf(row);
  if (stay) state_->select(stay);
  if (op) state_->selectOp(op);
  following_ = false;
}

void TablePanel::followSelection() {
  if (following_ || !model_->source()) return;
  behind_ = !isSeen(this);
  if (behind_) return;
  const QModelIndex current = view_->currentIndex();
  if (current.isValid()) {
    const std::size_t row = model_->sourceRow(current.row());
    const bool same = state_->selected() ? model_->source()->stayOf(row) == state_->selected()
                                         : model_->source()->opOf(row) == state_->selectedOp();
    if (same) return;
  }
  const int row = model_->rowOf(state_->selected(), state_->selectedOp());
  following_ = true;
  view_->clearSelection();
  const QModelIndex index = row < 0 ? QModelIndex() : model_->index(row, 0);
  view_->setCurrentIndex(index);
  if (row >= 0) scrollWithContext(view_, index);
  following_ = false;
}

std::vector<std::uint32_t> TablePanel::rows() const {
  std::vector<std::uint32_t> rows;
  for (int row = 0; row < model_->rowCount(); ++row) {
    rows.push_back(static_cast<std::uint32_t>(model_->sourceRow(row)));
  }
  return rows;
}

QString TablePanel::copyText() const {
  const auto& source = model_->source();
  if (!source) return {};
  QStringList lines;
  QStringList cells;
  for (const auto& column : source->columns) cells << titleText(column.title);
  lines << cells.join(QLatin1Char('\t'));
  const auto add = [&](int row) {
    cells.clear();
    for (std::size_t column = 0; column < source->columns.size(); ++column) {
      cells << source->exact(model_->sourceRow(row), column);
    }
    lines << cells.join(QLatin1Char('\t'));
  };
  QModelIndexList selected = view_->selectionModel()->selectedRows();
  std::ranges::sort(selected, {}, &QModelIndex::row);
  for (const QModelIndex& index : selected) add(index.row());
  for (int row = 0; selected.isEmpty() && row < model_->rowCount(); ++row) add(row);
  return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

void TablePanel::copy() { QApplication::clipboard()->setText(copyText()); }

bool TablePanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched == view_ && event->type() == QEvent::KeyPress &&
      static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy)) {
    copy();
    return true;
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace hw
