#include "widgets/jobs/plan_job.h"

#include <QElapsedTimer>
#include <algorithm>

namespace hw {

namespace {

constexpr qint64 kMillisecondsBetweenReports = 33;

/// Lets a report through when the last is long enough ago. Allocators report as often as they like.
class Throttle {
 public:
  Throttle() { clock_.start(); }

  bool letsThrough() {
    if (reported_ && clock_.elapsed() < kMillisecondsBetweenReports) return false;
    reported_ = true;
    clock_.restart();
    return true;
  }

 private:
  QElapsedTimer clock_;
  bool reported_ = false;
};

}  // namespace

PlanJob::PlanJob(QObject* parent) : QObject(parent) {}

PlanJob::~PlanJob() {
  for (Worker& worker : workers_) worker.thread.request_stop();
}

void PlanJob::start(Work work) {
  for (Worker& worker : workers_) worker.thread.request_stop();
  running_ = true;
  launch(++job_, std::move(work));
  Q_EMIT started();
}

void PlanJob::launch(quint64 job, Work work) {
  const auto body = [this, job, work = std::move(work)](const std::stop_token& stop) {
    const auto throttle = std::make_shared<Throttle>();
    const RunContext context{
        .stop = stop, .progress = [this, job, throttle](double fraction, const std::string& what) {
          if (!throttle->letsThrough()) return;
          const QString text = QString::fromStdString(what);
          const auto report = [this, job, fraction, text] {
            if (running_ && job == job_) Q_EMIT progressed(fraction, text);
          };
          QMetaObject::invokeMethod(this, report, Qt::QueuedConnection);
        }};
    auto outcome = std::make_shared<PlanOutcome>();
    outcome->run = work(context);
    if (outcome->run && !stop.stop_requested()) {
      const Run& run = **outcome->run;
      outcome->violations = validate(run.problem, run.plan);
    }
    QMetaObject::invokeMethod(
        this, [this, job, outcome] { deliver(job, outcome); }, Qt::QueuedConnection);
  };
  workers_.push_back({job, std::jthread(body)});
}

void PlanJob::deliver(quint64 job, const std::shared_ptr<PlanOutcome>& outcome) {
  // Its thread has nothing left to do, so this join does not wait.
  std::erase_if(workers_, [job](const Worker& worker) { return worker.job == job; });
  if (!running_ || job != job_) return;
  running_ = false;
  Q_EMIT finished(*outcome);
}

void PlanJob::cancel() {
  if (!running_) return;
  for (Worker& worker : workers_) worker.thread.request_stop();
  running_ = false;
  Q_EMIT cancelled();
}

}  // namespace hw
