#include "core/base/json.h"
#include "core/plan/constraint_use.h"
#include "core/plan/frames.h"
#include "core/plan_file/method_tables.h"
#include "core/plan_file/plan_document.h"
#include "core/plan_file/plan_writer.h"
#include "core/plan_file/tensor_names.h"
#include "core/run/figures.h"

namespace hw {
namespace {

Json optionalBytes(const std::optional<Bytes>& bytes) {
  return bytes ? Json(bytes->count()) : Json(nullptr);
}

Json poolsJson(const Run& run) {
  Columns<PoolMetrics> columns =
      pick(poolColumns(), {"lower_bound", "gap", "peak_live", "peak_step", "footprint_step",
                           "fragmentation_at_peak", "fragmentation_average", "largest_hole",
                           "kept_at_peak", "sum_of_sizes", "buffers"});
  columns.insert(columns.begin(), {.key = "pool", .value = [&run](const PoolMetrics& metrics) {
                                     return run.problem.pools[metrics.pool].name;
                                   }});
  Json pools = Json::array();
  columns.push_back({.key = "reserved", .value = [&run](const PoolMetrics& metrics) {
                       return reservedBytes(run, metrics.pool).count();
                     }});
  for (const PoolMetrics& pool : run.metrics.pools) pools.push_back(jsonRow(columns, pool));
  return pools;
}

/// The request, its outcome, and the schedule.
Json orderJson(const RunRequest& request, const OrderAccount& account,
               const std::vector<OpId>& schedule) {
  Json json = {{"name", opOrderName(request.order)},
               {"live_peak", account.peak.count()},
               {"given_live_peak", account.given.count()},
               {"bound", optionalBytes(account.bound)},
               {"schedule", Json::array()}};
  for (const OpId op : schedule) json["schedule"].push_back(op.index());
  return json;
}

Json outOfMemoryJson(const Run& run, const OutOfMemory& memory) {
  Json pools = jsonList(memory.pools, [&](const OutOfMemory::PoolState& pool) -> Json {
    return {{"pool", run.problem.pools[pool.pool].name},
            {"capacity", pool.capacity.count()},
            {"live", pool.live.count()},
            {"free", pool.freeBytes.count()},
            {"largest_free", pool.largestFree.count()}};
  });
  return {{"tensor", run.stayName(memory.stay)},
          {"step", memory.step.count()},
          {"wanted", memory.wanted.count()},
          {"pools", pools}};
}

/// Everything that repeats is an array.
Json settingsJson(const PlanDocument& document) {
  Json json = Json::object();
  for (const auto& [name, texts] : document.settings) {
    json[name] = findOption(name)->repeats ? Json(texts) : Json(texts.front());
  }
  return json;
}

Json stretch(const Interval<Bytes>& bytes, const Interval<Step>& steps) {
  return {{"offset", bytes.begin.count()},
          {"size", bytes.length().count()},
          {"first", steps.begin.count()},
          {"last", steps.end.count() - 1}};
}

/// The frames of each pool, bytes taken as a whole, with the stays in them and what they keep free.
Json framesJson(const Run& run) {
  Json frames = Json::array();
  const TensorNames names(run.graph());
  for (const PoolId pool : run.problem.pools.keys()) {
    for (const Frame& frame : framesOf(run.problem, run.plan, pool)) {
      Json json = {{"pool", run.problem.pools[pool].name}};
      if (frame.block) json["name"] = frame.block->name;
      json.update(stretch(frame.bytes, frame.steps));
      json["tensors"] = Json::array();
      const std::vector<StayId> only{frame.tenant};
      for (const StayId id : frame.block ? frame.block->tenants : only) {
        json["tensors"].push_back(names.of(run.stayTensor(id)));
      }
      json["kept"] = jsonList(keptOf(run.problem, run.plan, frame), [&](const KeptPiece& piece) {
        return stretch(piece.bytes, piece.steps);
      });
      frames.push_back(std::move(json));
    }
  }
  return frames;
}

/// Fields beyond the contract come after it.
void addExtras(const Run& run, const PlanDocument& document, bool times, Json& json) {
  json["metrics"] = poolsJson(run);
  if (!document.alias.empty()) {
    json["alias"] = document.alias;
    RunRequest done;
    if (!document.planInputs.value_or(true)) done.inputs = InputPlace::external;
    if (!document.planOutputs.value_or(true)) done.outputs = OutputPlace::external;
    for (const char* key : {"inputs", "outputs"}) json[key] = findOption(key)->print(done).front();
  }
  json["settings"] = settingsJson(document);
  if (run.order) json["order"] = orderJson(run.request, *run.order, document.schedule);
  if (run.plan.outOfMemory) json["out_of_memory"] = outOfMemoryJson(run, *run.plan.outOfMemory);
  const Graph& graph = run.graph();
  Json unsized = jsonList(run.storage.unsized, [&](TensorId id) -> Json {
    return {{"tensor", displayName(graph, id)}, {"reason", graph.tensors[id].unknownReason}};
  });
  json["unsized"] = unsized;
  Json copies = jsonList(run.storage.copies, [&](const CopyNote& copy) -> Json {
    return {{"op", displayName(graph, copy.op)},
            {"tensor", displayName(graph, copy.tensor)},
            {"bytes", copy.bytes.count()},
            {"reason", copy.reason}};
  });
  json["copies"] = copies;
  Json notes = Json::array();
  for (const auto* list : {&graph.notes, &run.notes, &run.plan.notes}) {
    for (const std::string& note : *list) notes.push_back(note);
  }
  json["notes"] = notes;
  if (Json frames = framesJson(run); !frames.empty()) json["frames"] = std::move(frames);
  json["tables"] = methodTablesJson(run, times);
  if (!run.plan.records.empty()) json["records"] = methodRecordsJson(run);
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
  if (!run.problem.constraints.penalties.empty()) {
    json["penalty"] = penaltyOf(run.problem, run.plan);
    json["penalty_bound"] = run.plan.penaltyBound ? Json(*run.plan.penaltyBound) : Json(nullptr);
  }
  json["pools"] = jsonList(document.pools, [&](const StatedPool& pool) -> Json {
    return {{"name", pool.name},
            {"capacity", optionalBytes(pool.capacity)},
            {"peak", optionalBytes(pool.peak)}};
  });
  json["placements"] = Json::array();
  const auto columns = pick(placementColumns(), {"tensor", "pool", "offset", "size", "first",
                                                 "last", "alias_of", "share", "block"});
  for (const Placement& placement : document.placements) {
    dropNulls(json["placements"].emplace_back(jsonRow(columns, placement)),
              {"alias_of", "share", "block"});
  }
  for (const StatedMove& move : document.moves) {
    const auto pool = [](const std::string& name) {
      return name.empty() ? Json(nullptr) : Json(name);
    };
    json["moves"].push_back({{"tensor", move.tensor},
                             {"from", pool(move.from)},
                             {"to", pool(move.to)},
                             {"step", move.step.count()}});
  }
  for (const StatedOverlap& overlap : document.overlaps) {
    json["overlaps"].push_back({{"output", overlap.output},
                                {"input", overlap.input},
                                {"step", overlap.step.count()},
                                {"kernel", overlapWayName(overlap.way)}});
  }
  if (!document.blocks.empty()) {
    json["blocks"] =
        jsonList(document.blocks, [&](const Bytes capacity) { return capacity.count(); });
  }
  addExtras(run, document, times, json);
  out << jsonDocument(json);
}

}  // namespace

void writePlanJson(const Run& run, std::ostream& out) { writeJson(run, false, out); }

void writeTimedPlanJson(const Run& run, std::ostream& out) { writeJson(run, true, out); }

}  // namespace hw
