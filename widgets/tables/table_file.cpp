#include "widgets/tables/table_file.h"

#include <QFileInfo>
#include <QSaveFile>
#include <nlohmann/json.hpp>

#include "core/base/csv.h"

namespace hw {

QByteArray tableCsv(const TableSource& source, const std::vector<std::uint32_t>& rows) {
  std::string text;
  const auto line = [&](const auto& value) {
    for (std::size_t column = 0; column < source.columns.size(); ++column) {
      if (column > 0) text += ',';
      text += csvField(value(column).toStdString());
    }
    text += '\n';
  };
  line([&](std::size_t column) { return source.columns[column].key; });
  for (const std::uint32_t row : rows) {
    line([&](std::size_t column) { return source.exact(row, column); });
  }
  return QByteArray::fromStdString(text);
}

QByteArray tableJson(const TableSource& source, const std::vector<std::uint32_t>& rows) {
  std::string text = "[";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    for (const TableColumn& column : source.columns) {
      const std::string key = column.key.toStdString();
      if (column.kind == ColumnKind::text) {
        object[key] = column.text(rows[i]).toStdString();
        continue;
      }
      const std::int64_t value = column.number(rows[i]);
      if (value == TableColumn::kNone) {
        object[key] = nullptr;
      } else {
        object[key] = value;
      }
    }
    text += (i == 0 ? "\n" : ",\n") +
            object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
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
