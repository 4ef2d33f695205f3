#pragma once

#include <span>

#include "core/latency/reuse_timer.h"

namespace hw {

/// Addresses by stay, and what it took to find them.
struct TimedPacking {
  std::vector<Bytes> offsets{};  ///< Empty: none were found that fit.
  std::int64_t looks = 0;
};

/// Asks first when everything could happen if stays needed `percent` of the capacities but no
/// addresses (`RoomGate`), with loads as late as they may be; then looks for addresses within the
/// capacities with which whoever is open at the same time, or live at the same step, lies side by
/// side. With these nobody waits for bytes but as in that run, so few plans are faster. Not for
/// stays whose places are given.
TimedPacking packByTime(const TimedWork& work, ReuseTimer& timer, std::span<const Bytes> capacities,
                        int percent);

/// Gives the stays of `pool` other addresses, as low as a quick search finds, at which nobody who
/// was open at the same time in the run that `timer` has just made, or is live at the same step,
/// meets: mostly that run takes no longer with them. Not for stays whose places are given. Returns
/// what it took.
std::int64_t packLow(const TimedWork& work, const ReuseTimer& timer, PoolId pool,
                     std::vector<Bytes>& offsets);

}  // namespace hw
