#include "widgets/charts/step_chart.h"

#include <QChart>
#include <QMouseEvent>
#include <QValueAxis>
#include <cmath>

#include "widgets/canvas/step_marker.h"
#include "widgets/canvas/zoom.h"
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
  new StepMarker(state, viewport(), [this] { return stepAxis(); });
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

void StepChart::moveTo(const QPointF& position) {
  const double step = std::floor(stepAxis().toStep(position.x()));
  const auto last = static_cast<double>(state_->steps().count() - 1);
  state_->setStep(Step(static_cast<std::int64_t>(std::clamp(step, 0.0, last))));
}

void StepChart::mousePressEvent(QMouseEvent* event) {
  const bool shifted = event->modifiers() & Qt::ShiftModifier;
  if (event->button() == Qt::MiddleButton || (event->button() == Qt::LeftButton && shifted)) {
    pannedFrom_ = event->position().x();
    viewport()->setCursor(Qt::ClosedHandCursor);
  } else if (event->button() == Qt::LeftButton) {
    moveTo(event->position());
  }
}

void StepChart::mouseMoveEvent(QMouseEvent* event) {
  if (pannedFrom_) {
    pan(event->position().x());
  } else if (event->buttons() & Qt::LeftButton) {
    moveTo(event->position());
  }
}

void StepChart::pan(double x) {
  panSteps(*state_, stepAxis(), x - *pannedFrom_);
  pannedFrom_ = x;
}

void StepChart::mouseReleaseEvent(QMouseEvent* event) {
  if (pannedFrom_) viewport()->unsetCursor();
  pannedFrom_.reset();
  event->accept();
}

void StepChart::wheelEvent(QWheelEvent* event) {
  const double factor = wheelFactor(*event);
  if (event->modifiers() & Qt::ShiftModifier) {
    panSteps(*state_, stepAxis(), std::log(factor) * 240);
  } else {
    zoomSteps(*state_, stepAxis(), factor, event->position().x());
  }
  event->accept();
}

}  // namespace hw
