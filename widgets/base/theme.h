#pragma once

#include <QColor>
#include <QPalette>
#include <QString>
#include <QStyleOptionViewItem>

#include "core/picture/palette.h"

namespace hw {

/// A palette of core as Qt has colours, with what widgets need besides; two of them exist. Views
/// never name a colour themselves.
struct Theme {
  bool dark = false;
  QColor window, plot, grid, axis, text, mutedText, selection, hover, accent;
  QColor live, highWater, capacity, lowerBound, playhead, mark, hole, hatch;
  QColor raised, line, onSelection, warmTint;
  QColor classes[kAllClasses];

  QColor classColor(BlockClass kind) const { return classes[static_cast<int>(kind)]; }
  QPalette palette() const;
  const Palette& inks() const { return dark ? Palette::dark() : Palette::light(); }

  static const Theme& light();
  static const Theme& darkTheme();
  /// The one in force; set it with `apply`.
  static const Theme& current();
  /// Makes the one of the two that `theme` is current and gives the application `Style` and
  /// its palette. Widgets hear of it as QEvent::PaletteChange.
  static void apply(const Theme& theme);
};

/// While it lives, `Theme::current()` is `theme` in this thread and no other: for pictures whose
/// colours are not those of the screen. Widgets hear nothing of it. Scopes nest.
class ThemeScope {
 public:
  explicit ThemeScope(const Theme& theme);
  ~ThemeScope();
  ThemeScope(const ThemeScope&) = delete;
  ThemeScope& operator=(const ThemeScope&) = delete;

 private:
  const Theme* before_;
};

/// The colour for text of `role` that a delegate writes over the background that the style has
/// drawn: selected rows have another one, and yet another where the keys do not go.
inline QColor itemColor(const QStyleOptionViewItem& option, QPalette::ColorRole role) {
  const bool chosen = option.state.testFlag(QStyle::State_Selected);
  const bool active = option.state.testFlag(QStyle::State_Active);
  return option.palette.color(active ? QPalette::Active : QPalette::Inactive,
                              chosen ? QPalette::HighlightedText : role);
}

}  // namespace hw
