#pragma once

#include <QPixmap>
#include <QWidget>
#include <functional>
#include <unordered_map>
#include <vector>

#include "core/picture/charts/front_scene.h"
#include "core/picture/charts/study_scene.h"

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

/// A scene whose plans are dots, or cells, to pick: the one under the pointer says what it is, a
/// click or Enter picks it, and Left and Right go from one to the next. The id of a dot is its
/// place in the scene: among the points, or among what was found and then the others.
class DotChart : public QWidget {
  Q_OBJECT

 public:
  static constexpr int kNone = -1;

  explicit DotChart(QWidget* parent = nullptr);

  void setScene(FrontScene scene);
  void setScene(ParetoScene scene);
  void setScene(DotsScene scene);
  void setScene(HeatScene scene);
  void setScene(MultiplesScene scene);
  /// Draws what `setEmptyText` said last.
  void clear();
  void setEmptyText(const QString& text);
  QString emptyText() const { return drawing_ ? QString() : empty_; }
  /// The dot of what is on show, encircled; or none.
  void setMarked(int dot);
  int marked() const { return marked_; }

  /// All dots that are drawn, from left to right.
  std::vector<int> ids();
  /// The place where a dot is drawn; empty when it is not.
  QRectF dotRect(int dot);
  /// The dot that keys are about, or under the pointer; or none.
  int current() const { return current_; }

  void renderTo(QPainter& painter, const QRect& target) const;

  QSize sizeHint() const override { return {560, 260}; }
  QSize minimumSizeHint() const override { return {200, 60}; }

 Q_SIGNALS:
  void picked(int dot);

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
  using Drawing = std::function<void(Canvas&, const Box&)>;
  struct Dot {
    QRectF box{};
    QString toolTip{};
    int id = kNone;
  };

  /// `names` are what `draw` calls the dots, by id.
  template <class Scene>
  void setDrawing(Scene scene, void (*draw)(Canvas&, const Scene&, const Box&),
                  const std::vector<std::string>& names);
  void redraw();
  /// Draws what is out of date.
  void makePicture();
  const Dot* dotOf(int id) const;
  const Dot* dotAt(const QPointF& at) const;
  void setCurrent(const Dot* dot);

  Drawing drawing_;
  QString empty_;
  std::unordered_map<std::string, int> ids_;  ///< Of dots, by what `drawing_` calls them.
  int marked_ = kNone;
  int current_ = kNone;
  QPixmap picture_;  ///< Null when it has to be drawn anew.
  std::vector<Dot> dots_;
};

}  // namespace hw
