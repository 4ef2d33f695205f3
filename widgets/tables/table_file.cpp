#include "widgets/tables/table_file.h"

#include <QFileInfo>
#include <QSaveFile>

namespace hw {

QByteArray tableCsv(const TableSource& source, const std::vector<std::uint32_t>& rows) {
  std::string text = csvHeader(source.columns);
  std::vector<std::string> fields(source.columns.size());
  for (const std::uint32_t row : rows) {
    for (std::size_t i = 0; i < fields.size(); ++i) fields[i] = source.exact(row, i).toStdString();
    text += csvLine(fields);
  }
  return QByteArray::fromStdString(text);
}

QByteArray tableJson(const TableSource& source, const std::vector<std::uint32_t>& rows) {
  std::string text = "[";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += (i == 0 ? "\n" : ",\n") + jsonLine(jsonRow(source.columns, std::size_t{rows[i]}));
  }
  return QByteArray::fromStdString(text + "\n]\n");
}

Result<void> writeTable(const TableSource& source, const std::vector<std::uint32_t>& rows,
                        const QString& file) {
  const QString ending = QFileInfo(file).suffix().toLower();
  const std::string name = file.toStdString();
  if (ending != QLatin1String("csv") && ending != QLatin1String("json")) {
    return fail(ErrorCode::invalidArgument, name + ": a table's name ends in .csv or .json");
  }
  const QByteArray bytes =
      ending == QLatin1String("csv") ? tableCsv(source, rows) : tableJson(source, rows);
  QSaveFile target(file);
  if (!target.open(QIODevice::WriteOnly) || target.write(bytes) != bytes.size() ||
      !target.commit()) {
    return fail(ErrorCode::unreadable,
                name + ": cannot be written: " + target.errorString().toStdString());
  }
  return {};
}

}  // namespace hw
