#pragma once

#include <QObject>
#include <QString>
#include <list>
#include <thread>

#include "core/run/capacity_sweep.h"

namespace hw {

/// Sweeps L2's capacity on a thread of its own, one sweep at a time, and tells of every point as
/// soon as it is known.
class SweepJob : public QObject {
  Q_OBJECT

 public:
  explicit SweepJob(QObject* parent = nullptr);
  /// Asks all threads to stop and waits for them.
  ~SweepJob() override;

  bool isRunning() const { return running_; }
  /// Starts a sweep; one under way is told to stop and forgotten.
  void start(std::shared_ptr<const Model> model, const RunConfig& config, std::size_t points);
  /// Tells the one under way to stop and forgets it: it never reports again.
  void abandon();

 public Q_SLOTS:
  /// Tells the one under way to stop; it finishes with what it has.
  void stop();

 Q_SIGNALS:
  void started();
  void progressed(double fraction, const QString& what);
  void pointDone(const hw::CapacityPoint& point);
  /// `error` is empty unless nothing could be planned; `whole` when nobody stopped it.
  void finished(const QString& error, bool whole);
  void abandoned();

 private:
  /// A thread that may still be on its way out.
  struct Worker {
    quint64 job = 0;
    std::jthread thread{};
  };

  void run(quint64 job, const std::shared_ptr<const Model>& model, const RunConfig& config,
           std::size_t points, const std::stop_token& stop);
  void deliver(quint64 job, const QString& error);

  std::list<Worker> workers_;
  quint64 job_ = 0;  ///< The newest.
  bool running_ = false;
};

}  // namespace hw
