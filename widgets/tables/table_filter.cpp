#include "widgets/tables/table_filter.h"

#include <QRegularExpression>
#include <QStringList>
#include <algorithm>

#include "core/base/text.h"
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

}  // namespace hw
