#pragma once

#include <QObject>
#include <functional>
#include <optional>

#include "widgets/state/view_state.h"

class QMouseEvent;
class QWheelEvent;
class QWidget;

namespace hw {

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

}  // namespace hw
