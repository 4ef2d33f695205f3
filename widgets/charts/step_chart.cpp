#include "widgets/charts/step_chart.h"

#include <QChart>
#include <QValueAxis>

#include "widgets/canvas/step_marker.h"
#include "widgets/canvas/step_mouse.h"
#include "widgets/charts/bare_chart.h"

namespace hw {

StepChart::StepChart(ViewState* state, QWidget* parent)
    : QChartView(new QChart, parent),
      state_(state),
      x_(new QValueAxis(this)),
      y_(new QValueAxis(this)) {
  makeBare(*this);
  setMouseTracking(true);
  chart()->addAxis(x_, Qt::AlignBottom);
  chart()->addAxis(y_, Qt::AlignLeft);
  // Axes are drawn by us, with the same code as those of the maps.
  x_->setVisible(false);
  y_->setVisible(false);
  const auto axis = [this] { return stepAxis(); };
  new StepMouse(state, viewport(), axis);
  new StepMarker(state, viewport(), axis);  // Last: what has Ctrl is its own.
}

PlotFrame StepChart::frame() const { return PlotFrame::inside(viewport()->rect(), fontMetrics()); }

StepAxis StepChart::stepAxis() const {
  const QRect plot = plotRect();
  return {state_->visibleBegin(), state_->visibleEnd(), static_cast<double>(plot.left()),
          static_cast<double>(plot.width())};
}

QLineSeries* StepChart::addLine() {
  auto* line = new QLineSeries(this);
  chart()->addSeries(line);
  line->attachAxis(x_);
  line->attachAxis(y_);
  return line;
}

void StepChart::removeLine(QLineSeries* line) {
  chart()->removeSeries(line);
  line->deleteLater();
}

void StepChart::showSteps() { x_->setRange(state_->visibleBegin(), state_->visibleEnd()); }

void StepChart::drawStepGrid(QPainter& painter) const {
  const QRect plot = plotRect();
  painter.setPen(Theme::current().grid);
  for (const AxisTick& tick : stepAxis().ticks(stepTickSpacing(fontMetrics()))) {
    const int x = qRound(stepAxis().toX(tick.value));
    painter.drawLine(x, plot.top(), x, plot.bottom());
  }
}

void StepChart::drawMoment(QPainter& painter) const {
  drawMarks(painter, frame(), stepAxis(), state_->marks());
  if (const auto marked = state_->markedSteps()) {
    drawMarkedSteps(painter, frame(), stepAxis(), *marked);
  }
  drawPlayhead(painter, frame(), stepAxis(), playheadStep(*state_));
}

void StepChart::changeEvent(QEvent* event) {
  QChartView::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) applyTheme();
}

void StepChart::resizeEvent(QResizeEvent* event) {
  QChartView::resizeEvent(event);
  chart()->setPlotArea(plotRect());
}

}  // namespace hw
