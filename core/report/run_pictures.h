#pragma once

#include <string>

#include "core/run/run.h"

namespace hw {

/// The style sheet that the pictures below and the HTML report share: Okabe-Ito colours by class of
/// tensor, light and dark as the reader's system is set.
std::string_view pictureStyles();

/// How many rectangles a picture has at most; the smallest ones beyond are left out, and the
/// picture says how many.
inline constexpr std::size_t kMaxRectangles = 20'000;

/// The memory map of one pool as an SVG element: execution step to the right, address upwards, one
/// rectangle for each stretch of a stay, with a tooltip, names where there is room, and lines for
/// capacity, peak and lower bound. Colours come from `pictureStyles`. Equal runs give equal bytes.
std::string memoryMapSvg(const Run& run, PoolId pool);

/// Bytes live in one pool at each step, and the footprint so far: a step line, never a slope. Every
/// change is drawn, so that no peak is lost.
std::string liveBytesSvg(const Run& run, PoolId pool);

}  // namespace hw
