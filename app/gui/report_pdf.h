#pragma once

#include <QByteArray>

#include "app/gui/pdf_file.h"
#include "core/report/run_report.h"

namespace hw {

/// The report on A4 pages, in the light theme: cards, a map and a chart for every pool in use, the
/// tables with their heads on every page, notes, the command that makes it again; page numbers and
/// where it comes from at the foot. Tables stop at `kMostPdfRows` rows and say so. Equal reports
/// give equal bytes. Touches no widget: may run in any thread. Empty when it cannot be made.
QByteArray reportPdf(const Run& run, const RunReport& report);

/// The same pages on any painter that `next` can give a fresh page to, in units of 1/96 inch;
/// `pages` is how many there are, 0 when that is not known. Returns how many there were.
int paintReport(QPainter& painter, const PdfFile::NextPage& next, const Run& run,
                const RunReport& report, int pages);

/// A4.
inline constexpr QSizeF kReportPage{794, 1123};

inline constexpr std::size_t kMostPdfRows = 400;

}  // namespace hw
