#pragma once

#include <vector>

#include "core/base/quantity.h"
#include "core/plan/problem.h"

namespace hw {

/// The address ranges live at one step, in order of address, and the holes between them: what a
/// sweep over the steps of a plan keeps up to date. Sorted pieces of some dozen ranges each: a
/// change moves one piece and touches one cache line of the others. Ranges of a broken plan may
/// overlap.
class LiveRanges {
 public:
  struct Range {
    Bytes begin{};
    Bytes end{};
    StayId stay{};
    friend auto operator<=>(const Range&, const Range&) = default;
  };

  void insert(const Range& range);
  /// False when it is not there.
  bool erase(const Range& range);

  bool empty() const { return pieces_.empty(); }
  /// The end of the last range; 0 when there is none.
  Bytes top() const { return pieces_.empty() ? Bytes() : pieces_.back().ranges.back().end; }
  /// The largest hole below the last range. O(pieces).
  Bytes largestHole();

 private:
  /// Neighbours in one piece. Never empty.
  struct Piece {
    std::vector<Range> ranges{};
    Bytes largestHole{};  ///< Between its own ranges, if `known`.
    bool known = false;
  };
  using PieceAt = std::vector<Piece>::iterator;

  PieceAt pieceOf(const Range& range);
  void split(PieceAt piece);
  void joinNext(PieceAt piece);

  std::vector<Piece> pieces_;
};

}  // namespace hw
