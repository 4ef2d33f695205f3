#pragma once

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

}  // namespace hw
