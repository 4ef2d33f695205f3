#include "core/run/overlaid.h"

#include <algorithm>
#include <functional>

#include "core/machine/memory_model.h"
#include "core/storage/overlays.h"

namespace hw {
namespace {

StayId stayOf(const Storage& storage, TensorId tensor) {
  return StayId(storage.bufferOf(tensor).index());
}

/// Renames stays in the records and tables of the method, from those of `old` to those of
/// `after`, in which several may be one.
class Relinking {
 public:
  Relinking(const Storage& before, const Problem& old, const Storage& after)
      : before_(before), old_(old), after_(after), tenants_(after.buffers.size()) {
    for (const Stay& stay : old.stays) ++tenants_[after.bufferOf(before.rootOf(stay.buffer))];
  }

  void relink(Plan& plan) const {
    for (MethodTable& table : plan.tables) std::ranges::for_each(table.rows, row());
    for (MethodRecord& record : plan.records) {
      for (MethodChange& change : record.changes) {
        row()(change.before);
        row()(change.after);
      }
      for (MethodTick& tick : record.ticks) {
        if (!tick.stay) continue;
        const MethodCell now = cell(tick.stay);
        if (const auto* part = std::get_if<StayPart>(&now)) tick.part = *part;
        tick.stay = stayOfCell(now);
      }
    }
  }

 private:
  MethodCell cell(StayId stay) const {
    const Stay& was = old_.stays[stay];
    const TensorId tensor = before_.rootOf(was.buffer);
    const BufferId buffer = after_.bufferOf(tensor);
    if (tenants_[buffer] == 1) return StayId(buffer.index());
    return StayPart{StayId(buffer.index()), tensor, was.steps, was.size};
  }

  std::function<void(MethodRow&)> row() const {
    return [this](MethodRow& row) {
      for (MethodCell& each : row) {
        const auto* stay = std::get_if<StayId>(&each);
        if (stay && *stay) each = cell(*stay);
      }
    };
  }

  const Storage& before_;
  const Problem& old_;
  const Storage& after_;
  IdMap<BufferId, int> tenants_;  ///< How many of the old stays became one.
};

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

std::vector<Overlap> permittedOverlaps(const Graph& graph, const Schedule& schedule,
                                       const Storage& storage, const DeviceSpec& device,
                                       Bytes alignment) {
  std::vector<Overlap> overlaps;
  for (const OverlapChance& chance : overlapChances(graph, schedule, storage)) {
    const bool parts = !chance.op;
    const auto unit = std::ranges::find_if(device.units, [&](const UnitSpec& each) {
      return !parts && coversOp(each.ops, graph.ops[chance.op].type);
    });
    if (!parts && unit == device.units.end()) continue;
    Overlap overlap{.under = stayOf(storage, chance.input),
                    .over = stayOf(storage, chance.output),
                    .parts = parts};
    const auto useful = [&](bool can, Bytes distance, TensorId apart) -> std::optional<Bytes> {
      const Bytes least = alignUp(distance, alignment);
      const Buffer& whole = storage.buffers[storage.bufferOf(apart)];
      return can && least < whole.size ? std::optional(least) : std::nullopt;
    };
    overlap.up = useful(parts || unit->kernels.forward, chance.up, chance.output);
    overlap.down = useful(parts || unit->kernels.reverse, chance.down, chance.input);
    if (overlap.up || overlap.down) overlaps.push_back(overlap);
  }
  std::ranges::sort(overlaps, {}, &Overlap::over);
  return overlaps;
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

Planned overlaidPlan(const Storage& before, Planned planned, const Storage& after,
                     Problem problem) {
  const Problem& old = planned.problem;
  Plan plan = std::move(planned.plan);
  Relinking(before, old, after).relink(plan);
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
