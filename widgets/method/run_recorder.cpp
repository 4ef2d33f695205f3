#include "widgets/method/run_recorder.h"

#include "core/base/text.h"

namespace hw {

RunRecorder::RunRecorder(QObject* parent)
    : QObject(parent), job_(tr("Recording the method"), Job::Stopping::abandons) {
  connect(&job_, &Job::ended, this, [this](const JobEnd& end) {
    if (end.state == JobState::stopped && state_ == State::working) state_ = State::stopped;
    Q_EMIT changed();
  });
}

void RunRecorder::setRun(const std::shared_ptr<const Run>& run) {
  if (run == run_) return;
  state_ = State::none;
  run_ = run;
  samePlan_ = true;
  problem_.clear();
  const bool has = run && !run->plan.records.empty();
  recorded_ = has ? run : nullptr;
  if (has) state_ = State::done;
  job_.abandon();
  Q_EMIT changed();
}

void RunRecorder::record() {
  if (!run_ || state_ == State::working || state_ == State::done) return;
  state_ = State::working;
  const auto work = [run = run_](const JobContext& context) {
    return execute(run->model, run->request,
                   {.stop = context.stop,
                    .progress = context.progress,
                    .search = {},
                    .simulate = false,
                    .record = true});
  };
  job_.start(work, [this](const auto& result) { return accept(result); });
  Q_EMIT changed();
}

JobEnd RunRecorder::accept(const Result<std::shared_ptr<const Run>>& result) {
  if (!result) {
    state_ = State::failed;
    problem_ = QString::fromStdString(printable(result.error().text(), 400));
    return {.state = JobState::failed, .what = problem_};
  }
  state_ = State::done;
  recorded_ = *result;
  samePlan_ = recorded_->plan.addresses == run_->plan.addresses;
  std::size_t ticks = 0;
  for (const MethodRecord& record : recorded_->plan.records) ticks += record.ticks.size();
  return {.what = tr("%n decision(s)", nullptr, static_cast<int>(ticks))};
}

}  // namespace hw
