#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/graph.h"

namespace hw::test {

/// One element of each image, or of all rows, of each channel: a pool as large as the image, a
/// global one (with channels first), means with places kept as 1 or gone, the largest.
enum class Folding : std::uint8_t { pool, average, mean, largest, flatMean, rows };

/// What is made of an image of a graph, behind all else in it, and handed out.
struct FoldOf {
  TensorId image{};
  Folding how = Folding::mean;
  /// What reads it: nothing, an op that goes element by element, or one that adds it to the image.
  enum class Then : std::uint8_t { nothing, mapped, added } then = Then::nothing;
};

/// `graph` with these, of images of the test's ops (tests/support/image_graphs.h); it hands out
/// what they make, and what it did before only with `keep`.
Graph withFolds(const Graph& graph, const std::vector<FoldOf>& folds, bool keep = false);

/// Random images (`randomImages`), some of which, the last one among them, are folded.
Graph randomFolds(std::uint64_t seed, std::size_t ops);

}  // namespace hw::test
