#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/solver/fast/rectangles.h"

namespace hw {

struct BeamOptions {
  Bytes below{};                          ///< Only a lower peak is of use.
  Bytes bound{};                          ///< Nothing lower is possible: reason to stop.
  std::int64_t moves = 0;                 ///< Placements at most.
  std::size_t width = 64;                 ///< To begin with.
  std::function<bool()> stopped{};        ///< Asked now and then.
  std::function<void(Bytes)> improved{};  ///< Told each lower peak. May be empty.
};

struct BeamResult {
  std::vector<Bytes> offsets{};  ///< By position; empty: no lower peak was found.
  Bytes peak{};
  std::int64_t moves = 0;
};

/// Packs `rectangles` by beam search (Lowerre 1976): from the first moment to the last, or back,
/// each one goes to the bottom or to the top of a hole that it fits into. Of all partial plans made
/// so the best `width` are kept, at most two that continue the same one. Best are those of which
/// most edges are covered: an edge is where a rectangle ends in bytes, and it is covered for as
/// long as another one, or the end of the memory, lies against it. Two that lie against each other
/// and end together leave one hole instead of two, so that counts for more.
///
/// Asks for the bound and then for what lies between it and the lowest peak, with a width that
/// grows. Good where sizes are multiples of a coarse unit, so that many of them are equal; where
/// sizes are rare, `searchFast` and the exact search are better. Returns no plan where something is
/// pinned or has an alignment, or where `below` is more than 2^30 times the largest number that
/// divides all sizes. The same for the same moves. O(live ones) for a placement.
BeamResult searchBeam(const Rectangles& rectangles, const BeamOptions& options);

/// True where sizes are multiples of a unit of which `bound` has at most 2,048.
bool isCoarse(const Rectangles& rectangles, Bytes bound);

}  // namespace hw
