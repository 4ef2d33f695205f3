#pragma once

#include <QString>
#include <memory>

#include "core/picture/axis.h"
#include "core/study/compare.h"

namespace hw {

/// Refuses endings that `writeReport` cannot write.
Result<void> checkReportFile(const QString& file);

/// Writes a report as HTML, PDF, Markdown, JSON or CSV, by the ending of `file`; whole or not at
/// all, and equal bytes for equal runs. `comparison` may be null; pictures are over `axis` as far
/// as the run is timed. May run in any thread.
Result<void> writeReport(const Run& run, const Comparison* comparison, AxisUnit axis,
                         const QString& file);

}  // namespace hw
