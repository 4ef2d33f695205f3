#pragma once

#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QTableWidget>
#include <initializer_list>

namespace hw {

/// Fills `panel` with `stack`, and that with two pages: `empty`, words in the middle, for when
/// there is nothing; and `table`, whole rows without a frame, under a line of `buttons`.
void fillListPanel(QWidget* panel, QStackedWidget* stack, QLabel* empty, QTableWidget* table,
                   std::initializer_list<QPushButton*> buttons);

}  // namespace hw
