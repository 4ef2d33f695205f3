#pragma once

#include <QObject>

class QDockWidget;

namespace hw {

class GraphPanel;
class MainWindow;

/// The model graph beside the schedule, and its commands.
class GraphFeature : public QObject {
  Q_OBJECT

 public:
  explicit GraphFeature(MainWindow* window);

 private:
  void showGraph();
  void exportGraph();
  void enlarge(bool floating);

  MainWindow* window_;
  GraphPanel* panel_;
  QDockWidget* dock_;
};

}  // namespace hw
