#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/interval.h"
#include "core/base/quantity.h"

namespace hw {

/// Addresses for the blocks of one pool, where lives alone do not say who may share bytes: for each
/// pair it is said how far apart the two have to begin, or what it costs when they do not. What
/// problems with constraints are made of before a search places them.
struct PairModel {
  /// A thing that gets one offset: a stay, or several that have to begin at one address.
  struct Block {
    Bytes size{};                  ///< Positive; of several stays the largest.
    Bytes alignment{1};            ///< Of the offset; a power of two.
    std::optional<Bytes> fixed{};  ///< The offset, where something outside decided it.
  };

  /// The other of a pair, and the distances at which the two are apart: this block begins at least
  /// `below` bytes below the other, or at least `above` bytes above it. Both are positive. For two
  /// plain blocks `below` is the size of this one and `above` that of the other.
  struct Apart {
    std::uint32_t other = 0;
    Bytes below{};
    Bytes above{};
  };

  /// A pair that costs `cost` (positive) in full unless it is apart.
  struct Penalty {
    Apart apart{};
    std::int64_t cost = 0;
  };

  std::vector<Block> blocks{};
  /// By block, ascending by `other`; pairs that must be apart. Symmetric: seen from the other side
  /// the two distances change places.
  std::vector<std::vector<Apart>> conflicts{};
  /// The same of pairs that cost something. A pair may be listed several times, and in both, with
  /// other distances.
  std::vector<std::vector<Penalty>> penalties{};
  /// Bytes that no block may touch, ascending and disjoint.
  std::vector<Interval<Bytes>> reserved{};
  std::optional<Bytes> capacity{};  ///< Every block ends at or below it; nothing: no limit.
};

/// The limits of a search. Counted first, so that runs repeat.
struct PairLimits {
  std::int64_t nodes = 0;  ///< Placements looked at; 0: no limit.
  double seconds = 0;      ///< Wall time; 0: no limit.
  std::uint64_t seed = 1;
};

}  // namespace hw
