#pragma once

#include <QObject>
#include <QString>
#include <vector>

#include "core/run/run.h"
#include "widgets/jobs/job.h"

namespace hw {

class ComparePanel;
class MainWindow;

/// Plans that come out of files: one that is dropped on its model is held against that, shown as it
/// is and gets a row of the comparison; and ours of the same problem come below theirs.
class PlanFileFeature : public QObject {
  Q_OBJECT

 public:
  PlanFileFeature(MainWindow* window, ComparePanel* comparison);

  /// Takes a file that was dropped on the model on show: a plan of it, or something to open.
  void take(const QString& file);
  /// Reading, and planning ours.
  Job* reading() { return &reading_; }
  Job* planning() { return &planning_; }

 private:
  void addOurs();
  void showRun();
  void showOurs();
  void planOurs(const std::shared_ptr<const Run>& theirs);
  void accept(const QString& file, const Result<std::shared_ptr<const Run>>& run);
  void keepRows();

  MainWindow* window_;
  ComparePanel* comparison_;
  /// The model whose own plan is to come on show first; then ours below it.
  std::weak_ptr<const Model> wanted_;
  /// Those that were dropped on the model on show, the latest of every file.
  std::vector<std::shared_ptr<const Run>> held_;
  bool keeping_ = false;
  /// Last, so that their threads end before the members that they report to.
  Job reading_{tr("Reading a plan"), Job::Stopping::abandons};
  Job planning_{tr("Planning below"), Job::Stopping::abandons};
};

}  // namespace hw
