#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/graph/tiling.h"
#include "core/layout/axis_order.h"
#include "core/rewrite/graph_builder.h"

namespace hw {

/// A graph as it grows, in which the tensors of another are held with their axes in other orders.
/// Where one is asked for as it is not held, what makes it so is added: a view, where that leaves
/// its bytes as they are, else a Transpose.
class HeldGraph {
 public:
  using Handle = GraphBuilder::Handle;

  explicit HeldGraph(std::shared_ptr<const Graph> graph);

  /// How a tensor is held as it is made. Weights, and what nobody knows the shape of: as given.
  const AxisOrder& orderOf(TensorId tensor) const { return copies_[tensor].front().order; }

  /// The tensor with its axes in this order; of a tensor of fewer axes than the order has, with
  /// axes of one element before its own.
  Handle take(TensorId tensor, const AxisOrder& order);
  Handle takeGiven(TensorId tensor);
  Handle takeAny(TensorId tensor) const { return copies_[tensor].front().handle; }

  /// An input of the graph, or the output of an op, is held so.
  Handle make(TensorId tensor, const AxisOrder& order);
  Handle makeGiven(TensorId tensor);
  /// It is the same as another, which it needs no op for.
  void standIn(TensorId tensor, TensorId other, const AxisOrder& order);

  /// `of`: the op of the other graph that it is.
  void addOp(OpId of, GraphBuilder::OpParts parts);

  struct Added {
    std::size_t transposes = 0;
    std::size_t views = 0;
    Bytes moved{};  ///< By these Transposes.
  };
  const Added& added() const { return added_; }

  Result<Graph> build() &&;

 private:
  struct Copy {
    Handle handle{};
    AxisOrder order{};
  };

  Handle addTensor(TensorId of, Tensor tensor, AxisOrder order, bool same);
  Handle turned(TensorId tensor, const Copy& from, const AxisOrder& order);
  Handle padded(TensorId tensor, const AxisOrder& order);
  Handle derived(TensorId tensor, const AxisOrder& order, Shape shape, Handle from, Op op);
  Handle permutedWeight(TensorId tensor, const AxisOrder& order);

  std::shared_ptr<const Graph> original_;
  const Graph& graph_;
  GraphBuilder builder_;
  IdMap<TensorId, std::vector<Copy>> copies_;
  std::vector<TensorId> wholeOf_;  ///< By handle, like the next.
  std::vector<AxisOrder> orders_;
  IdMap<OpId, OpId> opOf_;
  Added added_;
};

}  // namespace hw
