#include "widgets/plot/step_mouse.h"

#include <QMouseEvent>
#include <QWidget>
#include <algorithm>
#include <cmath>

#include "widgets/plot/zoom.h"

namespace hw {

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

}  // namespace hw
