#include "widgets/jobs/job.h"

#include <utility>

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
  // What was accepted may have started the next.
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

}  // namespace hw
