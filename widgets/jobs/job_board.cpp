#include "widgets/jobs/job_board.h"

#include <algorithm>
#include <utility>

namespace hw {

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
  const auto stop = job->stop;  // What it calls may end the job.
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

}  // namespace hw
