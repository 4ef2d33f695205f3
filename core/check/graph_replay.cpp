#include "core/check/graph_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace hw {

GraphReplay::GraphReplay(const Run& run, ReplayStage& stage)
    : run_(run),
      stage_(stage),
      contents_(tensorContents(run.graph(), run.schedule, run.storage)),
      inPlace_(run.storage.inPlace.begin(), run.storage.inPlace.end()),
      presencesOf_(run.storage.buffers.size()) {
  collectPresences();
  orderMoves();
  mapDevices();
  checkTensors();
  findRowPlays();
}

void GraphReplay::collectPresences() {
  for (const StayId id : run_.problem.stays.keys()) {
    const BufferId buffer = run_.problem.stays[id].buffer;
    if (!presencesOf_.contains(buffer)) continue;
    for (const Interval<Step>& steps : run_.problem.liveSteps(id)) {
      turns_.push_back({steps.begin, true, presences_.size()});
      turns_.push_back({steps.end, false, presences_.size()});
      presencesOf_[buffer].push_back(presences_.size());
      presences_.push_back({id, buffer, steps});
    }
  }
  for (auto& list : presencesOf_) {
    std::ranges::stable_sort(list, {}, [&](std::size_t i) { return presences_[i].steps; });
  }
  std::ranges::sort(turns_);
}

void GraphReplay::mapDevices() {
  if (run_.partition.deviceOf.empty()) return;
  const Platform& platform = run_.request.platform;
  const MachinePools machine = machinePools(platform, platform.devices.size());
  if (machine.pools.size() == run_.problem.pools.size()) poolsOfDevice_ = machine.ofDevice;
}

void GraphReplay::checkTensors() {
  for (const TensorId id : run_.storage.slots.keys()) {
    const auto& slot = run_.storage.slots[id];
    if (!slot) continue;
    const auto complain = [&](const char* what) {
      stage_.report(run_.storage.lifetimes[id].begin, fmt::format("'{}' {}", nameOf(id), what));
    };
    if (!presencesOf_.contains(slot->buffer) || presencesOf_[slot->buffer].empty()) {
      complain("has no stay");
      continue;
    }
    for (const std::size_t i : presencesOf_[slot->buffer]) {
      const auto& whole = stage_.span(presences_[i].stay);
      if (!whole || spanOf(id, presences_[i])) continue;
      complain("reaches out of its buffer");
      break;
    }
  }
}

std::vector<const GraphReplay::Presence*> GraphReplay::presencesAt(TensorId id, Step step) const {
  std::vector<const Presence*> found;
  const auto& slot = run_.storage.slots[id];
  if (!slot || !presencesOf_.contains(slot->buffer)) return found;
  for (const std::size_t i : presencesOf_[slot->buffer]) {
    if (presences_[i].steps.contains(step)) found.push_back(&presences_[i]);
  }
  return found;
}

std::string GraphReplay::placeOf(const Presence& presence) const {
  const auto& span = stage_.span(presence.stay);
  if (!span || !run_.problem.pools.contains(span->pool)) return "nowhere";
  return run_.problem.pools[span->pool].name;
}

void GraphReplay::play() {
  const Graph& graph = run_.graph();
  nextTurn_ = 0;
  nextMove_ = 0;
  takeTurns(Step());
  for (const TensorId id : graph.inputs) writeInput(id);
  for (const OpId op : run_.schedule.order) {
    const Step step = run_.schedule.stepOf[op];
    stage_.tell(static_cast<double>(step.count()) /
                static_cast<double>(run_.schedule.steps().count()));
    takeTurns(step);
    playMoves(step, false);
    if (!graph.ops[op].folded) playOp(op, step);
    playMoves(step, true);
    if (stage_.full()) return;
  }
  const Step last = std::max(Step(), run_.schedule.steps() - Step(1));
  for (const TensorId id : std::set(graph.outputs.begin(), graph.outputs.end())) {
    verifyEnds(id, last);
  }
}

/// Where moves are told, an output has to be where it stays.
void GraphReplay::verifyEnds(TensorId id, Step last) {
  constexpr const char* kReader = "after the last op";
  if (!hasMoves()) return verifyTensor(id, last, kReader);
  const auto there = presencesAt(id, last);
  const auto ends = [&](const Presence* at) { return run_.problem.stays[at->stay].outlives; };
  if (run_.storage.slots[id] && std::ranges::none_of(there, ends)) {
    stage_.report(last, fmt::format("{}: '{}' is in no memory", kReader, nameOf(id)));
  }
  for (const Presence* presence : there) {
    if (ends(presence)) verifyAt(id, *presence, last, kReader);
  }
}

/// Loads from the furthest pool first, then the op, then stores from the nearest first.
void GraphReplay::orderMoves() {
  moves_ = run_.problem.moves;
  const auto depth = [&](const Move& move) {
    const auto level = [&](StayId id) {
      const auto& pools = run_.problem.pools;
      return id ? static_cast<int>(pools[run_.problem.poolOf(id)].level) : 1 << 16;
    };
    return isStore(run_.problem, move) ? level(move.from) : -level(move.from);
  };
  std::ranges::stable_sort(moves_, {}, [&](const Move& move) {
    return std::tuple(move.step, isStore(run_.problem, move), depth(move));
  });
}

void GraphReplay::playMoves(Step step, bool stores) {
  for (; nextMove_ < moves_.size(); ++nextMove_) {
    const Move& move = moves_[nextMove_];
    if (move.step != step || isStore(run_.problem, move) != stores) return;
    playMove(move, stores);
  }
}

void GraphReplay::playMove(const Move& move, bool store) {
  if (!move.to || !stage_.span(move.to)) return;
  const Presence to{move.to, move.buffer, {}};
  const std::string author =
      fmt::format("the move of '{}' to {}", nameOf(run_.storage.rootOf(move.buffer)), placeOf(to));
  const bool found = !move.from || stage_.span(move.from);
  // What is written in this very step is there for a store only; inputs were always there.
  std::vector<TensorId> held = heldAcross(move.buffer, store ? move.step + Step(1) : move.step);
  for (const TensorId id : run_.storage.buffers[move.buffer].tensors) {
    const bool given = !run_.graph().tensors[id].producer && move.step == Step() && !store;
    if (given) held.push_back(id);
  }
  // Where a sample has no byte at the other end, what has to be there stands in for it.
  if (found) fillWith(held, to, move.step);
  if (found && move.from) {
    stage_.copy(*stage_.span(move.from), *stage_.span(move.to), move.step, author + " wrote");
  }
}

/// Of the places of a tensor the one that ops use: the nearest, of several the one that began last.
/// Where no moves are told, all are kept equal.
std::vector<const GraphReplay::Presence*> GraphReplay::presencesUsedAt(TensorId id,
                                                                       Step step) const {
  auto there = presencesAt(id, step);
  if (!hasMoves() || there.size() < 2) return there;
  if (!poolsOfDevice_.empty() && step < run_.schedule.steps()) {
    const auto& pools = poolsOfDevice_[run_.partition.deviceOf[run_.schedule.opAt(step)]];
    std::erase_if(there, [&](const Presence* at) {
      return std::ranges::count(pools, run_.problem.poolOf(at->stay)) == 0;
    });
    if (there.empty()) return there;
  }
  const auto used = std::ranges::min_element(there, {}, [&](const Presence* at) {
    const PoolId pool = run_.problem.poolOf(at->stay);
    return std::pair(run_.problem.pools[pool].level, Step() - at->steps.begin);
  });
  return {*used};
}

/// Inputs are there before the first step, wherever no move has to bring them.
void GraphReplay::writeInput(TensorId id) {
  const auto isBrought = [&](const Presence* presence) {
    return std::ranges::any_of(
        moves_, [&](const Move& move) { return move.to == presence->stay && move.step == Step(); });
  };
  for (const Presence* presence : presencesAt(id, Step())) {
    if (!isBrought(presence)) writePartsAt(id, *presence, Step(), "the outside");
  }
}

void GraphReplay::takeTurns(Step until) {
  while (nextTurn_ < turns_.size() && turns_[nextTurn_].step <= until) {
    const auto first = turns_.cbegin() + static_cast<std::ptrdiff_t>(nextTurn_);
    const auto last = std::find_if(first, turns_.cend(),
                                   [&](const Turn& turn) { return turn.step != first->step; });
    takeTurnsOf(first, last);
    nextTurn_ = static_cast<std::size_t>(last - turns_.cbegin());
  }
}

/// All turns of one step: what is copied is read before anything is given up or taken over.
void GraphReplay::takeTurnsOf(std::vector<Turn>::const_iterator first,
                              std::vector<Turn>::const_iterator last) {
  const Step step = first->step;
  const auto copyTo = [&](const Presence& to) { return "the copy to " + placeOf(to); };
  for (auto turn = first; turn != last && !hasMoves(); ++turn) {
    const auto source = turn->begins ? sourceOf(turn->presence) : std::nullopt;
    if (source) verifyHeld(presences_[*source], step, copyTo(presences_[turn->presence]));
  }
  for (auto turn = first; turn != last; ++turn) {
    scrub(turn->presence, turn->begins ? step : step - Step(1), turn->begins);
  }
  for (auto turn = first; turn != last && !hasMoves(); ++turn) {
    if (!turn->begins) continue;
    const Presence& presence = presences_[turn->presence];
    const auto source = sourceOf(turn->presence);
    // The copy is made while the step runs: what it reads must not be written over yet.
    if (source && presences_[*source].steps.contains(step)) {
      verifyHeld(presences_[*source], step, copyTo(presence));
    }
    if (source || isRefilled(presence)) fill(presence, step);
  }
}

/// Where the bytes of a presence come from: the first that began before it and lasts until then.
std::optional<std::size_t> GraphReplay::sourceOf(std::size_t presence) const {
  const Presence& to = presences_[presence];
  for (const std::size_t i : presencesOf_[to.buffer]) {
    const Presence& from = presences_[i];
    if (from.steps.begin >= to.steps.begin) break;
    if (from.steps.end >= to.steps.begin && stage_.span(from.stay)) return i;
  }
  return std::nullopt;
}

/// Comes back to its address after a gap: it is written again, whoever does it.
bool GraphReplay::isRefilled(const Presence& presence) const {
  return run_.problem.stays[presence.stay].steps.begin < presence.steps.begin;
}

/// Tensors of `buffer` that are there before `step` and are needed in it or later, as written.
std::vector<TensorId> GraphReplay::heldAcross(BufferId buffer, Step step) const {
  std::vector<TensorId> held;
  for (const TensorId id : run_.storage.buffers[buffer].tensors) {
    const Interval<Step>& life = run_.storage.lifetimes[id];
    if (life.begin < step && life.end > step) held.push_back(id);
  }
  std::ranges::stable_sort(held, {}, [&](TensorId id) { return run_.storage.lifetimes[id].begin; });
  return held;
}

void GraphReplay::verifyHeld(const Presence& presence, Step step, const std::string& reader) {
  for (const TensorId id : heldAcross(presence.buffer, step)) verifyAt(id, presence, step, reader);
}

void GraphReplay::fill(const Presence& presence, Step step) {
  fillWith(heldAcross(presence.buffer, step), presence, step);
}

void GraphReplay::fillWith(const std::vector<TensorId>& held, const Presence& presence, Step step) {
  for (const TensorId id : held) {
    for (const ContentPart& part : contents_[id]) {
      forEachSpan(id, presence, part, [&](const ByteSpan& span, Bytes offset) {
        stage_.write(span, stage_.pattern(part.writer.index(), part.offset + offset), step,
                     fmt::format("'{}' was copied to {}", nameOf(id), placeOf(presence)));
      });
    }
  }
}

void GraphReplay::playOp(OpId id, Step step) {
  const Op& op = run_.graph().ops[id];
  const std::string author = fmt::format("op '{}'", displayName(run_.graph(), id));
  const std::vector<TensorId> reads = run_.graph().reads(id);
  if (!poolsOfDevice_.empty()) checkDevice(id, step);
  if (hasMoves() && run_.storage.free[id]) {
    // What only aliases reads nothing: its operands may be anywhere, or nowhere yet.
    for (const TensorId out : op.outputs) {
      if (out) writeOwnParts(out, step, author);
    }
    return;
  }
  if (playRows(id, step, author) || playChannels(id, step, author)) return;
  // What is overwritten on purpose must be intact before; all else while the outputs are made.
  for (const TensorId in : reads) {
    if (isOverwritten(in, op)) verifyTensor(in, step, author);
  }
  for (const TensorId out : op.outputs) {
    if (out) writeOwnParts(out, step, author);
  }
  for (const TensorId in : reads) {
    if (!isOverwritten(in, op)) verifyTensor(in, step, author);
  }
  for (const TensorId out : op.outputs) {
    if (out) verifyTensor(out, step, author);
  }
}

/// An op works on the memories of its own device.
void GraphReplay::checkDevice(OpId id, Step step) {
  const std::size_t device = run_.partition.deviceOf[id];
  std::vector<TensorId> operands = run_.graph().reads(id);
  const auto& outputs = run_.graph().ops[id].outputs;
  operands.insert(operands.end(), outputs.begin(), outputs.end());
  for (const TensorId operand : operands) {
    if (!operand || !run_.storage.slots[operand]) continue;
    const auto there = presencesAt(operand, step);
    const bool reachable = std::ranges::any_of(there, [&](const Presence* presence) {
      const auto& span = stage_.span(presence->stay);
      return span && std::ranges::count(poolsOfDevice_[device], span->pool) > 0;
    });
    if (reachable) continue;
    stage_.report(step, fmt::format("op '{}' runs on '{}', where '{}' has no place",
                                    displayName(run_.graph(), id),
                                    run_.request.platform.devices[device].name, nameOf(operand)));
  }
}

/// An output takes over the place of `in`, or its beginning.
bool GraphReplay::isOverwritten(TensorId in, const Op& op) const {
  const auto& taken = run_.storage.slots[in];
  if (!taken) return false;
  const auto sizeOf = [&](TensorId id) { return *run_.graph().tensors[id].bytes; };
  return std::ranges::any_of(op.outputs, [&](TensorId out) {
    if (!out || !inPlace_.contains(out) || !run_.storage.slots[out]) return false;
    const Slot& slot = *run_.storage.slots[out];
    return slot.buffer == taken->buffer && slot.offset == taken->offset &&
           sizeOf(in) >= sizeOf(out);
  });
}

void GraphReplay::writeOwnParts(TensorId id, Step step, const std::string& author) {
  for (const Presence* presence : presencesUsedAt(id, step)) {
    writePartsAt(id, *presence, step, author);
  }
}

void GraphReplay::writePartsAt(TensorId id, const Presence& presence, Step step,
                               const std::string& author) {
  for (const ContentPart& part : contents_[id]) {
    if (part.writer != id) continue;
    forEachSpan(id, presence, part, [&](const ByteSpan& span, Bytes offset) {
      stage_.write(span, stage_.pattern(id.index(), part.offset + offset), step,
                   fmt::format("{} wrote '{}'", author, nameOf(id)));
    });
  }
}

void GraphReplay::verifyTensor(TensorId id, Step step, const std::string& reader) {
  if (!id || !run_.storage.slots[id]) return;
  const auto there = presencesUsedAt(id, step);
  const BufferId buffer = run_.storage.slots[id]->buffer;
  // A weight that is not near is read where it always lies.
  if (there.empty() && run_.graph().tensors[id].constant) return;
  if (there.empty() && presencesOf_.contains(buffer) && !presencesOf_[buffer].empty()) {
    stage_.report(step, fmt::format("{}: '{}' is in no memory", reader, nameOf(id)));
  }
  for (const Presence* presence : there) verifyAt(id, *presence, step, reader);
}

void GraphReplay::verifyAt(TensorId id, const Presence& presence, Step step,
                           const std::string& reader) {
  for (const ContentPart& part : contents_[id]) {
    std::string name = nameOf(id);
    if (part.writer != id) name += "', alias of '" + nameOf(part.writer);
    forEachSpan(id, presence, part, [&](const ByteSpan& span, Bytes offset) {
      stage_.verify(span, stage_.pattern(part.writer.index(), part.offset + offset), step, reader,
                    name);
    });
  }
}

}  // namespace hw
