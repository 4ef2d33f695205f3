#pragma once

#include <optional>
#include <vector>

#include "core/graph/graph.h"

namespace hw {

/// The use that an op makes of the axes of its data, which says how it runs with these in another
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

/// The order of axes in which a tensor is held: its axis i is axis `order[i]` of the model's
/// tensor. NHWC, where the model says NCHW, is 0, 2, 3, 1.
using AxisOrder = std::vector<std::size_t>;

/// The order 0, 1, 2, … of the model.
AxisOrder asGiven(std::size_t rank);
bool isAsGiven(const AxisOrder& order);

/// The order with channels, the second axis of the model, last.
AxisOrder channelsLastOrder(std::size_t rank);

/// `shape` as it is held.
Shape heldShape(const Shape& shape, const AxisOrder& order);

/// The held axis that is axis `axis` of the model.
std::size_t heldAxis(const AxisOrder& order, std::size_t axis);

/// True when elements are in the same order in memory: only axes of one element stand elsewhere.
bool sameInMemory(const Shape& shape, const AxisOrder& a, const AxisOrder& b);

/// The `perm` of a Transpose that makes what is held as `from` into what is held as `to`.
std::vector<std::int64_t> permBetween(const AxisOrder& from, const AxisOrder& to);

/// The order of the output of a Transpose by `perm` that moves no byte of its input, held as
/// `order`.
AxisOrder transposedOrder(const AxisOrder& order, const std::vector<std::int64_t>& perm);

/// The order of a tensor of shape `to` that has the bytes of one of shape `from`, held as `order`;
/// nothing where bytes would have to move. Axes of one element may stand anywhere, for which there
/// is `settled`.
std::optional<AxisOrder> reshapedOrder(const Shape& from, const AxisOrder& order, const Shape& to);

/// `wanted` if it leaves elements where `order` has them, else the given order if that does, else
/// `order`.
AxisOrder settled(const Shape& shape, const AxisOrder& order, const AxisOrder& wanted);

}  // namespace hw
