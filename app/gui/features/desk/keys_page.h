#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableWidget>

#include "app/gui/features/desk/key_bindings.h"

namespace hw {

/// A table of all commands with their keys, to search and to change. A key that another command has
/// is not taken silently: the page says whose it is and offers to take it away.
class KeysPage : public QWidget {
  Q_OBJECT

 public:
  enum Column { menu, command, keys, kColumns };

  explicit KeysPage(KeyBindings* bindings, QWidget* parent = nullptr);

  QTableWidget* table() const { return table_; }
  QLineEdit* filter() const { return filter_; }
  QPushButton* takeButton() const { return take_; }
  QPushButton* resetButton() const { return reset_; }
  QPushButton* resetAllButton() const { return resetAll_; }
  QString note() const { return note_->text(); }

  /// What the table does when somebody has typed `keys` into a row.
  void assign(int row, const QKeySequence& keys);

 private:
  QWidget* buildButtons();
  void fill();
  void showRow(int row);
  void showFiltered();
  void showChosen();
  const KeyBindings::Command* commandAt(int row);

  KeyBindings* bindings_;
  QLineEdit* filter_;
  QTableWidget* table_;
  QLabel* note_;
  QPushButton* take_;
  QPushButton* clear_;
  QPushButton* reset_;
  QPushButton* resetAll_;
  int wantedRow_ = -1;  ///< That wants `wanted_`, which another command has; -1: none.
  QKeySequence wanted_;
};

}  // namespace hw
