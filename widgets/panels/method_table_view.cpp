#include "widgets/panels/method_table_view.h"

#include <QHeaderView>
#include <algorithm>

namespace hw {
namespace {

/// Columns start no wider than this, in average characters, and are measured by this many rows.
constexpr int kWidest = 44;
constexpr int kMeasuredRows = 200;

}  // namespace

MethodTableView::MethodTableView(ViewState* state, QWidget* parent)
    : QTableView(parent),
      state_(state),
      model_(new MethodTableModel(this)),
      sorted_(new QSortFilterProxyModel(this)) {
  sorted_->setSourceModel(model_);
  sorted_->setSortRole(MethodTableModel::kSortRole);
  sorted_->setSortCaseSensitivity(Qt::CaseInsensitive);
  setModel(sorted_);
  setSelectionBehavior(SelectRows);
  setSelectionMode(SingleSelection);
  setShowGrid(false);
  setWordWrap(false);
  setAlternatingRowColors(true);
  setTextElideMode(Qt::ElideMiddle);
  setFrameShape(QFrame::NoFrame);
  verticalHeader()->hide();
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 4);
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setStretchLastSection(true);
  horizontalHeader()->setResizeContentsPrecision(kMeasuredRows);
  horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
  setSortingEnabled(true);
  connect(selectionModel(), &QItemSelectionModel::currentChanged, this, &MethodTableView::choose);
  // A row that is current already can be chosen again, at another tensor.
  connect(this, &QTableView::clicked, this, &MethodTableView::choose);
  connect(state, &ViewState::selectionChanged, this, &MethodTableView::followSelection);
}

void MethodTableView::setTable(std::shared_ptr<const Run> run, MethodTable table) {
  following_ = true;
  horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
  model_->setTable(std::move(run), std::move(table));
  resizeColumnsToContents();
  const int widest = kWidest * fontMetrics().averageCharWidth();
  for (int column = 0; column < model_->columnCount(); ++column) {
    setColumnWidth(column, std::min(widest, columnWidth(column) + 12));
  }
  following_ = false;
  followSelection();
}

void MethodTableView::choose(const QModelIndex& index) {
  if (following_ || !index.isValid()) return;
  following_ = true;
  if (const StayId stay = model_->stayAt(sorted_->mapToSource(index))) state_->select(stay);
  following_ = false;
}

void MethodTableView::followSelection() {
  if (following_) return;
  const StayId stay = state_->selected();
  const QModelIndex current = currentIndex();
  if (current.isValid() && model_->names(sorted_->mapToSource(current).row(), stay)) return;
  following_ = true;
  clearSelection();
  setCurrentIndex({});
  for (int row = 0; row < sorted_->rowCount(); ++row) {
    const QModelIndex index = sorted_->index(row, 0);
    if (!model_->names(sorted_->mapToSource(index).row(), stay)) continue;
    setCurrentIndex(index);
    scrollTo(index);
    break;
  }
  following_ = false;
}

}  // namespace hw
