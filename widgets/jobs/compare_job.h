#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <list>
#include <memory>
#include <thread>

#include "core/run/compare.h"

namespace hw {

/// Plans one model by several allocators on a thread of its own, one comparison at a time. What is
/// done when it is stopped is kept: it reports like one that ran to its end.
class CompareJob : public QObject {
  Q_OBJECT

 public:
  using Work = std::function<Comparison(const RunContext&)>;

  explicit CompareJob(QObject* parent = nullptr);
  /// Asks all threads to stop and waits for them.
  ~CompareJob() override;

  bool isRunning() const { return running_; }
  /// Starts `work`; one under way is told to stop and forgotten.
  void start(Work work);
  /// Tells the one under way to stop and forgets it: it never reports.
  void abandon();

 public Q_SLOTS:
  /// Tells the one under way to stop; it reports the rows that are done.
  void stop();

 Q_SIGNALS:
  void started();
  /// Fraction of the rows that are done, and which are at work.
  void progressed(double fraction, const QString& what);
  void finished(std::shared_ptr<const hw::Comparison> comparison);
  void abandoned();

 private:
  /// A thread that may still be on its way out.
  struct Worker {
    quint64 job = 0;
    std::jthread thread{};
  };

  void stopAll();
  void deliver(quint64 job, const std::shared_ptr<const Comparison>& comparison);

  std::list<Worker> workers_;
  quint64 job_ = 0;  ///< The newest.
  bool running_ = false;
};

}  // namespace hw
