#pragma once

#include <QPixmap>
#include <QWidget>
#include <functional>
#include <vector>

#include "core/picture/canvas.h"

namespace hw {

/// Draws on another canvas, and remembers where each shape with an id is: what a pointer is over is
/// what was drawn there.
class HintCanvas final : public Canvas {
 public:
  struct Shape {
    Box box{};
    Hint hint{};
  };

  /// `canvas` outlives this.
  explicit HintCanvas(Canvas& canvas) : canvas_(canvas) {}

  /// In the order of drawing: the last one is on top.
  std::vector<Shape> takeShapes() { return std::move(shapes_); }

  const Ruler& ruler() const override { return canvas_.ruler(); }
  bool keepsHints() const override { return true; }
  void setLetters(double units) override { canvas_.setLetters(units); }
  void rectangle(const Box& box, const Look& look, const Hint& hint = {}) override {
    if (!hint.id.empty()) shapes_.push_back({box, hint});
    canvas_.rectangle(box, look);
  }
  void line(Point from, Point to, const Stroke& stroke) override { canvas_.line(from, to, stroke); }
  void text(Point at, std::string_view text, const Lettering& lettering = {}) override {
    canvas_.text(at, text, lettering);
  }
  void path(std::span<const Point> points, const Look& look) override {
    canvas_.path(points, look);
  }
  void stairs(std::span<const Point> points, double floor, Fill fill) override {
    canvas_.stairs(points, floor, fill);
  }
  void hatch(const Box& box, Fill fill) override { canvas_.hatch(box, fill); }

 private:
  Canvas& canvas_;
  std::vector<Shape> shapes_;
};

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
