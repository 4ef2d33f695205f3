#pragma once

#include <QIcon>

namespace hw {

/// The studio's own icons.
enum class Glyph {
  first,
  opBack,
  eventBack,
  play,
  pause,
  eventForward,
  opForward,
  last,
  playBack,
  fast,
  express,
  stop,
  until,
  marker,
  peak,
  open,
  picture,
  fit,
  zoomIn,
  refresh,
  cancel,
  list,
  bars,
  sliders,
  information,
  warning,
  error,
};

/// An icon in the text colour of the theme in force when it is painted: it follows a change of
/// theme by itself. Sharp at any size. `filled`: to stand on the colour of a primary button.
QIcon glyphIcon(Glyph glyph, bool filled = false);

}  // namespace hw
