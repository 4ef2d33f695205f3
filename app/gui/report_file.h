#pragma once

#include <QString>
#include <memory>

#include "app/gui/arguments.h"
#include "core/run/compare.h"

namespace hw {

/// Refuses endings that `writeReport` cannot write.
Result<void> checkReportFile(const QString& file);

/// The command that makes the report of `run` again, as far as the command line can: the model and
/// everything of the request that is not the default. `comparison` may be null.
std::string reportCommand(const RunRequest& request, const Comparison* comparison,
                          const QString& file);

/// Writes a report as HTML, PDF, Markdown, JSON or CSV, by the ending of `file`; whole or not at
/// all, and equal bytes for equal runs. `comparison` may be null. May run in any thread.
Result<void> writeReport(const Run& run, const Comparison* comparison, const std::string& command,
                         const QString& file);

}  // namespace hw
