#pragma once

#include <memory>
#include <optional>

#include "app/cli/console.h"
#include "app/cli/options.h"
#include "core/report/compare/measured_report.h"
#include "core/run/run.h"

namespace hw::cli {

/// Runs with a progress line; errors are about the model. Of one plan there is nothing to keep
/// before it is done, so Ctrl-C ends the program at once. `record`: with all that the
/// method's lists go through.
Outcome<std::shared_ptr<const Run>> executeWatched(const std::shared_ptr<const Model>& model,
                                                   const RunRequest& request, ProgressMode progress,
                                                   bool record = false);

/// The same for those who want the plan alone and have no more use for the model: see
/// RunContext::simulate and `executeOnce`.
Outcome<std::shared_ptr<const Run>> planWatched(Model model, const RunRequest& request,
                                                ProgressMode progress, bool record = false);

/// Whether `file` is one that holds what somebody's runtime measured, operator by operator.
bool isMeasurement(const std::string& file);

/// The model `name` beside the measurement in `file`: run in the order that was measured, and where
/// `options` say nothing as runtimes do. `allocator`: who plans; nothing: as the options say.
Outcome<MeasuredReport> runBeside(const std::string& name, const std::string& file,
                                  const RunArguments& options,
                                  const std::optional<AllocatorChoice>& allocator,
                                  ProgressMode progress);

/// Says on standard error why there is no plan that fits, if that is so.
ExitCode verdict(const Run& run);

}  // namespace hw::cli
