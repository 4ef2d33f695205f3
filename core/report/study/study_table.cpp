#include "core/report/study/study_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "core/base/check.h"
#include "core/base/text.h"
#include "core/report/study/results.h"
#include "core/report/study/study_query.h"
#include "core/report/study/study_rules.h"

namespace hw {
namespace {

/// Sorts values: the default, sizes and rates from small to large, and then words.
void sortValues(std::vector<std::string>& values) {
  const auto place = [](const std::string& value) {
    const auto size = parseSize(value.substr(0, value.find("/s")));
    return std::tuple(value.empty() ? 0 : size ? 1 : 2, size.value_or(Bytes()), value);
  };
  std::ranges::sort(values, {}, place);
}

/// 53 days in picoseconds.
constexpr double kMostNumber = 4.6e18;

/// An axis while its rows are read.
class Coder {
 public:
  explicit Coder(StudyTable::Axis& axis) : axis_(axis) {}

  void add(const Value& value) {
    const std::string* text = value.text();
    const auto [known, isNew] = codes_.try_emplace(text != nullptr ? *text : value.exact(),
                                                   static_cast<std::uint32_t>(codes_.size()));
    if (isNew) axis_.values.push_back(known->first);
    axis_.codes.push_back(known->second);
  }
  void finish() {
    sortValues(axis_.values);
    std::vector<std::uint32_t> sorted(codes_.size());
    for (std::uint32_t i = 0; i < axis_.values.size(); ++i) sorted[codes_[axis_.values[i]]] = i;
    for (std::uint32_t& code : axis_.codes) code = sorted[code];
  }

 private:
  StudyTable::Axis& axis_;
  std::unordered_map<std::string, std::uint32_t> codes_;
};

/// True if a part of a statement of SQL names the column, texts in it aside.
bool namesColumn(std::string_view sql, std::string_view column) {
  const auto isOfName = [&](std::size_t at) {
    return at < sql.size() && (std::isalnum(static_cast<unsigned char>(sql[at])) || sql[at] == '_');
  };
  bool inText = false;
  for (std::size_t at = 0; at < sql.size(); ++at) {
    inText = inText != (sql[at] == '\'');
    const auto isSame = [](char a, char b) {
      return std::tolower(static_cast<unsigned char>(a)) == b;
    };
    if (!inText && std::ranges::equal(sql.substr(at, column.size()), column, isSame) &&
        !isOfName(at - 1) && !isOfName(at + column.size())) {
      return true;
    }
  }
  return false;
}

}  // namespace

Result<std::vector<std::string>> axesOf(Database& results) {
  HW_TRY(statement, results.prepare("SELECT * FROM runs LIMIT 0"));
  const std::vector<std::string> columns = statement.columns();
  const auto end = std::ranges::find(columns, "model_sha256");
  const bool known = columns.size() > 3 && columns[1] == "model" && columns[2] == "allocator";
  if (!known || end == columns.end() || end < columns.begin() + 3) {
    return fail(ErrorCode::malformed,
                results.path() + ": the columns of its runs are not those of results");
  }
  return std::vector(columns.begin() + 1, end);
}

Result<Database::Statement> ask(const ResultScope& scope, const std::string& columns,
                                const std::string& rest) {
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

StudyRows StudyTable::all() const {
  StudyRows rows(size());
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

std::size_t StudyTable::axis(std::string_view name) const {
  const auto found = std::ranges::find(axes, name, &Axis::name);
  check(found != axes.end(), "an axis that was read");
  return static_cast<std::size_t>(found - axes.begin());
}

std::size_t StudyTable::figure(std::string_view key) const {
  const auto found = std::ranges::find(figures, key, &Figure::key);
  check(found != figures.end(), "a figure that was read");
  return static_cast<std::size_t>(found - figures.begin());
}

Result<StudyTable> readTable(const ResultScope& scope, const std::vector<std::string>& axes,
                             const std::vector<std::string>& figures, const std::string& rest) {
  std::vector<std::string> columns = axes;
  columns.insert(columns.end(), figures.begin(), figures.end());
  HW_TRY(statement, ask(scope, "rowid, " + sqlNames(columns), rest));
  StudyTable table;
  for (const std::string& name : axes) table.axes.push_back({name});
  for (const std::string& key : figures) table.figures.push_back({key});
  std::vector<Coder> coders(table.axes.begin(), table.axes.end());
  statement.bind({});
  for (;;) {
    HW_TRY(row, statement.next());
    if (!row) break;
    auto value = row->begin();
    table.ids.push_back(value++->whole().value_or(0));
    for (Coder& coder : coders) coder.add(*value++);
    for (StudyTable::Figure& figure : table.figures) {
      // Numbers that no run comes to are as good as none.
      const auto number = value++->number();
      const bool sound = number && std::abs(*number) < kMostNumber;
      figure.numbers.push_back(sound ? *number : std::numeric_limits<double>::quiet_NaN());
    }
  }
  for (Coder& coder : coders) coder.finish();
  return table;
}

StudyRows rowsOf(const StudyTable& table, const StudyFilter& filter) {
  StudyRows rows = table.all();
  for (std::size_t axis = 0; axis < filter.size(); ++axis) {
    if (std::ranges::find(filter[axis], true) == filter[axis].end()) continue;
    const auto& codes = table.axes[axis].codes;
    std::erase_if(rows, [&](std::uint32_t row) { return !filter[axis][codes[row]]; });
  }
  return rows;
}

StudyRows frontOf(const StudyTable& table, StudyRows rows, std::size_t by,
                  const std::vector<std::size_t>& figures) {
  const auto& group = table.axes[by].codes;
  const auto number = [&](std::size_t figure, std::uint32_t row) {
    return table.figures[figure].numbers[row];
  };
  std::erase_if(rows, [&](std::uint32_t row) {
    return std::ranges::any_of(figures,
                               [&](std::size_t each) { return std::isnan(number(each, row)); });
  });
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    if (group[a] != group[b]) return group[a] < group[b];
    for (const std::size_t each : figures) {
      if (number(each, a) != number(each, b)) return number(each, a) < number(each, b);
    }
    return a < b;
  };
  if (!std::ranges::is_sorted(rows, before)) std::ranges::sort(rows, before);
  StudyRows front;
  std::size_t first = 0;  // Of the group.
  for (const std::uint32_t row : rows) {
    if (front.empty() || group[front.back()] != group[row]) first = front.size();
    // Of two figures, the last row has the least of the second.
    const std::size_t from = figures.size() == 2 && first < front.size() ? front.size() - 1 : first;
    const auto isAsGood = [&](std::uint32_t other) {
      return std::ranges::all_of(
          figures, [&](std::size_t each) { return number(each, other) <= number(each, row); });
    };
    if (std::none_of(front.begin() + static_cast<std::ptrdiff_t>(from), front.end(), isAsGood)) {
      front.push_back(row);
    }
  }
  return front;
}

StudyPivot pivot(const StudyTable& table, const StudyRows& rows, std::size_t down,
                 std::size_t across, std::size_t figure) {
  const auto& lines = table.axes[down];
  const auto& columns = table.axes[across];
  StudyPivot made{.across = columns.values.size()};
  made.cells.resize(lines.values.size() * made.across);
  for (const std::uint32_t row : rows) {
    const double number = table.figures[figure].numbers[row];
    if (std::isnan(number)) continue;
    StudyPivot::Cell& cell = made.cells[lines.codes[row] * made.across + columns.codes[row]];
    cell.mean.add(number);
    if (number >= cell.least) continue;
    cell.least = number;
    cell.best = row;
  }
  return made;
}

bool StudyPivot::isKnown(std::optional<std::size_t> line, std::optional<std::size_t> column) const {
  const std::size_t end = line ? (*line + 1) * across : cells.size();
  for (std::size_t i = line.value_or(0) * across + column.value_or(0); i < end;
       i += column ? across : 1) {
    if (cells[i].mean.count() > 0) return true;
  }
  return false;
}

std::vector<PairedRuns> pairsWith(const StudyTable& table, std::size_t axis, std::size_t base,
                                  std::size_t figure) {
  const StudyTable::Axis& own = table.axes[axis];
  const std::vector<double>& numbers = table.figures[figure].numbers;
  const auto placeOf = [&](std::uint32_t row) {
    std::vector<std::uint32_t> place;
    for (const StudyTable::Axis& each : table.axes) {
      if (&each != &own) place.push_back(each.codes[row]);
    }
    return place;
  };
  std::map<std::vector<std::uint32_t>, double> bases;
  for (const std::uint32_t row : table.all()) {
    if (own.codes[row] == base && !std::isnan(numbers[row])) bases[placeOf(row)] = numbers[row];
  }
  if (bases.empty()) return {};
  std::vector<PairedRuns> pairs(own.values.size());
  for (const std::uint32_t row : table.all()) {
    if (own.codes[row] == base || std::isnan(numbers[row])) continue;
    const auto found = bases.find(placeOf(row));
    if (found == bases.end()) continue;
    PairedRuns& pair = pairs[own.codes[row]];
    pair.lower += numbers[row] < found->second ? 1 : 0;
    pair.higher += numbers[row] > found->second ? 1 : 0;
    if (found->second > 0) pair.ratio.add(numbers[row] / found->second);
  }
  return pairs;
}

std::vector<AxisShare> sharesOf(const StudyTable& table, const StudyRows& rows,
                                std::size_t figure) {
  const auto& numbers = table.figures[figure].numbers;
  StudyRows counted;
  std::vector<double> logs;  // Of each of these, away from the mean.
  for (const std::uint32_t row : rows) {
    if (!(numbers[row] > 0)) continue;
    counted.push_back(row);
    logs.push_back(std::log(numbers[row]));
  }
  const double mean =
      std::accumulate(logs.begin(), logs.end(), 0.0) / static_cast<double>(logs.size());
  double all = 0;
  for (double& each : logs) {
    each -= mean;
    all += each * each;
  }
  std::vector<AxisShare> shares;
  for (std::size_t axis = 0; axis < table.axes.size(); ++axis) {
    std::vector<std::pair<double, double>> groups(table.axes[axis].values.size());
    for (std::size_t i = 0; i < counted.size(); ++i) {
      auto& [sum, count] = groups[table.axes[axis].codes[counted[i]]];
      sum += logs[i];
      ++count;
    }
    AxisShare share{.axis = axis};
    double between = 0;
    for (const auto& [sum, count] : groups) {
      if (count == 0) continue;
      ++share.values;
      between += sum * sum / count;
    }
    if (share.values < 2) continue;
    share.share = all > 0 ? between / all : 0;
    shares.push_back(share);
  }
  std::ranges::stable_sort(shares, std::greater(), &AxisShare::share);
  return shares;
}

}  // namespace hw
