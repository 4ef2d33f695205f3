#include "core/report/study/study_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/csv.h"
#include "core/base/text.h"
#include "core/report/study/results.h"
#include "core/report/study/study_rules.h"

namespace hw {
namespace {

using Row = std::vector<Value>;

tl::unexpected<Error> unknown(std::string_view what, const std::string& name,
                              const std::vector<std::string>& known) {
  const auto closest = closestWord(name, known);
  return fail(ErrorCode::invalidArgument,
              fmt::format("unknown {} '{}'{}", what, printable(name),
                          closest ? fmt::format("; did you mean '{}'?", *closest) : ""));
}

Result<std::string> axisNamed(Database& results, const std::string& name) {
  HW_TRY(axes, axesOf(results));
  if (std::ranges::find(axes, name) != axes.end()) return name;
  return unknown("axis", name, axes);
}

/// Nine digits behind the point: what is behind them depends on the order of sums.
double rounded(double number) { return std::round(number * 1e9) / 1e9; }

/// As `cellText`, and the mean of whole numbers with its fraction.
std::string cellOf(const Value& value, ColumnKind kind) {
  const bool fraction = kind == ColumnKind::ratio || kind == ColumnKind::excess ||
                        kind == ColumnKind::seconds || kind == ColumnKind::text;
  const auto number = value.number();
  if (fraction || !number || value.whole()) return cellText(value, kind);
  return fmt::format("{:.6g}", *number);
}

/// The table of whole rows of the file, by their numbers there: axes as far as they differ, and
/// figures.
Result<ResultTable> tableOf(Database& results, const std::vector<std::int64_t>& ids,
                            const std::vector<std::string>& figures) {
  HW_TRY(axes, axesOf(results));
  std::vector<std::string> keys = axes;
  keys.insert(keys.end(), figures.begin(), figures.end());
  HW_TRY(statement, results.prepare("SELECT " + sqlNames(keys) + " FROM runs WHERE rowid = ?"));
  std::vector<Row> rows;
  for (const std::int64_t id : ids) {
    statement.bind({id});
    HW_TRY(row, statement.next());
    if (row) rows.push_back(std::move(*row));
  }
  ResultTable table;
  table.rows.resize(rows.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool differs =
        std::ranges::any_of(rows, [&](const Row& row) { return !(row[i] == rows.front()[i]); });
    if (i >= 2 && i < axes.size() && !differs) continue;
    table.columns.push_back({keys[i], kindOf(keys[i])});
    for (std::size_t at = 0; at < rows.size(); ++at) table.rows[at].push_back(rows[at][i]);
  }
  return table;
}

/// Fails where a table of two axes would have more cells than anybody reads.
Result<void> checkCells(const StudyTable& table, std::size_t down, std::size_t across) {
  constexpr std::size_t kMost = 10'000'000;
  if (table.axes[down].values.size() <=
      kMost / std::max<std::size_t>(table.axes[across].values.size(), 1))
    return {};
  return fail(ErrorCode::unsupported,
              fmt::format("a table of {} over {} would have more than {} cells",
                          table.axes[down].name, table.axes[across].name, groupDigits(kMost)));
}

/// A value of an axis in an answer.
Value axisValue(const std::string& value) { return value.empty() ? "default" : value; }

}  // namespace

std::string wordOfFigure(std::string_view key) {
  for (const std::string_view unit : {"_ps", "_pj", "_bytes"}) {
    if (key.ends_with(unit)) key.remove_suffix(unit.size());
  }
  return std::string(key);
}

std::string figureTitle(const std::string& key) {
  const auto found = std::ranges::find(studyFigures(), key, &Column<ComparisonRow>::key);
  return found == studyFigures().end() ? key : found->title;
}

ColumnKind kindOf(const std::string& key) {
  const auto found = std::ranges::find(studyFigures(), key, &Column<ComparisonRow>::key);
  if (found != studyFigures().end()) return found->kind;
  return key == "seconds" ? ColumnKind::seconds : ColumnKind::text;
}

std::string ResultTable::text(const TextOptions& options) const {
  std::vector<TextTable::Column> heads;
  for (const Column& column : columns) {
    heads.push_back(
        {column.key, isNumber(column.kind) ? TextTable::Align::right : TextTable::Align::left});
  }
  TextTable table(std::move(heads));
  for (const Row& row : firstOf(rows, options.rows)) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < row.size(); ++i) cells.push_back(cellOf(row[i], columns[i].kind));
    table.add(std::move(cells));
  }
  std::string text = table.folded(options.paint, options.width, 1);
  if (rows.size() > options.rows) {
    text += fmt::format("  and {} more\n", countText(rows.size() - options.rows, "row"));
  }
  return text;
}

std::string ResultTable::csv() const {
  std::vector<std::string> fields;
  for (const Column& column : columns) fields.push_back(column.key);
  std::string text = csvLine(fields);
  for (const Row& row : rows) {
    fields.clear();
    for (const Value& value : row) fields.push_back(value.exact());
    text += csvLine(fields);
  }
  return text;
}

Json ResultTable::json() const {
  Json list = Json::array();
  for (const Row& row : rows) {
    Json object = Json::object();
    for (std::size_t i = 0; i < row.size(); ++i) object[columns[i].key] = row[i].json();
    list.push_back(std::move(object));
  }
  return list;
}

std::string ResultTable::jsonLines() const {
  std::string text;
  for (const Json& object : json()) text += jsonLine(object) + "\n";
  return text;
}

std::string ResultTable::markdown() const {
  std::string text = "|";
  for (const Column& column : columns) text += " " + column.key + " |";
  text += "\n|";
  for (const Column& column : columns) text += isNumber(column.kind) ? "-:|" : "-|";
  for (const Row& row : rows) {
    text += "\n|";
    for (std::size_t i = 0; i < row.size(); ++i) {
      std::string cell = cellOf(row[i], columns[i].kind);
      for (std::size_t at = 0; (at = cell.find('|', at)) != std::string::npos; at += 2) {
        cell.insert(at, "\\");
      }
      text += " " + cell + " |";
    }
  }
  return text + "\n";
}

Result<ResultTable> paretoOf(const ResultScope& scope, const std::vector<std::string>& figures) {
  std::vector<std::string> columns;
  for (const std::string& name : figures) {
    HW_TRY(column, figureNamed(name));
    if (std::ranges::find(columns, column) != columns.end()) {
      return fail(ErrorCode::invalidArgument, "figure '" + column + "' is named twice");
    }
    columns.push_back(column);
  }
  if (columns.size() < 2) {
    return fail(ErrorCode::invalidArgument, "expected two figures or more, as in peak,latency");
  }
  HW_TRY(table, readTable(scope, {"model"}, columns, " ORDER BY model, " + sqlNames(columns)));
  std::vector<std::size_t> places(columns.size());
  std::iota(places.begin(), places.end(), 0);
  HW_TRY(axes, axesOf(scope.results));
  std::vector<std::string> same = columns;
  same.emplace_back("model");
  HW_TRY(first, ask(scope, "rowid",
                    fmt::format(" AND ({0}) = (SELECT {0} FROM runs WHERE rowid = ?) ORDER BY {1} "
                                "LIMIT 1",
                                sqlNames(same), sqlNames(axes))));
  std::vector<std::int64_t> ids;
  for (const std::uint32_t row : frontOf(table, table.all(), 0, places)) {
    first.bind({table.ids[row]});
    HW_TRY(id, first.next());
    if (id) ids.push_back((*id)[0].whole().value_or(0));
  }
  return tableOf(scope.results, ids, columns);
}

Result<ResultTable> pivotOf(const ResultScope& scope, const std::string& down,
                            const std::string& across, const std::string& figure) {
  HW_TRY(column, figureNamed(figure));
  HW_TRY(first, axisNamed(scope.results, down));
  HW_TRY(second, axisNamed(scope.results, across));
  HW_TRY(read, readTable(scope, {first, second}, {column}));
  HW_DO(checkCells(read, 0, 1));
  const StudyPivot cells = pivot(read, read.all(), 0, 1, 0);
  std::vector<std::size_t> heads;
  for (std::size_t i = 0; i < cells.across; ++i) {
    if (cells.isKnown({}, i)) heads.push_back(i);
  }
  const ColumnKind kind = kindOf(column);
  const bool whole =
      kind != ColumnKind::ratio && kind != ColumnKind::excess && kind != ColumnKind::seconds;
  ResultTable table{.columns = {{first, ColumnKind::text}}};
  for (const std::size_t head : heads) {
    table.columns.push_back({*axisValue(read.axes[1].values[head]).text(), kind});
  }
  for (std::size_t line = 0; line < read.axes[0].values.size(); ++line) {
    if (!cells.isKnown(line, {})) continue;
    Row row = {axisValue(read.axes[0].values[line])};
    for (const std::size_t head : heads) {
      const Mean& mean = cells.at(line, head).mean;
      row.push_back(mean.count() == 0 ? Value()
                    : whole           ? Value(std::llround(mean.value()))
                                      : Value(mean.value()));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Result<ResultTable> bestBy(const ResultScope& scope, const std::string& axis,
                           const std::string& figure) {
  HW_TRY(column, figureNamed(figure));
  HW_TRY(by, axisNamed(scope.results, axis));
  HW_TRY(axes, axesOf(scope.results));
  HW_TRY(read, readTable(scope, axes, {column}, " ORDER BY " + sqlNames(axes)));
  HW_DO(checkCells(read, read.axis("model"), read.axis(by)));
  const StudyPivot cells = pivot(read, read.all(), read.axis("model"), read.axis(by), 0);
  std::vector<std::int64_t> ids;
  for (const StudyPivot::Cell& cell : cells.cells) {
    if (cell.mean.count() > 0) ids.push_back(read.ids[cell.best]);
  }
  return tableOf(scope.results, ids, {column});
}

Result<ResultTable> againstBaseline(const ResultScope& scope, const std::string& axis,
                                    const std::string& value, const std::string& figure) {
  HW_TRY(column, figureNamed(figure));
  HW_TRY(by, axisNamed(scope.results, axis));
  HW_TRY(axes, axesOf(scope.results));
  HW_TRY(read, readTable(scope, axes, {column}));
  const std::vector<std::string>& values = read.axes[read.axis(by)].values;
  const auto base = static_cast<std::size_t>(std::ranges::find(values, value) - values.begin());
  const std::vector<PairedRuns> pairs = pairsWith(read, read.axis(by), base, 0);
  if (pairs.empty()) {
    return fail(ErrorCode::invalidArgument,
                fmt::format("no row has {} = '{}' and {}", by, printable(value), column));
  }
  ResultTable table{.columns = {{by, ColumnKind::text},
                                {"runs", ColumnKind::count},
                                {"lower", ColumnKind::count},
                                {"higher", ColumnKind::count},
                                {"change", ColumnKind::excess}}};
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const PairedRuns& each = pairs[i];
    if (each.ratio.count() == 0) continue;
    table.rows.push_back({axisValue(values[i]), each.ratio.count(), each.lower, each.higher,
                          rounded(each.ratio.value() - 1)});
  }
  std::ranges::stable_sort(table.rows, {},
                           [](const Row& row) { return row[4].number().value_or(0); });
  return table;
}

Result<ResultTable> whatMatters(const ResultScope& scope, const std::string& figure) {
  HW_TRY(column, figureNamed(figure));
  HW_TRY(axes, axesOf(scope.results));
  HW_TRY(read, readTable(scope, axes, {column}));
  ResultTable table{.columns = {{"axis", ColumnKind::text},
                                {"values", ColumnKind::count},
                                {"share", ColumnKind::ratio}}};
  for (const AxisShare& share : sharesOf(read, read.all(), 0)) {
    table.rows.push_back({axes[share.axis], share.values, rounded(share.share)});
  }
  return table;
}

Result<ResultTable> answerSql(Database& results, const std::string& statement) {
  HW_TRY(prepared, results.prepare(statement));
  if (!prepared.onlyReads()) {
    return fail(ErrorCode::invalidArgument, "expected a statement that only reads, such as SELECT");
  }
  ResultTable table;
  for (const std::string& name : prepared.columns()) table.columns.push_back({name, kindOf(name)});
  HW_TRY(rows, prepared.all());
  table.rows = std::move(rows);
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const auto isText = [&](const Row& row) { return row[i].text() != nullptr; };
    const bool numbers = !table.rows.empty() && std::ranges::none_of(table.rows, isText);
    if (table.columns[i].kind == ColumnKind::text && numbers) {
      table.columns[i].kind = ColumnKind::count;
    } else if (!numbers) {
      table.columns[i].kind = ColumnKind::text;
    }
  }
  return table;
}

int StudyQuestion::count() const {
  int count = matters ? 1 : 0;
  for (const std::string* each : {&pareto, &pivot, &bestBy, &baseline, &sql}) {
    count += each->empty() ? 0 : 1;
  }
  return count;
}

Result<std::optional<ResultTable>> answerStudy(Database& results, const StudyQuestion& question) {
  const StudyQuestion& asked = question;
  if (asked.count() > 1) return fail(ErrorCode::invalidArgument, "expected one question at a time");
  if (asked.count() == 0 && !asked.where.empty()) {
    return fail(ErrorCode::invalidArgument, "where: expected a question, such as a Pareto front");
  }
  const ResultScope scope{results, asked.where};
  const auto split = [](const std::string& text, char separator) {
    const std::size_t at = std::min(text.find(separator), text.size());
    return std::pair(text.substr(0, at), text.substr(std::min(at + 1, text.size())));
  };
  if (!asked.pareto.empty()) {
    std::vector<std::string> figures;
    for (const auto name : splitText(asked.pareto, ',')) figures.emplace_back(trimText(name));
    return paretoOf(scope, figures);
  }
  if (!asked.pivot.empty()) {
    const auto [down, across] = split(asked.pivot, ',');
    return pivotOf(scope, down, across, asked.figure);
  }
  if (!asked.bestBy.empty()) return bestBy(scope, asked.bestBy, asked.figure);
  if (!asked.baseline.empty()) {
    const auto [axis, value] = split(asked.baseline, '=');
    return againstBaseline(scope, axis, value, asked.figure);
  }
  if (asked.matters) return whatMatters(scope, asked.figure);
  if (!asked.sql.empty()) return answerSql(results, asked.sql);
  return std::nullopt;
}

}  // namespace hw
