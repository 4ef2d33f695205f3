#pragma once

#include <QFontMetricsF>
#include <QPainter>
#include <QWidget>

#include "core/picture/canvas.h"

namespace hw {

inline Box toBox(const QRectF& rect) {
  return {rect.left(), rect.top(), rect.width(), rect.height()};
}
inline QRectF toRectF(const Box& box) { return {box.left, box.top, box.width, box.height}; }
inline QRect toRect(const Box& box) { return toRectF(box).toRect(); }

/// The rectangle that a plot is drawn in to fill `widget`: without `ticks` these lie below it.
QRect wholePlot(const QWidget& widget, bool ticks);

/// Rounds the corners of a view that has been painted, and draws the line around it: on the screen
/// a view is a card.
void drawCardEdge(const QWidget& widget, QPainter& painter);

/// `content`, which it takes over, as a card of the middle of the window, with the room around it.
class Card : public QWidget {
  Q_OBJECT

 public:
  explicit Card(QWidget* content, QWidget* parent = nullptr);

 protected:
  void paintEvent(QPaintEvent* event) override;
};

/// The pen for `stroke` in the colours of the theme in force.
QPen penOf(const Stroke& stroke);

/// Says how large text is in a font, on a device or on the screen.
class FontRuler final : public Ruler {
 public:
  explicit FontRuler(const QFont& font, QPaintDevice* device = nullptr);
  /// Without bold letters: for margins.
  explicit FontRuler(const QFontMetricsF& metrics) : plain_(metrics), bold_(metrics) {}
  double width(std::string_view text, bool bold = false) const override;
  double height() const override { return plain_.height(); }
  double ascent() const override { return plain_.ascent(); }

 private:
  QFontMetricsF plain_;
  QFontMetricsF bold_;
};

/// Draws with a painter in its font and the colours of the theme in force. On pixels shapes have
/// sharp edges, so that neighbours meet without gap or overlap; paper takes them as they are.
class PainterCanvas final : public Canvas {
 public:
  /// `painter` outlives this; its pen, brush and opacity are not kept.
  explicit PainterCanvas(QPainter& painter);

  const Ruler& ruler() const override { return ruler_; }
  void setLetters(double units) override;
  void rectangle(const Box& box, const Look& look, const Hint& hint = {}) override;
  void line(Point from, Point to, const Stroke& stroke) override;
  void text(Point at, std::string_view text, const Lettering& lettering = {}) override;
  void path(std::span<const Point> points, const Look& look) override;
  void stairs(std::span<const Point> points, double floor, Fill fill) override;
  void hatch(const Box& box, Fill fill) override;

 private:
  QRectF sharp(const Box& box) const;

  QPainter& painter_;
  FontRuler ruler_;
  bool pixels_;
};

}  // namespace hw
