#include "widgets/canvas/map_colors.h"

namespace hw {

namespace {

/// Shares of the class colour over the plot, and of the text colour over the class for edges.
struct Strength {
  double fill;
  double edge;
  double thin;
};

BlockShade shade(const Theme& theme, const QColor& color, Strength strength) {
  const QColor edge = mixColors(color, theme.text, 0.55);
  return {mixColors(color, theme.plot, strength.fill).rgb(),
          mixColors(edge, theme.plot, strength.edge).rgb(),
          mixColors(color, theme.plot, strength.thin).rgb()};
}

}  // namespace

QColor mixColors(const QColor& a, const QColor& b, double share) {
  const auto channel = [&](int from, int to) { return qRound(from * share + to * (1 - share)); };
  return {channel(a.red(), b.red()), channel(a.green(), b.green()), channel(a.blue(), b.blue())};
}

QColor readableOn(const QColor& fill) {
  // Luma of ITU-R BT.601; the threshold leaves at least 4.5:1 on the class colours.
  const int luma = (299 * fill.red() + 587 * fill.green() + 114 * fill.blue()) / 1000;
  return luma > 120 ? QColor(16, 16, 16) : QColor(250, 250, 250);
}

MapColors MapColors::of(const Theme& theme) {
  MapColors colors;
  colors.plot = theme.plot.rgb();
  colors.grid = theme.grid.rgb();
  const Strength past = theme.dark ? Strength{0.46, 0.60, 0.78} : Strength{0.42, 0.75, 0.85};
  const Strength future = theme.dark ? Strength{0.28, 0.50, 0.52} : Strength{0.25, 0.62, 0.56};
  for (std::size_t i = 0; i < colors.live.size(); ++i) {
    const QColor& color = theme.classes[i];
    colors.past[i] = shade(theme, color, past);
    colors.future[i] = shade(theme, color, future);
    colors.live[i] = shade(theme, color, {1.0, 1.0, 1.0});
    colors.pale[i] = shade(theme, color, {0.07, 0.14, 0.10});
  }
  return colors;
}

}  // namespace hw
