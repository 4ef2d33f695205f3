#pragma once

#include <QDateTime>
#include <QElapsedTimer>
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

enum class JobState { running, done, stopped, failed };

/// The end of a job, and its result in a few words for a list of jobs.
struct JobEnd {
  JobState state = JobState::done;
  QString what{};
};

/// The context of the work of a job: when to stop, and how to tell.
struct JobContext : RunContext {
  /// Calls `act` in the thread of the job, unless the job is over or forgotten by then.
  std::function<void(std::function<void()> act)> tell{};
};

/// Computes something on a thread of its own, one thing at a time, the latest wanted. What to do is
/// given as a function, which owns all it reads. Whatever it tells or brings back arrives in the
/// thread of the job, and never once it was abandoned or a newer one took its place.
class Job : public QObject {
  Q_OBJECT

 public:
  /// The effect of a stop: what is done so far is reported, or is of no use; or there is no stop.
  enum class Stopping { reports, abandons, impossible };

  Job(QString name, Stopping stopping, QObject* parent = nullptr);
  /// Asks all threads to stop and waits for them.
  ~Job() override;

  /// Calls `accept(work(context))`, the work on a thread; what `accept` returns is a JobEnd. One
  /// under way is told to stop and forgotten.
  template <class Work, class Accept>
  void start(Work work, Accept accept) {
    launch([work = std::move(work), accept = std::move(accept)](const JobContext& context) {
      auto value = std::make_shared<decltype(work(context))>(work(context));
      return [value, accept]() -> JobEnd { return accept(std::move(*value)); };
    });
  }
  /// Tells the one under way to stop and forgets it: it never reports.
  void abandon();

  /// "Comparing".
  const QString& name() const { return name_; }
  bool canStop() const { return stopping_ != Stopping::impossible; }
  /// True if a thread of it has not ended, that of abandoned work included.
  bool hasThreads() const { return !workers_.empty(); }
  bool isRunning() const { return running_; }
  /// True if the latest was told to stop: in `accept`, too.
  bool wasStopped() const { return stopped_; }

 public Q_SLOTS:
  void stop();

 Q_SIGNALS:
  void started();
  /// `fraction` of the work that is done, and what is at work.
  void progressed(double fraction, const QString& what);
  /// After what came out has been accepted, or with it abandoned. One that was replaced by a newer
  /// one does not end: the newer one has started instead.
  void ended(const hw::JobEnd& end);

 private:
  using Finish = std::function<JobEnd()>;
  /// A thread that may still be on its way out.
  struct Worker {
    quint64 job = 0;
    std::jthread thread{};
  };

  void launch(std::function<Finish(const JobContext&)> work);
  void askToStop();
  JobContext contextOf(quint64 job, const std::stop_token& stop);
  void deliver(quint64 job, const Finish& finish);

  QString name_;
  Stopping stopping_;
  std::list<Worker> workers_;
  quint64 newest_ = 0;
  bool running_ = false;
  bool stopped_ = false;
};

/// Something that is computed beside the window, or was.
struct JobEntry {
  using State = JobState;

  quint64 id = 0;
  QString name{};       ///< "Comparing".
  QString what{};       ///< The part it is at, and in the end its result.
  double fraction = 0;  ///< Of its work; 0 as long as nobody knows.
  State state = State::running;
  QDateTime started{};
  qint64 milliseconds = 0;       ///< That it took, or has taken so far.
  std::function<void()> stop{};  ///< Asks it to end; null when it cannot be asked.
  QElapsedTimer clock{};
};

/// All that is or was at work, newest first: who makes a job has it watched, and one list can show
/// and stop it all.
class JobBoard : public QObject {
  Q_OBJECT

 public:
  /// Of those that are over, the newest are remembered.
  static constexpr std::size_t kMostFinished = 100;

  explicit JobBoard(QObject* parent = nullptr) : QObject(parent) {}

  /// Tells of all that `job` does from now on.
  void watch(Job* job);

  // Of what is at work without being a Job.
  /// Never 0.
  quint64 begin(const QString& name, std::function<void()> stop);
  /// Numbers of jobs that are over or forgotten are passed over, here and below.
  void progress(quint64 id, double fraction, const QString& what);
  void end(quint64 id, JobEntry::State state, const QString& what);
  void stop(quint64 id);
  void stopAll();
  void clearFinished();

  const std::vector<JobEntry>& jobs() const { return jobs_; }
  int runningCount() const;
  /// Takes the time of those that run.
  void tick();

 Q_SIGNALS:
  /// Of what runs: how far it is, or how long it takes. The list itself is the same.
  void progressed();
  /// Something began, ended or was forgotten.
  void changed();

 private:
  JobEntry* running(quint64 id);

  std::vector<JobEntry> jobs_;
  quint64 last_ = 0;
};

/// The result of planning.
struct PlanOutcome {
  Result<std::shared_ptr<const Run>> run{};
  std::vector<Violation> violations{};  ///< The findings of the independent check.
};

/// Opens and plans. What to do is given as a function, so that this knows no files. Half a plan is
/// of no use: one that is stopped never reports.
class PlanJob : public Job {
  Q_OBJECT

 public:
  using Work = std::function<Result<std::shared_ptr<const Run>>(const RunContext&)>;

  explicit PlanJob(QObject* parent = nullptr);

  void start(Work work);

 Q_SIGNALS:
  /// The state of the search for a pool; at most about thirty times a second, as progress is.
  void searched(const QString& pool, const hw::ExactProgress& now);
  void finished(const hw::PlanOutcome& outcome);

 private:
  RunContext listening(const JobContext& context);
  JobEnd accept(const PlanOutcome& outcome);
};

}  // namespace hw
