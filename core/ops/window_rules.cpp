#include "core/ops/op_rules.h"
#include "core/ops/windows.h"

// Windows that slide over images, forwards and backwards.

namespace hw::shapes {
namespace {

using List = std::vector<std::int64_t>;

/// The number of places of a window in `size`; nothing when it is larger.
std::optional<std::int64_t> placesOf(const Window& window, std::int64_t size, bool same,
                                     bool roundsUp) {
  if (same) return (size + window.stride - 1) / window.stride;
  const std::int64_t room = size + window.padBefore + window.padAfter - window.reach();
  if (room < 0) return std::nullopt;
  const std::int64_t places = room / window.stride + 1;
  if (!roundsUp || room % window.stride == 0) return places;
  // A last window that would begin in the padding behind does not count.
  return places * window.stride < size + window.padBefore ? places + 1 : places;
}

/// (N, channels, places …); nothing when the window does not fit.
std::optional<Shape> slid(const OpFacts& facts, const Windows& windows, std::int64_t channels) {
  Shape shape = *facts.shape(0);
  shape[channelAxis(facts)] = channels;
  const bool roundsUp = facts.op.intAttribute("ceil_mode", 0) != 0;
  for (std::size_t i = 0; i < windows.axes.size(); ++i) {
    std::int64_t& size = shape[firstPlace(facts) + i];
    const auto places = placesOf(windows.axes[i], size, windows.isSame(), roundsUp);
    if (!places) return std::nullopt;
    size = *places;
  }
  return shape;
}

/// Blocks of b x b between the channels and the two dimensions of an image.
OutputFacts blocksMoved(const OpFacts& facts, bool intoSpace) {
  const Shape* input = facts.shape(0);
  const std::int64_t block = facts.op.intAttribute("blocksize", 0);
  constexpr std::int64_t kMost = std::int64_t{1} << 20U;
  if (input == nullptr || input->size() != 4 || block < 1 || block > kMost) return {};
  Shape shape = *input;
  const std::size_t channel = channelAxis(facts);
  for (const std::size_t axis : {channel, firstPlace(facts), firstPlace(facts) + 1}) {
    const std::int64_t factor = axis == channel ? block * block : block;
    const bool grows = (axis != channel) == intoSpace;
    const auto size = grows ? checkedMul(shape[axis], factor) : shape[axis] / factor;
    if (!size || (!grows && shape[axis] % factor != 0)) return {};
    shape[axis] = *size;
  }
  return one(facts.dtype(0), shape);
}

/// TFLite's blocks between the batch and the axes after it: sizes of a block, then what is added or
/// cut away before and after each of the axes.
OutputFacts batchesMoved(const OpFacts& facts, bool intoBatch) {
  const Shape* input = facts.shape(0);
  const auto blocks = facts.integers(1, "");
  const auto edges = facts.integers(2, "");
  if (input == nullptr || !blocks || !edges || edges->size() != 2 * blocks->size() ||
      input->size() <= blocks->size()) {
    return {};
  }
  Shape shape = *input;
  for (std::size_t i = 0; i < blocks->size(); ++i) {
    const std::int64_t block = (*blocks)[i];
    const auto both = checkedAdd((*edges)[2 * i], (*edges)[2 * i + 1]);
    if (block < 1 || !both || *both < 0) return {};
    const auto batch = intoBatch ? checkedMul(shape[0], block) : shape[0] / block;
    const auto size = intoBatch ? checkedAdd(shape[i + 1], *both) : checkedMul(shape[i + 1], block);
    if (!batch || !size) return {};
    shape[0] = *batch;
    shape[i + 1] = intoBatch ? *size / block : *size - *both;
  }
  return one(facts.dtype(0), shape);
}

}  // namespace

OutputFacts pool(const OpFacts& facts) {
  const auto windows = windowsOf(facts, nullptr);
  if (!windows) return {};
  const auto shape = slid(facts, *windows, (*facts.shape(0))[channelAxis(facts)]);
  OutputFacts outputs = maybe(facts.dtype(0), shape);
  if (shape && facts.outputCount > 1) outputs.push_back({Dtype::int64, *shape});  // Of the maxima.
  return outputs;
}

OutputFacts convolution(const OpFacts& facts) {
  const OpInfo* info = findOp(facts.op);
  const Shape* weight = facts.shape(info != nullptr ? info->weight : 1);
  if (weight == nullptr || facts.op.intAttribute("group", 1) < 1) return {};
  const auto windows = windowsOf(facts, weight);
  if (!windows) return {};
  const bool last = info != nullptr && info->lastChannel;
  return maybe(facts.dtype(0), slid(facts, *windows, last ? weight->back() : weight->front()));
}

OutputFacts integerConvolution(const OpFacts& facts) {
  return retyped(convolution(facts), Dtype::int32);
}

/// With the type of the output's zero point.
OutputFacts linearConvolution(const OpFacts& facts) {
  const Dtype zeroPoint = facts.dtype(7);
  return retyped(convolution(facts), zeroPoint != Dtype::unknown ? zeroPoint : facts.dtype(0));
}

/// Each input place becomes a window: stride x (size - 1) + reach + what is added - pads.
OutputFacts transposedConvolution(const OpFacts& facts) {
  const Shape* weight = facts.shape(1);
  if (weight == nullptr) return {};
  const auto windows = windowsOf(facts, weight);
  if (!windows) return {};
  const std::int64_t groups = facts.op.intAttribute("group", 1);
  const auto channels = checkedMul((*weight)[1], groups);
  const std::size_t count = windows->axes.size();
  const List wanted = facts.op.intsAttribute("output_shape");
  const List added = spatialList(facts, "output_padding", count, 0);
  const bool isWhole = wanted.size() == count + 2;  // Some writers give the whole shape.
  if (!channels || groups < 1 || added.size() != count) return {};
  if (!wanted.empty() && wanted.size() != count && !isWhole) return {};
  Shape shape = *facts.shape(0);
  shape[channelAxis(facts)] = *channels;
  for (std::size_t i = 0; i < count; ++i) {
    const Window& window = windows->axes[i];
    if (!isReasonable(added[i])) return {};
    std::int64_t& size = shape[firstPlace(facts) + i];
    const std::int64_t grown =
        window.stride * (size - 1) + added[i] + window.reach() - window.padBefore - window.padAfter;
    size = windows->isSame() ? size * window.stride : grown;
    if (!wanted.empty()) size = wanted[isWhole ? i + 2 : i];
    if (size < 0) return {};
  }
  return one(facts.dtype(0), shape);
}

/// MaxUnpool: to the shape given, or as far as the windows reach.
OutputFacts unpool(const OpFacts& facts) {
  if (facts.has(2)) {
    const auto wanted = facts.integers(2, "");
    return wanted ? one(facts.dtype(0), *wanted) : OutputFacts();
  }
  const auto windows = windowsOf(facts, nullptr);
  if (!windows) return {};
  Shape shape = *facts.shape(0);
  for (std::size_t i = 0; i < windows->axes.size(); ++i) {
    const Window& window = windows->axes[i];
    std::int64_t& size = shape[firstPlace(facts) + i];
    size = window.stride * (size - 1) + window.kernel - window.padBefore - window.padAfter;
    if (size < 0) return {};
  }
  return one(facts.dtype(0), shape);
}

/// MaxRoiPool: one patch of fixed size a region.
OutputFacts regionPool(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const Shape* regions = facts.shape(1);
  const List size = facts.op.intsAttribute("pooled_shape");
  if (input == nullptr || regions == nullptr || input->size() != 4 || regions->size() != 2) {
    return {};
  }
  return size.size() == 2 ? one(facts.dtype(0), {regions->front(), (*input)[1], size[0], size[1]})
                          : OutputFacts();
}

/// RoiAlign: (N, C, H, W), (regions, 4).
OutputFacts regionAlign(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const Shape* regions = facts.shape(1);
  if (input == nullptr || regions == nullptr || input->size() != 4 || regions->empty()) return {};
  return one(facts.dtype(0),
             {regions->front(), (*input)[1], facts.op.intAttribute("output_height", 1),
              facts.op.intAttribute("output_width", 1)});
}

/// (N, C, places in), (N, places out, coordinates) -> (N, C, places out).
OutputFacts gridSample(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const Shape* grid = facts.shape(1);
  if (input == nullptr || grid == nullptr || input->size() < 3 || grid->size() != input->size()) {
    return {};
  }
  Shape shape = {(*input)[0], (*input)[1]};
  shape.insert(shape.end(), grid->begin() + 1, grid->end() - 1);
  return one(facts.dtype(0), shape);
}

OutputFacts depthToSpace(const OpFacts& facts) { return blocksMoved(facts, true); }
OutputFacts spaceToDepth(const OpFacts& facts) { return blocksMoved(facts, false); }
OutputFacts spaceToBatch(const OpFacts& facts) { return batchesMoved(facts, true); }
OutputFacts batchToSpace(const OpFacts& facts) { return batchesMoved(facts, false); }

}  // namespace hw::shapes
