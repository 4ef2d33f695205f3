#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <list>
#include <memory>
#include <thread>

#include "core/run/run.h"

namespace hw {

enum class JobState { running, done, stopped, failed };

/// How a job ended, and what came out of it, in a few words for a list of jobs.
struct JobEnd {
  JobState state = JobState::done;
  QString what{};
};

/// What the work of a job is given: when to stop, and how to tell.
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
  /// What it means to stop: what is done so far is reported, or is of no use; or it cannot be done.
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
  /// Whether a thread of it has not ended, that of abandoned work included.
  bool hasThreads() const { return !workers_.empty(); }
  bool isRunning() const { return running_; }
  /// Whether the latest was told to stop: in `accept`, too.
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

}  // namespace hw
