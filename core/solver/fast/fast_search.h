#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "core/solver/fast/rectangles.h"

namespace hw {

/// A lower peak was found.
struct FastSample {
  double seconds = 0;      ///< Since the search was begun, or gone on with.
  std::int64_t moves = 0;  ///< Placements until then.
  Bytes peak{};
};

/// Placements of a first look at so many rectangles: most problems need no more.
constexpr std::int64_t firstMoves(std::size_t count) {
  return std::max<std::int64_t>(150'000, 8 * static_cast<std::int64_t>(count));
}

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

/// A search that may be given more placements later, and then goes on where it was.
class FastSearch {
 public:
  /// Keeps a reference to `rectangles`.
  FastSearch(const Rectangles& rectangles, const FastOptions& options);
  FastSearch(const FastSearch&) = delete;
  FastSearch& operator=(const FastSearch&) = delete;
  ~FastSearch();

  /// The result of `searchFast` with so many moves, no fewer than in the call before. `seconds` are
  /// from now on; `bound` is no lower than before.
  const FastResult& runTo(std::int64_t moves, double seconds, Bytes bound);
  /// Placements that the next call need not make again: all so far, or none where what was tried
  /// depends on how many there are: joining, the repair of many rectangles, and rules left out.
  std::int64_t movesKept() const;

 private:
  class Search;
  std::unique_ptr<Search> search_;
};

}  // namespace hw
