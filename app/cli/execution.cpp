#include "app/cli/execution.h"

#include "app/cli/console.h"
#include "app/cli/stop.h"
#include "core/report/plan_text.h"

namespace hw::cli {

Outcome<std::shared_ptr<const Run>> executeWatched(const std::shared_ptr<const Model>& model,
                                                   const RunConfig& config, const std::string& name,
                                                   bool progress) {
  const StoppableWork work;
  ProgressLine line(progress ? ProgressMode::onTerminal : ProgressMode::never);
  auto run = execute(model, config, {.stop = work.token(), .progress = line.callback()});
  if (!run) return failure(run.error(), name);
  return std::move(*run);
}

ExitCode verdict(const Run& run, const std::string& name) {
  const auto failed = planFailure(run);
  if (!failed) return ExitCode::done;
  printFailure({ExitCode::answerIsNo, name, *failed});
  return ExitCode::answerIsNo;
}

}  // namespace hw::cli
