#pragma once

#include <QObject>
#include <memory>

#include "core/run/run.h"

namespace hw {

class MainWindow;
class ScenarioHistory;
class ShrinkPanel;

/// The Shrink panel: what would make memory smaller, proved. A step that is opened is an edit of
/// the scenario that can be undone, and the plan of before stands below it in lock-step.
class ShrinkFeature : public QObject {
 public:
  ShrinkFeature(MainWindow* window, ScenarioHistory* history);

  ShrinkPanel* panel() const { return panel_; }

 private:
  void open(const std::shared_ptr<const Run>& run, const QString& text);
  void shown();
  void offerToUndo(const Run& before);

  MainWindow* window_;
  ScenarioHistory* history_;
  ShrinkPanel* panel_;
  RunRequest opened_;                  ///< Until it is on show.
  std::shared_ptr<const Run> before_;  ///< What was on show when that was asked for; or null.
};

}  // namespace hw
