#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/solver/fast/rectangles.h"

namespace hw {

struct JoinOptions {
  /// Joins and splits at most, counted so that runs repeat; the first joining is always finished.
  std::int64_t moves = 0;
  std::uint64_t seed = 1;
  std::function<bool()> stopped{};  ///< Asked now and then.
};

/// Rectangles of which many became few, and how to get back.
struct JoinedRectangles {
  Rectangles rectangles{};          ///< What is left; where it lies, all that it is made of lies.
  std::vector<std::uint32_t> in{};  ///< By position of what was given: the position in there,
  std::vector<std::uint32_t> above{};  ///< and how far above the beginning of that, in units.
  Bytes unit{1};

  /// Offsets of all that was given, by position, from those of what is left.
  std::vector<Bytes> spread(const std::vector<Bytes>& offsets) const;
};

/// Joins two rectangles, again and again, that seem to have been one: of the same life, one on top
/// of the other; of the same size, one where the other ends. What was cut from a full pool becomes
/// few or one again, whatever its number.
///
///     |  a  |  b  |             a and b are of one size,       |  ab       |
///     |-----------|   and b begins where a ends: joined. ab    |-----------|   joined too: one
///     |     c     |             and c are of one life          |     c     |
///
/// Least likely by chance first: the more other rectangles begin and end at the same moments, the
/// likelier it is; what could be joined at once with a third, the less. A wrong join blocks those
/// around it. So what is left is taken apart here and there, put together in other ways, and stays
/// so where no more are left than before.
///
/// Nothing where pins or alignments are in the way, or where most find nobody: then it was no pool
/// that was cut. The same for the same seed and moves. About O(n) for what was cut; 70 bytes each.
std::optional<JoinedRectangles> joinRectangles(const Rectangles& rectangles,
                                               const JoinOptions& options);

}  // namespace hw
