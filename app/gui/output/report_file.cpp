#include "app/gui/output/report_file.h"

#include "app/gui/output/picture.h"
#include "app/gui/output/report_pdf.h"

namespace hw {

Result<void> checkReportFile(const QString& file) {
  const QString ending = endingOf(file);
  for (const char* known : {"html", "htm", "pdf", "md", "json", "csv"}) {
    if (ending == QLatin1String(known)) return {};
  }
  return fail(ErrorCode::invalidArgument,
              file.toStdString() + ": a report's name ends in .html, .pdf, .md, .json or .csv");
}

Result<void> writeReport(const Run& run, const Comparison* comparison, AxisUnit axis,
                         const QString& file) {
  HW_DO(checkReportFile(file));
  const QString ending = endingOf(file);
  const std::string command =
      commandForReport(run.request, ending.toStdString(), {.comparison = comparison, .axis = axis});
  QByteArray bytes;
  if (ending == QLatin1String("json")) {
    bytes = QByteArray::fromStdString(jsonDocument(reportJson(run, comparison, command)));
  } else if (ending == QLatin1String("csv")) {
    bytes = QByteArray::fromStdString(reportCsv(run));
  } else {
    const RunReport report = makeReport(run, comparison, command, axis);
    if (ending == QLatin1String("pdf")) {
      bytes = reportPdf(run, report);
    } else if (ending == QLatin1String("md")) {
      bytes = QByteArray::fromStdString(reportMarkdown(report));
    } else {
      bytes = QByteArray::fromStdString(reportHtml(run, report));
    }
  }
  if (bytes.isEmpty()) {
    return fail(ErrorCode::unsupported, file.toStdString() + ": the report cannot be drawn");
  }
  return writeWhole(file, bytes);
}

}  // namespace hw
