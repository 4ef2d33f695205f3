#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/graph/tiling.h"
#include "core/rewrite/graph_builder.h"

namespace hw {

/// A tensor without its links: producer, consumers and roles, which GraphBuilder fills in anew. One
/// that is computed from weights is no constant until the builder says so again.
Tensor unlinkedTensor(Tensor tensor);

/// The numbers of tensors, kAbsent where there is none.
std::vector<GraphBuilder::Handle> numbersOf(const std::vector<TensorId>& ids);

/// An operator of `graph` for a graph in which the handle of every tensor is its number here.
GraphBuilder::OpParts numberedOp(const Graph& graph, OpId op);

/// Makes a graph of another one and records where its tensors and operators come from, as the
/// `tiling` of the new graph. Every rewrite of a graph is written with it; they differ in what they
/// leave out, repeat and add.
class GraphRewriter {
 public:
  using Handle = GraphBuilder::Handle;
  using OpParts = GraphBuilder::OpParts;
  static constexpr Handle kAbsent = GraphBuilder::kAbsent;

  GraphRewriter(std::shared_ptr<const Graph> original, Tiling::Kind kind);

  const Graph& original() const { return *tiling_.original; }

  /// Adds a tensor, its links left out: all of tensor `of` of the original, held with its axes in
  /// `order` if the rewrite is a layout; or, without `of`, one that the original does not have.
  Handle addTensor(Tensor tensor, TensorId of = {}, std::vector<std::size_t> order = {});
  /// Adds a piece, which lies in the storage of `host`; `piece.host` is set by `build`.
  Handle addPiece(Tensor tensor, Tiling::Piece piece, Handle host);
  /// Adds the ops that follow to that inference, from 0, ascending: see `Tiling::batches`.
  void setBatch(std::uint32_t batch) { batch_ = batch; }
  /// Adds all tensors of the original: their handles are their numbers.
  void addAllTensors();

  /// Adds an operator: `of` in the original, of which it is `part`, or one that was not there.
  void addOp(OpParts parts, OpId of = {}, std::optional<Tiling::Part> part = {});
  void addInput(Handle handle) { builder_.addInput(handle); }
  void addOutput(Handle handle) { builder_.addOutput(handle); }

  /// The graph, with the notes of the original. Errors are those of GraphBuilder::build. Operators
  /// have to be added in an order in which they can run.
  Result<Graph> build() &&;

 private:
  /// The origin of a tensor, by handle.
  struct Origin {
    TensorId whole{};
    std::optional<Tiling::Piece> piece{};
    Handle host = kAbsent;
    std::vector<std::size_t> order{};
  };

  Tiling tiling_;
  GraphBuilder builder_;
  std::vector<Origin> origins_;
  IdMap<OpId, std::uint32_t> batches_;  ///< By op as it was added.
  std::uint32_t batch_ = 0;
};

}  // namespace hw
