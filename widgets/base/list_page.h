#pragma once

#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QTableWidget>
#include <initializer_list>

namespace hw {

/// Makes `table` one of ours: whole rows of one line, chosen one at a time, with neither frame nor
/// grid. A row is `air` pixels higher than its letters.
void dressTable(QTableView* table, int air = 4);

/// The same for many rows of results, unsorted at first: long texts are shortened in the middle,
/// and the last column takes what is left.
void dressResultTable(QTableView* table);

/// Columns as wide as the first rows need, but none very wide.
void fitColumns(QTableView* table);

/// Fills `panel` with `stack`, and that with two pages: `empty`, words in the middle, for when
/// there is nothing; and `table`, whole rows without a frame, under a line of `buttons`.
void fillListPanel(QWidget* panel, QStackedWidget* stack, QLabel* empty, QTableWidget* table,
                   std::initializer_list<QPushButton*> buttons);

}  // namespace hw
