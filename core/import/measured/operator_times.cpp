#include "core/import/measured/operator_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/csv.h"
#include "core/base/text.h"

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

/// Lines "CONV_2D took 12345 ticks (12 ms)." of tflite-micro's profiler, whatever a console puts in
/// front of them: the operators in their order.
Result<OperatorTimes> loggedTicks(std::string_view log) {
  constexpr std::string_view kTook = " took ";
  constexpr std::string_view kTicks = " ticks (";
  OperatorTimes times;
  while (!log.empty()) {
    const std::string_view line = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(line.size() + 1, log.size()));
    const std::size_t ticks = line.find(kTicks);
    if (ticks == std::string_view::npos) continue;
    const std::size_t took = line.substr(0, ticks).rfind(kTook);
    if (took == std::string_view::npos) continue;
    const std::string_view number = line.substr(0, ticks).substr(took + kTook.size());
    const auto amount = parseNumber(number);
    if (!amount || !(*amount >= 0) || *amount > MeasuredSpan::kMost) {
      return fail(ErrorCode::malformed,
                  fmt::format("'{} ticks' is no number up to 1e15", printable(number, 40)));
    }
    const std::string_view front = line.substr(0, took);
    times.profile.ops.push_back({.type = std::string(front.substr(front.find_last_of(" \t") + 1)),
                                 .index = static_cast<std::int64_t>(times.profile.ops.size())});
    times.spans.push_back({*amount, true});
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
  HW_TRY(logged, loggedTicks(bytes));
  if (!logged.spans.empty()) return std::move(logged);
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
