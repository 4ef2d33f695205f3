#include "widgets/base/icons.h"

#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QSvgRenderer>
#include <algorithm>

#include "widgets/base/theme.h"

namespace hw {

namespace {

/// Drawn on a field of 24 x 24: filled shapes, or lines that are stroked.
struct Drawing {
  Glyph glyph;
  const char* path;
  bool stroked = false;
};

constexpr Drawing kDrawings[] = {
    {Glyph::first, "M4 5h2.5v14H4z M13.5 5v14L6.5 12z M21 5v14L14 12z"},
    {Glyph::opBack, "M11.5 5v14L3 12z M20.5 5v14L12 12z"},
    {Glyph::eventBack, "M14 5v14L5 12z M16 5h2.5v14H16z"},
    {Glyph::play, "M7 4.5v15L19.5 12z"},
    {Glyph::pause, "M6.5 5h4v14h-4z M13.5 5h4v14h-4z"},
    {Glyph::eventForward, "M5.5 5H8v14H5.5z M10 5v14l9-7z"},
    {Glyph::opForward, "M3.5 5v14l8.5-7z M12.5 5v14l8.5-7z"},
    {Glyph::last, "M3 5v14l7-7z M10.5 5v14l7-7z M17.5 5H20v14h-2.5z"},
    {Glyph::playBack, "M17 4.5v15L4.5 12z"},
    {Glyph::fast, "M3 5v14l8.5-7z M12 5v14l8.5-7z M3 20.5h17.5v1H3z"},
    {Glyph::express, "M3 12h11M10 6.5l6 5.5-6 5.5M20 4.5v15", true},
    {Glyph::stop, "M6 6h12v12H6z"},
    {Glyph::until, "M3 12h9M8.5 8l4 4-4 4M17.5 4.5v15M14.5 4.5h6M14.5 19.5h6", true},
    {Glyph::marker, "M6 3.5h12v10l-6 7-6-7z", true},
    {Glyph::peak, "M3 19.5h4.5V12H11V4.5h3.5V9.5H18V15h3M14.5 4.5v0", true},
    {Glyph::open, "M3 18.5v-13h6l2 2.5h8V11M3 18.5L6 11h16l-3 7.5z", true},
    {Glyph::picture, "M3.5 5h17v14h-17zM3.5 16l5-5 4 4 3-3 5 5M15.5 8.5h.5", true},
    {Glyph::fit, "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5", true},
    {Glyph::zoomIn, "M10 4a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM14.5 14.5L20 20M7.5 10h5M10 7.5v5", true},
    {Glyph::refresh, "M19.5 12a7.5 7.5 0 1 1-2.2-5.3M20 3.5v4h-4", true},
    {Glyph::cancel, "M6 6l12 12M18 6L6 18", true},
    {Glyph::list, "M4 6h16M4 12h16M4 18h16", true},
    {Glyph::bars, "M5 20V10M12 20V4M19 20v-7", true},
    {Glyph::sliders, "M3 7h18M3 17h18M9 4v6M15 14v6", true},
    {Glyph::information, "M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM12 11v6M12 7.5v.3", true},
    {Glyph::warning, "M12 4L2.8 20h18.4zM12 10v5M12 17.5v.3", true},
    {Glyph::error, "M8.5 3.5h7l5 5v7l-5 5h-7l-5-5v-7zM12 7.5v6M12 16.3v.3", true},
};

static_assert(std::size(kDrawings) == static_cast<std::size_t>(Glyph::error) + 1);

const Drawing& drawingOf(Glyph glyph) {
  return *std::ranges::find(kDrawings, glyph, &Drawing::glyph);
}

QColor colorOf(Glyph glyph, QIcon::Mode mode) {
  const Theme& theme = Theme::current();
  if (mode == QIcon::Disabled) {
    return theme.palette().color(QPalette::Disabled, QPalette::ButtonText);
  }
  if (glyph == Glyph::error || glyph == Glyph::warning) return theme.accent;
  return theme.text;
}

QByteArray svgOf(Glyph glyph, const QColor& color) {
  const Drawing drawing = drawingOf(glyph);
  const QByteArray name = color.name().toLatin1();
  const QByteArray style =
      drawing.stroked ? "fill='none' stroke='" + name +
                            "' stroke-width='2' stroke-linecap='round' stroke-linejoin='round'"
                      : "fill='" + name + "'";
  return "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'><path " + style + " d='" +
         drawing.path + "'/></svg>";
}

/// Paints a glyph in the colour that the theme has now.
class GlyphEngine final : public QIconEngine {
 public:
  GlyphEngine(Glyph glyph, bool filled) : glyph_(glyph), filled_(filled) {}

  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
    const bool on = filled_ && mode != QIcon::Disabled;
    const QColor color = on ? Theme::current().onSelection : colorOf(glyph_, mode);
    QSvgRenderer renderer(svgOf(glyph_, color));
    renderer.render(painter, rect);
  }

  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
    QPixmap pixmap(size);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    paint(&painter, QRect(QPoint(), size), mode, state);
    return pixmap;
  }

  QIconEngine* clone() const override { return new GlyphEngine(*this); }

 private:
  Glyph glyph_;
  bool filled_;
};

}  // namespace

QIcon glyphIcon(Glyph glyph, bool filled) { return QIcon(new GlyphEngine(glyph, filled)); }

}  // namespace hw
