#pragma once

#include <QChartView>

namespace hw {

/// Takes away what Qt puts around the curves: frame, scroll bars, legend, margins, background,
/// rubber band. Axes, ticks and titles are drawn like those of the maps.
void makeBare(QChartView& view);

}  // namespace hw
