#pragma once

#include <string>
#include <vector>

#include "core/graph/tiling.h"

namespace hw {

/// Faults of a graph whose operators run in parts, or again (but not with one that is held
/// in another layout: check/layout), held against the one it was
/// made from: whether every element comes from the same elements as there. Of each part it asks
/// which elements of the original's tensors its rows are made of, element by element
/// (`forEachSource`), and looks for a piece with each of them among what the part reads; each whole
/// tensor must be joined from pieces that cover it, once. An op that runs whole must read and make
/// the same tensors as there, and one that runs again be one that makes the same each time. At most
/// `limit` sentences, in order of ops; empty when all is well.
///
/// That the bytes of those pieces are there when they are read is for the byte-level replay.
///
/// Of an op that makes more than `most` elements only the corners of its rows are looked at:
/// windows between them need elements that lie between those that the corners need.
std::vector<std::string> auditParts(const Graph& graph, std::int64_t most = 2000,
                                    std::size_t limit = 20);

}  // namespace hw
