#include "widgets/panels/method_table_view.h"

#include <QHeaderView>
#include <algorithm>

#include "widgets/base/panel_parts.h"

namespace hw {

MethodTableView::MethodTableView(ViewState* state, QWidget* parent)
    : QTableView(parent), state_(state), model_(new TableModel(this)) {
  setModel(model_);
  dressResultTable(this);
  setSortingEnabled(true);
  connect(selectionModel(), &QItemSelectionModel::currentChanged, this, &MethodTableView::choose);
  // A row that is current already can be chosen again, at another tensor.
  connect(this, &QTableView::clicked, this, &MethodTableView::choose);
  connect(state, &ViewState::selectionChanged, this, &MethodTableView::followSelection);
  connect(model_, &TableModel::arranged, this, &MethodTableView::followSelection);
}

void MethodTableView::setTable(std::shared_ptr<const Run> run, MethodTable table) {
  following_ = true;
  horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
  cells_ = std::make_shared<const MethodTable>(std::move(table));
  model_->setSource(run ? methodTable(std::move(run), cells_) : nullptr);
  fitColumns(this);
  following_ = false;
  followSelection();
}

StayId MethodTableView::stayAt(const QModelIndex& index) const {
  const std::size_t row = model_->sourceRow(index.row());
  const auto column = static_cast<std::size_t>(index.column());
  const auto& cells = cells_->rows[row];
  const StayId stay = column < cells.size() ? stayOfCell(cells[column]) : StayId();
  return stay ? stay : model_->source()->stayOf(row);
}

bool MethodTableView::names(int row, StayId stay) const {
  const auto& cells = cells_->rows[model_->sourceRow(row)];
  return stay && std::ranges::find(cells, stay, stayOfCell) != cells.end();
}

void MethodTableView::choose(const QModelIndex& index) {
  if (following_ || !index.isValid()) return;
  following_ = true;
  if (const StayId stay = stayAt(index)) state_->select(stay);
  following_ = false;
}

void MethodTableView::followSelection() {
  if (following_) return;
  const StayId stay = state_->selected();
  if (currentIndex().isValid() && names(currentIndex().row(), stay)) return;
  following_ = true;
  clearSelection();
  setCurrentIndex({});
  for (int row = 0; row < model_->rowCount(); ++row) {
    if (!names(row, stay)) continue;
    setCurrentIndex(model_->index(row, 0));
    scrollTo(currentIndex());
    break;
  }
  following_ = false;
}

}  // namespace hw
