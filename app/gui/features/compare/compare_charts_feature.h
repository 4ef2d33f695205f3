#pragma once

#include <QObject>

#include "core/run/run.h"

namespace hw {

class CapacityPanel;
class ComparePanel;
class FrontPanel;
class MainWindow;

/// What goes with the comparison panel: its figures as bars, fragmentation over the steps, the
/// sweep of L2's capacity, its front of capacity against latency, and the autopsy of a row that
/// failed.
class CompareChartsFeature : public QObject {
  Q_OBJECT

 public:
  CompareChartsFeature(MainWindow* window, ComparePanel* comparison);

  CapacityPanel* capacity() const { return capacity_; }
  FrontPanel* front() const { return front_; }

 private:
  void keepColumns();
  void addBars();
  void addFragmentation();
  void addCapacity();
  void addFront();
  void connectAutopsy();
  void showDock(const QString& name);
  void goToFailure();

  MainWindow* window_;
  ComparePanel* comparison_;
  CapacityPanel* capacity_;
  FrontPanel* front_;
  /// Whose failure is to be shown as soon as it is on show; null: nobody's.
  std::shared_ptr<const Run> failed_;
};

}  // namespace hw
