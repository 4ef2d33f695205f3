#pragma once

#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/report/text/text_table.h"

namespace hw {

/// A tensor in a memory that stores its last axes in tiles, each of which is there as a whole.
struct LaidOut {
  TensorId tensor{};
  Bytes bytes{};                     ///< Without tiles,
  Bytes laid{};                      ///< and in them.
  std::vector<std::size_t> order{};  ///< Of its axes, that which takes least,
  Bytes least{};                     ///< and what it takes then.

  double factor() const { return laid.real() / bytes.real(); }
};

/// "8x128": the sides of a tile, the last axis last; from one to four, each from 1 to 65,536.
Result<Shape> parseTile(const std::string& text);

/// The tensors of a graph and its weights, of known shape and with bytes, those first that take
/// most more than without tiles. Axes that a tensor lacks have no tiles.
std::vector<LaidOut> laidOut(const Graph& graph, const Shape& tile);

/// What all take together, and those that take more, as `options` say.
std::string laidOutText(const Graph& graph, const Shape& tile, const TextOptions& options);
Json laidOutJson(const Graph& graph, const Shape& tile);

}  // namespace hw
