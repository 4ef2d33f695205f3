#pragma once

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

}  // namespace hw
