#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "core/solver/fast/rectangles.h"

namespace hw {

/// A lower peak was found.
struct FastSample {
  double seconds = 0;      ///< Since the start.
  std::int64_t moves = 0;  ///< Placements until then.
  Bytes peak{};
};

struct FastOptions {
  /// Placements at most, counted so that runs repeat; the first packing is always finished, and the
  /// repair of a large one may take as many again.
  std::int64_t moves = 1'000'000;
  double seconds = 0;  ///< Wall time at most once there is a packing; 0: no limit.
  std::uint64_t seed = 1;
  Bytes bound{};                               ///< Nothing lower is possible: reason to stop.
  std::function<bool()> stopped{};             ///< Asked now and then.
  std::function<void(FastSample)> improved{};  ///< Called with each lower peak.
};

struct FastResult {
  std::vector<Bytes> offsets{};  ///< By position; empty when stopped before there were any.
  Bytes peak{};
  Bytes firstPeak{};          ///< Of the first packing.
  std::string_view winner{};  ///< Which priorities gave the best packing.
  std::int64_t packings = 0;  ///< Finished or given up.
  std::int64_t moves = 0;
  bool stopped = false;
  std::vector<FastSample> samples{};  ///< One for each lower peak, the first included.
};

/// Packs `rectangles` by `Skyline` under one order after the other: by size x length, and other
/// products of the two. What moves or seconds are left go, in turns, to two ways of finding better
/// priorities: noise (priorities of a good order times random factors), and blame (what ends above
/// the peak to beat goes earlier next time: squeaky wheel optimisation, Joslin and Clements 1999).
/// The first packing of a large problem is repaired where it is too high: `repairPeaks`.
/// Ends at the bound. The same for the same seed and moves, unless seconds are limited.
FastResult searchFast(const Rectangles& rectangles, const FastOptions& options);

}  // namespace hw
