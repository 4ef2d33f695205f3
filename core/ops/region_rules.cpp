#include <algorithm>

#include "core/ops/op_rules.h"
#include "core/ops/regions.h"
#include "core/ops/windows.h"

// Rules for the parts of its inputs that an op needs for a part of its outputs.

namespace hw::regions {
namespace {

using Axes = std::vector<Reach>;

constexpr int axisNumber(std::size_t axis) { return static_cast<int>(axis); }

/// All of every input.
Regions wholeInputs(const OpFacts& facts) { return {std::vector<Axes>(facts.inputs.size())}; }

/// Each axis where it is the output's axis of the same number and size, all of it where not.
Axes sameAxes(const Shape& input, const Shape& made) {
  Axes axes(input.size());
  for (std::size_t i = 0; i < input.size(); ++i) {
    if (i < made.size() && input[i] == made[i]) axes[i].axis = axisNumber(i);
  }
  return axes;
}

/// The element at the same place, after broadcasting: axes are counted from the last one.
Axes broadcastAxes(const Shape& input, const Shape& made) {
  Axes axes(input.size());
  if (input.size() > made.size()) return axes;
  const std::size_t added = made.size() - input.size();
  for (std::size_t i = 0; i < input.size(); ++i) {
    if (input[i] == made[i + added]) axes[i].axis = axisNumber(i + added);
  }
  return axes;
}

/// The data input by `axes`, all of the other inputs.
Regions onData(const OpFacts& facts, std::size_t data, Axes axes) {
  Regions regions = wholeInputs(facts);
  regions.inputs[data] = std::move(axes);
  return regions;
}

/// Images of a convolution or pool: its windows over the places, and channels `channels`.
Regions slid(const OpFacts& facts, const Shape* weight, const Shape& made, const Reach& channels) {
  const Shape* input = facts.shape(0);
  const auto windows = windowsOf(facts, weight);
  if (!windows || made.size() != input->size() || isPooled(facts.op)) return {};
  Axes axes(input->size());
  axes[0].axis = 0;
  axes[channelAxis(facts)] = channels;
  for (std::size_t i = 0; i < windows->axes.size(); ++i) {
    const Window& window = windows->axes[i];
    const std::size_t axis = firstPlace(facts) + i;
    const std::int64_t pad = padBefore(*windows, window, (*input)[axis], made[axis]);
    axes[axis] = {.axis = axisNumber(axis),
                  .step = window.stride,
                  .low = -pad,
                  .high = window.reach() - 1 - pad};
  }
  return onData(facts, 0, std::move(axes));
}

/// The place in the input of an output place, (place * step + low) / per: the coordinates of
/// Resize. Nothing for those that depend on more than sizes.
struct ResizeScale {
  std::int64_t step = 1;
  std::int64_t low = 0;
  std::int64_t per = 1;
};
std::optional<ResizeScale> scaleOf(const Op& op, std::int64_t from, std::int64_t to) {
  const bool isTflite = op.domain == "tflite";
  std::string mode = op.stringAttribute("coordinate_transformation_mode", "half_pixel");
  if (op.type == "Upsample") mode = "asymmetric";
  if (isTflite) {
    mode = op.intAttribute("half_pixel_centers", 0) != 0 ? "half_pixel"
           : op.intAttribute("align_corners", 0) != 0    ? "align_corners"
                                                         : "asymmetric";
  }
  if (mode == "asymmetric") return ResizeScale{from, 0, to};
  if (mode == "align_corners" && to == 1) return ResizeScale{0, 0, 1};
  if (mode == "align_corners") return ResizeScale{from - 1, 0, to - 1};
  if (mode == "pytorch_half_pixel" && to == 1) return ResizeScale{0, 0, 1};
  if (mode == "half_pixel" || mode == "pytorch_half_pixel" || mode == "half_pixel_symmetric") {
    return ResizeScale{2 * from, from - to, 2 * to};
  }
  return std::nullopt;
}

/// The elements read around that place: one behind for linear, one before and two behind for cubic.
/// Rounding to the nearest may go either way.
std::optional<Reach> resizeReach(const Op& op, std::int64_t from, std::int64_t to) {
  const auto scale = scaleOf(op, from, to);
  if (!scale) return std::nullopt;
  const std::string mode =
      op.stringAttribute("mode", op.type == "RESIZE_BILINEAR" ? "linear" : std::string("nearest"));
  const std::int64_t before = mode == "cubic" ? 1 : 0;
  const std::int64_t behind = mode == "cubic" ? 2 : 1;
  // Scales that are no whole numbers may have been rounded when the sizes were worked out.
  const std::int64_t rounding = to % from == 0 || from % to == 0 ? 0 : 1 + from / to;
  return Reach{.step = scale->step,
               .per = scale->per,
               .low = scale->low - (before + rounding) * scale->per,
               .high = scale->low + behind * scale->per};
}

/// The channel that normalisation over places and neighbours looks across.
Regions acrossAxes(const OpFacts& facts, const Shape& made, std::size_t first, std::size_t last) {
  const Shape* input = facts.shape(0);
  if (input == nullptr || *input != made) return {};
  Axes axes = sameAxes(*input, made);
  for (std::size_t i = first; i < last && i < axes.size(); ++i) axes[i] = Reach();
  return onData(facts, 0, std::move(axes));
}

/// From the axis named to the last.
Regions behindAxis(const OpFacts& facts, const Shape& made, std::int64_t fallback) {
  const auto axis = normalAxis(facts.op.intAttribute("axis", fallback), made.size());
  return axis ? acrossAxes(facts, made, *axis, made.size()) : Regions();
}

/// Blocks of b x b that move between the places of an image and its channels.
Regions blocks(const OpFacts& facts, const Shape& made, bool intoSpace) {
  const Shape* input = facts.shape(0);
  const std::int64_t block = facts.op.intAttribute("blocksize", 0);
  if (input == nullptr || input->size() != 4 || made.size() != 4 || !isReasonable(block - 1)) {
    return {};
  }
  Axes axes(4);
  axes[0].axis = 0;
  for (const std::size_t axis : {firstPlace(facts), firstPlace(facts) + 1}) {
    axes[axis] = intoSpace ? Reach{.axis = axisNumber(axis), .per = block}
                           : Reach{.axis = axisNumber(axis), .step = block, .high = block - 1};
  }
  return onData(facts, 0, std::move(axes));
}

}  // namespace

Regions elements(const OpFacts& facts, const Shape& made) {
  Regions regions = wholeInputs(facts);
  for (std::size_t i = 0; i < facts.inputs.size(); ++i) {
    if (!facts.has(i)) continue;
    if (facts.shape(i) == nullptr) return {};
    regions.inputs[i] = broadcastAxes(*facts.shape(i), made);
  }
  return regions;
}

Regions first(const OpFacts& facts, const Shape& made) {
  const Shape* input = facts.shape(0);
  if (input == nullptr || *input != made) return {};
  return onData(facts, 0, sameAxes(*input, made));
}

Regions normalised(const OpFacts& facts, const Shape& made) { return behindAxis(facts, made, -1); }

/// Opsets before 13 normalise all axes from `axis` on, the second if none is named.
Regions softmax(const OpFacts& facts, const Shape& made) {
  return behindAxis(facts, made, facts.op.domain == "tflite" ? -1 : 1);
}

Regions acrossChannels(const OpFacts& facts, const Shape& made) {
  const std::size_t channel = channelsAreLast(facts.op) ? made.size() - 1 : 1;
  return acrossAxes(facts, made, channel, channel + 1);
}

Regions window(const OpFacts& facts, const Shape& made) {
  if (facts.shape(0) == nullptr) return {};
  const std::size_t channel = channelAxis(facts);
  return slid(facts, nullptr, made, {.axis = axisNumber(channel)});
}

/// An output channel needs all input channels of its group: all of them, but where groups are as
/// many as channels.
Regions convolution(const OpFacts& facts, const Shape& made) {
  const OpInfo* info = findOp(facts.op);
  const Shape* input = facts.shape(0);
  const Shape* weight = facts.shape(info != nullptr ? info->weight : 1);
  constexpr std::size_t kAdded = 3;  // The input that FusedConv adds before its activation.
  if (input == nullptr || weight == nullptr || input->size() < 3 ||
      (facts.op.type == "FusedConv" && facts.has(kAdded)))
    return {};
  const std::size_t channel = channelAxis(facts);
  const bool depthwise =
      facts.op.type == "DEPTHWISE_CONV_2D" ||
      (facts.op.domain != "tflite" && facts.op.intAttribute("group", 1) == (*input)[channel]);
  Reach channels;
  if (depthwise && made.size() == input->size() && (*input)[channel] > 0) {
    channels = {.axis = axisNumber(channel), .per = made[channel] / (*input)[channel]};
    if (channels.per < 1) channels = Reach();
  }
  return slid(facts, weight, made, channels);
}

/// Input place i reaches the outputs i * stride - pad + tap * dilation.
Regions transposedConvolution(const OpFacts& facts, const Shape& made) {
  const Shape* input = facts.shape(0);
  const Shape* weight = facts.shape(1);
  if (input == nullptr || weight == nullptr || made.size() != input->size()) return {};
  const auto windows = windowsOf(facts, weight);
  if (!windows || !facts.op.intsAttribute("output_shape").empty()) return {};
  Axes axes(input->size());
  axes[0].axis = 0;
  for (std::size_t i = 0; i < windows->axes.size(); ++i) {
    const Window& window = windows->axes[i];
    const std::size_t axis = firstPlace(facts) + i;
    const std::int64_t both = std::max<std::int64_t>(
        window.stride * ((*input)[axis] - 1) + window.reach() - made[axis], 0);
    const std::int64_t pad = !windows->isSame()                 ? window.padBefore
                             : windows->padding == "SAME_LOWER" ? both - both / 2
                                                                : both / 2;
    axes[axis] = {.axis = axisNumber(axis),
                  .per = window.stride,
                  .low = pad - window.reach() + window.stride,
                  .high = pad};
  }
  return onData(facts, 0, std::move(axes));
}

Regions resize(const OpFacts& facts, const Shape& made) {
  const Shape* input = facts.shape(0);
  if (input == nullptr || input->size() != made.size()) return {};
  if (facts.op.intAttribute("antialias", 0) != 0) return {};
  Axes axes = sameAxes(*input, made);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if ((*input)[i] == made[i] || (*input)[i] == 0) continue;
    const auto reach = resizeReach(facts.op, (*input)[i], made[i]);
    if (!reach) return {};
    axes[i] = *reach;
    axes[i].axis = axisNumber(i);
  }
  return onData(facts, 0, std::move(axes));
}

/// Constant padding, or that of the edge. What is mirrored, or wraps around, comes from elsewhere.
Regions pad(const OpFacts& facts, const Shape& made) {
  const Shape* input = facts.shape(0);
  const auto pads = facts.op.intsAttribute("pads");
  if (input == nullptr || made.size() != input->size() || pads.size() != 2 * input->size())
    return {};
  const std::string mode = facts.op.stringAttribute("mode", "constant");
  const bool near = (mode == "constant" || mode == "edge") && facts.op.type != "MIRROR_PAD";
  Axes axes(input->size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (made[i] != (*input)[i] + pads[i] + pads[i + axes.size()]) return {};
    const bool moves = pads[i] != 0 || made[i] != (*input)[i];
    if (near || !moves) axes[i] = {.axis = axisNumber(i), .low = -pads[i], .high = -pads[i]};
  }
  return onData(facts, 0, std::move(axes));
}

/// All axes but the one along which parts are joined, or cut.
Regions joined(const OpFacts& facts, const Shape& made) {
  Regions regions = wholeInputs(facts);
  for (std::size_t i = 0; i < facts.inputs.size(); ++i) {
    const Shape* input = facts.shape(i);
    if (input == nullptr || input->size() != made.size()) return {};
    regions.inputs[i] = sameAxes(*input, made);
  }
  return regions;
}

Regions cut(const OpFacts& facts, const Shape& made) {
  const OpInfo* info = findOp(facts.op);
  const std::size_t data = info != nullptr ? info->data : 0;
  const Shape* input = facts.shape(data);
  if (input == nullptr || input->size() != made.size()) return {};
  return onData(facts, data, sameAxes(*input, made));
}

/// Axes that become 1 are needed whole. Where they go, it must be clear from sizes which they are.
Regions reduced(const OpFacts& facts, const Shape& made) {
  const Shape* input = facts.shape(0);
  if (input == nullptr || facts.op.intsAttribute("axes").size() > input->size()) return {};
  if (input->size() == made.size()) return onData(facts, 0, sameAxes(*input, made));
  if (input->size() != made.size() + 1) return {};
  std::optional<std::size_t> gone;
  for (std::size_t axis = 0; axis < input->size(); ++axis) {
    if (spliced(*input, axis, 1, {}) != made) continue;
    if (gone) return {};
    gone = axis;
  }
  if (!gone) return {};
  Axes axes(input->size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (i != *gone) axes[i].axis = axisNumber(i < *gone ? i : i - 1);
  }
  return onData(facts, 0, std::move(axes));
}

Regions transposed(const OpFacts& facts, const Shape& made) {
  if (facts.shape(0) == nullptr || (facts.has(1) && facts.value(1) == nullptr)) return {};
  const auto order = axisOrder(facts);
  if (!order || order->size() != made.size()) return {};
  Axes axes(made.size());
  for (std::size_t i = 0; i < made.size(); ++i) axes[(*order)[i]].axis = axisNumber(i);
  return onData(facts, 0, std::move(axes));
}

Regions spread(const OpFacts& facts, const Shape& made) { return blocks(facts, made, true); }
Regions gathered(const OpFacts& facts, const Shape& made) { return blocks(facts, made, false); }

}  // namespace hw::regions
