#pragma once

#include <QPainter>

#include "core/picture/axis.h"
#include "widgets/lanes/lane_store.h"

namespace hw {

/// A step this wide has room for what happens within it.
inline constexpr double kOwnPixels = 3;

/// Draws one lane over the steps of `axis` into `row`: the times within each step where steps have
/// at least `kOwnPixels`, else the share of time of those that share a pixel.
void paintLane(QPainter& painter, const LaneStore& lanes, std::size_t lane, const QRect& row,
               const RunAxis& axis);

}  // namespace hw
