#pragma once

#include <QUndoStack>
#include <optional>

#include "core/run/options.h"

namespace hw {

class MainWindow;

/// "Allocator free-list → best, alignment 64 → 16"; empty when both are the same.
QString changeText(const RunRequest& before, const RunRequest& after);

/// Edits of the scenario (method, machine, alignment, sharing, dimensions, order) that can be taken
/// back: every run of the same model that comes on show with other settings is one. Undo plans with
/// the settings before it; if that fails, the history stays where the run on show is.
class ScenarioHistory : public QObject {
  Q_OBJECT

 public:
  explicit ScenarioHistory(MainWindow* window);

  QUndoStack* stack() { return &stack_; }
  /// The name of the next edit, instead of what it changed.
  void nameNext(const QString& text) { nextName_ = text; }

 private:
  friend class ScenarioEdit;

  void addCommands();
  void runShown();
  /// Plans `request`, which an edit leads to or away from.
  void go(const RunRequest& request);
  void returnToShown();

  MainWindow* window_;
  QUndoStack stack_;
  RunRequest shown_;
  int shownIndex_ = 0;                ///< Of the stack, for the run on show.
  std::optional<RunRequest> target_;  ///< Under way because of undo or redo.
  QString nextName_;
  bool quiet_ = false;  ///< The stack moves without anything to plan.
};

}  // namespace hw
