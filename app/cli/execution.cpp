#include "app/cli/execution.h"

#include "app/cli/console.h"
#include "app/cli/stop.h"
#include "core/report/plan_text.h"
#include "core/run/plan_once.h"

namespace hw::cli {

namespace {

/// `run` gets the context to work in.
template <class Execute>
Outcome<std::shared_ptr<const Run>> watch(const Execute& run, const std::string& name,
                                          bool progress) {
  const StoppableWork work;
  ProgressLine line(progress ? ProgressMode::onTerminal : ProgressMode::never);
  auto done = run(RunContext{.stop = work.token(), .progress = line.callback()});
  if (!done) return failure(done.error(), name);
  return std::move(*done);
}

}  // namespace

Outcome<std::shared_ptr<const Run>> executeWatched(const std::shared_ptr<const Model>& model,
                                                   const RunConfig& config, const std::string& name,
                                                   bool progress) {
  return watch([&](const RunContext& context) { return execute(model, config, context); }, name,
               progress);
}

Outcome<std::shared_ptr<const Run>> planWatched(Model model, const RunConfig& config,
                                                const std::string& name, bool progress) {
  const auto run = [&](RunContext context) {
    context.simulate = false;
    return executeOnce(std::move(model), config, context);
  };
  return watch(run, name, progress);
}

ExitCode verdict(const Run& run, const std::string& name) {
  const auto failed = planFailure(run);
  if (!failed) return ExitCode::done;
  printFailure({ExitCode::answerIsNo, name, *failed});
  return ExitCode::answerIsNo;
}

}  // namespace hw::cli
