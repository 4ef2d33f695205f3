#include "core/check/audit_run.h"

#include <algorithm>
#include <optional>

namespace hw {
namespace {

using Place = AuditedRunParts::Place;

/// What the file says, as a problem and the plan of it.
struct Stated {
  Problem problem{};
  Plan plan{};
};

/// "device/L2" is nearer than what is listed after it of the same device, and than what belongs to
/// no device: that is of several.
Stated withPools(const std::vector<AuditedRunParts::Pool>& pools) {
  const auto deviceOf = [](const std::string& name) { return name.substr(0, name.find('/') + 1); };
  Stated stated;
  std::size_t deepest = 0;
  for (const AuditedRunParts::Pool& pool : pools) {
    const std::string device = deviceOf(pool.name);
    const auto before = std::ranges::count_if(stated.problem.pools, [&](const ProblemPool& other) {
      return deviceOf(other.name) == device;
    });
    const auto level = static_cast<std::size_t>(before);
    if (!device.empty()) deepest = std::max(deepest, level + 1);
    stated.problem.pools.add({.name = pool.name, .level = level});
    stated.plan.regions.add({pool.size});
  }
  for (ProblemPool& pool : stated.problem.pools) {
    if (deviceOf(pool.name).empty()) pool.level += deepest;
  }
  return stated;
}

/// The stays of a planning problem: it says itself when they live.
std::optional<Stated> problemStays(const AuditedRunParts& parts) {
  Stated stated = withPools(parts.pools);
  Problem problem = *parts.model->problem;
  problem.pools = std::move(stated.problem.pools);
  for (const StayId id : problem.stays.keys()) {
    const TensorId tensor = parts.storage.rootOf(problem.stays[id].buffer);
    const std::vector<Place>& places = parts.places[tensor];
    const bool one = std::ranges::all_of(
        places, [&](const Place& place) { return place.address == places.front().address; });
    if (places.empty() || !one) return std::nullopt;
    problem.stays[id].pool = places.front().address.pool;
    stated.plan.addresses.add(places.front().address);
  }
  stated.problem = std::move(problem);
  return stated;
}

/// Where a buffer is, by what its tensors say, ascending. In one place only it is there for life;
/// in several, each lasts as long as some tensor is said to be there.
std::vector<Place> placesOf(const AuditedRunParts& parts, const Buffer& buffer) {
  std::vector<Place> places;
  for (const TensorId id : buffer.tensors) {
    for (Place place : parts.places[id]) {
      place.address.offset -= parts.storage.slots[id]->offset;
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

std::optional<Stated> graphStays(const AuditedRunParts& parts) {
  Stated stated = withPools(parts.pools);
  Problem& problem = stated.problem;
  problem.steps = std::max(parts.schedule.steps(), Step(1));
  for (const BufferId id : parts.storage.buffers.keys()) {
    const Buffer& buffer = parts.storage.buffers[id];
    const std::vector<Place> places = placesOf(parts, buffer);
    if (places.empty()) return std::nullopt;
    for (const Place& place : places) {
      problem.stays.add({.buffer = id,
                         .steps = place.steps,
                         .size = buffer.size,
                         .alignment = parts.alignment,
                         .pool = place.address.pool,
                         .outlives = buffer.graphOutput && place.steps.end == problem.steps});
      stated.plan.addresses.add(place.address);
    }
  }
  return stated;
}

/// Each between the stays of its buffer that are in its pools at its step.
std::vector<Move> movesBetween(const Problem& problem, std::size_t buffers,
                               const std::vector<AuditedRunParts::Moved>& moved) {
  IdMap<BufferId, std::vector<StayId>> stays(buffers);
  for (const StayId id : problem.stays.keys()) stays[problem.stays[id].buffer].push_back(id);
  std::vector<Move> moves;
  for (const auto& [buffer, from, to, step] : moved) {
    Move move{.buffer = buffer, .step = step};
    for (const StayId id : stays[buffer]) {
      const Stay& stay = problem.stays[id];
      if (!stay.steps.contains(step)) continue;
      if (stay.pool == from) move.from = id;
      if (stay.pool == to) move.to = id;
    }
    const bool whole = bool(move.from) == bool(from) && bool(move.to) == bool(to);
    moves.push_back(whole ? move : Move{.buffer = buffer, .step = step});
  }
  return moves;
}

}  // namespace

std::shared_ptr<const Run> assembleRun(AuditedRunParts parts) {
  const bool bare = parts.model->problem.has_value();
  auto stated = bare ? problemStays(parts) : graphStays(parts);
  if (!stated) return nullptr;
  if (!bare) {
    stated->problem.moves =
        movesBetween(stated->problem, parts.storage.buffers.size(), parts.moves);
  }
  const auto run = std::make_shared<Run>();
  run->model = std::move(parts.model);
  run->sharing.alignment = parts.alignment;
  run->schedule = std::move(parts.schedule);
  run->storage = std::move(parts.storage);
  run->problem = std::move(stated->problem);
  run->plan = std::move(stated->plan);
  return run;
}

}  // namespace hw
