#include "core/report/diff_report.h"

#include <fmt/format.h>

#include <array>

#include "core/base/csv.h"

namespace hw {
namespace {

template <class Unit>
Json orNull(const std::optional<Quantity<Unit>>& quantity) {
  return quantity ? Json(quantity->count()) : Json(nullptr);
}

Json textOrNull(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json placeJson(const std::optional<Placement>& place) {
  if (!place) return nullptr;
  Json json = {{"pool", textOrNull(place->pool)},
               {"offset", place->offset.count()},
               {"size", orNull(place->size)},
               {"first", orNull(place->first)},
               {"last", orNull(place->last)}};
  if (!place->aliasOf.empty()) json["alias_of"] = place->aliasOf;
  return json;
}

Json eventJson(const std::optional<EventRow>& event) {
  if (!event) return nullptr;
  return {{"seq", event->seq},           {"step", orNull(event->step)},
          {"pool", event->pool},         {"event", std::string(event->event)},
          {"tensor", event->tensor},     {"offset", orNull(event->offset)},
          {"size", orNull(event->size)}, {"detail", textOrNull(event->detail)}};
}

Json sideJson(const DiffSide& side) {
  return {{"name", side.name},
          {"allocator", textOrNull(side.plan.allocator)},
          {"status", textOrNull(side.plan.status)},
          {"lower_bound", orNull(side.plan.lowerBound)}};
}

std::string number(const Json& place, const char* key) {
  if (place.is_null() || !place.contains(key) || place[key].is_null()) return {};
  return place[key].is_string() ? csvField(place[key].get<std::string>()) : jsonLine(place[key]);
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
  constexpr std::array kKeys = {"pool", "offset", "size", "first", "last", "alias_of"};
  std::string text = "change,tensor";
  for (const char* side : {"a", "b"}) {
    for (const char* key : kKeys) text += fmt::format(",{}_{}", key, side);
  }
  text += '\n';
  for (const TensorChange& change : report.diff.changes) {
    text += fmt::format("{},{}", changeName(change.change), csvField(change.either().tensor));
    for (const auto* place : {&change.a, &change.b}) {
      const Json json = placeJson(*place);
      for (const char* key : kKeys) text += "," + number(json, key);
    }
    text += '\n';
  }
  return text;
}

}  // namespace hw
