#include "core/report/compare/diff_report.h"

#include <fmt/format.h>

#include <functional>

#include "core/base/text.h"

namespace hw {
namespace {

template <class Unit>
Json orNull(const std::optional<Quantity<Unit>>& quantity) {
  return quantity ? Json(quantity->count()) : Json(nullptr);
}

Json textOrNull(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

const Columns<Placement>& placeColumns() {
  static const auto kColumns =
      pick(placementColumns(), {"pool", "offset", "size", "first", "last", "alias_of"});
  return kColumns;
}

Json placeJson(const std::optional<Placement>& place) {
  if (!place) return nullptr;
  Json json = jsonRow(placeColumns(), *place);
  dropNulls(json, {"alias_of"});
  return json;
}

Json eventJson(const std::optional<EventRow>& event) {
  if (!event) return nullptr;
  Json json = jsonRow(eventColumns(), *event);
  json.erase("time_ps");  // Plans have no times.
  return json;
}

Json sideJson(const DiffSide& side) {
  return {{"name", side.name},
          {"allocator", textOrNull(side.plan.allocator)},
          {"status", textOrNull(side.plan.status)},
          {"lower_bound", orNull(side.plan.lowerBound)}};
}

/// The places of one side, their keys ending in its name.
Columns<TensorChange> sideColumns(const char* side, std::optional<Placement> TensorChange::*place) {
  auto columns = columnsVia<TensorChange>(
      placeColumns(), [place](const TensorChange& change) { return change.*place; });
  for (auto& column : columns) column.key += side;
  return columns;
}

Json classesJson(const std::vector<DiffClass>& classes, const char* unit) {
  return jsonList(classes, [&](const DiffClass& each) -> Json {
    return {{"pool", textOrNull(each.pool)},  {unit, std::int64_t{1} << each.power},
            {"count_a", each.countA},         {"count_b", each.countB},
            {"bytes_a", each.bytesA.count()}, {"bytes_b", each.bytesB.count()}};
  });
}

}  // namespace

Json diffJson(const DiffReport& report) {
  const PlanDiff& diff = report.diff;
  Json json = {{"a", sideJson(report.a)},
               {"b", sideJson(report.b)},
               {"equal", diff.equal()},
               {"same", diff.same},
               {"moved", diff.count(PlanChange::moved)},
               {"resized", diff.count(PlanChange::resized)},
               {"only_in_a", diff.count(PlanChange::onlyInA)},
               {"only_in_b", diff.count(PlanChange::onlyInB)}};
  json["pools"] = jsonList(diff.pools, [&](const PoolDiff& pool) -> Json {
    return {{"name", textOrNull(pool.name)},
            {"peak_a", orNull(pool.peakA)},
            {"peak_b", orNull(pool.peakB)}};
  });
  json["sizes"] = classesJson(diff.sizes, "bytes");
  json["lifetimes"] = classesJson(diff.lifetimes, "steps");
  json["changes"] = jsonList(diff.changes, [&](const TensorChange& change) -> Json {
    return {{"change", std::string(changeName(change.change))},
            {"tensor", change.either().tensor},
            {"a", placeJson(change.a)},
            {"b", placeJson(change.b)}};
  });
  json["first_events"] = nullptr;
  if (diff.firstEvents) {
    json["first_events"] = {{"a", eventJson(diff.firstEvents->a)},
                            {"b", eventJson(diff.firstEvents->b)}};
  }
  json["notes"] = diff.notes;
  return json;
}

std::string diffCsv(const DiffReport& report) {
  Columns<TensorChange> columns = {
      {.key = "change", .value = [](const auto& change) { return changeName(change.change); }},
      {.key = "tensor", .value = [](const auto& change) { return change.either().tensor; }}};
  for (const auto& side :
       {sideColumns("_a", &TensorChange::a), sideColumns("_b", &TensorChange::b)}) {
    columns.insert(columns.end(), side.begin(), side.end());
  }
  return csvTable(columns, report.diff.changes);
}

namespace {

std::string bytesCell(const std::optional<Bytes>& bytes) {
  return bytes ? groupDigits(bytes->count()) : "-";
}

/// "+1,024", "-4", "0".
std::string signedCell(const std::optional<Bytes>& a, const std::optional<Bytes>& b) {
  if (!a || !b) return "-";
  const std::int64_t by = (*b - *a).count();
  return (by > 0 ? "+" : "") + groupDigits(by);
}

std::string sidesText(const DiffReport& report, const Paint& paint) {
  using enum TextTable::Align;
  TextTable table({{""}, {"A", right}, {"B", right}, {"B - A", right}});
  const auto words = [&](const char* title, const std::string& a, const std::string& b) {
    if (!a.empty() || !b.empty()) table.add({title, cellName(a), cellName(b), ""});
  };
  words("plan", report.a.name, report.b.name);
  if (report.a.plan.allocator != report.a.name || report.b.plan.allocator != report.b.name) {
    words("allocator", report.a.plan.allocator, report.b.plan.allocator);
  }
  words("status", report.a.plan.status, report.b.plan.status);
  for (const PoolDiff& pool : report.diff.pools) {
    table.add({printable(pool.name) + " peak, bytes", bytesCell(pool.peakA), bytesCell(pool.peakB),
               signedCell(pool.peakA, pool.peakB)});
  }
  return table.text(paint);
}

std::string placeText(const std::optional<Placement>& place) {
  if (!place) return "-";
  return fmt::format("{} {}", printable(place->pool.empty() ? "L2" : place->pool),
                     groupDigits(place->offset.count()));
}

std::string stepsText(const Placement& place) {
  if (!place.first || !place.last) return "-";
  return fmt::format("{}-{}", place.first->count(), place.last->count());
}

std::string sizeText(const TensorChange& change) {
  const std::string a = bytesCell(change.either().size);
  if (!change.a || !change.b || change.a->size == change.b->size) return a;
  return a + " / " + bytesCell(change.b->size);
}

std::string livesText(const TensorChange& change) {
  const std::string a = stepsText(change.either());
  const std::string b = change.b ? stepsText(*change.b) : a;
  return a == b ? a : a + " / " + b;
}

/// Slices follow the buffer they lie in: people want to see those that lead.
bool leads(const TensorChange& change) {
  return change.either().aliasOf.empty() || change.change != PlanChange::moved;
}

std::string changesText(const PlanDiff& diff, const TextOptions& options) {
  using enum TextTable::Align;
  std::vector<const TensorChange*> shown;
  for (const TensorChange& change : diff.changes) {
    if (leads(change)) shown.push_back(&change);
  }
  TextTable table(
      {{"tensor"}, {"bytes", right}, {"steps", right}, {"in A", right}, {"in B", right}, {""}});
  for (const TensorChange* change : firstOf(shown, options.rows)) {
    table.add({cellName(change->either().tensor), sizeText(*change), livesText(*change),
               placeText(change->a), placeText(change->b),
               std::string(changeName(change->change))});
  }
  std::string text = section(options.paint, "tensors that differ", shown.size(),
                             table.text(options.paint), options.rows);
  const std::size_t slices = diff.changes.size() - shown.size();
  if (slices > 0)
    text += fmt::format("  and {} that move with their buffers\n", countText(slices, "tensor"));
  return text;
}

/// Only the classes of which the plans do not place the same; nothing where there are none.
std::string classesText(const std::vector<DiffClass>& classes, const char* title,
                        const std::function<std::string(std::int64_t)>& from, const Paint& paint) {
  using enum TextTable::Align;
  TextTable table({{title}, {"in A", right}, {"in B", right}, {"bytes, B - A", right}});
  for (const DiffClass& each : classes) {
    if (each.countA == each.countB && each.bytesA == each.bytesB) continue;
    table.add({printable(each.pool) + " from " + from(std::int64_t{1} << each.power),
               groupDigits(each.countA), groupDigits(each.countB),
               signedCell(each.bytesA, each.bytesB)});
  }
  return table.empty() ? "" : "\n" + table.text(paint);
}

std::string eventText(const char* side, const std::optional<EventRow>& event) {
  if (!event) return fmt::format("  {}  nothing more happens\n", side);
  return fmt::format("  {}  event {}, step {}: {} '{}' at {} {}, {} bytes{}\n", side,
                     groupDigits(event->seq), event->step ? groupDigits(event->step->count()) : "-",
                     event->event, cellName(event->tensor), printable(event->pool),
                     bytesCell(event->offset), bytesCell(event->size),
                     event->detail.empty() ? "" : " (" + printable(event->detail) + ")");
}

std::string eventsText(const PlanDiff& diff, const Paint& paint) {
  if (!diff.firstEvents) return {};
  return "\n" + paint.bold("first event that differs") + "\n" +
         eventText("A", diff.firstEvents->a) + eventText("B", diff.firstEvents->b);
}

std::string verdictText(const DiffReport& report) {
  const PlanDiff& diff = report.diff;
  if (diff.equal()) return fmt::format("  the same: {}\n", countText(diff.same, "placement"));
  std::string text = fmt::format("  {} in the same place, {} moved", groupDigits(diff.same),
                                 groupDigits(diff.count(PlanChange::moved)));
  const auto add = [&](PlanChange change, const char* what) {
    const std::size_t count = diff.count(change);
    if (count == 0) return;
    text += fmt::format(", {} {}", groupDigits(count), what);
  };
  add(PlanChange::resized, "of another size or life");
  add(PlanChange::onlyInA, "only in A");
  add(PlanChange::onlyInB, "only in B");
  return text + "\n";
}

}  // namespace

std::string diffText(const DiffReport& report, const TextOptions& options) {
  std::string model = report.a.plan.modelName;
  if (model.empty()) model = report.b.plan.modelName;
  std::string text = model.empty() ? "" : options.paint.bold(printable(model)) + "\n";
  text += sidesText(report, options.paint) + "\n" + verdictText(report);
  text += classesText(
      report.diff.sizes, "buffers by size",
      [](std::int64_t bytes) { return formatBytes(Bytes(bytes)); }, options.paint);
  text += classesText(
      report.diff.lifetimes, "buffers by lifetime",
      [](std::int64_t steps) { return countText(static_cast<std::size_t>(steps), "step"); },
      options.paint);
  text += changesText(report.diff, options) + eventsText(report.diff, options.paint);
  return text + notesText(options.paint, {&report.diff.notes});
}

}  // namespace hw
