#pragma once

#include <functional>
#include <memory>

#include "core/base/json_node.h"
#include "core/graph/tiling.h"

namespace hw {

/// Reads what graph JSON says of a graph whose operators run in parts (docs/formats/graph_json.md).
/// `graph` is what it says it of, `original` the graph that it was made from, and `find` knows the
/// tensors of `graph` by name; `lists` are those of the whole document. What all that works on
/// parts takes for granted is held against both graphs: every piece lies inside of what it is a box
/// of and inside of its host, all others are whole or rings, and every op is one of the original's
/// or joins and cuts pieces. Whether parts read what they need is the replay's question.
std::shared_ptr<const Tiling> readTiling(
    const JsonNode& node, const JsonLists& lists, const Graph& graph,
    std::shared_ptr<const Graph> original,
    const std::function<TensorId(const std::string& name)>& find);

}  // namespace hw
