#pragma once

#include <QPixmap>
#include <QWidget>
#include <functional>

#include "widgets/plot/hint_canvas.h"

namespace hw {

/// A picture whose shapes with an id are dots to pick: the one under the pointer says what it is, a
/// click or Enter picks it, and Left and Right go from one to the next.
class DotChart : public QWidget {
  Q_OBJECT

 public:
  using Drawing = std::function<void(Canvas&, const Box&)>;

  explicit DotChart(QWidget* parent = nullptr);

  /// Null draws what `setEmptyText` said last.
  void setDrawing(Drawing drawing);
  void setEmptyText(const QString& text);
  QString emptyText() const { return drawing_ ? QString() : empty_; }
  /// The dot of what is on show, encircled; empty: none is.
  void setMarked(const std::string& id);
  const std::string& marked() const { return marked_; }

  /// Of all dots, from left to right.
  std::vector<std::string> ids();
  /// Where a dot is drawn; empty when there is none of that name.
  QRectF dotRect(const std::string& id);
  /// The dot that keys are about, or under the pointer; empty: none.
  const std::string& current() const { return current_; }

  void renderTo(QPainter& painter, const QRect& target) const;

  QSize sizeHint() const override { return {560, 260}; }
  QSize minimumSizeHint() const override { return {200, 60}; }

 Q_SIGNALS:
  void picked(const QString& id);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void leaveEvent(QEvent* event) override;
  bool event(QEvent* event) override;

 private:
  void redraw();
  /// Draws what is out of date.
  void makePicture();
  const HintCanvas::Shape* shapeOf(const std::string& id) const;
  const HintCanvas::Shape* shapeAt(const QPointF& at) const;
  void setCurrent(const std::string& id);

  Drawing drawing_;
  QString empty_;
  std::string marked_;
  std::string current_;
  QPixmap picture_;  ///< Null when it has to be drawn anew.
  std::vector<HintCanvas::Shape> shapes_;
};

}  // namespace hw
