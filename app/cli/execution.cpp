#include "app/cli/execution.h"

#include "app/cli/stop.h"
#include "core/report/plan/plan_text.h"

namespace hw::cli {

namespace {

/// `run` gets the context to work in.
template <class Execute>
Outcome<std::shared_ptr<const Run>> watch(const Execute& run, const std::string& name,
                                          ProgressMode progress) {
  const StoppableWork work;
  ProgressLine line(progress);
  auto done = run(RunContext{.stop = work.token(), .progress = line.callback()});
  if (!done) return failure(done.error(), name);
  return std::move(*done);
}

}  // namespace

Outcome<std::shared_ptr<const Run>> executeWatched(const std::shared_ptr<const Model>& model,
                                                   const RunRequest& request, ProgressMode progress,
                                                   bool record) {
  const auto run = [&](RunContext context) {
    context.record = record;
    return execute(model, request, context);
  };
  return watch(run, request.model, progress);
}

Outcome<std::shared_ptr<const Run>> planWatched(Model model, const RunRequest& request,
                                                ProgressMode progress, bool record) {
  const auto run = [&](RunContext context) {
    context.simulate = false;
    context.record = record;
    return executeOnce(std::move(model), request, context);
  };
  return watch(run, request.model, progress);
}

ExitCode verdict(const Run& run) {
  const auto failed = planFailure(run);
  if (!failed) return ExitCode::done;
  printFailure({ExitCode::answerIsNo, run.request.model, *failed});
  return ExitCode::answerIsNo;
}

}  // namespace hw::cli
