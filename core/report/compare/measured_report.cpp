#include "core/report/compare/measured_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/text.h"
#include "core/picture/svg_canvas.h"

namespace hw {
namespace {

std::string reasonText(const MeasuredRow& row) {
  std::string text(measuredReasonName(row.reason));
  if (text.empty()) return row.differs() ? "not known" : "";
  return row.with.empty() ? text : text + ": " + row.with;
}

/// Nothing where there is no difference: a table of zeros hides what is in it.
Value unlessZero(std::int64_t number) { return number == 0 ? Value() : Value(number); }

const MeasuredRow* rowAt(const MeasuredDiff& diff, std::size_t at) {
  return at < diff.rows.size() ? &diff.rows[at] : nullptr;
}

std::string signedDigits(std::int64_t number) {
  return (number > 0 ? "+" : "") + groupDigits(number);
}

std::string bytesOrDash(const std::optional<Bytes>& bytes) {
  return bytes ? groupDigits(bytes->count()) : "-";
}

std::string measuredFacts(const MeasuredReport& report, const Paint& paint) {
  using enum TextTable::Align;
  const MeasuredDiff& diff = report.diff;
  TextTable table({{""}, {"simulated", right}, {"measured", right}, {"difference", right}});
  if (diff.memory) {
    table.add({"most live at once, bytes", groupDigits(diff.simulatedPeak.count()),
               groupDigits(diff.measuredPeak.count()),
               signedDigits((diff.measuredPeak - diff.simulatedPeak).count())});
    table.add({"as runtimes keep bytes", groupDigits(diff.expectedPeak.count()),
               groupDigits(diff.measuredPeak.count()),
               signedDigits((diff.measuredPeak - diff.expectedPeak).count())});
    const auto name = [&](std::size_t at) {
      const MeasuredRow* row = rowAt(diff, at);
      return row ? cellName(row->op, 28) : std::string("-");
    };
    table.add({"at operator", name(diff.simulatedAt), name(diff.measuredAt), ""});
    table.add({"planned, and held by the allocator", groupDigits(diff.planned.count()),
               bytesOrDash(diff.held), ""});
    table.add({"in use at the most, as rounded", "-", bytesOrDash(diff.inUse), ""});
    table.add({"there before the first operator", "-", groupDigits(diff.standing.count()), ""});
  }
  const auto ran =
      std::ranges::count_if(diff.rows, [](const auto& row) { return bool(row.event); });
  table.add({"operators, and those that ran",
             groupDigits(
                 std::ranges::count_if(diff.rows, [](const auto& row) { return bool(row.step); })),
             groupDigits(ran), groupDigits(diff.matched) + " are in both"});
  return table.text(paint);
}

Json rowName(const MeasuredDiff& diff, std::size_t at) {
  const MeasuredRow* row = rowAt(diff, at);
  return row && diff.memory ? Json(row->op) : Json(nullptr);
}

/// Curve of what was measured, over the steps of the run: steps at which nothing ran are as those
/// before.
StairCurve measuredCurve(const MeasuredDiff& diff) {
  std::vector<Stair> stairs;
  Bytes inserted;
  for (const MeasuredRow& row : diff.rows) {
    if (!row.measuredLive) continue;
    if (!row.step) {
      inserted = std::max(inserted, *row.measuredLive);
      continue;
    }
    const Bytes value = std::max(inserted, *row.measuredLive);
    inserted = Bytes();
    if (!stairs.empty() && stairs.back().value == value) continue;
    stairs.push_back({AxisPlace(row.step->count()), value});
  }
  return StairCurve(std::move(stairs));
}

}  // namespace

const Columns<MeasuredRow>& measuredRowColumns() {
  using enum ColumnKind;
  using R = MeasuredRow;
  static const Columns<R> kColumns = {
      {"step", "step", step, &R::step, "Simulated; none: the model has no such operator"},
      {"op", "operator", text, &R::op},
      {"type", "type", text, &R::type},
      {"simulated_output", "simulated output", bytes, &R::simulatedOutput, "Of all it writes"},
      {"measured_output", "measured output", bytes, &R::measuredOutput, "Of all it wrote"},
      {"simulated_live", "simulated", bytes, &R::simulatedLive, "Live while it runs"},
      {"measured_live", "measured", bytes, &R::measuredLive,
       "Asked for and not given back while it ran, without what was there before the first"},
      {"takes", "takes more", bytes, [](const R& row) { return unlessZero(row.takes); },
       "Bytes that it takes, measured less simulated"},
      {"keeps", "keeps more", bytes, [](const R& row) { return unlessZero(row.keeps); },
       "Bytes that are kept behind it, measured less simulated"},
      {"temporaries", "temporaries", bytes,
       [](const R& row) { return unlessZero(row.temporaries.count()); },
       "At least, for itself while it ran: known where more than ever was in use"},
      {"rounding", "rounding", bytes, [](const R& row) { return unlessZero(row.rounding.count()); },
       "What the allocator adds to what was asked for, as it ends"},
      {"duration_us", "\u00b5s", count,
       [](const R& row) { return row.event ? Value(row.micros) : Value(); },
       "How long it took, microseconds"},
      {"reason", "why", text, reasonText, "As far as it can be told"},
  };
  return kColumns;
}

std::vector<ReasonSum> reasonSums(const MeasuredDiff& diff) {
  std::map<MeasuredReason, ReasonSum> sums;
  for (const MeasuredRow& row : diff.rows) {
    if (!row.differs()) continue;
    ReasonSum& sum = sums[row.reason];
    sum.reason = row.reason;
    ++sum.operators;
    sum.bytes += std::min(row.weight(), kMaxBytes - sum.bytes);
  }
  std::vector<ReasonSum> list;
  for (const auto& [reason, sum] : sums) list.push_back(sum);
  std::ranges::stable_sort(list, std::greater(), &ReasonSum::bytes);
  return list;
}

const Columns<ReasonSum>& reasonColumns() {
  using enum ColumnKind;
  using S = ReasonSum;
  static const Columns<S> kColumns = {
      {"reason", "why", text,
       [](const S& sum) {
         const std::string_view name = measuredReasonName(sum.reason);
         return name.empty() ? std::string_view("not known") : name;
       }},
      {"operators", "operators", count, &S::operators},
      {"bytes", "bytes", bytes, &S::bytes, "Of whatever differs most at each, added up"}};
  return kColumns;
}

std::string measuredSummary(const MeasuredDiff& diff) {
  if (!diff.memory) return countText(diff.largestFirst().size(), "difference");
  if (diff.simulatedPeak == diff.measuredPeak) {
    return fmt::format("most live at once: {} B, simulated and measured",
                       groupDigits(diff.measuredPeak.count()));
  }
  return fmt::format("most live at once: {} B simulated, {} B measured ({})",
                     groupDigits(diff.simulatedPeak.count()),
                     groupDigits(diff.measuredPeak.count()),
                     signedDigits((diff.measuredPeak - diff.simulatedPeak).count()));
}

std::string measuredText(const MeasuredReport& report, const TextOptions& options) {
  const MeasuredDiff& diff = report.diff;
  const Paint& paint = options.paint;
  std::string text = paint.bold(printable(report.run->model->name)) + "  beside " +
                     printable(report.profile, 400) + "\n";
  text += measuredFacts(report, paint);
  const std::vector<ReasonSum> sums = reasonSums(diff);
  text +=
      section(paint, "why", sums.size(), textTable(reasonColumns(), sums).text(paint), sums.size());
  const std::vector<std::size_t> order = diff.largestFirst();
  const auto columns =
      pick(measuredRowColumns(),
           diff.memory
               ? std::vector<std::string>{"step", "op", "type", "simulated_live", "measured_live",
                                          "takes", "keeps", "temporaries", "reason"}
               : std::vector<std::string>{"step", "op", "type", "simulated_output",
                                          "measured_output", "takes", "reason"});
  TextTable table(columns);
  for (const std::size_t at : firstOf(order, options.rows)) {
    table.add(cellTexts(columns, diff.rows[at], 36));
  }
  text += section(paint, "operators that differ, largest first", order.size(), table.text(paint),
                  options.rows);
  return text + notesText(paint, {&diff.notes});
}

std::string measuredCsv(const MeasuredReport& report) {
  return csvTable(measuredRowColumns(), report.diff.rows);
}

Json measuredJson(const MeasuredReport& report) {
  const MeasuredDiff& diff = report.diff;
  const auto number = [](const std::optional<Bytes>& bytes) {
    return bytes ? Json(bytes->count()) : Json(nullptr);
  };
  Json json = {{"format", "highwater-measured"},
               {"version", 1},
               {"model", report.run->model->name},
               {"profile", report.profile},
               {"allocator", report.run->request.allocator.text()},
               {"equal", diff.equal()},
               {"simulated_peak", diff.simulatedPeak.count()},
               {"expected_peak", diff.expectedPeak.count()},
               {"measured_peak", diff.memory ? Json(diff.measuredPeak.count()) : Json(nullptr)},
               {"simulated_at", rowName(diff, diff.simulatedAt)},
               {"measured_at", rowName(diff, diff.measuredAt)},
               {"planned", diff.planned.count()},
               {"in_use_peak", number(diff.inUse)},
               {"arena_held", number(diff.held)},
               {"standing", diff.standing.count()},
               {"matched", diff.matched}};
  json["reasons"] = jsonRows(reasonColumns(), reasonSums(diff));
  json["differences"] = jsonList(diff.largestFirst(), [&](std::size_t at) {
    return jsonRow(measuredRowColumns(), diff.rows[at]);
  });
  json["steps"] = jsonRows(
      pick(measuredRowColumns(), {"step", "op", "simulated_live", "measured_live"}), diff.rows);
  json["notes"] = diff.notes;
  return json;
}

ChartScene measuredScene(const MeasuredReport& report) {
  ChartScene scene = ChartScene::whole(report.run, PoolId(0));
  if (!report.diff.memory) return scene;
  scene.others = {std::make_shared<const StairCurve>(measuredCurve(report.diff))};
  scene.otherNames = {"measured"};
  constexpr double kAir = 1.08;
  const double most = kAir * report.diff.measuredPeak.real();
  scene.window.highByte = std::max(scene.window.highByte, most);
  return scene;
}

std::string measuredSvg(const MeasuredReport& report, const Palette& palette) {
  const ChartScene scene = measuredScene(report);
  return svgOf(scene, scene.heading(), {0, 0, 1200, 360}, palette, drawChart);
}

}  // namespace hw
