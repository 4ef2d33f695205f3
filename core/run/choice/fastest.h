#pragma once

#include "core/allocators/hasten.h"
#include "core/run/first_device.h"

namespace hw {

/// What a choice between stays and moves takes besides a first plan.
struct FastestOrder {
  const AllocatorChoice& allocator;  ///< Asks for the least latency.
  PlanContext settings{};
  HasteLimits limits{};
  bool planInputs = true;
  /// Plans with another allocator, or less room.
  std::function<Result<Answer>(const AllocatorChoice&, const PlanContext&, const RoomShare&)>
      plan{};
  std::function<SimulationInput(const Answer&)> input{};
};

/// The fastest plan that is found. Which stays there are, and what moves, depends on how much room
/// they may take: where a plan exceeds its memory, the planner asks for less. So the stays of `own`
/// are held against those of smaller budgets and those that other allocators end with, each with
/// the plans there are of them; the search for the least latency goes on with the best, from all
/// its plans. The result is never slower than any of these: of few stays every allocator that plans
/// one problem is asked, of many `idle-longest`.
Result<Answer> fastestOf(Answer own, const FastestOrder& order);

}  // namespace hw
