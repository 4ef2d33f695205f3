#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/sim/contention.h"
#include "core/sim/execute.h"

namespace hw {

/// Parts in which bytes are counted where flows are cut in time: sums of them lose nothing.
inline constexpr Wide kPartsPerByte = Wide{1} << 32;

/// A stretch of time in which a port moves bytes evenly.
struct PortStep {
  SimTime begin{};
  SimTime end{};   ///< After `begin`.
  Wide parts = 0;  ///< Moved in it, in 1 / kPartsPerByte bytes; not 0.

  double bytes() const { return static_cast<double>(parts) / static_cast<double>(kPartsPerByte); }
  double bytesPerSecond() const { return bytes() * 1e12 / (end - begin).real(); }
};

/// Bytes per second over time of a port: a pool, one direction of a full-duplex pool, or an engine
/// with a bandwidth of its own.
struct PortCurve {
  std::uint32_t port = 0;  ///< Of the list; behind them, the engines.
  Bytes bytes{};           ///< All that goes through it, in whole bursts.
  Bytes atOnce{};          ///< Of them what takes no time and is in no step.
  /// Bytes per second that it moves at most: of two bandwidths in use the greater. 0: there is no
  /// such bound, for one of them takes no time.
  std::int64_t roof = 0;
  /// In order, without overlap; where they do not meet, nothing moves in between. Their parts sum
  /// up to `bytes` less `atOnce`, as long as no time is cut off and bytes can be counted.
  std::vector<PortStep> steps{};

  /// Bytes per second over so much time; 0 of none.
  double mean(SimTime time) const;
  /// The most bytes per second of any step. Where ports slow flows down it exceeds the roof by no
  /// more than rounding: a flow may end 1/1024 of a picosecond early.
  double peak() const;
  /// A rate as a part of the roof; nothing without one.
  std::optional<double> ofRoof(double bytesPerSecond) const;
};

/// The curves of all ports that anything goes through: those of the list in its order, then
/// engines. Flows alone are played again, from when they began, by the same rules and with the same
/// integers, so a simulation that nobody asks for curves pays nothing for them.
std::vector<PortCurve> portCurves(const ActivityList& list,
                                  const IdMap<ActivityId, ActivityTime>& times);

/// The activities that flow through a port at a time, in program order. O(activities).
std::vector<ActivityId> flowsAt(const ActivityList& list,
                                const IdMap<ActivityId, ActivityTime>& times, std::uint32_t port,
                                SimTime time);

/// Name of a port of the list or, behind those, of an engine.
const std::string& portName(const ActivityList& list, std::size_t port);

}  // namespace hw
