#pragma once

#include <QObject>

namespace hw {

class EventPanel;
class MainWindow;
class MomentPanel;
class ProblemsPanel;
class SchedulePanel;

/// The panels that every run is looked at with: schedule, inspector, settings, metrics, events, the
/// peak, and problems.
class RunPanels : public QObject {
  Q_OBJECT

 public:
  explicit RunPanels(MainWindow* window);

  SchedulePanel* schedule() const { return schedule_; }
  MomentPanel* moment() const { return moment_; }

 private:
  void addProblems(MainWindow* window);

  SchedulePanel* schedule_;
  MomentPanel* moment_;
};

}  // namespace hw
