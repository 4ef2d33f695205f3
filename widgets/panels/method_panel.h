#pragma once

#include <QComboBox>
#include <QLabel>
#include <QStackedWidget>

#include "widgets/panels/method_table_view.h"

namespace hw {

/// What the method of the run wrote down while it worked: mapping and capacity tables, stacks step
/// by step, use counts, the sequences a search tried. One table at a time, to choose from.
class MethodPanel : public QWidget {
  Q_OBJECT

 public:
  explicit MethodPanel(ViewState* state, QWidget* parent = nullptr);

  QComboBox* chooser() const { return chooser_; }
  MethodTableView* view() const { return view_; }
  /// What is said instead of a table; empty while there is one.
  QString emptyText() const;

 private:
  void showRun();
  void showTable();

  ViewState* state_;
  QStackedWidget* stack_;
  QLabel* empty_;
  QComboBox* chooser_;
  QLabel* summary_;
  MethodTableView* view_;
};

}  // namespace hw
