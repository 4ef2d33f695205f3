#pragma once

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>

#include "core/study/front.h"
#include "widgets/charts/dot_chart.h"
#include "widgets/jobs/background.h"
#include "widgets/jobs/job.h"
#include "widgets/state/view_state.h"

namespace hw {

/// How fast within how much: capacity of the near memory against latency, worked out in the
/// background and drawn while it grows; a click on a dot asks for its plan. Of the model and the
/// settings on show, whatever plans there.
class FrontPanel : public QWidget {
  Q_OBJECT

 public:
  explicit FrontPanel(ViewState* state, QWidget* parent = nullptr);

  DotChart* chart() const { return chart_; }
  QPushButton* startButton() const { return start_; }
  QPushButton* stopButton() const { return stop_; }
  Job* job() { return &job_; }
  /// Null when there is none.
  std::shared_ptr<const Front> front() const { return front_; }
  QString note() const { return note_->text(); }
  /// Of the next one; every allocator is beside it by default.
  void setOptions(FrontOptions options) { options_ = std::move(options); }
  const FrontOptions& options() const { return options_; }

 public Q_SLOTS:
  /// Works it out under the settings of the plan on show, unless that is done.
  void start();

 Q_SIGNALS:
  void runWanted(std::shared_ptr<const hw::Run> run);

 private:
  QWidget* buildHead();
  void showRun();
  void setFront(std::shared_ptr<const Front> front);
  JobEnd finish(const Result<Front>& made);
  bool isCurrent(const Run& run) const;
  const FrontPoint* pointOf(const QString& id) const;
  void open(const QString& id);
  void refresh();
  QString emptyReason() const;
  QString noteText() const;
  std::string markedDot() const;

  ViewState* state_;
  DotChart* chart_;
  QPushButton* start_;
  QPushButton* stop_;
  QProgressBar* progress_;
  QLabel* note_;
  FrontOptions options_;
  std::shared_ptr<const Front> front_;  ///< As far as it is.
  std::shared_ptr<const Model> model_;  ///< Of it, or of the job under way.
  RunRequest request_;                  ///< What was on show then.
  bool whole_ = false;                  ///< It went to its end.
  QString failure_;
  /// The plans that were opened, by dot.
  std::map<std::string, std::shared_ptr<const Run>> opened_;
  Background<std::shared_ptr<const Run>> opening_;
  /// Last, so that its threads end before the members that they report to.
  Job job_{tr("Drawing the front"), Job::Stopping::reports};
};

}  // namespace hw
