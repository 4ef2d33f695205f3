#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/solver/fast/rectangles.h"

namespace hw {

/// A part of a packing that is packed anew by itself: the steps between two ranks. What lies inside
/// is free, what reaches beyond is pinned where it is.
struct PackingWindow {
  Rectangles rectangles{};
  std::vector<std::uint32_t> positions{};  ///< In the whole, by position in the window.
  Bytes peak{};                            ///< As it is packed now.
};

/// Cuts the ranks `steps` out of a packing. O(n).
PackingWindow cutWindow(const Rectangles& whole, const std::vector<Bytes>& offsets,
                        Interval<std::uint32_t> steps);

struct RepairOptions {
  Bytes bound{};           ///< What every window is to come down to.
  std::int64_t moves = 0;  ///< Placements at most, over all windows.
  std::uint64_t seed = 1;
  std::function<bool()> stopped{};
};

struct RepairResult {
  Bytes peak{};  ///< Of the whole afterwards.
  std::int64_t moves = 0;
};

/// Lowers the peak of a large packing that is too high in a few places only: each such place is cut
/// out with some hundred stays around it and searched by itself, with more around it when that does
/// not help. Does nothing where more than one stay in fifty ends above the bound. `offsets`, by
/// position, stays a packing at any time.
RepairResult repairPeaks(const Rectangles& rectangles, const RepairOptions& options,
                         std::vector<Bytes>& offsets);

/// Lowers the peak of a small packing, wherever it is too high: large neighbourhood search (Shaw
/// 1998). Again and again a window around something that ends above the bound is packed anew, with
/// chance, and kept where no more bytes than before end above it. Until nothing does, or the moves
/// are over. `offsets`, by position, stays a packing at any time.
RepairResult lowerPeaks(const Rectangles& rectangles, const RepairOptions& options,
                        std::vector<Bytes>& offsets);

}  // namespace hw
