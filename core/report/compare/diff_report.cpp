#include "core/report/compare/diff_report.h"

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
  json["pools"] = Json::array();
  for (const PoolDiff& pool : diff.pools) {
    json["pools"].push_back({{"name", textOrNull(pool.name)},
                             {"peak_a", orNull(pool.peakA)},
                             {"peak_b", orNull(pool.peakB)}});
  }
  json["changes"] = Json::array();
  for (const TensorChange& change : diff.changes) {
    json["changes"].push_back({{"change", std::string(changeName(change.change))},
                               {"tensor", change.either().tensor},
                               {"a", placeJson(change.a)},
                               {"b", placeJson(change.b)}});
  }
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
  std::string text = csvHeader(columns);
  for (const TensorChange& change : report.diff.changes) text += csvRow(columns, change);
  return text;
}

}  // namespace hw
