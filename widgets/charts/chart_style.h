#pragma once

#include <QCategoryAxis>
#include <QChartView>
#include <vector>

#include "core/picture/axis.h"

namespace hw {

/// Takes away what Qt puts around a chart: frame, scroll bars, rubber band, background, margins;
/// and gives title, legend and axes the colours of the theme in force. Again when that changes.
void styleChart(QChartView& view);

/// True if bars below `parent` grow into place.
void setChartMotion(const QWidget& parent, bool moving);

/// Puts `ticks` on an axis, for what no format of Qt's can say: bytes, times, steps.
void setTicks(QCategoryAxis& axis, double low, double high, const std::vector<AxisTick>& ticks);

/// Four or five marks from `low` to `high`.
std::vector<AxisTick> byteTicks(double low, double high);
/// Of a quantity of which `unit` is one, "1.5 s"; on 1, 2 or 5 times a power of ten.
std::vector<AxisTick> numberTicks(double low, double high, double unit, std::string_view name);
/// In s, ms, µs, … as large as `high` wants it; `second` is one.
std::vector<AxisTick> timeTicks(double high, double second);

}  // namespace hw
