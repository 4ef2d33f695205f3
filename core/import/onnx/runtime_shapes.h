#pragma once

#include <optional>
#include <string_view>

#include "core/graph/graph.h"

namespace hw {

/// Shapes as a runtime knows them before a model runs, by tensor. A dimension below 0 is a name, a
/// number for each: two dimensions of one name are equal, whatever they will be. Nothing where a
/// dimension has neither a value nor a name.
using RuntimeShapes = IdMap<TensorId, std::optional<Shape>>;

/// The shapes that ONNX Runtime infers of `graph`, which was read from `bytes`, an ONNX file,
/// whatever the user bound: names of free dimensions go on through operators that keep them, and
/// what operators compute of shapes is followed only where all of it are numbers. Empty where
/// `bytes` are no such file.
RuntimeShapes runtimeShapes(std::string_view bytes, const Graph& graph);

}  // namespace hw
