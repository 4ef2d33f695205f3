#include "widgets/tables/table_model.h"

#include <QRegularExpression>
#include <QStringList>
#include <algorithm>
#include <numeric>

#include "core/base/text.h"
#include "widgets/text/run_text.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

tl::unexpected<Error> refuse(const QString& message) {
  return fail(ErrorCode::invalidArgument, message.toStdString());
}

QString unquoted(QString text) {
  if (text.size() >= 2 && text.startsWith(QLatin1Char('"'))) return text.mid(1, text.size() - 2);
  return text;
}

std::optional<std::int64_t> readNumber(const QString& text, ColumnKind kind) {
  bool ok = false;
  if (text.startsWith(QLatin1String("0x"), Qt::CaseInsensitive)) {
    const std::int64_t value = text.mid(2).toLongLong(&ok, 16);
    return ok ? std::optional(value) : std::nullopt;
  }
  if (kind == ColumnKind::bytes || kind == ColumnKind::amount || kind == ColumnKind::address) {
    const auto bytes = parseSize(text.toStdString());
    return bytes ? std::optional(bytes->count()) : std::nullopt;
  }
  return parseInteger(text.toStdString());
}

}  // namespace

Result<TableFilter> TableFilter::parse(const QString& text, const TableSource& source) {
  static const QRegularExpression part(
      QStringLiteral("([A-Za-z_][A-Za-z_0-9]*)\\s*(>=|<=|!=|=|>|<|~)\\s*(\"[^\"]*\"|[^\\s\"]+)|(\"["
                     "^\"]*\"|\\S+)"));
  TableFilter filter;
  auto matches = part.globalMatch(text);
  while (matches.hasNext()) {
    const auto match = matches.next();
    if (match.captured(1).isEmpty()) {
      filter.conditions_.push_back({.text = unquoted(match.captured(4))});
      continue;
    }
    HW_TRY(read, condition(match.captured(1).toLower(), match.captured(2),
                           unquoted(match.captured(3)), source));
    filter.conditions_.push_back(std::move(read));
  }
  return filter;
}

Result<TableFilter::Condition> TableFilter::condition(const QString& key, const QString& sign,
                                                      const QString& value,
                                                      const TableSource& source) {
  const auto column =
      std::ranges::find(source.columns, key.toStdString(), &Column<std::size_t>::key);
  if (column == source.columns.end()) {
    QStringList keys;
    for (const auto& each : source.columns) keys << QString::fromStdString(each.key);
    return refuse(tr("no column is called \u201c%1\u201d; there are %2")
                      .arg(key, keys.join(QStringLiteral(", "))));
  }
  const QStringList signs{QStringLiteral("<"),  QStringLiteral("<="), QStringLiteral("="),
                          QStringLiteral("!="), QStringLiteral(">="), QStringLiteral(">"),
                          QStringLiteral("~")};
  Condition read{.column = static_cast<std::size_t>(column - source.columns.begin()),
                 .sign = static_cast<Sign>(signs.indexOf(sign)),
                 .text = value};
  if (!isNumber(column->kind)) {
    const bool ordered = sign.contains(QLatin1Char('<')) || sign.contains(QLatin1Char('>'));
    if (ordered) return refuse(tr("%1 is a text: use =, != or ~ (contains)").arg(key));
    return read;
  }
  if (read.sign == Sign::contains) return read;
  const auto number = readNumber(value, column->kind);
  if (!number) {
    return refuse(tr("%1 %2: \u201c%3\u201d is no number or size").arg(key, sign, value));
  }
  read.number = *number;
  return read;
}

bool TableFilter::keeps(const TableSource& source, std::size_t row) const {
  return std::ranges::all_of(
      conditions_, [&](const Condition& condition) { return holds(condition, source, row); });
}

bool TableFilter::holds(const Condition& condition, const TableSource& source, std::size_t row) {
  const auto contains = [&](const QString& text) {
    return text.contains(condition.text, Qt::CaseInsensitive);
  };
  if (condition.column == kAnyText) {
    for (std::size_t i = 0; i < source.columns.size(); ++i) {
      if (!isNumber(source.columns[i].kind) && contains(source.exact(row, i))) return true;
    }
    return false;
  }
  const auto& column = source.columns[condition.column];
  if (condition.sign == Sign::contains) return contains(source.shown(row, condition.column));
  if (!isNumber(column.kind)) {
    const QString shown = source.shown(row, condition.column);
    return (shown.compare(condition.text, Qt::CaseInsensitive) == 0) ==
           (condition.sign == Sign::equal);
  }
  const auto value = column.value(row).whole();
  if (!value) return condition.sign == Sign::unequal;
  switch (condition.sign) {
    case Sign::less:
      return *value < condition.number;
    case Sign::atMost:
      return *value <= condition.number;
    case Sign::equal:
      return *value == condition.number;
    case Sign::unequal:
      return *value != condition.number;
    case Sign::atLeast:
      return *value >= condition.number;
    case Sign::more:
    case Sign::contains:
      break;
  }
  return *value > condition.number;
}

namespace {

/// Up to this many rows are arranged at once, within a frame.
constexpr std::size_t kRowsAtOnce = 20'000;
/// Rows after which a worker asks whether to go on.
constexpr std::size_t kAskEvery = 1'024;

/// By what a cell is sorted: numbers by value, texts as people look words up.
Value sortKey(Value value) {
  if (value.text() == nullptr) return value;
  return QString::fromStdString(*value.text()).toCaseFolded().toStdString();
}

/// Rows without a value come last, whichever way it is sorted.
void sortBy(std::vector<std::uint32_t>& rows, const std::vector<Value>& keys, bool descending) {
  std::vector<std::uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, [&](auto a, auto b) {
    if (keys[a].isNone() || keys[b].isNone()) return !keys[a].isNone() && keys[b].isNone();
    return descending ? keys[b] < keys[a] : keys[a] < keys[b];
  });
  for (std::uint32_t& index : order) index = rows[index];
  rows = std::move(order);
}

QVariant sideOf(ColumnKind kind) {
  return QVariant(Qt::AlignVCenter | (standsRight(kind) ? Qt::AlignRight : Qt::AlignLeft));
}

bool meets(const Interval<Step>& a, const Interval<Step>& b) {
  return a.begin < b.end && b.begin < a.end;
}

}  // namespace

std::vector<std::uint32_t> arrangeRows(const TableSource& source, const Arrangement& wanted,
                                       const std::function<bool()>& stop) {
  std::vector<std::uint32_t> rows;
  for (std::size_t row = 0; row < source.rows; ++row) {
    if (row % kAskEvery == 0 && stop()) return {};
    if (wanted.range && source.steps && !meets(source.steps(row), *wanted.range)) continue;
    if (wanted.picked && source.stay && !wanted.picked->keeps(source.stay(row))) continue;
    if (wanted.keep && !wanted.keep(row)) continue;
    if (!wanted.filter.keeps(source, row)) continue;
    rows.push_back(static_cast<std::uint32_t>(row));
  }
  if (wanted.sortColumn < 0) return rows;
  const auto& column = source.columns[static_cast<std::size_t>(wanted.sortColumn)];
  std::vector<Value> keys;
  keys.reserve(rows.size());
  for (const std::uint32_t row : rows) {
    if (keys.size() % kAskEvery == 0 && stop()) return {};
    keys.push_back(sortKey(column.value(row)));
  }
  sortBy(rows, keys, wanted.descending);
  return rows;
}

TableModel::TableModel(QObject* parent) : QAbstractTableModel(parent) {}

void TableModel::setSource(std::shared_ptr<const TableSource> source) {
  const auto keysOf = [](const TableSource* of) {
    std::vector<std::string> keys;
    for (std::size_t i = 0; of && i < of->columns.size(); ++i) keys.push_back(of->columns[i].key);
    return keys;
  };
  // A filter knows columns by number: those of another table are others.
  if (keysOf(source_.get()) != keysOf(source.get())) wanted_ = {};
  wanted_.filter = {};
  beginResetModel();
  source_ = std::move(source);
  rows_.clear();
  endResetModel();
  start();
}

void TableModel::arrange(Arrangement wanted) {
  wanted_ = std::move(wanted);
  start();
}

void TableModel::start() {
  if (!source_) return arranging_.drop();
  if (wanted_.sortColumn >= columnCount()) wanted_.sortColumn = -1;
  arranging_.start(
      source_->rows <= kRowsAtOnce,
      [source = source_, wanted = wanted_](const std::stop_token& stop) {
        return arrangeRows(*source, wanted, [&] { return stop.stop_requested(); });
      },
      [this](std::vector<std::uint32_t> rows) { show(std::move(rows)); });
}

void TableModel::show(std::vector<std::uint32_t> rows) {
  beginResetModel();
  rows_ = std::move(rows);
  endResetModel();
  Q_EMIT arranged();
}

int TableModel::rowOf(StayId stay, OpId op) const {
  if (!source_) return -1;
  const auto find = [&](const auto& matches) {
    const auto found = std::ranges::find_if(rows_, matches);
    return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
  };
  if (stay && source_->stay) {
    return find([&](std::uint32_t row) { return source_->stay(row) == stay; });
  }
  if (op && source_->op) {
    return find([&](std::uint32_t row) { return source_->op(row) == op; });
  }
  return -1;
}

int TableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int TableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() || !source_ ? 0 : static_cast<int>(source_->columns.size());
}

QVariant TableModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const auto column = static_cast<std::size_t>(index.column());
  const std::size_t row = sourceRow(index.row());
  switch (role) {
    case Qt::DisplayRole:
      return source_->shown(row, column);
    case Qt::ToolTipRole:
      return toolTip(row, column);
    case Qt::TextAlignmentRole:
      return sideOf(source_->columns[column].kind);
    default:
      return {};
  }
}

/// All of a text, the exact number of a size, and what the column means.
QString TableModel::toolTip(std::size_t row, std::size_t column) const {
  const auto& of = source_->columns[column];
  const Value value = of.value(row);
  const QString meaning = QString::fromStdString(of.meaning);
  if (value.text() != nullptr) return source_->shown(row, column).toHtmlEscaped();
  const bool size = of.kind == ColumnKind::bytes || of.kind == ColumnKind::amount;
  if (!size || value.isNone()) return meaning;
  const QString full = fullSizeText(Bytes(*value.whole()));
  return meaning.isEmpty() ? full : QStringLiteral("%1\n%2").arg(full, meaning);
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  const auto& column = source_->columns[static_cast<std::size_t>(section)];
  if (role == Qt::DisplayRole) return titleText(column.title);
  if (role == Qt::ToolTipRole) {
    const QString key = tr("In filters and files: %1").arg(QString::fromStdString(column.key));
    return column.meaning.empty()
               ? key
               : QStringLiteral("%1\n%2").arg(QString::fromStdString(column.meaning), key);
  }
  return role == Qt::TextAlignmentRole ? sideOf(column.kind) : QVariant();
}

void TableModel::sort(int column, Qt::SortOrder order) {
  wanted_.sortColumn = column;
  wanted_.descending = order == Qt::DescendingOrder;
  start();
}

}  // namespace hw
