#pragma once

#include <QObject>
#include <cstddef>
#include <memory>

#include "core/run/run.h"

namespace hw {

/// What every view of the studio looks at together: the run, the moment, the selection and the
/// visible steps. Views read it, ask it to change, and repaint when it says so. No view holds such
/// state of its own, which is what keeps selection linked everywhere.
class ViewState : public QObject {
  Q_OBJECT

 public:
  explicit ViewState(QObject* parent = nullptr);

  std::shared_ptr<const Run> run() const { return run_; }
  /// Shows another run; null shows none. The moment goes to the start, the selection is dropped
  /// unless the model is the same, everything is visible.
  void setRun(std::shared_ptr<const Run> run);

  /// The moment: memory after this many trace events. 0 to trace size.
  std::size_t moment() const { return moment_; }
  void setMoment(std::size_t events);
  /// The step under way: the one `setStep` went to, otherwise that of the last event that
  /// happened, 0 at the start.
  Step step() const { return step_; }
  /// Number of steps shown on the x axis, at least 1.
  Step steps() const;
  /// To the moment at which step `step` has made its allocations and not yet its releases. Steps
  /// without any event can be visited too.
  void setStep(Step step);

  /// The pinned stay; none when nothing is selected. All stays of its buffer count as selected.
  StayId selected() const { return selected_; }
  void select(StayId stay);
  OpId selectedOp() const { return selectedOp_; }
  void selectOp(OpId op);
  /// The stay under the pointer, anywhere. Transient.
  StayId hovered() const { return hovered_; }
  void hover(StayId stay);

  /// The steps on screen, fractions allowed: all stacked views share this x axis.
  double visibleBegin() const { return visibleBegin_; }
  double visibleEnd() const { return visibleEnd_; }
  /// Clamped to the run and to at least a quarter of a step.
  void setVisible(double begin, double end);
  void showAll();

 Q_SIGNALS:
  void runChanged();
  void momentChanged();
  void selectionChanged();
  void hoverChanged();
  void visibleChanged();

 private:
  void moveTo(std::size_t moment, Step step);

  std::shared_ptr<const Run> run_;
  std::size_t moment_ = 0;
  Step step_{};
  StayId selected_;
  OpId selectedOp_;
  StayId hovered_;
  double visibleBegin_ = 0;
  double visibleEnd_ = 1;
};

}  // namespace hw
