#pragma once

#include <QString>
#include <vector>

#include "core/base/result.h"
#include "widgets/tables/table_source.h"

namespace hw {

/// `rows` of a table as CSV (RFC 4180): a line of keys, then exact values.
QByteArray tableCsv(const TableSource& source, const std::vector<std::uint32_t>& rows);

/// The same as JSON: a list of objects by key; numbers as numbers, no value as null.
QByteArray tableJson(const TableSource& source, const std::vector<std::uint32_t>& rows);

/// Writes `rows` to `file` as its ending says, .csv or .json. A file that cannot be finished is not
/// left behind, and one that was there before stays.
Result<void> writeTable(const TableSource& source, const std::vector<std::uint32_t>& rows,
                        const QString& file);

}  // namespace hw
