#include "core/storage/view_folder.h"

#include <algorithm>

#include "core/graph/tiling.h"
#include "core/ops/regions.h"
#include "core/storage/aliasing.h"

namespace hw {
namespace {

/// A reason; null for none.
using WhyNot = const char*;

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
    return nullptr;
  }

 private:
  WhyNot whyNoReshape(TensorId in, TensorId out) const {
    if (!options_.alias.reshape) return "aliasing of the reshape family is switched off";
    // The third input switches training on, and only the run knows it.
    if (op_.type == "Dropout" && op_.inputs.size() > 2 && op_.inputs[2]) {
      return "the dropout may be training";
    }
    if (WhyNot why = forest_.whyNotPlanned(in)) return why;
    if (WhyNot why = forest_.whyNotPlanned(out)) return why;
    if (forest_.sizeOf(in) != forest_.sizeOf(out)) return "input and output differ in size";
    return nullptr;
  }

  WhyNot whyNoConcat(TensorId in, TensorId out, Bytes offset) const {
    if (!options_.alias.concat) return "aliasing of concat is switched off";
    // TFLite fuses activations: then the concat computes, and its operands are not its slices.
    if (op_.intAttribute("fused_activation_function", 0) != 0) {
      return "an activation is fused to it";
    }
    if (WhyNot why = forest_.whyNotPlanned(in)) return why;
    if (WhyNot why = forest_.whyNotPlanned(out)) return why;
    if (!isOutermost(graph_.tensors[out], op_, 0)) {
      return "it joins along an inner axis, so slices are not contiguous";
    }
    if (offset + forest_.sizeOf(in) > forest_.sizeOf(out)) {
      return "the inputs do not add up to the output";
    }
    return nullptr;
  }

  WhyNot whyNoSplit(TensorId in, TensorId out, Bytes offset) const {
    if (!options_.alias.split) return "aliasing of split is switched off";
    if (WhyNot why = forest_.whyNotPlanned(in)) return why;
    if (WhyNot why = forest_.whyNotPlanned(out)) return why;
    if (!isOutermost(graph_.tensors[in], op_, 0)) {
      return "it splits along an inner axis, so slices are not contiguous";
    }
    if (offset + forest_.sizeOf(out) > forest_.sizeOf(in)) {
      return "the outputs do not add up to the input";
    }
    return nullptr;
  }

  const Graph& graph_;
  const StorageOptions& options_;
  const AliasForest& forest_;
  const Op& op_;
};

class InPlaceFolder {
 public:
  InPlaceFolder(const Graph& graph, const Schedule& schedule, std::span<const WholeLife> wholes,
                AliasForest& forest)
      : graph_(graph), schedule_(schedule), forest_(forest), ends_(graph.tensors.size()) {
    for (const WholeLife& whole : wholes) {
      Step& end = ends_[forest.place(whole.tensor).root];
      end = std::max(end, whole.steps.end);
    }
  }

  /// True if the output has taken over the input's bytes.
  bool fold(const InPlaceChoice& choice) {
    if (!mayTakeOver(choice)) return false;
    TensorId part = forest_.place(choice.in).root;
    TensorId whole = forest_.place(choice.out).root;
    // The smaller block becomes a slice of the larger one.
    if (forest_.sizeOf(whole) < forest_.sizeOf(part)) std::swap(part, whole);
    const Step end = std::max(ends_[part], ends_[whole]);
    if (forest_.attach(part, whole, Bytes())) return false;
    ends_[whole] = end;
    return true;
  }

 private:
  bool mayTakeOver(const InPlaceChoice& choice) const {
    const auto [taken, inside] = forest_.place(choice.in);
    const auto [whole, outside] = forest_.place(choice.out);
    // All of the input's block must go over, and it must die here, with all its aliases.
    if (taken == whole || forest_.sizeOf(taken) != forest_.sizeOf(choice.in)) return false;
    // A graph output outlives even the last op.
    if (forest_.holdsOutput(taken)) return false;
    if (ends_[taken] != schedule_.stepOf[choice.op] + Step(1)) return false;
    // A slice of a larger block would bring the block to life earlier.
    if (forest_.sizeOf(whole) != forest_.sizeOf(choice.out)) return false;
    return operandsAgree(choice.op, taken);
  }

  /// No other operand is a different part of the block that would be overwritten.
  bool operandsAgree(OpId id, TensorId taken) const {
    const auto agrees = [&](TensorId other) {
      if (forest_.whyNotPlanned(other)) return true;
      return forest_.place(other).root != taken || forest_.sizeOf(other) == forest_.sizeOf(taken);
    };
    const Op& op = graph_.ops[id];
    return std::ranges::all_of(op.inputs, agrees) && std::ranges::all_of(op.captures, agrees);
  }

  const Graph& graph_;
  const Schedule& schedule_;
  AliasForest& forest_;
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
  ViewFolder(const Refusals& refused, AliasForest& forest, Storage* told)
      : refused_(refused), forest_(forest), told_(told) {}

  void fold(const OpViews& views) {
    bool free = true;
    for (const ViewSlice& slice : views.slices) {
      const WhyNot reason = share(slice, views.family);
      if (reason == nullptr || !slice.part || forest_.sizeOf(slice.part) == Bytes()) continue;
      free = false;
      if (told_ == nullptr) continue;
      const Bytes size = forest_.sizeOf(slice.part);
      told_->copies.push_back({views.op, slice.part, size, forest_.textOf(reason, slice.offset)});
    }
    if (told_ != nullptr) told_->free[views.op] = free;
  }

 private:
  /// Makes it the part, or returns the reason why it cannot be and is copied.
  WhyNot share(const ViewSlice& slice, ViewFamily family) {
    if (slice.whyNot != nullptr) return slice.whyNot;
    TensorId part = slice.part;
    if (family == ViewFamily::concat) {
      part = forest_.place(slice.part).root;
      if (forest_.holdsInput(part)) return "a graph input has its own place";
      if (part == slice.whole || forest_.place(slice.whole).root == part) {
        return "it is in this concat twice";
      }
      if (forest_.sizeOf(part) != forest_.sizeOf(slice.part)) {
        return "it is part of another concat or split already";
      }
    }
    if (refused_.contains({slice.op, slice.part})) return kRaisesBound;
    return forest_.attach(part, slice.whole, slice.offset);
  }

  const Refusals& refused_;
  AliasForest& forest_;
  Storage* told_;
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

std::vector<InPlaceChoice> inPlaceChoices(const Graph& graph, const Schedule& schedule,
                                          const InPlaceScope& scope, const AliasForest& forest) {
  std::vector<InPlaceChoice> choices;
  for (const OpId id : schedule.order) {
    const Op& op = graph.ops[id];
    if (partOf(graph, id) != nullptr) continue;  // Its tiling says where it lies.
    if (op.folded || op.outputs.empty() || forest.whyNotPlanned(op.outputs[0])) continue;
    if (scope.byChannel && !scratchOf(graph, op)) continue;
    const TensorId out = op.outputs[0];
    for (const TensorId in : overwritable(graph, op)) {
      if (forest.whyNotPlanned(in) || !mayOverwrite(graph, op, in)) continue;
      if (!scope.shrinking && forest.sizeOf(out) < forest.sizeOf(in)) continue;
      choices.push_back({id, in, out});
    }
  }
  return choices;
}

void foldInPlace(const Graph& graph, const Schedule& schedule,
                 std::span<const InPlaceChoice> choices, std::span<const WholeLife> wholes,
                 AliasForest& forest, std::vector<TensorId>& inPlace) {
  InPlaceFolder folder(graph, schedule, wholes, forest);
  OpId done;
  for (const InPlaceChoice& choice : choices) {
    if (choice.op == done || !folder.fold(choice)) continue;
    done = choice.op;
    inPlace.push_back(choice.out);
  }
  std::ranges::sort(inPlace);
}

std::vector<OpViews> viewsOf(const Graph& graph, const Schedule& schedule,
                             const StorageOptions& options, const AliasForest& forest) {
  std::vector<OpViews> views;
  for (const OpId id : schedule.order) {
    if (graph.ops[id].folded || partOf(graph, id) != nullptr) continue;
    const ViewFamily family = viewFamilyOf(graph.ops[id]);
    if (family == ViewFamily::none) continue;
    views.push_back({id, family, viewSlices(graph, options, forest, id)});
  }
  return views;
}

void foldViews(std::span<const OpViews> views, const Refusals& refused, AliasForest& forest,
               Storage* told) {
  ViewFolder folder(refused, forest, told);
  for (const OpViews& each : views) folder.fold(each);
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
