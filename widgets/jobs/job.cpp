#include "widgets/jobs/job.h"

#include <algorithm>
#include <utility>

#include "core/allocators/search_report.h"
#include "core/base/text.h"
#include "core/insight/advice.h"
#include "widgets/text/run_text.h"

namespace hw {

Job::Job(QString name, Stopping stopping, QObject* parent)
    : QObject(parent), name_(std::move(name)), stopping_(stopping) {}

Job::~Job() { askToStop(); }

void Job::askToStop() {
  for (Worker& worker : workers_) worker.thread.request_stop();
}

void Job::launch(std::function<Finish(const JobContext&)> work) {
  askToStop();
  running_ = true;
  stopped_ = false;
  const quint64 job = ++newest_;
  workers_.push_back(
      {job, std::jthread([this, job, work = std::move(work)](const std::stop_token& stop) {
         const Finish finish = work(contextOf(job, stop));
         QMetaObject::invokeMethod(
             this, [this, job, finish] { deliver(job, finish); }, Qt::QueuedConnection);
       })});
  Q_EMIT started();
}

JobContext Job::contextOf(quint64 job, const std::stop_token& stop) {
  const auto tell = [this, job](std::function<void()> act) {
    QMetaObject::invokeMethod(
        this,
        [this, job, act = std::move(act)] {
          if (running_ && job == newest_) act();
        },
        Qt::QueuedConnection);
  };
  const auto progress = [this, tell](double fraction, const std::string& what) {
    tell([this, fraction, text = QString::fromStdString(what)] {
      Q_EMIT progressed(fraction, text);
    });
  };
  return {{.stop = stop, .progress = progress}, tell};
}

void Job::deliver(quint64 job, const Finish& finish) {
  // Its thread has nothing left to do, so this join does not wait.
  std::erase_if(workers_, [job](const Worker& worker) { return worker.job == job; });
  if (!running_ || job != newest_) return;
  running_ = false;
  const JobEnd end = finish();
  // The accepting function may have started the next.
  if (job == newest_) Q_EMIT ended(end);
}

void Job::stop() {
  if (!running_ || !canStop()) return;
  if (stopping_ == Stopping::abandons) return abandon();
  stopped_ = true;
  askToStop();
}

void Job::abandon() {
  if (!running_) return;
  stopped_ = true;
  askToStop();
  running_ = false;
  Q_EMIT ended({.state = JobState::stopped});
}

namespace {

bool isRunning(const JobEntry& job) { return job.state == JobEntry::State::running; }

}  // namespace

void JobBoard::watch(Job* job) {
  // The number of the job under way; it lives as long as the connections, which is as long as the
  // job.
  auto current = std::make_shared<quint64>(0);
  connect(job, &Job::started, this, [this, job, current] {
    end(*current, JobState::stopped, tr("a newer one took its place"));
    std::function<void()> stop;
    if (job->canStop()) stop = [job] { job->stop(); };
    *current = begin(job->name(), stop);
  });
  connect(job, &Job::progressed, this, [this, current](double fraction, const QString& what) {
    progress(*current, fraction, what);
  });
  connect(job, &Job::ended, this,
          [this, current](const JobEnd& how) { end(*current, how.state, how.what); });
}

quint64 JobBoard::begin(const QString& name, std::function<void()> stop) {
  JobEntry job{.id = ++last_,
               .name = name,
               .started = QDateTime::currentDateTime(),
               .stop = std::move(stop)};
  job.clock.start();
  jobs_.insert(jobs_.begin(), std::move(job));
  std::size_t finished = 0;
  std::erase_if(
      jobs_, [&](const JobEntry& each) { return !isRunning(each) && ++finished > kMostFinished; });
  Q_EMIT changed();
  return last_;
}

JobEntry* JobBoard::running(quint64 id) {
  const auto found = std::ranges::find(jobs_, id, &JobEntry::id);
  return found != jobs_.end() && isRunning(*found) ? &*found : nullptr;
}

void JobBoard::progress(quint64 id, double fraction, const QString& what) {
  JobEntry* job = running(id);
  if (!job) return;
  job->fraction = std::clamp(fraction, 0.0, 1.0);
  job->what = what;
  tick();
}

void JobBoard::end(quint64 id, JobEntry::State state, const QString& what) {
  JobEntry* job = running(id);
  if (!job) return;
  job->milliseconds = job->clock.elapsed();
  job->state = state;
  job->what = what;
  job->stop = nullptr;
  if (state == JobEntry::State::done) job->fraction = 1;
  Q_EMIT changed();
}

void JobBoard::stop(quint64 id) {
  const JobEntry* job = running(id);
  if (!job || !job->stop) return;
  const auto stop = job->stop;  // The call may end the job.
  stop();
}

void JobBoard::stopAll() {
  std::vector<quint64> ids;
  for (const JobEntry& job : jobs_) ids.push_back(job.id);
  for (const quint64 id : ids) stop(id);
}

void JobBoard::clearFinished() {
  std::erase_if(jobs_, [](const JobEntry& job) { return !isRunning(job); });
  Q_EMIT changed();
}

int JobBoard::runningCount() const {
  return static_cast<int>(std::ranges::count_if(jobs_, isRunning));
}

void JobBoard::tick() {
  for (JobEntry& job : jobs_) {
    if (isRunning(job)) job.milliseconds = job.clock.elapsed();
  }
  Q_EMIT progressed();
}

namespace {

constexpr qint64 kMillisecondsBetweenReports = 33;

/// Lets a report through when the last is long enough ago. Allocators report as often as they like.
class Throttle {
 public:
  bool letsThrough() {
    if (clock_.isValid() && clock_.elapsed() < kMillisecondsBetweenReports) return false;
    clock_.start();
    return true;
  }

 private:
  QElapsedTimer clock_;
};

}  // namespace

PlanJob::PlanJob(QObject* parent) : Job(tr("Planning"), Stopping::abandons, parent) {}

void PlanJob::start(Work work) {
  Job::start(
      [this, work = std::move(work)](const JobContext& context) {
        PlanOutcome outcome{.run = work(listening(context))};
        if (outcome.run && !context.stop.stop_requested()) {
          const Run& run = **outcome.run;
          outcome.violations = validate(run.problem, run.plan);
        }
        return outcome;
      },
      [this](const PlanOutcome& outcome) { return accept(outcome); });
}

RunContext PlanJob::listening(const JobContext& context) {
  const auto progress = [tell = context.progress, throttle = std::make_shared<Throttle>()](
                            double fraction, const std::string& what) {
    if (throttle->letsThrough()) tell(fraction, what);
  };
  const auto search = [this, tell = context.tell, throttle = std::make_shared<Throttle>()](
                          const std::string& pool, const ExactProgress& now) {
    if (!throttle->letsThrough()) return;
    tell([this, now, name = QString::fromStdString(pool)] { Q_EMIT searched(name, now); });
  };
  return {.stop = context.stop, .progress = progress, .search = search};
}

JobEnd PlanJob::accept(const PlanOutcome& outcome) {
  Q_EMIT finished(outcome);
  if (!outcome.run) return {JobState::failed, QString::fromStdString(outcome.run.error().text())};
  const Run& run = **outcome.run;
  const QString model = QString::fromStdString(printable(run.model->name, 60));
  return {JobState::done, tr("%1: %2").arg(model, sizeText(footprintOf(run)))};
}

}  // namespace hw
