#include "widgets/jobs/advice_job.h"

#include <QMetaObject>
#include <new>
#include <utility>

namespace hw {
namespace {

/// A model for which memory runs out has had its advice: what was proved is lost with the stack.
AdviceReport adviceOrNothing(const std::shared_ptr<const Run>& run, const RunContext& context) {
  try {
    return advise(run, {}, context);
  } catch (const std::bad_alloc&) {
    return {.base = run, .stopped = true};
  }
}

}  // namespace

AdviceJob::~AdviceJob() {
  for (Worker& worker : workers_) worker.thread.request_stop();
}

void AdviceJob::start(std::shared_ptr<const Run> run) {
  abandon();
  const quint64 job = ++job_;
  running_ = true;
  const auto work = [this, job, run = std::move(run)](const std::stop_token& stop) {
    const auto tell = [this, job](double fraction, const std::string& what) {
      QMetaObject::invokeMethod(
          this,
          [this, job, fraction, text = QString::fromStdString(what)] {
            if (job == job_ && running_) Q_EMIT progressed(fraction, text);
          },
          Qt::QueuedConnection);
    };
    const auto report = std::make_shared<const AdviceReport>(
        adviceOrNothing(run, {.stop = stop, .progress = tell}));
    QMetaObject::invokeMethod(
        this, [this, job, report] { deliver(job, report); }, Qt::QueuedConnection);
  };
  workers_.push_back({job, std::jthread(work)});
  Q_EMIT started();
}

void AdviceJob::stop() {
  for (Worker& worker : workers_) worker.thread.request_stop();
}

void AdviceJob::abandon() {
  stop();
  ++job_;
  if (std::exchange(running_, false)) Q_EMIT abandoned();
}

void AdviceJob::deliver(quint64 job, const std::shared_ptr<const AdviceReport>& report) {
  std::erase_if(workers_, [job](const Worker& worker) { return worker.job == job; });
  if (job != job_ || !running_) return;
  running_ = false;
  Q_EMIT finished(report);
}

}  // namespace hw
