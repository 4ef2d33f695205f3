#include <fmt/format.h>

#include <algorithm>

#include "core/allocators/allocators.h"
#include "core/allocators/pins.h"
#include "core/plan/metrics.h"
#include "core/solver/fast/fast_search.h"

namespace hw {
namespace {

constexpr ParamSpec kMoves{.name = "moves",
                           .type = ParamType::integer,
                           .summary = "placements at most after the first packing",
                           .fallback = "1000000"};
constexpr ParamSpec kSeconds{
    .name = "seconds",
    .type = ParamType::number,
    .summary = "search this long instead; 0: by moves, so that runs repeat",
    .fallback = "0"};
constexpr ParamSpec kParams[] = {kMoves, kSeconds};

/// Skyline packings, as many as the budget allows.
class Fast final : public Allocator {
 public:
  Fast(std::int64_t moves, double seconds) : moves_(moves), seconds_(seconds) {}

 private:
  Result<Plan> solve(const Problem& problem, const PlanContext& context) const override {
    Plan plan;
    if (const auto pinned = placePins(problem, plan); !pinned) {
      return tl::unexpected(pinned.error());
    }
    FastOptions options{.moves = moves_,
                        .seconds = context.timeLimit > 0 ? context.timeLimit : seconds_,
                        .seed = context.seed,
                        .stopped = [&] { return context.stop.stop_requested(); }};
    if (options.seconds > 0) options.moves = std::numeric_limits<std::int64_t>::max();
    bool optimal = true;
    for (const PoolId pool : problem.pools.keys()) {
      const Rectangles rectangles = rectanglesOf(problem, pool);
      if (rectangles.count() == 0) continue;
      options.bound = problem.gaps.empty() ? loadBound(rectangles) : lowerBound(problem, pool);
      const FastResult found = searchFast(rectangles, options);
      if (found.offsets.empty()) return fail(ErrorCode::stopped, "planning was stopped");
      for (std::size_t i = 0; i < rectangles.count(); ++i) {
        plan.addresses[rectangles.stays[i]] = Address{pool, RegionId(0), found.offsets[i]};
      }
      optimal &= found.peak <= options.bound;
      plan.notes.push_back(note(problem.pools[pool].name, found));
    }
    plan.status = optimal ? PlanStatus::optimal : PlanStatus::complete;
    return plan;
  }

  static std::string note(const std::string& pool, const FastResult& found) {
    return fmt::format("{}: first packing {} bytes, best of {} packings {} bytes, by {}", pool,
                       found.firstPeak.count(), found.packings, found.peak.count(), found.winner);
  }

  std::int64_t moves_;
  double seconds_;
};

}  // namespace

std::span<const ParamSpec> fastParams() { return kParams; }

std::unique_ptr<Allocator> makeFast(const Params& params) {
  return std::make_unique<Fast>(params.integer(kMoves), params.number(kSeconds));
}

}  // namespace hw
