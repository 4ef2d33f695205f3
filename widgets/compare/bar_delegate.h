#pragma once

#include <QStyledItemDelegate>

namespace hw {

/// Draws a bar behind a cell's figure, as long as its share of the largest one, and a line where
/// the lower bound is: `CompareModel::kBarRole` and `kMarkRole`.
class BarDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace hw
