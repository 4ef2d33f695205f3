#pragma once

#include <optional>
#include <vector>

#include "core/graph/graph.h"

namespace hw {

/// What an op does with the axes of what it works on, for carrying it out with these in another
/// order.
enum class AxisUse : std::uint8_t {
  given,      ///< Only as the model says, or nobody knows.
  image,      ///< Images (N, C, H, W): it has a form for (N, H, W, C), which kernels prefer.
  place,      ///< The same, but it is as well off with either.
  elements,   ///< Element by element, after broadcasting.
  first,      ///< Each element of the one at the same place of the first input.
  join,       ///< Puts tensors together along the attribute `axis`,
  cut,        ///< or cuts one there.
  slice,      ///< Leaves out some of each axis.
  pad,        ///< Adds some to each axis: attribute `pads`.
  pick,       ///< Some of one axis by number: attribute `axis`, which may go.
  fold,       ///< Folds axes: attribute `axes` or `axis`.
  row,        ///< All axes from `axis` on together.
  transpose,  ///< Another order of axes.
  view,       ///< The same bytes under another shape.
};

AxisUse axisUseOf(const Graph& graph, OpId op);

/// The tensor is an activation of known shape, so that its axes can be held in another order.
bool hasAxes(const Graph& graph, TensorId tensor);

/// An image: of four dimensions.
bool isImage(const Graph& graph, TensorId tensor);

/// How a tensor is held: axis i of what is held is axis `order[i]` of the model's tensor. The one
/// of NHWC, where the model says NCHW, is 0, 2, 3, 1.
using AxisOrder = std::vector<std::size_t>;

/// 0, 1, 2, …: as the model says.
AxisOrder asGiven(std::size_t rank);
bool isAsGiven(const AxisOrder& order);

/// Channels, the second axis of the model, last.
AxisOrder channelsLastOrder(std::size_t rank);

/// `shape` as it is held.
Shape heldShape(const Shape& shape, const AxisOrder& order);

/// Where axis `axis` of the model is held.
std::size_t heldAxis(const AxisOrder& order, std::size_t axis);

/// Elements are in the same order in memory: the two differ in where axes of one element are.
bool sameInMemory(const Shape& shape, const AxisOrder& a, const AxisOrder& b);

/// The `perm` of a Transpose that makes what is held as `from` into what is held as `to`.
std::vector<std::int64_t> permBetween(const AxisOrder& from, const AxisOrder& to);

/// How the output of a Transpose by `perm` is held where its input, held as `order`, is taken for
/// it as it lies in memory.
AxisOrder transposedOrder(const AxisOrder& order, const std::vector<std::int64_t>& perm);

/// How a tensor of shape `to` is held where one of shape `from`, held as `order`, is seen as it
/// without moving a byte; nothing where that cannot be. Axes of one element are where they are
/// easiest to see: see `settled`.
std::optional<AxisOrder> reshapedOrder(const Shape& from, const AxisOrder& order, const Shape& to);

/// The first of the two that leaves elements where `order` has them, else `order`: as `wanted`, as
/// given.
AxisOrder settled(const Shape& shape, const AxisOrder& order, const AxisOrder& wanted);

}  // namespace hw
