#pragma once

#include <QString>
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "core/graph/scopes.h"
#include "core/run/run.h"

namespace hw {

/// Which ops of a large graph are drawn as one box, level by level.
class OpGroups {
 public:
  /// Up to this many ops are drawn one by one, and no more boxes than this ever.
  static constexpr std::size_t kMostNodes = 5'000;
  /// A graph or group of more ops is cut into at most this many.
  static constexpr std::size_t kMostPieces = 240;

  OpGroups() = default;
  /// `grouped`: groups even what could be drawn op by op. The graph outlives this.
  explicit OpGroups(const Graph* graph, bool grouped = false);

  /// The boxes: all ops, each once, in order.
  std::vector<OpRange> ranges() const;
  /// True when some box holds several ops, or was opened.
  bool isGrouped() const { return !whole_; }

  /// Opens a box. False when it is no closed box of several ops, or when there would be too many.
  bool expand(OpRange range);
  /// Closes the innermost open box around `range`; false when there is none.
  bool collapse(OpRange range);
  /// Opens boxes until `op` has one of its own, as far as `kMostNodes` allows.
  void reveal(OpId op);

 private:
  const std::vector<OpRange>& pieces(OpRange range) const;
  void add(OpRange range, std::vector<OpRange>& ranges) const;

  const Graph* graph_ = nullptr;
  bool whole_ = true;
  std::size_t most_ = kMostPieces;
  std::set<OpRange> open_;
  mutable std::map<OpRange, std::vector<OpRange>> pieces_;
};

/// A box: an op, several ops that are drawn as one, one of the parts in which an op runs, or where
/// the graph is entered or left.
struct GraphNode {
  enum class Kind : std::uint8_t { op, group, part, input, output };
  Kind kind = Kind::op;
  OpRange ops{};                    ///< Of the drawn graph; empty for inputs and outputs.
  std::vector<OpId> runs{};         ///< Its ops in the run, or the parts of them.
  std::size_t inside = 1;           ///< Ops, or parts, that it stands for.
  std::vector<TensorId> tensors{};  ///< Of inputs and outputs.
  QString title{};                  ///< "Conv": safe to show, may be long.
  QString detail{};                 ///< "features/conv0": likewise.
};

/// The tensors that one box hands to another.
struct GraphEdge {
  std::uint32_t from = 0;  ///< Index of a node; always less than `to`.
  std::uint32_t to = 0;
  std::vector<TensorId> tensors{};  ///< Distinct, ascending; at least one.
};

/// A model as boxes and edges. Weights are left out. Nodes are in topological order: inputs, ops,
/// outputs.
///
/// The drawing is the graph of whole operators: parts in which they run are folded into them,
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
inline bool opens(const GraphNode& node) { return node.inside > 1; }

/// The boxes `ranges` (a partition of the ops of the drawn graph, in order) and what flows between
/// them. Of the ops in `unfolded` that have a box of their own, every part is one. O(ops + edges
/// log edges).
ModelGraph modelGraph(const Run& run, const std::vector<OpRange>& ranges,
                      const std::set<OpId>& unfolded = {});

}  // namespace hw
