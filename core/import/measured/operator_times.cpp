#include "core/import/measured/operator_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/csv.h"
#include "core/base/text.h"
#include "core/import/measured/executorch.h"

namespace hw {
namespace {

enum TimesField : std::size_t {
  kTimesOperator,
  kTimesCycles,
  kTimesMicros,
  kTimesType,
  kTimesColumns
};
constexpr std::array<std::string_view, kTimesColumns> kTimesNames = {"operator", "cycles", "us",
                                                                     "type"};
constexpr std::string_view kTotal = "total";

CsvLayout timesLayout() {
  return {.names = kTimesNames,
          .required = {kTimesOperator},
          .expected = "operator,cycles or operator,us",
          .row = "operator",
          .others = {{"op", "operator"},
                     {"duration_us", "us"},
                     {"Event", "operator"},
                     {"Tag", "type"},
                     {"Ticks", "cycles"}}};
}

Result<void> addTime(const CsvTable& row, std::size_t column, OperatorTimes& times) {
  const std::string_view text = row.field(column);
  if (text.empty()) return {};
  const auto amount = parseNumber(text);
  if (!amount || *amount > MeasuredSpan::kMost) {
    return row.refuse(fmt::format("has {} '{}', which is no number up to 1e15", kTimesNames[column],
                                  printable(text, 40)));
  }
  const MeasuredSpan span{*amount, column == kTimesCycles};
  const std::string_view name = row.field(kTimesOperator);
  if (name == kTotal) {
    times.total = span;
    return {};
  }
  times.spans.push_back(span);
  times.profile.ops.push_back({.name = std::string(name),
                               .type = std::string(row.field(kTimesType)),
                               .index = parseInteger(name)});
  return {};
}

Result<double> measuredNumber(std::string_view text, std::string_view unit) {
  const auto amount = parseNumber(text);
  if (amount && *amount >= 0 && *amount <= MeasuredSpan::kMost) return *amount;
  return fail(ErrorCode::malformed,
              fmt::format("'{} {}' is no number up to 1e15", printable(text, 40), unit));
}

/// The words of a line, between blanks.
std::vector<std::string_view> wordsOf(std::string_view line) {
  std::vector<std::string_view> words;
  constexpr std::string_view kBlanks = " \t\r";
  for (std::size_t at = line.find_first_not_of(kBlanks); at != std::string_view::npos;
       at = line.find_first_not_of(kBlanks, at)) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

/// Milliseconds of the nodes of the last such table of ST's tools, "c_id m_id type dur (ms) % ...":
/// the first word with a point behind the numbers of the node and of its operator in the model. A
/// table ends with an empty line. Nodes of one operator are one.
Result<OperatorTimes> nodesOfSt(std::string_view report) {
  std::map<std::int64_t, double> operators;
  bool inTable = false;
  for (const std::string_view line : splitText(report, '\n')) {
    const auto words = wordsOf(line);
    if (words.empty()) inTable = false;
    if (words.size() < 3) continue;
    if (words[0] == "c_id" && words[1] == "m_id") {
      const auto isTime = [](std::string_view word) { return word == "ms" || word == "(ms)"; };
      inTable = std::ranges::any_of(words, isTime);
      if (inTable) operators.clear();
    }
    const auto op = parseInteger(words[1]);
    if (!inTable || !parseInteger(words[0]) || !op || *op < 0) continue;
    const auto time = std::ranges::find_if(words.begin() + 2, words.end(), [](auto word) {
      return word.find('.') != std::string_view::npos && parseNumber(word);
    });
    if (time == words.end()) continue;
    HW_TRY(milliseconds, measuredNumber(*time, "ms"));
    operators[*op] = std::min(operators[*op] + 1e3 * milliseconds, MeasuredSpan::kMost);
  }
  OperatorTimes times;
  for (const auto& [op, micros] : operators) {
    times.profile.ops.push_back({.name = std::to_string(op), .index = op});
    times.spans.push_back({micros, false});
  }
  return times;
}

/// "Median throughput is 4.407 inf./sec." of the runner of MLPerf Tiny; nothing without it.
Result<std::optional<MeasuredSpan>> throughputOfMlperf(std::string_view report) {
  constexpr std::string_view kMedian = "Median throughput is ";
  const std::size_t at = report.rfind(kMedian);
  if (at == std::string_view::npos) return std::nullopt;
  const auto words = wordsOf(report.substr(at + kMedian.size(), 80));
  HW_TRY(rate, measuredNumber(words.empty() ? "" : words[0], "inf./sec."));
  const double micros = 1e6 / rate;
  if (!(micros <= MeasuredSpan::kMost) || micros < MeasuredSpan::kLeast) {
    return fail(ErrorCode::malformed, fmt::format("'{} inf./sec.' is no rate from 1e-9 to 1e12",
                                                  printable(words[0], 40)));
  }
  return MeasuredSpan{micros, false};
}

/// Lines "CONV_2D took 12345 ticks (12 ms)." of tflite-micro's profiler, whatever a console puts in
/// front of them: the operators in their order.
Result<OperatorTimes> loggedTicks(std::string_view log) {
  constexpr std::string_view kTook = " took ";
  constexpr std::string_view kTicks = " ticks (";
  OperatorTimes times;
  for (const std::string_view line : splitText(log, '\n')) {
    const std::size_t ticks = line.find(kTicks);
    if (ticks == std::string_view::npos) continue;
    const std::size_t took = line.substr(0, ticks).rfind(kTook);
    if (took == std::string_view::npos) continue;
    const std::string_view number = line.substr(0, ticks).substr(took + kTook.size());
    HW_TRY(amount, measuredNumber(number, "ticks"));
    const std::string_view front = line.substr(0, took);
    times.profile.ops.push_back({.type = std::string(front.substr(front.find_last_of(" \t") + 1)),
                                 .index = static_cast<std::int64_t>(times.profile.ops.size())});
    times.spans.push_back({amount, true});
  }
  return times;
}

}  // namespace

std::optional<Result<OperatorTimes>> parseTotalTime(std::string_view text) {
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"inf/s", 0}, {"cycles", 1}, {"s", 1e6}, {"ms", 1e3}, {"us", 1}};
  const std::size_t equals = text.find('=');
  if (text.substr(0, equals) != kTotal || equals == std::string_view::npos) return std::nullopt;
  const std::string_view value = trimText(text.substr(equals + 1));
  const std::size_t digits = std::min(value.find_first_not_of("0123456789.eE+-"), value.size());
  const auto number = parseNumber(value.substr(0, digits));
  const auto unit = std::ranges::find(kUnits, trimText(value.substr(digits)),
                                      &std::pair<std::string_view, double>::first);
  const bool known = number && unit != std::end(kUnits);
  const double amount = !known ? 0 : unit->second > 0 ? *number * unit->second : 1e6 / *number;
  if (!(amount >= MeasuredSpan::kLeast) || amount > MeasuredSpan::kMost) {
    return fail(ErrorCode::invalidArgument,
                fmt::format("total: '{}' is no time above 0 such as 145.8 inf/s, 6.86 ms, 6860 us "
                            "or 823045 cycles",
                            printable(value, 40)));
  }
  return OperatorTimes{.total = MeasuredSpan{amount, unit->first == "cycles"}};
}

Result<OperatorTimes> readOperatorTimes(std::string_view bytes) {
  OperatorTimes times;
  if (looksLikeOperatorProfile(bytes)) {
    HW_TRY(profile, readOperatorProfile(bytes));
    times.profile = std::move(profile);
    for (const MeasuredOperator& op : times.profile.ops) {
      times.spans.push_back({static_cast<double>(op.micros), false});
    }
    return times;
  }
  HW_TRY(inspected, readInspectorTable(bytes));
  if (inspected && !inspected->spans.empty()) return *std::move(inspected);
  for (const auto read : {loggedTicks, nodesOfSt}) {
    HW_TRY(found, read(bytes));
    if (!found.spans.empty()) return std::move(found);
  }
  HW_TRY(whole, throughputOfMlperf(bytes));
  if (whole) return OperatorTimes{.total = whole};
  CsvTable table(bytes, timesLayout());
  HW_TRY(hasHeader, table.readHeader());
  if (!hasHeader) return fail(ErrorCode::malformed, "the file has no header", "line 1");
  if (table.has(kTimesCycles) == table.has(kTimesMicros)) {
    return fail(ErrorCode::malformed, "expected operator,cycles or operator,us", "line 1");
  }
  const std::size_t column = table.has(kTimesCycles) ? kTimesCycles : kTimesMicros;
  while (true) {
    HW_TRY(any, table.next());
    if (!any) break;
    HW_DO(addTime(table, column, times));
  }
  if (!times.spans.empty()) times.total.reset();
  if (times.spans.empty() && !times.total) {
    return fail(ErrorCode::malformed, "no operator has a time", "line 1");
  }
  return times;
}

}  // namespace hw
