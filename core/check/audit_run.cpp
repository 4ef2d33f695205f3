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
  if (one && !joined.empty() && parts.moves.empty())
    joined = {{joined.front().address, buffer.steps}};
  return joined;
}

bool addGraphStays(Run& run, const AuditedRunParts& parts) {
  run.problem.steps = std::max(run.schedule.steps(), Step(1));
  for (const BufferId id : run.storage.buffers.keys()) {
    const Buffer& buffer = run.storage.buffers[id];
    const std::vector<Place> places = placesOf(run, parts, buffer);
    if (places.empty()) return false;
    for (const Place& place : places) {
      run.problem.stays.add(
          {.buffer = id,
           .steps = place.steps,
           .size = buffer.size,
           .alignment = run.sharing.alignment,
           .pool = place.address.pool,
           .outlives = buffer.graphOutput && place.steps.end == run.problem.steps});
      run.plan.addresses.add(place.address);
    }
  }
  return true;
}

void addMoves(Run& run, const std::vector<AuditedRunParts::Moved>& moves) {
  IdMap<BufferId, std::vector<StayId>> stays(run.storage.buffers.size());
  for (const StayId id : run.problem.stays.keys()) {
    stays[run.problem.stays[id].buffer].push_back(id);
  }
  for (const auto& [buffer, from, to, step] : moves) {
    Move move{.buffer = buffer, .step = step};
    for (const StayId id : stays[buffer]) {
      const Stay& stay = run.problem.stays[id];
      if (!stay.steps.contains(step)) continue;
      if (stay.pool == from) move.from = id;
      if (stay.pool == to) move.to = id;
    }
    const bool whole = bool(move.from) == bool(from) && bool(move.to) == bool(to);
    run.problem.moves.push_back(whole ? move : Move{.buffer = buffer, .step = step});
  }
}

/// "device/L2" is nearer than what is listed after it of the same device.
void addPools(Run& run, const std::vector<AuditedRunParts::Pool>& pools) {
  const auto deviceOf = [](const std::string& name) { return name.substr(0, name.find('/') + 1); };
  for (const AuditedRunParts::Pool& pool : pools) {
    const auto level = std::ranges::count_if(run.problem.pools, [&](const ProblemPool& before) {
      return deviceOf(before.name) == deviceOf(pool.name);
    });
    run.problem.pools.add({.name = pool.name, .level = static_cast<std::size_t>(level)});
    run.plan.regions.add({pool.size});
  }
}

}  // namespace

std::shared_ptr<const Run> assembleRun(AuditedRunParts parts) {
  const auto run = std::make_shared<Run>();
  run->model = std::move(parts.model);
  run->sharing.alignment = parts.alignment;
  run->schedule = givenOrder(run->graph());
  run->storage = std::move(parts.storage);
  addPools(*run, parts.pools);
  const bool whole =
      run->model->problem ? addProblemStays(*run, parts) : addGraphStays(*run, parts);
  if (whole && !run->model->problem) addMoves(*run, parts.moves);
  return whole ? run : nullptr;
}

}  // namespace hw
