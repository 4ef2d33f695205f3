#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/run/figures.h"
#include "core/run/run.h"

namespace hw {

/// Point of a capacity sweep: what a model comes to with an L2 of one size.
struct CapacityPoint {
  Bytes capacity{};      ///< Of the first pool of every device.
  RunFigures figures{};  ///< Of no use, nor is the traffic, when the plan does not fit.
  /// Bytes read and written by all pools but the first of each device, in one run of the model.
  Bytes farTraffic{};

  /// Fits without anything living outside the first pools.
  bool fitsInL2() const { return figures.fits && figures.spilled.value_or(Bytes()) == Bytes(); }
};

/// The figures of `run` as a point of the curve at `capacity`.
CapacityPoint pointOf(const Run& run, Bytes capacity);

/// Limits of a capacity sweep, and who hears of each point as soon as it is known.
struct SweepOptions {
  std::size_t points = 33;
  std::function<void(const CapacityPoint&)> report{};
};

/// Plans and simulates a model under one configuration but for L2's capacity: first without a
/// limit, which says where everything fits; then at eighths, a sixteenth and
/// a 64th of that, and at the capacity that the configuration has; then always halfway between
/// the two neighbours that are furthest apart, in capacity and in traffic together, so that points
/// are dense where the curve bends. Capacities are multiples of `kCapacityGrain`, but for the
/// configuration's own. Ascending.
/// Stopped, it gives what it has; fails when not even the first plan can be made.
Result<std::vector<CapacityPoint>> sweepCapacities(const std::shared_ptr<const Model>& model,
                                                   const RunRequest& request,
                                                   const SweepOptions& options,
                                                   const RunContext& context);

/// Capacities on a coarser grid than addresses: nobody builds memories to the byte.
inline constexpr Bytes kCapacityGrain{64};

/// One capacity alone.
Result<CapacityPoint> planAtCapacity(const std::shared_ptr<const Model>& model, RunRequest request,
                                     Bytes capacity, const RunContext& context);

/// The least capacity of `points`, ascending, from which on everything fits in L2.
std::optional<Bytes> fitsFrom(const std::vector<CapacityPoint>& points);

/// The capacity beyond which more L2 stops paying: the point furthest below the straight line from
/// the first to the last of those that fit, capacity and traffic each scaled to [0, 1] (Satopaa et
/// al., "Finding a 'Kneedle' in a Haystack", 2011). Traffic counts as the least of any capacity up
/// to there. Nothing when no point is at least `kLeastBend` below it.
std::optional<Bytes> kneeOf(const std::vector<CapacityPoint>& points);
inline constexpr double kLeastBend = 0.1;

}  // namespace hw
