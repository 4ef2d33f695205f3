#include "widgets/base/scroll_follow.h"

#include <algorithm>

namespace hw {

void scrollWithContext(QTableView* table, const QModelIndex& index) {
  const QRect row = table->visualRect(index);
  const int margin = std::min(2 * row.height(), table->viewport()->height() / 4);
  const QRect inside = table->viewport()->rect().adjusted(0, margin, 0, -margin);
  if (row.top() >= inside.top() && row.bottom() <= inside.bottom()) return;
  table->scrollTo(index, QAbstractItemView::PositionAtCenter);
}

}  // namespace hw
