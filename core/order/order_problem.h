#pragma once

#include <vector>

#include "core/storage/aliasing.h"

namespace hw {

using PieceId = Id<struct PieceTag>;

/// The bytes by which orders of a graph's operators are judged: pieces that live and die together,
/// and the ops that touch them. A piece is live from the first op that touches it to the last,
/// whatever the order.
struct OrderProblem {
  struct Piece {
    Bytes size{};               ///< Rounded up.
    bool atStart = false;       ///< Live before the first op.
    bool atEnd = false;         ///< Live after the last.
    std::uint32_t touches = 0;  ///< The number of ops that touch it.
  };
  /// An op's output may be written over an input: that saves bytes where all of them die there.
  struct Chance {
    std::vector<PieceId> over{};
    Bytes saved{};
  };

  IdMap<PieceId, Piece> pieces{};
  IdMap<OpId, std::vector<PieceId>> touches{};  ///< Of each op, ascending, each once.
  IdMap<OpId, std::vector<Chance>> chances{};   ///< One of them at most is taken.
  Bytes firstStep{};                            ///< Live during the first op only, whichever it is.
};

/// The problem in which every buffer of `storage` is a piece: for orders that share storage alike.
OrderProblem bufferProblem(const Graph& graph, const Storage& storage,
                           const StorageOptions& options);

/// The problem whose pieces are bytes by the tensor that they were first written as: a view's
/// output is a piece of its input, wherever `options` let the two share, and a slice lives no
/// longer than it is needed. It bounds every order, whichever views share: storage that
/// `shareStorage` makes for an order never has fewer bytes live at any step.
OrderProblem byteProblem(const Graph& graph, const StorageOptions& options);

}  // namespace hw
