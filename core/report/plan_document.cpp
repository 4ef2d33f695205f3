#include "core/report/plan_document.h"

#include <algorithm>
#include <limits>

#include "core/report/tensor_names.h"

namespace hw {
namespace {

Json optionValue(const Params& params, const ParamSpec& spec) {
  switch (spec.type) {
    case ParamType::size:
      return params.size(spec).count();
    case ParamType::integer:
      return params.integer(spec);
    case ParamType::number:
      return params.number(spec);
    case ParamType::choice:
      return params.choice(spec);
    case ParamType::flag:
      return params.flag(spec);
    case ParamType::text:
      return params.text(spec);
  }
  return nullptr;
}

/// Some pool is cut into several blocks: the method hands out blocks, not addresses.
bool handsOutBlocks(const Plan& plan) {
  return std::ranges::any_of(plan.regions, [](const auto& regions) { return regions.size() > 1; });
}

/// Collects placements; knows how stays and tensors of a run hang together.
class Describer {
 public:
  Describer(const Run& run, std::size_t most)
      : run_(run), most_(most), blocks_(handsOutBlocks(run.plan)) {}

  PlacementList placements() {
    if (run_.model->problem) {
      for (const StayId id : run_.problem.stays.keys()) addStay(id);
    } else {
      addTensors();
    }
    nameTensors();
    return std::move(list_);
  }

 private:
  void addStay(StayId id) {
    const TensorId tensor = run_.stayTensor(id);
    if (run_.problem.gaps.empty()) {
      add(id, run_.problem.stays[id].steps, {.tensor = tensor});
      return;
    }
    for (const Interval<Step>& steps : run_.problem.liveSteps(id)) {
      add(id, steps, {.tensor = tensor});
    }
  }

  void addTensors() {
    const Storage& storage = run_.storage;
    IdMap<BufferId, std::vector<StayId>> stays(storage.buffers.size());
    for (const StayId id : run_.problem.stays.keys()) {
      stays[run_.problem.stays[id].buffer].push_back(id);
    }
    for (const TensorId id : storage.slots.keys()) {
      const auto& slot = storage.slots[id];
      if (!slot) continue;
      const TensorId root = storage.buffers[slot->buffer].root;
      for (const StayId stay : stays[slot->buffer]) {
        add(stay, storage.lifetimes[id],
            {.tensor = id, .root = root == id ? TensorId() : root, .offset = slot->offset});
      }
    }
  }

  /// What lies in a stay: a tensor, and the one it shares memory with.
  struct Tenant {
    TensorId tensor{};
    TensorId root{};  ///< None: the tensor itself.
    Bytes offset{};   ///< Inside the stay.
  };

  /// Adds a placement for the steps that the stay and the tensor have in common.
  void add(StayId id, Interval<Step> steps, const Tenant& tenant) {
    const auto& address = run_.plan.addresses[id];
    const Stay& stay = run_.problem.stays[id];
    steps = {std::max(steps.begin, stay.steps.begin), std::min(steps.end, stay.steps.end)};
    if (!address || steps.empty() || ++list_.count > most_) return;
    const auto& exact = run_.graph().tensors[tenant.tensor].bytes;
    Placement placement{.pool = run_.problem.pools[address->pool].name,
                        .offset = *run_.plan.flatOffset(id) + tenant.offset,
                        .size = run_.model->problem ? exact.value_or(stay.size) : exact,
                        .first = steps.begin,
                        .last = steps.end - Step(1)};
    if (blocks_) placement.block = blockOf(*address);
    list_.first.push_back(std::move(placement));
    tenants_.push_back(tenant);
  }

  void nameTensors() {
    std::vector<TensorId> wanted;
    for (const Tenant& tenant : tenants_) {
      wanted.push_back(tenant.tensor);
      if (tenant.root) wanted.push_back(tenant.root);
    }
    std::vector<std::string> names = namesOf(run_.graph(), wanted);
    auto next = names.begin();
    for (std::size_t i = 0; i < tenants_.size(); ++i) {
      list_.first[i].tensor = std::move(*next++);
      if (tenants_[i].root) list_.first[i].aliasOf = std::move(*next++);
    }
  }

  /// Blocks are counted through all pools.
  std::size_t blockOf(const Address& address) const {
    std::size_t block = address.region.index();
    for (const PoolId pool : run_.plan.regions.keys()) {
      if (pool < address.pool) block += run_.plan.regions[pool].size();
    }
    return block;
  }

  const Run& run_;
  std::size_t most_;
  bool blocks_;
  PlacementList list_;
  std::vector<Tenant> tenants_;  ///< Of the placements in the list.
};

}  // namespace

std::string aliasText(const AliasRules& rules) {
  if (rules == AliasRules::none()) return "none";
  if (rules == AliasRules()) return "views";
  if (rules == AliasRules::all()) return "all";
  std::string text;
  const auto add = [&](bool on, const char* name) {
    if (on) text += (text.empty() ? "" : ",") + std::string(name);
  };
  add(rules.reshape, "reshape");
  add(rules.concat, "concat");
  add(rules.split, "split");
  add(rules.inPlace, "in-place");
  return text;
}

Json allocatorOptions(const AllocatorChoice& choice) {
  Json options = Json::object();
  for (const ParamSpec& spec : choice.info->params) {
    options[std::string(spec.name)] = optionValue(choice.params, spec);
  }
  return options;
}

PlacementList firstPlacements(const Run& run, std::size_t most) {
  return Describer(run, most).placements();
}

PlanDocument describePlan(const Run& run) {
  constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  PlanDocument document{.modelName = run.model->name,
                        .modelSha256 = run.model->sha256,
                        .allocator = std::string(run.config.allocator.info->name),
                        .options = allocatorOptions(run.config.allocator),
                        .alignment = run.alignment,
                        .status = std::string(statusName(run.plan.status)),
                        .lowerBound = run.metrics.lowerBound,
                        .placements = firstPlacements(run, kAll).first};
  for (const PoolId pool : run.problem.pools.keys()) {
    document.pools.push_back({.name = run.problem.pools[pool].name,
                              .capacity = run.problem.pools[pool].capacity,
                              .peak = run.plan.footprint(pool)});
  }
  if (handsOutBlocks(run.plan)) {
    for (const auto& regions : run.plan.regions) {
      document.blocks.insert(document.blocks.end(), regions.begin(), regions.end());
    }
  }
  if (!run.model->problem) {
    // What was done, which is not what was asked for where the method cannot do it.
    const AllocatorInfo& info = *run.config.allocator.info;
    document.alias = aliasText(info.perDevice ? AliasRules::none() : run.config.alias);
    document.planInputs = run.config.planInputs && info.plansInputs;
    document.planOutputs = run.config.planOutputs;
  }
  return document;
}

}  // namespace hw
