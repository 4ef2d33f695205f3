#include "core/report/study/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/report/compare/compare_report.h"

namespace hw {
namespace {

constexpr std::string_view kHeldFormat = "highwater-baseline";

/// The columns of figures that are whole numbers: bytes, times, energy.
const Columns<RunFigures>& heldColumns() {
  static const Columns<RunFigures> kHeld =
      pick(figureColumns(), {"peak", "peak_l2", "peak_l3", "spilled_bytes", "latency_ps",
                             "reuse_waits_ps", "energy_pj", "moved_bytes"});
  return kHeld;
}

ColumnKind heldKind(const std::string& figure) {
  const auto found = std::ranges::find(heldColumns(), figure, &Column<RunFigures>::key);
  return found == heldColumns().end() ? ColumnKind::count : found->kind;
}

std::string valueText(const std::string& figure, std::int64_t number) {
  const ColumnKind kind = heldKind(figure);
  if (kind == ColumnKind::time) return formatTime(SimTime(number));
  return groupDigits(number) + (kind == ColumnKind::count ? "" : " B");
}

}  // namespace

Result<Baseline> parseBaseline(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  const auto bad = [](const std::string& what) {
    return fail(ErrorCode::malformed, "no baseline: " + what);
  };
  if (!json.is_object() || !json.contains("format") || json["format"] != kHeldFormat) {
    return bad(R"(expected {"format": "highwater-baseline", ...})");
  }
  if (!json.contains("version") || json["version"] != 1) return bad("its version is not 1");
  if (!json.contains("runs") || !json["runs"].is_object()) return bad("expected 'runs'");
  Baseline baseline;
  for (const auto& [run, figures] : json["runs"].items()) {
    if (!figures.is_object()) return bad("'" + printable(run) + "' has no figures");
    auto& kept = baseline[run];
    for (const auto& [figure, number] : figures.items()) {
      if (!number.is_number_integer()) {
        return bad(
            fmt::format("'{}' of '{}' is no whole number", printable(figure), printable(run)));
      }
      kept[figure] = number.get<std::int64_t>();
    }
  }
  return baseline;
}

std::string baselineText(const Baseline& baseline) {
  std::string text =
      fmt::format("{{\n  \"format\": \"{}\",\n  \"version\": 1,\n  \"runs\": {{", kHeldFormat);
  std::string_view before;
  for (const auto& [run, figures] : baseline) {
    text += fmt::format("{}\n    {}: {}", before, jsonLine(Json(run)), jsonLine(Json(figures)));
    before = ",";
  }
  return text + "\n  }\n}\n";
}

std::map<std::string, std::int64_t> baselineFigures(const RunFigures& figures) {
  std::map<std::string, std::int64_t> held;
  for (const auto& column : heldColumns()) {
    if (const auto number = column.value(figures).whole()) held[column.key] = *number;
  }
  return held;
}

Result<std::vector<Allowance>> parseAllowances(std::string_view text) {
  std::vector<Allowance> allowances;
  for (const std::string_view part : splitText(text, ',')) {
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string name(trimText(part.substr(0, equals)));
    const auto column = std::ranges::find_if(heldColumns(), [&](const auto& each) {
      return name == each.key || name == wordOfFigure(each.key);
    });
    if (column == heldColumns().end()) {
      std::vector<std::string> words;
      for (const auto& each : heldColumns()) words.push_back(wordOfFigure(each.key));
      return fail(ErrorCode::invalidArgument, fmt::format("unknown figure '{}'; expected {}",
                                                          printable(name), fmt::join(words, ", ")));
    }
    const std::string more(trimText(part.substr(std::min(equals + 1, part.size()))));
    Allowance allowance{.figure = column->key, .text = more};
    const bool isShare = more.ends_with('%');
    const std::string_view number = std::string_view(more).substr(
        more.starts_with('+') ? 1 : 0,
        more.size() - (isShare ? 1 : 0) - (more.starts_with('+') ? 1 : 0));
    const auto share = isShare ? parseNumber(trimText(number)) : std::nullopt;
    const auto size = isShare ? Result<Bytes>(Bytes()) : parseSize(number);
    if (equals == part.size() || !size || (isShare && (!share || *share < 0))) {
      return fail(ErrorCode::invalidArgument,
                  fmt::format("'{}' is no allowance: expected {}=+0, {}=+2% or a number with its "
                              "unit",
                              printable(part), name, name));
    }
    allowance.more = size->count();
    allowance.share = share.value_or(0) / 100;
    allowances.push_back(std::move(allowance));
  }
  return allowances;
}

std::string HeldFigure::sentence() const {
  const std::string name = wordOfFigure(figure);
  if (!before) return fmt::format("{} is not in the baseline; --update adds it", name);
  const std::string was = valueText(figure, *before);
  if (!now) return fmt::format("{} was {} and is not known any more", name, was);
  const std::string is = valueText(figure, *now);
  if (*now == *before) return fmt::format("{} is {} as before", name, is);
  const double ratio = static_cast<double>(*now) / static_cast<double>(*before);
  // Without its sign, which the verb has.
  const std::string share =
      *before == 0 ? "" : fmt::format(", by {:.1f} %", 100 * std::abs(ratio - 1));
  if (*now < *before) return fmt::format("{} fell from {} to {}{}", name, was, is, share);
  return fmt::format("{} grew from {} to {}{}; {} is allowed", name, was, is, share, allowed);
}

std::vector<HeldFigure> holdAgainst(const std::map<std::string, std::int64_t>& before,
                                    const std::map<std::string, std::int64_t>& now,
                                    const std::vector<Allowance>& allowances) {
  std::vector<HeldFigure> held;
  for (const Allowance& allowance : allowances) {
    HeldFigure figure{.figure = allowance.figure, .allowed = allowance.text};
    const auto was = before.find(allowance.figure);
    const auto is = now.find(allowance.figure);
    if (was == before.end() && is == now.end()) continue;  // Of a problem nothing is timed.
    if (was != before.end()) figure.before = was->second;
    if (is != now.end()) figure.now = is->second;
    if (figure.before && figure.now) {
      const double most = std::floor(static_cast<double>(*figure.before) * (1 + allowance.share));
      figure.grew = *figure.now > *figure.before && *figure.now - *figure.before > allowance.more &&
                    static_cast<double>(*figure.now) > most;
    } else {
      figure.grew = true;
    }
    held.push_back(std::move(figure));
  }
  return held;
}

Json heldJson(const std::vector<HeldFigure>& held) {
  return jsonList(held, [&](const HeldFigure& each) -> Json {
    return {{"figure", each.figure},
            {"before", Value(each.before).json()},
            {"now", Value(each.now).json()},
            {"allowed", each.allowed},
            {"grew", each.grew}};
  });
}

ResultTable heldTable(const std::vector<HeldFigure>& held) {
  ResultTable table{.columns = {{"figure"},
                                {"before", ColumnKind::range},
                                {"now", ColumnKind::range},
                                {"change", ColumnKind::excess},
                                {"allowed"},
                                {"verdict"}}};
  for (const HeldFigure& each : held) {
    const auto text = [&](const std::optional<std::int64_t>& number) {
      return number ? Value(valueText(each.figure, *number)) : Value();
    };
    const bool both = each.before && each.now && *each.before != 0;
    table.rows.push_back(
        {wordOfFigure(each.figure), text(each.before), text(each.now),
         both ? Value(static_cast<double>(*each.now) / static_cast<double>(*each.before) - 1)
              : Value(),
         each.allowed, each.grew ? "grew" : "fine"});
  }
  return table;
}

}  // namespace hw
