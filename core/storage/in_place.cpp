#include <algorithm>

#include "core/graph/scratch.h"
#include "core/graph/tiling.h"
#include "core/ops/op_table.h"
#include "core/ops/regions.h"
#include "core/storage/by_channel.h"
#include "core/storage/view_folder.h"

namespace hw {

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

// Even where a stride makes its output smaller: no write gets ahead of what is still to be read.
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

namespace {

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
    // What the graph hands out outlives even the last op.
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

}  // namespace

void foldInPlace(const Graph& graph, const Schedule& schedule, const InPlaceScope& scope,
                 AliasForest& forest, Storage& storage) {
  InPlaceFolder folder(graph, schedule, scope, forest, storage);
  for (const OpId id : schedule.order) folder.fold(id);
  std::ranges::sort(storage.inPlace);
}

}  // namespace hw
