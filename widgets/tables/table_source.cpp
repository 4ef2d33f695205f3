#include "widgets/tables/table_source.h"

#include "core/base/text.h"
#include "widgets/panels/run_text.h"

namespace hw {

QString TableSource::shown(std::size_t row, std::size_t column) const {
  const TableColumn& of = columns[column];
  if (of.kind == ColumnKind::text) return of.text(row);
  const std::int64_t value = of.number(row);
  if (value == TableColumn::kNone) return {};
  switch (of.kind) {
    case ColumnKind::bytes:
      return exactText(Bytes(value));
    case ColumnKind::address:
      return addressText(Bytes(value));
    case ColumnKind::picoseconds:
      return timeText(SimTime(value));
    default:
      return QString::fromStdString(groupDigits(value));
  }
}

QString TableSource::exact(std::size_t row, std::size_t column) const {
  const TableColumn& of = columns[column];
  if (of.kind == ColumnKind::text) return of.text(row);
  const std::int64_t value = of.number(row);
  return value == TableColumn::kNone ? QString() : QString::number(value);
}

}  // namespace hw
