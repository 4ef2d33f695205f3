#include "core/check/audit_run.h"

#include <algorithm>

namespace hw {
namespace {

using Place = AuditedRunParts::Place;

/// The stays of a planning problem: it says itself when they live.
bool addProblemStays(Run& run, const AuditedRunParts& parts) {
  const auto pools = run.problem.pools;
  run.problem = *run.model->problem;
  run.problem.pools = pools;
  for (const StayId id : run.problem.stays.keys()) {
    const std::vector<Place>& places = parts.places[run.stayTensor(id)];
    const bool one = std::ranges::all_of(
        places, [&](const Place& place) { return place.address == places.front().address; });
    if (places.empty() || !one) return false;
    run.problem.stays[id].pool = places.front().address.pool;
    run.plan.addresses.add(places.front().address);
  }
  return true;
}

/// Where a buffer is, by what its tensors say, ascending. In one place only it is there for life;
/// in several, each lasts as long as some tensor is said to be there.
std::vector<Place> placesOf(const Run& run, const AuditedRunParts& parts, const Buffer& buffer) {
  std::vector<Place> places;
  for (const TensorId id : buffer.tensors) {
    for (Place place : parts.places[id]) {
      place.address.offset -= run.storage.slots[id]->offset;
      places.push_back(place);
    }
  }
  std::ranges::sort(places, {}, [](const Place& p) { return std::pair(p.address, p.steps); });
  std::vector<Place> joined;
  for (const Place& place : places) {
    const bool goesOn = !joined.empty() && joined.back().address == place.address &&
                        place.steps.begin <= joined.back().steps.end;
    if (!goesOn) {
      joined.push_back(place);
    } else {
      joined.back().steps.end = std::max(joined.back().steps.end, place.steps.end);
    }
  }
  const bool one = std::ranges::all_of(
      joined, [&](const Place& place) { return place.address == joined.front().address; });
  if (one && !joined.empty()) joined = {{joined.front().address, buffer.steps}};
  return joined;
}

bool addGraphStays(Run& run, const AuditedRunParts& parts) {
  run.problem.steps = std::max(run.schedule.steps(), Step(1));
  for (const BufferId id : run.storage.buffers.keys()) {
    const Buffer& buffer = run.storage.buffers[id];
    const std::vector<Place> places = placesOf(run, parts, buffer);
    if (places.empty()) return false;
    for (const Place& place : places) {
      run.problem.stays.add({.buffer = id,
                             .steps = place.steps,
                             .size = buffer.size,
                             .alignment = run.sharing.alignment,
                             .pool = place.address.pool,
                             .outlives = buffer.graphOutput});
      run.plan.addresses.add(place.address);
    }
  }
  return true;
}

}  // namespace

std::shared_ptr<const Run> assembleRun(AuditedRunParts parts) {
  const auto run = std::make_shared<Run>();
  run->model = std::move(parts.model);
  run->sharing.alignment = parts.alignment;
  run->schedule = givenOrder(run->graph());
  run->storage = std::move(parts.storage);
  for (const AuditedRunParts::Pool& pool : parts.pools) {
    run->problem.pools.add({.name = pool.name});
    run->plan.regions.add({pool.size});
  }
  const bool whole =
      run->model->problem ? addProblemStays(*run, parts) : addGraphStays(*run, parts);
  return whole ? run : nullptr;
}

}  // namespace hw
