#pragma once

#include <QLayout>
#include <QList>

namespace hw {

/// Widgets in lines, as words are: as many as fit beside each other, the others below.
class FlowLayout : public QLayout {
 public:
  /// `gap` pixels lie between widgets and between lines.
  explicit FlowLayout(int gap);
  ~FlowLayout() override;

  void addItem(QLayoutItem* item) override { items_.append(item); }
  int count() const override { return static_cast<int>(items_.size()); }
  QLayoutItem* itemAt(int index) const override { return items_.value(index); }
  QLayoutItem* takeAt(int index) override;
  Qt::Orientations expandingDirections() const override { return {}; }
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override { return arrange({0, 0, width, 0}, false); }
  QSize sizeHint() const override { return minimumSize(); }
  QSize minimumSize() const override;
  void setGeometry(const QRect& rect) override;

 private:
  /// The height of all lines in `rect`; `move` says whether widgets go to their places.
  int arrange(const QRect& rect, bool move) const;

  QList<QLayoutItem*> items_;
  int gap_;
};

}  // namespace hw
