#pragma once

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

}  // namespace hw
