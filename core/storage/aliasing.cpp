#include "core/storage/aliasing.h"

#include <algorithm>

#include "core/base/load_sweep.h"
#include "core/storage/view_folder.h"

namespace hw {
namespace {

/// Turns groups into buffers, ordered by first step and then by the tensor that opens them.
void makeBuffers(const Graph& graph, const AliasForest& forest, Storage& storage) {
  IdMap<TensorId, Buffer> groups(graph.tensors.size());
  IdMap<TensorId, TensorId> opener(graph.tensors.size());
  for (const TensorId id : graph.tensors.keys()) {
    if (forest.whyNotPlanned(id)) continue;
    const TensorId root = forest.place(id).root;
    Buffer& group = groups[root];
    const Interval<Step>& life = storage.lifetimes[id];
    if (group.tensors.empty() || life.begin < group.steps.begin) opener[root] = id;
    if (group.tensors.empty()) group.steps = life;
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

/// What is decided by looking at the lower bound.
struct Refinement {
  std::set<OpId> refused{};  ///< Concats and splits that copy although they could share.
  bool shrinking = false;    ///< Smaller outputs take over larger inputs too.
};

Storage fold(const Graph& graph, const Schedule& schedule, const StorageOptions& options,
             const Refinement& refinement) {
  Storage storage;
  storage.lifetimes = lifetimes(graph, schedule);
  storage.slots.resize(graph.tensors.size());
  storage.free = IdMap<OpId, bool>(graph.ops.size(), false);
  AliasForest forest(graph, options);
  foldViews(graph, schedule, options, refinement.refused, forest, storage);
  if (options.alias.inPlace) {
    foldInPlace(graph, schedule, refinement.shrinking, forest, storage);
  }
  makeBuffers(graph, forest, storage);
  return storage;
}

/// The most live bytes and the first step that has them, every buffer rounded up.
LoadSweep::Most peakOf(const Storage& storage, Bytes alignment) {
  const auto place = [](Step step) { return static_cast<std::size_t>(step.count()); };
  Step end;
  for (const Buffer& buffer : storage.buffers) end = std::max(end, buffer.steps.end);
  LoadSweep load(place(end));
  for (const Buffer& buffer : storage.buffers) {
    load.add(place(buffer.steps.begin), place(buffer.steps.end), alignUp(buffer.size, alignment));
  }
  return load.most();
}

/// The concats and splits whose sharing keeps bytes at `step` that none of their tensors needs
/// then: only those of the most wasteful buffer, or all.
std::vector<OpId> wastefulOps(const Graph& graph, const Storage& storage, Step step, bool all) {
  std::vector<OpId> ops;
  Bytes most;
  for (const Buffer& buffer : storage.buffers) {
    if (!buffer.steps.contains(step)) continue;
    Bytes waste = buffer.size;
    std::vector<OpId> sharers;
    for (const TensorId id : buffer.tensors) {
      if (storage.lifetimes[id].contains(step)) waste -= *graph.tensors[id].bytes;
      const OpId producer = graph.tensors[id].producer;
      if (producer && sharesSlices(graph.ops[producer])) sharers.push_back(producer);
    }
    if (sharers.empty() || (!all && waste <= most)) continue;
    if (!all) ops.clear();
    most = waste;
    ops.insert(ops.end(), sharers.begin(), sharers.end());
  }
  return ops;
}

/// Folds, and undoes the slices that raise the lower bound.
Storage foldSparing(const Graph& graph, const Schedule& schedule, const StorageOptions& options,
                    bool shrinking) {
  Refinement refinement{.shrinking = shrinking};
  Storage storage = fold(graph, schedule, options, refinement);
  if (!options.alias.concat && !options.alias.split) return storage;
  // Slices live as long as the whole. Where that raises the lower bound, the sharing that wastes
  // most at the peak is undone, until it does not. Every round refuses an op for good.
  StorageOptions whole = options;
  whole.alias.concat = whole.alias.split = false;
  const Bytes bound = peakOf(fold(graph, schedule, whole, refinement), options.alignment).bytes;
  constexpr int kGentleRounds = 64;  // Then all at once, so that huge graphs do not take forever.
  std::set<OpId>& refused = refinement.refused;
  for (int round = 0;; ++round) {
    const LoadSweep::Most peak = peakOf(storage, options.alignment);
    if (peak.bytes <= bound) break;
    const std::size_t before = refused.size();
    // Gently first; if that finds nothing to refuse, everything that wastes.
    for (const bool all : {round >= kGentleRounds, true}) {
      if (refused.size() > before) break;
      const auto wasteful =
          wastefulOps(graph, storage, Step(static_cast<std::int64_t>(peak.place)), all);
      refused.insert(wasteful.begin(), wasteful.end());
    }
    if (refused.size() == before) break;
    storage = fold(graph, schedule, options, refinement);
  }
  return storage;
}

}  // namespace

Storage shareAllViews(const Graph& graph, const Schedule& schedule, StorageOptions options) {
  options.alias.inPlace = false;
  return fold(graph, schedule, options, {});
}

Bytes livePeak(const Storage& storage, Bytes alignment) { return peakOf(storage, alignment).bytes; }

Storage shareStorage(const Graph& graph, const Schedule& schedule, const StorageOptions& options) {
  Storage storage = foldSparing(graph, schedule, options, false);
  if (options.alias.inPlace) {
    // A small output in a large block saves bytes now and wastes them later: only if it pays.
    Storage shrunk = foldSparing(graph, schedule, options, true);
    const Bytes bound = peakOf(storage, options.alignment).bytes;
    if (peakOf(shrunk, options.alignment).bytes < bound) storage = std::move(shrunk);
  }
  for (const TensorId id : graph.tensors.keys()) {
    const Tensor& tensor = graph.tensors[id];
    if (!tensor.constant && !tensor.persistent && !tensor.bytes) storage.unsized.push_back(id);
  }
  return storage;
}

}  // namespace hw
