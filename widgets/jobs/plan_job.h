#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <list>
#include <memory>
#include <thread>
#include <vector>

#include "core/plan/validate.h"
#include "core/run/run.h"
#include "core/solver/exact/exact.h"

namespace hw {

/// What a job brings back.
struct PlanOutcome {
  Result<std::shared_ptr<const Run>> run{};
  std::vector<Violation> violations{};  ///< What the independent check found in the plan.
};

/// Opens and plans on a thread of its own, one job at a time. What to do is given as a function, so
/// that this knows no files. A job that a newer one replaced, or that was cancelled, never reports.
class PlanJob : public QObject {
  Q_OBJECT

 public:
  using Work = std::function<Result<std::shared_ptr<const Run>>(const RunContext&)>;

  explicit PlanJob(QObject* parent = nullptr);
  /// Asks all threads to stop and waits for them.
  ~PlanJob() override;

  bool isRunning() const { return running_; }
  /// Starts `work`; a job under way is told to stop and forgotten.
  void start(Work work);

 public Q_SLOTS:
  /// Tells the job under way to stop and forgets it.
  void cancel();

 Q_SIGNALS:
  void started();
  /// At most about thirty times a second.
  void progressed(double fraction, const QString& what);
  /// Where the search for a pool stands; at most about thirty times a second.
  void searched(const QString& pool, const hw::ExactProgress& now);
  void finished(const hw::PlanOutcome& outcome);
  void cancelled();

 private:
  /// A thread that may still be on its way out.
  struct Worker {
    quint64 job = 0;
    std::jthread thread{};
  };

  void launch(quint64 job, Work work);
  RunContext contextFor(quint64 job, const std::stop_token& stop);
  void deliver(quint64 job, const std::shared_ptr<PlanOutcome>& outcome);

  std::list<Worker> workers_;
  quint64 job_ = 0;  ///< The newest.
  bool running_ = false;
};

}  // namespace hw
