#pragma once

#include <QPainter>

#include "core/run/run.h"
#include "widgets/canvas/plot_frame.h"

namespace hw {

/// Draws bytes in use and high water of one pool over all steps into `target`, for paper: the
/// curves, the lines and the colours of the peak chart, from shapes and text alone. Needs no
/// widget.
void paintCurves(QPainter& painter, const QRect& target, const Run& run, PoolId pool);

}  // namespace hw
