#pragma once

#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/graph/graph.h"

namespace hw {

/// What holding images with their channels last comes to.
struct LayoutAccount {
  std::size_t images = 0;      ///< Operators on images that run channels last.
  std::size_t folded = 0;      ///< Transposes that are not needed any more.
  std::size_t transposes = 0;  ///< Transposes that were added,
  Bytes moved{};               ///< and the bytes that these move.
  std::size_t views = 0;       ///< Views that were added: the same bytes under another shape.
  std::string whyNot{};        ///< Why the graph is as it was; empty where it is not.
};

struct Relaid {
  std::shared_ptr<const Graph> graph{};  ///< The one that was given, where nothing is different.
  LayoutAccount account{};
};

/// `graph` as a runtime holds it that stores images channels last, (N, H, W, C): what works on
/// images of four dimensions does so in that form, and so does what goes element by element, or
/// axis by axis, between. Transposes between the two forms fold away; where something needs a
/// tensor as the model has it, one is added. Inputs and outputs of the graph are held as the
/// operators beside them hold them. Each tensor takes as many bytes as before, and the `tiling`
/// says which axis is which (docs/less.md, "layout"). A graph that has a tiling already is left as
/// it is. O(n).
Result<Relaid> channelsLast(std::shared_ptr<const Graph> graph);

/// What came of it, in a sentence.
std::string layoutText(const LayoutAccount& account);

}  // namespace hw
