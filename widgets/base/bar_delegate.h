#pragma once

#include <QStyledItemDelegate>

namespace hw {

/// Draws a bar before a cell's figure, as long as its share of the largest one, and a line where
/// the lower bound is. Cells without a share are drawn as ever.
class BarDelegate final : public QStyledItemDelegate {
  Q_OBJECT

 public:
  static constexpr int kShareRole = Qt::UserRole + 1;  ///< Length of the bar, 0 to 1.
  static constexpr int kMarkRole = Qt::UserRole + 2;   ///< Place of the line, 0 to 1.
  static constexpr int kBestRole = Qt::UserRole + 3;   ///< True: the bar is of the best.

  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace hw
