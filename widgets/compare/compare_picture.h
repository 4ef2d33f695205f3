#pragma once

#include <QPainter>
#include <QRect>
#include <QTableView>

namespace hw {

/// How large the picture of a comparison's table is when nothing has to be shortened.
QSize comparisonSize(const QTableView& table, const QString& stamp);

/// Draws the rows and columns that `table` shows, in its order, as shapes and text: bars with the
/// lower bound, the best rows bold. What is too wide is shortened; rows that have no room are
/// counted below the others. `stamp` stands above them: what they were made with.
void paintComparison(QPainter& painter, const QRect& target, const QTableView& table,
                     const QString& stamp);

}  // namespace hw
