#pragma once

#include <QObject>
#include <QPointer>

namespace hw {

class MainWindow;
class MethodGuide;
class ScenarioHistory;

/// Help > How the methods work, and trying one of them on the model on show.
class GuideFeature : public QObject {
  Q_OBJECT

 public:
  GuideFeature(MainWindow* window, ScenarioHistory* history);

 private:
  void open();
  void tryOn(const QString& allocator);
  void showWhetherToTry();

  MainWindow* window_;
  ScenarioHistory* history_;
  QPointer<MethodGuide> guide_;  ///< Null until it is asked for.
};

}  // namespace hw
