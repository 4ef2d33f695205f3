#include "core/report/study/study_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/text.h"
#include "core/report/study/results.h"
#include "core/report/study/study_query.h"

namespace hw {
namespace {

/// Between constraints in the file of results, which are SQL there.
constexpr std::string_view kAnd = " AND ";
constexpr std::array<std::string_view, 3> kAlwaysKept = {"status", "fits", "reason"};

/// Whole numbers as such, so that they are compared exactly.
std::optional<Value> valueOf(std::optional<double> number) {
  constexpr double kMostExact = 9e15;
  if (!number) return std::nullopt;
  const bool whole = std::abs(*number) < kMostExact && std::floor(*number) == *number;
  return whole ? Value(std::llround(*number)) : Value(*number);
}

/// "5 ms" as so many of a unit, which is worth `unit` picoseconds; so is a plain number already.
std::optional<double> timeOf(std::string_view text, double unit) {
  if (const auto plain = parseNumber(text)) return plain;
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const auto number = parseNumber(text.substr(0, digits));
  const std::string_view name = trimText(text.substr(digits));
  const auto found = std::ranges::find(kTimeUnits, name == "us" ? kTimeUnits[2] : name);
  if (!number || found == kTimeUnits.end()) return std::nullopt;
  return *number * std::pow(1000.0, found - kTimeUnits.begin()) / unit;
}

std::optional<double> ratioOf(std::string_view text) {
  const bool percent = text.ends_with('%');
  const auto number = parseNumber(trimText(text.substr(0, text.size() - (percent ? 1 : 0))));
  return number && percent ? *number / 100 : number;
}

/// A bound as it was read; without a value, what was expected.
struct Bound {
  std::optional<Value> value{};
  std::string_view expected{};
};

Bound boundOf(ColumnKind kind, std::string_view text) {
  constexpr double kPicoseconds = 1;
  constexpr double kSeconds = 1e12;
  switch (kind) {
    case ColumnKind::bytes:
    case ColumnKind::amount: {
      const auto size = parseSize(text);
      return {size ? std::optional(Value(*size)) : std::nullopt, "a size such as 512KiB"};
    }
    case ColumnKind::time:
      return {valueOf(timeOf(text, kPicoseconds)), "a time such as 5ms or 300us"};
    case ColumnKind::seconds:
      return {valueOf(timeOf(text, kSeconds)), "a time such as 300us or 2s"};
    case ColumnKind::ratio:
    case ColumnKind::excess:
      return {valueOf(ratioOf(text)), "a ratio such as 0.1 or 10%"};
    default:
      return {valueOf(parseNumber(text)), "a number"};
  }
}

/// Texts between `separator`, which is longer than one character; none in an empty text.
std::vector<std::string> partsOf(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + separator.size(), text.size()));
  }
  return parts;
}

Result<StudyRules> rulesOf(const std::vector<std::string>& constraints,
                           const std::vector<std::string>& record) {
  StudyRules rules;
  for (const std::string& name : record) {
    const bool always = std::ranges::find(kAlwaysKept, name) != kAlwaysKept.end();
    const auto figure = always ? Result<std::string>(name) : figureNamed(name);
    if (!figure) return fail(figure.error().code, "record: " + figure.error().message);
    rules.record.push_back(*figure);
  }
  for (const std::string& text : constraints) {
    auto constraint = Constraint::parse(text);
    if (!constraint) {
      return fail(constraint.error().code, "constraints: " + constraint.error().message);
    }
    if (!rules.keeps(constraint->figure)) {
      return fail(ErrorCode::invalidArgument,
                  fmt::format("constraints: '{}' is about a figure that is not recorded: name it "
                              "in record, too",
                              printable(text)));
    }
    rules.constraints.push_back(*std::move(constraint));
  }
  return rules;
}

}  // namespace

Result<std::string> figureNamed(const std::string& name) {
  std::vector<std::string> words = {"seconds"};
  if (name == words.front()) return name;
  for (const auto& figure : studyFigures()) {
    if (!isNumber(figure.kind)) continue;
    std::string word = wordOfFigure(figure.key);
    if (name == figure.key || name == word) return figure.key;
    words.push_back(std::move(word));
  }
  const auto closest = closestWord(name, words);
  return fail(ErrorCode::invalidArgument,
              fmt::format("unknown figure '{}'{}", printable(name),
                          closest ? fmt::format("; did you mean '{}'?", *closest)
                                  : fmt::format("; expected one of {}", fmt::join(words, ", "))));
}

Result<Constraint> Constraint::parse(std::string_view text) {
  constexpr std::array<std::string_view, 5> kRelations = {"<", "<=", ">", ">=", "="};
  const auto refuse = [&](const std::string& why) {
    return fail(ErrorCode::invalidArgument, fmt::format("'{}': {}", printable(text), why));
  };
  const std::size_t at = std::min(text.find_first_of("<>="), text.size());
  const std::size_t end = std::min(text.find_first_not_of("<>=", at), text.size());
  const std::string_view relation = text.substr(at, end - at);
  if (std::ranges::find(kRelations, relation) == kRelations.end()) {
    return refuse("expected a figure, one of < <= > >= = and a value, as in \"peak <= 1MiB\"");
  }
  const auto figure = figureNamed(std::string(trimText(text.substr(0, at))));
  if (!figure) return refuse(figure.error().message);
  const auto found = std::ranges::find(studyFigures(), *figure, &Column<ComparisonRow>::key);
  const ColumnKind kind = found == studyFigures().end() ? ColumnKind::seconds : found->kind;
  const Bound bound = boundOf(kind, trimText(text.substr(end)));
  if (!bound.value) return refuse(fmt::format("expected {}", bound.expected));
  return Constraint{*figure, std::string(relation), *bound.value};
}

Result<StudyRules> StudyRules::of(const Study& study) {
  return rulesOf(study.constraints, study.record);
}

Result<StudyRules> StudyRules::of(Database& results) {
  HW_TRY(rows, results.rows("SELECT (SELECT value FROM meta WHERE key = 'constraints'), "
                            "(SELECT value FROM meta WHERE key = 'record')"));
  auto rules = rulesOf(partsOf(rows[0][0].exact(), kAnd), partsOf(rows[0][1].exact(), ", "));
  if (!rules) return fail(ErrorCode::malformed, results.path() + ": " + rules.error().message);
  return rules;
}

bool StudyRules::keeps(std::string_view figure) const {
  return record.empty() || figure == "seconds" ||
         std::ranges::find(kAlwaysKept, figure) != kAlwaysKept.end() ||
         std::ranges::find(record, figure) != record.end();
}

std::string StudyRules::condition() const {
  return joinText(constraints, kAnd, [](const Constraint& each) {
    return fmt::format("{} {} {}", each.figure, each.relation, each.bound.exact());
  });
}

std::string StudyRules::recordText() const { return fmt::format("{}", fmt::join(record, ", ")); }

}  // namespace hw
