#include "core/storage/aliasing.h"

#include <algorithm>

#include "core/graph/scratch.h"
#include "core/storage/overlays.h"
#include "core/storage/sparing.h"

namespace hw {
namespace {

/// Scratch of an op that does not run over its input.
bool isIdleScratch(const Graph& graph, const Storage& storage, TensorId id) {
  if (!isScratch(graph, id)) return false;
  const TensorId made = graph.ops[graph.tensors[id].producer].outputs[0];
  return !std::ranges::binary_search(storage.inPlace, made);
}

/// Turns groups into buffers, ordered by first step and then by the tensor that opens them.
void makeBuffers(const Graph& graph, const AliasForest& forest, Storage& storage) {
  IdMap<TensorId, Buffer> groups(graph.tensors.size());
  IdMap<TensorId, TensorId> opener(graph.tensors.size());
  for (const TensorId id : graph.tensors.keys()) {
    if (forest.whyNotPlanned(id) || isIdleScratch(graph, storage, id)) continue;
    const TensorId root = forest.place(id).root;
    Buffer& group = groups[root];
    const Interval<Step>& life = storage.lifetimes[id];
    if (life.empty()) {  // A ring: it lives as its pieces do.
      group.tensors.push_back(id);
      continue;
    }
    if (group.steps.empty() || life.begin < group.steps.begin) opener[root] = id;
    if (group.steps.empty()) group.steps = life;
    group.steps = {std::min(group.steps.begin, life.begin), std::max(group.steps.end, life.end)};
    group.tensors.push_back(id);
    group.graphOutput |= graph.tensors[id].graphOutput;
  }
  std::vector<TensorId> order;
  for (const TensorId id : graph.tensors.keys()) {
    if (!groups[id].tensors.empty()) order.push_back(id);
  }
  std::ranges::sort(
      order, {}, [&](TensorId root) { return std::pair(groups[root].steps.begin, opener[root]); });
  for (const TensorId root : order) {
    Buffer& group = groups[root];
    group.root = root;
    group.size = *graph.tensors[root].bytes;
    const std::vector<TensorId> members = group.tensors;
    const BufferId buffer = storage.buffers.add(std::move(group));
    for (const TensorId id : members) storage.slots[id] = Slot{buffer, forest.place(id).offset};
  }
}

/// Folds again and again, with other decisions.
class Folder {
 public:
  Folder(const Graph& graph, const Schedule& schedule, const StorageOptions& options,
         const InPlaceScope& scope)
      : graph_(graph),
        schedule_(schedule),
        options_(options),
        scope_(scope),
        pieces_(graph_, options_) {
    begun_.lifetimes = lifetimes(graph, schedule);
    begun_.slots.resize(graph.tensors.size());
    begun_.free = IdMap<OpId, bool>(graph.ops.size(), false);
    foldPieces(graph_, pieces_, begun_);
  }

  Folder(const Folder&) = delete;  // `pieces_` refers to its options.
  Folder& operator=(const Folder&) = delete;

  Storage fold(const Refusals& refused) const { return fold(options_, refused); }

  Storage foldWithoutSlices() const {
    StorageOptions whole = options_;
    whole.alias.concat = whole.alias.split = false;
    return fold(whole, {});
  }

 private:
  Storage fold(const StorageOptions& options, const Refusals& refused) const {
    Storage storage = begun_;
    AliasForest forest = pieces_;
    foldViews(graph_, schedule_, options, refused, forest, storage);
    if (options.alias.inPlace) foldInPlace(graph_, schedule_, scope_, forest, storage);
    makeBuffers(graph_, forest, storage);
    return storage;
  }

  const Graph& graph_;
  const Schedule& schedule_;
  StorageOptions options_;
  InPlaceScope scope_;
  AliasForest pieces_;  ///< With the pieces of a tiled graph where they are, whatever is decided,
  Storage begun_;       ///< and what there is to say about them.
};

Storage share(const Graph& graph, const Schedule& schedule, const StorageOptions& options,
              const InPlaceScope& scope) {
  const Folder folder(graph, schedule, options, scope);
  Storage storage = folder.fold({});
  if (!options.alias.concat && !options.alias.split) return storage;
  const Bytes bound = livePeak(folder.foldWithoutSlices(), options.alignment);
  const Bytes peak = livePeak(storage, options.alignment);
  if (peak <= bound) return storage;
  if (!options.alias.always) {
    return shareSparingly(graph, std::move(storage), {bound, options.alignment},
                          [&](const Refusals& refused) { return folder.fold(refused); });
  }
  storage.raise = peak - bound;
  return storage;
}

}  // namespace

Storage shareAllViews(const Graph& graph, const Schedule& schedule, StorageOptions options) {
  options.alias.inPlace = false;
  return Folder(graph, schedule, options, {}).fold({});
}

Bytes livePeak(const Storage& storage, Bytes alignment) { return peakOf(storage, alignment).bytes; }

namespace {

Storage shareWithin(const Graph& graph, const Schedule& schedule, const StorageOptions& options,
                    bool byChannel) {
  Storage storage = share(graph, schedule, options, {.byChannel = byChannel});
  if (options.alias.inPlace) {
    // A small output in a large block saves bytes now and wastes them later: only if it pays.
    Storage shrunk = share(graph, schedule, options, {.shrinking = true, .byChannel = byChannel});
    const Bytes bound = livePeak(storage, options.alignment);
    if (livePeak(shrunk, options.alignment) < bound) storage = std::move(shrunk);
  }
  for (const TensorId id : graph.tensors.keys()) {
    const Tensor& tensor = graph.tensors[id];
    if (!tensor.constant && !tensor.persistent && !tensor.bytes) storage.unsized.push_back(id);
  }
  return storage;
}

}  // namespace

Storage shareStorage(const Graph& graph, const Schedule& schedule, const StorageOptions& options) {
  return shareWithin(graph, schedule, options, false);
}

Storage shareForOverlays(const Graph& graph, const Schedule& schedule,
                         const StorageOptions& options) {
  return shareWithin(graph, schedule, options, true);
}

}  // namespace hw
