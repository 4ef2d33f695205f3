#include "widgets/jobs/sweep_job.h"

#include <algorithm>

namespace hw {

SweepJob::SweepJob(QObject* parent) : QObject(parent) {}

SweepJob::~SweepJob() {
  for (Worker& worker : workers_) worker.thread.request_stop();
}

void SweepJob::start(std::shared_ptr<const Model> model, const RunConfig& config,
                     std::size_t points) {
  for (Worker& worker : workers_) worker.thread.request_stop();
  running_ = true;
  const quint64 job = ++job_;
  workers_.push_back({job, std::jthread([this, job, model = std::move(model), config,
                                         points](const std::stop_token& stop) {
                        run(job, model, config, points, stop);
                      })});
  Q_EMIT started();
}

void SweepJob::run(quint64 job, const std::shared_ptr<const Model>& model, const RunConfig& config,
                   std::size_t points, const std::stop_token& stop) {
  const auto tell = [this, job](auto&& act) {
    const auto ifNewest = [this, job, act] {
      if (running_ && job == job_) act();
    };
    QMetaObject::invokeMethod(this, ifNewest, Qt::QueuedConnection);
  };
  const SweepOptions options{.points = points, .report = [&](const CapacityPoint& point) {
                               tell([this, point] { Q_EMIT pointDone(point); });
                             }};
  const RunContext context{.stop = stop, .progress = [&](double fraction, const std::string& what) {
                             const QString text = QString::fromStdString(what);
                             tell([this, fraction, text] { Q_EMIT progressed(fraction, text); });
                           }};
  const auto swept = sweepCapacities(model, config, options, context);
  const bool failed = !swept && swept.error().code != ErrorCode::stopped;
  const QString error = failed ? QString::fromStdString(swept.error().text()) : QString();
  QMetaObject::invokeMethod(
      this, [this, job, error] { deliver(job, error); }, Qt::QueuedConnection);
}

void SweepJob::deliver(quint64 job, const QString& error) {
  const auto worker = std::ranges::find(workers_, job, &Worker::job);
  if (worker == workers_.end()) return;
  // Asked here and not by the thread: who stops it before this has stopped it, however far it got.
  const bool whole = !worker->thread.get_stop_token().stop_requested();
  workers_.erase(worker);  // Its thread has nothing left to do, so this join does not wait.
  if (!running_ || job != job_) return;
  running_ = false;
  Q_EMIT finished(error, whole);
}

void SweepJob::stop() {
  if (!running_) return;
  for (Worker& worker : workers_) worker.thread.request_stop();
}

void SweepJob::abandon() {
  if (!running_) return;
  stop();
  running_ = false;
  Q_EMIT abandoned();
}

}  // namespace hw
