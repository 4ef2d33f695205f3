#include "core/base/json.h"
#include "core/report/method_tables.h"
#include "core/report/plan_document.h"
#include "core/report/plan_writer.h"

namespace hw {
namespace {

Json optionalBytes(const std::optional<Bytes>& bytes) {
  return bytes ? Json(bytes->count()) : Json(nullptr);
}

Json placementJson(const Placement& placement) {
  Json json = {{"tensor", placement.tensor},         {"pool", placement.pool},
               {"offset", placement.offset.count()}, {"size", placement.size->count()},
               {"first", placement.first->count()},  {"last", placement.last->count()}};
  if (!placement.aliasOf.empty()) json["alias_of"] = placement.aliasOf;
  if (placement.block) json["block"] = *placement.block;
  return json;
}

Json poolMetricsJson(const Run& run, const PoolMetrics& metrics) {
  return {{"pool", run.problem.pools[metrics.pool].name},
          {"lower_bound", metrics.lowerBound.count()},
          {"gap", metrics.gap()},
          {"peak_live", metrics.peakLive.count()},
          {"peak_step", metrics.peakStep.count()},
          {"fragmentation_at_peak", metrics.atPeak.ratio()},
          {"fragmentation_average", metrics.averageFragmentation},
          {"largest_hole", metrics.largestHole.count()},
          {"sum_of_sizes", metrics.sum.count()},
          {"buffers", metrics.stays}};
}

Json outOfMemoryJson(const Run& run, const OutOfMemory& memory) {
  Json pools = Json::array();
  for (const OutOfMemory::PoolState& pool : memory.pools) {
    pools.push_back({{"pool", run.problem.pools[pool.pool].name},
                     {"capacity", pool.capacity.count()},
                     {"live", pool.live.count()},
                     {"free", pool.freeBytes.count()},
                     {"largest_free", pool.largestFree.count()}});
  }
  return {{"tensor", run.stayName(memory.stay)},
          {"step", memory.step.count()},
          {"wanted", memory.wanted.count()},
          {"pools", pools}};
}

/// What is beyond the contract comes after it.
void addExtras(const Run& run, const PlanDocument& document, bool times, Json& json) {
  Json metrics = Json::array();
  for (const PoolMetrics& pool : run.metrics.pools) metrics.push_back(poolMetricsJson(run, pool));
  json["metrics"] = metrics;
  if (!document.alias.empty()) {
    json["alias"] = document.alias;
    json["inputs"] = document.planInputs.value_or(true) ? "arena" : "external";
    json["outputs"] = document.planOutputs.value_or(true) ? "arena" : "external";
  }
  if (run.plan.outOfMemory) json["out_of_memory"] = outOfMemoryJson(run, *run.plan.outOfMemory);
  const Graph& graph = run.graph();
  Json unsized = Json::array();
  for (const TensorId id : run.storage.unsized) {
    unsized.push_back(
        {{"tensor", displayName(graph, id)}, {"reason", graph.tensors[id].unknownReason}});
  }
  json["unsized"] = unsized;
  Json copies = Json::array();
  for (const CopyNote& copy : run.storage.copies) {
    copies.push_back({{"op", displayName(graph, copy.op)},
                      {"tensor", displayName(graph, copy.tensor)},
                      {"bytes", copy.bytes.count()},
                      {"reason", copy.reason}});
  }
  json["copies"] = copies;
  Json notes = Json::array();
  for (const auto* list : {&graph.notes, &run.notes, &run.plan.notes}) {
    for (const std::string& note : *list) notes.push_back(note);
  }
  json["notes"] = notes;
  json["tables"] = methodTablesJson(run, times);
}

void writeJson(const Run& run, bool times, std::ostream& out) {
  const PlanDocument document = describePlan(run);
  Json json = {{"format", "highwater-plan"},
               {"version", 1},
               {"model", {{"name", document.modelName}, {"sha256", document.modelSha256}}},
               {"allocator", document.allocator},
               {"options", document.options},
               {"alignment", document.alignment->count()},
               {"status", document.status},
               {"lower_bound", document.lowerBound->count()}};
  json["pools"] = Json::array();
  for (const StatedPool& pool : document.pools) {
    json["pools"].push_back({{"name", pool.name},
                             {"capacity", optionalBytes(pool.capacity)},
                             {"peak", optionalBytes(pool.peak)}});
  }
  json["placements"] = Json::array();
  for (const Placement& placement : document.placements) {
    json["placements"].push_back(placementJson(placement));
  }
  if (!document.blocks.empty()) {
    json["blocks"] = Json::array();
    for (const Bytes capacity : document.blocks) json["blocks"].push_back(capacity.count());
  }
  addExtras(run, document, times, json);
  out << jsonDocument(json);
}

}  // namespace

void writePlanJson(const Run& run, std::ostream& out) { writeJson(run, false, out); }

void writeTimedPlanJson(const Run& run, std::ostream& out) { writeJson(run, true, out); }

}  // namespace hw
