#pragma once

#include <QObject>
#include <QWheelEvent>
#include <functional>
#include <optional>

#include "core/picture/axis.h"
#include "widgets/state/view_state.h"

class QMouseEvent;
class QWidget;

namespace hw {

/// The axis of a view whose plot is `plot`.
RunAxis runAxis(const ViewState& state, const Box& plot);

/// The zoom of one wheel event: 1.2 per notch, above 1 for zooming in.
double wheelFactor(const QWheelEvent& event);

/// Shows `factor` times less; what is at pixel `x` of `axis` stays there unless an end of the run
/// does not let it.
void zoomSteps(ViewState& state, const RunAxis& axis, double factor, double x);

/// Moves what is visible `pixels` to the right.
void panSteps(ViewState& state, const RunAxis& axis, double pixels);

struct RunAxis;

/// The mouse over a view of the steps that has nothing to point at but them: a click or a drag
/// moves the moment, the wheel zooms around the pointer, Shift or the middle button pans.
class StepMouse : public QObject {
  Q_OBJECT

 public:
  /// `axis` maps the pixels of `view` to steps whenever it is asked.
  StepMouse(ViewState* state, QWidget* view, std::function<RunAxis()> axis);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void press(const QMouseEvent& event);
  /// False when nothing is being dragged.
  bool move(const QMouseEvent& event);
  void release();
  void wheel(const QWheelEvent& event);
  void moveTo(double x);

  ViewState* state_;
  QWidget* view_;
  std::function<RunAxis()> axis_;
  std::optional<double> pannedFrom_;  ///< While panning: the pixel it has come to.
};

/// Lets a view mark steps: dragging with Ctrl marks from the step it began at to the one under the
/// pointer, a click with Ctrl marks nothing any more. All views of a column show what is marked.
class StepMarker : public QObject {
  Q_OBJECT

 public:
  /// `axis` maps the pixels of `view` to steps whenever it is asked.
  StepMarker(ViewState* state, QWidget* view, std::function<RunAxis()> axis);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  Step stepAt(double x) const;
  void markTo(double x);

  ViewState* state_;
  std::function<RunAxis()> axis_;
  std::optional<Step> from_;  ///< While dragging.
  double pressedAt_ = 0;
};

}  // namespace hw
