#pragma once

#include <QPainter>
#include <QRect>
#include <QTableView>
#include <map>

#include "widgets/compare/compare_model.h"

namespace hw {

/// The table of a comparison: sorts by any heading, hides and shows columns from the heading's
/// menu, and copies itself. Enter opens the current row, Space ticks it "shown below", Ctrl+C
/// copies.
class CompareTable : public QTableView {
  Q_OBJECT

 public:
  explicit CompareTable(CompareModel* model, QWidget* parent = nullptr);

  /// The current row in the model, not on screen; -1 when there is none.
  int currentRow() const;
  void goTo(int row);
  int rowOf(const QModelIndex& index) const { return order_->mapToSource(index).row(); }

  /// Hides columns that say nothing and those that the user does not want, and fits the others.
  void arrangeColumns();
  /// The user's own choice, which outlasts comparisons.
  void setColumnWanted(int column, bool wanted);
  /// The choices so far, to be kept and given back: "latency=yes verdict=no"; columns without a
  /// choice are shown when they are needed. Unknown names are passed over.
  QString wantedColumns() const;
  void setWantedColumns(const QString& text);
  /// The screen as CSV, in its order, with exact figures: one line a row after a header.
  QString toCsv() const;
  /// A box for every column.
  QMenu* columnMenu(QWidget* parent);

 public Q_SLOTS:
  void copy() const;

 Q_SIGNALS:
  /// Of the model: the current row should be opened, or be ticked or not.
  void openWanted(int row);
  void belowToggled(int row);
  void wantedColumnsChanged();
  /// A row has another place on screen, or another one is current.
  void menuWanted(int row, const QPoint& at);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  /// True if the user has chosen the column, or has not said anything and it has content.
  bool isWanted(int column) const;
  void hideWhatHasNoRoom();
  void narrowTo(int room, const std::vector<int>& columns, int figure);
  CompareModel* model_;
  CompareOrder* order_;
  std::map<int, bool> wanted_;  ///< By column: what the user chose.
};

/// The size of a picture of a comparison's table in which nothing is shortened.
QSize comparisonSize(const QTableView& table, const QString& stamp);

/// Draws the rows and columns that `table` shows, in its order, as shapes and text: bars with the
/// lower bound, the best rows bold. What is too wide is shortened; rows that have no room are
/// counted below the others. `stamp` stands above them: what they were made with.
void paintComparison(QPainter& painter, const QRect& target, const QTableView& table,
                     const QString& stamp);

}  // namespace hw
