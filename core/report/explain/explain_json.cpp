#include "core/plan_file/method_tables.h"
#include "core/plan_file/plan_document.h"
#include "core/plan_file/tensor_names.h"
#include "core/report/explain/explain_report.h"
#include "core/report/plan/autopsy_text.h"
#include "core/rewrite/recompute.h"

namespace hw {
namespace {

/// Names for a run's stays that identify, as plan files have them.
class Writer {
 public:
  explicit Writer(const Run& run) : run_(run), names_(run.graph()) {}

  Json name(TensorId tensor) const { return names_.of(tensor); }
  Json name(StayId stay) const {
    return stay ? Json(names_.of(run_.stayTensor(stay))) : Json(nullptr);
  }
  Json pool(PoolId pool) const { return run_.problem.pools[pool].name; }

  Json candidate(const Candidate& candidate, bool inside) const {
    Json json = {{"candidate", candidate.kind}};
    json["pool"] = candidate.address && !inside ? pool(candidate.address->pool) : Json(nullptr);
    json["offset"] = nullptr;
    if (candidate.address) {
      const auto [id, region, offset] = *candidate.address;
      const Bytes start = inside ? Bytes() : run_.plan.regionStart(id, region);
      json["offset"] = (start + offset).count();
    }
    json["room"] = candidate.room ? Json(candidate.room->count()) : Json(nullptr);
    json["verdict"] = std::string(verdictName(candidate.verdict));
    json["reason"] = candidate.reason;
    json["between"] = Json::array();
    for (const StayId wall : candidate.because) json["between"].push_back(name(wall));
    return json;
  }

  Json decision(const Decision& decision, bool inside) const {
    Json json = {
        {"turn", decision.when}, {"decided", decision.decided}, {"from_plan", decision.fromPlan}};
    json["candidates"] = Json::array();
    for (const Candidate& each : decision.candidates) {
      json["candidates"].push_back(candidate(each, inside));
    }
    json["left_out"] = decision.leftOut;
    return json;
  }

  Json place(StayId id) const {
    const PlaceExplanation found = explainPlace(run_, id);
    const Stay& stay = run_.problem.stays[id];
    const auto& address = run_.plan.addresses[id];
    Json json = {{"pool", address ? pool(address->pool) : Json(nullptr)},
                 {"offset", address ? Json(run_.plan.flatOffset(id)->count()) : Json(nullptr)},
                 {"size", stay.size.count()},
                 {"first", stay.steps.begin.count()},
                 {"last", stay.steps.end.count() - 1}};
    if (!found.residency.empty()) json["residency"] = found.residency;
    if (!found.block.empty()) json["block"] = found.block;
    json["decision"] = decision(found.decision, false);
    if (found.inside) json["inside"] = decision(*found.inside, true);
    return json;
  }

  Json moment(const Moment& moment) const {
    Json json = {{"pool", pool(moment.pool)},
                 {"step", moment.step.count()},
                 {"footprint", moment.footprint.count()},
                 {"live", moment.live.count()},
                 {"kept", moment.keptBytes.count()},
                 {"holes", moment.holeBytes.count()},
                 {"above", moment.above.count()}};
    json["tensors"] = Json::array();
    for (const Moment::Tenant& tenant : moment.tenants) {
      json["tensors"].push_back({{"tensor", name(tenant.stay)},
                                 {"offset", tenant.bytes.begin.count()},
                                 {"size", tenant.bytes.length().count()},
                                 {"share", tenant.share},
                                 {"first", tenant.steps.begin.count()},
                                 {"last", tenant.steps.end.count() - 1}});
    }
    json["rests"] = Json::array();
    for (const Moment::Kept& kept : moment.kept) {
      json["rests"].push_back({{"offset", kept.bytes.begin.count()},
                               {"size", kept.bytes.length().count()},
                               {"tensor", name(kept.tenant)},
                               {"block", kept.block.empty() ? Json(nullptr) : Json(kept.block)},
                               {"last", kept.until.count() - 1}});
    }
    json["gaps"] = Json::array();
    for (const Moment::Hole& hole : moment.holes) {
      json["gaps"].push_back({{"offset", hole.bytes.begin.count()},
                              {"size", hole.bytes.length().count()},
                              {"below", name(hole.below)},
                              {"above", name(hole.above)},
                              {"last", hole.until.count() - 1}});
    }
    return json;
  }

 private:
  const Run& run_;
  TensorNames names_;
};

}  // namespace

Json explanationHead(const Run& run) {
  return {{"format", "highwater-explanation"},
          {"version", 1},
          {"model", {{"name", run.model->name}, {"sha256", run.model->sha256}}},
          {"allocator", run.request.allocator.info->name},
          {"options", allocatorOptions(run.request.allocator)},
          {"alignment", run.sharing.alignment.count()},
          {"status", std::string(statusName(run.plan.status))}};
}

Json explainTensorJson(const Run& run, TensorId tensor) {
  const Writer writer(run);
  Json json = explanationHead(run);
  json["tensor"] = writer.name(tensor);
  const AliasExplanation alias = explainAlias(run, tensor);
  json["alias_of"] = alias.root == tensor ? Json(nullptr) : writer.name(alias.root);
  json["alias_offset"] = alias.offset.count();
  json["alias_share"] = alias.share.empty() ? Json(nullptr) : Json(alias.share);
  json["alias_reason"] = alias.reason.empty() ? Json(nullptr) : Json(alias.reason);
  json["shared_with"] = Json::array();
  for (const TensorId other : alias.others) json["shared_with"].push_back(writer.name(other));
  json["sharing_refused"] = alias.refused;
  if (std::string again = repeatText(run.graph(), tensor); !again.empty()) {
    json["made_again"] = std::move(again);
  }
  json["placements"] = Json::array();
  for (const StayId stay : staysOf(run, tensor)) {
    Json& place = json["placements"].emplace_back(writer.place(stay));
    if (!run.plan.records.empty()) place["record"] = methodTicksJson(run, stay);
  }
  return json;
}

Json explainMomentJson(const Run& run, std::optional<Step> step) {
  const Writer writer(run);
  Json json = explanationHead(run);
  json["moments"] = Json::array();
  for (const PoolId pool : run.problem.pools.keys()) {
    const PoolMetrics& metrics = run.metrics.pools[pool];
    if (!step && metrics.stays == 0) continue;
    const Step at = step.value_or(metrics.atTop.step);
    json["moments"].push_back(writer.moment(momentAt(run.problem, run.plan, pool, at)));
  }
  const auto found = autopsy(run);
  json["failure"] = found ? autopsyJson(run, *found) : Json(nullptr);
  return json;
}

Json autopsyJson(const Run& run, const Autopsy& found) {
  const Writer writer(run);
  Json json = {{"cause", std::string(causeName(found.cause))},
               {"tensor", writer.name(found.stay)},
               {"step", found.step.count()},
               {"wanted", found.wanted.count()},
               {"lower_bound", found.lowerBound.count()}};
  json["pools"] = Json::array();
  for (const Autopsy::Pool& pool : found.pools) {
    json["pools"].push_back({{"pool", writer.pool(pool.pool)},
                             {"capacity", pool.capacity.count()},
                             {"lower_bound", pool.lowerBound.count()},
                             {"live", pool.moment.live.count()},
                             {"free", pool.freeBytes.count()},
                             {"largest_free", pool.largestFree.count()},
                             {"sufficient", pool.sufficient.count()}});
  }
  json["message"] = autopsyText(run, found);
  return json;
}

}  // namespace hw
