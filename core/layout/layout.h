#pragma once

#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/graph/graph.h"

namespace hw {

/// The operators and bytes that holding images with their channels last adds and saves.
struct LayoutAccount {
  std::size_t images = 0;      ///< Operators on images that run channels last.
  std::size_t folded = 0;      ///< Transposes that are not needed any more.
  std::size_t transposes = 0;  ///< Transposes that were added,
  Bytes moved{};               ///< and the bytes that these move.
  std::size_t views = 0;       ///< Views that were added: the same bytes under another shape.
  std::string whyNot{};        ///< The reason why the graph is as it was, else empty.
};

struct Relaid {
  std::shared_ptr<const Graph> graph{};  ///< The one that was given, where nothing is different.
  LayoutAccount account{};
};

/// `graph` as a runtime holds it that stores images channels last, (N, H, W, C): operators on
/// images of four dimensions work in that form, and so do element-wise ones between them.
/// Transposes between the two forms fold away; where an operator needs a tensor as the model has
/// it, one is added. Inputs and outputs of the graph are held as the operators beside them hold
/// them. Each tensor takes as many bytes as before, and the `tiling` says which axis is which
/// (docs/less.md, "layout"). A graph that has a tiling already is returned unchanged. O(n).
Result<Relaid> channelsLast(std::shared_ptr<const Graph> graph);

/// The result in a sentence.
std::string layoutText(const LayoutAccount& account);

}  // namespace hw
