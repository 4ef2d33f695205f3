#pragma once

#include <memory>

#include "app/cli/console.h"
#include "app/cli/outcome.h"
#include "core/run/run.h"

namespace hw::cli {

/// Runs with Ctrl-C and a progress line; errors are about the model. `record`: with all that the
/// method's lists go through.
Outcome<std::shared_ptr<const Run>> executeWatched(const std::shared_ptr<const Model>& model,
                                                   const RunRequest& request, ProgressMode progress,
                                                   bool record = false);

/// The same for those who want the plan alone and have no more use for the model: see
/// RunContext::simulate and `executeOnce`.
Outcome<std::shared_ptr<const Run>> planWatched(Model model, const RunRequest& request,
                                                ProgressMode progress, bool record = false);

/// Says on standard error why there is no plan that fits, if that is so.
ExitCode verdict(const Run& run);

}  // namespace hw::cli
