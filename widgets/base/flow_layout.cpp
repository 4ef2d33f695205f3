#include "widgets/base/flow_layout.h"

#include <algorithm>

namespace hw {

FlowLayout::FlowLayout(int gap) : gap_(gap) { setContentsMargins(0, 0, 0, 0); }

FlowLayout::~FlowLayout() { qDeleteAll(items_); }

QLayoutItem* FlowLayout::takeAt(int index) {
  return index >= 0 && index < count() ? items_.takeAt(index) : nullptr;
}

QSize FlowLayout::minimumSize() const {
  QSize size;
  for (const QLayoutItem* item : items_) size = size.expandedTo(item->minimumSize());
  const QMargins around = contentsMargins();
  return size + QSize(around.left() + around.right(), around.top() + around.bottom());
}

void FlowLayout::setGeometry(const QRect& rect) {
  QLayout::setGeometry(rect);
  arrange(rect, true);
}

int FlowLayout::arrange(const QRect& rect, bool move) const {
  const QMargins around = contentsMargins();
  const QRect room = rect.marginsRemoved(around);
  QPoint at = room.topLeft();
  int line = 0;  // Height of the line under way.
  for (QLayoutItem* item : items_) {
    if (item->isEmpty()) continue;  // Hidden.
    const QSize size(std::min(item->sizeHint().width(), room.width()), item->sizeHint().height());
    if (at.x() > room.left() && at.x() + size.width() > room.left() + room.width()) {
      at = {room.left(), at.y() + line + gap_};
      line = 0;
    }
    if (move) item->setGeometry({at, size});
    at.rx() += size.width() + gap_;
    line = std::max(line, size.height());
  }
  return at.y() + line - rect.top() + around.bottom();
}

}  // namespace hw
