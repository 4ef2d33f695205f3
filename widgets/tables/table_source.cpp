#include "widgets/tables/table_source.h"

#include "core/base/text.h"
#include "core/report/text/text_table.h"
#include "widgets/text/run_text.h"

namespace hw {
namespace {

constexpr std::size_t kLongest = 1000;  ///< Bytes of a text.

}  // namespace

QString TableSource::shown(std::size_t row, std::size_t column) const {
  const ColumnKind kind = columns[column].kind;
  const Value value = columns[column].value(row);
  if (value.isNone()) return none;
  if (value.text() != nullptr) return exact(row, column);
  switch (kind) {
    case ColumnKind::bytes:
      return exactBytes ? exactText(Bytes(*value.whole())) : sizeText(Bytes(*value.whole()));
    case ColumnKind::amount:
      return sizeText(Bytes(*value.whole()));
    case ColumnKind::address:
      return addressText(Bytes(*value.whole()));
    default:
      return QString::fromStdString(cellText(value, kind));
  }
}

QString TableSource::exact(std::size_t row, std::size_t column) const {
  return QString::fromStdString(printable(columns[column].value(row).exact(), kLongest));
}

}  // namespace hw
