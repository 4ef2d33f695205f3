#pragma once

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QTableView>

#include "widgets/state/view_state.h"
#include "widgets/tables/table_model.h"

namespace hw {

/// A sortable table whose rows are linked to the selection: choosing a row selects the tensor that
/// the cell or the row names, and selecting a tensor anywhere goes to a row that names it.
class MethodTableView : public QTableView {
  Q_OBJECT

 public:
  explicit MethodTableView(ViewState* state, QWidget* parent = nullptr);

  /// Shows `table` of `run` in its own order.
  void setTable(std::shared_ptr<const Run> run, MethodTable table);
  const TableModel* table() const { return model_; }

 private:
  /// The stay that a cell names, else the first that its row does; none when none does.
  StayId stayAt(const QModelIndex& index) const;
  /// True when any cell of the row names `stay`.
  bool names(int row, StayId stay) const;
  void choose(const QModelIndex& index);
  void followSelection();

  ViewState* state_;
  TableModel* model_;
  std::shared_ptr<const MethodTable> cells_;
  bool following_ = false;  ///< True while the row changes because the selection did.
};

/// A panel about one pool of the run on show: a line with the pool, more controls and a sum, over a
/// table whose rows are linked to the selection.
class PoolTablePanel : public QWidget {
  Q_OBJECT

 public:
  QComboBox* poolChooser() const { return pool_; }
  MethodTableView* view() const { return view_; }
  QString summary() const { return sum_->text(); }

 protected:
  /// `control` stands between the pool and the sum.
  PoolTablePanel(ViewState* state, QWidget* control, QWidget* parent);
  /// Offers the pools of the run on show; the chosen one stays so by its name.
  void offerPools();
  /// The chosen pool; none without a run.
  PoolId pool() const;
  void say(const QString& sum);
  /// The same, over no table.
  void sayOnly(const QString& text);

  ViewState* state_;
  QComboBox* pool_;
  QHBoxLayout* head_;

 private:
  QLabel* sum_;
  MethodTableView* view_;
};

}  // namespace hw
