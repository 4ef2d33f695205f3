#pragma once

#include <QObject>
#include <QString>
#include <list>
#include <memory>
#include <thread>

#include "core/run/advice.h"

namespace hw {

/// Looks for advice on a thread of its own, one run at a time. What is proved when it is stopped is
/// kept: it reports like one that came to its end.
class AdviceJob : public QObject {
  Q_OBJECT

 public:
  explicit AdviceJob(QObject* parent = nullptr) : QObject(parent) {}
  /// Asks all threads to stop and waits for them.
  ~AdviceJob() override;

  bool isRunning() const { return running_; }
  /// Starts on `run`; a job under way is told to stop and forgotten.
  void start(std::shared_ptr<const Run> run);
  /// Tells the one under way to stop and forgets it: it never reports.
  void abandon();

 public Q_SLOTS:
  /// Tells the one under way to stop; it reports what is proved.
  void stop();

 Q_SIGNALS:
  void started();
  void progressed(double fraction, const QString& what);
  void finished(std::shared_ptr<const hw::AdviceReport> report);
  void abandoned();

 private:
  /// A thread that may still be on its way out.
  struct Worker {
    quint64 job = 0;
    std::jthread thread{};
  };

  void deliver(quint64 job, const std::shared_ptr<const AdviceReport>& report);

  std::list<Worker> workers_;
  quint64 job_ = 0;  ///< The newest.
  bool running_ = false;
};

}  // namespace hw
