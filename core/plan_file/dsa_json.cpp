#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>

#include "core/base/json.h"
#include "core/plan/constraint_use.h"
#include "core/plan_file/dsa_plan.h"
#include "core/plan_file/plan_writer.h"
#include "core/plan_file/tensor_names.h"
#include "core/run/planner.h"

// Files of dsa-solver: docs/formats/dsa.md. Keys of all objects are sorted, as there.

namespace hw {
namespace {

/// The reason of rules that no file of theirs states.
constexpr const char* kReason = "generic";

ParsedJson dsaPair(const StayPair& pair, const std::vector<std::uint32_t>& ids) {
  return {{"first", ids[pair.a.index()]}, {"second", ids[pair.b.index()]}};
}

ParsedJson dsaPools(const Problem& problem) {
  ParsedJson pools = ParsedJson::array();
  for (const PoolId id : problem.pools.keys()) {
    const ProblemPool& pool = problem.pools[id];
    ParsedJson each{{"id", id.index()},
                    {"name", pool.name},
                    {"capacity", nullptr},
                    {"reserved_ranges", ParsedJson::array()}};
    if (pool.capacity) each["capacity"] = pool.capacity->count();
    for (const Interval<Bytes>& range : pool.reserved) {
      each["reserved_ranges"].push_back(
          {{"begin", range.begin.count()}, {"end", range.end.count()}});
    }
    pools.push_back(std::move(each));
  }
  return pools;
}

/// Problems that are not of dsa-solver in its words.
class DsaDocument {
 public:
  DsaDocument(const Problem& problem, IdMap<StayId, std::string> names,
              std::vector<std::uint32_t> ids)
      : problem_(problem), names_(std::move(names)), ids_(std::move(ids)) {}

  ParsedJson json(const std::string& instance) const {
    const bool costs = !problem_.constraints.penalties.empty();
    ParsedJson problem{{"pools", dsaPools(problem_)},
                       {"buffers", buffersJson()},
                       {"constraints", constraintsJson()}};
    if (costs) problem["cost_model"] = {{"reuse_penalties", penaltiesJson()}};
    problem["objective"] = {{"aggregation", "lexicographic"},
                            {"terms", {"capacity_overflow", costs ? "reuse_cost" : "total_peak"}}};
    return {{"schema_version", 1},
            {"profile", profile()},
            {"instance", instance.empty() ? "problem" : instance},
            {"metadata", ParsedJson::object()},
            {"problem", std::move(problem)}};
  }

 private:
  /// The narrowest profile that holds it.
  const char* profile() const {
    const Constraints& rules = problem_.constraints;
    const bool pinned = std::ranges::any_of(
        problem_.stays, [](const Stay& stay) { return stay.pinned.has_value(); });
    const bool aligned = std::ranges::any_of(
        problem_.stays, [](const Stay& stay) { return stay.alignment != Bytes(1); });
    const bool plain = problem_.pools.size() == 1 && problem_.gaps.empty() && !pinned && !aligned &&
                       problem_.pools[PoolId(0)].reserved.empty() && rules.apart.empty() &&
                       rules.exclusive.empty() && rules.together.empty();
    if (plain && rules.penalties.empty()) return "standard_dsa";
    if (plain && problem_.pools[PoolId(0)].capacity) return "dsa_rp_v1";
    return "pypto_structured";
  }

  ParsedJson buffersJson() const {
    ParsedJson buffers = ParsedJson::array();
    for (const StayId id : problem_.stays.keys()) {
      const Stay& stay = problem_.stays[id];
      ParsedJson each{{"id", ids_[id.index()]},
                      {"name", names_[id]},
                      {"size", stay.size.count()},
                      {"alignment", stay.alignment.count()},
                      {"live_intervals", ParsedJson::array()},
                      {"allowed_pools", ParsedJson::array()}};
      for (const Interval<Step>& live : problem_.liveSteps(id)) {
        each["live_intervals"].push_back(
            {{"lower", live.begin.count()}, {"upper", live.end.count()}});
      }
      for (const PoolId pool : poolsFor(problem_, id)) {
        each["allowed_pools"].push_back(pool.index());
      }
      buffers.push_back(std::move(each));
    }
    return buffers;
  }

  ParsedJson constraintsJson() const {
    const Constraints& rules = problem_.constraints;
    ParsedJson json;
    for (const char* list :
         {"colocations", "separations", "temporal_exclusions", "pinned_allocations"}) {
      json[list] = ParsedJson::array();
    }
    for (const std::vector<StayId>& group : rules.together) {
      for (std::size_t i = 1; i < group.size(); ++i) {
        json["colocations"].push_back(dsaPair({group[0], group[i]}, ids_));
      }
    }
    for (const StayPair& pair : rules.apart) {
      json["separations"].push_back(dsaPair(pair, ids_));
      json["separations"].back()["reasons"] = {kReason};
    }
    for (const StayPair& pair : rules.exclusive) {
      json["temporal_exclusions"].push_back(dsaPair(pair, ids_));
    }
    for (const StayId id : problem_.stays.keys()) {
      const Stay& stay = problem_.stays[id];
      if (!stay.pinned) continue;
      json["pinned_allocations"].push_back({{"buffer", ids_[id.index()]},
                                            {"pool", problem_.poolOf(id).index()},
                                            {"offset", stay.pinned->count()},
                                            {"exclusive_for_all_time", false}});
    }
    return json;
  }

  ParsedJson penaltiesJson() const {
    ParsedJson list = ParsedJson::array();
    for (const ReusePenalty& penalty : problem_.constraints.penalties) {
      list.push_back(dsaPair(penalty.pair, ids_));
      list.back()["cost"] = penalty.cost;
      list.back()["reason"] = kReason;
    }
    return list;
  }

  const Problem& problem_;
  IdMap<StayId, std::string> names_;
  std::vector<std::uint32_t> ids_;  ///< By stay.
};

/// Names are texts of JSON, whatever bytes a file has for them.
std::string dumped(const ParsedJson& json) {
  return json.dump(2, ' ', false, ParsedJson::error_handler_t::replace) + "\n";
}

Result<void> checkGroupsOfOnePool(const Problem& problem) {
  for (const std::vector<StayId>& group : problem.constraints.together) {
    std::vector<PoolId> shared = poolsFor(problem, group.front());
    for (const StayId id : group) {
      const std::vector<PoolId> pools = poolsFor(problem, id);
      std::erase_if(shared,
                    [&](PoolId pool) { return std::ranges::find(pools, pool) == pools.end(); });
    }
    if (!shared.empty()) continue;
    return fail(ErrorCode::unsupported,
                fmt::format("stays {} and {} lie at one offset of several pools; a problem of "
                            "dsa-solver has one pool for all that begin together",
                            group.front().index(), group.back().index()));
  }
  return {};
}

std::string documentOf(const Model& model) {
  if (model.dsa) return model.dsa->document;
  const Problem& problem = *model.problem;
  IdMap<StayId, std::string> names(problem.stays.size());
  std::vector<std::uint32_t> ids;
  for (const StayId id : problem.stays.keys()) {
    const TensorId tensor(problem.stays[id].buffer.index());
    names[id] = model.graph->tensors[tensor].name;
    ids.push_back(static_cast<std::uint32_t>(tensor.index()));
  }
  return dumped(DsaDocument(problem, std::move(names), std::move(ids)).json(model.name));
}

}  // namespace

Result<void> writeDsaProblem(const Model& model, const StorageOptions& options, std::ostream& out) {
  if (model.problem) {
    if (!model.dsa) HW_DO(checkGroupsOfOnePool(*model.problem));
    out << documentOf(model);
    return {};
  }
  HW_TRY(bare, bareProblemOf(model, options));
  const auto& [storage, problem] = bare;
  HW_DO(checkGroupsOfOnePool(problem));
  IdMap<StayId, std::string> names(problem.stays.size());
  std::vector<std::uint32_t> ids;
  for (const StayId id : problem.stays.keys()) {
    const Buffer& buffer = storage.buffers[problem.stays[id].buffer];
    names[id] = tensorIdText(*model.graph, buffer.root);
    ids.push_back(static_cast<std::uint32_t>(buffer.root.index()));
  }
  out << dumped(DsaDocument(problem, std::move(names), std::move(ids)).json(model.name));
  return {};
}

Result<void> writeDsaSolution(const Run& run, std::ostream& out) {
  if (!run.model->dsa) {
    return fail(ErrorCode::unsupported,
                "the plan is not of a problem of dsa-solver (dsa-problem-v1)");
  }
  const DsaProblem& dsa = *run.model->dsa;
  std::map<std::uint32_t, ParsedJson> byBuffer;  // In the order of their numbers.
  for (const StayId id : run.problem.stays.keys()) {
    const auto& address = run.plan.addresses[id];
    if (!address) continue;
    if (!dsa.pools.contains(address->pool)) {
      return fail(ErrorCode::unsupported, "the plan uses a pool that the problem does not have");
    }
    const std::uint32_t buffer = dsa.buffers[run.stayTensor(id)];
    byBuffer[buffer] = {{"buffer", buffer},
                        {"pool", dsa.pools[address->pool]},
                        {"offset", run.plan.flatOffset(id)->count()}};
  }
  ParsedJson placements = ParsedJson::array();
  for (auto& [buffer, placement] : byBuffer) placements.push_back(std::move(placement));
  out << dumped({{"schema_version", 1},
                 {"profile", dsa.profile},
                 {"instance", dsa.instance},
                 {"problem_fingerprint", dsaFingerprint(dsa)},
                 {"metadata", {{"solver", "highwater " + run.request.allocator.text()}}},
                 {"placements", std::move(placements)}});
  return {};
}

}  // namespace hw
