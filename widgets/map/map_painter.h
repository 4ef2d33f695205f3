#pragma once

#include <QPainter>

#include "core/picture/map_scene.h"
#include "widgets/map/map_raster.h"

namespace hw {

// A map's blocks as pixels, for the screen: shapes of a million blocks would take seconds. All else
// is drawn by core/picture.

/// The raster that `scene` needs in a widget or picture `where`, at `ratio` device pixels per
/// logical one.
MapRequest mapRequest(const MapScene& scene, const QRect& where, const Ruler& ruler, double ratio);

/// Hatches what has moved and writes names into the blocks of `raster` that have room for one;
/// once, after rasterizing.
void writeLabels(MapRaster& raster, const MapScene& scene, const QFont& font);

/// Draws all of a map; a raster of another window is stretched to where it belongs.
void paintMap(QPainter& painter, const MapScene& scene, const QRect& where,
              const MapRaster& raster);

/// The same for a file: shapes and text on paper, unless there are too many; else pixels.
void paintMap(QPainter& painter, const MapScene& scene, const QRect& where);

}  // namespace hw
