#include "widgets/jobs/compare_job.h"

namespace hw {

CompareJob::CompareJob(QObject* parent) : QObject(parent) {}

CompareJob::~CompareJob() { stopAll(); }

void CompareJob::stopAll() {
  for (Worker& worker : workers_) worker.thread.request_stop();
}

void CompareJob::start(Work work) {
  stopAll();
  running_ = true;
  const quint64 job = ++job_;
  const auto body = [this, job, work = std::move(work)](const std::stop_token& stop) {
    const RunContext context{.stop = stop,
                             .progress = [this, job](double fraction, const std::string& what) {
                               const QString text = QString::fromStdString(what);
                               const auto report = [this, job, fraction, text] {
                                 if (running_ && job == job_) Q_EMIT progressed(fraction, text);
                               };
                               QMetaObject::invokeMethod(this, report, Qt::QueuedConnection);
                             }};
    const auto comparison = std::make_shared<const Comparison>(work(context));
    QMetaObject::invokeMethod(
        this, [this, job, comparison] { deliver(job, comparison); }, Qt::QueuedConnection);
  };
  workers_.push_back({job, std::jthread(body)});
  Q_EMIT started();
}

void CompareJob::deliver(quint64 job, const std::shared_ptr<const Comparison>& comparison) {
  // Its thread has nothing left to do, so this join does not wait.
  std::erase_if(workers_, [job](const Worker& worker) { return worker.job == job; });
  if (!running_ || job != job_) return;
  running_ = false;
  Q_EMIT finished(comparison);
}

void CompareJob::stop() {
  if (running_) stopAll();
}

void CompareJob::abandon() {
  if (!running_) return;
  stopAll();
  running_ = false;
  Q_EMIT abandoned();
}

}  // namespace hw
