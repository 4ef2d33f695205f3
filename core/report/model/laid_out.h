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
  std::vector<std::size_t> order{};  ///< Of its axes, that which takes least; of more than eight
                                     ///< the given one,
  Bytes least{};                     ///< and what it takes then.

  double factor() const { return laid.real() / bytes.real(); }
};

/// "8x128": the sides of a tile, the last axis last; from one to four, each from 1 to 65,536.
Result<Shape> parseTile(const std::string& text);

/// The tensors of a graph, weights among them, sorted by the bytes that tiles add. Axes that a
/// tensor lacks have no tiles. Left out are tensors of unknown size, those whose elements are no
/// whole bytes, and what no number of bytes holds.
std::vector<LaidOut> laidOut(const Graph& graph, const Shape& tile);

/// What all take together, and those that take more, as `options` say.
std::string laidOutText(const Graph& graph, const Shape& tile, const TextOptions& options);
Json laidOutJson(const Graph& graph, const Shape& tile);

}  // namespace hw
