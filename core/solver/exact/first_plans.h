#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>

#include "core/plan/problem.h"
#include "core/solver/fast/fast_search.h"

namespace hw::exact {

/// Offsets for the stays of a pool, by stay, and how they were found.
struct QuickPlan {
  IdMap<StayId, Bytes> offsets{};
  std::string_view winner = "start";
};

/// Hands greedy plans to `visit` until it returns false. Where there are many stays, which the
/// search may be too large for, plans of the skyline and core first as well; these end at `bound`.
/// None is handed over that `stop` left unfinished; `stopped` ends it once there is one.
void visitQuickPlans(const Problem& problem, PoolId pool, Bytes bound, const std::stop_token& stop,
                     const std::function<bool()>& stopped,
                     const std::function<bool(const QuickPlan&)>& visit);

/// The plan of the skyline; nothing when stopped before there is any. `moves` of 0: as many as a
/// first look takes.
std::optional<QuickPlan> skylinePlan(const Problem& problem, PoolId pool, FastOptions options);

}  // namespace hw::exact
