#include "core/check/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "core/check/kernel_scripts.h"
#include "core/check/layout/layout_flow.h"
#include "core/check/parts/part_flow.h"
#include "core/check/problem_replay.h"
#include "core/check/replay_stage.h"
#include "core/graph/tiling.h"

namespace hw {
namespace {

/// Rounds of the replay, each with patterns of its own: two bytes that should differ are equal by
/// chance once in 256 times, in both rounds once in 65,536.
constexpr std::uint64_t kSalts = 2;

/// Calls `visit(bytes)` for what of each stretch is in [begin, begin + length).
template <class Visit>
void forEachIn(const ByteStride& stride, Bytes begin, Bytes length, const Visit& visit) {
  for (std::int64_t i = 0; i < stride.count; ++i) {
    const Bytes at = stride.begin + stride.pitch * i;
    const Interval<Bytes> bytes{std::max(at, begin), std::min(at + stride.length, begin + length)};
    if (!bytes.empty()) visit(bytes);
  }
}

/// Plays a model on bytes: ops read and write tensors wherever their buffers are at that step.
///
/// A buffer may be in several places: on two devices, in a far pool for a while, or twice at one
/// address with a gap between. Each such presence but the first is filled when it begins, from the
/// one that was there before:
///
///     A/L2   |-- written ------ read, copied -|
///     B/L2                     |- filled, read -----|     both live in the step of the copy
///
/// A convolution that writes over its input runs channel by channel (`ChannelScript`). Where
/// another output shares bytes with its input, the op runs row by row (`RowScript`), from the end
/// that lets it: forwards where the output begins below.
class GraphReplay {
 public:
  GraphReplay(const Run& run, ReplayStage& stage)
      : run_(run),
        stage_(stage),
        contents_(tensorContents(run.graph(), run.schedule, run.storage)),
        inPlace_(run.storage.inPlace.begin(), run.storage.inPlace.end()),
        presencesOf_(run.storage.buffers.size()) {
    collectPresences();
    orderMoves();
    mapDevices();
    findEnds();
    checkTensors();
    findRowPlays();
  }

  /// Spans of tensors and their parts, for the edges of a sample.
  std::vector<ByteSpan> edges() const {
    std::vector<ByteSpan> edges;
    for (const TensorId id : run_.storage.slots.keys()) {
      if (!run_.storage.slots[id] || !presencesOf_.contains(run_.storage.slots[id]->buffer))
        continue;
      for (const std::size_t i : presencesOf_[run_.storage.slots[id]->buffer]) {
        for (const ContentPart& part : contents_[id]) {
          forEachSpan(id, presences_[i], part,
                      [&](const ByteSpan& span, Bytes) { edges.push_back(span); });
        }
      }
    }
    addRowEdges(edges);
    return edges;
  }

  void play() {
    const Graph& graph = run_.graph();
    nextTurn_ = 0;
    nextMove_ = 0;
    takeTurns(Step());
    if (run_.schedule.order.empty()) writeInputs(Step());
    for (const OpId op : run_.schedule.order) {
      const Step step = run_.schedule.stepOf[op];
      stage_.tell(step.real() / run_.schedule.steps().real());
      takeTurns(step);
      writeInputs(step);
      playMoves(step, false);
      if (!graph.ops[op].folded) playOp(op, step);
      playMoves(step, true);
      handOut(step);
      if (stage_.full()) return;
    }
    const Step last = std::max(Step(), run_.schedule.steps() - Step(1));
    for (const TensorId id : std::set(graph.outputs.begin(), graph.outputs.end())) {
      if (!isHandedOutBefore(id)) verifyEnds(id, last);
    }
  }

 private:
  /// A stay without its gaps: one stretch of steps in which a buffer's bytes are in a place.
  struct Presence {
    StayId stay{};
    BufferId buffer{};
    Interval<Step> steps{};
  };
  /// A presence comes to life or ends. Ends sort first: intervals are half-open.
  struct Turn {
    Step step{};
    bool begins = false;
    std::size_t presence = 0;
    friend auto operator<=>(const Turn&, const Turn&) = default;
  };

  /// An op whose output shares bytes with the input that it is made of: it is played row by row.
  struct RowPlay {
    RowScript script{};
    std::size_t input = 0;  ///< Presences.
    std::size_t output = 0;
    bool forward = false;  ///< From the first row to the last: the output begins below.
  };

  bool hasMoves() const { return !run_.problem.moves.empty(); }
  std::string nameOf(TensorId id) const { return displayName(run_.graph(), id); }

  void collectPresences() {
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

  void mapDevices() {
    if (run_.partition.deviceOf.empty()) return;
    const Platform& platform = run_.request.platform;
    const MachinePools machine = machinePools(platform, platform.devices.size());
    if (machine.pools.size() == run_.problem.pools.size()) poolsOfDevice_ = machine.ofDevice;
  }

  void checkTensors() {
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

  std::vector<const Presence*> presencesAt(TensorId id, Step step) const {
    std::vector<const Presence*> found;
    const auto& slot = run_.storage.slots[id];
    if (!slot || !presencesOf_.contains(slot->buffer)) return found;
    for (const std::size_t i : presencesOf_[slot->buffer]) {
      if (presences_[i].steps.contains(step)) found.push_back(&presences_[i]);
    }
    return found;
  }

  std::string placeOf(const Presence& presence) const {
    const auto& span = stage_.span(presence.stay);
    if (!span || !run_.problem.pools.contains(span->pool)) return "nowhere";
    return run_.problem.pools[span->pool].name;
  }

  /// An output has to be where it stays, if moves are told.
  void verifyEnds(TensorId id, Step last) {
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
  void orderMoves() {
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

  void playMoves(Step step, bool stores) {
    for (; nextMove_ < moves_.size(); ++nextMove_) {
      const Move& move = moves_[nextMove_];
      if (move.step != step || isStore(run_.problem, move) != stores) return;
      playMove(move, stores);
    }
  }

  void playMove(const Move& move, bool store) {
    if (!move.to || !stage_.span(move.to)) return;
    const Presence to{move.to, move.buffer, {}};
    const std::string author = fmt::format("the move of '{}' to {}",
                                           nameOf(run_.storage.rootOf(move.buffer)), placeOf(to));
    const bool found = !move.from || stage_.span(move.from);
    // Bytes written in this very step are there for a store only; inputs were always there.
    std::vector<TensorId> held = heldAcross(move.buffer, store ? move.step + Step(1) : move.step);
    for (const TensorId id : run_.storage.buffers[move.buffer].tensors) {
      const bool given = !run_.graph().tensors[id].producer && !store &&
                         move.step == run_.storage.lifetimes[id].begin;
      if (given) held.push_back(id);
    }
    // What has to be there stands in for bytes that a sample lacks at the other end.
    if (found) fillWith(held, to, move.step);
    if (found && move.from) {
      stage_.copy(*stage_.span(move.from), *stage_.span(move.to), move.step, author + " wrote");
    }
  }

  /// Of the places of a tensor the one that ops use: the nearest, of several the one that began
  /// last. Where no moves are told, all are kept equal.
  std::vector<const Presence*> presencesUsedAt(TensorId id, Step step) const {
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

  /// Inputs are there before the first step of their inference, wherever no move has to bring them.
  void writeInputs(Step step) {
    const auto inputs = inputsAt_.find(step);
    if (inputs == inputsAt_.end()) return;
    const auto isBrought = [&](const Presence* presence) {
      return std::ranges::any_of(
          moves_, [&](const Move& move) { return move.to == presence->stay && move.step == step; });
    };
    for (const TensorId id : inputs->second) {
      for (const Presence* presence : presencesAt(id, step)) {
        if (!isBrought(presence)) writePartsAt(id, *presence, step, "the outside");
      }
    }
  }

  /// An output of an inference before the last, which is taken as that ends.
  bool isHandedOutBefore(TensorId id) const {
    return run_.storage.slots[id] && run_.storage.lifetimes[id].end < run_.schedule.steps();
  }

  /// Finds the steps at which inputs come and outputs go.
  void findEnds() {
    const Graph& graph = run_.graph();
    for (const TensorId id : graph.inputs) {
      inputsAt_[run_.storage.lifetimes[id].begin].push_back(id);
    }
    for (const TensorId id : std::set(graph.outputs.begin(), graph.outputs.end())) {
      if (!isHandedOutBefore(id)) continue;
      outputsAt_[run_.storage.lifetimes[id].end - Step(1)].push_back(id);
    }
  }

  void handOut(Step step) {
    const auto outputs = outputsAt_.find(step);
    if (outputs == outputsAt_.end()) return;
    for (const TensorId id : outputs->second) {
      const auto there = presencesAt(id, step);
      if (there.empty()) {
        stage_.report(step, fmt::format("'{}' is handed out from no memory", nameOf(id)));
      }
      for (const Presence* presence : there) verifyAt(id, *presence, step, "the caller");
    }
  }

  void takeTurns(Step until) {
    while (nextTurn_ < turns_.size() && turns_[nextTurn_].step <= until) {
      const auto first = turns_.cbegin() + static_cast<std::ptrdiff_t>(nextTurn_);
      const auto last = std::find_if(first, turns_.cend(),
                                     [&](const Turn& turn) { return turn.step != first->step; });
      takeTurnsOf(first, last);
      nextTurn_ = static_cast<std::size_t>(last - turns_.cbegin());
    }
  }

  /// All turns of one step: what is copied is read before anything is given up or taken over.
  void takeTurnsOf(std::vector<Turn>::const_iterator first,
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

  /// Source of the bytes of a presence: the first that began before it and lasts until then.
  std::optional<std::size_t> sourceOf(std::size_t presence) const {
    const Presence& to = presences_[presence];
    for (const std::size_t i : presencesOf_[to.buffer]) {
      const Presence& from = presences_[i];
      if (from.steps.begin >= to.steps.begin) break;
      if (from.steps.end >= to.steps.begin && stage_.span(from.stay)) return i;
    }
    return std::nullopt;
  }

  /// Comes back to its address after a gap: it is written again, whoever does it.
  bool isRefilled(const Presence& presence) const {
    return run_.problem.stays[presence.stay].steps.begin < presence.steps.begin;
  }

  /// Tensors of `buffer` that are there before `step` and are needed in it or later, as written.
  std::vector<TensorId> heldAcross(BufferId buffer, Step step) const {
    std::vector<TensorId> held;
    for (const TensorId id : run_.storage.buffers[buffer].tensors) {
      const Interval<Step>& life = run_.storage.lifetimes[id];
      if (life.begin < step && life.end > step) held.push_back(id);
    }
    std::ranges::stable_sort(held, {},
                             [&](TensorId id) { return run_.storage.lifetimes[id].begin; });
    return held;
  }

  void verifyHeld(const Presence& presence, Step step, const std::string& reader) {
    for (const TensorId id : heldAcross(presence.buffer, step))
      verifyAt(id, presence, step, reader);
  }

  void fill(const Presence& presence, Step step) {
    fillWith(heldAcross(presence.buffer, step), presence, step);
  }

  void fillWith(const std::vector<TensorId>& held, const Presence& presence, Step step) {
    for (const TensorId id : held) {
      for (const ContentPart& part : contents_[id]) {
        forEachSpan(id, presence, part, [&](const ByteSpan& span, Bytes offset) {
          stage_.write(span, stage_.pattern(part.writer.index(), part.offset + offset), step,
                       fmt::format("'{}' was copied to {}", nameOf(id), placeOf(presence)));
        });
      }
    }
  }

  void playOp(OpId id, Step step) {
    const Op& op = run_.graph().ops[id];
    const std::string author = fmt::format("op '{}'", displayName(run_.graph(), id));
    const std::vector<TensorId> reads = run_.graph().reads(id);
    if (!poolsOfDevice_.empty()) checkDevice(id, step);
    if (hasMoves() && run_.storage.free[id]) {
      // An op that only aliases reads nothing: its operands may be anywhere, or nowhere yet.
      for (const TensorId out : op.outputs) {
        if (out) writeOwnParts(out, step, author);
      }
      return;
    }
    if (playRows(id, step, author) || playChannels(id, step, author)) return;
    // Inputs overwritten on purpose must be intact before; all else while outputs are made.
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
  void checkDevice(OpId id, Step step) {
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
  bool isOverwritten(TensorId in, const Op& op) const {
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

  void writeOwnParts(TensorId id, Step step, const std::string& author) {
    for (const Presence* presence : presencesUsedAt(id, step)) {
      writePartsAt(id, *presence, step, author);
    }
  }

  void writePartsAt(TensorId id, const Presence& presence, Step step, const std::string& author) {
    for (const ContentPart& part : contents_[id]) {
      if (part.writer != id) continue;
      forEachSpan(id, presence, part, [&](const ByteSpan& span, Bytes offset) {
        stage_.write(span, stage_.pattern(id.index(), part.offset + offset), step,
                     fmt::format("{} wrote '{}'", author, nameOf(id)));
      });
    }
  }

  void verifyTensor(TensorId id, Step step, const std::string& reader) {
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

  void verifyAt(TensorId id, const Presence& presence, Step step, const std::string& reader) {
    for (const ContentPart& part : contents_[id]) {
      std::string name = nameOf(id);
      if (part.writer != id) name += "', alias of '" + nameOf(part.writer);
      forEachSpan(id, presence, part, [&](const ByteSpan& span, Bytes offset) {
        stage_.verify(span, stage_.pattern(part.writer.index(), part.offset + offset), step, reader,
                      name);
      });
    }
  }

  /// Span of `id` in a presence; nothing when the plan gave that no place.
  std::optional<ByteSpan> spanOf(TensorId id, const Presence& presence) const {
    const auto& whole = stage_.span(presence.stay);
    const auto& slot = run_.storage.slots[id];
    if (!whole || !slot || slot->offset < Bytes()) return std::nullopt;
    const ByteSpan span = whole->part(slot->offset, *run_.graph().tensors[id].bytes);
    if (span.bytes.end > whole->bytes.end) return std::nullopt;
    return span;
  }

  /// Calls `visit(span, offset)` for each stretch of memory that holds some bytes of a tensor, and
  /// where in `part` they begin; for none when the plan gave that no place.
  void forEachSpan(TensorId id, const Presence& presence, const ContentPart& part,
                   const std::function<void(const ByteSpan&, Bytes)>& visit) const {
    const auto span = spanOf(id, presence);
    if (!span) return;
    const Tiling::Piece* piece = pieceOf(run_.graph(), id);
    if (piece == nullptr) return visit(span->part(part.begin, part.length), Bytes());
    const ByteSpan host = *spanOf(piece->host, presence);
    const Tensor& own = run_.graph().tensors[id];
    std::optional<Bytes> begin;  // Of a stretch, in the bytes of the piece.
    const Interval<Bytes> range{part.begin, part.begin + part.length};
    forEachStretchIn(*run_.graph().tensors[piece->host].shape, piece->at, *own.shape,
                     elementSize(own).value_or(Bytes(1)), range, [&](Bytes offset, Bytes length) {
                       if (!begin) {
                         begin = Bytes(range.begin.count() / length.count() * length.count());
                       }
                       const Bytes low = std::max(*begin, range.begin);
                       const Bytes high = std::min(*begin + length, range.end);
                       visit(host.part(offset + low - *begin, high - low), low - range.begin);
                       *begin += length;
                     });
  }

  /// Of two buffers in parts that share bytes while both are there, each writes its own parts:
  /// those of the other are verified when they are read.
  void findSharedParts() {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < presences_.size(); ++i) {
      const bool inParts = run_.storage.tensorsOf(presences_[i].buffer).size() > 1;
      if (inParts && stage_.span(presences_[i].stay)) order.push_back(i);
    }
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return presences_[i].steps; });
    std::vector<std::size_t> there;
    for (const std::size_t over : order) {
      const ByteSpan& taken = *stage_.span(presences_[over].stay);
      std::erase_if(there, [&](std::size_t i) {
        return presences_[i].steps.end <= presences_[over].steps.begin;
      });
      for (const std::size_t under : there) {
        const ByteSpan& held = *stage_.span(presences_[under].stay);
        if (held.pool != taken.pool || !held.bytes.overlaps(taken.bytes)) continue;
        inputOf_[over] = under;
        outputOf_[under] = over;
      }
      there.push_back(over);
    }
  }

  void findRowPlays() {
    if (hasMoves()) return;
    findSharedParts();
    const auto presenceOf = [&](TensorId id, Step step) -> std::optional<std::size_t> {
      std::optional<std::size_t> found;
      for (const Presence* each : presencesAt(id, step)) {
        if (found || !spanOf(id, *each)) return std::nullopt;
        found = static_cast<std::size_t>(each - presences_.data());
      }
      return found;
    };
    for (const OpId id : run_.schedule.order) {
      const Op& op = run_.graph().ops[id];
      auto script = op.folded ? std::nullopt : rowScriptOf(run_.graph(), op);
      if (!script) continue;
      const Step step = run_.schedule.stepOf[id];
      const auto input = presenceOf(script->input, step);
      const auto output = presenceOf(script->output, step);
      if (!input || !output || *input == *output) continue;
      const Presence& under = presences_[*input];
      const Presence& over = presences_[*output];
      const auto& read = stage_.span(under.stay);
      const auto& written = stage_.span(over.stay);
      const bool meet = read->pool == written->pool && read->bytes.overlaps(written->bytes);
      if (!meet || under.steps.end != step + Step(1) || over.steps.begin != step) continue;
      // At one address either way may do.
      const Bytes from = spanOf(script->input, under)->bytes.begin;
      const Bytes to = spanOf(script->output, over)->bytes.begin;
      const bool forward = to < from || (to == from && !firstSpoiler(*script, from, to, true));
      inputOf_[*output] = *input;
      outputOf_[*input] = *output;
      rowPlays_[id] = {std::move(*script), *input, *output, forward};
    }
  }

  /// Bytes that input and output share are not scrubbed as a whole: each row takes over its own.
  void scrub(std::size_t presence, Step step, bool begins) {
    const auto& sharers = begins ? inputOf_ : outputOf_;
    const auto sharer = sharers.find(presence);
    Interval<Bytes> spared;
    if (sharer != sharers.end()) spared = stage_.span(presences_[sharer->second].stay)->bytes;
    stage_.scrub(presences_[presence].stay, step, begins, spared);
  }

  bool playRows(OpId id, Step step, const std::string& author) {
    const auto found = rowPlays_.find(id);
    if (found == rowPlays_.end()) return false;
    const RowPlay& play = found->second;
    const RowScript& script = play.script;
    const ByteSpan read = *spanOf(script.input, presences_[play.input]);
    const ByteSpan written = *spanOf(script.output, presences_[play.output]);
    for (std::int64_t turn = 0; turn < script.outRows && !stage_.full(); ++turn) {
      const std::int64_t row = play.forward ? turn : script.outRows - 1 - turn;
      const std::vector<std::int64_t> touched = script.reads(row);
      const auto verifyRows = [&] {
        for (const std::int64_t at : touched) {
          verifyBytes(script.input, read, {script.inRow * at, script.inRow * (at + 1)}, step,
                      author);
        }
      };
      // A kernel may read for the last element of a row when all others are written.
      verifyRows();
      writeBytes(script.output, written, {script.outRow * row, script.outRow * (row + 1)}, step,
                 author);
      verifyRows();
    }
    for (const TensorId other : run_.graph().reads(id)) {
      if (other != script.input) verifyTensor(other, step, author);
    }
    verifyTensor(script.output, step, author);
    return true;
  }

  void verifyBytes(TensorId id, const ByteSpan& span, Interval<Bytes> bytes, Step step,
                   const std::string& reader) {
    for (const ContentPart& part : contents_[id]) {
      const Bytes low = std::max(part.begin, bytes.begin);
      const Bytes high = std::min(part.begin + part.length, bytes.end);
      if (low >= high) continue;
      stage_.verify(span.part(low, high - low),
                    stage_.pattern(part.writer.index(), part.offset + low - part.begin), step,
                    reader, nameOf(id));
    }
  }

  void writeBytes(TensorId id, const ByteSpan& span, Interval<Bytes> bytes, Step step,
                  const std::string& author) {
    for (const ContentPart& part : contents_[id]) {
      const Bytes low = std::max(part.begin, bytes.begin);
      const Bytes high = std::min(part.begin + part.length, bytes.end);
      if (part.writer != id || low >= high) continue;
      stage_.write(span.part(low, high - low),
                   stage_.pattern(id.index(), part.offset + low - part.begin), step,
                   author + " wrote '" + nameOf(id) + "'");
    }
  }

  /// Adds the rows, so that a sample has bytes of each.
  void addRowEdges(std::vector<ByteSpan>& edges) const {
    const auto addRows = [&](const ByteSpan& span, Bytes row, std::int64_t rows) {
      for (std::int64_t at = 0; at < rows; ++at) edges.push_back(span.part(row * at, row));
    };
    for (const auto& [id, play] : rowPlays_) {
      addRows(*spanOf(play.script.input, presences_[play.input]), play.script.inRow,
              play.script.inRows);
      addRows(*spanOf(play.script.output, presences_[play.output]), play.script.outRow,
              play.script.outRows);
    }
  }

  /// Convolutions that write over their input go channel by channel, through scratch.
  bool playChannels(OpId id, Step step, const std::string& author) {
    const Op& op = run_.graph().ops[id];
    if (op.outputs.empty() || !op.outputs[0] || !inPlace_.contains(op.outputs[0])) return false;
    if (partOf(run_.graph(), id) != nullptr) return false;
    const auto script = channelScriptOf(run_.graph(), op);
    if (!script || !isOverwritten(script->input, op)) return false;
    const auto placeAt = [&](TensorId tensor) -> std::optional<ByteSpan> {
      const auto there = presencesUsedAt(tensor, step);
      return there.size() == 1 ? spanOf(tensor, *there.front()) : std::nullopt;
    };
    const TensorId aside = op.outputs.size() > 1 ? op.outputs.back() : TensorId();
    const auto scratch = aside && run_.storage.slots[aside] ? placeAt(aside) : std::nullopt;
    const auto input = placeAt(script->input);
    const auto output = placeAt(script->output);
    if (!scratch || scratch->bytes.length() < script->plane()) {
      stage_.report(step, fmt::format("{} runs over its input '{}' with {} bytes of scratch, but a "
                                      "plane of its output takes {}",
                                      author, nameOf(script->input),
                                      scratch ? scratch->bytes.length().count() : 0,
                                      script->plane().count()));
      return true;
    }
    if (!input || !output) return true;  // Which is a finding already.
    const std::string name = nameOf(script->input);
    const auto verifyRead = [&](std::int64_t image, std::int64_t channel) {
      const Interval<std::int64_t> reads = script->reads(channel);
      for (std::int64_t from = reads.begin; from < reads.end; ++from) {
        const ByteStride stride = script->strideOf(script->in, image, from);
        for (const ContentPart& part : contents_[script->input]) {
          forEachIn(stride, part.begin, part.length, [&](Interval<Bytes> bytes) {
            const Bytes offset = part.offset + bytes.begin - part.begin;
            stage_.verify(input->part(bytes.begin, bytes.length()),
                          stage_.pattern(part.writer.index(), offset), step, author, name);
          });
        }
      }
    };
    const ByteSpan held = scratch->part(Bytes(), script->plane());
    for (std::int64_t plane = 0; plane < script->images * script->out.channels; ++plane) {
      if (stage_.full()) return true;
      const std::int64_t image = plane / script->out.channels;
      const std::int64_t channel = plane % script->out.channels;
      const Pattern made = stage_.pattern(aside.index(), script->plane() * plane);
      verifyRead(image, channel);
      stage_.write(held, made, step, author + " made a channel in scratch");
      // For the last place of the plane it reads when all others are made.
      verifyRead(image, channel);
      stage_.verify(held, made, step, author, nameOf(aside));
      const ByteStride stride = script->strideOf(script->out, image, channel);
      stage_.writeStrided(*output, stride, stage_.pattern(script->output.index()), step,
                          author + " wrote '" + nameOf(script->output) + "'");
    }
    for (const TensorId other : run_.graph().reads(id)) {
      if (other != script->input) verifyTensor(other, step, author);
    }
    verifyTensor(script->output, step, author);
    return true;
  }

  const Run& run_;
  ReplayStage& stage_;
  IdMap<TensorId, std::vector<ContentPart>> contents_;
  std::set<TensorId> inPlace_;
  std::vector<Presence> presences_;
  IdMap<BufferId, std::vector<std::size_t>> presencesOf_;  ///< By begin.
  std::map<OpId, RowPlay> rowPlays_;
  std::map<std::size_t, std::size_t> inputOf_;      ///< Presences that share bytes by rows,
  std::map<std::size_t, std::size_t> outputOf_;     ///< and the other way round.
  std::vector<std::vector<PoolId>> poolsOfDevice_;  ///< Empty when ops run on one device.
  std::vector<Turn> turns_;
  std::size_t nextTurn_ = 0;
  std::map<Step, std::vector<TensorId>> inputsAt_;   ///< That are there from then on.
  std::map<Step, std::vector<TensorId>> outputsAt_;  ///< That are taken behind that step.
  std::vector<Move> moves_;                          ///< In program order.
  std::size_t nextMove_ = 0;
};

template <class Replay>
void playSalted(Replay& replay, ReplayStage& stage, const std::function<void(double)>& progress) {
  for (std::uint64_t salt = 1; salt <= kSalts && stage.clean(); ++salt) {
    if (progress) {
      int percent = -1;
      stage.follow([&progress, salt, percent](double part) mutable {
        const double done = (static_cast<double>(salt - 1) + part) / double{kSalts};
        if (static_cast<int>(100 * done) == percent) return;
        percent = static_cast<int>(100 * done);
        progress(done);
      });
    }
    stage.salt(salt);
    replay.play();
  }
}

}  // namespace

std::vector<Corruption> replayBytes(const Run& run, Bytes maxArena, std::size_t limit,
                                    const std::function<void(double)>& progress) {
  ReplayStage stage(run, limit);
  for (const Graph* graph = &run.graph(); graph->tiling; graph = graph->tiling->original.get()) {
    auto faults = isRelaid(*graph) ? auditLayout(*graph) : auditParts(*graph);
    for (std::string& fault : faults) stage.report(Step(), std::move(fault));
  }
  if (run.model->problem) {
    ProblemReplay replay(run, stage);
    stage.allocate(maxArena, {});
    playSalted(replay, stage, progress);
  } else {
    GraphReplay replay(run, stage);
    stage.allocate(maxArena, replay.edges());
    playSalted(replay, stage, progress);
  }
  return stage.takeFindings();
}

}  // namespace hw
