#pragma once

#include <QTableView>

namespace hw {

/// Scrolls so that `index` is on screen with what comes before and after it: to the middle when it
/// would otherwise lie at an edge, and not at all while it is well inside.
void scrollWithContext(QTableView* table, const QModelIndex& index);

}  // namespace hw
