#pragma once

#include <stop_token>

#include "core/residency/near_stays.h"

namespace hw {

/// How long `exactResidency` may search: states that it looks at.
inline constexpr std::int64_t kResidencyNodes = 20'000'000;

/// The least far traffic that any residency within `budget` can have, as `atLeast` says: it equals
/// `farTraffic` when that is proved. Shortest path over who is near between two operands, by
/// layers; what the prices of steps rule out is dropped, and of too wide a layer the least
/// promising, at the price of the proof. The same answer for the same number of nodes, wherever it
/// runs.
NearStays exactResidency(const LevelProgram& program, Bytes budget,
                         std::int64_t nodes = kResidencyNodes, std::stop_token stop = {});

}  // namespace hw
