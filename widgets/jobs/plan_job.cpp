#include "widgets/jobs/plan_job.h"

#include <QElapsedTimer>

#include "core/allocators/search_report.h"
#include "core/base/text.h"
#include "core/insight/advice.h"
#include "widgets/text/run_text.h"

namespace hw {

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
