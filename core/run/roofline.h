#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/run/run.h"

namespace hw {

/// Place of an operator under the roofs of its machine (Williams, Waterman, Patterson 2009):
/// what it attained, and the most that the peak of its unit and the bandwidths of its ports allow.
struct RoofDot {
  Step step{};
  ActivityId activity{};
  std::int64_t macs = 0;  ///< Multiply-accumulates; not 0.
  double attained = 0;    ///< MACs per second, from its start to its end as simulated.
  double peak = 0;  ///< MACs per second of its unit when all of it works; not below `attained`.
  double roof = 0;  ///< The lesser of `peak` and intensity times bandwidth.
  bool byCompute = false;  ///< `peak` is the roof, not a port.
  /// The port that takes longest for its bytes, of `Timing::activities`; with no port that takes
  /// time, that which moves most; nothing where it moves nothing.
  std::optional<std::uint32_t> port{};
  Bytes bytes{};         ///< Moved there, in whole bursts.
  double bandwidth = 0;  ///< Bytes per second there, for its mix of reads and writes; 0: no bound.

  /// MACs per byte at the port; infinite where no byte moves.
  double intensity() const;
};

/// Of the operator at a step; nothing where nothing was simulated, or it has no
/// multiply-accumulates or takes no time.
std::optional<RoofDot> roofDot(const Run& run, Step step);

/// "compute", or the name of the port.
const std::string& roofName(const Run& run, const RoofDot& dot);

/// "31.2 % of its roof, 12.3 GMAC/s of 39.4 GMAC/s, bound by L3; 4.5 MACs a byte of L3".
std::string roofWords(const Run& run, const RoofDot& dot);

/// The operators with multiply-accumulates, by step. O(operators log activities).
std::vector<RoofDot> roofline(const Run& run);

}  // namespace hw
