#pragma once

#include <QObject>

#include "core/sim/activity.h"

namespace hw {

class MainWindow;

/// From activity to activity: to what the selected one waited for, and along the critical path. The
/// moment and what is on screen go along.
class PathFeature : public QObject {
  Q_OBJECT

 public:
  explicit PathFeature(MainWindow* window);

 private:
  void toCause();
  void nextOnPath();
  void goTo(ActivityId activity);

  MainWindow* window_;
};

}  // namespace hw
