#include <fmt/format.h>

#include "core/allocators/allocators.h"
#include "core/allocators/constrained.h"
#include "core/allocators/offline.h"
#include "core/allocators/search_report.h"
#include "core/base/text.h"
#include "core/plan/metrics.h"
#include "core/solver/fast/fast_search.h"

namespace hw {
namespace {

constexpr ParamSpec kMoves{.name = "moves",
                           .type = ParamType::integer,
                           .summary = "placements at most after the first packing",
                           .fallback = "1000000",
                           .label = "quick search",
                           .unit = "placements"};
constexpr ParamSpec kSeconds{
    .name = "seconds",
    .type = ParamType::number,
    .summary = "search this long instead; 0: by moves, so that runs repeat",
    .fallback = "0",
    .label = "time for searching",
    .unit = "s"};
constexpr ParamSpec kParams[] = {kMoves, kSeconds};

/// Skyline packings, as many as the budget allows.
class Fast final : public Allocator {
 public:
  explicit Fast(const SearchBudget& budget) : budget_(budget) {}

 private:
  Result<Plan> solve(const Problem& problem, const PlanContext& context) const override {
    Plan plan;
    HW_DO(placePins(problem, plan));
    FastOptions options{.seed = context.seed,
                        .stopped = [&] { return context.stop.stop_requested(); }};
    bool optimal = true;
    for (const PoolId pool : problem.pools.keys()) {
      const Rectangles rectangles = rectanglesOf(problem, pool);
      if (rectangles.count() == 0) continue;
      const SearchBudget budget = budget_.leftIn(context);
      options.seconds = budget.seconds;
      options.moves = budget.seconds > 0 ? std::numeric_limits<std::int64_t>::max() : budget.moves;
      options.bound = problem.gaps.empty() ? loadBound(rectangles) : lowerBound(problem, pool);
      const std::string& name = problem.pools[pool].name;
      options.improved = [&](const FastSample& sample) {
        tellProgress(context, name, progressOf(sample, options.bound));
      };
      const FastResult found = searchFast(rectangles, options);
      if (found.offsets.empty()) return fail(ErrorCode::stopped, "planning was stopped");
      if (context.use) context.use->tries += found.moves;
      for (std::size_t i = 0; i < rectangles.count(); ++i) {
        plan.addresses[rectangles.stays[i]] = Address{pool, RegionId(0), found.offsets[i]};
      }
      optimal &= found.peak <= options.bound;
      plan.notes.push_back(note(name, found));
      plan.tables.push_back(progressTable(historyOf(found, options.bound), name));
    }
    plan.status = optimal ? PlanStatus::optimal : PlanStatus::complete;
    return plan;
  }

  Result<Plan> solveConstrained(const Problem& problem, const PlanContext& context) const override {
    return searchConstrained(problem, context, {.budget = budget_, .proves = false});
  }

  std::optional<Decision> recount(const Problem& problem, const Plan& plan,
                                  StayId stay) const override {
    return searchDecision(problem, plan, stay);
  }

  static ExactProgress progressOf(const FastSample& sample, Bytes bound) {
    return {.seconds = sample.seconds,
            .incumbent = sample.peak,
            .bound = bound,
            .nodes = sample.moves,
            .winner = "skyline"};
  }

  /// Every lower peak; the last of them by the winner.
  static std::vector<ExactProgress> historyOf(const FastResult& found, Bytes bound) {
    std::vector<ExactProgress> history;
    for (const FastSample& sample : found.samples) history.push_back(progressOf(sample, bound));
    if (!history.empty()) history.back().winner = found.winner;
    return history;
  }

  static std::string note(const std::string& pool, const FastResult& found) {
    return fmt::format("{}: first packing {} bytes, best of {} packings {} bytes, by {}", pool,
                       groupDigits(found.firstPeak.count()), groupDigits(found.packings),
                       groupDigits(found.peak.count()), found.winner);
  }

  SearchBudget budget_;
};

}  // namespace

std::span<const ParamSpec> fastParams() { return kParams; }

std::unique_ptr<Allocator> makeFast(const Params& params) {
  return std::make_unique<Fast>(
      SearchBudget{.moves = params.integer(kMoves), .seconds = params.number(kSeconds)});
}

}  // namespace hw
