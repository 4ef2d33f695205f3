#include "widgets/panels/method_table_model.h"

#include <algorithm>

#include "core/base/text.h"
#include "widgets/panels/run_text.h"

namespace hw {
namespace {

QString cellText(const Run& run, const MethodCell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    return QString::fromStdString(printable(*text, 1000));
  }
  if (const auto* number = std::get_if<std::int64_t>(&cell)) {
    return QString::fromStdString(groupDigits(*number));
  }
  if (const auto* bytes = std::get_if<Bytes>(&cell)) return exactText(*bytes);
  const StayId stay = std::get<StayId>(cell);
  return stay ? stayText(run, stay) : QString();
}

QVariant sortKey(const Run& run, const MethodCell& cell) {
  if (const auto* number = std::get_if<std::int64_t>(&cell)) {
    return QVariant(static_cast<qlonglong>(*number));
  }
  if (const auto* bytes = std::get_if<Bytes>(&cell)) {
    return QVariant(static_cast<qlonglong>(bytes->count()));
  }
  return cellText(run, cell);
}

}  // namespace

void MethodTableModel::setTable(std::shared_ptr<const Run> run, MethodTable table) {
  beginResetModel();
  run_ = std::move(run);
  table_ = std::move(table);
  endResetModel();
}

int MethodTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !run_ ? 0 : static_cast<int>(table_.rows.size());
}

int MethodTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() || !run_ ? 0 : static_cast<int>(table_.columns.size());
}

const MethodCell* MethodTableModel::cell(const QModelIndex& index) const {
  if (!index.isValid() || index.row() >= rowCount()) return nullptr;
  const auto& row = table_.rows[static_cast<std::size_t>(index.row())];
  const auto column = static_cast<std::size_t>(index.column());
  return column < row.size() ? &row[column] : nullptr;
}

QVariant MethodTableModel::data(const QModelIndex& index, int role) const {
  const MethodCell* shown = cell(index);
  if (shown == nullptr) return {};
  switch (role) {
    case Qt::DisplayRole:
      return cellText(*run_, *shown);
    case Qt::ToolTipRole:
      if (const auto* bytes = std::get_if<Bytes>(shown)) return fullSizeText(*bytes);
      return cellText(*run_, *shown);
    case Qt::TextAlignmentRole:
      return QVariant(Qt::AlignVCenter |
                      (isNumeric(index.column()) ? Qt::AlignRight : Qt::AlignLeft));
    case kSortRole:
      return sortKey(*run_, *shown);
    default:
      return {};
  }
}

/// A column is numeric when its first row is.
bool MethodTableModel::isNumeric(int column) const {
  const MethodCell* first = cell(index(0, column));
  return first != nullptr &&
         (std::holds_alternative<std::int64_t>(*first) || std::holds_alternative<Bytes>(*first));
}

QVariant MethodTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section >= columnCount()) return {};
  if (role == Qt::DisplayRole) {
    // Methods name their columns as files have them; headings begin like all others.
    QString name = QString::fromStdString(table_.columns[static_cast<std::size_t>(section)]);
    if (!name.isEmpty()) name[0] = name[0].toUpper();
    return name;
  }
  if (role == Qt::TextAlignmentRole) {
    return QVariant(Qt::AlignVCenter | (isNumeric(section) ? Qt::AlignRight : Qt::AlignLeft));
  }
  return {};
}

StayId MethodTableModel::stayAt(const QModelIndex& index) const {
  const auto stayOf = [](const MethodCell& cell) {
    const auto* stay = std::get_if<StayId>(&cell);
    return stay != nullptr ? *stay : StayId();
  };
  const MethodCell* clicked = cell(index);
  if (clicked == nullptr) return {};
  if (const StayId stay = stayOf(*clicked)) return stay;
  for (const MethodCell& other : table_.rows[static_cast<std::size_t>(index.row())]) {
    if (const StayId stay = stayOf(other)) return stay;
  }
  return {};
}

bool MethodTableModel::names(int row, StayId stay) const {
  const auto& cells = table_.rows[static_cast<std::size_t>(row)];
  return stay && std::ranges::find(cells, MethodCell(stay)) != cells.end();
}

}  // namespace hw
