#pragma once

#include <QSortFilterProxyModel>
#include <QTableView>

#include "widgets/panels/method_table_model.h"
#include "widgets/view_state.h"

namespace hw {

/// A sortable table whose rows are linked to the selection: choosing a row selects the tensor that
/// the cell or the row names, and selecting a tensor anywhere goes to a row that names it.
class MethodTableView : public QTableView {
  Q_OBJECT

 public:
  explicit MethodTableView(ViewState* state, QWidget* parent = nullptr);

  /// Shows `table` of `run` in its own order.
  void setTable(std::shared_ptr<const Run> run, MethodTable table);
  const MethodTableModel* table() const { return model_; }

 private:
  void choose(const QModelIndex& index);
  void followSelection();

  ViewState* state_;
  MethodTableModel* model_;
  QSortFilterProxyModel* sorted_;
  bool following_ = false;  ///< True while the row changes because the selection did.
};

}  // namespace hw
