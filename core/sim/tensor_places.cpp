#include "core/sim/tensor_places.h"

#include <algorithm>

#include "core/base/check.h"

namespace hw {

TensorPlaces::TensorPlaces(const SimulationInput& input)
    : input_(input),
      machine_(machinePools(input.platform,
                            input.partition == nullptr ? 1 : input.platform.devices.size())),
      staysOf_(input.storage.buffers.size()) {
  check(input.problem.pools.size() <= machine_.pools.size(), "devices with the problem's pools");
  for (const StayId id : input.problem.stays.keys()) {
    const BufferId buffer = input.problem.stays[id].buffer;
    if (staysOf_.contains(buffer)) staysOf_[buffer].push_back(id);
  }
}

PoolId TensorPlaces::poolOf(StayId stay) const {
  const auto& address = input_.plan.addresses[stay];
  return address ? address->pool : PoolId();
}

std::optional<std::size_t> TensorPlaces::rankOf(PoolId pool, std::uint32_t device) const {
  const auto& pools = machine_.ofDevice[device];
  const auto found = std::ranges::find(pools, pool);
  if (found == pools.end()) return std::nullopt;
  return static_cast<std::size_t>(found - pools.begin());
}

std::optional<std::uint32_t> TensorPlaces::deviceWith(PoolId one, PoolId other) const {
  for (std::uint32_t device = 0; device < machine_.ofDevice.size(); ++device) {
    if (rankOf(one, device) && rankOf(other, device)) return device;
  }
  return std::nullopt;
}

TensorPlaces::Place TensorPlaces::find(TensorId tensor, std::uint32_t device, Step step) const {
  Place place{.pool = farPool(device)};
  const BufferId buffer = input_.storage.bufferOf(tensor);
  if (!buffer) return place;
  std::optional<std::size_t> best;
  for (const StayId id : staysOf_[buffer]) {
    const Interval<Step>& steps = input_.problem.stays[id].steps;
    if (!steps.contains(step)) continue;
    const PoolId pool = poolOf(id);
    if (!pool) {
      place.planned = true;
      continue;
    }
    const auto rank = rankOf(pool, device);
    if (!rank) continue;  // It is another device's copy.
    const bool later = place.stay && steps.begin >= input_.problem.stays[place.stay].steps.begin;
    if (best && (*rank > *best || (*rank == *best && !later))) continue;
    best = rank;
    place.pool = pool;
    place.stay = id;
  }
  return place;
}

TensorPlaces::Ends TensorPlaces::endsOf(const DeviceTransfer& transfer) const {
  Ends ends;
  const auto lives = [&](StayId id, std::uint32_t device) {
    const PoolId pool = poolOf(id);
    return pool && rankOf(pool, device) && input_.problem.stays[id].steps.contains(transfer.step);
  };
  const auto begin = [&](StayId id) { return input_.problem.stays[id].steps.begin; };
  for (const StayId id : staysOf_[transfer.buffer]) {
    if (lives(id, transfer.to) && (!ends.to || begin(id) > begin(ends.to))) ends.to = id;
  }
  for (const StayId id : staysOf_[transfer.buffer]) {
    if (!ends.from && id != ends.to && lives(id, transfer.from)) ends.from = id;
  }
  return ends;
}

std::uint32_t TensorPlaces::lifeAt(StayId stay, Step step) const {
  if (input_.problem.gaps.empty()) return 0;
  std::uint32_t life = 0;
  for (const Interval<Step>& live : input_.problem.liveSteps(stay)) {
    if (live.end > step) break;
    ++life;
  }
  return life;
}

}  // namespace hw
