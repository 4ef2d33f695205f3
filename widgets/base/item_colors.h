#pragma once

#include <QStyleOptionViewItem>

namespace hw {

/// The colour for text of `role` that a delegate writes over the background that the style has
/// drawn: selected rows have another one, and yet another where the keys do not go.
inline QColor itemColor(const QStyleOptionViewItem& option, QPalette::ColorRole role) {
  const bool chosen = option.state.testFlag(QStyle::State_Selected);
  const bool active = option.state.testFlag(QStyle::State_Active);
  return option.palette.color(active ? QPalette::Active : QPalette::Inactive,
                              chosen ? QPalette::HighlightedText : role);
}

}  // namespace hw
