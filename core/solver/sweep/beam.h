#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/solver/fast/rectangles.h"
#include "core/solver/sweep/handover_sweep.h"

namespace hw::sweep {

/// Variants from here on are with noise.
inline constexpr std::uint64_t kFirstNoisy = 4;

struct BeamOptions {
  /// Partial plans that are kept; times the number of pieces at most 2^23.
  std::size_t width = 64;
  /// Its lowest bit: backwards in time; the next one: of what begins together the one that ends
  /// last comes first, not the highest. From `kFirstNoisy` on it is also the seed of noise.
  std::uint64_t variant = 0;
  std::int64_t moves = std::numeric_limits<std::int64_t>::max();  ///< At most, or few more.
  std::function<bool()> stopped{};  ///< Asked for each piece; not empty.
};

struct BeamPlan {
  std::optional<std::vector<std::int64_t>> offsets{};  ///< By piece; nothing: none was found.
  /// Placements of a piece on a partial plan; those beside many live ones count for several.
  std::int64_t moves = 0;
};

/// Packs pieces into `capacity` by beam search (Lowerre 1976): from the first moment to the last,
/// or back, each goes to the bottom or to the top of a hole that it fits into. Of all partial plans
/// made so the best are kept, at most two that continue the same one. Best are those of which most
/// edges are covered: an edge is where a piece ends in bytes, and it is covered for as long as
/// another one, or the end of the memory, lies against it. Two that lie against each other and end
/// together leave one hole instead of two, so that counts for more.
///
/// A partial plan is dropped where what is live at this moment or at one of the next three cannot
/// be placed: no sums of the heights still to come fill the holes to within what is free then, or
/// the highest fits into none. That is looked at up to `kMostHigh` units of capacity. Heights and
/// capacity are in units and below 2^31. The same for the same options.
BeamPlan packByBeam(std::span<const Piece> pieces, std::int64_t capacity,
                    const BeamOptions& options);

}  // namespace hw::sweep

namespace hw {

struct BeamSearchOptions {
  Bytes below{};                          ///< Only a lower peak is of use.
  Bytes bound{};                          ///< Nothing lower is possible: reason to stop.
  std::int64_t moves = 0;                 ///< Placements at most.
  Bytes far = kMaxBytes;                  ///< A peak above it is far from the bound.
  std::int64_t farMoves = 0;              ///< Placements at most while the peak is far.
  std::function<bool()> stopped{};        ///< Asked now and then.
  std::function<void(Bytes)> improved{};  ///< Told each lower peak. May be empty.
};

struct BeamResult {
  std::vector<Bytes> offsets{};  ///< By position; empty: no lower peak was found.
  Bytes peak{};
  std::int64_t moves = 0;
};

/// Asks `packByBeam` for the bound and then for what lies between it and the lowest peak, again and
/// again, with noise and greater widths. Good where sizes are multiples of a coarse unit, so that
/// many of them are equal; where sizes are rare, `searchFast` and the exact search are better.
/// Returns no plan where something is pinned or has an alignment, or where `below` is more than
/// 2^30 times the largest number that divides all sizes. The same for the same moves. O(live ones)
/// for a placement.
BeamResult searchBeam(const Rectangles& rectangles, const BeamSearchOptions& options);

/// True where sizes are multiples of a unit of which `bound` has at most 2,048.
bool isCoarse(const Rectangles& rectangles, Bytes bound);

}  // namespace hw
