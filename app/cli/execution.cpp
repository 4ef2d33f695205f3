#include "app/cli/execution.h"

#include "app/cli/console.h"
#include "app/cli/stop.h"
#include "core/report/plan_text.h"

namespace hw::cli {

Outcome<std::shared_ptr<const Run>> executeWatched(const std::shared_ptr<const Model>& model,
                                                   const RunConfig& config, const std::string& name,
                                                   bool progress) {
  const StoppableWork work;
  ProgressLine line(progress);
  auto run = execute(model, config, {.stop = work.token(), .progress = line.callback()});
  if (!run) return failure(run.error(), name);
  return std::move(*run);
}

Outcome<Comparison> compareWatched(const std::shared_ptr<const Model>& model,
                                   const RunConfig& config,
                                   const std::vector<AllocatorChoice>& choices,
                                   const std::string& name, bool progress) {
  const StoppableWork work;
  ProgressLine line(progress);
  auto comparison = compareAllocators(model, config, choices,
                                      {.stop = work.token(), .progress = line.callback()});
  if (!comparison) return failure(comparison.error(), name);
  return std::move(*comparison);
}

ExitCode verdict(const Run& run, const std::string& name) {
  const auto failed = planFailure(run);
  if (!failed) return ExitCode::done;
  printFailure({ExitCode::answerIsNo, name, *failed});
  return ExitCode::answerIsNo;
}

}  // namespace hw::cli
