#pragma once

#include <QPainter>
#include <QRect>
#include <QString>
#include <vector>

#include "core/base/interval.h"
#include "core/base/quantity.h"
#include "widgets/byte_axis.h"
#include "widgets/step_axis.h"
#include "widgets/theme.h"

namespace hw {

/// The parts of a map or chart around its plot. All views of a column use the same margins, so that
/// a step is at the same pixel in each.
struct PlotFrame {
  QRect whole{};
  QRect title{};  ///< One line above the plot.
  QRect plot{};
  QRect ticks{};  ///< One line below the plot for step numbers.

  /// Divides `whole` with the margins below.
  static PlotFrame inside(const QRect& whole, const QFontMetrics& metrics);
};

/// Pixels left of every plot: room for "8,888 KiB" and a little air.
int plotLeftMargin(const QFontMetrics& metrics);
inline constexpr int kPlotRightMargin = 12;

/// Writes `text` so that it can be read over lines and blocks. `at` is the baseline's left end.
void drawHaloText(QPainter& painter, QPointF at, const QString& text, const QColor& color);

/// Writes the title, bold, and `note`, muted, at the right end if both fit.
void drawTitle(QPainter& painter, const PlotFrame& frame, const QString& title,
               const QString& note);

/// Writes step numbers below the plot and the axis' name beside them.
void drawStepTicks(QPainter& painter, const PlotFrame& frame, const StepAxis& axis);

/// Writes sizes left of the plot.
void drawByteTicks(QPainter& painter, const PlotFrame& frame, const ByteAxis& axis);

/// How far apart the marks of each axis are at least.
double stepTickSpacing(const QFontMetrics& metrics);
double byteTickSpacing(const QFontMetrics& metrics);

/// Draws the playhead over the plot, if it is on screen.
void drawPlayhead(QPainter& painter, const PlotFrame& frame, const StepAxis& axis, double step);

/// Draws a line through the plot at each of `steps` that is on screen.
void drawMarks(QPainter& painter, const PlotFrame& frame, const StepAxis& axis,
               const std::vector<double>& steps);

/// Shades marked steps between two lines, as far as they are on screen.
void drawMarkedSteps(QPainter& painter, const PlotFrame& frame, const StepAxis& axis,
                     Interval<Step> steps);

}  // namespace hw
