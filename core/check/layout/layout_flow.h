#pragma once

#include <string>
#include <vector>

#include "core/graph/tiling.h"

namespace hw {

/// Faults of a graph whose tensors are held in another layout (`isRelaid`), held against
/// the one that it was made from: whether every element comes from the same elements as there. It
/// asks of each op which elements of the model's tensors one of its output is made of, element by
/// element (`forEachSource`), looks each up where the order of its axes says that it is held, and
/// compares them with what the op there is made of. Transposes that are gone, and those that were
/// added, are followed element by element, too; weights that are broadcast count as tensors. An op
/// of a type that nobody knows must read and make its tensors as the model has them. At most
/// `limit` sentences, in order of ops; empty when all is well.
///
/// An op that makes more than `most` elements is looked at in part: its corners and its middle are
/// looked at.
std::vector<std::string> auditLayout(const Graph& graph, std::int64_t most = 200,
                                     std::size_t limit = 20);

}  // namespace hw
