#include "widgets/panels/method_table_view.h"

#include <QHeaderView>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/base/panel_parts.h"
#include "widgets/text/run_text.h"

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

PoolTablePanel::PoolTablePanel(ViewState* state, QWidget* control, QWidget* parent)
    : QWidget(parent),
      state_(state),
      pool_(new QComboBox(this)),
      head_(new QHBoxLayout),
      sum_(new QLabel(this)),
      view_(new MethodTableView(state, this)) {
  pool_->setAccessibleName(tr("Pool"));
  sum_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  sum_->setWordWrap(true);
  sum_->setContentsMargins(8, 0, 8, 3);
  head_->setContentsMargins(8, 3, 8, 3);
  head_->setSpacing(8);
  head_->addWidget(pool_);
  head_->addWidget(control);
  head_->addStretch(1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(head_);
  layout->addWidget(sum_);
  layout->addWidget(view_, 1);
}

void PoolTablePanel::offerPools() {
  const auto run = state_->run();
  const QString before = pool_->currentText();
  const QSignalBlocker quiet(pool_);
  pool_->clear();
  if (run) {
    for (const PoolId pool : run->problem.pools.keys()) pool_->addItem(poolText(*run, pool));
  }
  pool_->setEnabled(pool_->count() > 0);
  pool_->setCurrentIndex(pool_->count() == 0 ? -1 : std::max(0, pool_->findText(before)));
}

PoolId PoolTablePanel::pool() const {
  const int index = pool_->currentIndex();
  return index < 0 ? PoolId() : PoolId(static_cast<std::size_t>(index));
}

void PoolTablePanel::say(const QString& sum) { sum_->setText(sum); }

void PoolTablePanel::sayOnly(const QString& text) {
  say(text);
  view_->setTable(nullptr, {});
}

}  // namespace hw
