#pragma once

#include <QByteArray>
#include <QSizeF>

#include "core/report/run/run_report.h"

namespace hw {

/// The report on A4 pages, in the light theme: cards, a map and a chart for every pool in use, the
/// tables with their heads on every page, notes, the command that makes it again; page numbers and
/// where it comes from at the foot. Tables stop at `kMostPdfRows` rows and say so. Touches no
/// widget: may run in any thread. Empty when it cannot be made.
QByteArray reportPdf(const Run& run, const RunReport& report);

inline constexpr std::size_t kMostPdfRows = 400;

}  // namespace hw
