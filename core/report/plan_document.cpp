#include "core/report/plan_document.h"

#include <algorithm>

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
  explicit Describer(const Run& run)
      : run_(run), names_(run.graph()), blocks_(handsOutBlocks(run.plan)) {}

  std::vector<Placement> placements() {
    if (run_.model->problem) {
      for (const StayId id : run_.problem.stays.keys()) addStay(id);
    } else {
      addTensors();
    }
    return std::move(placements_);
  }

 private:
  void addStay(StayId id) {
    const TensorId tensor = run_.stayTensor(id);
    for (const Interval<Step>& steps : run_.problem.liveSteps(id)) {
      add(id, steps,
          {.tensor = names_.of(tensor),
           .size = run_.graph().tensors[tensor].bytes.value_or(run_.problem.stays[id].size)});
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
            {.tensor = names_.of(id),
             .offset = slot->offset,
             .size = run_.graph().tensors[id].bytes,
             .aliasOf = root == id ? "" : names_.of(root)});
      }
    }
  }

  /// Completes `placement`, whose offset is still relative to the stay, for the steps that the
  /// stay and the tensor have in common.
  void add(StayId id, Interval<Step> steps, Placement placement) {
    const auto offset = run_.plan.flatOffset(id);
    const Stay& stay = run_.problem.stays[id];
    steps = {std::max(steps.begin, stay.steps.begin), std::min(steps.end, stay.steps.end)};
    if (!offset || steps.empty()) return;
    placement.pool = run_.problem.pools[run_.plan.addresses[id]->pool].name;
    placement.offset += *offset;
    placement.first = steps.begin;
    placement.last = steps.end - Step(1);
    if (blocks_) placement.block = blockOf(*run_.plan.addresses[id]);
    placements_.push_back(std::move(placement));
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
  TensorNames names_;
  bool blocks_;
  std::vector<Placement> placements_;
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

PlanDocument describePlan(const Run& run) {
  PlanDocument document{.modelName = run.model->name,
                        .modelSha256 = run.model->sha256,
                        .allocator = std::string(run.config.allocator.info->name),
                        .options = allocatorOptions(run.config.allocator),
                        .alignment = run.alignment,
                        .status = std::string(statusName(run.plan.status)),
                        .lowerBound = run.metrics.lowerBound,
                        .placements = Describer(run).placements()};
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
