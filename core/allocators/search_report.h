#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/allocators/allocator.h"
#include "core/plan/method_table.h"
#include "core/solver/exact/exact.h"

namespace hw {

/// The column of a method table that holds wall time.
inline constexpr std::string_view kWallTimeColumn = "microseconds";

/// The course of the search in one pool, as a table of the plan: "progress POOL", one row for every
/// change of incumbent or bound, and one for the end. Charts and JSON are made of it.
MethodTable progressTable(const std::vector<ExactProgress>& history, const std::string& pool);

/// The course of the search in one pool.
struct SearchHistory {
  std::string pool{};
  std::vector<ExactProgress> samples{};  ///< In time; seconds as exact as the table has them.
};

/// The progress tables of `plan`, in their order; empty for a method that does not search
/// or keeps no times.
std::vector<SearchHistory> searchHistories(const Plan& plan);

/// The same as records: the best plan so far and the bound, each time one of them moved.
std::vector<MethodRecord> searchRecords(const Plan& plan);

/// Why `stay` lies where a search put it: what the finished plan tells, and which order or search
/// made the packing that was kept. Nothing when the plan has no progress table of its pool.
std::optional<Decision> searchDecision(const Problem& problem, const Plan& plan, StayId stay);

/// The same of a plan that was made faster. Nothing when it has no table of that search.
std::optional<Decision> hasteDecision(const Problem& problem, const Plan& plan, StayId stay);

/// Tells those who listen where the search for `pool` stands.
void tellProgress(const PlanContext& context, const std::string& pool, const ExactProgress& now);

/// The state of a search, in one line for people.
std::string progressText(const ExactProgress& now);

}  // namespace hw
