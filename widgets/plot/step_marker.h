#pragma once

#include <QObject>
#include <functional>
#include <optional>

#include "widgets/state/view_state.h"

class QWidget;

namespace hw {

struct RunAxis;

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
