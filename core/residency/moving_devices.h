#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/residency/residency_rules.h"

namespace hw {

/// A device between whose memories buffers move.
struct MovingDevice {
  LevelProgram program{};       ///< What its ops touch.
  std::vector<PoolId> pools{};  ///< From the nearest on; the last is the far one.
  /// From which step on other devices find a buffer in the far pool that this one writes.
  IdMap<BufferId, std::optional<Step>> neededFar{};
};

/// The devices of `pools` with what each asks of its own; `deviceAt` says whose each step is. What
/// one writes and others read goes to its far pool in time, and comes from there, by a copy where
/// theirs is another one. A buffer is written by ops of one device. O(uses + buffers x devices).
std::vector<MovingDevice> dealtOut(const LevelProgram& program,
                                   const std::vector<std::uint32_t>& deviceAt,
                                   std::vector<std::vector<PoolId>> pools);

/// As for one device (`chooseResidency`), but what others wait for is stored as soon as it is
/// written.
std::vector<NearStays> chooseResidency(const MovingDevice& device,
                                       std::span<const std::optional<Bytes>> budgets,
                                       ResidencyRule rule, const std::stop_token& stop = {});

/// `whole`, whose stays are one for each buffer of the programs, with several stays of each in the
/// pools of the devices, and the moves between them; `levels` has the choice for each device. Stays
/// are in the order of their first steps, then of buffers. What no op touches lies in the far pool.
/// Stays of a problem in which nothing moves are as in `whole`, each in its pool. O(n log n).
Problem movingProblem(const Problem& whole, const std::vector<MovingDevice>& devices,
                      const std::vector<std::vector<NearStays>>& levels);

/// Most bytes live at one step whoever chose pools and moves: the lower bound with each buffer
/// counted once, however many of its stays are live then, and without what has a place of its own
/// outside. O(n log n).
Bytes leastLive(const Problem& problem);

}  // namespace hw
