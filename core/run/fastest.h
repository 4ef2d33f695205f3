#pragma once

#include "core/allocators/hasten.h"
#include "core/run/shapes.h"

namespace hw {

/// Up to so many stays, every allocator is asked for its plan.
inline constexpr std::size_t kFewStays = 300;

/// The fastest plan that is found for the task of `own`, whose allocator asks for the least
/// latency. Which stays there are, and what moves, depends on how much room they may take: where a
/// plan exceeds its memory, the planner asks for less. So the stays of `own` are held against those
/// of smaller budgets and those that other allocators end with, each with the plans there are of
/// them; the search for the least latency goes on with the best, from all its plans. The result is
/// never slower than any of these: of few stays every allocator that plans one problem is asked, of
/// more those that do not search, of many `idle-longest`.
PlannedTask fastestOf(PlannedTask own, const PlanContext& settings, const HasteLimits& limits);

}  // namespace hw
