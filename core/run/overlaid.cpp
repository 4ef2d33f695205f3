#include "core/run/overlaid.h"

#include <algorithm>

#include "core/storage/overlays.h"

namespace hw {
namespace {

StayId stayOf(const Storage& storage, TensorId tensor) {
  return StayId(storage.slots[tensor]->buffer.index());
}

std::vector<OverlayChance> chancesTaken(const Run& run) {
  std::vector<OverlayChance> taken;
  for (const OverlayChance& chance : overlayChances(run.graph(), run.schedule, run.storage)) {
    const StayId stay = stayOf(run.storage, chance.output);
    if (run.plan.inputUnder(run.problem, stay) == stayOf(run.storage, chance.input)) {
      taken.push_back(chance);
    }
  }
  return taken;
}

/// What the method wrote down speaks of stays that are going to be others.
void nameStays(const Run& run, std::vector<MethodTable>& tables) {
  for (MethodTable& table : tables) {
    for (auto& row : table.rows) {
      for (MethodCell& cell : row) {
        if (const auto* stay = std::get_if<StayId>(&cell)) cell = run.stayName(*stay);
      }
    }
  }
}

}  // namespace

std::vector<Overlay> permittedOverlays(const Run& run) {
  std::vector<Overlay> overlays;
  if (!run.config.allocator.info->overlays || !run.config.alias.inPlace) return overlays;
  for (const OverlayChance& chance : overlayChances(run.graph(), run.schedule, run.storage)) {
    overlays.push_back({stayOf(run.storage, chance.input), stayOf(run.storage, chance.output)});
  }
  std::ranges::sort(overlays, {},
                    [](const Overlay& each) { return std::pair(each.stay, each.over); });
  return overlays;
}

void adoptOverlays(Run& run, Problem (*problemOf)(const Run&)) {
  const std::vector<OverlayChance> taken = chancesTaken(run);
  nameStays(run, run.plan.tables);
  const Storage before = run.storage;
  run.storage = overlay(run.graph(), std::move(run.storage), taken);
  Problem problem = problemOf(run);
  problem.overlays.clear();
  problem.pools = run.problem.pools;
  Plan plan = run.plan;
  plan.addresses = IdMap<StayId, std::optional<Address>>(problem.stays.size());
  plan.story.clear();
  for (const StayId id : problem.stays.keys()) {
    const TensorId root = run.storage.buffers[problem.stays[id].buffer].root;
    const StayId old = stayOf(before, root);
    problem.stays[id].pool = run.problem.stays[old].pool;
    plan.addresses[id] = run.plan.addresses[old];
  }
  run.plan = finishPlan(problem, std::move(plan));
  run.problem = std::move(problem);
}

}  // namespace hw
