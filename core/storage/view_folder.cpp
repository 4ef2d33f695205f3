#include "core/storage/view_folder.h"

#include <algorithm>
#include <span>

#include "core/graph/tiling.h"
#include "core/ops/op_table.h"
#include "core/ops/regions.h"
#include "core/storage/aliasing.h"

namespace hw {
namespace {

using WhyNot = std::optional<std::string>;

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

/// Says of the slices of one op why they cannot share.
class SliceJudge {
 public:
  SliceJudge(const Graph& graph, const StorageOptions& options, const AliasForest& forest, OpId op)
      : graph_(graph), options_(options), forest_(forest), op_(graph.ops[op]) {}

  WhyNot judge(const SliceLink& slice) const {
    switch (viewFamilyOf(op_)) {
      case ViewFamily::none:
        break;
      case ViewFamily::reshape:
        return whyNoReshape(slice.whole, slice.part);
      case ViewFamily::concat:
        return whyNoConcat(slice.part, slice.whole, slice.offset);
      case ViewFamily::split:
        return whyNoSplit(slice.whole, slice.part, slice.offset);
    }
    return std::nullopt;
  }

 private:
  WhyNot whyNoReshape(TensorId in, TensorId out) const {
    if (!options_.alias.reshape) return "aliasing of the reshape family is switched off";
    // The third input switches training on, and only the run knows it.
    if (op_.type == "Dropout" && op_.inputs.size() > 2 && op_.inputs[2]) {
      return "the dropout may be training";
    }
    if (auto why = forest_.whyNotPlanned(in)) return why;
    if (auto why = forest_.whyNotPlanned(out)) return why;
    if (forest_.sizeOf(in) != forest_.sizeOf(out)) return "input and output differ in size";
    return std::nullopt;
  }

  WhyNot whyNoConcat(TensorId in, TensorId out, Bytes offset) const {
    if (!options_.alias.concat) return "aliasing of concat is switched off";
    // TFLite fuses activations: then the concat computes, and its operands are not its slices.
    if (op_.intAttribute("fused_activation_function", 0) != 0) {
      return "an activation is fused to it";
    }
    if (auto why = forest_.whyNotPlanned(in)) return why;
    if (auto why = forest_.whyNotPlanned(out)) return why;
    if (!isOutermost(graph_.tensors[out], op_, 0)) {
      return "it joins along an inner axis, so slices are not contiguous";
    }
    if (offset + forest_.sizeOf(in) > forest_.sizeOf(out)) {
      return "the inputs do not add up to the output";
    }
    return std::nullopt;
  }

  WhyNot whyNoSplit(TensorId in, TensorId out, Bytes offset) const {
    if (!options_.alias.split) return "aliasing of split is switched off";
    if (auto why = forest_.whyNotPlanned(in)) return why;
    if (auto why = forest_.whyNotPlanned(out)) return why;
    if (!isOutermost(graph_.tensors[in], op_, 0)) {
      return "it splits along an inner axis, so slices are not contiguous";
    }
    if (offset + forest_.sizeOf(out) > forest_.sizeOf(in)) {
      return "the outputs do not add up to the input";
    }
    return std::nullopt;
  }

  const Graph& graph_;
  const StorageOptions& options_;
  const AliasForest& forest_;
  const Op& op_;
};

class InPlaceFolder {
 public:
  InPlaceFolder(const Graph& graph, const Schedule& schedule, const InPlaceScope& scope,
                AliasForest& forest, Storage& storage)
      : graph_(graph),
        schedule_(schedule),
        scope_(scope),
        forest_(forest),
        storage_(storage),
        ends_(graph.tensors.size()) {
    for (const TensorId id : graph.tensors.keys()) {
      if (forest.whyNotPlanned(id)) continue;
      Step& end = ends_[forest.place(id).root];
      end = std::max(end, storage.lifetimes[id].end);
    }
  }

  void fold(OpId id) {
    const Op& op = graph_.ops[id];
    if (partOf(graph_, id) != nullptr) return;  // Its tiling says where it lies.
    if (op.folded || op.outputs.empty() || forest_.whyNotPlanned(op.outputs[0])) return;
    if (scope_.byChannel && !scratchOf(graph_, op)) return;
    const TensorId out = op.outputs[0];
    for (const TensorId in : overwritable(graph_, op)) {
      if (!mayTakeOver(id, in, out)) continue;
      TensorId part = forest_.place(in).root;
      TensorId whole = forest_.place(out).root;
      // The smaller block becomes a slice of the larger one.
      if (forest_.sizeOf(whole) < forest_.sizeOf(part)) std::swap(part, whole);
      const Step end = std::max(ends_[part], ends_[whole]);
      if (forest_.attach(part, whole, Bytes())) continue;
      ends_[whole] = end;
      storage_.inPlace.push_back(out);
      return;
    }
  }

 private:
  bool mayTakeOver(OpId id, TensorId in, TensorId out) const {
    if (forest_.whyNotPlanned(in)) return false;
    const Tensor& input = graph_.tensors[in];
    const Tensor& output = graph_.tensors[out];
    if (!mayOverwrite(graph_, graph_.ops[id], in)) return false;
    if (!scope_.shrinking && *output.bytes < *input.bytes) return false;
    const auto [taken, inside] = forest_.place(in);
    const auto [whole, outside] = forest_.place(out);
    // All of the input's block must go over, and it must die here, with all its aliases.
    if (taken == whole || forest_.sizeOf(taken) != *input.bytes) return false;
    // A graph output outlives even the last op.
    if (forest_.holdsOutput(taken)) return false;
    if (ends_[taken] != schedule_.stepOf[id] + Step(1)) return false;
    // A slice of a larger block would bring the block to life earlier.
    if (forest_.sizeOf(whole) != *output.bytes) return false;
    return operandsAgree(id, taken);
  }

  /// No other operand is a different part of the block that would be overwritten.
  bool operandsAgree(OpId id, TensorId taken) const {
    const std::vector<TensorId> reads = graph_.reads(id);
    return std::ranges::all_of(reads, [&](TensorId other) {
      if (forest_.whyNotPlanned(other)) return true;
      return forest_.place(other).root != taken || forest_.sizeOf(other) == forest_.sizeOf(taken);
    });
  }

  const Graph& graph_;
  const Schedule& schedule_;
  InPlaceScope scope_;
  AliasForest& forest_;
  Storage& storage_;
  IdMap<TensorId, Step> ends_;  ///< Of a root: when the last of its group dies.
};

constexpr const char* kRaisesBound =
    "slices would live as long as the whole, which raises the lower bound";

/// Decides view by view.
///
///   split x -> a, b; reshape b -> c; concat (c, d) -> y      y [ c | d ]   refused: c is a slice
///   of x, and x is not wholly inside y, so c is copied into y.
class ViewFolder {
 public:
  ViewFolder(const Graph& graph, const StorageOptions& options, const Refusals& refused,
             AliasForest& forest, Storage& storage)
      : graph_(graph), options_(options), refused_(refused), forest_(forest), storage_(storage) {}

  void fold(OpId id) {
    if (partOf(graph_, id) != nullptr) return;
    const ViewFamily family = viewFamilyOf(graph_.ops[id]);
    if (family == ViewFamily::none) return;
    const std::size_t copiesBefore = storage_.copies.size();
    for (const ViewSlice& slice : viewSlices(graph_, options_, forest_, id)) {
      noteCopy(id, slice.part, share(id, slice, family));
    }
    storage_.free[id] = storage_.copies.size() == copiesBefore;
  }

 private:
  /// Notes that `op` copies `tensor` because of `reason`; an empty reason means that it need not.
  void noteCopy(OpId op, TensorId tensor, std::string reason) {
    if (reason.empty() || !tensor || forest_.sizeOf(tensor) == Bytes()) return;
    storage_.copies.push_back({op, tensor, forest_.sizeOf(tensor), std::move(reason)});
  }

  /// Makes it the part, or returns the reason why it cannot be.
  std::string share(OpId op, const ViewSlice& slice, ViewFamily family) {
    if (slice.whyNot) return *slice.whyNot;
    const bool refused = refused_.contains({op, slice.part});
    if (family == ViewFamily::concat) {
      const TensorId root = forest_.place(slice.part).root;
      if (forest_.holdsInput(root)) return "a graph input has its own place";
      if (root == slice.whole || forest_.place(slice.whole).root == root) {
        return "it is in this concat twice";
      }
      if (forest_.sizeOf(root) != forest_.sizeOf(slice.part)) {
        return "it is part of another concat or split already";
      }
      if (refused) return kRaisesBound;
      return forest_.attach(root, slice.whole, slice.offset).value_or("");
    }
    if (refused) return kRaisesBound;
    return forest_.attach(slice.part, slice.whole, slice.offset).value_or("");
  }

  const Graph& graph_;
  const StorageOptions& options_;
  const Refusals& refused_;
  AliasForest& forest_;
  Storage& storage_;
};

/// The piece that an op reads where `out` is written; null when there is none.
const Tiling::Piece* under(const Graph& graph, const Op& op, TensorId out) {
  const Tiling::Piece* own = pieceOf(graph, out);
  for (const TensorId in : op.inputs) {
    const Tiling::Piece* piece = own != nullptr ? pieceOf(graph, in) : nullptr;
    const bool same = piece != nullptr && piece->host == own->host && piece->at == own->at &&
                      graph.tensors[in].shape == graph.tensors[out].shape;
    if (same) return piece;
  }
  return nullptr;
}

}  // namespace

std::vector<SliceLink> sliceLinks(const Graph& graph, OpId id) {
  const Op& op = graph.ops[id];
  const ViewFamily family = viewFamilyOf(op);
  if (family == ViewFamily::none || op.outputs.empty()) return {};
  const bool joins = family == ViewFamily::concat;
  const TensorId whole = joins ? op.outputs[0] : dataInput(op);
  std::span<const TensorId> parts = joins ? op.inputs : op.outputs;
  if (family == ViewFamily::reshape) parts = parts.first(1);  // A dropout's mask is no view.
  std::vector<SliceLink> links;
  Bytes offset;
  for (const TensorId part : parts) {
    if (!whole || !part) continue;
    links.push_back({id, part, whole, offset});
    offset += graph.tensors[part].bytes.value_or(Bytes());
  }
  return links;
}

std::vector<ViewSlice> viewSlices(const Graph& graph, const StorageOptions& options,
                                  const AliasForest& forest, OpId op) {
  const SliceJudge judge(graph, options, forest, op);
  std::vector<ViewSlice> slices;
  for (const SliceLink& link : sliceLinks(graph, op)) slices.push_back({link, judge.judge(link)});
  return slices;
}

std::optional<Bytes> channelScratch(const Graph& graph, const Op& op) {
  const OpInfo* info = findOp(op);
  if (info == nullptr || info->inPlace != InPlace::depthwise || op.folded) return {};
  if (op.inputs.empty() || !op.inputs[0] || op.outputs.empty() || !op.outputs[0]) return {};
  if (std::ranges::count(op.inputs, op.inputs[0]) != 1) return {};
  const Tensor& input = graph.tensors[op.inputs[0]];
  const Tensor& output = graph.tensors[op.outputs[0]];
  const auto element = elementSize(output);
  if (!element || element != elementSize(input) || *output.bytes > *input.bytes) return {};
  const Shape& in = *input.shape;
  const Shape& out = *output.shape;
  if (in.size() < 3 || out.size() != in.size() || in[0] != out[0]) return {};
  const std::size_t channel = channelsAreLast(op) ? in.size() - 1 : 1;
  const std::int64_t channels = in[channel];
  if (channels < 2 || out[channel] != channels) return {};
  if (op.domain != "tflite" && op.intAttribute("group", 1) != channels) return {};
  return Bytes(output.bytes->count() / (channels * in[0]));
}

// A stride that makes the output smaller is allowed: no write passes what is still to be read.
bool mayShrinkInPlace(const Graph& graph, const Op& op) {
  const TensorId scratch = scratchOf(graph, op);
  if (!scratch) return false;
  const auto needed = channelScratch(graph, op);
  return needed && graph.tensors[scratch].bytes >= needed;
}

std::vector<TensorId> overwritable(const Graph& graph, const Op& op) {
  const OpInfo* info = findOp(op);
  if (op.inputs.empty() || info == nullptr) return {};
  switch (info->inPlace) {
    case InPlace::never:
      return {};
    case InPlace::any:
      return op.inputs;
    case InPlace::depthwise:
      return mayShrinkInPlace(graph, op) ? std::vector{op.inputs[0]} : std::vector<TensorId>();
    case InPlace::first:
    case InPlace::sameWidth:  // `mayOverwrite` compares the sizes.
      return {dataInput(op)};
  }
  return {};
}

bool mayOverwrite(const Graph& graph, const Op& op, TensorId in) {
  const Tensor& input = graph.tensors[in];
  const Tensor& output = graph.tensors[op.outputs[0]];
  if (*output.bytes < *input.bytes) return mayShrinkInPlace(graph, op);
  if (*output.bytes > *input.bytes) return false;
  return !input.shape || !output.shape || *input.shape == *output.shape;
}

void foldInPlace(const Graph& graph, const Schedule& schedule, const InPlaceScope& scope,
                 AliasForest& forest, Storage& storage) {
  InPlaceFolder folder(graph, schedule, scope, forest, storage);
  for (const OpId id : schedule.order) folder.fold(id);
  std::ranges::sort(storage.inPlace);
}

void foldViews(const Graph& graph, const Schedule& schedule, const StorageOptions& options,
               const Refusals& refused, AliasForest& forest, Storage& storage) {
  ViewFolder folder(graph, options, refused, forest, storage);
  for (const OpId id : schedule.order) {
    if (!graph.ops[id].folded) folder.fold(id);
  }
}

void foldPieces(const Graph& graph, AliasForest& forest, Storage& storage) {
  if (!graph.tiling) return;
  for (const TensorId id : graph.tensors.keys()) {
    const Tiling::Piece* piece = pieceOf(graph, id);
    if (piece != nullptr) forest.attachPiece(id, piece->host, extentOf(graph, id).begin);
  }
  for (const OpId id : graph.ops.keys()) {
    const Op& op = graph.ops[id];
    storage.free[id] = isSeam(op);
    if (partOf(graph, id) == nullptr) continue;
    std::size_t over = 0;
    for (const TensorId out : op.outputs) {
      if (under(graph, op, out) == nullptr) continue;
      storage.inPlace.push_back(out);
      ++over;
    }
    // A view whose outputs all lie over its input does nothing.
    const bool hands = viewFamilyOf(op) == ViewFamily::reshape && over == op.outputs.size();
    if (hands) storage.free[id] = true;
  }
  std::ranges::sort(storage.inPlace);
}

}  // namespace hw
