#pragma once

#include <vector>

#include "core/graph/graph.h"

namespace hw {

/// The graph that `graph` was made from by rewrites, or that it has the parts of; else itself.
const Graph& wholeGraph(const Graph& graph);
/// `graph`, or what it was made from, was read with its operators in parts.
bool wasReadInParts(const Graph& graph);
/// The op of `wholeGraph` that one of `graph` is, or is a part of; none for those that were added.
OpId wholeOp(const Graph& graph, OpId op);
/// The tensor of `wholeGraph` that one of `graph` is, or is a piece of; none for rings.
TensorId wholeTensor(const Graph& graph, TensorId tensor);

/// The operators and tensors of two graphs that correspond, where both were made from one:
/// operators may run whole in the one and in parts in the other, or be cut in two ways. Both graphs
/// outlive this.
class Counterparts {
 public:
  Counterparts(const Graph& from, const Graph& to);

  /// Both come from one graph; otherwise nothing has a counterpart.
  bool related() const { return common_ != nullptr; }
  /// Ids mean the same in both.
  bool same() const { return same_; }

  /// The op of the graph that both come from that one of `from` is, or is a part of; none for
  /// those that were added. So with tensors, of which rings hold one.
  OpId wholeOp(OpId op) const;
  TensorId wholeTensor(TensorId tensor) const;

  /// In `to`, by its order: the op itself, or all parts of it.
  std::vector<OpId> ops(OpId op) const;
  /// Of these the one that makes the row where `op` begins, of a whole op the first; none if there
  /// are none.
  OpId op(OpId op) const;
  /// The tensor itself, where `to` has it as a whole, else its first piece; none where it has
  /// neither.
  TensorId tensor(TensorId tensor) const;

 private:
  void indexFrom();
  void indexTo();

  const Graph& from_;
  const Graph& to_;
  const Graph* common_ = nullptr;  ///< The graph both were made from; null: none.
  bool same_ = false;
  IdMap<TensorId, TensorId> ringOf_;        ///< By tensor of `from`: the one a ring holds.
  IdMap<OpId, std::vector<OpId>> partsIn_;  ///< By op of the whole graph, if `to` has parts.
  IdMap<TensorId, TensorId> tensorIn_;      ///< The same of tensors.
};

}  // namespace hw
