#include "widgets/charts/series_style.h"

#include <array>

namespace hw {
namespace {

struct Style {
  QRgb light;
  QRgb dark;
  QList<qreal> dashes;
};

const std::array<Style, kSeriesStyles>& styles() {
  static const std::array<Style, kSeriesStyles> kStyles = {{{0x0072b2, 0x6cbcf0, {}},
                                                            {0xb5558b, 0xcc79a7, {6, 2}},
                                                            {0xa87400, 0xe69f00, {2, 2}},
                                                            {0x00815d, 0x2fc79a, {8, 2, 2, 2}},
                                                            {0xd55e00, 0xf0813a, {4, 4}},
                                                            {0x3a8ec0, 0x56b4e9, {1, 2}},
                                                            {0x5f6873, 0x9da5af, {10, 3}},
                                                            {0x1b1f24, 0xe4e7eb, {3, 1}}}};
  return kStyles;
}

}  // namespace

QPen seriesPen(std::size_t index, const Theme& theme) {
  const Style& style = styles()[index % kSeriesStyles];
  QPen pen(QColor(theme.dark ? style.dark : style.light), 1.5);
  if (!style.dashes.isEmpty()) pen.setDashPattern(style.dashes);
  return pen;
}

}  // namespace hw
