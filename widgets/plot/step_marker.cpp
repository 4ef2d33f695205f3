#include "widgets/plot/step_marker.h"

#include <QApplication>
#include <QMouseEvent>
#include <QWidget>
#include <algorithm>
#include <cmath>

#include "core/picture/axis.h"

namespace hw {

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
