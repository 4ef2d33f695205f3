#pragma once

#include <QSize>
#include <string>

#include "widgets/canvas/map_scene.h"

namespace hw {

/// The map of `scene` as SVG text, `size` user units large, in the colours of `theme`: a rectangle
/// with a stable id (`stay-N`, `stay-N-1`, … for the parts between gaps) and a tooltip for each
/// block, names where there is room for them, text that stays text, and a footer that says where
/// the plan comes from. Equal scenes give equal bytes: no fonts are measured, nothing is dated.
/// The playhead and the selection are drawn as on screen; hovering is not.
std::string mapSvg(const MapScene& scene, const Theme& theme, const QSize& size,
                   bool footer = true);

}  // namespace hw
