#pragma once

#include <vector>

#include "core/storage/aliasing.h"

namespace hw {

using PieceId = Id<struct PieceTag>;

/// What orders of a graph's operators are judged by: bytes that live and die together, and who
/// touches them. A piece is live from the first op that touches it to the last, whatever the order.
struct OrderProblem {
  struct Piece {
    Bytes size{};               ///< Rounded up.
    bool atStart = false;       ///< Live before the first op.
    bool atEnd = false;         ///< Live after the last.
    std::uint32_t touches = 0;  ///< How many ops touch it.
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

/// Every buffer of `storage` is a piece: for orders that share storage just as that one does.
OrderProblem bufferProblem(const Graph& graph, const Storage& storage,
                           const StorageOptions& options);

/// Bytes are told by where they come from: what a view hands on is the same piece as what it reads,
/// wherever `options` let the two share, and a slice lives no longer than it is needed. No order
/// has less live than this, whichever views share and which copy: what `shareStorage` makes of an
/// order never has less at any step.
OrderProblem byteProblem(const Graph& graph, const StorageOptions& options);

}  // namespace hw
