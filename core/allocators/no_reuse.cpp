#include <fmt/format.h>

#include <algorithm>

#include "core/allocators/allocators.h"
#include "core/allocators/offline.h"
#include "core/solver/order_record.h"

namespace hw {
namespace {

class NoReuse final : public Allocator {
  Result<Plan> solve(const Problem& problem, const PlanContext& context) const override {
    Plan plan;
    HW_TRY(pinned, placePins(problem, plan));
    IdMap<PoolId, Bytes> top(problem.pools.size());
    for (const StayId id : pinned) {
      Bytes& end = top[problem.poolOf(id)];
      end = std::max(end, *problem.stays[id].pinned + problem.stays[id].size);
    }
    for (const StayId id : problem.stays.keys()) {
      const Stay& stay = problem.stays[id];
      if (stay.pinned) continue;
      const PoolId pool = problem.poolOf(id);
      const Bytes offset = alignUp(top[pool], stay.alignment);
      plan.addresses[id] = Address{pool, RegionId(0), offset};
      top[pool] = offset + stay.size;
    }
    if (context.record) tellRecord(problem, plan);
    return plan;
  }

  std::optional<Decision> recount(const Problem& problem, const Plan& plan,
                                  StayId stay) const override {
    Decision decision = account(plan, stay);
    decision.when =
        fmt::format("placed {} of {}, by id", ordinal(stay.index() + 1), problem.stays.size());
    return decision;
  }

  static Decision account(const Plan& plan, StayId stay) {
    Decision decision{.decided = "nothing is reused: above all that came before it"};
    addCandidate(
        decision,
        {.kind = "above all", .address = plan.addresses[stay], .reason = "bytes of its own"});
    return decision;
  }

  static void tellRecord(const Problem& problem, Plan& plan) {
    for (const PoolId pool : problem.pools.keys()) {
      std::vector<StayId> order;
      for (const StayId id : problem.stays.keys()) {
        if (problem.poolOf(id) == pool) order.push_back(id);
      }
      if (order.empty()) continue;
      plan.records.push_back(placingRecord("none", problem, pool, order, "by id", [&](StayId stay) {
        return DecidedPlace{plan.addresses[stay]->offset, account(plan, stay)};
      }));
    }
  }
};

}  // namespace

std::unique_ptr<Allocator> makeNoReuse(const Params&) { return std::make_unique<NoReuse>(); }

}  // namespace hw
