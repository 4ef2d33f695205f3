#pragma once

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QTimer>
#include <QToolButton>
#include <QWidget>

#include "widgets/state/view_state.h"
#include "widgets/tables/table_model.h"

namespace hw {

/// The pictures as tables: tensors, blocks, events, the free list at the moment, ops and what the
/// method wrote down. Sorted by a click on a header, filtered by words and expressions, linked to
/// the selection both ways; what is picked out and the range of the statistics narrow it too.
/// Ctrl+C copies the selected rows.
class TablePanel : public QWidget {
  Q_OBJECT

 public:
  explicit TablePanel(ViewState* state, QWidget* parent = nullptr);

  QComboBox* chooser() const { return chooser_; }
  QLineEdit* filterLine() const { return filter_; }
  QTableView* view() const { return view_; }
  TableModel* model() const { return model_; }
  QString countText() const { return count_->text(); }
  /// The fault of the filter; empty: none.
  QString errorText() const { return error_->isHidden() ? QString() : error_->text(); }

  void choose(TableKind kind);
  /// The rows on show, in their order.
  std::vector<std::uint32_t> rows() const;
  /// The selected rows, or all of them, as tab-separated text with a line of titles.
  QString copyText() const;

 Q_SIGNALS:
  void exportWanted();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void buildHead(QWidget* head);
  void buildView();
  void showRun();
  void showTable();
  void catchUp();
  void arrange();
  void showCount();
  void chooseRow(const QModelIndex& index);
  void followSelection();
  void copy();
  bool isFreeList() const;

  ViewState* state_;
  QComboBox* chooser_;
  QLineEdit* filter_;
  QLabel* count_;
  QLabel* error_;
  QToolButton* export_;
  QTableView* view_;
  TableModel* model_;
  QTimer refresh_;          ///< Of the free list, while the moment moves.
  bool behind_ = false;     ///< The selection has changed while nobody looked.
  bool stale_ = true;       ///< The table is another than the one on show.
  bool following_ = false;  ///< True while the row changes because the selection did.
};

}  // namespace hw
