#include "app/gui/features/jobs_feature.h"

#include <memory>

#include "app/gui/features/export_feature.h"
#include "app/gui/features/transport_feature.h"
#include "app/gui/main_window.h"
#include "core/base/text.h"
#include "widgets/compare/capacity_panel.h"
#include "widgets/panels/advice_panel.h"
#include "widgets/panels/jobs_panel.h"
#include "widgets/panels/run_text.h"

namespace hw {

namespace {

using State = JobEntry::State;

/// What all jobs have in common. The number on the board of the one under way is shared by the
/// connections, which end with the job.
template <class Job>
std::shared_ptr<quint64> watch(JobBoard* board, Job* job, const QString& name,
                               const std::function<void()>& stop) {
  auto current = std::make_shared<quint64>(0);
  QObject::connect(job, &Job::started, board, [board, current, name, stop] {
    board->end(*current, State::stopped, JobBoard::tr("a newer one took its place"));
    *current = board->begin(name, stop);
  });
  QObject::connect(job, &Job::progressed, board,
                   [board, current](double fraction, const QString& what) {
                     board->progress(*current, fraction, what);
                   });
  return current;
}

}  // namespace

JobsFeature::JobsFeature(MainWindow* window) : QObject(window), window_(window) {
  auto* panel = new JobsPanel(&board_, window);
  QDockWidget* dock = window->addDock(QStringLiteral("jobs"), tr("Jobs"), panel,
                                      Qt::BottomDockWidgetArea, QStringLiteral("events"));
  const auto count = [this, dock] {
    const int running = board_.runningCount();
    dock->setWindowTitle(running == 0 ? tr("Jobs") : tr("Jobs (%1)").arg(running));
  };
  connect(&board_, &JobBoard::changed, dock, count);
  QMenu* menu = window->menu(MenuKind::simulate);
  QAction* stop = window->addCommand(menu, QStringLiteral("stopJobs"), tr("Stop all &jobs"), {},
                                     [this] { board_.stopAll(); });
  const auto enable = [this, stop] {
    stop->setEnabled(board_.runningCount() > 0);
    stop->setToolTip(stop->isEnabled() ? QString() : tr("Nothing is running"));
  };
  enable();
  connect(&board_, &JobBoard::changed, stop, enable);
  watchPlanning();
  watchComparing();
  watchSweeping();
  watchAdvice();
  watchUntil();
  watchReports();
}

void JobsFeature::watchPlanning() {
  PlanJob* job = window_->job();
  const auto current = watch(&board_, job, tr("Planning"), [job] { job->cancel(); });
  connect(job, &PlanJob::finished, this, [this, current](const PlanOutcome& outcome) {
    if (!outcome.run) {
      board_.end(*current, State::failed, QString::fromStdString(outcome.run.error().text()));
      return;
    }
    const Run& run = **outcome.run;
    Bytes peak;
    for (const PoolMetrics& pool : run.metrics.pools) peak += pool.peak;
    board_.end(
        *current, State::done,
        tr("%1: %2").arg(QString::fromStdString(printable(run.model->name, 60)), sizeText(peak)));
  });
  connect(job, &PlanJob::cancelled, this,
          [this, current] { board_.end(*current, State::stopped, {}); });
}

void JobsFeature::watchComparing() {
  CompareJob* job = window_->comparison()->job();
  const auto current = watch(&board_, job, tr("Comparing"), [job] { job->stop(); });
  connect(job, &CompareJob::finished, this, [this, current](const auto& comparison) {
    board_.end(*current, comparison->stopped() > 0 ? State::stopped : State::done,
               tr("%1 rows").arg(comparison->rows.size()));
  });
  connect(job, &CompareJob::abandoned, this,
          [this, current] { board_.end(*current, State::stopped, {}); });
}

void JobsFeature::watchSweeping() {
  SweepJob* job = window_->findChild<CapacityPanel*>()->job();
  const auto current = watch(&board_, job, tr("Sweeping the capacity"), [job] { job->stop(); });
  auto points = std::make_shared<int>(0);
  connect(job, &SweepJob::started, this, [points] { *points = 0; });
  connect(job, &SweepJob::pointDone, this, [points] { ++*points; });
  connect(
      job, &SweepJob::finished, this, [this, current, points](const QString& error, bool whole) {
        const State state = !error.isEmpty() ? State::failed : whole ? State::done : State::stopped;
        board_.end(*current, state, error.isEmpty() ? tr("%1 capacities").arg(*points) : error);
      });
  connect(job, &SweepJob::abandoned, this,
          [this, current] { board_.end(*current, State::stopped, {}); });
}

void JobsFeature::watchAdvice() {
  AdviceJob* job = window_->findChild<AdvicePanel*>()->job();
  const auto current = watch(&board_, job, tr("Looking for advice"), [job] { job->stop(); });
  connect(job, &AdviceJob::finished, this, [this, current](const auto& report) {
    board_.end(*current, report->stopped ? State::stopped : State::done,
               tr("%1 of %2 changes help").arg(report->found.size()).arg(report->tried));
  });
  connect(job, &AdviceJob::abandoned, this,
          [this, current] { board_.end(*current, State::stopped, {}); });
}

void JobsFeature::watchUntil() {
  RunUntil* until = window_->findChild<TransportFeature*>()->until();
  auto current = std::make_shared<quint64>(0);
  connect(until, &RunUntil::searchingChanged, this, [this, current, until](bool searching) {
    if (searching) *current = board_.begin(tr("Running until"), [until] { until->cancel(); });
  });
  connect(until, &RunUntil::finished, this,
          [this, current](bool, const QString& text) { board_.end(*current, State::done, text); });
  connect(until, &RunUntil::cancelled, this,
          [this, current] { board_.end(*current, State::stopped, {}); });
}

void JobsFeature::watchReports() {
  auto* exporter = window_->findChild<ExportFeature*>();
  auto current = std::make_shared<quint64>(0);
  connect(exporter, &ExportFeature::reportStarted, this, [this, current](const QString& file) {
    board_.end(*current, State::stopped, tr("a newer one took its place"));
    *current = board_.begin(tr("Writing a report"), {});
    board_.progress(*current, 0, file);
  });
  connect(exporter, &ExportFeature::reportFinished, this,
          [this, current](const QString& file, const QString& error) {
            board_.end(*current, error.isEmpty() ? State::done : State::failed,
                       error.isEmpty() ? file : error);
          });
}

}  // namespace hw
