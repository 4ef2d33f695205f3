#include "widgets/below/lock_step.h"

#include <QScopedValueRollback>
#include <cmath>

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
    link(&ViewState::coloringChanged, &LockStep::syncColoring);
  }
}

void LockStep::setB(std::shared_ptr<const Run> run) {
  if (run == b_->run()) return;
  {
    const QScopedValueRollback quiet(following_, true);
    b_->setAxis(a_->wantedAxis());
    b_->setColorBy(a_->colorBy());
    b_->setRun(std::move(run));
    model_ = a_->run() ? a_->run()->model : nullptr;
    link();
    syncAll();
  }
  Q_EMIT changed();
}

void LockStep::checkA() {
  if (!b_->run()) return;
  const auto a = a_->run();
  if (!a || a->model != model_ || a == b_->run()) {
    setB(nullptr);
  } else {
    link();
    Q_EMIT changed();
  }
}

void LockStep::link() {
  links_.reset();
  if (a_->run() && b_->run()) links_.emplace(*a_->run(), *b_->run());
}

const SameThings& LockStep::same(const ViewState& from) const {
  return &from == a_ ? links_->down : links_->up;
}

/// A place of the axis means the same in both.
bool LockStep::sharesAxis(const ViewState& from) const {
  return from.axis() == AxisUnit::time || same(from).same();
}

void LockStep::follow(ViewState* from, ViewState* to, Part part) {
  if (following_ || !a_->run() || !b_->run() || !links_) return;
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
    to.setStep(same(from).step(from.step()));
  }
}

/// Both ends of what is visible are told of by A when its axis is as it should be.
void LockStep::syncAxis(const ViewState& from, ViewState& to) {
  to.setAxis(from.wantedAxis());
  syncStep(from, to);
}

void LockStep::syncVisible(const ViewState& from, ViewState& to) {
  if (sharesAxis(from)) return to.setVisible(from.visibleBegin(), from.visibleEnd());
  if (from.visibleBegin() <= 0 && from.visibleEnd() >= from.length()) return to.showAll();
  const Interval<Step> seen{Step(static_cast<std::int64_t>(std::floor(from.visibleBegin()))),
                            Step(static_cast<std::int64_t>(std::ceil(from.visibleEnd())))};
  const auto steps = same(from).steps(seen);
  if (!steps) return;
  to.setVisible(static_cast<double>(steps->begin.count()), static_cast<double>(steps->end.count()));
}

void LockStep::syncSelection(const ViewState& from, ViewState& to) {
  to.select(same(from).stay(from.selected()));
  to.selectOp(same(from).op(from.selectedOp()));
}

void LockStep::syncHover(const ViewState& from, ViewState& to) {
  to.hover(same(from).stay(from.hovered()));
}

void LockStep::syncMarked(const ViewState& from, ViewState& to) {
  const auto marked = from.markedSteps();
  to.markSteps(marked ? same(from).steps(*marked) : std::nullopt);
}

void LockStep::syncFilter(const ViewState& from, ViewState& to) {
  const auto filter = from.filter();
  to.setFilter(filter ? makeFilter(filter->title, same(from).stays(filter->kept)) : nullptr);
}

void LockStep::syncColoring(const ViewState& from, ViewState& to) { to.setColorBy(from.colorBy()); }

}  // namespace hw
