#include "app/gui/report_file.h"

#include <QFileInfo>

#include "app/gui/picture.h"
#include "app/gui/report_pdf.h"
#include "core/base/text.h"

namespace hw {

namespace {

QString endingOf(const QString& file) { return QFileInfo(file).suffix().toLower(); }

/// For a shell: in quotes when it holds anything but plain characters.
std::string quoted(const std::string& word) {
  const std::string plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.,:/=+@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string result = "'";
  for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string sizeOption(const char* option, const PoolSize& size) {
  if (size.kind == PoolSize::Kind::platform) return {};
  const bool unbounded = size.kind == PoolSize::Kind::unbounded;
  return std::string(option) + (unbounded ? "unlimited" : std::to_string(size.bytes.count()));
}

/// `config` as options of the command line, the defaults left out.
std::string optionsOf(const RunConfig& config) {
  std::string options = " --platform " + quoted(config.platform.name);
  options += sizeOption(" --l2 ", config.l2) + sizeOption(" --l3 ", config.l3);
  if (config.alignment) options += " --align " + std::to_string(config.alignment->count());
  if (config.alias == AliasRules::none()) options += " --alias none";
  if (config.alias == AliasRules::all()) options += " --alias all";
  if (!config.planInputs) options += " --inputs external";
  if (!config.planOutputs) options += " --outputs external";
  if (!config.streamWeights) options += " --weights resident";
  if (config.seed != 1) options += " --seed " + std::to_string(config.seed);
  return options;
}

std::string namesOf(const Comparison& comparison) {
  std::string names;
  for (const ComparisonRow& row : comparison.rows) {
    names += (names.empty() ? "" : ",") + row.allocator.text();
  }
  return names;
}

}  // namespace

Result<void> checkReportFile(const QString& file) {
  const QString ending = endingOf(file);
  for (const char* known : {"html", "htm", "pdf", "md", "json", "csv"}) {
    if (ending == QLatin1String(known)) return {};
  }
  return fail(ErrorCode::invalidArgument,
              file.toStdString() + ": a report's name ends in .html, .pdf, .md, .json or .csv");
}

std::string reportCommand(const RunRequest& request, const Comparison* comparison,
                          const QString& file) {
  // What the command line alone cannot write, the studio writes without a display.
  const QString ending = endingOf(file);
  const bool pdf = ending == QLatin1String("pdf");
  std::string command = pdf ? "highwater-studio " : "highwater report ";
  command += quoted(request.model);
  for (const auto& [name, value] : request.import.dimensions) {
    command += " --dim " + quoted(name + "=" + std::to_string(value));
  }
  if (!request.import.subgraph.empty()) {
    command += " --subgraph " + quoted(request.import.subgraph);
  }
  if (request.import.closedBodies) command += " --bodies closed";
  command += " --allocator " + quoted(request.config.allocator.text());
  command += optionsOf(request.config);
  if (comparison) command += pdf ? " --compare" : " --compare " + quoted(namesOf(*comparison));
  return command + (pdf ? " --report report.pdf" : " -o report." + ending.toStdString());
}

Result<void> writeReport(const Run& run, const Comparison* comparison, const std::string& command,
                         const QString& file) {
  if (auto checked = checkReportFile(file); !checked) return checked;
  const QString ending = endingOf(file);
  QByteArray bytes;
  if (ending == QLatin1String("json")) {
    bytes = QByteArray::fromStdString(jsonDocument(reportJson(run, comparison, command)));
  } else if (ending == QLatin1String("csv")) {
    bytes = QByteArray::fromStdString(reportCsv(run));
  } else {
    const RunReport report = makeReport(run, comparison, command);
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
