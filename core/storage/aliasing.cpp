#include "core/storage/aliasing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace hw {
namespace {

constexpr std::array<std::string_view, 7> kReshapeOps = {
    "Dropout", "Flatten", "Identity", "Reshape", "Squeeze", "Unsqueeze", "ExpandDims"};

/// The axis counted from the front; nothing when it lies outside the rank.
std::optional<std::size_t> axisOf(const Op& op, std::size_t rank, std::int64_t fallback) {
  const std::int64_t axis = op.intAttribute("axis", fallback);
  const std::int64_t fromFront = axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis;
  if (fromFront < 0 || fromFront >= static_cast<std::int64_t>(rank)) return std::nullopt;
  return static_cast<std::size_t>(fromFront);
}

/// Slices along `axis` are contiguous: every dimension before it is 1.
bool isOutermost(const Tensor& tensor, const Op& op, std::int64_t fallback) {
  if (!tensor.shape) return false;
  const auto axis = axisOf(op, tensor.shape->size(), fallback);
  return axis && std::all_of(tensor.shape->begin(),
                             tensor.shape->begin() + static_cast<std::ptrdiff_t>(*axis),
                             [](std::int64_t dimension) { return dimension == 1; });
}

/// Folds aliases: every tensor starts as its own block and may become a slice of another's. Groups
/// form a forest; a tensor's place is the sum of the offsets on the way to its root.
///
///   split x -> a, b; reshape b -> c; concat (c, d) -> y      y [ c=b | d ]   refused: b is a
///   slice of x, and x is not wholly inside y, so c is copied into y.
class AliasFolder {
 public:
  AliasFolder(const Graph& graph, const StorageOptions& options, Storage& storage)
      : graph_(graph), options_(options), storage_(storage), links_(graph.tensors.size()) {
    for (const TensorId id : graph.tensors.keys()) {
      const Tensor& tensor = graph.tensors[id];
      links_[id].graphLevel = tensor.graphInput || tensor.graphOutput;
      links_[id].holdsInput = tensor.graphInput;
    }
  }

  void fold(const Schedule& schedule) {
    for (const OpId id : schedule.order) {
      const Op& op = graph_.ops[id];
      if (op.folded) continue;
      const std::size_t copiesBefore = storage_.copies.size();
      bool alias = true;
      if (op.type == "Concat") {
        foldConcat(id, op);
      } else if (op.type == "Split") {
        foldSplit(id, op);
      } else if (std::ranges::find(kReshapeOps, op.type) != kReshapeOps.end()) {
        foldReshape(id, op);
      } else {
        alias = false;
      }
      storage_.free[id] = alias && storage_.copies.size() == copiesBefore;
    }
  }

  bool planned(TensorId id) const { return !whyNotPlanned(id); }

  /// The tensor whose block `id` lies in, and where.
  std::pair<TensorId, Bytes> place(TensorId id) const {
    Bytes offset;
    while (links_[id].parent) {
      offset += links_[id].offset;
      id = links_[id].parent;
    }
    return {id, offset};
  }

 private:
  struct Link {
    TensorId parent{};        ///< None for a root.
    Bytes offset{};           ///< Inside the parent.
    bool graphLevel = false;  ///< Of a root: its group holds a graph input or output.
    bool holdsInput = false;  ///< Of a root: its group holds a graph input.
  };

  /// Why a tensor has no place in any pool; nothing when it has one.
  std::optional<std::string> whyNotPlanned(TensorId id) const {
    if (!id) return "an operand is absent";
    const Tensor& tensor = graph_.tensors[id];
    if (tensor.constant) return "a weight has to be copied in";
    if (!tensor.bytes) return "its size is unknown";
    if (*tensor.bytes == Bytes()) return "it is empty";
    if (tensor.graphInput && !options_.planInputs) return "the graph input lives outside the arena";
    if (tensor.graphOutput && !options_.planOutputs) {
      return "the graph output lives outside the arena";
    }
    return std::nullopt;
  }

  Bytes sizeOf(TensorId id) const { return graph_.tensors[id].bytes.value_or(Bytes()); }

  /// Notes that `op` copies `tensor` because of `reason`; an empty reason means that it need not.
  void noteCopy(OpId op, TensorId tensor, std::string reason) {
    if (reason.empty() || !tensor || sizeOf(tensor) == Bytes()) return;
    storage_.copies.push_back({op, tensor, sizeOf(tensor), std::move(reason)});
  }

  /// Makes the group of `child` (a root) a part of `parent`, or says why that cannot be.
  std::optional<std::string> attach(TensorId child, TensorId parent, Bytes offset) {
    const auto [root, inside] = place(parent);
    if (root == child) return "it shares that storage already";
    if (links_[child].graphLevel && links_[root].graphLevel) {
      return "input and output are both graph inputs or outputs";
    }
    if (!isAligned(offset, options_.alignment)) {
      return fmt::format("its slice would start at byte {}, not a multiple of {}", offset.count(),
                         options_.alignment.count());
    }
    links_[root].graphLevel |= links_[child].graphLevel;
    links_[root].holdsInput |= links_[child].holdsInput;
    links_[child].parent = parent;
    links_[child].offset = offset;
    return std::nullopt;
  }

  void foldReshape(OpId id, const Op& op) {
    if (op.inputs.empty() || op.outputs.empty() || !op.outputs[0]) return;
    const TensorId in = op.inputs[0];
    const TensorId out = op.outputs[0];
    noteCopy(id, out, [&]() -> std::string {
      if (!options_.alias.reshape) return "aliasing of the reshape family is switched off";
      if (op.type == "Dropout" && op.inputs.size() > 2 && op.inputs[2]) {
        return "the dropout may be training";
      }
      if (auto why = whyNotPlanned(in)) return *why;
      if (auto why = whyNotPlanned(out)) return *why;
      if (sizeOf(in) != sizeOf(out)) return "input and output differ in size";
      return attach(out, in, Bytes()).value_or("");
    }());
  }

  void foldConcat(OpId id, const Op& op) {
    if (op.outputs.empty() || !op.outputs[0]) return;
    const TensorId out = op.outputs[0];
    Bytes offset;
    for (const TensorId in : op.inputs) {
      if (!in) continue;
      noteCopy(id, in, whyNoSlice(op, in, out, offset));
      offset += sizeOf(in);
    }
  }

  /// Tries to make `in` the slice of `out` at `offset`; an empty text means it is one now.
  std::string whyNoSlice(const Op& op, TensorId in, TensorId out, Bytes offset) {
    if (!options_.alias.concat) return "aliasing of concat is switched off";
    if (auto why = whyNotPlanned(in)) return *why;
    if (auto why = whyNotPlanned(out)) return *why;
    if (!isOutermost(graph_.tensors[out], op, 0)) {
      return "it joins along an inner axis, so slices are not contiguous";
    }
    if (offset + sizeOf(in) > sizeOf(out)) return "the inputs do not add up to the output";
    const TensorId root = place(in).first;
    if (links_[root].holdsInput) return "a graph input has its own place";
    if (root == out || place(out).first == root) return "it is in this concat twice";
    if (sizeOf(root) != sizeOf(in)) return "it is part of another concat or split already";
    return attach(root, out, offset).value_or("");
  }

  void foldSplit(OpId id, const Op& op) {
    if (op.inputs.empty() || !op.inputs[0]) return;
    const TensorId in = op.inputs[0];
    Bytes offset;
    for (const TensorId out : op.outputs) {
      if (!out) continue;
      noteCopy(id, out, [&]() -> std::string {
        if (!options_.alias.split) return "aliasing of split is switched off";
        if (auto why = whyNotPlanned(in)) return *why;
        if (auto why = whyNotPlanned(out)) return *why;
        if (!isOutermost(graph_.tensors[in], op, 0)) {
          return "it splits along an inner axis, so slices are not contiguous";
        }
        if (offset + sizeOf(out) > sizeOf(in)) return "the outputs do not add up to the input";
        return attach(out, in, offset).value_or("");
      }());
      offset += sizeOf(out);
    }
  }

  const Graph& graph_;
  const StorageOptions& options_;
  Storage& storage_;
  IdMap<TensorId, Link> links_;
};

/// Turns groups into buffers, ordered by first step and then by the tensor that opens them.
void makeBuffers(const Graph& graph, const AliasFolder& folder, Storage& storage) {
  IdMap<TensorId, Buffer> groups(graph.tensors.size());
  std::vector<TensorId> roots;
  for (const TensorId id : graph.tensors.keys()) {
    if (!folder.planned(id)) continue;
    const TensorId root = folder.place(id).first;
    Buffer& group = groups[root];
    const Interval<Step>& life = storage.lifetimes[id];
    if (group.tensors.empty()) {
      roots.push_back(root);
      group.steps = life;
    }
    group.steps = {std::min(group.steps.begin, life.begin), std::max(group.steps.end, life.end)};
    group.tensors.push_back(id);
    group.graphOutput |= graph.tensors[id].graphOutput;
  }
  const auto opens = [&](TensorId root) {
    const Buffer& group = groups[root];
    const auto first = std::ranges::find_if(group.tensors, [&](TensorId id) {
      return storage.lifetimes[id].begin == group.steps.begin;
    });
    return std::pair(group.steps.begin, *first);
  };
  std::ranges::stable_sort(roots, {}, opens);
  for (const TensorId root : roots) {
    Buffer& group = groups[root];
    group.root = root;
    group.size = *graph.tensors[root].bytes;
    const std::vector<TensorId> members = group.tensors;
    const BufferId buffer = storage.buffers.add(std::move(group));
    for (const TensorId id : members) storage.slots[id] = Slot{buffer, folder.place(id).second};
  }
}

}  // namespace

Storage shareStorage(const Graph& graph, const Schedule& schedule, const StorageOptions& options) {
  Storage storage;
  storage.lifetimes = lifetimes(graph, schedule);
  storage.slots.resize(graph.tensors.size());
  storage.free = IdMap<OpId, bool>(graph.ops.size(), false);
  for (const TensorId id : graph.tensors.keys()) {
    const Tensor& tensor = graph.tensors[id];
    if (!tensor.constant && !tensor.bytes) storage.unsized.push_back(id);
  }
  AliasFolder folder(graph, options, storage);
  folder.fold(schedule);
  makeBuffers(graph, folder, storage);
  return storage;
}

}  // namespace hw
