#pragma once

#include <QDateTime>
#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <functional>
#include <vector>

#include "widgets/jobs/job.h"

namespace hw {

/// Something that is computed beside the window, or was.
struct JobEntry {
  using State = JobState;

  quint64 id = 0;
  QString name{};       ///< "Comparing".
  QString what{};       ///< What it is at, and in the end what came out.
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

}  // namespace hw
