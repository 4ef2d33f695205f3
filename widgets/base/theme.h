#pragma once

#include <QColor>
#include <QPalette>
#include <QString>

#include "core/picture/palette.h"

namespace hw {

/// A palette of core as Qt has colours, with what widgets need besides; two of them exist. Views
/// never name a colour themselves.
struct Theme {
  bool dark = false;
  QColor window, plot, grid, axis, text, mutedText, selection, hover, accent;
  QColor live, highWater, capacity, lowerBound, playhead, mark, hole, hatch;
  QColor classes[kTensorClasses];

  QColor classColor(TensorClass kind) const { return classes[static_cast<int>(kind)]; }
  QPalette palette() const;
  const Palette& inks() const { return dark ? Palette::dark() : Palette::light(); }

  static const Theme& light();
  static const Theme& darkTheme();
  /// The one in force; set it with `apply`.
  static const Theme& current();
  /// Makes the one of the two that `theme` is current and gives the application the Fusion style
  /// with its palette and style sheet. Widgets hear of it as QEvent::PaletteChange.
  static void apply(const Theme& theme);
};

}  // namespace hw
