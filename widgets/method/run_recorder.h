#pragma once

#include <QObject>
#include <memory>

#include "widgets/jobs/job.h"

namespace hw {

/// The run on show with all that its method's lists went through. Runs are planned without it; who
/// wants to look has the plan made once more, beside the screen, and it is kept until another run
/// comes.
class RunRecorder : public QObject {
  Q_OBJECT

 public:
  enum class State { none, working, stopped, failed, done };

  explicit RunRecorder(QObject* parent = nullptr);

  /// Whose method is looked at; null: nobody's. What was under way for another is dropped.
  void setRun(const std::shared_ptr<const Run>& run);
  /// Makes the record, unless it is there, under way, or cannot be had.
  void record();

  State state() const { return state_; }
  /// With records, as far as the method makes any; null until it is done.
  std::shared_ptr<const Run> recorded() const { return recorded_; }
  /// False: the method came to other addresses than those on show, as one with a time limit may.
  bool isSamePlan() const { return samePlan_; }
  /// Why it failed, in a sentence.
  QString problem() const { return problem_; }
  Job* job() { return &job_; }

 Q_SIGNALS:
  void changed();

 private:
  JobEnd accept(const Result<std::shared_ptr<const Run>>& result);

  std::shared_ptr<const Run> run_;
  std::shared_ptr<const Run> recorded_;
  State state_ = State::none;
  bool samePlan_ = true;
  QString problem_;
  Job job_;
};

}  // namespace hw
