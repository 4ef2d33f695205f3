#pragma once

#include <QString>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/run/run.h"
#include "widgets/graph/op_groups.h"

namespace hw {

/// A box: an op, several ops that are drawn as one, or where the graph is entered or left.
struct GraphNode {
  enum class Kind : std::uint8_t { op, group, input, output };
  Kind kind = Kind::op;
  OpRange ops{};                    ///< Empty for inputs and outputs.
  std::vector<TensorId> tensors{};  ///< Of inputs and outputs.
  QString title{};                  ///< "Conv": safe to show, may be long.
  QString detail{};                 ///< "features/conv0": likewise.
};

/// What one box hands to another.
struct GraphEdge {
  std::uint32_t from = 0;  ///< Index of a node; always less than `to`.
  std::uint32_t to = 0;
  std::vector<TensorId> tensors{};  ///< Distinct, ascending; at least one.
};

/// A model as boxes and edges. Weights are left out. Nodes are in topological order: inputs, ops,
/// outputs.
struct ModelGraph {
  std::vector<GraphNode> nodes{};
  std::vector<GraphEdge> edges{};  ///< Ascending by (from, to), each pair once.

  /// The node that holds `op`; none when there are no ops.
  std::optional<std::uint32_t> nodeOf(OpId op) const;
};

/// The boxes `ranges` (a partition of the run's ops, in order) and what flows between them.
/// O(ops + edges log edges).
ModelGraph modelGraph(const Run& run, const std::vector<OpRange>& ranges);

}  // namespace hw
