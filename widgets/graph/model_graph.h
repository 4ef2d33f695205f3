#pragma once

#include <QString>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "core/run/run.h"
#include "widgets/graph/op_groups.h"

namespace hw {

/// A box: an op, several ops that are drawn as one, one of the parts in which an op runs, or where
/// the graph is entered or left.
struct GraphNode {
  enum class Kind : std::uint8_t { op, group, part, input, output };
  Kind kind = Kind::op;
  OpRange ops{};                    ///< Of the drawn graph; empty for inputs and outputs.
  std::vector<OpId> runs{};         ///< What the run runs for it: these ops, or parts of them.
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
///
/// What is drawn is the graph of whole operators: parts in which they run are folded into them,
/// with what only tiled graphs have (wholeGraph in core/graph/counterparts.h).
struct ModelGraph {
  std::vector<GraphNode> nodes{};
  std::vector<GraphEdge> edges{};                      ///< Ascending by (from, to), each pair once.
  std::vector<std::optional<std::uint32_t>> places{};  ///< By op of the run: its node.

  /// The node that holds an op of the run; none when there are no ops, and of those that only tiled
  /// graphs have.
  std::optional<std::uint32_t> nodeOf(OpId op) const;
};

/// True for a box of several ops or parts that can be opened.
inline bool opens(const GraphNode& node) { return node.runs.size() > 1; }

/// The boxes `ranges` (a partition of the ops of the drawn graph, in order) and what flows between
/// them. Of the ops in `unfolded` that have a box of their own, every part is one. O(ops + edges
/// log edges).
ModelGraph modelGraph(const Run& run, const std::vector<OpRange>& ranges,
                      const std::set<OpId>& unfolded = {});

}  // namespace hw
