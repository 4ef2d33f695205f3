#include "widgets/jobs/plan_job.h"

#include <QElapsedTimer>
#include <algorithm>

#include "core/allocators/search_report.h"

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

/// Reports travel to this thread, and are dropped when the job is no longer the one under way.
RunContext PlanJob::contextFor(quint64 job, const std::stop_token& stop) {
  const auto post = [this, job](const std::function<void()>& report) {
    const auto ifCurrent = [this, job, report] {
      if (running_ && job == job_) report();
    };
    QMetaObject::invokeMethod(this, ifCurrent, Qt::QueuedConnection);
  };
  const auto progress = [this, post, throttle = std::make_shared<Throttle>()](
                            double fraction, const std::string& what) {
    if (!throttle->letsThrough()) return;
    post([this, fraction, text = QString::fromStdString(what)] {
      Q_EMIT progressed(fraction, text);
    });
  };
  const auto search = [this, post, throttle = std::make_shared<Throttle>()](
                          const std::string& pool, const ExactProgress& now) {
    if (!throttle->letsThrough()) return;
    post([this, now, name = QString::fromStdString(pool)] { Q_EMIT searched(name, now); });
  };
  return {.stop = stop, .progress = SearchListener{.progress = progress, .search = search}};
}

void PlanJob::launch(quint64 job, Work work) {
  const auto body = [this, job, work = std::move(work)](const std::stop_token& stop) {
    auto outcome = std::make_shared<PlanOutcome>();
    outcome->run = work(contextFor(job, stop));
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
