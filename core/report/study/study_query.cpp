#include "core/report/study/study_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <numeric>

#include "core/base/csv.h"
#include "core/base/text.h"
#include "core/report/study/results.h"

namespace hw {
namespace {

using Row = std::vector<Value>;

/// The columns that tell runs apart: "model", "allocator", and the axes of the study.
Result<std::vector<std::string>> axesOf(Database& results) {
  HW_TRY(statement, results.prepare("SELECT * FROM runs LIMIT 0"));
  const std::vector<std::string> columns = statement.columns();
  if (columns.empty()) return columns;
  return std::vector(columns.begin() + 1, std::ranges::find(columns, "model_sha256"));
}

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

ColumnKind kindOf(const std::string& key) {
  const auto found = std::ranges::find(studyFigures(), key, &Column<ComparisonRow>::key);
  if (found != studyFigures().end()) return found->kind;
  return key == "seconds" ? ColumnKind::seconds : ColumnKind::text;
}

/// True if a part of a statement of SQL names the column, texts in it aside.
bool namesColumn(std::string_view sql, std::string_view column) {
  const auto isOfName = [&](std::size_t at) {
    return at < sql.size() && (std::isalnum(static_cast<unsigned char>(sql[at])) || sql[at] == '_');
  };
  bool inText = false;
  for (std::size_t at = 0; at < sql.size(); ++at) {
    inText = inText != (sql[at] == '\'');
    if (!inText && sql.substr(at).starts_with(column) && !isOfName(at - 1) &&
        !isOfName(at + column.size())) {
      return true;
    }
  }
  return false;
}

/// A statement that reads `columns` of the rows in a scope; `rest` follows its conditions.
Result<Database::Statement> ask(const ResultScope& scope, const std::string& columns,
                                const std::string& rest = "") {
  HW_TRY(rules, StudyRules::of(scope.results));
  for (const auto& figure : studyFigures()) {
    if (rules.keeps(figure.key)) continue;
    if (!namesColumn(columns + " " + scope.where, figure.key)) continue;
    return fail(ErrorCode::invalidArgument,
                fmt::format("'{}' was not recorded: the study has record = {}",
                            wordOfFigure(figure.key), rules.recordText()));
  }
  const std::string met = rules.constraints.empty() ? "" : " AND " + rules.condition();
  // The line ends a comment that the condition may end with.
  const std::string where = scope.where.empty() ? "" : " AND (" + scope.where + "\n)";
  auto statement = scope.results.prepare(
      "SELECT " + columns + " FROM runs WHERE state = 'done' AND fits = 1" + met + where + rest);
  if (!statement && !scope.where.empty()) {
    return fail(ErrorCode::invalidArgument, "where: " + statement.error().message);
  }
  return statement;
}

/// All of them.
Result<std::vector<Row>> select(const ResultScope& scope, const std::string& columns,
                                const std::string& rest = "") {
  HW_TRY(statement, ask(scope, columns, rest));
  return statement.all();
}

std::string names(const std::vector<std::string>& columns) {
  std::string text;
  for (const std::string& column : columns) text += (text.empty() ? "" : ", ") + sqlName(column);
  return text;
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

double numberOf(const Value& value) { return value.number().value_or(0); }

/// The table of whole rows of the file, by their numbers there: axes as far as they differ, and
/// figures.
Result<ResultTable> tableOf(Database& results, const std::vector<std::int64_t>& ids,
                            const std::vector<std::string>& figures) {
  HW_TRY(axes, axesOf(results));
  std::vector<std::string> keys = axes;
  keys.insert(keys.end(), figures.begin(), figures.end());
  HW_TRY(statement, results.prepare("SELECT " + names(keys) + " FROM runs WHERE rowid = ?"));
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

/// Rows, a model and its figures each, that no other of the model is as good as. They are added in
/// ascending order.
class FrontRows {
 public:
  void add(Row row) {
    if (std::ranges::any_of(row, std::mem_fn(&Value::isNone))) return;
    if (rows_.empty() || rows_.back().front() != row.front()) first_ = rows_.size();
    // Of two figures, the last row has the least of the second.
    const std::size_t from = row.size() == 3 && first_ < rows_.size() ? rows_.size() - 1 : first_;
    const auto isAsGood = [&](const Row& other) {
      for (std::size_t i = 1; i < row.size(); ++i) {
        if (numberOf(other[i]) > numberOf(row[i])) return false;
      }
      return true;
    };
    if (std::none_of(rows_.begin() + static_cast<std::ptrdiff_t>(from), rows_.end(), isAsGood)) {
      rows_.push_back(std::move(row));
    }
  }
  const std::vector<Row>& rows() const { return rows_; }

 private:
  std::vector<Row> rows_;
  std::size_t first_ = 0;  ///< Of the model.
};

/// The geometric mean of numbers above 0; the arithmetic one where some are not.
class Mean {
 public:
  void add(double number) {
    ++count_;
    sum_ += number;
    positive_ = positive_ && number > 0;
    if (positive_) logs_ += std::log(number);
  }
  std::size_t count() const { return count_; }
  double value() const {
    const auto count = static_cast<double>(count_);
    return positive_ ? std::exp(logs_ / count) : sum_ / count;
  }

 private:
  std::size_t count_ = 0;
  double sum_ = 0;
  double logs_ = 0;
  bool positive_ = true;
};

/// The comparison of rows with others that they are paired with.
struct Against {
  Mean ratio{};
  std::size_t lower = 0;
  std::size_t higher = 0;

  void add(double own, double base) {
    lower += own < base ? 1 : 0;
    higher += own > base ? 1 : 0;
    if (base > 0) ratio.add(own / base);
  }
};

/// Groups of rows, and the squares of what the logarithms of their first values are away from the
/// mean of all, as far as groups differ: of groups of equal values, all there is.
struct Groups {
  std::size_t count = 0;
  double sum = 0;
};

template <class Key>
Groups varianceBetween(const std::vector<Row>& rows, const Key& key) {
  double mean = 0;
  for (const Row& row : rows) mean += std::log(numberOf(row[0])) / static_cast<double>(rows.size());
  std::map<Value, std::pair<double, double>> groups;  // Sum and count.
  for (const Row& row : rows) {
    auto& [sum, members] = groups[key(row)];
    sum += std::log(numberOf(row[0])) - mean;
    ++members;
  }
  Groups found{.count = groups.size()};
  for (const auto& [value, group] : groups) found.sum += group.first * group.first / group.second;
  return found;
}

/// Values once each, in the order of sizes where all are such, else of texts.
void sortValues(std::vector<std::string>& values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  const bool sizes = std::ranges::all_of(values, [](const std::string& value) {
    return value.empty() || parseSize(value.substr(0, value.find("/s"))).has_value();
  });
  const auto size = [](const std::string& value) {
    return value.empty() ? Bytes(-1) : *parseSize(value.substr(0, value.find("/s")));
  };
  if (sizes) std::ranges::stable_sort(values, {}, size);
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
  std::vector<std::string> columns = {"model"};
  for (const std::string& name : figures) {
    HW_TRY(column, figureNamed(name));
    if (std::ranges::find(columns, column) != columns.end()) {
      return fail(ErrorCode::invalidArgument, "figure '" + column + "' is named twice");
    }
    columns.push_back(column);
  }
  if (columns.size() < 3) {
    return fail(ErrorCode::invalidArgument, "expected two figures or more, as in peak,latency");
  }
  HW_TRY(points, ask(scope, names(columns), " ORDER BY " + names(columns)));
  points.bind({});
  FrontRows front;
  for (;;) {
    HW_TRY(row, points.next());
    if (!row) break;
    front.add(std::move(*row));
  }
  HW_TRY(axes, axesOf(scope.results));
  std::string same;
  for (const std::string& column : columns) same += " AND " + sqlName(column) + " = ?";
  HW_TRY(first, ask(scope, "rowid", same + " ORDER BY " + names(axes) + " LIMIT 1"));
  std::vector<std::int64_t> ids;
  for (const Row& row : front.rows()) {
    first.bind(row);
    HW_TRY(id, first.next());
    if (id) ids.push_back((*id)[0].whole().value_or(0));
  }
  columns.erase(columns.begin());
  return tableOf(scope.results, ids, columns);
}

Result<std::vector<std::vector<Value>>> pointsOf(const ResultScope& scope, const std::string& first,
                                                 const std::string& second) {
  HW_TRY(a, figureNamed(first));
  HW_TRY(b, figureNamed(second));
  return select(scope, names({a, b}), " ORDER BY " + names({a, b}));
}

Result<ResultTable> pivotOf(const ResultScope& scope, const std::string& down,
                            const std::string& across, const std::string& figure) {
  HW_TRY(column, figureNamed(figure));
  HW_TRY(first, axisNamed(scope.results, down));
  HW_TRY(second, axisNamed(scope.results, across));
  HW_TRY(rows, select(scope, names({first, second, column})));
  std::map<std::pair<std::string, std::string>, Mean> cells;
  std::vector<std::string> lines;
  std::vector<std::string> heads;
  for (const Row& row : rows) {
    if (row[2].isNone()) continue;
    const auto [cell, isNew] = cells.try_emplace({row[0].exact(), row[1].exact()});
    cell->second.add(numberOf(row[2]));
    if (isNew) {
      lines.push_back(row[0].exact());
      heads.push_back(row[1].exact());
    }
  }
  sortValues(lines);
  sortValues(heads);
  const bool whole = kindOf(column) != ColumnKind::ratio && kindOf(column) != ColumnKind::excess &&
                     kindOf(column) != ColumnKind::seconds;
  ResultTable table{.columns = {{first, ColumnKind::text}}};
  for (const std::string& head : heads) {
    table.columns.push_back({*axisValue(head).text(), kindOf(column)});
  }
  for (const std::string& line : lines) {
    Row row = {axisValue(line)};
    for (const std::string& head : heads) {
      const auto cell = cells.find({line, head});
      const double mean = cell == cells.end() ? 0 : cell->second.value();
      row.push_back(cell == cells.end() ? Value()
                    : whole             ? Value(std::llround(mean))
                                        : Value(mean));
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
  HW_TRY(rows, select(scope, "rowid, " + names({"model", by, column}),
                      " ORDER BY model, " + sqlName(column) + ", " + names(axes)));
  std::map<std::string, std::map<std::string, std::int64_t>> bests;
  std::vector<std::string> values;
  for (const Row& row : rows) {
    if (row[3].isNone()) continue;
    bests[row[1].exact()].try_emplace(row[2].exact(), row[0].whole().value_or(0));
    values.push_back(row[2].exact());
  }
  sortValues(values);
  std::vector<std::int64_t> ids;
  for (const auto& [model, best] : bests) {
    for (const std::string& value : values) {
      if (const auto found = best.find(value); found != best.end()) ids.push_back(found->second);
    }
  }
  return tableOf(scope.results, ids, {column});
}

Result<ResultTable> againstBaseline(const ResultScope& scope, const std::string& axis,
                                    const std::string& value, const std::string& figure) {
  HW_TRY(column, figureNamed(figure));
  HW_TRY(by, axisNamed(scope.results, axis));
  HW_TRY(axes, axesOf(scope.results));
  std::vector<std::string> others = axes;
  std::erase(others, by);
  HW_TRY(rows, select(scope, names({by, column}) + ", " + names(others)));
  std::erase_if(rows, [](const Row& row) { return row[1].isNone(); });
  const auto placeOf = [](const Row& row) { return std::vector(row.begin() + 2, row.end()); };
  std::map<Row, double> baseline;
  for (const Row& row : rows) {
    if (row[0].exact() == value) baseline[placeOf(row)] = numberOf(row[1]);
  }
  if (baseline.empty()) {
    return fail(ErrorCode::invalidArgument,
                fmt::format("no row has {} = '{}' and {}", by, printable(value), column));
  }
  std::map<std::string, Against> sums;
  for (const Row& row : rows) {
    const auto base = baseline.find(placeOf(row));
    if (row[0].exact() == value || base == baseline.end()) continue;
    sums[row[0].exact()].add(numberOf(row[1]), base->second);
  }
  ResultTable table{.columns = {{by, ColumnKind::text},
                                {"runs", ColumnKind::count},
                                {"lower", ColumnKind::count},
                                {"higher", ColumnKind::count},
                                {"change", ColumnKind::excess}}};
  for (const auto& [name, sum] : sums) {
    if (sum.ratio.count() == 0) continue;
    table.rows.push_back({axisValue(name), sum.ratio.count(), sum.lower, sum.higher,
                          rounded(sum.ratio.value() - 1)});
  }
  std::ranges::stable_sort(table.rows, {}, [](const Row& row) { return numberOf(row[4]); });
  return table;
}

Result<ResultTable> whatMatters(const ResultScope& scope, const std::string& figure) {
  HW_TRY(column, figureNamed(figure));
  HW_TRY(axes, axesOf(scope.results));
  HW_TRY(rows, select(scope, names({column}) + ", " + names(axes)));
  std::erase_if(rows, [](const Row& row) { return numberOf(row[0]) <= 0; });
  ResultTable table{.columns = {{"axis", ColumnKind::text},
                                {"values", ColumnKind::count},
                                {"share", ColumnKind::ratio}}};
  const double all = varianceBetween(rows, [](const Row& row) { return row[0]; }).sum;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const Groups groups = varianceBetween(rows, [&](const Row& row) { return row[axis + 1]; });
    if (groups.count < 2) continue;
    table.rows.push_back({axes[axis], groups.count, all > 0 ? rounded(groups.sum / all) : 0});
  }
  std::ranges::stable_sort(table.rows, std::greater(),
                           [](const Row& row) { return numberOf(row[2]); });
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

Result<std::optional<ResultTable>> answerStudy(Database& results, const StudyQuestion& question) {
  const StudyQuestion& asked = question;
  const int questions = (asked.pareto.empty() ? 0 : 1) + (asked.pivot.empty() ? 0 : 1) +
                        (asked.bestBy.empty() ? 0 : 1) + (asked.baseline.empty() ? 0 : 1) +
                        (asked.matters ? 1 : 0) + (asked.sql.empty() ? 0 : 1);
  if (questions > 1) {
    return fail(ErrorCode::invalidArgument, "expected one question at a time");
  }
  if (questions == 0 && !asked.where.empty()) {
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
