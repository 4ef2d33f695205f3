#include <algorithm>

#include "core/ops/op_table.h"
#include "core/storage/view_folder.h"

namespace hw {
namespace {

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

constexpr const char* kRaisesBound =
    "slices would live as long as the whole, which raises the lower bound";

/// Decides view by view.
///
///   split x -> a, b; reshape b -> c; concat (c, d) -> y      y [ c | d ]   refused: c is a slice
///   of x, and x is not wholly inside y, so c is copied into y.
class ViewFolder {
 public:
  ViewFolder(const Graph& graph, const StorageOptions& options, AliasForest& forest,
             Storage& storage)
      : graph_(graph), options_(options), forest_(forest), storage_(storage) {}

  void fold(OpId id, bool raisesBound) {
    const Op& op = graph_.ops[id];
    const std::size_t copiesBefore = storage_.copies.size();
    raisesBound_ = raisesBound;
    switch (viewFamilyOf(op)) {
      case ViewFamily::none:
        return;
      case ViewFamily::reshape:
        foldReshape(id, op);
        break;
      case ViewFamily::concat:
        foldConcat(id, op);
        break;
      case ViewFamily::split:
        foldSplit(id, op);
        break;
    }
    storage_.free[id] = storage_.copies.size() == copiesBefore;
  }

 private:
  /// Notes that `op` copies `tensor` because of `reason`; an empty reason means that it need not.
  void noteCopy(OpId op, TensorId tensor, std::string reason) {
    if (reason.empty() || !tensor || forest_.sizeOf(tensor) == Bytes()) return;
    storage_.copies.push_back({op, tensor, forest_.sizeOf(tensor), std::move(reason)});
  }

  void foldReshape(OpId id, const Op& op) {
    const TensorId in = dataInput(op);
    if (!in || op.outputs.empty() || !op.outputs[0]) return;
    const TensorId out = op.outputs[0];
    noteCopy(id, out, [&]() -> std::string {
      if (!options_.alias.reshape) return "aliasing of the reshape family is switched off";
      // The third input switches training on, and only the run knows it.
      if (op.type == "Dropout" && op.inputs.size() > 2 && op.inputs[2]) {
        return "the dropout may be training";
      }
      if (auto why = forest_.whyNotPlanned(in)) return *why;
      if (auto why = forest_.whyNotPlanned(out)) return *why;
      if (forest_.sizeOf(in) != forest_.sizeOf(out)) return "input and output differ in size";
      return forest_.attach(out, in, Bytes()).value_or("");
    }());
  }

  void foldConcat(OpId id, const Op& op) {
    if (op.outputs.empty() || !op.outputs[0]) return;
    const TensorId out = op.outputs[0];
    Bytes offset;
    for (const TensorId in : op.inputs) {
      if (!in) continue;
      noteCopy(id, in, whyNoSlice(op, in, out, offset));
      offset += forest_.sizeOf(in);
    }
  }

  /// Tries to make `in` the slice of `out` at `offset`; an empty text means it is one now.
  std::string whyNoSlice(const Op& op, TensorId in, TensorId out, Bytes offset) {
    if (!options_.alias.concat) return "aliasing of concat is switched off";
    if (raisesBound_) return kRaisesBound;
    // TFLite: then the values change on their way.
    if (op.intAttribute("fused_activation_function", 0) != 0) return "an activation is fused to it";
    if (auto why = forest_.whyNotPlanned(in)) return *why;
    if (auto why = forest_.whyNotPlanned(out)) return *why;
    if (!isOutermost(graph_.tensors[out], op, 0)) {
      return "it joins along an inner axis, so slices are not contiguous";
    }
    if (offset + forest_.sizeOf(in) > forest_.sizeOf(out))
      return "the inputs do not add up to the output";
    const TensorId root = forest_.place(in).root;
    if (forest_.holdsInput(root)) return "a graph input has its own place";
    if (root == out || forest_.place(out).root == root) return "it is in this concat twice";
    if (forest_.sizeOf(root) != forest_.sizeOf(in))
      return "it is part of another concat or split already";
    return forest_.attach(root, out, offset).value_or("");
  }

  void foldSplit(OpId id, const Op& op) {
    const TensorId in = dataInput(op);
    if (!in) return;
    Bytes offset;
    for (const TensorId out : op.outputs) {
      if (!out) continue;
      noteCopy(id, out, [&]() -> std::string {
        if (!options_.alias.split) return "aliasing of split is switched off";
        if (raisesBound_) return kRaisesBound;
        if (auto why = forest_.whyNotPlanned(in)) return *why;
        if (auto why = forest_.whyNotPlanned(out)) return *why;
        if (!isOutermost(graph_.tensors[in], op, 0)) {
          return "it splits along an inner axis, so slices are not contiguous";
        }
        if (offset + forest_.sizeOf(out) > forest_.sizeOf(in))
          return "the outputs do not add up to the input";
        return forest_.attach(out, in, offset).value_or("");
      }());
      offset += forest_.sizeOf(out);
    }
  }

  const Graph& graph_;
  const StorageOptions& options_;
  AliasForest& forest_;
  Storage& storage_;
  bool raisesBound_ = false;
};

}  // namespace

bool sharesSlices(const Op& op) {
  const ViewFamily family = viewFamilyOf(op);
  return family == ViewFamily::concat || family == ViewFamily::split;
}

void foldViews(const Graph& graph, const Schedule& schedule, const StorageOptions& options,
               const std::set<OpId>& refused, AliasForest& forest, Storage& storage) {
  ViewFolder folder(graph, options, forest, storage);
  for (const OpId id : schedule.order) {
    if (!graph.ops[id].folded) folder.fold(id, refused.contains(id));
  }
}

}  // namespace hw
