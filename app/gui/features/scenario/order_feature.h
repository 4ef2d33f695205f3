#pragma once

#include <QObject>

#include "core/schedule/moves.h"

namespace hw {

class MainWindow;
class ScenarioHistory;
class SchedulePanel;

/// What if an op ran elsewhere? Dragged in the schedule, or moved step by step by keys; the plan is
/// made again, and that can be undone.
class OrderFeature : public QObject {
  Q_OBJECT

 public:
  OrderFeature(MainWindow* window, ScenarioHistory* history, SchedulePanel* schedule);

 private:
  void carryOut(const OpMove& move);
  void moveByOne(OpMove::Side side);
  void restoreOrder();
  void followMoved();

  MainWindow* window_;
  ScenarioHistory* history_;
  SchedulePanel* schedule_;
  OpId moved_;  ///< By the planning under way.
};

}  // namespace hw
