#include "widgets/below/lock_step.h"

#include <QScopedValueRollback>

#include "widgets/state/same_stay.h"

namespace hw {

LockStep::LockStep(ViewState* a, ViewState* b, QObject* parent) : QObject(parent), a_(a), b_(b) {
  connect(a, &ViewState::runChanged, this, &LockStep::checkA);
  connect(a, &ViewState::momentChanged, this, [this] { follow(a_, b_, &LockStep::syncStep); });
  connect(a, &ViewState::axisChanged, this, [this] { follow(a_, b_, &LockStep::syncAxis); });
  for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
    const auto link = [this, from = from, to = to](auto signal, Part part) {
      connect(from, signal, this, [this, from, to, part] { follow(from, to, part); });
    };
    link(&ViewState::visibleChanged, &LockStep::syncVisible);
    link(&ViewState::selectionChanged, &LockStep::syncSelection);
    link(&ViewState::hoverChanged, &LockStep::syncHover);
    link(&ViewState::markedStepsChanged, &LockStep::syncMarked);
    link(&ViewState::filterChanged, &LockStep::syncFilter);
  }
}

void LockStep::setB(std::shared_ptr<const Run> run) {
  if (run == b_->run()) return;
  {
    const QScopedValueRollback quiet(following_, true);
    b_->setAxis(a_->wantedAxis());
    b_->setRun(std::move(run));
    syncAll();
  }
  Q_EMIT changed();
}

void LockStep::checkA() {
  if (!b_->run()) return;
  const auto a = a_->run();
  if (!a || a->model != b_->run()->model || a == b_->run()) {
    setB(nullptr);
  } else {
    Q_EMIT changed();
  }
}

void LockStep::follow(ViewState* from, ViewState* to, Part part) {
  if (following_ || !a_->run() || !b_->run()) return;
  const QScopedValueRollback quiet(following_, true);
  (this->*part)(*from, *to);
}

void LockStep::syncAll() {
  if (!a_->run() || !b_->run()) return;
  syncStep(*a_, *b_);
  syncVisible(*a_, *b_);
  syncSelection(*a_, *b_);
  syncMarked(*a_, *b_);
  syncFilter(*a_, *b_);
}

void LockStep::syncStep(const ViewState& from, ViewState& to) {
  if (from.axis() == AxisUnit::time) return to.setTime(from.time());
  const bool atStart = from.moment() == 0 && from.step() == Step(0);
  if (atStart) {
    to.setMoment(0);
  } else {
    to.setStep(from.step());
  }
}

/// Both ends of what is visible are told of by A when its axis is as it should be.
void LockStep::syncAxis(const ViewState& from, ViewState& to) {
  to.setAxis(from.wantedAxis());
  syncStep(from, to);
}

void LockStep::syncVisible(const ViewState& from, ViewState& to) {
  to.setVisible(from.visibleBegin(), from.visibleEnd());
}

void LockStep::syncSelection(const ViewState& from, ViewState& to) {
  to.select(sameStay(from.run().get(), from.selected(), to.run().get()));
  to.selectOp(from.selectedOp());
}

void LockStep::syncHover(const ViewState& from, ViewState& to) {
  to.hover(sameStay(from.run().get(), from.hovered(), to.run().get()));
}

void LockStep::syncMarked(const ViewState& from, ViewState& to) {
  to.markSteps(from.markedSteps());
}

void LockStep::syncFilter(const ViewState& from, ViewState& to) {
  const auto filter = from.filter();
  to.setFilter(filter ? makeFilter(filter->title, sameStays(*from.run(), filter->kept, *to.run()))
                      : nullptr);
}

}  // namespace hw
