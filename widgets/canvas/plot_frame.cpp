#include "widgets/canvas/plot_frame.h"

#include <QCoreApplication>
#include <QFontMetrics>
#include <QPainterPath>
#include <cmath>

namespace hw {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("PlotFrame", text); }

}  // namespace

int plotLeftMargin(const QFontMetrics& metrics) {
  return metrics.horizontalAdvance(QStringLiteral("8,888 KiB")) + 10;
}

PlotFrame PlotFrame::inside(const QRect& whole, const QFontMetrics& metrics) {
  const int line = metrics.height();
  const int left = plotLeftMargin(metrics);
  PlotFrame frame;
  frame.whole = whole;
  const int width = std::max(1, whole.width() - left - kPlotRightMargin);
  frame.title = QRect(whole.left() + left, whole.top() + 3, width, line + 2);
  frame.ticks = QRect(whole.left() + left, whole.bottom() - line - 3, width, line);
  const int top = frame.title.bottom() + 5;
  const int bottom = frame.ticks.top() - 4;
  frame.plot = QRect(whole.left() + left, top, width, std::max(1, bottom - top));
  return frame;
}

void drawHaloText(QPainter& painter, QPointF at, const QString& text, const QColor& color) {
  QColor halo = Theme::current().plot;
  halo.setAlpha(215);
  const QRectF box = QFontMetricsF(painter.font()).tightBoundingRect(text).translated(at);
  painter.fillRect(box.adjusted(-3, -2, 3, 2), halo);
  painter.setPen(color);
  painter.drawText(at, text);
}

void drawTitle(QPainter& painter, const PlotFrame& frame, const QString& title,
               const QString& note) {
  const Theme& theme = Theme::current();
  const QFont plain = painter.font();
  QFont bold = plain;
  bold.setBold(true);
  painter.setFont(bold);
  painter.setPen(theme.text);
  const QFontMetrics metrics(bold, painter.device());
  const QString shown = metrics.elidedText(title, Qt::ElideRight, frame.title.width());
  painter.drawText(frame.title, Qt::AlignLeft | Qt::AlignVCenter, shown);
  painter.setFont(plain);
  const int used = metrics.horizontalAdvance(shown) + 16;
  if (note.isEmpty() || used > frame.title.width() / 2 + frame.title.width() / 4) return;
  painter.setPen(theme.mutedText);
  const QRect rest = frame.title.adjusted(used, 0, 0, 0);
  const QFontMetrics small(plain, painter.device());
  painter.drawText(rest, Qt::AlignRight | Qt::AlignVCenter,
                   small.elidedText(note, Qt::ElideRight, rest.width()));
}

double stepTickSpacing(const QFontMetrics& metrics) {
  return metrics.horizontalAdvance(QStringLiteral("88,888")) + 14;
}

double byteTickSpacing(const QFontMetrics& metrics) { return metrics.height() * 2.2; }

void drawStepTicks(QPainter& painter, const PlotFrame& frame, const StepAxis& axis) {
  const QFontMetrics metrics(painter.font(), painter.device());
  painter.setPen(Theme::current().axis);
  for (const AxisTick& tick : axis.ticks(stepTickSpacing(metrics))) {
    const int width = metrics.horizontalAdvance(tick.label) + 2;
    const int centre = qRound(axis.toX(tick.value));
    const int left = std::min(centre - width / 2, frame.whole.right() - width);
    painter.drawLine(centre, frame.plot.bottom() + 1, centre, frame.plot.bottom() + 3);
    painter.drawText(QRect(left, frame.ticks.top(), width, frame.ticks.height()), Qt::AlignCenter,
                     tick.label);
  }
  painter.setPen(Theme::current().mutedText);
  const QRect name(frame.whole.left(), frame.ticks.top(),
                   frame.ticks.left() - frame.whole.left() - 14, frame.ticks.height());
  painter.drawText(name, Qt::AlignRight | Qt::AlignVCenter, tr("step"));
}

void drawByteTicks(QPainter& painter, const PlotFrame& frame, const ByteAxis& axis) {
  const QFontMetrics metrics(painter.font(), painter.device());
  painter.setPen(Theme::current().axis);
  for (const AxisTick& tick : axis.ticks(byteTickSpacing(metrics))) {
    const int middle = qRound(axis.toPixel(tick.value));
    const QRect box(frame.whole.left(), middle - metrics.height() / 2,
                    frame.plot.left() - frame.whole.left() - 6, metrics.height());
    if (box.top() < frame.title.top()) continue;
    painter.drawLine(frame.plot.left() - 3, middle, frame.plot.left() - 1, middle);
    painter.drawText(box, Qt::AlignRight | Qt::AlignVCenter, tick.label);
  }
}

void drawPlayhead(QPainter& painter, const PlotFrame& frame, const StepAxis& axis, double step) {
  const double x = axis.toX(step);
  if (x < frame.plot.left() || x > frame.plot.right()) return;
  painter.save();
  painter.setPen(QPen(Theme::current().playhead, 1));
  painter.drawLine(QPointF(qRound(x), frame.plot.top() - 4),
                   QPointF(qRound(x), frame.plot.bottom()));
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setBrush(Theme::current().playhead);
  const double top = frame.plot.top() - 4;
  painter.drawPolygon(QPolygonF({{x - 4, top}, {x + 4, top}, {x, top + 5}}));
  painter.restore();
}

void drawMarks(QPainter& painter, const PlotFrame& frame, const StepAxis& axis,
               const std::vector<double>& steps) {
  painter.save();
  painter.setPen(QPen(Theme::current().mark, 1, Qt::DashDotLine));
  for (const double step : steps) {
    const double x = std::round(axis.toX(step));
    if (x < frame.plot.left() || x > frame.plot.right()) continue;
    painter.drawLine(QPointF(x, frame.plot.top()), QPointF(x, frame.plot.bottom()));
  }
  painter.restore();
}

void drawMarkedSteps(QPainter& painter, const PlotFrame& frame, const StepAxis& axis,
                     Interval<Step> steps) {
  const double left = axis.toX(static_cast<double>(steps.begin.count()));
  const double right = axis.toX(static_cast<double>(steps.end.count()));
  const QRectF band(left, frame.plot.top(), right - left, frame.plot.height());
  if (!band.intersects(frame.plot)) return;
  const QRectF seen = band & QRectF(frame.plot);
  QColor shade = Theme::current().selection;
  shade.setAlpha(Theme::current().dark ? 46 : 34);
  painter.fillRect(seen, shade);
  painter.setPen(QPen(Theme::current().selection, 1));
  for (const double x : {left, right}) {
    if (x < frame.plot.left() || x > frame.plot.right() + 1) continue;
    painter.drawLine(QPointF(std::round(x), frame.plot.top()),
                     QPointF(std::round(x), frame.plot.bottom()));
  }
}

}  // namespace hw
