#pragma once

#include "core/import/onnx/inference.h"

namespace hw {

/// Sizes for those free dimensions of `model` that cannot be 1, because a weight, a split or
/// another op inside would not take what follows from it.
///
/// The model is gone through with every free dimension at 1. For the first op that does not fit,
/// each dimension is tried: sizes inside a model grow with those of its inputs, so that the least
/// and the greatest that fit are found by halving. Then for the next op, until all fit or nothing
/// helps. What is tried is counted in nodes, not in time.
SettledDimensions settleDimensions(const onnx::ModelProto& model,
                                   const std::map<std::string, std::int64_t>& bound,
                                   const std::shared_ptr<NodeOrders>& orders);

}  // namespace hw
