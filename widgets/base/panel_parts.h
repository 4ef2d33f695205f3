#pragma once

#include <QFrame>
#include <QLabel>
#include <QObject>
#include <QPushButton>
#include <QStackedWidget>
#include <QStringList>
#include <QTableView>
#include <QTableWidget>
#include <QToolButton>
#include <QWidget>
#include <functional>
#include <initializer_list>
#include <vector>

namespace hw {

/// True if any of `widget` is on the screen. A panel behind another tab of its dock is not, though
/// Qt calls it visible.
bool isSeen(const QWidget* widget);

/// Tells when a widget that was not seen is: for what is worked out only when somebody looks.
class SeenWatch : public QObject {
  Q_OBJECT

 public:
  /// `act` is called when `widget` is shown, and from the event loop after it was painted; often,
  /// so it has to know whether there is anything to do.
  SeenWatch(QWidget* widget, std::function<void()> act);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  std::function<void()> act_;
  bool told_ = false;  ///< And not acted yet.
};

/// Makes `table` one of ours: whole rows of one line, chosen one at a time, with neither frame nor
/// grid. A row is `air` pixels higher than its letters.
void dressTable(QTableView* table, int air = 4);

/// The same for many rows of results, unsorted at first: long texts are shortened in the middle,
/// and the last column takes what is left.
void dressResultTable(QTableView* table);

/// Gives `table`, which is to be read only, these columns and rows; the first column is of words
/// and takes what is left, the others are figures.
void fillRows(QTableWidget* table, const QStringList& columns,
              const std::vector<QStringList>& rows);

/// Columns as wide as the first rows need, but none very wide.
void fitColumns(QTableView* table);

/// Labels of plain text, whatever tags are in it: bold, and muted.
QLabel* strongLabel(const QString& text, QWidget* parent);
QLabel* mutedLabel(const QString& text, QWidget* parent);

/// Fills `panel` with `stack`, and that with two pages: `empty`, words in the middle, for when
/// there is nothing; and `table`, whole rows without a frame, under a line of `buttons`.
void fillListPanel(QWidget* panel, QStackedWidget* stack, QLabel* empty, QTableWidget* table,
                   std::initializer_list<QPushButton*> buttons);

/// Scrolls so that `index` is on screen with what comes before and after it: to the middle when it
/// would otherwise lie at an edge, and not at all while it is well inside.
void scrollWithContext(QTableView* table, const QModelIndex& index);

/// Shows `popup`, a window of its own, below `place` of `widget`, or above it where there is no
/// room.
void popUnder(QWidget* popup, const QWidget* widget, const QRect& place);

/// A button with a panel that drops down from it: for choices that would take too much room if they
/// were always on screen. Esc or a click elsewhere closes it.
class DropDown : public QToolButton {
  Q_OBJECT

 public:
  /// Takes `content` over.
  explicit DropDown(QWidget* content, QWidget* parent = nullptr);

  /// The panel; hidden until the button is pressed.
  QFrame* panel() const { return panel_; }

 public Q_SLOTS:
  void open();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget* content_;
  QFrame* panel_;
};

}  // namespace hw
