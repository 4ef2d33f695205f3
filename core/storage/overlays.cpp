#include "core/storage/overlays.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "core/graph/tiling.h"
#include "core/ops/row_walk.h"
#include "core/storage/view_folder.h"

namespace hw {
namespace {

/// True when the input's life ends in the step in which the output's begins, and bytes may pass.
bool meets(const Graph& graph, const Storage& storage, BufferId input, BufferId output, Step step) {
  const Buffer& under = storage.buffers[input];
  const Buffer& over = storage.buffers[output];
  if (input == output || under.steps.end != step + Step(1) || over.steps.begin != step) {
    return false;
  }
  // Bytes that the caller gave are not handed back.
  const bool given = std::ranges::any_of(
      under.tensors, [&](TensorId tensor) { return graph.tensors[tensor].graphInput; });
  return !under.graphOutput && !(given && over.graphOutput);
}

/// Nothing but `input` is read of its buffer: another part would not be read row by row with it.
bool readsNothingElse(const Graph& graph, const Storage& storage, OpId op, TensorId input) {
  const BufferId buffer = storage.bufferOf(input);
  return std::ranges::all_of(graph.reads(op), [&](TensorId other) {
    return other == input || storage.bufferOf(other) != buffer;
  });
}

class ChanceFinder {
 public:
  ChanceFinder(const Graph& graph, const Schedule& schedule, const Storage& storage)
      : graph_(graph), schedule_(schedule), storage_(storage), holdsInput_(storage.buffers.size()) {
    for (const BufferId id : storage.buffers.keys()) {
      holdsInput_[id] = std::ranges::any_of(storage.buffers[id].tensors, [&](TensorId tensor) {
        return graph.tensors[tensor].graphInput;
      });
    }
  }

  void visit(OpId id, std::vector<OverlayChance>& chances) const {
    const Op& op = graph_.ops[id];
    if (op.folded || op.outputs.empty() || !fills(op.outputs[0])) return;
    if (scratchOf(graph_, op)) return;
    std::vector<BufferId> offered;
    for (const TensorId in : overwritable(graph_, op)) {
      if (!fills(in) || !mayOverwrite(graph_, op, in) || !diesHere(id, in)) continue;
      const BufferId buffer = storage_.slots[in]->buffer;
      if (std::ranges::find(offered, buffer) != offered.end()) continue;
      offered.push_back(buffer);
      chances.push_back({id, in, op.outputs[0]});
    }
  }

 private:
  /// The tensor is planned and as large as its buffer.
  bool fills(TensorId id) const {
    if (!id || !storage_.slots[id]) return false;
    return storage_.buffers[storage_.slots[id]->buffer].size == *graph_.tensors[id].bytes;
  }

  /// The input's buffer ends with the op, the output's begins there, and no operand is another part
  /// of the bytes that are written over.
  bool diesHere(OpId id, TensorId in) const {
    const BufferId taken = storage_.slots[in]->buffer;
    const BufferId whole = storage_.slots[graph_.ops[id].outputs[0]]->buffer;
    const Step step = schedule_.stepOf[id];
    const Buffer& input = storage_.buffers[taken];
    const Buffer& output = storage_.buffers[whole];
    // The input comes first, as Problem::overlays requires; bytes that the caller gave are not
    // handed back.
    if (taken >= whole || input.graphOutput || (holdsInput_[taken] && output.graphOutput)) {
      return false;
    }
    if (input.steps.end != step + Step(1) || output.steps.begin != step) return false;
    return std::ranges::all_of(graph_.reads(id), [&](TensorId other) {
      if (!other || !storage_.slots[other]) return true;
      return storage_.slots[other]->buffer != taken || fills(other);
    });
  }

  const Graph& graph_;
  const Schedule& schedule_;
  const Storage& storage_;
  IdMap<BufferId, bool> holdsInput_;
};

/// The bytes of a buffer that are there from a step on, from the first to the last; empty: none.
struct LiveExtent {
  Step from{};
  Interval<Bytes> bytes{};
};

/// Where they change, in order; after the last none are there. O(tensors log tensors).
std::vector<LiveExtent> liveExtents(const Graph& graph, const Storage& storage, BufferId buffer) {
  std::map<Step, std::vector<std::pair<bool, Interval<Bytes>>>> changes;
  for (const TensorId id : storage.tensorsOf(buffer)) {
    const Tiling::Piece* piece = pieceOf(graph, id);
    Interval<Bytes> bytes{Bytes(), graph.tensors[id].bytes.value_or(Bytes())};
    if (piece != nullptr) bytes = extentOf(graph, id);
    const Bytes at = storage.offsetOf(piece != nullptr ? piece->host : id);
    const Interval<Step>& life = storage.lifetimes[id];
    if (bytes.empty() || life.empty()) continue;
    bytes = {at + bytes.begin, at + bytes.end};
    changes[life.begin].emplace_back(true, bytes);
    changes[life.end].emplace_back(false, bytes);
  }
  std::multiset<Bytes> begins;
  std::multiset<Bytes> ends;
  std::vector<LiveExtent> extents;
  for (const auto& [step, these] : changes) {
    for (const auto& [comes, bytes] : these) {
      if (comes) begins.insert(bytes.begin), ends.insert(bytes.end);
    }
    for (const auto& [comes, bytes] : these) {
      if (!comes) begins.erase(begins.find(bytes.begin)), ends.erase(ends.find(bytes.end));
    }
    const bool none = begins.empty();
    extents.push_back(
        {step, none ? Interval<Bytes>() : Interval<Bytes>{*begins.begin(), *ends.rbegin()}});
  }
  return extents;
}

/// Finds the buffers of parts that may share bytes.
class PartChances {
 public:
  PartChances(const Graph& graph, const Storage& storage) : storage_(storage) {
    const Bytes least(livePeak(storage, Bytes(1)).count() / kLeastShare);
    for (const BufferId id : storage.buffers.keys()) {
      if (storage.buffers[id].size < least) continue;
      if (storage.tensorsOf(id).size() < 2) continue;
      inParts_.emplace_back(id, liveExtents(graph, storage, id));
    }
  }

  /// Behind `chances`, without those of buffers that are in one of them already.
  void addTo(std::vector<OverlapChance>& chances) const {
    std::vector<std::pair<Bytes, OverlapChance>> all;
    for (const auto& [under, before] : inParts_) {
      for (const auto& [over, after] : inParts_) {
        if (!goesBefore(under, over)) continue;
        const OverlapChance chance = chanceOf(before, after);
        const Bytes saved = mostShared(storage_.buffers[under].size, storage_.buffers[over].size,
                                       chance.up, chance.down);
        if (saved <= Bytes()) continue;
        all.emplace_back(saved, chance);
        all.back().second.input = storage_.buffers[under].root;
        all.back().second.output = storage_.buffers[over].root;
      }
    }
    std::ranges::stable_sort(all, std::greater(), [](const auto& each) { return each.first; });
    for (const auto& each : all) {
      const OverlapChance& chance = each.second;
      const bool taken = std::ranges::any_of(chances, [&](const OverlapChance& other) {
        return storage_.bufferOf(other.input) == storage_.bufferOf(chance.input) ||
               storage_.bufferOf(other.output) == storage_.bufferOf(chance.output);
      });
      if (!taken) chances.push_back(chance);
    }
  }

 private:
  /// Of the bytes live at once, the share of the smallest buffers that are looked at: small pairs
  /// save little, and make plans harder to find.
  static constexpr std::int64_t kLeastShare = 256;

  bool goesBefore(BufferId under, BufferId over) const {
    const Interval<Step>& first = storage_.buffers[under].steps;
    const Interval<Step>& second = storage_.buffers[over].steps;
    return under != over && !storage_.buffers[under].graphOutput && first.end > second.begin &&
           first.end <= second.end && std::pair(first.begin, under) < std::pair(second.begin, over);
  }

  /// The least distances at which the two never need a byte in one step.
  static OverlapChance chanceOf(const std::vector<LiveExtent>& before,
                                const std::vector<LiveExtent>& after) {
    OverlapChance chance;
    Interval<Bytes> under;
    Interval<Bytes> over;
    for (auto first = before.begin(), second = after.begin();
         first != before.end() && second != after.end();) {
      const Step step = std::min(first->from, second->from);
      if (first->from == step) under = (first++)->bytes;
      if (second->from == step) over = (second++)->bytes;
      if (under.empty() || over.empty()) continue;
      chance.up = std::max(chance.up, over.end - under.begin);
      chance.down = std::max(chance.down, under.end - over.begin);
    }
    return chance;
  }

  const Storage& storage_;
  std::vector<std::pair<BufferId, std::vector<LiveExtent>>> inParts_;
};

/// The first buffer of each chain of overlays, whose bytes the others take over.
IdMap<BufferId, BufferId> heads(const Storage& storage, const std::vector<OverlayChance>& taken) {
  IdMap<BufferId, BufferId> heads(storage.buffers.size());
  for (const BufferId id : storage.buffers.keys()) heads[id] = id;
  // An input has the lower id, so its own head is known when it is asked for.
  std::vector<std::pair<BufferId, BufferId>> links;
  links.reserve(taken.size());
  for (const OverlayChance& chance : taken) {
    links.emplace_back(storage.slots[chance.output]->buffer, storage.slots[chance.input]->buffer);
  }
  std::ranges::sort(links);
  for (const auto& [buffer, input] : links) heads[buffer] = heads[input];
  return heads;
}

/// Takes in the buffer that comes next in the chain.
void absorb(Buffer& head, Buffer next) {
  head.steps.end = std::max(head.steps.end, next.steps.end);
  head.graphOutput |= next.graphOutput;
  if (next.size == head.size) head.root = next.root;
  head.tensors.insert(head.tensors.end(), next.tensors.begin(), next.tensors.end());
  std::ranges::sort(head.tensors);
}

}  // namespace

Bytes mostShared(Bytes in, Bytes out, Bytes up, Bytes down) {
  const Bytes together = std::min(std::max(up + in, out), std::max(down + out, in));
  return in + out - std::min(together, in + out);
}

std::vector<OverlapChance> overlapChances(const Graph& graph, const Schedule& schedule,
                                          const Storage& storage) {
  std::vector<OverlapChance> chances;
  for (const OpId id : schedule.order) {
    const Op& op = graph.ops[id];
    // A part's tiling says where its rows lie; its operands are rows, not what attributes mean.
    if (op.folded || storage.free[id] || partOf(graph, id) != nullptr) continue;
    const auto walk = rowWalkOf(graph, op);
    if (!walk) continue;
    const TensorId output = op.outputs[0];
    const BufferId under = storage.bufferOf(walk->input);
    const BufferId over = storage.bufferOf(output);
    if (!under || !over || !meets(graph, storage, under, over, schedule.stepOf[id])) continue;
    if (!readsNothingElse(graph, storage, id, walk->input)) continue;
    const RowDistances least = rowDistances(*walk);
    const Bytes shift = storage.offsetOf(output) - storage.offsetOf(walk->input);
    chances.push_back({.op = id,
                       .input = walk->input,
                       .output = output,
                       .up = std::max(Bytes(), least.up + shift),
                       .down = std::max(Bytes(), least.down - shift)});
  }
  PartChances(graph, storage).addTo(chances);
  return chances;
}

std::vector<OverlayChance> overlayChances(const Graph& graph, const Schedule& schedule,
                                          const Storage& storage) {
  const ChanceFinder finder(graph, schedule, storage);
  std::vector<OverlayChance> chances;
  for (const OpId id : schedule.order) finder.visit(id, chances);
  return chances;
}

Storage overlay(const Graph& graph, Storage storage, const std::vector<OverlayChance>& taken) {
  const auto chain = heads(storage, taken);
  IdMap<BufferId, BufferId> places(storage.buffers.size());
  IdMap<BufferId, Buffer> buffers;
  for (const BufferId id : storage.buffers.keys()) {
    if (chain[id] == id) {
      places[id] = buffers.add(std::move(storage.buffers[id]));
    } else {
      places[id] = places[chain[id]];
      absorb(buffers[places[id]], std::move(storage.buffers[id]));
    }
  }
  for (const TensorId id : graph.tensors.keys()) {
    if (storage.slots[id]) storage.slots[id]->buffer = places[storage.slots[id]->buffer];
  }
  storage.buffers = std::move(buffers);
  for (const OverlayChance& chance : taken) storage.inPlace.push_back(chance.output);
  std::ranges::sort(storage.inPlace);
  return storage;
}

}  // namespace hw
