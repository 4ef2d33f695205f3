#include "widgets/plot/axis_mouse.h"

#include <QApplication>
#include <QMouseEvent>
#include <QWidget>
#include <algorithm>
#include <cmath>

namespace hw {

namespace {

constexpr double kPerNotch = 1.2;
constexpr double kUnitsPerNotch = 120;

}  // namespace

RunAxis runAxis(const ViewState& state, const Box& plot) {
  RunAxis axis{state.visibleBegin(), state.visibleEnd(), plot.left, plot.width, state.axis()};
  if (state.run()) axis.stepName = stepWord(*state.run());
  return axis;
}

double wheelFactor(const QWheelEvent& event) {
  // Some platforms turn a wheel with Alt held into a horizontal one.
  const QPoint delta = event.angleDelta();
  const int units = delta.y() != 0 ? delta.y() : delta.x();
  return std::pow(kPerNotch, units / kUnitsPerNotch);
}

void zoomSteps(ViewState& state, const RunAxis& axis, double factor, double x) {
  const double length = axis.end - axis.begin;
  const double wanted = std::clamp(length / factor, state.scale()->leastVisible(), state.length());
  const RunAxis zoomed = axis.zoomed(length / wanted, x);
  state.setVisible(zoomed.begin, zoomed.end);
}

void panSteps(ViewState& state, const RunAxis& axis, double pixels) {
  const RunAxis panned = axis.panned(pixels);
  state.setVisible(panned.begin, panned.end);
}

namespace {

/// Of a notch of the wheel, with Shift.
constexpr double kPannedPixels = 240;

}  // namespace

StepMouse::StepMouse(ViewState* state, QWidget* view, std::function<RunAxis()> axis)
    : QObject(view), state_(state), view_(view), axis_(std::move(axis)) {
  view->installEventFilter(this);
}

bool StepMouse::eventFilter(QObject* watched, QEvent* event) {
  switch (event->type()) {
    case QEvent::MouseButtonPress:
      press(static_cast<const QMouseEvent&>(*event));
      return true;
    case QEvent::MouseMove:
      return move(static_cast<const QMouseEvent&>(*event));
    case QEvent::MouseButtonRelease:
      release();
      return true;
    case QEvent::Wheel:
      wheel(static_cast<const QWheelEvent&>(*event));
      return true;
    default:
      return QObject::eventFilter(watched, event);
  }
}

void StepMouse::press(const QMouseEvent& event) {
  const bool shifted = event.modifiers() & Qt::ShiftModifier;
  if (event.button() == Qt::MiddleButton || (event.button() == Qt::LeftButton && shifted)) {
    pannedFrom_ = event.position().x();
    view_->setCursor(Qt::ClosedHandCursor);
  } else if (event.button() == Qt::LeftButton) {
    moveTo(event.position().x());
  }
}

bool StepMouse::move(const QMouseEvent& event) {
  const double x = event.position().x();
  if (pannedFrom_) {
    panSteps(*state_, axis_(), x - *pannedFrom_);
    pannedFrom_ = x;
  } else if (event.buttons() & Qt::LeftButton) {
    moveTo(x);
  } else {
    return false;
  }
  return true;
}

void StepMouse::release() {
  if (pannedFrom_) view_->unsetCursor();
  pannedFrom_.reset();
}

void StepMouse::wheel(const QWheelEvent& event) {
  const double factor = wheelFactor(event);
  if (event.modifiers() & Qt::ShiftModifier) {
    panSteps(*state_, axis_(), std::log(factor) * kPannedPixels);
  } else {
    zoomSteps(*state_, axis_(), factor, event.position().x());
  }
}

void StepMouse::moveTo(double x) { state_->goToPlace(axis_().toPlace(x)); }

StepMarker::StepMarker(ViewState* state, QWidget* view, std::function<RunAxis()> axis)
    : QObject(view), state_(state), axis_(std::move(axis)) {
  view->installEventFilter(this);
}

Step StepMarker::stepAt(double x) const { return state_->scale()->stepAt(axis_().toPlace(x)); }

void StepMarker::markTo(double x) {
  const Step to = stepAt(x);
  state_->markSteps(Interval<Step>{std::min(*from_, to), std::max(*from_, to) + Step(1)});
}

bool StepMarker::eventFilter(QObject* watched, QEvent* event) {
  const auto* mouse = dynamic_cast<QMouseEvent*>(event);
  if (!mouse || !state_->run()) return QObject::eventFilter(watched, event);
  const double x = mouse->position().x();
  switch (event->type()) {
    case QEvent::MouseButtonPress:
      if (mouse->button() != Qt::LeftButton || !(mouse->modifiers() & Qt::ControlModifier)) break;
      from_ = stepAt(x);
      pressedAt_ = x;
      state_->markSteps({});
      return true;
    case QEvent::MouseMove:
      if (!from_) break;
      if (std::abs(x - pressedAt_) >= QApplication::startDragDistance() || state_->markedSteps()) {
        markTo(x);
      }
      return true;
    case QEvent::MouseButtonRelease:
      if (!from_) break;
      from_.reset();
      return true;
    default:
      break;
  }
  return QObject::eventFilter(watched, event);
}

}  // namespace hw
