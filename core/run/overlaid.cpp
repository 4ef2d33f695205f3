#include "core/run/overlaid.h"

#include <algorithm>

#include "core/storage/overlays.h"

namespace hw {
namespace {

StayId stayOf(const Storage& storage, TensorId tensor) {
  return StayId(storage.bufferOf(tensor).index());
}

/// What the method wrote down speaks of stays that are going to be others.
void nameStays(const Graph& graph, const Storage& storage, const Problem& problem, Plan& plan) {
  const auto nameOf = [&](StayId stay) {
    return displayName(graph, storage.rootOf(problem.stays[stay].buffer));
  };
  const auto nameRow = [&](MethodRow& row) {
    for (MethodCell& cell : row) {
      const auto* stay = std::get_if<StayId>(&cell);
      if (stay) cell = nameOf(*stay);
    }
  };
  for (MethodTable& table : plan.tables) std::ranges::for_each(table.rows, nameRow);
  for (MethodRecord& record : plan.records) {
    for (MethodChange& change : record.changes) {
      nameRow(change.before);
      nameRow(change.after);
    }
    for (MethodTick& tick : record.ticks) {
      if (tick.stay) tick.what = nameOf(std::exchange(tick.stay, {})) + " " + tick.what;
    }
  }
}

}  // namespace

std::vector<Overlay> permittedOverlays(const Graph& graph, const Schedule& schedule,
                                       const Storage& storage) {
  std::vector<Overlay> overlays;
  for (const OverlayChance& chance : overlayChances(graph, schedule, storage)) {
    overlays.push_back({stayOf(storage, chance.input), stayOf(storage, chance.output)});
  }
  std::ranges::sort(overlays, {},
                    [](const Overlay& each) { return std::pair(each.stay, each.over); });
  return overlays;
}

Storage overlaidStorage(const Graph& graph, const Schedule& schedule, const Storage& storage,
                        const Planned& planned) {
  std::vector<OverlayChance> taken;
  for (const OverlayChance& chance : overlayChances(graph, schedule, storage)) {
    const StayId under = planned.plan.inputUnder(planned.problem, stayOf(storage, chance.output));
    if (under == stayOf(storage, chance.input)) taken.push_back(chance);
  }
  return overlay(graph, storage, taken);
}

Planned overlaidPlan(const Graph& graph, const Storage& before, Planned planned,
                     const Storage& after, Problem problem) {
  const Problem& old = planned.problem;
  Plan plan = std::move(planned.plan);
  nameStays(graph, before, old, plan);
  const bool told = !plan.story.empty();
  plan.story.clear();
  const auto addresses = std::exchange(plan.addresses, {});
  for (Stay& stay : problem.stays) {
    const StayId root = stayOf(before, after.rootOf(stay.buffer));
    stay.pool = old.stays[root].pool;
    plan.addresses.add(addresses[root]);
  }
  problem.pools = old.pools;
  plan = finishPlan(problem, std::move(plan), told);
  return {std::move(problem), std::move(plan)};
}

}  // namespace hw
