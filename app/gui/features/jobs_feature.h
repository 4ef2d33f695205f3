#pragma once

#include <QDockWidget>
#include <QObject>

#include "widgets/jobs/job_board.h"

namespace hw {

class MainWindow;

/// The panel of everything that is computed beside the window: told of by the jobs themselves.
class JobsFeature : public QObject {
  Q_OBJECT

 public:
  explicit JobsFeature(MainWindow* window);

  JobBoard* board() { return &board_; }

 private:
  void watchPlanning();
  void watchComparing();
  void watchSweeping();
  void watchAdvice();
  void watchUntil();
  void watchReports();

  MainWindow* window_;
  JobBoard board_;
};

}  // namespace hw
