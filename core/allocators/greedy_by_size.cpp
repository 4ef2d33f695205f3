#include <algorithm>
#include <tuple>

#include "core/allocators/allocators.h"
#include "core/allocators/offline.h"
#include "core/solver/order_record.h"

namespace hw {
namespace {

constexpr std::string_view kFits[] = {"best", "first"};
constexpr ParamSpec kFit{.name = "fit",
                         .type = ParamType::choice,
                         .summary =
                             "the tightest gap (TensorFlow Lite) or the lowest that is large "
                             "enough (TensorFlow Lite Micro)",
                         .fallback = "best",
                         .choices = kFits};
constexpr ParamSpec kParams[] = {kFit};

/// Whole-run stays first, then by size, then by id.
std::vector<StayId> wholeRunFirst(const Problem& problem, std::vector<StayId> stays) {
  const auto key = [&](StayId id) {
    const Stay& stay = problem.stays[id];
    const bool wholeRun = stay.steps.begin == Step(0) && stay.steps.end == problem.steps;
    return std::tuple(!wholeRun, -stay.size.count(), id);
  };
  std::ranges::sort(stays, {}, key);
  return stays;
}

class GreedyBySize final : public Allocator {
 public:
  explicit GreedyBySize(FitRule rule) : rule_(rule) {}

 private:
  Result<Plan> solve(const Problem& problem, const PlanContext& context) const override {
    HW_TRY(plan, planByPool(problem, [&](Placer& placer, PoolId) {
             return placeInOrder(placer, problem, wholeRunFirst(problem, placer.stays()), rule_,
                                 [&] { return context.stop.stop_requested(); });
           }));
    if (context.record) {
      recordOrders(
          "greedy-by-size", problem, plan,
          [&](PoolId pool) { return wholeRunFirst(problem, Placer(problem, pool).stays()); },
          {rule_, kOrderName});
    }
    return std::move(plan);
  }

  std::optional<Decision> recount(const Problem& problem, const Plan&, StayId stay) const override {
    Placer placer(problem, problem.poolOf(stay));
    return decideInOrder(placer, problem, wholeRunFirst(problem, placer.stays()),
                         {rule_, kOrderName}, stay);
  }

  static constexpr std::string_view kOrderName = "whole-run tensors first, then the largest first";
  FitRule rule_;
};

}  // namespace

std::span<const ParamSpec> greedyBySizeParams() { return kParams; }

std::unique_ptr<Allocator> makeGreedyBySize(const Params& params) {
  const bool first = params.text(kFit) == "first";
  return std::make_unique<GreedyBySize>(first ? FitRule::first : FitRule::best);
}

}  // namespace hw
