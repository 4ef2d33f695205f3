#include "core/report/explain/advice_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/graph/counterparts.h"
#include "core/plan_file/plan_document.h"
#include "core/report/explain/explain_report.h"
#include "core/report/plan/plan_text.h"
#include "core/run/options.h"
#include "core/storage/aliasing.h"
#include "core/study/capacity_sweep.h"

namespace hw {
namespace {

using enum TextTable::Align;

std::string aliasChangeText(const AliasRules& before, const AliasRules& after) {
  std::string on;
  std::string off;
  for (const AliasRule& rule : aliasRules()) {
    if (before.*(rule.flag) == after.*(rule.flag)) continue;
    std::string& list = after.*(rule.flag) ? on : off;
    list += (list.empty() ? "" : ", ") + std::string(rule.name);
  }
  if (off.empty()) return "share storage: " + on;
  return on.empty() ? "do not share storage: " + off
                    : fmt::format("share storage: {}, not {}", on, off);
}

/// "'cat', 'flat' and 3 more".
std::string listText(const std::vector<std::string>& names) {
  const std::string text = joinText(firstOf(names, 3), ", ", [](const std::string& name) {
    return "'" + cellName(name, 24) + "'";
  });
  return names.size() > 3 ? text + fmt::format(" and {} more", names.size() - 3) : text;
}

/// Operators of `a` that copy nothing and do copy in `b`.
std::vector<std::string> freeOnlyIn(const Run& a, const Run& b) {
  std::vector<std::string> names;
  const Counterparts same(a.graph(), b.graph());
  for (const OpId op : a.graph().ops.keys()) {
    const OpId other = same.op(op);
    if (other && a.storage.free[op] && !b.storage.free[other])
      names.push_back(displayName(a.graph(), op));
  }
  return names;
}

std::string aliasDetail(const Run& base, const Run& run) {
  std::vector<std::string> parts;
  const auto add = [&](const std::vector<std::string>& names, const char* what) {
    if (!names.empty()) parts.push_back(listText(names) + what);
  };
  add(freeOnlyIn(run, base), " copies nothing then");
  add(freeOnlyIn(base, run), " has to copy then");
  if (run.storage.inPlace.size() > base.storage.inPlace.size()) {
    parts.push_back(countText(run.storage.inPlace.size(), "tensor") + " written over an input");
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

template <class Quantity>
std::string relativeText(const std::optional<Quantity>& before,
                         const std::optional<Quantity>& after) {
  if (!before || !after) return "-";
  if (*before == *after) return "same";
  return formatPercent(
      after->real() / static_cast<double>(std::max<std::int64_t>(before->count(), 1)) - 1);
}

std::string savedText(const Run& base, const Advice& advice) {
  if (advice.makesFit) return "it fits";
  const Bytes before = footprintOf(base);
  const double part =
      advice.saved.real() / static_cast<double>(std::max<std::int64_t>(before.count(), 1));
  return fmt::format("{} ({:.1f} %)", groupDigits(advice.saved.count()), part * 100);
}

Columns<Advice> adviceColumns(const Run& base) {
  using enum ColumnKind;
  return {
      {"saved", "saves, bytes", range,
       [&base](const Advice& advice) { return savedText(base, advice); }},
      {"peak", "leaves, bytes", bytes,
       [](const Advice& advice) { return footprintOf(*advice.run); }},
      {"latency", "latency", range,
       [&base](const Advice& advice) { return latencyChange(base, *advice.run); }},
      {"traffic", "traffic", range,
       [&base](const Advice& advice) { return trafficChange(base, *advice.run); }},
      {"what", "what", text, [&base](const Advice& advice) { return adviceText(base, advice); }},
      {"detail", "why", text, [&base](const Advice& advice) { return adviceDetail(base, advice); }},
      {"options", "options", text, [&base](const Advice& advice) {
         return fmt::format("{}", fmt::join(adviceOptions(base, advice), " "));
       }}};
}

}  // namespace

std::string latencyChange(const Run& base, const Run& run) {
  return relativeText(figuresOf(base).latency, figuresOf(run).latency);
}

std::string trafficChange(const Run& base, const Run& run) {
  return relativeText(farTraffic(base), farTraffic(run));
}

std::optional<Bytes> farTraffic(const Run& run) {
  const CapacityPoint point = pointOf(run, {});
  return point.figures.moved ? std::optional(point.farTraffic) : std::nullopt;
}

std::string adviceText(const Run& base, const Advice& advice) {
  switch (advice.kind) {
    case Advice::Kind::order:
      return base.request.moves.empty()
                 ? "run operators in the order with the fewest bytes live"
                 : "run operators in the order with the fewest bytes live, none of them moved";
    case Advice::Kind::alias:
      return aliasChangeText(base.request.alias, advice.request.alias);
    case Advice::Kind::allocator:
      return "plan with " + advice.request.allocator.text();
    case Advice::Kind::alignment:
      return fmt::format("align to {} instead of {}", countBytes(advice.run->sharing.alignment),
                         base.sharing.alignment.count());
    case Advice::Kind::outside:
      return base.request.plansInputs() != advice.request.plansInputs()
                 ? "leave room for graph inputs to the caller"
                 : "leave room for graph outputs to the caller";
    case Advice::Kind::constraint:
      return "without " + advice.without;
  }
  return {};
}

std::string adviceDetail(const Run& base, const Advice& advice) {
  switch (advice.kind) {
    case Advice::Kind::order: {
      const Bytes before = base.metrics.lowerBound;
      const Bytes after = advice.run->metrics.lowerBound;
      const bool least = advice.run->order && advice.run->order->proven();
      if (after >= before) return "the same bytes are live at most, and they lie closer together";
      return fmt::format("at most {} are live at once, not {}{}", bytesText(after),
                         bytesText(before), least ? "; no order has fewer" : "");
    }
    case Advice::Kind::alias:
      return aliasDetail(base, *advice.run);
    case Advice::Kind::outside:
      return fmt::format("who has to provide {}", bytesText(advice.outside));
    case Advice::Kind::allocator:
      return std::string(advice.request.allocator.info->summary);
    case Advice::Kind::alignment:
    case Advice::Kind::constraint:
      break;
  }
  return {};
}

std::vector<std::string> adviceOptions(const Run& base, const Advice& advice) {
  return optionWords(base.request, advice.request);
}

std::string adviceSummary(const AdviceReport& report) {
  std::string text =
      fmt::format("{} of {} tried", countText(report.found.size(), "change"), report.tried);
  text += report.found.size() == 1 ? " helps" : " help";
  if (report.stopped)
    text += fmt::format("; stopped with {} to go", report.candidates - report.tried);
  if (!report.found.empty()) return text;
  const RunFigures figures = figuresOf(*report.base);
  if (figures.whole && figures.peak() == figures.lowerBound) {
    return text + ": the plan is as small as the most bytes that are live at once";
  }
  return text;
}

std::string adviceReportText(const AdviceReport& report, const TextOptions& options) {
  const Run& base = *report.base;
  std::string text = options.paint.bold("advice") + "  " + requestText(base) + "\n";
  text += fmt::format("  now {}; {}\n", bytesText(footprintOf(base)), adviceSummary(report));
  auto columns =
      pick(adviceColumns(base), {"saved", "peak", "latency", "traffic", "what", "options"});
  // Short, for a terminal.
  columns[0].title = "saves";
  columns[1].title = "leaves";
  columns.back().title = "with";
  if (report.found.empty()) return text;
  const auto shown = firstOf(report.found, options.rows);
  text += "\n" + textTable<Advice>(columns, shown, {.width = 1000}).text(options.paint);
  if (report.found.size() > options.rows) {
    text += fmt::format("  … {} more\n", report.found.size() - options.rows);
  }
  std::string details;
  for (const Advice& advice : firstOf(report.found, 5)) {
    const std::string detail = adviceDetail(base, advice);
    if (!detail.empty()) details += fmt::format("  {}: {}\n", adviceText(base, advice), detail);
  }
  return details.empty() ? text : text + "\n" + details;
}

ReportTable adviceTable(const AdviceReport& report) {
  ReportTable table =
      reportTable("What would help", adviceColumns(*report.base), report.found, 1000);
  table.caption = "Each planned and simulated with the same settings but for the one change: " +
                  adviceSummary(report) + ".";
  return table;
}

namespace {

void addTimes(const Run& run, Json& json) {
  const RunFigures figures = figuresOf(run);
  json["latency_ps"] = figures.latency ? Json(figures.latency->count()) : Json(nullptr);
  json["moved_bytes"] = figures.moved ? Json(figures.moved->count()) : Json(nullptr);
}

}  // namespace

Json adviceJson(const AdviceReport& report) {
  const Run& base = *report.base;
  Json json = explanationHead(base);
  json["peak"] = footprintOf(base).count();
  json["lower_bound"] = base.metrics.lowerBound.count();
  json["fits"] = fits(base);
  addTimes(base, json);
  json["candidates"] = report.candidates;
  json["tried"] = report.tried;
  json["stopped"] = report.stopped;
  json["advice"] = Json::array();
  for (const Advice& advice : report.found) {
    json["advice"].push_back({{"kind", adviceKindName(advice.kind)},
                              {"what", adviceText(base, advice)},
                              {"detail", adviceDetail(base, advice)},
                              {"options", adviceOptions(base, advice)},
                              {"peak", footprintOf(*advice.run).count()},
                              {"saved", advice.saved.count()},
                              {"outside", advice.outside.count()},
                              {"makes_fit", advice.makesFit},
                              {"status", std::string(statusName(advice.run->plan.status))}});
    addTimes(*advice.run, json["advice"].back());
  }
  return json;
}

}  // namespace hw
